/* SPDX-License-Identifier: MIT
 *
 * Reads one file of a scan. Unchanged files are not opened; of the others only the beginning is read, up to the end of
 * the front matter. A file that cannot be used keeps its last good metadata, with a note.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "document/diagnostic.h"
#include "source/resolve.h"
#include "source/walk.h"
#include "util/alloc.h"

struct candidate {
  const char *name;
  SkillDocumentKind kind;
  unsigned depth;
  SkillFileInfo info;
  size_t length; /* bytes in scan->buffer */
  struct skill__scan_entry *old;
};

void skill__scan_entry_free(struct skill__scan_entry *entry) {
  if (!entry) return;
  skill_metadata_free(entry->metadata);
  skill__notes_fini(&entry->notes);
  skill__free(entry->path);
  skill__free(entry);
}

/* --- making an entry ---------------------------------------------------------------------------------------------- */

static void note_failure(struct skill__scan *scan, int status) {
  if (status != SKILL_EINVAL) {
    skill__walk_unreadable(scan, status);
    return;
  }
  skill__notes_add(&scan->notes, SKILL__NOTE_NOT_REGULAR, scan->path,
                   "not a regular file or a link to one (FIFO, device, socket, folder or a loop of links)");
}

static int append(struct skill__scan *scan, struct skill__scan_entry *entry) {
  if (SKILL__GROW(scan->entries, scan->capacity, scan->count + 1)) return SKILL_ENOMEM;
  scan->entries[scan->count++] = entry;
  return 0;
}

static int reuse(struct skill__scan *scan, struct skill__scan_entry *entry) {
  if (entry->seen == scan->number) return 0;
  int status = append(scan, entry);
  if (!status) entry->seen = scan->number;
  return status;
}

/* The name of the file's folder, copied to `out`; NULL: unknown. */
static const char *folder_name(const struct skill__scan *scan, char *out, size_t size) {
  const char *end = strrchr(scan->path, '/');
  const struct skill__directory *source = scan->source;
  if (!end || (size_t)(end - scan->path) <= scan->top) {
    if (source->options.folder) return source->options.folder;
    end = scan->path + scan->top;
  }
  const char *begin = end;
  while (begin > scan->path && begin[-1] != '/') begin--;
  size_t length = (size_t)(end - begin);
  if (!length || length >= size || (length <= 2 && !strncmp(begin, "..", length))) return NULL;
  memcpy(out, begin, length);
  out[length] = '\0';
  return out;
}

static SkillDocumentOptions document_options(const struct skill__scan *scan, const struct candidate *file,
                                             char name[SKILL_MAX_NAME + 1]) {
  const SkillDirectoryOptions *options = &scan->source->options;
  SkillDocumentOptions out = {.size = sizeof out,
                              .kind = file->kind,
                              .path = scan->path,
                              .strict = options->strict,
                              .describe_from_body = options->describe_from_body,
                              .prefix_only = file->length < file->info.size};
  if (file->kind == SKILL_DOCUMENT_FOLDER) {
    out.folder = folder_name(scan, name, SKILL_MAX_NAME + 1);
  } else {
    const char *slash = strrchr(scan->path, '/');
    const char *leaf = slash ? slash + 1 : scan->path;
    snprintf(name, SKILL_MAX_NAME + 1, "%.*s", (int)(strlen(leaf) - 3), leaf);
    out.stem = name;
  }
  return out;
}

static int read_more(struct skill__scan *scan, intptr_t handle, struct candidate *file, size_t size) {
  size_t got = 0;
  uint64_t left = file->info.size > file->length ? file->info.size - file->length : 0;
  if (left && left < size) size = (size_t)left; /* saves the read that would return 0 */
  if (scan->room < file->length + size) {
    char *bigger = skill__realloc(scan->buffer, file->length + size);
    if (!bigger) return SKILL_ENOMEM;
    scan->buffer = bigger;
    scan->room = file->length + size;
  }
  int status = scan->io->file_read(scan->io, handle, file->length, scan->buffer + file->length, size, &got);
  if (status) return status;
  file->length += got;
  scan->bytes_read += got;
  if (got < size) file->info.size = file->length; /* it became shorter */
  return 0;
}

