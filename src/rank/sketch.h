/* SPDX-License-Identifier: MIT
 *
 * Sketches of vectors: one bit for the sign of each dimension. How many bits differ tells the angle between two vectors
 * roughly, at an eighth of the memory and a fraction of the time; the few that are near get their exact cosine.
 *
 * Sketches lie in blocks of 32 vectors, byte by byte: first the first byte of each of the 32, then the second of each.
 * So one instruction compares a byte of 32 vectors, and several queries share one pass.
 */
#ifndef SKILL_RANK_SKETCH_H
#define SKILL_RANK_SKETCH_H

#include <stddef.h>
#include <stdint.h>

enum { SKILL__SKETCH_DIMS = 128, SKILL__SKETCH_BYTES = SKILL__SKETCH_DIMS / 8, SKILL__SKETCH_BLOCK = 32 };

struct skill__sketch {
  uint8_t bytes[SKILL__SKETCH_BYTES];
};

/* `rows` rounded up to whole blocks: how many distances there are, and how many sketches are held. */
static inline size_t skill__sketch_rows(size_t rows) {
  return (rows + SKILL__SKETCH_BLOCK - 1) / SKILL__SKETCH_BLOCK * SKILL__SKETCH_BLOCK;
}
static inline size_t skill__sketch_size(size_t rows) {
  return skill__sketch_rows(rows) * SKILL__SKETCH_BYTES;
}

/* The sketch of one vector of SKILL__SKETCH_DIMS bytes, and those of `rows` of them, skill__sketch_size(rows) bytes. */
struct skill__sketch skill__sketch_of(const int8_t *vector);
void skill__sketch_make(const int8_t *vectors, size_t rows, uint8_t *sketches);

/* distances[q * skill__sketch_rows(rows) + row] = differing bits of query q and the row; those behind the last row are
 * UINT8_MAX. */
void skill__sketch_distances(const uint8_t *sketches, size_t rows, const struct skill__sketch *queries, size_t count,
                             uint8_t *distances);

/* The portable form of the same. */
void skill__sketch_distances_plain(const uint8_t *sketches, size_t rows, const struct skill__sketch *queries,
                                   size_t count, uint8_t *distances);

/* Fills `out` with the rows of least distance: all up to the least distance that gives `want` of them, but no more than
 * `room`. Returns how many; rows ascend. `distances` are of one query. */
size_t skill__sketch_nearest(const uint8_t *distances, size_t rows, size_t want, uint32_t *out, size_t room);

#endif
