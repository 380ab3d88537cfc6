/* SPDX-License-Identifier: MIT
 *
 * The exact tokenizer: pre-tokenizer, vocabulary and merging as a SkillTokenizer. Only opening can fail. Text that is
 * not UTF-8 is counted with U+FFFD in place of invalid bytes, which is what a model receives.
 *
 * Threads: the vocabulary is read-only and shared. A small cache holds the counts of pieces that are not single tokens.
 * A call that finds the cache in use by another thread runs without it, so any thread may count and none waits.
 */
#include <stdatomic.h>
#include <string.h>

#include "tokens/merge.h"
#include "tokens/tokens.h"
#include "util/alloc.h"
#include "util/utf8.h"

enum { CACHE_SLOTS = 1 << 13, CACHE_BYTES = 58 };

/* One cache line. */
struct remembered {
  uint32_t hash;
  uint8_t length; /* 0: free */
  uint8_t count;
  unsigned char bytes[CACHE_BYTES];
};

struct bytepair {
  SkillTokenizer table;
  struct skill__vocab vocab;
  atomic_flag taken;        /* a call is using the cache */
  struct remembered *cache; /* NULL until first needed, or if memory is out */
};

/* The results of a call. */
struct sink {
  uint32_t *ids;
  size_t room;
  size_t count;
};

static struct remembered *take_cache(struct bytepair *self) {
  if (atomic_flag_test_and_set_explicit(&self->taken, memory_order_acquire)) return NULL;
  if (!self->cache) self->cache = skill__calloc(CACHE_SLOTS, sizeof *self->cache);
  if (!self->cache) atomic_flag_clear_explicit(&self->taken, memory_order_release);
  return self->cache;
}

static void leave_cache(struct bytepair *self, const struct remembered *cache) {
  if (cache) atomic_flag_clear_explicit(&self->taken, memory_order_release);
}

static size_t merged_count(const struct skill__vocab *vocab, struct remembered *cache, const unsigned char *piece,
                           size_t length, uint64_t hash) {
  if (!cache || length > CACHE_BYTES) return skill__merge(vocab, piece, length, NULL, 0);
  struct remembered *slot = &cache[(hash >> 40) % CACHE_SLOTS];
  if (slot->hash == (uint32_t)hash && slot->length == length && !memcmp(slot->bytes, piece, length)) return slot->count;
  size_t count = skill__merge(vocab, piece, length, NULL, 0);
  slot->hash = (uint32_t)hash;
  slot->length = (uint8_t)length;
  slot->count = (uint8_t)count;
  memcpy(slot->bytes, piece, length);
  return count;
}

static inline size_t count_valid(const struct skill__vocab *vocab, enum skill__pattern pattern,
                                 struct remembered *cache, const unsigned char *text, size_t length) {
  size_t count = 0;
  size_t end = 0;
  for (size_t at = 0; at < length; at = end) {
    end = skill__pretoken_next(&vocab->classes, pattern, text, length, at);
    size_t size = end - at;
    if (size == 1) {
      count++;
      continue;
    }
    uint64_t hash = skill__vocab_hash(text + at, size);
    bool whole = skill__vocab_find(vocab, text + at, size, hash) != SKILL__VOCAB_NONE;
    count += whole ? 1 : merged_count(vocab, cache, text + at, size, hash);
  }
  return count;
}

static void encode_valid(const struct skill__vocab *vocab, struct sink *sink, const unsigned char *text,
                         size_t length) {
  size_t end = 0;
  for (size_t at = 0; at < length; at = end) {
    end = skill__pretoken_next(&vocab->classes, vocab->pattern, text, length, at);
    uint32_t id = skill__vocab_find(vocab, text + at, end - at, skill__vocab_hash(text + at, end - at));
    size_t room = sink->room > sink->count ? sink->room - sink->count : 0;
    uint32_t *ids = room ? sink->ids + sink->count : NULL;
    if (id == SKILL__VOCAB_NONE) {
      sink->count += skill__merge(vocab, text + at, end - at, ids, room);
    } else {
      if (room) *ids = id;
      sink->count++;
    }
  }
}

/* Bytes of the invalid sequence at the beginning of `text` that one U+FFFD replaces: the longest beginning of a valid
 * character, as in the WHATWG decoder and in Unicode's recommendation. */
