/* SPDX-License-Identifier: MIT
 *
 * Finds the end of a plain ASCII word. Most of a text is such words, so the SSE2 form reads sixteen characters at a
 * time. Both forms give the same ends. Nothing here fails.
 */
#ifndef SKILL_RANK_TEXT_ASCII_WORD_H
#define SKILL_RANK_TEXT_ASCII_WORD_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static inline bool skill__ascii_letter(char c) {
  return (unsigned)((c | 0x20) - 'a') <= 'z' - 'a';
}

static inline bool skill__ascii_character(char c) {
  return skill__ascii_letter(c) || (unsigned)(c - '0') <= 9;
}

/* The ASCII letters and digits at the beginning of a text. */
struct skill__ascii_word {
  size_t length;
  bool capitals; /* one of them, the first excepted, is a capital */
  bool others;   /* one of them is a small letter or a digit */
};

/* Continues *word from character `from`, one character at a time. */
static inline void skill__ascii_rest(const char *text, size_t length, size_t from, struct skill__ascii_word *word) {
  size_t n = from;
  for (; n < length && skill__ascii_character(text[n]); n++) {
    bool capital = (text[n] & 0x60) == 0x40;
    word->capitals |= capital && n > 0;
    word->others |= !capital;
  }
  word->length = n;
}

static inline struct skill__ascii_word skill__ascii_read(const char *text, size_t length) {
  struct skill__ascii_word word = {0, false, false};
#if defined(__SSE2__)
  enum { WIDTH = 16 };
  if (length >= WIDTH) {
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)text), y = _mm_or_si128(x, _mm_set1_epi8(0x20));
    /* The comparisons are signed: bytes beyond ASCII are negative and in neither range. */
    __m128i letter =
        _mm_and_si128(_mm_cmpgt_epi8(y, _mm_set1_epi8('a' - 1)), _mm_cmplt_epi8(y, _mm_set1_epi8('z' + 1)));
    __m128i digit = _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8('0' - 1)), _mm_cmplt_epi8(x, _mm_set1_epi8('9' + 1)));
    unsigned small = (unsigned)_mm_movemask_epi8(_mm_slli_epi16(x, 2)); /* the bit that capitals lack; digits have it */
    unsigned in = (unsigned)_mm_movemask_epi8(_mm_or_si128(letter, digit));
    unsigned n = (unsigned)__builtin_ctz(~in), here = (1u << n) - 1;
    word.capitals = (~small & here & ~1u) != 0;
    word.others = (small & here) != 0;
    word.length = n;
    if (n < WIDTH) return word;
  }
#endif
  skill__ascii_rest(text, length, word.length, &word);
  return word;
}

#endif
