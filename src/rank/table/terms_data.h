/* SPDX-License-Identifier: MIT
 *
 * A table of terms in memory: what its reader fills and the vector functions use.
 */
#ifndef SKILL_RANK_TABLE_TERMS_DATA_H
#define SKILL_RANK_TABLE_TERMS_DATA_H

#include <stdbool.h>
#include <string.h>

#include "rank/table/terms_file.h"

enum { SKILL__TERMS_GROUP = 64, SKILL__TERMS_GROUPS = SKILL__TERMS_BUCKETS / SKILL__TERMS_GROUP };

/* Keys lie bucket by bucket, little-endian in the file's own bytes, as its counts do. Where a bucket begins is the
 * first of its group and the counts of those before it in the group. */
struct skill__terms_index {
  const unsigned char *counts, *keys;
  uint32_t first[SKILL__TERMS_GROUPS];
  uint32_t total;
};

struct skill__terms {
  unsigned char *data; /* the whole file */
  size_t length;
  bool mapped; /* or in memory of its own */
  uint32_t rows, shares, dims, bits, documents;
  const unsigned char *share;
  const unsigned char *scale; /* f32 of each row */
  const unsigned char *values;
  struct skill__terms_index row_index;
  struct skill__terms_index share_index;
  float share_of[256];
};

static inline uint32_t skill__terms_u32(const unsigned char *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline float skill__terms_scale(const struct skill__terms *terms, uint32_t row) {
  uint32_t bits = skill__terms_u32(terms->scale + 4 * (size_t)row);
  float scale;
  memcpy(&scale, &bits, sizeof scale);
  return scale;
}

#endif
