/* SPDX-License-Identifier: MIT
 *
 * Saved indexes of `skillet find`. FILE.text is a line with the stamp, then a line for each skill: its name, a tab, its
 * description with line ends and tabs as spaces. It is written after the index: if only one of the two could be
 * written, their stamps differ, and both are made again.
 */
#include "cli/base/saved.h"

#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/alloc.h"
#include "util/file.h"
#include "util/hash.h"

#define TEXT_HEAD "skillet descriptions 1 "

/* --- stamp -------------------------------------------------------------------------------------------------------- */

static bool read_by_scans(const char *name) {
  static const char *const ends[] = {".md", ".json", ".jsonl", ".yaml", ".yml"};
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t n = strlen(ends[i]);
    if (length > n && strcmp(name + length - n, ends[i]) == 0) return true;
  }
  return false;
}

static uint64_t file_stamp(const FTSENT *entry) {
  struct {
    uint64_t path, size, seconds, nanoseconds;
  } what = {skill__hash_bytes(entry->fts_path, entry->fts_pathlen), (uint64_t)entry->fts_statp->st_size,
            (uint64_t)entry->fts_statp->st_mtim.tv_sec, (uint64_t)entry->fts_statp->st_mtim.tv_nsec};
  return skill__hash_bytes(&what, sizeof what);
}

/* A sum, so that the order in which a folder lists its files does not matter. */
static uint64_t tree_stamp(const char *path, bool follow) {
  char *copy = skill__strndup(path, strlen(path));
  char *const paths[] = {copy, NULL};
  FTS *tree = copy ? fts_open(paths, FTS_NOCHDIR | (follow ? FTS_LOGICAL : FTS_PHYSICAL | FTS_COMFOLLOW), NULL) : NULL;
  uint64_t sum = 0;
  for (FTSENT *entry = tree ? fts_read(tree) : NULL; entry; entry = fts_read(tree)) {
    bool below = entry->fts_level > 0;
    if (entry->fts_info == FTS_D && below &&
        (strcmp(entry->fts_name, ".git") == 0 || strcmp(entry->fts_name, "node_modules") == 0))
      fts_set(tree, entry, FTS_SKIP);
    bool file = entry->fts_info == FTS_F || entry->fts_info == FTS_SL || entry->fts_info == FTS_SLNONE;
    if (file && (!below || entry->fts_info != FTS_F || read_by_scans(entry->fts_name))) sum += file_stamp(entry);
  }
  if (tree) fts_close(tree);
  skill__free(copy);
  return sum;
}

uint64_t cli_saved_stamp(const struct cli_list *dirs, const struct cli_catalog_words *words) {
  const char *const given[] = {words->lite, words->links, words->duplicates};
  bool follow = words->links && strcmp(words->links, "anywhere") == 0;
  uint64_t stamp = words->strict + 2u * words->describe;
  for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
    uint64_t of = given[i] ? skill__hash_bytes(given[i], strlen(given[i])) : 0;
    stamp = (stamp ^ of) * 0x9e3779b97f4a7c15u;
  }
  for (size_t i = 0; i < dirs->count; i++) { /* their order is their precedence */
    uint64_t of = skill__hash_bytes(dirs->items[i], strlen(dirs->items[i])) + tree_stamp(dirs->items[i], follow);
    stamp = (stamp ^ of) * 0x9e3779b97f4a7c15u;
  }
  return stamp ? stamp : 1;
}

/* --- descriptions ------------------------------------------------------------------------------------------------- */

static int beside(const char *path, char out[SKILL_MAX_PATH + 1], SkillError *err) {
  int n = snprintf(out, SKILL_MAX_PATH + 1, "%s.text", path);
  return n > SKILL_MAX_PATH ? skill_error_set(err, SKILL_ELIMIT, "the path of the index is too long") : 0;
}

static void add_line(struct skill__buf *buf, const char *text) {
  for (; *text; text++) skill__buf_char(buf, (unsigned char)*text < ' ' ? ' ' : *text);
}

int cli_saved_write(SkillRegistry *registry, const char *path, uint64_t stamp, SkillError *err) {
  char text[SKILL_MAX_PATH + 1];
  struct skill__buf buf;
  int status = beside(path, text, err);
  if (status) return status;
  skill__buf_init(&buf, CLI_SAVED_TEXT_MAX);
  skill__buf_printf(&buf, TEXT_HEAD "%016" PRIx64 "\n", stamp);
  for (Skill *skill = skill_registry_next(registry, NULL); skill; skill = skill_registry_next(registry, skill)) {
    const SkillMetadata *metadata = skill_metadata(skill);
    add_line(&buf, metadata->name);
    skill__buf_char(&buf, '\t');
    add_line(&buf, metadata->description ? metadata->description : "");
    skill__buf_char(&buf, '\n');
  }
  status = buf.status ? skill_error_set(err, buf.status, "index: %s", skill_strerror(buf.status))
                      : skill_ranker_save(skill_registry_ranker(registry), path, stamp, err);
  if (!status && skill_io_posix()->file_write(skill_io_posix(), SKILL_IO_CWD, text, buf.data, buf.length))
    status = skill_error_set_at(err, SKILL_EIO, text, 0, 0, "cannot be written");
  skill__buf_fini(&buf);
  return status;
}

/* Reads FILE.text. Returns its stamp, or 0 if it cannot be read. */
static uint64_t read_text(const char *path, struct cli_saved *saved) {
  char text[SKILL_MAX_PATH + 1];
  const size_t head = strlen(TEXT_HEAD);
  uint64_t stamp = 0;
  if (beside(path, text, NULL)) return 0;
  int status = skill__file_load(skill_io_posix(), text, CLI_SAVED_TEXT_MAX, &saved->text, &saved->length, NULL);
  if (!status && strncmp(saved->text, TEXT_HEAD, head) == 0) stamp = strtoull(saved->text + head, NULL, 16);
  if (stamp) return stamp;
  skill__free(saved->text);
  saved->text = NULL;
  return 0;
}

const char *cli_saved_description(const struct cli_saved *saved, const char *name, size_t *length) {
  struct skill__buf key;
  const char *found = NULL;
  if (!saved->text) return NULL;
  skill__buf_init(&key, SKILL_MAX_NAME + 16);
  skill__buf_char(&key, '\n');
  add_line(&key, name);
  skill__buf_char(&key, '\t');
  if (!key.status) found = memmem(saved->text, saved->length, key.data, key.length);
  if (found) found += key.length;
  skill__buf_fini(&key);
  *length = found ? strcspn(found, "\n") : 0;
  return found;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

int cli_saved_open(const SkillRankerOptions *options, const char *path, uint64_t stamp, struct cli_saved *out,
                   SkillError *err) {
  memset(out, 0, sizeof *out);
  uint64_t carried = read_text(path, out);
  int status = skill_ranker_open(options, path, stamp ? stamp : carried, &out->ranker, err);
  if (!status && stamp && carried != stamp)
    status = skill_error_set_at(err, SKILL_EPARSE, path, 0, 0, "has no descriptions beside it");
  if (status) cli_saved_close(out);
  return status;
}

void cli_saved_close(struct cli_saved *saved) {
  skill_ranker_free(saved->ranker);
  skill__free(saved->text);
  memset(saved, 0, sizeof *saved);
}
