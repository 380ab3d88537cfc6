/* SPDX-License-Identifier: MIT
 *
 * A cache with four places for each hash. It grows when half of it is in use; if growing fails it stays as it is. Not
 * uthash: an entry is found by one or two cache lines, without an allocation of its own, and may be overwritten.
 */
#include "rank/text/stem_cache.h"

#include <libstemmer.h>

#include "rank/text/analyze.h"
#include "util/alloc.h"

enum { FEWEST = 2048, MOST = 65536, WAYS = 4 /* places of a word, in two neighbouring cache lines */ };

struct skill__stem_cache {
  struct sb_stemmer *stemmer;
  struct skill__stem *slots;
  uint32_t count, taken;     /* slots; those that hold a word */
  uint16_t stop_lengths[26]; /* rejects most words before the stop list is searched: 5 % of an index's build time */
};

int skill__stem_cache_new(struct skill__stem_cache **out) {
  struct skill__stem_cache *words = skill__calloc(1, sizeof *words);
  if (!words) return SKILL_ENOMEM;
  words->stemmer = sb_stemmer_new("english", "UTF_8");
  words->slots = skill__calloc(FEWEST, sizeof *words->slots);
  words->count = FEWEST;
  skill__stop_lengths(words->stop_lengths);
  if (!words->stemmer || !words->slots) {
    skill__stem_cache_free(words);
    return SKILL_ENOMEM;
  }
  *out = words;
  return 0;
}

void skill__stem_cache_free(struct skill__stem_cache *words) {
  if (!words) return;
  if (words->stemmer) sb_stemmer_delete(words->stemmer);
  skill__free(words->slots);
  skill__free(words);
}

void skill__stem_cache_trim(struct skill__stem_cache *words) {
  if (words->count == FEWEST) return;
  struct skill__stem *slots = skill__calloc(FEWEST, sizeof *slots);
  if (!slots) return;
  skill__free(words->slots);
  words->slots = slots;
  words->count = FEWEST;
  words->taken = 0;
}

static bool is_stop_word(const struct skill__stem_cache *words, const char *word, size_t length) {
  unsigned letter = (unsigned)word[0] - 'a';
  return letter < 26 && length < 16 && words->stop_lengths[letter] >> length & 1 && skill__stop_word(word, length);
}

const char *skill__stem_cache_stem(struct skill__stem_cache *words, const char *word, size_t length,
                                   enum skill__word_kind kind, size_t *stem_length) {
  *stem_length = 0;
  if (kind == SKILL__WORD_PAIR) {
    *stem_length = skill__stop_cjk(word, length) ? 0 : length;
    return word;
  }
  if (kind == SKILL__WORD_PLAIN && is_stop_word(words, word, length)) return "";
  const sb_symbol *text = sb_stemmer_stem(words->stemmer, (const sb_symbol *)word, (int)length);
  if (!text) return NULL;
  size_t n = (size_t)sb_stemmer_length(words->stemmer);
  /* Snowball leaves the plural of words without a vowel: pdfs, csvs, https. */
  if (n >= 4 && text[n - 1] == 's' && text[n - 2] != 's' && strcspn((const char *)text, "aeiouy") == n) --n;
  *stem_length = n;
  return (const char *)text;
}

/* --- the cache ---------------------------------------------------------------------------------------------------- */

static struct skill__word_key key_of(const struct skill__stem *word) {
  struct skill__word_key key;
  uint32_t end;
  memcpy(&key.a, word->text, 8);
  memcpy(&key.b, word->text + 8, 8);
  memcpy(&end, word->text + 16, 4);
  key.c = end;
  return key;
}

static bool same(const struct skill__stem *word, struct skill__word_key key, enum skill__word_kind kind) {
  struct skill__word_key other = key_of(word);
  return ((other.a ^ key.a) | (other.b ^ key.b) | (other.c ^ key.c)) == 0 && word->used && word->kind == kind;
}

/* Puts a word into a free one of its places. If none is free it takes the first, the others move up by one, and the
 * last is forgotten. */
static struct skill__stem *put(struct skill__stem_cache *words, uint32_t place, const struct skill__stem *word) {
  uint32_t at = place & (words->count - 1), way = 0;
  while (way < WAYS && words->slots[at ^ way].used) way++;
  if (way == WAYS)
    for (way = WAYS - 1; way > 0; way--) words->slots[at ^ way] = words->slots[at ^ (way - 1)];
  else
    words->taken++;
  words->slots[at ^ way] = *word;
  return &words->slots[at ^ way];
}

static void grow(struct skill__stem_cache *words) {
  struct skill__stem_cache more = {.count = words->count * 2};
  more.slots = skill__calloc(more.count, sizeof *more.slots);
  if (!more.slots) return;
  for (uint32_t i = 0; i < words->count; i++) {
    const struct skill__stem *word = &words->slots[i];
    if (word->used) put(&more, skill__stem_cache_place(key_of(word), (enum skill__word_kind)word->kind), word);
  }
  skill__free(words->slots);
  words->slots = more.slots;
  words->count = more.count;
  words->taken = more.taken;
}

/* Fills a word; false if its stem is not its beginning and a short tail. */
static bool fill(struct skill__stem *word, const char *text, const char *stem, size_t length) {
  size_t keep = 0;
  while (keep < length && keep < SKILL__WORD_SHORT && stem[keep] == text[keep]) keep++;
  if (length - keep > sizeof word->tail) return false;
  memcpy(word->tail, stem + keep, length - keep);
  word->keep = (uint8_t)keep;
  word->tail_length = (uint8_t)(length - keep);
  return true;
}

void skill__stem_cache_expect(const struct skill__stem_cache *words, uint32_t place) {
  __builtin_prefetch(&words->slots[place & (words->count - 1)]);
}

struct skill__stem *skill__stem_cache_find(struct skill__stem_cache *words, struct skill__word_key key, uint32_t place,
                                           size_t length, enum skill__word_kind kind) {
  uint32_t at = place & (words->count - 1);
  for (uint32_t way = 0; way < WAYS; way++)
    if (same(&words->slots[at ^ way], key, kind)) return &words->slots[at ^ way];
  struct skill__stem word = {.kind = (uint8_t)kind, .used = true};
  size_t stem_length = 0;
  memcpy(word.text, &key, sizeof word.text);
  const char *stem = skill__stem_cache_stem(words, word.text, length, kind, &stem_length);
  if (!stem || !fill(&word, word.text, stem, stem_length)) return NULL;
  if (words->taken > words->count / 2 && words->count < MOST) grow(words);
  return put(words, place, &word);
}
