/* SPDX-License-Identifier: MIT
 *
 * The words of a query that no skill has, as they were written: not their stems, and of scripts without blanks not the
 * pairs of characters that the index holds, most of which straddle two words. Fails only when memory is out.
 */
#include <string.h>

#include "rank/query/context.h"
#include "rank/text/fold.h"
#include "util/utf8.h"

struct finder {
  struct skill__context *context;
  skill__unknown_word_fn *fn;
  void *user;
  const struct skill__qterm *first; /* of the word at hand */
  bool known;
};

static int look(void *user, const char *text, size_t length, unsigned flags) {
  (void)flags;
  struct finder *finder = user;
  const struct skill__qterm *term = skill__query_find(finder->context, text, length);
  if (!term) return 0;
  if (!finder->first) finder->first = term;
  finder->known |= term->id != SKILL__DICT_NONE;
  return 0;
}

/* A word between anything that is no letter; a compound's parts are words here. */
static int word(struct finder *finder, const char *text, size_t length) {
  finder->first = NULL;
  finder->known = false;
  int status = skill__analyze(finder->context->analyzer, text, length, look, finder);
  if (status < 0 || !finder->first || finder->known) return status < 0 ? status : 0;
  uint32_t *reported = &finder->context->counts[finder->first - finder->context->query.terms];
  if (*reported) return 0;
  *reported = 1;
  return finder->fn(finder->user, text, length);
}

/* --- scripts without blanks --------------------------------------------------------------------------------------- */

static bool hiragana(const char *text) {
  unsigned char a = (unsigned char)text[0], b = (unsigned char)text[1];
  return a == 0xe3 && (b == 0x81 || (b == 0x82 && (unsigned char)text[2] < 0xa0)); /* U+3040 to U+309F */
}

static bool lacks(const struct finder *finder, const char *text, size_t length) {
  const struct skill__qterm *term = skill__query_find(finder->context, text, length);
  return term && term->id == SKILL__DICT_NONE;
}

/* Grammatical endings are not what is missing. */
static int tell(struct finder *finder, const char *text, size_t from, size_t to, size_t length) {
  size_t start = from, end = to;
  while (end - start >= 3 && hiragana(text + start)) start += 3;
  while (end - start >= 3 && hiragana(text + end - 3)) end -= 3;
  if (start == end) {
    if (from > 0 || to < length) return 0; /* nothing but an ending */
    start = from, end = to;
  }
  uint32_t rune = 0; /* one character is a word in Chinese only */
  bool one = skill__utf8_decode(text + start, end - start, &rune) == end - start;
  if (one && (rune < 0x3400 || rune > 0x9fff || !lacks(finder, text + start, end - start))) return 0;
  return finder->fn(finder->user, text + start, end - start);
}

/* A character is missing when each pair that it is part of is; those side by side make a word. */
static int run(struct finder *finder, const char *text, size_t length) {
  size_t from = SIZE_MAX, before = 0, n = 0;
  int status = 0;
  for (size_t at = 0; at < length && !status; before = n, at += n) {
    uint32_t rune = 0;
    n = skill__utf8_decode(text + at, length - at, &rune);
    size_t next = at + n < length ? skill__utf8_decode(text + at + n, length - at - n, &rune) : 0;
    bool missing = (before || next) && (!before || lacks(finder, text + at - before, before + n)) &&
                   (!next || lacks(finder, text + at, n + next));
    if (!before && !next) missing = lacks(finder, text + at, n);
    if (missing && from == SIZE_MAX) from = at;
    if (missing && next) continue;
    if (from != SIZE_MAX) status = tell(finder, text, from, missing ? at + n : at, length);
    from = SIZE_MAX;
  }
  return status;
}

static bool lacks_any(const struct skill__query *query) {
  for (size_t i = 0; i < query->term_count; i++)
    if (query->terms[i].id == SKILL__DICT_NONE) return true;
  return false;
}

int skill__query_unknown_words(struct skill__context *context, const char *text, size_t length,
                               skill__unknown_word_fn *fn, void *user) {
  struct finder finder = {context, fn, user, NULL, false};
  int status = 0;
  if (!lacks_any(&context->query)) return 0;
  memset(context->counts, 0, context->query.term_count * sizeof *context->counts);
  for (size_t at = 0, end, n; at < length && !status; at = end) {
    uint32_t rune = 0;
    n = skill__utf8_decode(text + at, length - at, &rune);
    enum skill__char kind = n ? skill__char_kind(rune) : SKILL__CHAR_OTHER;
    for (end = at + (n ? n : 1); end < length; end += n) {
      n = skill__utf8_decode(text + end, length - end, &rune);
      if (!n || skill__char_kind(rune) != kind) break;
    }
    if (kind == SKILL__CHAR_WORD) status = word(&finder, text + at, end - at);
    if (kind == SKILL__CHAR_PAIR) status = run(&finder, text + at, end - at);
  }
  return status;
}
