/* SPDX-License-Identifier: MIT
 *
 * Splits arguments into words for skill_substitute() (<skillet/document.h>) and for typed tools.
 */
#ifndef SKILL_DOCUMENT_SUBSTITUTE_H
#define SKILL_DOCUMENT_SUBSTITUTE_H

#include "skillet/document.h"
#include "util/buf.h"

#define SKILL__MAX_WORDS 64

/* The arguments as words: blanks separate, quotes group. */
struct skill__words {
  const char *item[SKILL__MAX_WORDS]; /* into `buf`, each NUL-terminated */
  size_t count;
  struct skill__buf buf;
};

/* Splits `text` (NULL: none). The last word that fits contains the rest. Always call fini afterwards. */
int skill__words_split(struct skill__words *words, const char *text);
void skill__words_fini(struct skill__words *words);

#endif
