/* SPDX-License-Identifier: MIT
 *
 * terms: the file of learned terms, its damage, and the arithmetic of its vectors.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "rank/terms.h"
#include "rank/terms_file.h"
#include "rank/terms_simd.h"
#include "util/alloc.h"

enum { DIMS = 64, TOKENS = 300, WITH_VECTOR = 200 };

static uint32_t random_state = 1;

static uint32_t next_random(void) {
  random_state = random_state * 1664525U + 1013904223U;
  return random_state >> 8;
}

struct sample {
  float vectors[WITH_VECTOR][DIMS];
  char names[TOKENS][16];
  struct skill__terms_entry entries[TOKENS];
};

static struct sample sample;

/* A table of TOKENS made-up tokens, the first WITH_VECTOR of which have a vector. */
static void write_table(unsigned bits, struct skill__buf *out) {
  random_state = 1;
  for (size_t i = 0; i < TOKENS; i++) {
    snprintf(sample.names[i], sizeof sample.names[i], "token%zu", i);
    sample.entries[i] =
        (struct skill__terms_entry){sample.names[i], strlen(sample.names[i]), 1.0 / (double)(i + 1), NULL};
    if (i >= WITH_VECTOR) continue;
    for (size_t d = 0; d < DIMS; d++) sample.vectors[i][d] = (float)((int)(next_random() % 2001) - 1000) / 700;
    sample.entries[i].vector = sample.vectors[i];
  }
  struct skill__terms_spec spec = {7, DIMS, bits, 1000, sample.entries, TOKENS};
  skill__buf_init(out, 1 << 20);
  assert_int_equal(skill__terms_write(&spec, out), 0);
}

static struct skill__terms *open_table(unsigned bits) {
  struct skill__buf file;
  write_table(bits, &file);
  struct skill__terms *terms = NULL;
  assert_int_equal(skill__terms_parse(file.data, file.length, "t.skt", 7, &terms, NULL), 0);
  skill__buf_fini(&file);
  return terms;
}

static void a_table_gives_back_the_tokens_shares_and_vectors_it_was_made_of(void **state) {
  (void)state;
  for (unsigned bits = 4; bits <= 8; bits += 4) {
    struct skill__terms *terms = open_table(bits);
    assert_int_equal(skill__terms_dims(terms), DIMS);
    assert_int_equal(skill__terms_rows(terms), WITH_VECTOR);
    assert_int_equal(skill__terms_documents(terms), 1000);
    for (size_t i = 0; i < TOKENS; i++) {
      struct skill__term term = skill__terms_find(terms, sample.names[i], strlen(sample.names[i]));
      assert_true(fabs((double)term.share * (double)(i + 1) - 1) < 0.03);
      assert_int_equal(term.row != SKILL__TERMS_NONE, i < WITH_VECTOR);
      if (i >= WITH_VECTOR) continue;
      float sum[DIMS] = {0};
      skill__terms_add(terms, term.row, 1, sum);
      double loss = bits == 8 ? 0.008 : 0.25; /* half a step; 4 bits clip the largest values as well */
      for (size_t d = 0; d < DIMS; d++) assert_true(fabs((double)(sum[d] - sample.vectors[i][d])) < loss);
    }
    skill__terms_free(terms);
  }
}

static void a_token_that_was_never_seen_has_no_vector_and_no_share(void **state) {
  (void)state;
  struct skill__terms *terms = open_table(8);
  static const char *const strange[] = {"", "token", "token300", "Token1", "\xe4\xb8\xad"};
  for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
    struct skill__term term = skill__terms_find(terms, strange[i], strlen(strange[i]));
    assert_int_equal(term.row, SKILL__TERMS_NONE);
    assert_true(term.share == 0);
  }
  skill__terms_free(terms);
}

static void every_changed_byte_is_found(void **state) {
  (void)state;
  struct skill__buf file;
  write_table(4, &file);
  for (size_t i = 0; i < file.length; i += i < 200 ? 1 : 97) {
    for (int bit = 0; bit < 8; bit += i < 200 ? 1 : 7) {
      file.data[i] = (char)(file.data[i] ^ 1 << bit);
      struct skill__terms *terms = NULL;
      SkillError err = SKILL_ERROR_INIT;
      assert_int_equal(skill__terms_parse(file.data, file.length, "t.skt", 7, &terms, &err), SKILL_EPARSE);
      assert_null(terms);
      assert_string_equal(err.file, "t.skt");
      file.data[i] = (char)(file.data[i] ^ 1 << bit);
    }
  }
  skill__buf_fini(&file);
}

