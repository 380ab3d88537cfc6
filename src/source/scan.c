/* SPDX-License-Identifier: MIT
 *
 * One scan of a directory source: finds and walks the root, keeps the entries that cannot be read now, and replaces the
 * list.
 *
 * If memory is out, the last list is kept. A root that cannot be read now keeps its last list, with a note.
 */
#include <stdlib.h>
#include <string.h>

#include "source/directory.h"
#include "util/alloc.h"

/* --- committing a scan -------------------------------------------------------------------------------------------- */

static int compare_listing(const void *a, const void *b) {
  const struct skill__scan_entry *left = *(struct skill__scan_entry *const *)a;
  const struct skill__scan_entry *right = *(struct skill__scan_entry *const *)b;
  if (!left->metadata || !right->metadata) {
    if (!left->metadata != !right->metadata) return left->metadata ? -1 : 1;
    return strcmp(left->rel, right->rel);
  }
  int order = strcmp(left->metadata->name, right->metadata->name);
  if (!order) order = (left->depth > right->depth) - (left->depth < right->depth);
  if (!order) order = (int)left->kind - (int)right->kind;
  return order ? order : strcmp(left->rel, right->rel);
}

static int compare_rel(const void *a, const void *b) {
  return strcmp((*(struct skill__scan_entry *const *)a)->rel, (*(struct skill__scan_entry *const *)b)->rel);
}

static bool lies_below(const char *rel, const char *folder) {
  size_t length = strlen(folder);
  return !length || (!strncmp(rel, folder, length) && (rel[length] == '/' || !rel[length]));
}

/* Keeps the entries of what could not be read this time. */
static int carry_over(struct skill__scan *scan) {
  for (size_t i = 0; scan->kept.count && i < scan->source->count; i++) {
    struct skill__scan_entry *entry = scan->source->entries[i];
    bool keep = false;
    for (size_t k = 0; !keep && k < scan->kept.count; k++) keep = lies_below(entry->rel, scan->kept.items[k]);
    if (!keep || entry->seen == scan->number) continue;
    if (SKILL__GROW(scan->entries, scan->capacity, scan->count + 1)) return SKILL_ENOMEM;
    scan->entries[scan->count++] = entry;
    entry->seen = scan->number;
  }
  return 0;
}

/* A walk finds most entries in order, a second one nearly all. */
static void sort_entries(struct skill__scan_entry **entries, size_t count, int (*compare)(const void *, const void *)) {
  size_t sorted = 1;
  while (sorted < count && compare(&entries[sorted - 1], &entries[sorted]) <= 0) sorted++;
  if (sorted < count) qsort(entries, count, sizeof *entries, compare);
}

/* Replaces the list; the only step that can fail comes first. */
static int commit(struct skill__scan *scan) {
  struct skill__directory *source = scan->source;
  struct skill__scan_entry **by_rel = skill__malloc((scan->count + 1) * sizeof(struct skill__scan_entry *));
  if (!by_rel) return SKILL_ENOMEM;
  for (size_t i = 0; i < source->count; i++) {
    if (source->entries[i]->seen != scan->number) skill__scan_entry_free(source->entries[i]);
  }
  skill__free(source->entries);
  skill__free(source->by_rel);
  source->entries = scan->entries;
  source->by_rel = by_rel;
  source->count = scan->count;
  if (scan->count) {
    memcpy(by_rel, scan->entries, scan->count * sizeof *by_rel);
    sort_entries(by_rel, scan->count, compare_rel);
    sort_entries(source->entries, scan->count, compare_listing);
  }
  source->skills = 0;
  while (source->skills < source->count && source->entries[source->skills]->metadata) source->skills++;
  skill__notes_fini(&source->notes);
  source->notes = scan->notes;
  if (!scan->kept.count) { /* else folders that could not be read must stay watched */
    skill__strings_fini(&source->folders);
    source->folders = scan->folders;
    memset(&scan->folders, 0, sizeof scan->folders);
  }
  source->scan = scan->number;
  source->bytes_read = scan->bytes_read;
  return 0;
}

static void discard(struct skill__scan *scan) {
  for (size_t i = 0; i < scan->count; i++) {
    if (scan->entries[i]->created == scan->number) skill__scan_entry_free(scan->entries[i]);
  }
  skill__free(scan->entries);
  skill__notes_fini(&scan->notes);
}

/* --- the root ----------------------------------------------------------------------------------------------------- */

