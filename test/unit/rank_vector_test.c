/* SPDX-License-Identifier: MIT
 *
 * Vectors with three bits per dimension and their sketches: packing keeps directions, and every fast form gives the
 * same result as the plain one.
 */
#include "lib/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rank/index/sign_sketch.h"
#include "rank/table/packed_vector.h"
#include "rank/table/terms.h"

enum { DIMS = SKILL__SKETCH_DIMS, ROWS = 1003, QUERIES = 6, WANT_MOST = 1100 };

static uint32_t seed = 1;

static uint32_t next(uint32_t below) {
  seed = seed * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)seed * below >> 32);
}

/* Approximately normally distributed. */
static float value(void) {
  int sum = 0;
  for (int i = 0; i < 6; i++) sum += (int)next(2001) - 1000;
  return (float)sum / 1000;
}

static double cosine(const float *a, const int8_t *b, size_t dims) {
  double dot = 0, x = 0, y = 0;
  for (size_t i = 0; i < dims; i++) {
    dot += (double)a[i] * b[i];
    x += (double)a[i] * (double)a[i];
    y += (double)b[i] * b[i];
  }
  return dot / sqrt(x * y);
}

static void packing_keeps_the_direction_of_a_vector(void **state) {
  (void)state;
  for (size_t dims = 32; dims <= SKILL__TERMS_MAX_DIMS; dims += 32) {
    float sum[SKILL__TERMS_MAX_DIMS], unit = 0;
    uint8_t packed[SKILL__TERMS_MAX_DIMS];
    int8_t vector[SKILL__TERMS_MAX_DIMS];
    double square = 0;
    for (size_t i = 0; i < dims; i++) sum[i] = value() * (float)dims;
    skill__pack(sum, dims, packed);
    skill__unpack(packed, 1, dims, vector, &unit);
    assert_true(cosine(sum, vector, dims) > .96);
    for (size_t i = 0; i < dims; i++) {
      assert_true(vector[i] % 2 != 0 && abs(vector[i]) <= 7);
      square += vector[i] * vector[i];
    }
    assert_true(fabs((double)unit * sqrt(square) - 1) < 1e-6);
  }
}

static void what_has_no_direction_stays_without_one(void **state) {
  (void)state;
  static const float odd[] = {0, INFINITY, NAN, 1e-30f};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    float sum[DIMS] = {0}, unit = 1, plain = 1;
    uint8_t packed[DIMS];
    int8_t vector[DIMS];
    sum[7] = odd[i];
    skill__pack(sum, DIMS, packed);
    skill__unpack(packed, 1, DIMS, vector, &unit);
    skill__unpack_plain(packed, 1, DIMS, vector, &plain);
    assert_true(unit == 0 && plain == 0);
  }
}

static void fast_unpacking_equals_the_plain_one(void **state) {
  (void)state;
  enum { COUNT = 37 };
  static uint8_t packed[COUNT * SKILL__TERMS_MAX_DIMS];
  static int8_t fast[COUNT * SKILL__TERMS_MAX_DIMS], plain[COUNT * SKILL__TERMS_MAX_DIMS];
  for (size_t dims = 32; dims <= SKILL__TERMS_MAX_DIMS; dims += 32) {
    float units[COUNT], plain_units[COUNT];
    size_t size = skill__packed_size(dims);
    for (size_t i = 0; i < COUNT * size; i++) packed[i] = (uint8_t)next(256);
    memset(packed, 0, size);            /* no direction */
    memset(packed + size, 0, 2 * size); /* all magnitudes minimal, one sign */
    packed[size + dims / 8 - 1] = 0x80;
    memset(packed + 2 * size, 255, size); /* all magnitudes maximal */
    skill__unpack(packed, COUNT, dims, fast, units);
    skill__unpack_plain(packed, COUNT, dims, plain, plain_units);
    assert_memory_equal(fast, plain, COUNT * dims);
    assert_memory_equal(units, plain_units, sizeof units);
    assert_true(units[0] == 0 && units[1] > 0);
  }
}

/* --- sketches ----------------------------------------------------------------------------------------------------- */

struct found {
  uint32_t rows[WANT_MOST * 2 + 256];
  uint8_t distances[WANT_MOST * 2 + 256];
};

struct space {
  uint8_t packed[ROWS * DIMS], sketches[(ROWS + SKILL__SKETCH_BLOCK) * SKILL__SKETCH_BYTES];
  int8_t queries[QUERIES][DIMS];
  struct skill__sketch_query tables[QUERIES];
  struct found fast[QUERIES], plain[QUERIES];
};

/* Query q is near row 100 * q. */
static struct space *space_new(void) {
  struct space *space = calloc(1, sizeof *space);
  assert_non_null(space);
  for (size_t row = 0; row < ROWS; row++) {
    float sum[DIMS];
    for (size_t i = 0; i < DIMS; i++) sum[i] = value();
    skill__pack(sum, DIMS, space->packed + row * skill__packed_size(DIMS));
    if (row % 100 || row / 100 >= QUERIES) continue;
    for (size_t i = 0; i < DIMS; i++) sum[i] += value() / 2;
    skill__terms_round(sum, DIMS, space->queries[row / 100]);
  }
  memcpy(space->packed + skill__packed_size(DIMS), space->packed, skill__packed_size(DIMS)); /* rows 0 and 1: equal */
  skill__sketch_make(space->packed, ROWS, space->sketches);
  for (size_t q = 0; q < QUERIES; q++) skill__sketch_query(space->queries[q], &space->tables[q]);
  return space;
}

