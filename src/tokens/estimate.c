/* SPDX-License-Identifier: MIT
 *
 * The estimate: how many tokens a text has, without a vocabulary.
 *
 * The text is cut where current byte-pair tokenizers cut it (words, groups of three digits, punctuation, line ends).
 * Each kind of piece has a weight that was fitted to o200k_base; docs/tokens.md has the error. One pass without memory
 * or state: it cannot fail, and any thread may call it. Invalid bytes count as U+FFFD, which is what a model receives.
 */
#include <string.h>

#include "tokens/tokens.h"
#include "util/utf8.h"

enum kind {
  KIND_LOWER,
  KIND_UPPER,
  KIND_ACCENT, /* letters with marks: part of a word, with a larger weight */
  KIND_DIGIT,
  KIND_SPACE,
  KIND_LINE,
  KIND_PUNCT,
  KIND_SYMBOL, /* arrows, box drawing, dingbats */
  KIND_HAN,
  KIND_KANA,
  KIND_LETTER,
  KIND_RARE
};

struct range {
  uint32_t first, last;
  enum kind kind;
};

/* Sorted. Everything between them is KIND_RARE: scripts with few tokens in a vocabulary, symbols, emoji. */
static const struct range ranges[] = {
    {0xa0, 0xbf, KIND_PUNCT},     {0xc0, 0x24f, KIND_ACCENT},    {0x370, 0x52f, KIND_LETTER},
    {0x590, 0x6ff, KIND_LETTER},  {0x900, 0xeff, KIND_LETTER},   {0x1e00, 0x1eff, KIND_ACCENT},
    {0x2000, 0x206f, KIND_PUNCT}, {0x2070, 0x2bff, KIND_SYMBOL}, {0x3000, 0x303f, KIND_PUNCT},
    {0x3040, 0x30ff, KIND_KANA},  {0x3400, 0x9fff, KIND_HAN},    {0xac00, 0xd7af, KIND_KANA},
    {0xf900, 0xfaff, KIND_HAN},   {0xff00, 0xff65, KIND_PUNCT},
};

static enum kind kind_of(uint32_t rune) {
  if (rune >= 'a' && rune <= 'z') return KIND_LOWER;
  if (rune >= 'A' && rune <= 'Z') return KIND_UPPER;
  if (rune >= '0' && rune <= '9') return KIND_DIGIT;
  if (rune == '\n' || rune == '\r') return KIND_LINE;
  if (rune == ' ' || rune == '\t') return KIND_SPACE;
  if (rune < 0xa0) return KIND_PUNCT;
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    if (rune <= ranges[i].last) return rune >= ranges[i].first ? ranges[i].kind : KIND_RARE;
  }
  return KIND_RARE;
}

/* The counted parts of a text; the estimate is their weighted sum. */
enum feature {
  PART_WORD,    /* words of Latin letters; each part of camelCase is one */
  PART_LONG,    /* letters of a word beyond its sixth */
  PART_CAPITAL, /* capitals after the first of their word */
  PART_DIGITS,  /* groups of up to three digits */
  PART_PUNCT,   /* runs of punctuation */
  PART_MORE,    /* punctuation after the first of its run */
  PART_SPACE,   /* runs of two or more spaces */
  PART_LINE,    /* runs of line ends */
  PART_HAN,     /* characters */
  PART_KANA,    /* characters, Hangul too */
  PART_LETTER,  /* letters of other alphabets */
  PART_ACCENT,  /* letters with marks */
  PART_SYMBOL,  /* characters */
  PART_RARE,    /* anything else */
  PART_COUNT
};

/* Tokens of one of each, in 1/1024. */
static const uint64_t price[PART_COUNT] = {
    [PART_WORD] = 984,   [PART_LONG] = 80,     [PART_CAPITAL] = 64, [PART_DIGITS] = 1617, [PART_PUNCT] = 826,
    [PART_MORE] = 232,   [PART_SPACE] = 393,   [PART_LINE] = 818,   [PART_HAN] = 772,     [PART_KANA] = 840,
    [PART_LETTER] = 369, [PART_ACCENT] = 1000, [PART_SYMBOL] = 526, [PART_RARE] = 1740};

struct scan {
  const char *text;
  size_t length;
  size_t at;
  uint32_t rune;
  enum kind kind;
};

static bool next(struct scan *scan) {
  if (scan->at >= scan->length) return false;
  size_t step = skill__utf8_decode(scan->text + scan->at, scan->length - scan->at, &scan->rune);
  if (!step) scan->rune = 0xfffd;
  scan->at += step ? step : 1;
  scan->kind = kind_of(scan->rune);
  return true;
}

static void count_parts(struct scan *scan, uint64_t parts[PART_COUNT]) {
  size_t run = 0;             /* characters of the same kind so far; a word is one kind */
  enum kind last = KIND_RARE; /* not in a word */
  while (next(scan)) {
    enum kind kind = scan->kind;
    bool word = kind == KIND_LOWER || kind == KIND_UPPER || kind == KIND_ACCENT;
    /* A capital after a small letter begins a new part; other letters continue the word. */
    bool goes_on = kind == last || (word && kind != KIND_UPPER && last <= KIND_ACCENT);
    run = goes_on ? run + 1 : 1;
    last = kind;
    if (word) {
      parts[PART_WORD] += run == 1;
      parts[PART_LONG] += run > 6;
      parts[PART_CAPITAL] += run > 1 && kind == KIND_UPPER;
      parts[PART_ACCENT] += kind == KIND_ACCENT;
    } else if (kind == KIND_DIGIT) {
      parts[PART_DIGITS] += run % 3 == 1;
    } else if (kind == KIND_PUNCT) {
      parts[run == 1 ? PART_PUNCT : PART_MORE]++;
    } else if (kind == KIND_SPACE) {
      parts[PART_SPACE] += run == 2;
    } else if (kind == KIND_LINE) {
      parts[PART_LINE] += run == 1;
    } else {
      static const enum feature single[] = {[KIND_SYMBOL] = PART_SYMBOL,
                                            [KIND_HAN] = PART_HAN,
                                            [KIND_KANA] = PART_KANA,
                                            [KIND_LETTER] = PART_LETTER,
                                            [KIND_RARE] = PART_RARE};
      parts[single[kind]]++;
    }
  }
}

static size_t estimate_count(SkillTokenizer *tokenizer, const char *text, size_t length) {
  (void)tokenizer;
  if (!length) return 0;
  uint64_t parts[PART_COUNT] = {0};
  struct scan scan = {.text = text, .length = length};
  count_parts(&scan, parts);
  uint64_t sum = 0;
  for (size_t i = 0; i < PART_COUNT; i++) sum += parts[i] * price[i];
  return sum < 1024 ? 1 : (size_t)((sum + 512) / 1024);
}

SkillTokenizer *skill_tokenizer_estimate(void) {
  static SkillTokenizer estimate = {SKILL_TOKENIZER_VERSION, "estimate", false, true, NULL, estimate_count, NULL, NULL};
  return &estimate;
}
