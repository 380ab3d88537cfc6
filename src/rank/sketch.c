/* SPDX-License-Identifier: MIT
 *
 * Counting differing bits, and choosing by a histogram of the counts. Nothing here fails.
 */
#include "rank/sketch.h"

#include <string.h>

void skill__sketch_make(const int8_t *vectors, size_t rows, uint64_t *signs) {
  for (size_t row = 0; row < rows; row++)
    for (size_t word = 0; word < SKILL__SKETCH_WORDS; word++) {
      const int8_t *values = vectors + row * SKILL__SKETCH_DIMS + word * 64;
      uint64_t bits = 0;
      for (size_t i = 0; i < 64; i++) bits |= (uint64_t)(values[i] < 0) << i;
      signs[row * SKILL__SKETCH_WORDS + word] = bits;
    }
}

static void count_plain(const uint64_t *signs, size_t rows, const uint64_t *query, uint8_t *distances) {
  for (size_t row = 0; row < rows; row++)
    distances[row] = (uint8_t)(__builtin_popcountll(signs[2 * row] ^ query[0]) +
                               __builtin_popcountll(signs[2 * row + 1] ^ query[1]));
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("popcnt"))) static void count_popcnt(const uint64_t *signs, size_t rows, const uint64_t *query,
                                                           uint8_t *distances) {
  for (size_t row = 0; row < rows; row++)
    distances[row] = (uint8_t)(__builtin_popcountll(signs[2 * row] ^ query[0]) +
                               __builtin_popcountll(signs[2 * row + 1] ^ query[1]));
}

static void count(const uint64_t *signs, size_t rows, const uint64_t *query, uint8_t *distances) {
  if (__builtin_cpu_supports("popcnt"))
    count_popcnt(signs, rows, query, distances);
  else
    count_plain(signs, rows, query, distances);
}
#else
static void count(const uint64_t *signs, size_t rows, const uint64_t *query, uint8_t *distances) {
  count_plain(signs, rows, query, distances);
}
#endif

size_t skill__sketch_nearest(const uint64_t *signs, size_t rows, const uint64_t *query, size_t want, uint8_t *distances,
                             uint32_t *out, size_t room) {
  enum { LANES = 4 };
  uint32_t histogram[LANES][SKILL__SKETCH_DIMS + 1];
  size_t limit = 0, below = 0, found = 0, row = 0;
  memset(histogram, 0, sizeof histogram);
  count(signs, rows, query, distances);
  for (; row + LANES <= rows; row += LANES) /* apart, so that equal neighbours do not wait for each other */
    for (size_t k = 0; k < LANES; k++) histogram[k][distances[row + k]]++;
  for (; row < rows; row++) histogram[0][distances[row]]++;
  for (; limit <= SKILL__SKETCH_DIMS && below < want; limit++)
    for (size_t k = 0; k < LANES; k++) below += histogram[k][limit];
  for (row = 0; row < rows && found < room; row++)
    if (distances[row] < limit) out[found++] = (uint32_t)row;
  return found;
}
