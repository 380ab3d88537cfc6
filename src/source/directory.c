/* SPDX-License-Identifier: MIT
 *
 * The directory source: a root of skill folders and single files. Listing scans first (scan.c); a body is read from
 * disk on each call.
 */
#include "source/directory.h"

#include <stdio.h>
#include <string.h>

#include "source/resolve.h"
#include "util/alloc.h"
#include "util/options.h"

/* --- the functions of the source -------------------------------------------------------------------------------- */

/* Reads a skill's file, at most `most` bytes of it; `whole` tells whether that is all. Owned: skill__free. */
static int read_file(struct skill__directory *source, const struct skill__scan_entry *entry, size_t most, char **text,
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

static int parse_file(struct skill__directory *source, const struct skill__scan_entry *entry, size_t most,
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
  struct skill__scan_entry *entry;
  int status = skill__directory_entry(skill__directory_of(base), path, &entry, err);
  if (status) return status;
  status = skill_metadata_copy(entry->metadata, out);
  return status ? skill_error_set(err, status, "out of memory") : 0;
}

static int directory_body(SkillSource *base, const char *path, char **text, size_t *length, SkillError *err) {
  struct skill__directory *source = skill__directory_of(base);
  struct skill__scan_entry *entry;
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

/* The length of the part of a body that is ranked. */
static size_t cut_characters(const char *text, size_t length) {
  size_t characters = 0;
  for (size_t i = 0; i < length; i++) {
    if (((unsigned char)text[i] & 0xc0) != 0x80 && characters++ == SKILL__LIST_BODY_CHARACTERS) return i;
  }
  return length;
}

int skill__directory_list_body(struct skill__directory *source, const char *path, char **body, size_t *length) {
  struct skill__scan_entry *entry;
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

static int list_entry(struct skill__directory *source, const struct skill__scan_entry *entry, unsigned flags,
                      SkillListCb cb, void *user) {
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
    const struct skill__scan_entry *entry = source->entries[i];
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

/* --- making and freeing ------------------------------------------------------------------------------------------- */

static void directory_free(SkillSource *base) {
  struct skill__directory *source = skill__directory_of(base);
  for (size_t i = 0; i < source->count; i++) skill__scan_entry_free(source->entries[i]);
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
  SkillDirectoryOptions given = SKILL_DIRECTORY_OPTIONS_INIT;
  int status = SKILL__OPTIONS(SkillDirectoryOptions, &given, options, err);
  if (status) return status;
  if (!given.path || !given.path[0]) return skill_error_set(err, SKILL_EINVAL, "a directory source needs a path");
  if (strlen(given.path) >= SKILL_MAX_PATH) return skill_error_set(err, SKILL_ELIMIT, "the path is too long");
  struct skill__directory *source = skill__calloc(1, sizeof *source);
  if (!source) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  source->options = given;
  source->options.path = source->path = skill__strdup(given.path);
  source->options.folder = source->folder = skill__strdup(given.folder);
  source->options.label = source->label = skill__strdup(given.label ? given.label : given.path);
  if (!given.max_depth || given.max_depth > SKILL_MAX_DEPTH) source->options.max_depth = SKILL_MAX_DEPTH;
  if (!given.max_skills) source->options.max_skills = 200000;
  source->base = (SkillSource){SKILL_SOURCE_VERSION,
                               source->label,
                               source,
                               directory_list,
                               directory_metadata,
                               directory_body,
                               skill__directory_resources,
                               skill__directory_read,
                               directory_free};
  if (!source->path || !source->label || (given.folder && !source->folder)) {
    directory_free(&source->base);
    return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  }
  *out = &source->base;
  return 0;
}

void skill_source_free(SkillSource *source) {
  if (source && source->free) source->free(source);
}
