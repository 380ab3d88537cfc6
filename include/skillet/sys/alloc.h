/* SPDX-License-Identifier: MIT
 *
 * The allocator of the whole library: three functions and a pointer, process-wide.
 *
 * cJSON, libyaml and libcurl use their own allocators; skillet never changes their hooks inside somebody's process.
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

/* Replaces the allocator; copied. NULL restores the C library's. The functions must be callable from any thread.
 * Call it before anything else of the library: memory is freed by whichever allocator is set at that time.
 * Returns SKILL_EINVAL where a function is missing. */
SKILL_API int skill_set_allocator(const SkillAllocator *allocator);

SKILL_END

#endif