static size_t broken_length(const unsigned char *text, size_t length) {
  static const char rest[] = "\x80\x80\x80";
  char probe[4];
  size_t take = 0;
  for (size_t n = 1; n <= 3 && n <= length; n++) {
    /* A beginning can be completed by one of these second bytes; later bytes are all alike. */
    static const unsigned char seconds[] = {0x80, 0x90, 0xa0};
    bool open = false;
    for (size_t i = 0; i < sizeof seconds && !open; i++) {
      memcpy(probe, rest, 3);
      probe[3] = '\x80';
      probe[1] = (char)seconds[i];
      memcpy(probe, text, n);
      open = skill__utf8_length(probe, 4) > n;
    }
    if (!open) break;
    take = n;
  }
  return take ? take : 1;
}

/* A copy of `text` as valid UTF-8; NULL: out of memory. */
static char *repaired(const char *text, size_t length, size_t *out_length) {
  struct skill__buf buf;
  skill__buf_init(&buf, SIZE_MAX / 4);
  for (size_t at = 0; at < length;) {
    size_t good = skill__utf8_valid(text + at, length - at);
    skill__buf_add(&buf, text + at, good);
    at += good;
    if (at == length) break;
    skill__buf_text(&buf, "\xef\xbf\xbd");
    at += broken_length((const unsigned char *)text + at, length - at);
  }
  return skill__buf_take(&buf, out_length);
}

static size_t count_text(struct bytepair *self, const char *text, size_t length) {
  const unsigned char *bytes = (const unsigned char *)text;
  struct remembered *cache = take_cache(self);
  size_t count = self->vocab.pattern == SKILL__PATTERN_O200K
                     ? count_valid(&self->vocab, SKILL__PATTERN_O200K, cache, bytes, length)
                     : count_valid(&self->vocab, SKILL__PATTERN_CL100K, cache, bytes, length);
  leave_cache(self, cache);
  return count;
}

/* Without memory for a valid copy: counts each valid part, and one token for each invalid sequence. */
static size_t count_stretches(struct bytepair *self, const char *text, size_t length) {
  size_t count = 0;
  for (size_t at = 0; at < length;) {
    size_t good = skill__utf8_valid(text + at, length - at);
    count += count_text(self, text + at, good);
    at += good;
    if (at == length) break;
    at += broken_length((const unsigned char *)text + at, length - at);
    count++;
  }
  return count;
}

static size_t bytepair_count(SkillTokenizer *tokenizer, const char *text, size_t length) {
  struct bytepair *self = tokenizer->impl;
  if (skill__utf8_valid(text, length) == length) return count_text(self, text, length);
  size_t copy_length = 0;
  char *copy = repaired(text, length, &copy_length);
  size_t count = copy ? count_text(self, copy, copy_length) : count_stretches(self, text, length);
  skill__free(copy);
  return count;
}

static size_t bytepair_encode(SkillTokenizer *tokenizer, const char *text, size_t length, uint32_t *ids, size_t room) {
  struct bytepair *self = tokenizer->impl;
  struct sink sink = {.ids = ids, .room = ids ? room : 0};
  char *copy = NULL;
  if (skill__utf8_valid(text, length) != length) copy = repaired(text, length, &length);
  encode_valid(&self->vocab, &sink, (const unsigned char *)(copy ? copy : text), length);
  skill__free(copy);
  return sink.count;
}

static void bytepair_free(SkillTokenizer *tokenizer) {
  struct bytepair *self = tokenizer->impl;
  skill__vocab_close(&self->vocab);
  skill__free(self->cache);
  skill__free(self);
}

int skill__bytepair_open(const char *path, SkillTokenizer **out, SkillError *err) {
  struct bytepair *self = skill__calloc(1, sizeof *self);
  if (!self) return skill_error_set(err, SKILL_ENOMEM, "no memory for a tokenizer");
  int status = skill__vocab_open(path, &self->vocab, err);
  if (status) {
    skill__free(self);
    return status;
  }
  atomic_flag_clear(&self->taken);
  self->table = (SkillTokenizer){.version = SKILL_TOKENIZER_VERSION,
                                 .name = self->vocab.header->name,
                                 .exact = true,
                                 .threadsafe = true,
                                 .impl = self,
                                 .count = bytepair_count,
                                 .encode = bytepair_encode,
                                 .free = bytepair_free};
  *out = &self->table;
  return 0;
}
