/* SPDX-License-Identifier: MIT
 *
 * Names similar to a mistyped one: first those that differ only in case and separators, then those of which one
 * contains the other, then by the number of typing errors (Damerau-Levenshtein distance, optimal string alignment).
 * Nothing here fails or allocates.
 *
 *   struct skill__near near;
 *   skill__near_begin(&near, "maxactive", 3);
 *   for each name: skill__near_offer(&near, name);
 *   near.names[0 .. near.count): the nearest first, equally near ones by name
 */
#ifndef SKILL_UTIL_NEAR_H
#define SKILL_UTIL_NEAR_H

#include <stdbool.h>
#include <stddef.h>

enum { SKILL__NEAR_MOST = 16, SKILL__NEAR_LONGEST = 64 };

struct skill__near {
  const char *names[SKILL__NEAR_MOST]; /* borrowed from who offered them */
  unsigned errors[SKILL__NEAR_MOST];
  size_t count;
  size_t limit;
  size_t length; /* of what was typed, without case and separators; 0: nothing is near */
  char typed[SKILL__NEAR_LONGEST];
};

/* At most `limit` names will be kept, and at most SKILL__NEAR_MOST. */
void skill__near_begin(struct skill__near *near, const char *typed, size_t limit);
/* `name` is kept where it is near enough. */
void skill__near_offer(struct skill__near *near, const char *name);

/* Whether one text is the other with one letter wrong, missing or too much, or two swapped. ASCII case does not count.
 * Cheap enough for many names. */
bool skill__near_typo(const char *a, const char *b);

/* Writes "BEFOREa, b or cAFTER", cut to `size`; "" where nothing is near. */
void skill__near_text(const struct skill__near *near, const char *before, const char *after, char *out, size_t size);

#endif
