/* SPDX-License-Identifier: MIT
 *
 * The pre-tokenizer; pretoken.h has the patterns. Each function returns the end of the match of one alternative. Where
 * a pattern would backtrack, the position to return to is recorded on the way. Cannot fail.
 */
#include "tokens/pretoken.h"

#include <stdbool.h>

enum {
  UPPER = SKILL__CLASS_UPPER,
  LOWER = SKILL__CLASS_LOWER,
  LETTER = SKILL__CLASS_LETTER,
  NUMBER = SKILL__CLASS_NUMBER,
  SPACE = SKILL__CLASS_SPACE,
  LINE = SKILL__CLASS_LINE
};

struct cursor {
  const struct skill__classes *classes;
  const unsigned char *text;
  size_t length;
};

/* Class and length of the character at `at`; class 0xff and length 0 at the end. The text is valid, so lead bytes
 * give the length. Han ideographs need no table. */
struct seen {
  uint8_t bits;
  uint8_t step;
};

static inline struct seen look_wide(const struct cursor *c, size_t at) {
  const unsigned char *p = c->text + at;
  uint32_t rune;
  uint8_t step;
  if (p[0] >= 0xe5 && p[0] <= 0xe9) return (struct seen){LETTER | UPPER | LOWER, 3}; /* U+5000..U+9FFF */
  if (p[0] < 0xe0) {
    rune = (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
    step = 2;
  } else if (p[0] < 0xf0) {
    rune = (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
    step = 3;
  } else {
    rune = (p[0] & 0x07u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
    step = 4;
  }
  return (struct seen){c->classes->bits[(size_t)c->classes->index[rune >> 8] * 256 + (rune & 0xff)], step};
}

static inline struct seen look(const struct cursor *c, size_t at) {
  if (at >= c->length) return (struct seen){0xff, 0};
  unsigned char byte = c->text[at];
  if (byte < 0x80) return (struct seen){c->classes->bits[byte], 1};
  return look_wide(c, at);
}

static inline bool is(struct seen seen, unsigned bits) {
  return seen.step && (seen.bits & bits);
}

/* (?i:'s|'t|'re|'ve|'m|'ll|'d), or `at`. */
static size_t contraction(const struct cursor *c, size_t at) {
  size_t left = c->length - at;
  if (left < 2 || c->text[at] != '\'') return at;
  unsigned char first = c->text[at + 1];
  unsigned char second = left > 2 ? c->text[at + 2] : 0;
  if (first == 0xc5 && second == 0xbf) return at + 3; /* U+017F, the long s */
  first |= 0x20;
  second |= 0x20;
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return at + 2;
  bool two = ((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l');
  return two && left > 2 ? at + 3 : at;
}

static size_t run_of(const struct cursor *c, size_t at, unsigned bits) {
  for (struct seen seen = look(c, at); is(seen, bits); seen = look(c, at)) at += seen.step;
  return at;
}

/* [head]*[tail]+ from `at`: the end, or `at` if it does not match. *heads: the end of [head]*. */
static size_t word(const struct cursor *c, size_t at, size_t *heads) {
  size_t back = at; /* after the last character that is head and tail: what backtracking would give to [tail]+ */
  struct seen seen = look(c, at);
  while (is(seen, UPPER)) {
    at += seen.step;
    if (seen.bits & LOWER) back = at;
    seen = look(c, at);
  }
  *heads = at;
  return is(seen, LOWER) ? run_of(c, at, LOWER) : back;
}

static size_t numbers(const struct cursor *c, size_t at) {
  for (int i = 0; i < 3; i++) {
    struct seen seen = look(c, at);
    if (!is(seen, NUMBER)) break;
    at += seen.step;
  }
  return at;
}

/* ` ?[^\s\p{L}\p{N}]+[\r\n/]*`, or `at`. */
static size_t symbols(const struct cursor *c, size_t at, bool slash) {
  size_t start = c->text[at] == ' ' ? at + 1 : at;
  size_t end = start;
  struct seen seen = look(c, end);
  while (seen.step && !(seen.bits & (SPACE | LETTER | NUMBER))) {
    end += seen.step;
    seen = look(c, end);
  }
  if (end == start) return at;
  while (end < c->length && (c->text[end] == '\n' || c->text[end] == '\r' || (slash && c->text[end] == '/'))) end++;
  return end;
}

/* \s*[\r\n]+|\s+(?!\S)|\s+, at a blank. */
static size_t blanks(const struct cursor *c, size_t at) {
  size_t end = at;
  size_t last = at; /* start of the run's last character */
  size_t line = at; /* after the run's last line end */
  struct seen seen = look(c, end);
  while (is(seen, SPACE)) {
    last = end;
    end += seen.step;
    if (seen.bits & LINE) line = end;
    seen = look(c, end);
  }
  if (line > at) return line;
  if (end == c->length || last == at) return end;
  return last;
}

size_t skill__pretoken_o200k(const struct skill__classes *classes, const unsigned char *text, size_t length,
                             size_t at) {
  struct cursor c = {classes, text, length};
  struct seen first = look(&c, at);
  bool lead = !(first.bits & (LETTER | NUMBER | LINE)); /* may be the [^\r\n\p{L}\p{N}] before a word */
  size_t start = lead ? at + first.step : at;
  size_t heads = start;
  size_t end = first.bits & (NUMBER | LINE) ? start : word(&c, start, &heads);
  if (end > start) return contraction(&c, end);
  /* A mark without a word is a word itself: the pattern drops the lead before it tries [head]+[tail]*. */
  if (lead && (first.bits & LOWER)) return contraction(&c, start);
  if (heads > start) return contraction(&c, heads);
  if (first.bits & NUMBER) return numbers(&c, at);
  end = symbols(&c, at, true);
  return end > at ? end : blanks(&c, at);
}

size_t skill__pretoken_cl100k(const struct skill__classes *classes, const unsigned char *text, size_t length,
                              size_t at) {
  struct cursor c = {classes, text, length};
  size_t end = contraction(&c, at);
  if (end > at) return end;
  struct seen first = look(&c, at);
  bool lead = !(first.bits & (LETTER | NUMBER | LINE));
  size_t start = lead ? at + first.step : at;
  end = run_of(&c, start, LETTER);
  if (end > start) return end;
  if (first.bits & NUMBER) return numbers(&c, at);
  end = symbols(&c, at, false);
  return end > at ? end : blanks(&c, at);
}