static unsigned distance(const struct space *space, size_t row, size_t q) {
  const uint8_t *signs = space->packed + row * skill__packed_size(DIMS);
  unsigned sum = 0;
  for (size_t i = 0; i < SKILL__SKETCH_BYTES; i++)
    sum += space->tables[q].of[2 * i][signs[i] & 15] + (unsigned)space->tables[q].of[2 * i + 1][signs[i] >> 4];
  return sum < 255 ? sum : 255;
}

/* Whether exactly the `want` nearest rows were found; of equal distances, the lower row. */
static void are_nearest(const struct space *space, const struct skill__sketch_near *near, size_t q, size_t rows) {
  size_t at = 0, nearer;
  for (size_t row = 0; row < rows; row++) {
    unsigned mine = distance(space, row, q);
    nearer = 0;
    for (size_t other = 0; other < rows; other++) {
      unsigned theirs = distance(space, other, q);
      nearer += theirs < mine || (theirs == mine && other < row);
    }
    bool wanted = nearer < near->want && mine < 255, there = at < near->count && near->rows[at] == row;
    assert_int_equal(wanted, there);
    at += there;
  }
  assert_int_equal(at, near->count);
}

static void sketches_give_the_nearest_rows_in_every_form(void **state) {
  (void)state;
  static const size_t wants[] = {0, 1, 5, 40, WANT_MOST}, sizes[] = {0, 1, 31, 32, 33, ROWS};
  struct space *space = space_new();
  for (size_t w = 0; w < 5; w++)
    for (size_t s = 0; s < 6; s++) {
      size_t count = 1 + (w + s) % QUERIES;
      struct skill__sketch_near fast[QUERIES], plain[QUERIES];
      for (size_t q = 0; q < count; q++) {
        fast[q] = (struct skill__sketch_near){space->fast[q].rows, space->fast[q].distances, wants[w], 0, 0};
        plain[q] = (struct skill__sketch_near){space->plain[q].rows, space->plain[q].distances, wants[w], 0, 0};
      }
      skill__sketch_nearest(space->sketches, sizes[s], space->tables, fast, count);
      skill__sketch_nearest_plain(space->sketches, sizes[s], space->tables, plain, count);
      for (size_t q = 0; q < count; q++) {
        assert_int_equal(fast[q].count, plain[q].count);
        assert_memory_equal(fast[q].rows, plain[q].rows, fast[q].count * sizeof *fast[q].rows);
        if (q == count - 1) are_nearest(space, &fast[q], q, sizes[s]);
      }
    }
  free(space);
}

static void the_nearest_by_sketch_is_what_was_put_near(void **state) {
  (void)state;
  struct space *space = space_new();
  for (size_t q = 0; q < QUERIES; q++) {
    struct skill__sketch_near near = {space->fast[q].rows, space->fast[q].distances, 1, 0, 0};
    skill__sketch_nearest(space->sketches, ROWS, &space->tables[q], &near, 1);
    assert_int_equal(near.count, 1);
    assert_int_equal(near.rows[0], 100 * q);
  }
  free(space);
}

static void sketches_give_the_signs_back(void **state) {
  (void)state;
  struct space *space = space_new();
  for (size_t row = 0; row < ROWS; row++) {
    uint8_t signs[SKILL__SKETCH_BYTES];
    skill__sketch_signs(space->sketches, row, signs);
    assert_memory_equal(signs, space->packed + row * skill__packed_size(DIMS), sizeof signs);
  }
  free(space);
}

static void a_query_of_few_large_values_or_none_breaks_no_sum(void **state) {
  (void)state;
  int8_t vector[DIMS] = {0};
  struct skill__sketch_query query;
  skill__sketch_query(vector, &query);
  for (size_t i = 0; i < sizeof query; i++) assert_int_equal(query.of[i / 16][i % 16], 0);
  for (size_t i = 0; i < 4; i++) vector[i] = (int8_t)(i % 2 ? -127 : 127);
  skill__sketch_query(vector, &query);
  assert_int_equal(query.of[0][10], 0); /* the signs of the query itself */
  assert_in_range(query.of[0][5], 200, 255);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packing_keeps_the_direction_of_a_vector),
      cmocka_unit_test(what_has_no_direction_stays_without_one),
      cmocka_unit_test(fast_unpacking_equals_the_plain_one),
      cmocka_unit_test(sketches_give_the_nearest_rows_in_every_form),
      cmocka_unit_test(the_nearest_by_sketch_is_what_was_put_near),
      cmocka_unit_test(sketches_give_the_signs_back),
      cmocka_unit_test(a_query_of_few_large_values_or_none_breaks_no_sum),
  };
  return cmocka_run_group_tests_name("rank_vector", tests, NULL, NULL);
}
