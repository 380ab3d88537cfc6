/* SPDX-License-Identifier: MIT
 *
 * Numbers of an encoded skill are read as they were written, one at a time and eight bytes at a time.
 */
#include "lib/check.h"

#include "rank/index/varint.h"

enum { NUMBERS = 4096 };

static uint32_t numbers[NUMBERS];

/* Every size, with its smallest and largest number. */
static void fill(uint32_t seed) {
  static const uint32_t edges[] = {0,        0x7f,     0x80,      0x3fff,     0x4000,
                                   0x1fffff, 0x200000, 0xfffffff, 0x10000000, UINT32_MAX};
  for (size_t i = 0; i < NUMBERS; i++) {
    seed = seed * 1664525u + 1013904223u;
    numbers[i] = seed % 4 == 0 ? edges[seed / 4 % 10] : seed >> seed / 64 % 32;
  }
}

static size_t write_all(uint8_t *bytes) {
  size_t length = 0;
  for (size_t i = 0; i < NUMBERS; i++) length += skill__varint_put(bytes + length, numbers[i]);
  return length;
}

static void numbers_are_read_as_they_were_written(void **state) {
  (void)state;
  static uint8_t bytes[5 * NUMBERS + SKILL__VARINT_ROOM];
  fill(7);
  size_t length = write_all(bytes), sizes = 0;
  const uint8_t *at = bytes;
  for (size_t i = 0; i < NUMBERS; i++) {
    sizes += skill__varint_size(numbers[i]);
    assert_int_equal(skill__varint_get(&at), numbers[i]);
  }
  assert_ptr_equal(at, bytes + length);
  assert_int_equal(sizes, length);
}

static void a_run_reads_the_same_and_ends_in_the_same_place(void **state) {
  (void)state;
  static uint8_t bytes[5 * NUMBERS + SKILL__VARINT_ROOM];
  static uint32_t out[NUMBERS];
  fill(11);
  write_all(bytes);
  const uint8_t *at = bytes, *slow = bytes;
  for (size_t from = 0, count = 0; from < NUMBERS; from += count, count = (count + 1) % 40) {
    if (count > NUMBERS - from) count = NUMBERS - from;
    at = skill__varint_run(at, out, count);
    for (size_t i = 0; i < count; i++) assert_int_equal(out[i], skill__varint_get(&slow));
    assert_ptr_equal(at, slow);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_read_as_they_were_written),
      cmocka_unit_test(a_run_reads_the_same_and_ends_in_the_same_place),
  };
  return cmocka_run_group_tests_name("rank_varint", tests, NULL, NULL);
}
