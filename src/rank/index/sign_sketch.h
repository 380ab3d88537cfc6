/* SPDX-License-Identifier: MIT
 *
 * Sketches of vectors: one bit for the sign of each dimension. They find the vectors that may be near a query in a
 * fraction of the time of a product; only those get an exact cosine. A query weighs each sign by its own size in that
 * dimension: the distance is the sum of the weights of the signs that differ, in steps that make 255 far away.
 *
 * Sketches are stored in blocks of 32 vectors, byte by byte: first the first byte of each of the 32, then the second of
 * each. So one instruction reads one byte of 32 vectors, and several queries share one pass.
 */
#ifndef SKILL_RANK_INDEX_SIGN_SKETCH_H
#define SKILL_RANK_INDEX_SIGN_SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SKILL__SKETCH_DIMS = 128, SKILL__SKETCH_BYTES = SKILL__SKETCH_DIMS / 8, SKILL__SKETCH_BLOCK = 32 };

/* Whether so many vectors have sketches: few are looked at one by one. */
enum { SKILL__SKETCH_FROM = 256 };
static inline bool skill__sketched(size_t dims, size_t rows) {
  return dims == SKILL__SKETCH_DIMS && rows > SKILL__SKETCH_FROM;
}

/* Bytes of the sketches of so many vectors, in whole blocks. */
static inline size_t skill__sketch_size(size_t rows) {
  return (rows + SKILL__SKETCH_BLOCK - 1) / SKILL__SKETCH_BLOCK * SKILL__SKETCH_BLOCK * SKILL__SKETCH_BYTES;
}

/* The sketches of `rows` packed vectors of SKILL__SKETCH_DIMS dimensions; skill__sketch_size(rows) bytes. */
void skill__sketch_make(const uint8_t *packed, size_t rows, uint8_t *sketches);

/* Takes the signs of one vector out of them again, SKILL__SKETCH_BYTES. */
void skill__sketch_signs(const uint8_t *sketches, size_t row, uint8_t *signs);

/* What each value of a sketch's half bytes adds to the distance. */
struct skill__sketch_query {
  uint8_t of[2 * SKILL__SKETCH_BYTES][16];
};

/* Of a query's vector of SKILL__SKETCH_DIMS bytes. */
void skill__sketch_query(const int8_t *vector, struct skill__sketch_query *query);

/* The rows nearest to one query while they are looked for. */
struct skill__sketch_near {
  uint32_t *rows;     /* skill__sketch_room(want); ascending */
  uint8_t *distances; /* as many */
  size_t want, count;
  uint8_t limit; /* only what is nearer is taken */
};
static inline size_t skill__sketch_room(size_t want) {
  return 2 * want + 256;
}

/* Finds the `want` rows of least distance of each query, of equal ones the lower; fewer where no more are nearer than
 * 255. `near` has rows, distances and want set. */
void skill__sketch_nearest(const uint8_t *sketches, size_t rows, const struct skill__sketch_query *queries,
                           struct skill__sketch_near *near, size_t count);

/* The portable form of the same. */
void skill__sketch_nearest_plain(const uint8_t *sketches, size_t rows, const struct skill__sketch_query *queries,
                                 struct skill__sketch_near *near, size_t count);

#endif
