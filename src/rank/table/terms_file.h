/* SPDX-License-Identifier: MIT
 *
 * Offsets in a file of learned terms, shared by its reader and its writer; terms.h describes the format.
 */
#ifndef SKILL_RANK_TABLE_TERMS_FILE_H
#define SKILL_RANK_TABLE_TERMS_FILE_H

#include "rank/table/terms.h"
#include "util/hash.h"

#define SKILL__TERMS_MAGIC "SKILTERM"

enum {
  SKILL__TERMS_HEADER = 72,
  SKILL__TERMS_BUCKETS = 65536,
  SKILL__TERMS_ALIGN = 16,
  SKILL__TERMS_SHARE_STEPS = 16, /* steps of a share's logarithm to a factor of two */
  SKILL__TERMS_NO_SHARE = 255,   /* instead of steps: the token was not counted */

  /* offsets in the header */
  SKILL__TERMS_AT_VERSION = 8,
  SKILL__TERMS_AT_ANALYZER = 12,
  SKILL__TERMS_AT_ROWS = 16,
  SKILL__TERMS_AT_SHARES = 20,
  SKILL__TERMS_AT_DIMS = 24,
  SKILL__TERMS_AT_BITS = 28,
  SKILL__TERMS_AT_DOCUMENTS = 32,
  SKILL__TERMS_AT_ZERO = 36,
  SKILL__TERMS_AT_SIZE = 56,
  SKILL__TERMS_AT_CHECKSUM = 64
};

/* Offsets of the sections in bytes; `end` is the file's size. */
struct skill__terms_layout {
  size_t row_counts, row_keys, share_counts, share_keys, share, scale, values, end;
};

struct skill__terms_layout skill__terms_layout(size_t rows, size_t shares, size_t dims, unsigned bits);

/* The place of a token: its bucket and its key in it. */
static inline uint32_t skill__terms_bucket(uint64_t hash) {
  return (uint32_t)(hash >> 48);
}

static inline uint32_t skill__terms_key(uint64_t hash) {
  return (uint32_t)(hash >> 16);
}

#endif
