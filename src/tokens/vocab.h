/* SPDX-License-Identifier: MIT
 *
 * A packed vocabulary: one file that is mapped into memory and used without parsing.
 *
 * The file, little-endian, sections in this order and each aligned to 64 bytes:
 *
 *   header      struct skill__vocab_header
 *   offsets     u32[tokens + 1]  position of each token's bytes in `bytes`
 *   pairs2      u32[65536]       the token of two bytes, by first * 256 + second; NONE
 *   index       u8[4352]         character classes, see pretoken.h
 *   bits        u8[256 * blocks]
 *   pieces      u64[2^piece_bits] token by its bytes: fingerprint << 32 | token + 1; 0: free; linear probing
 *   merges      u64[2^merge_bits] token by the two it is merged from: left << 36 | right << 18 | token; ~0: free
 *   bytes       the tokens' bytes, in order, and 16 zeros
 *
 * A token's number is its rank: the lower, the earlier its pair is merged. `merges` has one pair for each token: the
 * last pair when the token's own bytes are merged. No other pair of the same bytes can become adjacent, because merging
 * within those bytes does not depend on the bytes around them.
 */
#ifndef SKILL_TOKENS_VOCAB_H
#define SKILL_TOKENS_VOCAB_H

#include <string.h>

#include "skillet/error.h"
#include "tokens/pretoken.h"

#define SKILL__VOCAB_MAGIC "SKVOCAB"
#define SKILL__VOCAB_VERSION 1
#define SKILL__VOCAB_ENDIAN 0x01020304u
#define SKILL__VOCAB_NONE UINT32_MAX
#define SKILL__VOCAB_SUFFIX ".skv"

enum {
  SKILL__VOCAB_MAX_TOKENS = (1 << 18) - 1,
  SKILL__VOCAB_MAX_PIECE = 1024,            /* bytes of the longest token; refused above */
  SKILL__VOCAB_MAX_BYTES = 64 * 1024 * 1024 /* of the file; refused above */
};

struct skill__vocab_header {
  char magic[8];
  uint32_t endian;
  uint32_t version;
  char name[32];
  uint32_t pattern; /* enum skill__pattern */
  uint32_t tokens;
  uint32_t longest; /* bytes of the longest token */
  uint32_t blocks;  /* distinct blocks of character classes */
  uint32_t piece_bits;
  uint32_t merge_bits;
  uint64_t byte_count; /* of all tokens */
  uint64_t file_size;
  uint64_t checksum; /* of the whole file with this field zero */
};

struct skill__vocab {
  const struct skill__vocab_header *header;
  const uint32_t *offsets;
  const uint32_t *pairs2;
  const uint64_t *pieces;
  const uint64_t *merges;
  const unsigned char *bytes;
  struct skill__classes classes;
  enum skill__pattern pattern;
  uint32_t longest;
  uint32_t single[256]; /* the token of each byte */
  unsigned piece_shift;
  unsigned merge_shift;
  size_t piece_mask;
  size_t merge_mask;
  size_t size;
};

/* The offsets of the sections of a file with this header; the last is the end of the file. */
struct skill__vocab_layout {
  size_t offsets, pairs2, index, bits, pieces, merges, bytes, end;
};
struct skill__vocab_layout skill__vocab_layout(const struct skill__vocab_header *header);

/* Maps the file at `path` and checks all of it. SKILL_ENOENT, SKILL_EIO, SKILL_EPARSE (damaged or of another version),
 * SKILL_ELIMIT. Release with skill__vocab_close. Once open it never changes: any thread may read it. */
int skill__vocab_open(const char *path, struct skill__vocab *out, SkillError *err);
void skill__vocab_close(struct skill__vocab *vocab);

static inline uint64_t skill__vocab_read(const unsigned char *p, size_t bytes) {
  uint64_t word = 0;
  memcpy(&word, p, bytes);
  return word;
}

/* The hash of a piece; part of the file format. */
static inline uint64_t skill__vocab_hash(const unsigned char *p, size_t length) {
  uint64_t a;
  uint64_t b = 0;
  if (length >= 8) {
    uint64_t mix = 0;
    for (size_t i = 8; i + 8 < length; i += 8) {
      mix = (mix ^ skill__vocab_read(p + i, 8)) * UINT64_C(0xc2b2ae3d27d4eb4f);
      mix ^= mix >> 32;
    }
    a = skill__vocab_read(p, 8) ^ mix;
    b = skill__vocab_read(p + length - 8, 8);
  } else if (length >= 4) {
    a = skill__vocab_read(p, 4) | skill__vocab_read(p + length - 4, 4) << 32;
  } else {
    a = (uint64_t)p[0] << 16 | (uint64_t)p[length >> 1] << 8 | p[length - 1];
  }
  uint64_t h = (a ^ length * UINT64_C(0xff51afd7ed558ccd)) * UINT64_C(0x9e3779b97f4a7c15);
  h ^= h >> 32;
  h = (h + b) * UINT64_C(0xd6e8feb86659fd93);
  return h ^ h >> 32;
}

/* The token whose bytes are exactly these, or SKILL__VOCAB_NONE. `length` > 0. */
static inline uint32_t skill__vocab_find(const struct skill__vocab *vocab, const unsigned char *p, size_t length,
                                         uint64_t hash) {
  if (length > vocab->longest) return SKILL__VOCAB_NONE;
  for (size_t slot = hash >> vocab->piece_shift;; slot = (slot + 1) & vocab->piece_mask) {
    uint64_t entry = vocab->pieces[slot];
    if (!entry) return SKILL__VOCAB_NONE;
    if (entry >> 32 != (hash & 0xffffffffu)) continue;
    uint32_t token = (uint32_t)entry - 1;
    uint32_t offset = vocab->offsets[token];
    if (vocab->offsets[token + 1] - offset == length && !memcmp(vocab->bytes + offset, p, length)) return token;
  }
}

static inline size_t skill__vocab_merge_slot(uint64_t pair, unsigned shift) {
  return (size_t)((pair * UINT64_C(0x9e3779b97f4a7c15)) >> shift);
}

/* The token that `left` and `right` merge into, or SKILL__VOCAB_NONE. */
static inline uint32_t skill__vocab_merge(const struct skill__vocab *vocab, uint32_t left, uint32_t right) {
  uint64_t pair = (uint64_t)left << 18 | right;
  for (size_t slot = skill__vocab_merge_slot(pair, vocab->merge_shift);; slot = (slot + 1) & vocab->merge_mask) {
    uint64_t entry = vocab->merges[slot];
    if (entry >> 18 == pair) return (uint32_t)(entry & SKILL__VOCAB_MAX_TOKENS);
    if (entry == UINT64_MAX) return SKILL__VOCAB_NONE;
  }
}

#endif
