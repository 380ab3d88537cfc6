/* SPDX-License-Identifier: MIT
 *
 * Unicode for the analyzer: what kind a character is, and folding of text that is not plain ASCII.
 */
#ifndef SKILL_RANK_TEXT_FOLD_H
#define SKILL_RANK_TEXT_FOLD_H

#include <stdint.h>

#include "util/buf.h"

enum skill__char { SKILL__CHAR_OTHER, SKILL__CHAR_WORD, SKILL__CHAR_JOINER, SKILL__CHAR_PAIR };

/* The kind of a character: part of a word, a joiner inside words (- _ '), a character of a script without blanks, or
 * anything else. */
enum skill__char skill__char_kind(uint32_t rune);

/* Appends `text`, a stretch between blanks, in compatibility form (NFKC) without changing case, so that fullwidth
 * letters, ligatures and half-width kana become their plain forms. Invalid bytes become blanks. Errors are in the
 * buffer's status. */
void skill__fold_compat(struct skill__buf *buf, const char *text, size_t length);

/* Appends the word case-folded and without combining marks: "Résumé" becomes "resume". */
void skill__fold_word(struct skill__buf *buf, const char *text, size_t length);

#endif
