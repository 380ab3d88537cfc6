/* SPDX-License-Identifier: MIT
 *
 * Words -> sources; see place.h.
 */
#include "cli/base/place.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"
#include "util/expand.h"
#include "util/file.h"

enum {
  CATALOG_MAX = 256 * 1024 * 1024, /* bytes of a skills.jsonl or tools/list named on the command line */
  FOUND_MAX = 16 * 1024 * 1024,    /* bytes of one found in a folder; larger files are ignored */
  FOUND_FILES = 2000               /* JSON files of one folder that are read */
};

int cli_places_add(struct cli_places *places, SkillSource *source, SkillError *err) {
  if (SKILL__GROW(places->items, places->capacity, places->count + 1)) {
    skill_source_free(source);
    return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  }
  places->items[places->count++] = source;
  return 0;
}

/* --- a source that cannot be read --------------------------------------------------------------------------------- */

struct broken {
  SkillSource base;
  SkillError why;
  char label[SKILL_MAX_PATH];
};

static int broken_list(SkillSource *source, unsigned flags, SkillListCb cb, void *user, SkillError *err) {
  const struct broken *broken = source->impl;
  const SkillDiagnostic why = {.level = SKILL_LEVEL_ERROR,
                               .code = "input-unreadable",
                               .path = broken->label,
                               .line = broken->why.line,
                               .column = broken->why.column,
                               .message = broken->why.message,
                               .fix = "name a folder of skills, a .md, a skills.jsonl or a recorded tools/list"};
  (void)flags;
  (void)err;
  return cb(NULL, NULL, 0, &why, 1, user);
}

static void broken_free(SkillSource *source) {
  skill__free(source->impl);
}

/* It lists no skill, so only list() is called. */
static int add_broken(struct cli_places *places, const char *path, const SkillError *why, SkillError *err) {
  struct broken *broken = skill__calloc(1, sizeof *broken);
  if (!broken) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  snprintf(broken->label, sizeof broken->label, "%s", path);
  broken->why = *why;
  broken->base = (SkillSource){.version = SKILL_SOURCE_VERSION,
                               .label = broken->label,
                               .impl = broken,
                               .list = broken_list,
                               .free = broken_free};
  return cli_places_add(places, &broken->base, err);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text);
  size_t tail = strlen(end);
  return length >= tail && !strcasecmp(text + length - tail, end);
}

static int open_catalog(const char *path, uint64_t most, SkillSource **out, SkillError *err) {
  char *text = NULL;
  size_t length = 0;
  int status = skill__file_load(skill_io_posix(), path, most, &text, &length, err);
  if (!status) status = skill_source_catalog_new(path, NULL, text, length, out, err);
  skill__free(text);
  return status;
}

static int add_catalog(struct cli_places *places, const char *path, SkillError *err) {
  SkillError why = SKILL_ERROR_INIT;
  SkillSource *source = NULL;
  int status = open_catalog(path, CATALOG_MAX, &source, &why);
  if (status == SKILL_ENOMEM) return skill_error_set(err, status, "out of memory");
  return status ? add_broken(places, path, &why, err) : cli_places_add(places, source, err);
}

/* --- folders ------------------------------------------------------------------------------------------------------ */

