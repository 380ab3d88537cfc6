/* SPDX-License-Identifier: MIT
 *
 * Scans a tree of 10,000 generated skill folders. The comparison is the minimum work of the operating system for the
 * same files:
 *
 *   cold: the first listing of a new source / readdir of every folder, open, read 4 KiB, close
 *   warm: a second listing without changes / readdir of every folder and stat
 *
 * Both are also measured with the survey of `skillet check`, which looks into each folder, as the comparison does; a
 * listing does not have to.
 *
 * Asserted: every skill is found with its description, a cold scan reads at most 4 KiB of each file, and a warm one
 * reads nothing. The tree is in $TMPDIR or /tmp and is removed at the end. SKILLET_BENCH_SKILLS sets its size.
 */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"
#include "skillet/source.h"
#include "source/directory.h"

struct tree {
  char path[256];
  size_t count;
  bool survey;
  SkillSource *source; /* already scanned, for warm rounds */
  size_t bytes;
  size_t files;
};

/* --- the tree ----------------------------------------------------------------------------------------------------- */

static const char *const words[] = {"table",  "invoice", "weekly", "parser", "colour", "traffic", "summary", "review",
                                    "garden", "signal",  "budget", "letter", "search", "module",  "export",  "memory"};

static const char *word(unsigned *seed) {
  *seed = *seed * 1103515245u + 12345u;
  return words[*seed >> 16 & 15];
}

static void write_skill(const char *root, size_t index) {
  char path[512];
  unsigned seed = (unsigned)index * 2654435761u + 1;
  snprintf(path, sizeof path, "%s/%s-%s-%05zu", root, word(&seed), word(&seed), index);
  BENCH_CHECK(mkdir(path, 0777) == 0);
  const char *name = strrchr(path, '/') + 1;
  char *text = malloc(32768);
  BENCH_CHECK(text != NULL);
  size_t used = (size_t)sprintf(text, "---\nname: %s\ndescription: ", name);
  for (size_t i = 0; i < 15 + index % 45; i++) used += (size_t)sprintf(text + used, "%s%s", i ? " " : "", word(&seed));
  used += (size_t)sprintf(text + used, ".\ntags: [%s, %s]\nversion: \"1.%zu\"\n---\n\n# %s\n", word(&seed), word(&seed),
                          index % 10, name);
  while (used < 2000 + index % 10000)
    used += (size_t)sprintf(text + used, "%s %s %s.\n", word(&seed), word(&seed), word(&seed));
  strcat(path, "/SKILL.md");
  FILE *file = fopen(path, "wb");
  BENCH_CHECK(file && fwrite(text, 1, used, file) == used && fclose(file) == 0);
  free(text);
}

static void make_tree(struct tree *tree) {
  const char *base = getenv("TMPDIR");
  const char *wanted = getenv("SKILLET_BENCH_SKILLS");
  tree->count = wanted ? strtoul(wanted, NULL, 10) : 10000;
  snprintf(tree->path, sizeof tree->path, "%s/skillet-scan-XXXXXX", base && *base ? base : "/tmp");
  BENCH_CHECK(mkdtemp(tree->path) != NULL);
  for (size_t i = 0; i < tree->count; i++) write_skill(tree->path, i);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw) {
  (void)st;
  (void)flag;
  (void)ftw;
  return remove(path);
}

/* --- comparison ------------------------------------------------------------------------------------------------- */

static void read_file(struct tree *tree, int folder, const char *name) {
  char buffer[4096];
  int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
  BENCH_CHECK(file >= 0);
  ssize_t got = read(file, buffer, sizeof buffer);
  BENCH_CHECK(got > 0);
  tree->bytes += (size_t)got;
  close(file);
}

static void stat_file(struct tree *tree, int folder, const char *name) {
  struct stat st;
  BENCH_CHECK(fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0);
  tree->files += S_ISREG(st.st_mode);
}

