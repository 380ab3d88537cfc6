/* SPDX-License-Identifier: MIT
 *
 * The pre-tokenizer: cuts a text into the pieces that byte pairs are merged within.
 *
 * The two patterns, as the vocabularies define them (\s is White_Space, (?i:'s) also matches U+017F):
 *
 *   o200k_base
 * [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *               |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *               |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
 *   cl100k_base  (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+
 *               |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
 *
 * They are matched by hand, without backtracking, in one pass over the piece; a test compares the cuts with PCRE2's.
 */
#ifndef SKILL_TOKENS_PRETOKEN_H
#define SKILL_TOKENS_PRETOKEN_H

#include <stddef.h>
#include <stdint.h>

enum skill__pattern { SKILL__PATTERN_O200K = 0, SKILL__PATTERN_CL100K = 1 };

/* The classes of characters in the patterns. */
enum {
  SKILL__CLASS_UPPER = 1,  /* Lu Lt Lm Lo M: allowed in the head of a word */
  SKILL__CLASS_LOWER = 2,  /* Ll Lm Lo M: allowed in the tail of a word */
  SKILL__CLASS_LETTER = 4, /* L */
  SKILL__CLASS_NUMBER = 8, /* N */
  SKILL__CLASS_SPACE = 16, /* White_Space */
  SKILL__CLASS_LINE = 32,  /* CR, LF; SPACE as well */
};

/* Classes of all characters, in blocks of 256 of which equal ones are stored once. Part of a packed vocabulary, so
 * that counts do not depend on the Unicode version of the machine. Block 0 is that of U+0000. */
#define SKILL__CLASS_BLOCKS (0x110000 / 256)
#define SKILL__CLASS_MAX_DISTINCT 256
struct skill__classes {
  const uint8_t *index; /* SKILL__CLASS_BLOCKS numbers of blocks */
  const uint8_t *bits;  /* 256 a block */
};

/* The end of the piece that starts at `at` < `length`. `text` is valid UTF-8. Never 0, never beyond `length`. */
size_t skill__pretoken_o200k(const struct skill__classes *classes, const unsigned char *text, size_t length, size_t at);
size_t skill__pretoken_cl100k(const struct skill__classes *classes, const unsigned char *text, size_t length,
                              size_t at);

static inline size_t skill__pretoken_next(const struct skill__classes *classes, enum skill__pattern pattern,
                                          const unsigned char *text, size_t length, size_t at) {
  return pattern == SKILL__PATTERN_O200K ? skill__pretoken_o200k(classes, text, length, at)
                                         : skill__pretoken_cl100k(classes, text, length, at);
}

#endif
