/* SPDX-License-Identifier: MIT
 *
 * A catalogue reads the beginning of each file; check reads all of it. Findings of discovery about files and folders
 * are kept, those about the text are replaced by the findings of the whole file.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/check/check.h"
#include "document/diagnostic.h"
#include "source/notes.h"
#include "util/alloc.h"
#include "util/file.h"

/* --- files -------------------------------------------------------------------------------------------------------- */

static bool is_markdown(const char *path) {
  size_t length = path ? strlen(path) : 0;
  return length > 3 && !strcasecmp(path + length - 3, ".md");
}

static int add_file(struct check *check, const char *path) {
  if (!is_markdown(path)) return 0;
  if (SKILL__GROW(check->files, check->file_room, check->file_count + 1)) return SKILL_ENOMEM;
  check->files[check->file_count++] = (struct check_file){.path = path};
  return 0;
}

static int compare_files(const void *a, const void *b) {
  return strcmp(((const struct check_file *)a)->path, ((const struct check_file *)b)->path);
}

/* Whether the finding is about a skill file, including one that another skill of that name replaced. */
static bool about_a_skill(const SkillDiagnostic *d) {
  static const enum skill__note notes[] = {SKILL__NOTE_SHADOWED, SKILL__NOTE_DUPLICATE_NAME, SKILL__NOTE_FILE_NAME_CASE,
                                           SKILL__NOTE_NAME_CHANGED, SKILL__NOTE_KEPT_LAST_GOOD};
  for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
    if (skill__note_is(d, notes[i])) return true;
  }
  return skill__code_find(d->code) != SKILL__CODE_COUNT;
}

static int list_files(struct check *check) {
  const SkillRegistry *registry = check->catalog.registry;
  const SkillSyncReport *report = check->catalog.report;
  int status = 0;
  for (Skill *skill = skill_registry_next(registry, NULL); skill && !status;
       skill = skill_registry_next(registry, skill)) {
    status = add_file(check, skill_metadata(skill)->path);
  }
  for (size_t i = 0; i < report->diagnostic_count && !status; i++) {
    const SkillDiagnostic *d = &report->diagnostics[i];
    if (about_a_skill(d)) status = add_file(check, d->path);
  }
  if (check->file_count) qsort(check->files, check->file_count, sizeof *check->files, compare_files);
  size_t to = 0;
  for (size_t i = 0; i < check->file_count; i++) {
    if (to && !strcmp(check->files[i].path, check->files[to - 1].path)) continue;
    check->files[to++] = check->files[i];
  }
  check->file_count = to;
  return status;
}

/* The name of the folder that the file is in. */
static const char *name_folder(struct check *check, const char *path) {
  const char *end = strrchr(path, '/');
  char *dir = end ? skill__arena_strndup(&check->arena, path, (size_t)(end - path)) : NULL;
  if (end && !dir) return NULL;
  const char *slash = dir ? strrchr(dir, '/') : NULL;
  const char *leaf = dir ? dir : ".";
  if (slash) leaf = slash + 1;
  if (*leaf && strcmp(leaf, ".") != 0 && strcmp(leaf, "..") != 0) return leaf;
  char real[PATH_MAX];
  if (!realpath(dir && *dir ? dir : ".", real)) return NULL;
  leaf = strrchr(real, '/') + 1;
  return *leaf ? skill__arena_strdup(&check->arena, leaf) : NULL;
}

static int choose_options(struct check *check, struct check_file *file) {
  const char *leaf = strrchr(file->path, '/');
  leaf = leaf ? leaf + 1 : file->path;
  file->options = (SkillDocumentOptions){
      .size = sizeof file->options, .path = file->path, .strict = check->strict, .describe_from_body = check->describe};
  if (!strcasecmp(leaf, "skill.md")) {
    file->options.folder = name_folder(check, file->path);
  } else {
    file->options.kind = SKILL_DOCUMENT_SINGLE;
    file->options.stem = skill__arena_strndup(&check->arena, leaf, strlen(leaf) - 3);
    if (!file->options.stem) return SKILL_ENOMEM;
  }
  return 0;
}

