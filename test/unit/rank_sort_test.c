/* SPDX-License-Identifier: MIT
 *
 * Sorting whole numbers.
 */
#include "lib/check.h"

#include <stdlib.h>
#include <string.h>

#include "rank/index/sort_numbers.h"

enum { MOST = 5000 };

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static void assert_sorted(size_t count, uint32_t mask) {
  static uint32_t values[MOST], scratch[MOST], want[MOST];
  uint32_t state = 12345 + (uint32_t)count;
  for (size_t i = 0; i < count; i++) {
    state = state * 1664525u + 1013904223u;
    values[i] = want[i] = (state ^ state >> 16) & mask;
  }
  qsort(want, count, sizeof *want, by_number);
  skill__sort_numbers(values, scratch, count);
  assert_memory_equal(values, want, count * sizeof *want);
}

static void numbers_of_every_size_are_sorted(void **state) {
  (void)state;
  static const size_t counts[] = {1, 2, 47, 48, 49, 1000, MOST};
  static const uint32_t masks[] = {0, 1, 0x7ff, 0x800, 0xfffff, 0x3fffff, 0x400000, 0xffffffff};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (size_t j = 0; j < sizeof masks / sizeof *masks; j++) assert_sorted(counts[i], masks[j]);
  skill__sort_numbers(NULL, NULL, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_of_every_size_are_sorted)};
  return cmocka_run_group_tests_name("rank_sort", tests, NULL, NULL);
}
