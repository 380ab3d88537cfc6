/* SPDX-License-Identifier: MIT
 *
 * Arguments put into a body; skill_substitute() in <skillet/document.h> is the whole of it for everybody else.
 */
#ifndef SKILL_DOCUMENT_SUBSTITUTE_H
#define SKILL_DOCUMENT_SUBSTITUTE_H

#include "skillet/document.h"
#include "util/buf.h"

#define SKILL__MAX_WORDS 64

/* The arguments as words: blanks separate, quotes hold together. */
struct skill__words {
  const char *item[SKILL__MAX_WORDS]; /* into `buf`, each NUL-terminated */
  size_t count;
  struct skill__buf buf;
};

/* Splits `text` (NULL: none). What follows the last word that fits becomes part of it. Call fini whatever it returns.
 */
int skill__words_split(struct skill__words *words, const char *text);
void skill__words_fini(struct skill__words *words);

#endif