static int add_directory(struct cli_places *places, const char *path, const struct cli_catalog_options *options,
                         SkillError *err) {
  SkillDirectoryOptions directory = SKILL_DIRECTORY_OPTIONS_INIT;
  SkillSource *source = NULL;
  directory.path = path;
  directory.lite = options->lite;
  directory.links = options->links;
  directory.strict = options->strict;
  directory.describe_from_body = options->describe_from_body;
  directory.survey = options->survey;
  char real[PATH_MAX];
  bool dots = ends_with(path, "."); /* "." and ".." are not the folder's name */
  const char *slash = dots && realpath(path, real) ? strrchr(real, '/') : NULL;
  if (slash && slash[1]) directory.folder = slash + 1;
  int status = skill_source_directory_new(&directory, &source, err);
  return status ? status : cli_places_add(places, source, err);
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_if_json(const char *folder, const SkillDirEntry *entry, char ***names, size_t *count, size_t *capacity) {
  bool lines = !strcmp(entry->name, "skills.jsonl");
  if (entry->kind == SKILL_FILE_FOLDER || (!lines && !ends_with(entry->name, ".json"))) return 0;
  size_t length = strlen(folder);
  size_t size = length + strlen(entry->name) + 2;
  char *path = skill__malloc(size);
  if (!path || SKILL__GROW(*names, *capacity, *count + 1)) {
    skill__free(path);
    return SKILL_ENOMEM;
  }
  snprintf(path, size, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/", entry->name);
  (*names)[(*count)++] = path;
  return 0;
}

/* Adds the JSON files directly in a folder that are catalogues; other JSON files are ignored. */
static int add_found(struct cli_places *places, const char *folder, SkillError *err) {
  SkillIo *io = skill_io_posix();
  SkillDirEntry entry;
  intptr_t dir;
  char **names = NULL;
  size_t count = 0;
  size_t capacity = 0;
  int status = 0;
  if (io->dir_open(io, SKILL_IO_CWD, folder, SKILL_IO_FOLLOW, &dir)) return 0;
  while (!status && count < FOUND_FILES && io->dir_next(io, dir, &entry) == 1) {
    status = add_if_json(folder, &entry, &names, &count, &capacity);
  }
  io->dir_close(io, dir);
  if (count) qsort(names, count, sizeof *names, by_text);
  for (size_t i = 0; i < count; i++) {
    SkillSource *source = NULL;
    int opened = status ? status : open_catalog(names[i], FOUND_MAX, &source, NULL);
    if (!opened) status = cli_places_add(places, source, err);
    if (opened == SKILL_ENOMEM) status = opened;
    skill__free(names[i]);
  }
  skill__free(names);
  return status ? skill_error_set(err, status, "out of memory") : 0;
}

static int add_there(struct cli_places *places, const char *path, const struct cli_catalog_options *options,
                     SkillError *err) {
  int kind = cli_path_kind(path);
  if (kind == SKILL_FILE_REGULAR && !ends_with(path, ".md")) return add_catalog(places, path, err);
  int status = add_directory(places, path, options, err);
  if (!status && kind == SKILL_FILE_FOLDER) status = add_found(places, path, err);
  return status;
}

static const char *variable(const char *name) {
  return getenv(name);
}

/* A word begins with "~" or "$" if no shell expanded it, for example in the settings of another program. A file with
 * exactly that name wins. */
int cli_places_word(struct cli_places *places, const char *word, const struct cli_catalog_options *options,
                    SkillError *err) {
  SkillError why = SKILL_ERROR_INIT;
  char path[SKILL_MAX_PATH];
  if (!*word) return skill_error_set(err, SKILL_EINVAL, "the name of a folder is empty");
  bool as_it_is = (word[0] != '~' && word[0] != '$') || !skill__expandable(word) || cli_path_kind(word) >= 0;
  if (as_it_is) return add_there(places, word, options, err);
  if (skill__expand(word, variable, path, sizeof path, &why)) return add_broken(places, word, &why, err);
  return add_there(places, path, options, err);
}

/* --- the usual places --------------------------------------------------------------------------------------------- */

static const char *const usual[] = {"skills",          ".skillet/skills",   ".claude/skills",
                                    ".agents/skills",  "~/.skillet/skills", "~/.claude/skills",
                                    "~/.agents/skills"};

const char *cli_places_text(void) {
  return "$SKILLET_SKILLS, skills, .skillet/skills, .claude/skills, .agents/skills, and the last three below ~";
}

static int add_if_there(struct cli_places *places, const char *path, const struct cli_catalog_options *options,
                        SkillError *err) {
  return cli_path_kind(path) < 0 ? 0 : cli_places_word(places, path, options, err);
}

static int add_listed(struct cli_places *places, const char *list, const struct cli_catalog_options *options,
                      SkillError *err) {
  char *copy = skill__strdup(list);
  char *save = NULL;
  int status = copy ? 0 : skill_error_set(err, SKILL_ENOMEM, "out of memory");
  for (char *one = copy ? strtok_r(copy, ":", &save) : NULL; one && !status; one = strtok_r(NULL, ":", &save)) {
    status = cli_places_word(places, one, options, err);
  }
  skill__free(copy);
  return status;
}

int cli_places_usual(struct cli_places *places, const struct cli_catalog_options *options, SkillError *err) {
  const char *home = getenv("HOME");
  const char *listed = getenv("SKILLET_SKILLS");
  char path[PATH_MAX];
  int status = 0;
  if (listed && *listed) return add_listed(places, listed, options, err);
  for (size_t i = 0; !status && i < sizeof usual / sizeof *usual; i++) {
    if (usual[i][0] != '~') {
      status = add_if_there(places, usual[i], options, err);
    } else if (home && *home && snprintf(path, sizeof path, "%s%s", home, usual[i] + 1) < (int)sizeof path) {
      status = add_if_there(places, path, options, err);
    }
  }
  return status;
}
