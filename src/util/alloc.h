/* SPDX-License-Identifier: MIT
 *
 * The library's allocation functions; only alloc.c calls malloc.
 * Sizes are checked for overflow. Without memory a function returns NULL; none ends the process.
 */
#ifndef SKILL_UTIL_ALLOC_H
#define SKILL_UTIL_ALLOC_H

#include "skillet/error.h"
#include "skillet/sys/alloc.h"

void *skill__malloc(size_t size);
void *skill__calloc(size_t count, size_t size); /* zeroed */
void *skill__realloc(void *p, size_t size);     /* on failure `p` stays valid */
void skill__free(void *p);
char *skill__strdup(const char *text); /* NULL gives NULL */
char *skill__strndup(const char *text, size_t length);

/* Several texts in one block. skill__text_size returns the bytes of a text with its NUL, 0 for NULL. skill__text_put
 * copies the text to *at, moves *at past the copy, and returns the copy; NULL for NULL. */
size_t skill__text_size(const char *text);
const char *skill__text_put(char **at, const char *text);

/* Returns `array` with room for at least `need` items of `size` bytes and updates *capacity, which at least doubles. If
 * memory is out, returns `array` as it is and leaves *capacity. */
void *skill__grow(void *array, size_t *capacity, size_t need, size_t size);

/* Makes room for at least `need` items in `array`, a pointer variable of any type; 0, or SKILL_ENOMEM with both
 * variables unchanged. Evaluates its arguments more than once. */
#define SKILL__GROW(array, capacity, need) \
  ((array) = skill__grow((array), &(capacity), (need), sizeof *(array)), (need) <= (capacity) ? 0 : SKILL_ENOMEM)

#endif
