/* SPDX-License-Identifier: MIT
 *
 * Corrects front matter that is not YAML, line by line.
 *
 * Line N of the output is line N of the input, so positions stay valid. Each change adds a finding.
 */
#ifndef SKILL_DOCUMENT_MEND_H
#define SKILL_DOCUMENT_MEND_H

#include "document/diagnostic.h"
#include "util/buf.h"

/* Appends the corrected text to `out`. `findings` may be NULL. 0, SKILL_ENOMEM or SKILL_ELIMIT. */
int skill__mend(const char *head, size_t length, unsigned first_line, struct skill__findings *findings,
                struct skill__buf *out);

/* --- one value on one line; quote.c ------------------------------------------------------------------------------ */

/* What is wrong with a value after "key: " or "- ". */
enum skill__fault {
  SKILL__FAULT_NONE,
  SKILL__FAULT_COLON,    /* plain, contains ": " or ends with ":" */
  SKILL__FAULT_RESERVED, /* plain, begins with a character that YAML reserves */
  SKILL__FAULT_QUOTE,    /* a quote ends early, or never */
  SKILL__FAULT_ESCAPE,   /* "\d" and the like */
  SKILL__FAULT_BLOCK,    /* | or > with text after it */
  SKILL__FAULT_FLOW,     /* [a] [b] */
  SKILL__FAULT_OPEN      /* a bracket or quote that may be closed on a later line */
};

/* `at` (may be NULL) receives the offset of the fault in the text. */
enum skill__fault skill__quote_fault(const char *text, size_t length, size_t *at);

/* Appends `text` to a single-quoted scalar that the caller opens and closes. */
void skill__quote_single(struct skill__buf *out, const char *text, size_t length);

/* Appends `text`, which has `fault`, as a scalar that YAML reads as its author meant. */
void skill__quote_mended(struct skill__buf *out, const char *text, size_t length, enum skill__fault fault);

/* Appends a value in brackets and quotes the items that begin with a reserved character. True if there was one. */
bool skill__quote_items(struct skill__buf *out, const char *text, size_t length);

/* Whether brackets outside quotes balance. */
bool skill__quote_balanced(const char *text, size_t length);

#endif
