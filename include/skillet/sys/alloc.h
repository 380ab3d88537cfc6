/* SPDX-License-Identifier: MIT
 *
 * The allocator of the library: three functions and a pointer, for the whole process.
 *
 * cJSON, libyaml and libcurl use their own allocators; skillet never changes their hooks.
 */
#ifndef SKILLET_SYS_ALLOC_H
#define SKILLET_SYS_ALLOC_H

#include "skillet/base.h"

SKILL_BEGIN

typedef struct SkillAllocator {
  void *(*malloc)(size_t size, void *user);           /* as malloc(3); `size` is never 0 */
  void *(*realloc)(void *p, size_t size, void *user); /* as realloc(3); `size` is never 0 */
  void (*free)(void *p, void *user);                  /* as free(3); NULL is ignored */
  void *user;
} SkillAllocator;

/* Replaces the allocator; `allocator` is copied. NULL restores that of the C library. The functions must be callable on
 * any thread. Call this before any other function of the library, because memory is released with the allocator that is
 * set at that time. SKILL_EINVAL: a function is missing. */
SKILL_API int skill_set_allocator(const SkillAllocator *allocator);

SKILL_END

#endif
