/* SPDX-License-Identifier: MIT
 *
 * A word's token: the Snowball stem of a lower-case ASCII word, a pair of characters as it is, nothing for a stop word.
 * Stems of short words are cached; a hit reads one cache line. The cache is lossy: a word may be forgotten at any time.
 */
#ifndef SKILL_RANK_TEXT_STEM_CACHE_H
#define SKILL_RANK_TEXT_STEM_CACHE_H

#include <stdint.h>
#include <string.h>

#include "skillet/error.h"

enum {
  SKILL__WORD_SHORT = 20,  /* bytes; longer words are not cached */
  SKILL__WORD_LONGEST = 40 /* words of this many bytes and more give no token */
};

enum skill__word_kind {
  SKILL__WORD_PLAIN,
  SKILL__WORD_JOINED, /* of several parts: a token even if it is a stop word */
  SKILL__WORD_PAIR    /* one or two characters of a script without blanks */
};

/* A cached word, half a cache line. Its stem is its first `keep` bytes and a tail. */
struct skill__stem {
  uint32_t memo; /* the caller's; 0 at first */
  char text[SKILL__WORD_SHORT];
  char tail[4];
  uint8_t keep, tail_length;
  uint8_t kind;
  bool used;
};

struct skill__stem_cache;

/* Owned: release with skill__stem_cache_free. SKILL_ENOMEM. */
int skill__stem_cache_new(struct skill__stem_cache **out);
void skill__stem_cache_free(struct skill__stem_cache *words);

/* Empties the cache and frees most of its memory. */
void skill__stem_cache_trim(struct skill__stem_cache *words);

/* A short word, filled up with zeros. */
struct skill__word_key {
  uint64_t a, b, c;
};

static inline uint64_t skill__word_lower(uint64_t x) {
  const uint64_t ones = 0x0101010101010101u;
  uint64_t capital = (x + ones * (0x80 - 'A')) & ~(x + ones * (0x7f - 'Z')) & ones * 0x80;
  return x | capital >> 2;
}

/* `room` bytes may be read at `text`, at least `length`. Branch-free: a branch on the word's length is unpredictable.
 */
static inline struct skill__word_key skill__word_key(const char *text, size_t length, size_t room) {
  static const uint64_t masks[6] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, 0, 0};
  struct skill__word_key key = {0, 0, 0}, mask;
  if (room < sizeof key) {
    memcpy(&key, text, length);
    return key;
  }
  memcpy(&key, text, sizeof key);
  memcpy(&mask, (const char *)masks + sizeof key - length, sizeof mask);
  return (struct skill__word_key){key.a & mask.a, key.b & mask.b, key.c & mask.c};
}

/* Of an ASCII word, in lower case. */
static inline struct skill__word_key skill__word_key_lower(const char *text, size_t length, size_t room) {
  struct skill__word_key key = skill__word_key(text, length, room);
  return (struct skill__word_key){skill__word_lower(key.a), skill__word_lower(key.b), skill__word_lower(key.c)};
}

/* The place of a word in the cache, and a prefetch of that place. */
static inline uint32_t skill__stem_cache_place(struct skill__word_key key, enum skill__word_kind kind) {
  uint64_t h = (key.a ^ kind) * 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 32 ^ key.b) * 0xff51afd7ed558ccdu;
  h = (h ^ h >> 32 ^ key.c) * 0xc4ceb9fe1a85ec53u;
  return (uint32_t)(h >> 32);
}
void skill__stem_cache_expect(const struct skill__stem_cache *words, uint32_t place);

/* The word of a key, which is added if it is new. Borrowed until the next call. NULL: it cannot be cached, or out of
 * memory. */
struct skill__stem *skill__stem_cache_find(struct skill__stem_cache *words, struct skill__word_key key, uint32_t place,
                                           size_t length, enum skill__word_kind kind);

/* The stem of a lower-case word of any length, "" for a stop word; borrowed until the next call. NULL: out of memory.
 */
const char *skill__stem_cache_stem(struct skill__stem_cache *words, const char *word, size_t length,
                                   enum skill__word_kind kind, size_t *stem_length);

#endif
