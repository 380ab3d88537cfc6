/* SPDX-License-Identifier: MIT
 *
 * What a scan remembers on its way: the folders it entered, by device and inode, and lists of paths. Only want of
 * memory fails.
 */
#include <string.h>

#include "source/directory.h"
#include "util/alloc.h"

static size_t slot_of(const struct skill__seen *seen, uint64_t dev, uint64_t ino) {
  uint64_t hash = (ino * 0x9e3779b97f4a7c15u) ^ (dev * 0xc2b2ae3d27d4eb4fu);
  size_t i = (size_t)(hash >> 17) & (seen->capacity - 1);
  while ((seen->slots[i][0] || seen->slots[i][1]) && (seen->slots[i][0] != dev || seen->slots[i][1] != ino)) {
    i = (i + 1) & (seen->capacity - 1);
  }
  return i;
}

static int grow_seen(struct skill__seen *seen) {
  struct skill__seen bigger = {NULL, seen->count, seen->capacity ? seen->capacity * 2 : 256};
  bigger.slots = skill__calloc(bigger.capacity, sizeof *bigger.slots);
  if (!bigger.slots) return SKILL_ENOMEM;
  for (size_t i = 0; i < seen->capacity; i++) {
    const uint64_t *old = seen->slots[i];
    if (!old[0] && !old[1]) continue;
    uint64_t *slot = bigger.slots[slot_of(&bigger, old[0], old[1])];
    slot[0] = old[0];
    slot[1] = old[1];
  }
  skill__free(seen->slots);
  *seen = bigger;
  return 0;
}

int skill__seen_mark(struct skill__seen *seen, uint64_t dev, uint64_t ino) {
  if (seen->count * 2 >= seen->capacity && grow_seen(seen)) return SKILL_ENOMEM;
  if (!dev && !ino) return 1;
  uint64_t *slot = seen->slots[slot_of(seen, dev, ino)];
  if (slot[0] || slot[1]) return 0;
  slot[0] = dev;
  slot[1] = ino;
  seen->count++;
  return 1;
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