static void a_file_cut_at_any_length_or_made_longer_is_refused(void **state) {
  (void)state;
  struct skill__buf file;
  write_table(8, &file);
  struct skill__terms *terms = NULL;
  for (size_t length = 0; length < file.length; length += length < 100 ? 1 : 1009) {
    assert_int_equal(skill__terms_parse(file.data, length, "t.skt", 7, &terms, NULL), SKILL_EPARSE);
  }
  skill__buf_add(&file, "x", 1);
  assert_int_equal(skill__terms_parse(file.data, file.length, "t.skt", 7, &terms, NULL), SKILL_EPARSE);
  assert_null(terms);
  skill__buf_fini(&file);
}

/* The attacker can compute checksums too: sizes that lie must be found without it. */
static void a_header_that_lies_with_a_right_checksum_is_refused(void **state) {
  (void)state;
  struct skill__buf file;
  write_table(8, &file);
  static const struct {
    size_t at;
    uint32_t value;
  } lies[] = {{SKILL__TERMS_AT_ROWS, 201},
              {SKILL__TERMS_AT_ROWS, UINT32_MAX},
              {SKILL__TERMS_AT_SHARES, 4000000},
              {SKILL__TERMS_AT_DIMS, 0},
              {SKILL__TERMS_AT_DIMS, 1024},
              {SKILL__TERMS_AT_DIMS, 65},
              {SKILL__TERMS_AT_BITS, 5},
              {SKILL__TERMS_AT_VERSION, 2},
              {SKILL__TERMS_AT_ANALYZER, 8},
              {SKILL__TERMS_AT_ZERO + 4, 1},
              {SKILL__TERMS_AT_SIZE, 100},
              {80, 0x01010101},
              {80 + SKILL__TERMS_BUCKETS / 2, 0x01010101}};
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    unsigned char copy[200000];
    assert_true(file.length < sizeof copy);
    memcpy(copy, file.data, file.length);
    memcpy(copy + lies[i].at, &lies[i].value, 4);
    memset(copy + SKILL__TERMS_AT_CHECKSUM, 0, 8);
    uint64_t sum = skill__checksum(copy, file.length);
    memcpy(copy + SKILL__TERMS_AT_CHECKSUM, &sum, 8);
    struct skill__terms *terms = NULL;
    assert_int_equal(skill__terms_parse(copy, file.length, NULL, 7, &terms, NULL), SKILL_EPARSE);
  }
  skill__buf_fini(&file);
}

static void writing_refuses_odd_sizes_and_equal_tokens(void **state) {
  (void)state;
  float vector[DIMS] = {1};
  struct skill__terms_entry twice[] = {{"same", 4, .5, vector}, {"same", 4, .5, vector}};
  struct skill__terms_spec specs[] = {
      {7, DIMS, 8, 10, twice, 2}, {7, 48, 8, 10, twice, 1}, {7, 0, 8, 10, twice, 1}, {7, DIMS, 6, 10, twice, 1}};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    struct skill__buf out;
    skill__buf_init(&out, 1 << 20);
    assert_int_equal(skill__terms_write(&specs[i], &out), SKILL_EINVAL);
    assert_int_equal(out.length, 0);
    skill__buf_fini(&out);
  }
}

static void fast_products_equal_the_plain_one(void **state) {
  (void)state;
  int8_t a[SKILL__TERMS_MAX_DIMS];
  int8_t b[SKILL__TERMS_MAX_DIMS];
  for (size_t dims = 32; dims <= SKILL__TERMS_MAX_DIMS; dims += 32) {
    for (int round = 0; round < 40; round++) {
      for (size_t i = 0; i < dims; i++) {
        a[i] = (int8_t)(round == 0 ? -128 : round == 1 ? 127 : (int)(next_random() % 256) - 128);
        b[i] = (int8_t)(round == 0 ? -128 : round == 1 ? -128 : (int)(next_random() % 256) - 128);
      }
      int32_t plain = skill__terms_dot_plain(a, b, dims);
      assert_int_equal(skill__terms_dot(a, b, dims), plain);
      size_t count = 0;
      skill__terms_dot_fn *const *kernels = skill__terms_kernels(&count);
      for (size_t i = 0; i < count; i++) assert_int_equal(kernels[i](a, b, dims), plain);
    }
  }
}

static uint32_t row_of(const struct skill__terms *terms, size_t token) {
  return skill__terms_find(terms, sample.names[token], strlen(sample.names[token])).row;
}

