/* SPDX-License-Identifier: MIT
 *
 * Every allocation of the library goes through these; the only file that names malloc is alloc.c.
 * Sizes are checked for overflow. All return NULL when memory is out and none of them exits.
 */
#ifndef SKILL_UTIL_ALLOC_H
#define SKILL_UTIL_ALLOC_H

#include "skillet/sys/alloc.h"

void *skill__malloc(size_t size);
void *skill__calloc(size_t count, size_t size); /* zeroed */
void *skill__realloc(void *p, size_t size);     /* on failure the old block stays */
void skill__free(void *p);
char *skill__strdup(const char *text); /* NULL gives NULL */
char *skill__strndup(const char *text, size_t length);

/* For several texts in one block: the bytes of one with its NUL, 0 for NULL; and its copy at *at, which moves behind
 * it, NULL for NULL. */
size_t skill__text_size(const char *text);
const char *skill__text_put(char **at, const char *text);

/* Makes room for at least `need` items of `size` bytes in an array; the capacity doubles. `array` points to the pointer
 * to the items, of any object type. Its bytes are copied in and out, because reading a `T *` through a `void **` breaks
 * the aliasing rules. 0 or SKILL_ENOMEM; then the array is unchanged. */
int skill__grow(void *array, size_t *capacity, size_t need, size_t size);

/* The same for an array pointer and its capacity, both modifiable lvalues. */
#define SKILL__GROW(array, capacity, need) skill__grow(&(array), &(capacity), (need), sizeof *(array))

#endif