/* --- findings ----------------------------------------------------------------------------------------------------- */

static int add_finding(struct check *check, const SkillDiagnostic *d) {
  if (SKILL__GROW(check->findings, check->room, check->count + 1)) return SKILL_ENOMEM;
  check->findings[check->count++] = *d;
  return 0;
}

static int add_from_document(struct check *check, struct check_file *file, const SkillDocument *document) {
  const SkillDiagnostic *items = NULL;
  size_t count = skill_document_diagnostics(document, &items);
  int status = 0;
  file->listed = !skill_document_metadata(document)->unlisted;
  file->derived = skill_document_metadata(document)->description_derived;
  for (size_t i = 0; i < count && !status; i++) {
    SkillDiagnostic d = items[i];
    d.path = file->path;
    d.message = skill__arena_strdup(&check->arena, items[i].message);
    status = d.message ? add_finding(check, &d) : SKILL_ENOMEM;
  }
  return status;
}

/* 1 if the file cannot be read again; then the findings of discovery are kept. */
static int examine(struct check *check, struct check_file *file) {
  char *text = NULL;
  size_t length = 0;
  SkillDocument *document = NULL;
  int status = choose_options(check, file);
  if (!status) status = skill__file_load(skill_io_posix(), file->path, SKILL_MAX_FILE, &text, &length, NULL);
  if (!status) status = skill_document_parse(text, length, &file->options, &document, NULL);
  if (!status) status = add_from_document(check, file, document);
  skill_document_free(document);
  skill__free(text);
  if (status == SKILL_ENOMEM) return status;
  return status ? 1 : 0;
}

static bool was_examined(const struct check *check, const char *path, const bool *read) {
  struct check_file key = {.path = path ? path : ""};
  const struct check_file *found =
      check->file_count ? bsearch(&key, check->files, check->file_count, sizeof key, compare_files) : NULL;
  return found && read[found - check->files];
}

static int keep_discoveries(struct check *check, const bool *read) {
  const SkillSyncReport *report = check->catalog.report;
  int status = 0;
  for (size_t i = 0; i < report->diagnostic_count && !status; i++) {
    const SkillDiagnostic *d = &report->diagnostics[i];
    bool of_text = skill__code_find(d->code) != SKILL__CODE_COUNT;
    if (!of_text || !was_examined(check, d->path, read)) status = add_finding(check, d);
  }
  return status;
}

static int compare_findings(const void *a, const void *b) {
  const SkillDiagnostic *x = a;
  const SkillDiagnostic *y = b;
  int order = strcmp(x->path ? x->path : "", y->path ? y->path : "");
  if (!order) order = (x->line > y->line) - (x->line < y->line);
  if (!order) order = (x->column > y->column) - (x->column < y->column);
  return order ? order : strcmp(x->code, y->code);
}

int check_gather(struct check *check) {
  int status = list_files(check);
  bool *read = skill__calloc(check->file_count + 1, sizeof *read);
  if (!read) status = SKILL_ENOMEM;
  for (size_t i = 0; i < check->file_count && !status; i++) {
    int examined = examine(check, &check->files[i]);
    read[i] = examined == 0;
    if (examined < 0) status = examined;
  }
  if (!status) status = keep_discoveries(check, read);
  if (check->count) qsort(check->findings, check->count, sizeof *check->findings, compare_findings);
  skill__free(read);
  return status;
}

size_t check_count(const struct check *check, SkillLevel level) {
  size_t count = 0;
  for (size_t i = 0; i < check->count; i++) count += check->findings[i].level == level;
  return count;
}

void check_free(struct check *check) {
  cli_catalog_close(&check->catalog);
  skill__free(check->files);
  skill__free(check->findings);
  skill__free(check->pairs);
  skill__arena_fini(&check->arena);
}
