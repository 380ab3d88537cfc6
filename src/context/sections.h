/* SPDX-License-Identifier: MIT
 *
 * Long text cut into sections that can be chosen one by one.
 */
#ifndef SKILL_CONTEXT_SECTIONS_H
#define SKILL_CONTEXT_SECTIONS_H

#include <stddef.h>

#define SKILL__MOST_SECTIONS 4000 /* of one text; the last one holds the rest */

struct skill__section {
  size_t from, to; /* bytes */
};

struct skill__sections {
  struct skill__section *items;
  size_t count;
  size_t capacity;
};

/* Cuts, and replaces the content of `out`. A section ends before a heading, at an empty line once it is long enough,
 * and inside a code fence only if that is too long. SKILL_ENOMEM. */
int skill__sections_cut(const char *text, size_t length, struct skill__sections *out);
void skill__sections_fini(struct skill__sections *sections);

#endif
