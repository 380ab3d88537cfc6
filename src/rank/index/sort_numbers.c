/* SPDX-License-Identifier: MIT
 *
 * Radix sort, least digit first, over as many digits as the greatest number has; insertion sort for a few. Nothing here
 * fails.
 */
#include "rank/index/sort_numbers.h"

#include <string.h>

enum { FEW = 48, DIGIT = 11, VALUES = 1 << DIGIT };

static void sort_few(uint32_t *values, size_t count) {
  for (size_t i = 1; i < count; i++) {
    uint32_t value = values[i];
    size_t at = i;
    for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
    values[at] = value;
  }
}

static void sort_digit(const uint32_t *from, uint32_t *to, size_t count, unsigned shift) {
  uint32_t next[VALUES] = {0};
  for (size_t i = 0; i < count; i++) next[from[i] >> shift & (VALUES - 1)]++;
  uint32_t sum = 0;
  for (size_t i = 0; i < VALUES; i++) {
    uint32_t here = next[i];
    next[i] = sum;
    sum += here;
  }
  for (size_t i = 0; i < count; i++) to[next[from[i] >> shift & (VALUES - 1)]++] = from[i];
}

void skill__sort_numbers(uint32_t *values, uint32_t *scratch, size_t count) {
  if (count <= FEW) {
    sort_few(values, count);
    return;
  }
  uint32_t all = 0;
  for (size_t i = 0; i < count; i++) all |= values[i];
  uint32_t *from = values, *to = scratch;
  for (unsigned shift = 0; shift < 32 && all >> shift; shift += DIGIT) {
    sort_digit(from, to, count, shift);
    uint32_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != values) memcpy(values, from, count * sizeof *values);
}