/* Reads the file up to the end of its front matter, and parses it. */
static int read_document(struct skill__scan *scan, intptr_t handle, struct candidate *file, SkillDocument **out) {
  char name[SKILL_MAX_NAME + 1];
  bool describe = scan->source->options.describe_from_body;
  size_t step = describe ? 2 * SKILL__SCAN_PREFIX : SKILL__SCAN_PREFIX;
  for (;;) {
    int status = read_more(scan, handle, file, step);
    if (status) return status;
    SkillDocumentOptions options = document_options(scan, file, name);
    status = skill_document_parse(scan->buffer, file->length, &options, out, NULL);
    if (status != SKILL_ELIMIT) return status;
    step = file->length < (size_t)4 * SKILL__SCAN_PREFIX ? SKILL__SCAN_PREFIX : 4 * SKILL__SCAN_PREFIX;
  }
}

static bool is_skill(const struct skill__scan *scan, const struct candidate *file, const SkillDocument *document) {
  return file->kind == SKILL_DOCUMENT_FOLDER || scan->source->only || scan->source->options.lite == SKILL_LITE_ALL ||
         skill_document_has_identity(document);
}

static int take_document(struct skill__scan *scan, const struct candidate *file, const SkillDocument *document,
                         struct skill__scan_entry *entry) {
  SkillMetadata metadata = *skill_document_metadata(document);
  metadata.path = entry->path;
  metadata.source = scan->source->base.label;
  const SkillDiagnostic *found = NULL;
  size_t count = skill_document_diagnostics(document, &found);
  skill__notes_copy(&entry->notes, found, count);
  if (file->info.size > SKILL_MAX_FILE) {
    skill__notes_add(&entry->notes, SKILL__NOTE_TOO_LARGE, entry->path,
                     "the file has %llu bytes; a body above %d bytes is not read", (unsigned long long)file->info.size,
                     SKILL_MAX_FILE);
  }
  int status = skill_metadata_copy(&metadata, &entry->metadata);
  return status ? status : entry->notes.status;
}

static bool is_cut(const struct skill__scan_entry *entry) {
  for (size_t i = 0; i < entry->notes.count; i++) {
    if (!strcmp(entry->notes.items[i].code, skill__code_name(SKILL__FENCE_OPEN))) return true;
  }
  return false;
}

/* A new version that is worse than the last good one: the file may just be written. */
static bool lost(const struct skill__scan_entry *entry, const struct skill__scan_entry *old,
                 const struct candidate *file) {
  if (!old || !old->metadata || old->metadata->unlisted) return false;
  return !entry->metadata || entry->metadata->unlisted || !file->length ||
         (is_cut(entry) && (old->kept || !is_cut(old)));
}

static int keep_last_good(struct skill__scan_entry *entry, const struct skill__scan_entry *old) {
  skill_metadata_free(entry->metadata);
  entry->metadata = NULL;
  entry->kept = true;
  entry->version = old->version;
  skill__notes_add(&entry->notes, SKILL__NOTE_KEPT_LAST_GOOD, entry->path,
                   "the file cannot be used as it is; its last good version is kept");
  int status = skill_metadata_copy(old->metadata, &entry->metadata);
  return status ? status : entry->notes.status;
}

static int make_entry(struct skill__scan *scan, const struct candidate *file, const SkillDocument *document) {
  struct skill__scan_entry *entry = skill__calloc(1, sizeof *entry);
  if (!entry) return SKILL_ENOMEM;
  int status = SKILL_ENOMEM;
  entry->path = skill__strdup(scan->path);
  if (!entry->path) goto out;
  entry->rel = entry->path + scan->base;
  entry->depth = file->depth;
  entry->kind = file->kind;
  entry->info = file->info;
  entry->created = entry->version = entry->seen = scan->number;
  status = is_skill(scan, file, document) ? take_document(scan, file, document, entry) : 0;
  if (!status && lost(entry, file->old, file)) status = keep_last_good(entry, file->old);
  if (!status) status = append(scan, entry);
out:
  if (status) skill__scan_entry_free(entry);
  return status;
}

