/* SPDX-License-Identifier: MIT
 *
 * Resources (L3) of folder skills: listing and paged reading, all through the path resolver.
 *
 * Listing does not follow links to folders, which could lead back. A link to a file is listed if the resolver opens it.
 * A listing leaves out what cannot be opened; reading it returns the reason.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "source/directory.h"
#include "source/media.h"
#include "source/resolve.h"
#include "util/alloc.h"
#include "util/utf8.h"

enum {
  RESOURCES_MAX = 10000,      /* listed of one skill; the others are left out */
  RESOURCE_DEPTH_MAX = 16,    /* folders below the skill's */
  SNIFF = 4096,               /* first bytes, which decide whether a file is text */
  PAGE_DEFAULT = 32 * 1024,   /* bytes of a page by default */
  PAGE_MAX = 8 * 1024 * 1024, /* bytes of a page at most */
  PAGE_MIN = 4,               /* room for any character, so that each page makes progress */
};

struct found {
  char *path;
  uint64_t size;
  bool text;
};

struct listing {
  SkillIo *io;
  struct skill__resolve at;
  struct found *items;
  size_t count;
  size_t capacity;
  int lost; /* SKILL_EIO: a file or folder exists but could not be read */
  char sniff[SNIFF];
};

/* The folder of an entry, relative to the root, into `out` (SKILL_MAX_PATH bytes). */
static void folder_of(const struct skill__scan_entry *entry, char *out) {
  const char *slash = strrchr(entry->rel, '/');
  size_t length = slash ? (size_t)(slash - entry->rel) : 0;
  memcpy(out, entry->rel, length);
  out[length] = '\0';
}

static int sniff(SkillIo *io, intptr_t file, uint64_t size, char *buffer, bool *text) {
  size_t got = 0;
  int status = io->file_read(io, file, 0, buffer, SNIFF, &got);
  if (!status) *text = skill__media_is_text(buffer, got, got >= size);
  return status;
}

/* --- listing ------------------------------------------------------------------------------------------------------ */

static char *join(const char *folder, const char *name) {
  size_t head = strlen(folder);
  size_t tail = strlen(name);
  char *path = skill__malloc(head + tail + 2);
  if (!path) return NULL;
  memcpy(path, folder, head);
  if (head) path[head++] = '/';
  memcpy(path + head, name, tail + 1);
  return path;
}

/* Leaves out what is not a resource (a dangling link, one that leads out, one without permission). A disk error is
 * returned at the end. */
static int pass_over(struct listing *list, int status) {
  if (status == SKILL_EIO) list->lost = status;
  return status == SKILL_ENOMEM ? status : 0;
}

/* Adds the file at `path` (taken) unless it cannot be opened. 0 or SKILL_ENOMEM. */
static int add_file(struct listing *list, char *path) {
  SkillFileInfo info;
  intptr_t file;
  bool text = false;
  int status = skill__resolve_file(&list->at, path, &file, NULL);
  if (!status) {
    status = list->io->file_info(list->io, file, &info);
    if (!status) status = sniff(list->io, file, info.size, list->sniff, &text);
    list->io->file_close(list->io, file);
  }
  if (!status && SKILL__GROW(list->items, list->capacity, list->count + 1)) status = SKILL_ENOMEM;
  if (status) {
    skill__free(path);
    return pass_over(list, status);
  }
  list->items[list->count++] = (struct found){path, info.size, text};
  return 0;
}

static int add_folder(struct listing *list, const char *folder, unsigned depth);

static int add_entry(struct listing *list, const char *folder, const SkillDirEntry *entry, unsigned depth) {
  if (skill__ignore_builtin(entry->name)) return 0;
  if (!depth && !strcasecmp(entry->name, "SKILL.md")) return 0;
  char *path = join(folder, entry->name);
  if (!path) return SKILL_ENOMEM;
  if (entry->kind == SKILL_FILE_FOLDER) {
    int status = add_folder(list, path, depth + 1);
    skill__free(path);
    return status;
  }
  if (entry->kind != SKILL_FILE_OTHER) return add_file(list, path);
  skill__free(path);
  return 0;
}

static int add_folder(struct listing *list, const char *folder, unsigned depth) {
  intptr_t dir;
  if (depth > RESOURCE_DEPTH_MAX) return 0;
  int status = skill__resolve_folder(&list->at, folder, &dir, NULL);
  if (status) return pass_over(list, status);
  while (list->count < RESOURCES_MAX) {
    SkillDirEntry entry;
    status = list->io->dir_next(list->io, dir, &entry);
    if (status != 1) break;
    status = add_entry(list, folder, &entry, depth);
    if (status) break;
  }
  list->io->dir_close(list->io, dir);
  return status < 0 ? pass_over(list, status) : 0;
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const struct found *)a)->path, ((const struct found *)b)->path);
}