/* The plain walk: opens and lists every folder, and passes every file to `visit`. */
static void walk(struct tree *tree, int parent, const char *name, void (*visit)(struct tree *, int, const char *)) {
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
  BENCH_CHECK(dir != NULL);
  for (struct dirent *entry; (entry = readdir(dir));) {
    if (entry->d_name[0] == '.') continue;
    if (entry->d_type == DT_DIR) {
      walk(tree, fd, entry->d_name, visit);
    } else {
      visit(tree, fd, entry->d_name);
    }
  }
  closedir(dir);
}

static void cold_floor(void *state, size_t count) {
  struct tree *tree = state;
  for (size_t i = 0; i < count; i += tree->count) walk(tree, AT_FDCWD, tree->path, read_file);
}

static void warm_floor(void *state, size_t count) {
  struct tree *tree = state;
  for (size_t i = 0; i < count; i += tree->count) walk(tree, AT_FDCWD, tree->path, stat_file);
}

/* --- skillet ---------------------------------------------------------------------------------------------------- */

struct tally {
  size_t skills;
  size_t described;
};

static int count_skill(const SkillMetadata *metadata, const char *body, size_t body_length,
                       const SkillDiagnostic *diagnostics, size_t diagnostic_count, void *user) {
  struct tally *tally = user;
  (void)body;
  (void)body_length;
  (void)diagnostics;
  BENCH_CHECK(diagnostic_count == 0);
  tally->skills += metadata != NULL;
  tally->described += metadata && metadata->description && metadata->tags.count == 2 && !metadata->unlisted;
  return 0;
}

static SkillSource *new_source(const struct tree *tree) {
  SkillDirectoryOptions options = SKILL_DIRECTORY_OPTIONS_INIT;
  SkillSource *source = NULL;
  options.path = tree->path;
  options.survey = tree->survey;
  BENCH_CHECK(skill_source_directory_new(&options, &source, NULL) == 0);
  return source;
}

static void list(const struct tree *tree, SkillSource *source) {
  struct tally tally = {0, 0};
  BENCH_CHECK(source->list(source, 0, count_skill, &tally, NULL) == 0);
  BENCH_CHECK(tally.skills == tree->count && tally.described == tree->count);
}

static void cold_scan(void *state, size_t count) {
  struct tree *tree = state;
  for (size_t i = 0; i < count; i += tree->count) {
    SkillSource *source = new_source(tree);
    list(tree, source);
    tree->bytes = skill__directory_of(source)->bytes_read;
    skill_source_free(source);
  }
}

static void warm_scan(void *state, size_t count) {
  struct tree *tree = state;
  for (size_t i = 0; i < count; i += tree->count) list(tree, tree->source);
  BENCH_CHECK(skill__directory_of(tree->source)->bytes_read == 0);
}

static void compare(struct tree *tree, size_t rounds, struct bench_result *cold, struct bench_result *warm) {
  struct tree floor = *tree;
  tree->source = new_source(tree);
  list(tree, tree->source);
  *cold = bench_compare(cold_scan, tree, cold_floor, &floor, tree->count, rounds);
  BENCH_CHECK(tree->bytes <= tree->count * 4096);
  *warm = bench_compare(warm_scan, tree, warm_floor, &floor, tree->count, rounds);
  skill_source_free(tree->source);
}

int main(void) {
  struct tree tree = {0};
  struct bench_result cold, warm, cold_survey, warm_survey;
  make_tree(&tree);
  size_t rounds = bench_rounds(7);
  compare(&tree, rounds, &cold, &warm);
  tree.survey = true;
  compare(&tree, rounds, &cold_survey, &warm_survey);
  char title[96];
  snprintf(title, sizeof title, "scan of %zu skill folders, per folder, fastest of %zu rounds", tree.count, rounds);
  bench_title(title, "the operating system alone");
  bench_row("cold / readdir, open, read 4 KiB", cold, 1.4);
  bench_row("warm / readdir, stat", warm, 1.5);
  bench_row("cold, with survey / the same", cold_survey, 2.5);
  bench_row("warm, with survey / the same", warm_survey, 1.5);
  printf("bytes read of each file: cold %.0f, warm 0\n", (double)tree.bytes / (double)tree.count);
  nftw(tree.path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return 0;
}
