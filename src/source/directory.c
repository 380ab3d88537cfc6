/* SPDX-License-Identifier: MIT
 *
 * The directory source: a root of skill folders and single files.
 *
 * Listing scans first. A scan that runs out of memory leaves the list of the scan before; a root that was there and
 * cannot be read now keeps its last list, and a note says so. Bodies are read from disk each time they are asked for.
 */
#include "source/directory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/resolve.h"
#include "util/alloc.h"

/* --- committing a scan ---------------------------------------------------------------------------------------------
 */

static int compare_listing(const void *a, const void *b) {
  const struct skill__entry *left = *(struct skill__entry *const *)a;
  const struct skill__entry *right = *(struct skill__entry *const *)b;
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
  return strcmp((*(struct skill__entry *const *)a)->rel, (*(struct skill__entry *const *)b)->rel);
}

struct skill__entry *skill__directory_find(const struct skill__directory *source, const char *rel, size_t *hint) {
  size_t low = 0;
  size_t high = source->count;
  if (hint && *hint < high && !strcmp(source->by_rel[*hint]->rel, rel)) return source->by_rel[(*hint)++];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(source->by_rel[middle]->rel, rel);
    if (!order) {
      if (hint) *hint = middle + 1;
      return source->by_rel[middle];
    }
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return NULL;
}

static bool lies_below(const char *rel, const char *folder) {
  size_t length = strlen(folder);
  return !length || (!strncmp(rel, folder, length) && (rel[length] == '/' || !rel[length]));
}

/* Takes over what could not be looked at this time. */
static int carry_over(struct skill__scan *scan) {
  for (size_t i = 0; scan->kept.count && i < scan->source->count; i++) {
    struct skill__entry *entry = scan->source->entries[i];
    bool keep = false;
    for (size_t k = 0; !keep && k < scan->kept.count; k++) keep = lies_below(entry->rel, scan->kept.items[k]);
    if (!keep || entry->seen == scan->number) continue;
    if (SKILL__GROW(scan->entries, scan->capacity, scan->count + 1)) return SKILL_ENOMEM;
    scan->entries[scan->count++] = entry;
    entry->seen = scan->number;
  }
  return 0;
}

/* A walk finds most in the order that is wanted, and a second one almost all. */
static void sort_entries(struct skill__entry **entries, size_t count, int (*compare)(const void *, const void *)) {
  size_t sorted = 1;
  while (sorted < count && compare(&entries[sorted - 1], &entries[sorted]) <= 0) sorted++;
  if (sorted < count) qsort(entries, count, sizeof *entries, compare);
}

