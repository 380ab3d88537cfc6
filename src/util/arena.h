/* SPDX-License-Identifier: MIT
 *
 * A bump arena: many small strings and structs that die together. Nothing is freed one at a time.
 */
#ifndef SKILL_UTIL_ARENA_H
#define SKILL_UTIL_ARENA_H

#include <stddef.h>

struct skill__arena_block;
struct skill__arena {
  struct skill__arena_block *head;
};

/* Zero-initialise to start. */
void *skill__arena_alloc(struct skill__arena *arena, size_t size); /* zeroed, aligned; NULL: out of memory */
char *skill__arena_strndup(struct skill__arena *arena, const char *text, size_t length);
char *skill__arena_strdup(struct skill__arena *arena, const char *text); /* NULL gives NULL */
void skill__arena_fini(struct skill__arena *arena);                      /* empty afterwards, and usable */

#endif