/* Decides whether the configured path is a folder or a single file. */
static int find_root(struct skill__directory *source) {
  SkillIo *io = skill__directory_io(source);
  SkillFileInfo info;
  const char *path = source->options.path;
  int status = io->stat(io, SKILL_IO_CWD, path, SKILL_IO_FOLLOW, &info);
  if (status) return status;
  const char *slash = info.kind == SKILL_FILE_REGULAR ? strrchr(path, '/') : NULL;
  const char *leaf = slash ? slash + 1 : path;
  bool file = info.kind == SKILL_FILE_REGULAR;
  if (!file && info.kind != SKILL_FILE_FOLDER) return SKILL_EINVAL;
  size_t length = file ? (slash ? (size_t)(slash - path) + (slash == path) : 0) : strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  if (!file && length == 1 && path[0] == '.') length = 0;
  char *base = skill__strndup(path, length);
  char *only = file ? skill__strdup(leaf) : NULL;
  if (!base || (file && !only)) {
    skill__free(base);
    skill__free(only);
    return SKILL_ENOMEM;
  }
  skill__free(source->base_path);
  skill__free(source->only);
  source->base_path = base;
  source->only = only;
  return 0;
}

static void note_root(struct skill__scan *scan, int status) {
  struct skill__directory *source = scan->source;
  const char *path = source->options.path;
  const char *kept = source->scan ? "; its last known skills are kept" : "";
  if (status == SKILL_ENOENT && strchr(path, '\\')) {
    skill__notes_add(&scan->notes, SKILL__NOTE_ROOT_SEPARATOR, path,
                     "there is no such folder; a backslash does not separate folders here%s", kept);
  } else if (status == SKILL_ENOENT) {
    skill__notes_add(&scan->notes, source->scan ? SKILL__NOTE_ROOT_VANISHED : SKILL__NOTE_ROOT_MISSING, path,
                     "there is no such folder or file (ENOENT)%s", kept);
  } else if (status == SKILL_EDENIED) {
    skill__notes_add(&scan->notes, SKILL__NOTE_ROOT_DENIED, path, "cannot be read: permission denied (EACCES)%s", kept);
  } else {
    const char *why = status == SKILL_EINVAL ? "neither a folder nor a regular file" : skill_strerror(status);
    skill__notes_add(&scan->notes, SKILL__NOTE_ROOT_UNREADABLE, path, "cannot be read: %s%s", why, kept);
  }
}

static int scan_root(struct skill__scan *scan) {
  struct skill__directory *source = scan->source;
  int status = find_root(source);
  if (!status) status = skill__directory_root(source, &scan->root, NULL);
  if (status == SKILL_ENOMEM) return status;
  if (status) {
    note_root(scan, status);
    return skill__scan_keep(scan, "");
  }
  size_t top = strlen(source->base_path);
  if (top < SKILL_MAX_PATH) {
    memcpy(scan->path, source->base_path, top + 1);
    scan->top = top;
    scan->base = top + (top && source->base_path[top - 1] != '/');
    status = skill__scan_walk(scan);
  } else {
    note_root(scan, SKILL_ELIMIT);
  }
  scan->io->dir_close(scan->io, scan->root);
  return status;
}

int skill__directory_scan(struct skill__directory *source, SkillError *err) {
  struct skill__scan scan = {.source = source, .io = skill__directory_io(source), .number = ++source->attempts};
  int status = SKILL_ENOMEM;
  scan.path = skill__malloc(SKILL_MAX_PATH + 1);
  if (scan.path) status = scan_root(&scan);
  if (!status) status = carry_over(&scan);
  if (!status) status = scan.notes.status;
  if (!status) status = commit(&scan);
  if (status) discard(&scan);
  skill__strings_fini(&scan.kept);
  skill__strings_fini(&scan.folders);
  skill__free(scan.path);
  skill__free(scan.buffer);
  return status ? skill_error_set(err, status, "scanning '%s': %s", source->options.path, skill_strerror(status)) : 0;
}

/* The entry that SkillMetadata.path names. */
int skill__directory_entry(struct skill__directory *source, const char *path, struct skill__scan_entry **out,
                           SkillError *err) {
  if (!source->scan) {
    int status = skill__directory_scan(source, err);
    if (status) return status;
  }
  size_t top = source->base_path ? strlen(source->base_path) : 0;
  const char *rel = path;
  if (top && !strncmp(path, source->base_path, top)) {
    rel = path + top;
    while (*rel == '/') rel++;
  }
  *out = skill__directory_find(source, rel, NULL);
  if (*out && (*out)->metadata && !strcmp((*out)->path, path)) return 0;
  return skill_error_set(err, SKILL_ENOENT, "'%s' is not a skill of %s", path, source->base.label);
}
