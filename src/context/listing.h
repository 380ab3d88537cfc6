/* SPDX-License-Identifier: MIT
 *
 * The <available_skills> block: one escaped line for each lazy skill, in order of name, within a token budget.
 *
 *   <available_skills>
 *   - csv-clean: Repairs broken CSV files.
 *   - git-tidy: Splits a messy branch into commits that can be reviewed. Use when: a pull request is too …
 *   (4 more skills are not shown; skill_search finds them)
 *   </available_skills>
 *
 * Over budget, descriptions are shortened to one length for all, then dropped, then only the best names stay. The
 * lengths come from a fixed ladder, so that a new skill seldom changes the lines of the others: the same skills give
 * the same bytes, and nearly the same skills give nearly the same bytes, which is what a prompt cache wants.
 */
#ifndef SKILL_CONTEXT_LISTING_H
#define SKILL_CONTEXT_LISTING_H

#include "skillet/skill.h"
#include "skillet/tokens.h"
#include "util/buf.h"

/* Characters of a description that a line shows at most, whatever the budget. */
#define SKILL__LISTING_MAX_CHARS 1536

enum skill__listing_state {
  SKILL__LISTING_ABSENT = 0, /* not for the listing: always mode, no description, or only for the user */
  SKILL__LISTING_HIDDEN,     /* no room */
  SKILL__LISTING_NAME,       /* the name only */
  SKILL__LISTING_SHORTENED,
  SKILL__LISTING_WHOLE
};

struct skill__listing_options {
  SkillTokenizer *tokenizer; /* NULL: the estimate */
  size_t budget;             /* tokens of the whole block; 0: no bound */
  const char *search_tool;   /* what finds the rest; NULL: the block does not name a tool */
  const double *priority;    /* one for each skill: who stays when names do not fit; NULL: the first by name */
};

struct skill__listing {
  char *text; /* owned; "" where no skill is to be listed */
  size_t length;
  size_t tokens; /* of `text` */
  size_t listed; /* skills that belong in a listing */
  size_t shown;
  size_t hidden;         /* listed - shown */
  size_t chars;          /* the length that descriptions were cut to; 0: names only */
  unsigned char *states; /* owned; enum skill__listing_state of each skill, in the order given */
};

/* Whether a skill has a line at all. */
bool skill__listing_wants(const SkillMetadata *metadata);

/* Builds the block. If the budget is less than the frame takes, the block is the frame with its note, and `tokens` is
 * above the budget. 0, or SKILL_ENOMEM and `out` is untouched. */
int skill__listing_build(const SkillMetadata *const *skills, size_t count, const struct skill__listing_options *options,
                         struct skill__listing *out);
void skill__listing_fini(struct skill__listing *listing);

/* Tokens of one skill's unbudgeted line: its L1. Skills that are not listed have none. */
size_t skill__listing_line_tokens(SkillTokenizer *tokenizer, const SkillMetadata *metadata);

/* Whether a character shows or is a space that is not ASCII's; not so control, format, zero-width, bidirectional,
 * unassigned and filling ones. */
bool skill__shows(uint32_t rune);

/* Appends text made fit for a line: runs of white space become one space; control, format, zero-width, bidirectional
 * and other characters that do not show are dropped; invalid bytes become U+FFFD. Nothing is escaped. */
void skill__listing_clean(struct skill__buf *buf, const char *text, size_t length);

/* Appends at most `chars` characters of clean text, cut at a word where one ends near and never inside a grapheme,
 * with "…" where something was cut; `<`, `>` and `&` are escaped. Returns whether it was cut. */
bool skill__listing_put(struct skill__buf *buf, const char *text, size_t length, size_t chars);

#endif