static void cosines_of_rounded_vectors_are_those_of_the_sums(void **state) {
  (void)state;
  struct skill__terms *terms = open_table(8);
  enum { TEXTS = 150 };
  static int8_t matrix[TEXTS][DIMS];
  float units[TEXTS];
  float cosine[2 * TEXTS];
  for (uint32_t i = 0; i < TEXTS; i++) {
    uint32_t rows[] = {row_of(terms, i), SKILL__TERMS_NONE, row_of(terms, i + 1), row_of(terms, i + 7)};
    float weights[] = {1, 5, .5F, 2};
    units[i] = skill__terms_vector(terms, rows, weights, 4, matrix[i]);
  }
  struct skill__terms_query queries[] = {{matrix[3], units[3]}, {matrix[149], units[149]}};
  skill__terms_scan(matrix[0], units, TEXTS, DIMS, queries, 2, cosine);
  assert_true(fabs((double)cosine[3] - 1) < 1e-5);
  assert_true(fabs((double)cosine[TEXTS + 149] - 1) < 1e-5);
  for (size_t i = 0; i < TEXTS; i++) {
    double product = 0, left = 0, right = 0;
    for (size_t d = 0; d < DIMS; d++) {
      double x = (double)(sample.vectors[3][d] + .5F * sample.vectors[4][d] + 2 * sample.vectors[10][d]);
      double y = (double)(sample.vectors[i][d] + .5F * sample.vectors[i + 1][d] + 2 * sample.vectors[i + 7][d]);
      product += x * y;
      left += x * x;
      right += y * y;
    }
    assert_true(fabs(product / sqrt(left * right) - (double)cosine[i]) < 0.02);
  }
  skill__terms_free(terms);
}

static void a_text_without_known_tokens_has_no_direction(void **state) {
  (void)state;
  struct skill__terms *terms = open_table(8);
  uint32_t rows[] = {SKILL__TERMS_NONE};
  float weights[] = {1};
  int8_t vector[DIMS];
  memset(vector, 1, sizeof vector);
  assert_true(skill__terms_vector(terms, rows, weights, 1, vector) == 0);
  for (size_t i = 0; i < DIMS; i++) assert_int_equal(vector[i], 0);
  float bad[DIMS] = {NAN, INFINITY};
  assert_true(skill__terms_round(bad, DIMS, vector) == 0);
  float other[DIMS] = {1};
  struct skill__terms_query query = {vector, 0};
  int8_t row[DIMS];
  float unit = skill__terms_round(other, DIMS, row);
  float cosine = 1;
  skill__terms_scan(row, &unit, 1, DIMS, &query, 1, &cosine);
  assert_true(cosine == 0);
  skill__terms_free(terms);
}

/* An allocator that fails at the nth request. */
static size_t countdown;

static void *failing_malloc(size_t size, void *user) {
  (void)user;
  return countdown-- ? malloc(size) : NULL;
}

static void *failing_realloc(void *p, size_t size, void *user) {
  (void)user;
  return countdown-- ? realloc(p, size) : NULL;
}

static void plain_free(void *p, void *user) {
  (void)user;
  free(p);
}

static void lack_of_memory_is_told_and_leaves_nothing(void **state) {
  (void)state;
  struct skill__buf file;
  write_table(8, &file);
  SkillAllocator allocator = {failing_malloc, failing_realloc, plain_free, NULL};
  assert_int_equal(skill_set_allocator(&allocator), 0);
  int status = SKILL_ENOMEM;
  size_t tries = 0;
  for (; status == SKILL_ENOMEM && tries < 100; tries++) {
    countdown = tries;
    struct skill__terms *terms = NULL;
    status = skill__terms_parse(file.data, file.length, NULL, 7, &terms, NULL);
    if (status) assert_null(terms);
    skill__terms_free(terms);
  }
  assert_int_equal(status, 0);
  assert_int_equal(tries, 3);
  for (status = SKILL_ENOMEM, tries = 0; status == SKILL_ENOMEM && tries < 100; tries++) {
    countdown = tries;
    struct skill__terms_spec spec = {7, DIMS, 8, 1000, sample.entries, TOKENS};
    struct skill__buf out;
    skill__buf_init(&out, 1 << 20);
    status = skill__terms_write(&spec, &out);
    skill__buf_fini(&out);
  }
  assert_int_equal(status, 0);
  assert_true(tries > 3);
  countdown = SIZE_MAX;
  skill__buf_fini(&file);
  skill_set_allocator(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_gives_back_the_tokens_shares_and_vectors_it_was_made_of),
      cmocka_unit_test(a_token_that_was_never_seen_has_no_vector_and_no_share),
      cmocka_unit_test(every_changed_byte_is_found),
      cmocka_unit_test(a_file_cut_at_any_length_or_made_longer_is_refused),
      cmocka_unit_test(a_header_that_lies_with_a_right_checksum_is_refused),
      cmocka_unit_test(writing_refuses_odd_sizes_and_equal_tokens),
      cmocka_unit_test(fast_products_equal_the_plain_one),
      cmocka_unit_test(cosines_of_rounded_vectors_are_those_of_the_sums),
      cmocka_unit_test(a_text_without_known_tokens_has_no_direction),
      cmocka_unit_test(lack_of_memory_is_told_and_leaves_nothing),
  };
  return cmocka_run_group_tests_name("terms", tests, NULL, NULL);
}
