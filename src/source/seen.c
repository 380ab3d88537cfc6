/* SPDX-License-Identifier: MIT
 *
 * What a scan remembers on its way: the folders it entered, by device and inode, and lists of paths. Everything here
 * fails only when memory is out.
 */
#include <string.h>

#include "source/directory.h"
#include "util/alloc.h"

int skill__seen_mark(struct skill__scan *scan, uint64_t dev, uint64_t ino) {
  const uint64_t id[2] = {dev, ino};
  struct skill__seen *folder = NULL;
  bool added = true;
  if (!dev && !ino) return 1; /* the file system has no numbers */
  HASH_FIND(hh, scan->seen, id, sizeof id, folder);
  if (folder) return 0;
  folder = skill__arena_alloc(&scan->seen_folders, sizeof *folder);
  if (!folder) return SKILL_ENOMEM;
  memcpy(folder->id, id, sizeof id);
  SKILL__HASH_ADD(scan->seen, folder, folder->id, sizeof folder->id, added);
  return added ? 1 : SKILL_ENOMEM;
}

void skill__seen_fini(struct skill__scan *scan) {
  HASH_CLEAR(hh, scan->seen);
  skill__arena_fini(&scan->seen_folders);
}

int skill__strings_add(struct skill__strings *strings, const char *text) {
  char *copy = skill__strdup(text);
  if (!copy || SKILL__GROW(strings->items, strings->capacity, strings->count + 1)) {
    skill__free(copy);
    return SKILL_ENOMEM;
  }
  strings->items[strings->count++] = copy;
  return 0;
}

void skill__strings_fini(struct skill__strings *strings) {
  for (size_t i = 0; i < strings->count; i++) skill__free(strings->items[i]);
  skill__free(strings->items);
  memset(strings, 0, sizeof *strings);
}
