/* SPDX-License-Identifier: MIT
 *
 * The allocator behind the library; see <skillet/sys/alloc.h>.
 */
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

static void *default_malloc(size_t size, void *user) {
  (void)user;
  return malloc(size);
}

static void *default_realloc(void *p, size_t size, void *user) {
  (void)user;
  return realloc(p, size);
}

static void default_free(void *p, void *user) {
  (void)user;
  free(p);
}

static const SkillAllocator default_allocator = {default_malloc, default_realloc, default_free, NULL};
static SkillAllocator current = {default_malloc, default_realloc, default_free, NULL};

int skill_set_allocator(const SkillAllocator *allocator) {
  if (!allocator) {
    current = default_allocator;
    return 0;
  }
  if (!allocator->malloc || !allocator->realloc || !allocator->free) return SKILL_EINVAL;
  current = *allocator;
  return 0;
}

void skill_free(void *p) {
  skill__free(p);
}

void *skill__malloc(size_t size) {
  return current.malloc(size ? size : 1, current.user);
}

void *skill__calloc(size_t count, size_t size) {
  if (size && count > SIZE_MAX / size) return NULL;
  void *p = skill__malloc(count * size);
  if (p) memset(p, 0, count * size);
  return p;
}

void *skill__realloc(void *p, size_t size) {
  return current.realloc(p, size ? size : 1, current.user);
}

void skill__free(void *p) {
  if (p) current.free(p, current.user);
}

char *skill__strdup(const char *text) {
  return text ? skill__strndup(text, strlen(text)) : NULL;
}

char *skill__strndup(const char *text, size_t length) {
  if (length == SIZE_MAX) return NULL;
  char *copy = skill__malloc(length + 1);
  if (!copy) return NULL;
  if (length) memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

size_t skill__text_size(const char *text) {
  return text ? strlen(text) + 1 : 0;
}

const char *skill__text_put(char **at, const char *text) {
  if (!text) return NULL;
  size_t length = strlen(text) + 1;
  char *to = memcpy(*at, text, length);
  *at += length;
  return to;
}

void *skill__grow(void *array, size_t *capacity, size_t need, size_t size) {
  if (need <= *capacity) return array;
  size_t wanted = *capacity ? *capacity : 8;
  while (wanted < need) {
    if (wanted > SIZE_MAX / 2) return array;
    wanted *= 2;
  }
  if (wanted > SIZE_MAX / size) return array;
  void *bigger = skill__realloc(array, wanted * size);
  if (!bigger) return array;
  *capacity = wanted;
  return bigger;
}