static int hand_out(struct listing *list, SkillResourceCb cb, void *user) {
  int status = 0;
  if (list->count) qsort(list->items, list->count, sizeof *list->items, by_path);
  for (size_t i = 0; !status && i < list->count; i++) {
    const struct found *item = &list->items[i];
    const SkillResource resource = {
        .path = item->path, .size = item->size, .type = skill__media_type(item->path, item->text), .text = item->text};
    status = cb(&resource, user);
  }
  return status;
}

int skill__directory_resources(SkillSource *base, const char *path, SkillResourceCb cb, void *user, SkillError *err) {
  struct skill__directory *source = base->impl;
  struct skill__scan_entry *entry;
  char folder[SKILL_MAX_PATH];
  intptr_t root;
  int status = skill__directory_entry(source, path, &entry, err);
  if (status || entry->kind != SKILL_DOCUMENT_FOLDER) return status;
  folder_of(entry, folder);
  status = skill__directory_root(source, &root, err);
  if (status) return status;
  SkillIo *io = skill__directory_io(source);
  struct listing *list = skill__calloc(1, sizeof *list);
  if (list) {
    list->io = io;
    list->at = (struct skill__resolve){io, root, source->options.links, folder};
    status = add_folder(list, "", 0);
    if (!status) status = hand_out(list, cb, user);
    if (!status && list->lost) status = skill_error_set(err, list->lost, "some of the files could not be read");
    for (size_t i = 0; i < list->count; i++) skill__free(list->items[i].path);
    skill__free(list->items);
  } else {
    status = SKILL_ENOMEM;
  }
  skill__free(list);
  io->dir_close(io, root);
  return status == SKILL_ENOMEM ? skill_error_set(err, status, "out of memory") : status;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* Cuts a text page at the last whole character, unless the file ends there. */
static void settle(SkillPage *page, uint64_t cursor, bool text) {
  bool last = cursor + page->length >= page->total;
  page->text = text && skill__media_is_text(page->data, page->length, last);
  if (page->text && !last) {
    size_t whole = skill__utf8_valid(page->data, page->length);
    page->length = whole;
  }
  page->data[page->length] = '\0';
  page->next = cursor + page->length < page->total ? cursor + page->length : 0;
}

static int read_page(SkillIo *io, intptr_t file, const char *path, uint64_t cursor, size_t max, SkillPage *out,
                     SkillError *err) {
  SkillFileInfo info;
  char head[SNIFF];
  bool text = false;
  int status = io->file_info(io, file, &info);
  if (!status && info.size > SKILL_MAX_RESOURCE) {
    return skill_error_set(err, SKILL_ELIMIT, "'%s' has %llu bytes; above %d it is not read", path,
                           (unsigned long long)info.size, SKILL_MAX_RESOURCE);
  }
  if (!status && cursor > info.size) {
    return skill_error_set(err, SKILL_EINVAL, "'%s' has %llu bytes; the cursor %llu is after its end", path,
                           (unsigned long long)info.size, (unsigned long long)cursor);
  }
  if (!status) status = sniff(io, file, info.size, head, &text);
  if (status) return skill_error_set(err, status, "'%s' cannot be read: %s", path, skill_strerror(status));
  size_t size = max ? max : PAGE_DEFAULT;
  if (size < PAGE_MIN) size = PAGE_MIN;
  if (size > PAGE_MAX) size = PAGE_MAX;
  if (size > info.size - cursor) size = (size_t)(info.size - cursor);
  SkillPage page = {.data = skill__malloc(size + 1), .total = info.size};
  if (!page.data) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  status = io->file_read(io, file, cursor, page.data, size, &page.length);
  if (!status && text && page.length && ((unsigned char)page.data[0] & 0xc0) == 0x80) {
    status = skill_error_set(err, SKILL_EINVAL, "'%s': the cursor %llu is in the middle of a character", path,
                             (unsigned long long)cursor);
  }
  if (status) {
    skill__free(page.data);
    return skill_error_set(err, status, "'%s' cannot be read: %s", path, skill_strerror(status));
  }
  settle(&page, cursor, text);
  page.type = skill__media_type(path, page.text);
  *out = page;
  return 0;
}

int skill__directory_read(SkillSource *base, const char *path, const char *resource, uint64_t cursor, size_t max,
                          SkillPage *out, SkillError *err) {
  struct skill__directory *source = base->impl;
  struct skill__scan_entry *entry;
  char folder[SKILL_MAX_PATH];
  intptr_t root;
  intptr_t file;
  int status = skill__directory_entry(source, path, &entry, err);
  if (status) return status;
  if (entry->kind != SKILL_DOCUMENT_FOLDER) {
    return skill_error_set(err, SKILL_ENOENT, "'%s' is a single file and has no resources", path);
  }
  folder_of(entry, folder);
  status = skill__directory_root(source, &root, err);
  if (status) return status;
  SkillIo *io = skill__directory_io(source);
  const struct skill__resolve at = {io, root, source->options.links, folder};
  status = skill__resolve_file(&at, resource, &file, err);
  io->dir_close(io, root);
  if (status) return status;
  status = read_page(io, file, resource, cursor, max, out, err);
  io->file_close(io, file);
  return status;
}
