/* SPDX-License-Identifier: MIT
 *
 * The listing of one folder: its entries, and its ignore files. If it cannot be read, there is a note, and the entries
 * below it are kept.
 */
#include <stdlib.h>
#include <string.h>

#include "source/walk.h"
#include "util/alloc.h"

/* --- one folder's listing ----------------------------------------------------------------------------------------- */

const char *skill__level_name(const struct skill__level *level, const struct skill__level_item *item) {
  return level->names + item->name;
}

static int add_item(struct skill__level *level, const SkillDirEntry *entry) {
  size_t length = strlen(entry->name) + 1;
  if (SKILL__GROW(level->items, level->capacity, level->count + 1) ||
      SKILL__GROW(level->names, level->room, level->used + length)) {
    return SKILL_ENOMEM;
  }
  memcpy(level->names + level->used, entry->name, length);
  level->items[level->count++] = (struct skill__level_item){level->used, entry->kind, entry->ino};
  level->used += length;
  return 0;
}

/* Reads the entries. SKILL_ENOMEM ends the scan; after other failures the folder's old entries are kept. */
int skill__level_read(struct skill__scan *scan, struct skill__level *level, intptr_t dir) {
  level->count = 0;
  level->used = 0;
  for (;;) {
    SkillDirEntry entry;
    int status = scan->io->dir_next(scan->io, dir, &entry);
    if (status == 0) return 0;
    if (status == 1) status = add_item(level, &entry);
    if (status == SKILL_ENOMEM) return status;
    if (status < 0) {
      skill__walk_unreadable(scan, status);
      return skill__scan_keep(scan, skill__walk_rel(scan));
    }
    if (level->count == SKILL__SCAN_MAX_LISTING) {
      skill__walk_limit(scan, "entries in one folder", SKILL__SCAN_MAX_LISTING);
      return 0;
    }
  }
}

static int by_name(const void *a, const void *b, void *names) {
  const struct skill__level_item *left = a;
  const struct skill__level_item *right = b;
  return strcmp((const char *)names + left->name, (const char *)names + right->name);
}

void skill__level_sort(struct skill__level *level) {
  if (level->count > 1) qsort_r(level->items, level->count, sizeof *level->items, by_name, level->names);
}

SkillFileKind skill__level_kind(struct skill__scan *scan, intptr_t dir, const char *name,
                                struct skill__level_item *item) {
  SkillFileInfo info;
  if (item->kind != SKILL_FILE_UNKNOWN) return item->kind;
  if (scan->io->stat(scan->io, dir, name, 0, &info)) return SKILL_FILE_UNKNOWN;
  item->ino = info.ino;
  return item->kind = info.kind;
}

/* --- ignoring ----------------------------------------------------------------------------------------------------- */

static int load_ignore(struct skill__scan *scan, intptr_t dir, const char *name, struct skill__ignore *into) {
  intptr_t file;
  size_t got = 0;
  if (scan->io->file_open(scan->io, dir, name, 0, &file, NULL)) return 0;
  char *text = skill__malloc(SKILL__IGNORE_MAX_FILE);
  int status = text ? scan->io->file_read(scan->io, file, 0, text, SKILL__IGNORE_MAX_FILE, &got) : SKILL_ENOMEM;
  scan->io->file_close(scan->io, file);
  scan->bytes_read += got;
  if (!status) status = skill__ignore_parse(into, text, got);
  skill__free(text);
  return status == SKILL_ENOMEM ? status : 0;
}

int skill__level_ignores(struct skill__scan *scan, struct skill__level *level, intptr_t dir) {
  static const char *const files[] = {".gitignore", ".skilletignore"};
  for (size_t i = 0; i < level->count; i++) {
    const char *name = skill__level_name(level, &level->items[i]);
    for (size_t k = 0; name[0] == '.' && k < 2; k++) {
      if (!strcmp(name, files[k]) && load_ignore(scan, dir, name, &level->ignore[k])) return SKILL_ENOMEM;
    }
  }
  return 0;
}

bool skill__walk_ignored(struct skill__scan *scan, unsigned depth, const char *name, bool folder) {
  if (folder && skill__ignore_builtin(name)) return true;
  for (unsigned d = depth + 1; d-- > 0;) {
    struct skill__level *level = &scan->levels[d];
    const char *path = scan->path + level->rel;
    while (*path == '/') path++;
    for (size_t k = 2; k-- > 0;) {
      int says = level->ignore[k].count ? skill__ignore_match(&level->ignore[k], path, folder) : 0;
      level->ignored += says > 0;
      if (says) return says > 0;
    }
  }
  return false;
}

void skill__level_end(struct skill__scan *scan, struct skill__level *level) {
  if (level->ignored) {
    skill__notes_add(&scan->notes, SKILL__NOTE_IGNORED, scan->path,
                     "%zu entries are left out by its .gitignore or .skilletignore", level->ignored);
  }
  level->ignored = 0;
  skill__ignore_fini(&level->ignore[0]);
  skill__ignore_fini(&level->ignore[1]);
}

void skill__level_fini(struct skill__level *level) {
  skill__free(level->names);
  skill__free(level->items);
  skill__ignore_fini(&level->ignore[0]);
  skill__ignore_fini(&level->ignore[1]);
}