/* --- one file ----------------------------------------------------------------------------------------------------- */

static bool unchanged(const SkillFileInfo *a, const SkillFileInfo *b) {
  return a->size == b->size && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns && a->ino == b->ino &&
         a->dev == b->dev;
}

static int open_candidate(struct skill__scan *scan, intptr_t dir, const char *name, struct candidate *file,
                          intptr_t *handle) {
  const struct skill__resolve at = {scan->io, scan->root, scan->source->options.links, ""};
  SkillError err = SKILL_ERROR_INIT;
  unsigned follow = dir == scan->root && scan->source->only ? SKILL_IO_FOLLOW : 0;
  if (dir != SKILL_IO_CWD) {
    int status = scan->io->file_open(scan->io, dir, name, follow, handle, &file->info);
    if (status) note_failure(scan, status);
    return status;
  }
  int status = skill__resolve_file(&at, scan->path + scan->base, handle, &err);
  if (status == SKILL_EDENIED) {
    skill__notes_add(&scan->notes, SKILL__NOTE_LINK_OUTSIDE, scan->path, "not read: %s", err.message);
  } else if (status) {
    note_failure(scan, status);
  } else {
    status = scan->io->file_info(scan->io, *handle, &file->info);
    if (status) scan->io->file_close(scan->io, *handle);
  }
  return status;
}

/* A file that could be read before keeps its entry. */
static int keep_unreadable(struct skill__scan *scan, const struct candidate *file, int status) {
  if (status == SKILL_ENOMEM) return status;
  if (!file->old || status == SKILL_ENOENT) return 0;
  return reuse(scan, file->old);
}

/* Reads an opened file and closes it. */
static int take_file(struct skill__scan *scan, struct candidate *file, intptr_t handle) {
  SkillDocument *document = NULL;
  if (file->old && unchanged(&file->info, &file->old->info)) {
    scan->io->file_close(scan->io, handle);
    return reuse(scan, file->old);
  }
  int status = read_document(scan, handle, file, &document);
  scan->io->file_close(scan->io, handle);
  if (status && status != SKILL_ENOMEM) note_failure(scan, status);
  status = status ? keep_unreadable(scan, file, status) : make_entry(scan, file, document);
  skill_document_free(document);
  return status;
}

/* Whether the file has not changed since an earlier scan. A link in its path is harmless: the five numbers identify the
 * file that was read. */
static bool same_as_before(struct skill__scan *scan, intptr_t dir, struct candidate *file) {
  file->old = skill__directory_find(scan->source, scan->path + scan->base, &scan->hint);
  return file->old && dir != SKILL_IO_CWD && !scan->source->only &&
         scan->io->stat(scan->io, dir, file->name, 0, &file->info) == 0 && unchanged(&file->info, &file->old->info);
}

int skill__scan_file(struct skill__scan *scan, intptr_t dir, const char *name, SkillDocumentKind kind, unsigned depth) {
  struct candidate file = {.name = name, .kind = kind, .depth = depth};
  intptr_t handle;
  if (same_as_before(scan, dir, &file)) return reuse(scan, file.old);
  if (file.old && file.old->seen == scan->number) return 0;
  int status = open_candidate(scan, dir, name, &file, &handle);
  return status ? keep_unreadable(scan, &file, status) : take_file(scan, &file, handle);
}

int skill__scan_file_below(struct skill__scan *scan, intptr_t dir, const char *name, unsigned depth, bool *taken) {
  struct candidate file = {.name = name, .kind = SKILL_DOCUMENT_FOLDER, .depth = depth};
  intptr_t handle;
  *taken = true;
  if (same_as_before(scan, dir, &file)) return reuse(scan, file.old);
  int status = scan->io->file_open(scan->io, dir, name, SKILL_IO_BENEATH, &handle, &file.info);
  if (!status) return take_file(scan, &file, handle);
  *taken = false;
  return status == SKILL_ENOMEM ? status : 0;
}
