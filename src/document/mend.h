/* SPDX-License-Identifier: MIT
 *
 * Front matter that is not YAML -> front matter that is, line for line.
 *
 * Each line of the output stands for the same line of the input, so positions stay true, and every change is told.
 */
#ifndef SKILL_DOCUMENT_MEND_H
#define SKILL_DOCUMENT_MEND_H

#include "document/diagnostic.h"
#include "util/buf.h"

/* Appends the mended text to `out`. `findings` may be NULL: nothing is told. 0, SKILL_ENOMEM or SKILL_ELIMIT. */
int skill__mend(const char *head, size_t length, unsigned first_line, struct skill__findings *findings,
                struct skill__buf *out);

/* --- one value on one line; quote.c ------------------------------------------------------------------------------ */

/* What is wrong with a value as it stands behind "key: " or "- ". */
enum skill__fault {
  SKILL__FAULT_NONE,
  SKILL__FAULT_COLON,    /* plain, holds ": " or ends with ":" */
  SKILL__FAULT_RESERVED, /* plain, begins with a character that YAML reserves */
  SKILL__FAULT_QUOTE,    /* a quote ends early, or never */
  SKILL__FAULT_ESCAPE,   /* "\d" and the like */
  SKILL__FAULT_BLOCK,    /* | or > with text behind it */
  SKILL__FAULT_FLOW,     /* [a] [b] */
  SKILL__FAULT_OPEN      /* a bracket or quote that may be closed on a later line */
};

/* `at` (may be NULL) receives the offset of the fault in the text. */
enum skill__fault skill__quote_fault(const char *text, size_t length, size_t *at);

/* Appends `text` to a single-quoted scalar that the caller opens and closes. */
void skill__quote_single(struct skill__buf *out, const char *text, size_t length);

/* Appends a whole scalar that YAML reads as what was meant by `text`, which has `fault` (not OPEN). */
void skill__quote_mended(struct skill__buf *out, const char *text, size_t length, enum skill__fault fault);

/* Appends a value in brackets with the items that begin with a reserved character quoted; whether there was one. */
bool skill__quote_items(struct skill__buf *out, const char *text, size_t length);

/* Whether brackets outside quotes balance. */
bool skill__quote_balanced(const char *text, size_t length);

#endif
