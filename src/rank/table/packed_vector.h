/* SPDX-License-Identifier: MIT
 *
 * Vectors of skills at three bits a dimension: a sign and one of four sizes. Only directions are compared, so there is
 * no scale. A catalogue's vectors then take three eighths of what bytes would, and their cosines with a query of bytes
 * are off by less than their own spread from one wording to the next (docs/ranking.md).
 *
 * A packed vector of `dims` (a multiple of 32): dims/8 bytes of signs, dimension i in bit i%8 of byte i/8, set where it
 * is negative; then dims/4 bytes of sizes, of which byte i holds those of dimensions i, i + dims/4, i + dims/2 and
 * i + 3 dims/4, two bits each, lowest first. A size s means 2 s + 1. All zero: no direction.
 */
#ifndef SKILL_RANK_TABLE_PACKED_VECTOR_H
#define SKILL_RANK_TABLE_PACKED_VECTOR_H

#include <stddef.h>
#include <stdint.h>

static inline size_t skill__packed_size(size_t dims) {
  return dims / 8 * 3;
}

/* Rounds a sum of dims floats to skill__packed_size(dims) bytes. What is zero or not finite has no direction. */
void skill__pack(const float *sum, size_t dims, uint8_t *out);

/* `count` packed vectors to count x dims bytes of -7 to 7, and for each the factor that makes it a unit vector, 0 where
 * it has no direction. */
void skill__unpack(const uint8_t *packed, size_t count, size_t dims, int8_t *vectors, float *units);

/* The portable form of the same. */
void skill__unpack_plain(const uint8_t *packed, size_t count, size_t dims, int8_t *vectors, float *units);

#endif
