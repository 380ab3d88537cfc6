/* SPDX-License-Identifier: MIT
 *
 * Sketches of vectors: one bit for the sign of each dimension. How many bits differ tells the angle between two vectors
 * roughly, at an eighth of the memory and a fraction of the time; the few that are near get their exact cosine.
 */
#ifndef SKILL_RANK_SKETCH_H
#define SKILL_RANK_SKETCH_H

#include <stddef.h>
#include <stdint.h>

enum { SKILL__SKETCH_WORDS = 2, SKILL__SKETCH_DIMS = 64 * SKILL__SKETCH_WORDS };

/* The signs of `rows` vectors of SKILL__SKETCH_DIMS bytes. */
void skill__sketch_make(const int8_t *vectors, size_t rows, uint64_t *signs);

/* Fills `out` with the rows whose signs differ least from the query's: at least `want` where there are as many, and at
 * most `room`. `distances` has room for `rows` bytes. Returns how many; rows ascend. */
size_t skill__sketch_nearest(const uint64_t *signs, size_t rows, const uint64_t *query, size_t want, uint8_t *distances,
                             uint32_t *out, size_t room);

#endif
