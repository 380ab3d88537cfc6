/* SPDX-License-Identifier: MIT
 *
 * Bump arena over skill__malloc, in blocks of 4 KiB or of the size asked for, whichever is larger.
 */
#include "util/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "util/alloc.h"

enum { BLOCK_SIZE = 4096 };

struct skill__arena_block {
  struct skill__arena_block *next;
  size_t used;
  size_t size;
  max_align_t data[];
};

static size_t rounded(size_t size) {
  size_t unit = alignof(max_align_t);
  return (size + unit - 1) / unit * unit;
}

void *skill__arena_alloc(struct skill__arena *arena, size_t size) {
  if (size > SIZE_MAX / 2) return NULL;
  size_t need = rounded(size ? size : 1);
  struct skill__arena_block *block = arena->head;
  if (!block || block->size - block->used < need) {
    size_t capacity = need > BLOCK_SIZE ? need : BLOCK_SIZE;
    block = skill__malloc(sizeof *block + capacity);
    if (!block) return NULL;
    block->used = 0;
    block->size = capacity;
    block->next = arena->head;
    arena->head = block;
  }
  void *p = (char *)block->data + block->used;
  block->used += need;
  memset(p, 0, need);
  return p;
}

char *skill__arena_strndup(struct skill__arena *arena, const char *text, size_t length) {
  if (length == SIZE_MAX) return NULL;
  char *copy = skill__arena_alloc(arena, length + 1);
  if (copy && length) memcpy(copy, text, length);
  return copy;
}

char *skill__arena_strdup(struct skill__arena *arena, const char *text) {
  return text ? skill__arena_strndup(arena, text, strlen(text)) : NULL;
}

void skill__arena_fini(struct skill__arena *arena) {
  struct skill__arena_block *block = arena->head;
  while (block) {
    struct skill__arena_block *next = block->next;
    skill__free(block);
    block = next;
  }
  arena->head = NULL;
}
