/* SPDX-License-Identifier: MIT
 *
 * A table of terms in memory: what its reader fills and the vector functions use.
 */
#ifndef SKILL_RANK_TERMS_DATA_H
#define SKILL_RANK_TERMS_DATA_H

#include "rank/terms_file.h"

/* Keys of bucket b are first[b] to first[b + 1], little-endian in the file's own bytes. */
struct skill__terms_index {
  const unsigned char *keys;
  uint32_t first[SKILL__TERMS_BUCKETS + 1];
};

struct skill__terms {
  unsigned char *data; /* the whole file */
  uint32_t rows, shares, dims, bits, documents;
  const unsigned char *share;
  const unsigned char *values;
  struct skill__terms_index row_index;
  struct skill__terms_index share_index;
  float share_of[256];
  float scale[]; /* of each row */
};

#endif