/* Replaces the list; the only step that can fail comes first. */
static int commit(struct skill__scan *scan) {
  struct skill__directory *source = scan->source;
  struct skill__entry **by_rel = skill__malloc((scan->count + 1) * sizeof(struct skill__entry *));
  if (!by_rel) return SKILL_ENOMEM;
  for (size_t i = 0; i < source->count; i++) {
    if (source->entries[i]->seen != scan->number) skill__entry_free(source->entries[i]);
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
  if (!scan->kept.count) { /* a folder that could not be read now is watched on */
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
    if (scan->entries[i]->created == scan->number) skill__entry_free(scan->entries[i]);
  }
  skill__free(scan->entries);
  skill__notes_fini(&scan->notes);
}

/* --- the root -------------------------------------------------------------------------------------------------------
 */

SkillIo *skill__directory_io(const struct skill__directory *source) {
  return source->options.io ? source->options.io : skill_io_posix();
}

/* A configured root is always resolved, links and all: it is the user's word. */
int skill__directory_root(struct skill__directory *source, intptr_t *root, SkillError *err) {
  SkillIo *io = skill__directory_io(source);
  const char *path = source->base_path[0] ? source->base_path : ".";
  int status = io->dir_open(io, SKILL_IO_CWD, path, SKILL_IO_FOLLOW, root);
  if (!status) return 0;
  return skill_error_set_at(err, status, path, 0, 0, "the folder cannot be opened: %s", skill_strerror(status));
}

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
  const char *kept = source->scan ? "; its last known skills stay" : "";
  if (status == SKILL_ENOENT && strchr(path, '\\')) {
    skill__notes_add(&scan->notes, SKILL_LEVEL_ERROR, "root-separator", path, "write / between folders",
                     "there is no such folder; a backslash is no separator here%s", kept);
  } else if (status == SKILL_ENOENT) {
    skill__notes_add(&scan->notes, SKILL_LEVEL_WARNING, source->scan ? "root-vanished" : "root-missing", path,
                     "check the path, or make the folder", "there is no such folder or file (ENOENT)%s", kept);
  } else if (status == SKILL_EDENIED) {
    skill__notes_add(&scan->notes, SKILL_LEVEL_ERROR, "root-unreadable", path, "give read permission to it",
                     "cannot be read: permission denied (EACCES)%s", kept);
  } else {
    skill__notes_add(&scan->notes, SKILL_LEVEL_ERROR, "root-unreadable", path, "name a folder of skills or a .md file",
                     "cannot be read: %s%s", skill_strerror(status), kept);
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

/* --- the five questions
 * ----------------------------------------------------------------------------------------------- */

/* The entry that SkillMetadata.path names. */
int skill__directory_entry(struct skill__directory *source, const char *path, struct skill__entry **out,
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
  return skill_error_set(err, SKILL_ENOENT, "'%s' is no skill of %s", path, source->base.label);
}

int skill__directory_open(struct skill__directory *source, const char *rel, intptr_t *file, SkillError *err) {
  SkillIo *io = skill__directory_io(source);
  intptr_t root;
  int status = skill__directory_root(source, &root, err);
  if (status) return status;
  SkillLinks links = source->only ? SKILL_LINKS_ANYWHERE : source->options.links;
  const struct skill__resolve at = {io, root, links, ""};
  status = skill__resolve_file(&at, rel, file, err);
  io->dir_close(io, root);
  return status;
}

/* Reads a skill's file, at most `most` bytes of it; `whole` tells whether that is all. Owned: skill__free. */
static int read_file(struct skill__directory *source, const struct skill__entry *entry, size_t most, char **text,
                     size_t *length, bool *whole, SkillError *err) {
  SkillIo *io = skill__directory_io(source);
  SkillFileInfo info;
  intptr_t file;
  int status = skill__directory_open(source, entry->rel, &file, err);
  if (status) return status;
  char *data = NULL;
  status = io->file_info(io, file, &info);
  if (!status && info.size > SKILL_MAX_FILE && most >= SKILL_MAX_FILE) {
    status = skill_error_set_at(err, SKILL_ELIMIT, entry->path, 0, 0,
                                "the file has %llu bytes; above %d it is not read; move what is long into resources",
                                (unsigned long long)info.size, SKILL_MAX_FILE);
  }
  size_t room = info.size < most ? (size_t)info.size : most;
  if (!status && !(data = skill__malloc(room + 1))) status = SKILL_ENOMEM;
  if (!status) status = io->file_read(io, file, 0, data, room, length);
  io->file_close(io, file);
  if (status) {
    skill__free(data);
    return skill_error_set_at(err, status, entry->path, 0, 0, "cannot be read: %s", skill_strerror(status));
  }
  *text = data;
  *whole = room == info.size;
  return 0;
}

static int parse_file(struct skill__directory *source, const struct skill__entry *entry, size_t most,
                      SkillDocument **out, SkillError *err) {
  char *text = NULL;
  size_t length = 0;
  bool whole = false;
  int status = read_file(source, entry, most, &text, &length, &whole, err);
  if (status) return status;
  SkillDocumentOptions options = {.size = sizeof options,
                                  .kind = entry->kind,
                                  .path = entry->path,
                                  .stem = entry->metadata->name,
                                  .folder = entry->metadata->name,
                                  .strict = source->options.strict,
                                  .describe_from_body = source->options.describe_from_body,
                                  .prefix_only = !whole};
  status = skill_document_parse(text, length, &options, out, err);
  skill__free(text);
  return status;
}

static int directory_metadata(SkillSource *base, const char *path, SkillMetadata **out, SkillError *err) {
  struct skill__entry *entry;
  int status = skill__directory_entry(skill__directory_of(base), path, &entry, err);
  if (status) return status;
  status = skill_metadata_copy(entry->metadata, out);
  return status ? skill_error_set(err, status, "out of memory") : 0;
}

static int directory_body(SkillSource *base, const char *path, char **text, size_t *length, SkillError *err) {
  struct skill__directory *source = skill__directory_of(base);
  struct skill__entry *entry;
  SkillDocument *document = NULL;
  int status = skill__directory_entry(source, path, &entry, err);
  if (!status) status = parse_file(source, entry, SKILL_MAX_FILE, &document, err);
  if (status) return status;
  size_t size;
  const char *body = skill_document_body(document, &size);
  char *copy = skill__strndup(body ? body : "", body ? size : 0);
  skill_document_free(document);
  if (!copy) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  *text = copy;
  *length = body ? size : 0;
  return 0;
}

/* Cuts a body to what ranking wants. */
static size_t cut_characters(const char *text, size_t length) {
  size_t characters = 0;
  for (size_t i = 0; i < length; i++) {
    if (((unsigned char)text[i] & 0xc0) != 0x80 && characters++ == SKILL__LIST_BODY_CHARACTERS) return i;
  }
  return length;
}

int skill__directory_list_body(struct skill__directory *source, const char *path, char **body, size_t *length) {
  struct skill__entry *entry;
  SkillDocument *document = NULL;
  *body = NULL;
  *length = 0;
  int status = skill__directory_entry(source, path, &entry, NULL);
  if (!status) status = parse_file(source, entry, SKILL__LIST_BODY_READ, &document, NULL);
  if (status) return status == SKILL_ENOMEM ? status : 0;
  size_t size = 0;
  const char *text = skill_document_body(document, &size);
  if (text) *length = cut_characters(text, size);
  if (text && !(*body = skill__strndup(text, *length))) status = SKILL_ENOMEM;
  skill_document_free(document);
  return status;
}

static int list_entry(struct skill__directory *source, const struct skill__entry *entry, unsigned flags, SkillListCb cb,
                      void *user) {
  char *body = NULL;
  size_t length = 0;
  int status = 0;
  if ((flags & SKILL_LIST_BODY) && entry->metadata) {
    status = skill__directory_list_body(source, entry->path, &body, &length);
  }
  if (!status) status = cb(entry->metadata, body, length, entry->notes.items, entry->notes.count, user);
  skill__free(body);
  return status;
}

static int directory_list(SkillSource *base, unsigned flags, SkillListCb cb, void *user, SkillError *err) {
  struct skill__directory *source = skill__directory_of(base);
  int status = skill__directory_scan(source, err);
  for (size_t i = 0; !status && i < source->count; i++) {
    const struct skill__entry *entry = source->entries[i];
    if (entry->metadata || entry->notes.count) status = list_entry(source, entry, flags, cb, user);
  }
  if (!status && source->notes.count) status = cb(NULL, NULL, 0, source->notes.items, source->notes.count, user);
  return status;
}

/* The folder `rel` below the base, joined in `out` (SKILL_MAX_PATH + 1 bytes). */
static const char *folder_path(const struct skill__directory *source, const char *rel, size_t length, char *out) {
  const char *base = source->base_path;
  const char *slash = base[0] && base[strlen(base) - 1] != '/' && length ? "/" : "";
  snprintf(out, SKILL_MAX_PATH + 1, "%s%s%.*s", base, slash, (int)length, rel);
  return out[0] ? out : ".";
}

int skill_source_folders(SkillSource *base, SkillFolderCb cb, void *user) {
  struct skill__directory *source = skill__directory_of(base);
  char path[SKILL_MAX_PATH + 1];
  if (!source) return SKILL_EUNSUPPORTED;
  if (!source->base_path) return cb(source->options.path, user);
  int status = cb(folder_path(source, "", 0, path), user);
  for (size_t i = 0; !status && i < source->folders.count; i++) {
    const char *rel = source->folders.items[i];
    if (*rel) status = cb(folder_path(source, rel, strlen(rel), path), user);
  }
  for (size_t i = 0; !status && i < source->count; i++) {
    const char *rel = source->entries[i]->rel;
    const char *slash = source->entries[i]->kind == SKILL_DOCUMENT_FOLDER ? strrchr(rel, '/') : NULL;
    if (slash) status = cb(folder_path(source, rel, (size_t)(slash - rel), path), user);
  }
  return status;
}

/* --- making and freeing
 * ------------------------------------------------------------------------------------------------ */

static void directory_free(SkillSource *base) {
  struct skill__directory *source = skill__directory_of(base);
  for (size_t i = 0; i < source->count; i++) skill__entry_free(source->entries[i]);
  skill__free(source->entries);
  skill__free(source->by_rel);
  skill__notes_fini(&source->notes);
  skill__strings_fini(&source->folders);
  skill__free(source->path);
  skill__free(source->label);
  skill__free(source->folder);
  skill__free(source->base_path);
  skill__free(source->only);
  skill__free(source);
}

struct skill__directory *skill__directory_of(SkillSource *source) {
  return source->free == directory_free ? source->impl : NULL;
}

int skill_source_directory_new(const SkillDirectoryOptions *options, SkillSource **out, SkillError *err) {
  if (!options || options->size != sizeof *options || !options->path || !options->path[0]) {
    return skill_error_set(err, SKILL_EINVAL, "a directory source needs its options and a path");
  }
  if (strlen(options->path) >= SKILL_MAX_PATH) return skill_error_set(err, SKILL_ELIMIT, "the path is too long");
  struct skill__directory *source = skill__calloc(1, sizeof *source);
  if (!source) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  source->options = *options;
  source->options.path = source->path = skill__strdup(options->path);
  source->options.folder = source->folder = skill__strdup(options->folder);
  source->options.label = source->label = skill__strdup(options->label ? options->label : options->path);
  if (!options->max_depth || options->max_depth > SKILL_MAX_DEPTH) source->options.max_depth = SKILL_MAX_DEPTH;
  if (!options->max_skills) source->options.max_skills = 200000;
  source->base = (SkillSource){SKILL_SOURCE_VERSION,
                               source->label,
                               source,
                               directory_list,
                               directory_metadata,
                               directory_body,
                               skill__directory_resources,
                               skill__directory_read,
                               directory_free};
  if (!source->path || !source->label || (options->folder && !source->folder)) {
    directory_free(&source->base);
    return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  }
  *out = &source->base;
  return 0;
}

void skill_source_free(SkillSource *source) {
  if (source && source->free) source->free(source);
}
