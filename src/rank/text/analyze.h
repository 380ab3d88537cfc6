/* SPDX-License-Identifier: MIT
 *
 * Text -> index tokens. One analysis for skills, queries and the trainer of the learned table.
 *
 * Words are folded (compatibility normalisation, case, marks), cut at `-`, `_`, `'` and camelCase with the joined word
 * kept beside the parts, freed of stop words and stemmed (Snowball English). Han, Kana, Hangul and Thai become
 * overlapping pairs of characters and single characters. An analyzer keeps a cache and belongs to one thread at a time.
 */
#ifndef SKILL_RANK_TEXT_ANALYZE_H
#define SKILL_RANK_TEXT_ANALYZE_H

#include <stdint.h>

#include "skillet/error.h"

/* Increase it if the same text gives other tokens: a learned table or an index file of another version is refused. */
#define SKILL__ANALYZER_VERSION 1

enum {
  SKILL__TOKEN_MAX = 64,   /* bytes; longer words are left out */
  SKILL__TOKEN_SINGLE = 1, /* one character of a script that is indexed by pairs: counts half in queries */
  SKILL__TOKEN_JOINED = 2  /* the joined form of a compound whose parts came before */
};

struct skill__analyzer;

/* Receives one token; `text` is borrowed until it returns. A result other than 0 ends the analysis and is returned. */
typedef int skill__token_fn(void *user, const char *text, size_t length, unsigned flags);

/* Owned: release with skill__analyzer_free. SKILL_ENOMEM. */
int skill__analyzer_new(struct skill__analyzer **out);
void skill__analyzer_free(struct skill__analyzer *analyzer);

/* Empties the cache of stems and frees most of its memory. */
void skill__analyzer_trim(struct skill__analyzer *analyzer);

/* Calls `fn` for each token in order. Invalid UTF-8 separates words. Returns 0, SKILL_ENOMEM, or what `fn` returned. */
int skill__analyze(struct skill__analyzer *analyzer, const char *text, size_t length, skill__token_fn *fn, void *user);

/* While `fn` runs: a number that the cache keeps with the current word, 0 at first; NULL if the word is not cached. A
 * word always gives the same token, so a caller with one dictionary may store the token's number there. */
uint32_t *skill__analyzer_memo(struct skill__analyzer *analyzer);

/* Whether a folded word is on the stop list; the second is for one or two characters of Chinese. */
bool skill__stop_word(const char *word, size_t length);
bool skill__stop_cjk(const char *text, size_t length);
/* Bit n of lengths[i] is set if a stop word of n bytes begins with the letter 'a' + i. */
void skill__stop_lengths(uint16_t lengths[26]);

#endif
