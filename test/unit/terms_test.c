/* SPDX-License-Identifier: MIT
 *
 * The file of learned terms, damaged files, and the arithmetic of its vectors.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "lib/sweep.h"
#include "lib/tmpdir.h"
#include "rank/table/terms.h"
#include "rank/table/terms_file.h"
#include "rank/table/terms_simd.h"
#include "skillet/sys/fixture.h"
#include "train-terms/terms_write.h"
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
  struct terms_entry entries[TOKENS];
};

static struct sample sample;

/* A table of TOKENS invented tokens; the first WITH_VECTOR of them have a vector. */
static void write_table(unsigned bits, struct skill__buf *out) {
  random_state = 1;
  for (size_t i = 0; i < TOKENS; i++) {
    snprintf(sample.names[i], sizeof sample.names[i], "token%zu", i);
    sample.entries[i] = (struct terms_entry){sample.names[i], strlen(sample.names[i]), 1.0 / (double)(i + 1), NULL};
    if (i >= WITH_VECTOR) continue;
    for (size_t d = 0; d < DIMS; d++) sample.vectors[i][d] = (float)((int)(next_random() % 2001) - 1000) / 700;
    sample.entries[i].vector = sample.vectors[i];
  }
  struct terms_spec spec = {7, DIMS, bits, 1000, sample.entries, TOKENS};
  skill__buf_init(out, 1 << 20);
  assert_int_equal(terms_write(&spec, out), 0);
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
      double loss = bits == 8 ? 0.008 : 0.25; /* half a step; with 4 bits the largest values are also clipped */
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

static void a_token_that_was_not_counted_has_a_vector_and_no_share(void **state) {
  (void)state;
  static const float vector[DIMS] = {1};
  struct terms_entry entry = {"rare", 4, 0, vector};
  struct terms_spec spec = {7, DIMS, 4, 1000, &entry, 1};
  struct skill__terms *terms = NULL;
  struct skill__buf file;
  skill__buf_init(&file, 1 << 20);
  assert_int_equal(terms_write(&spec, &file), 0);
  assert_int_equal(skill__terms_parse(file.data, file.length, "t.skt", 7, &terms, NULL), 0);
  struct skill__term term = skill__terms_find(terms, "rare", 4);
  assert_int_equal(term.row, 0);
  assert_true(term.share == 0);
  skill__terms_free(terms);
  skill__buf_fini(&file);
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

/* An attacker can compute checksums, so wrong sizes must be detected without them. */
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
  struct terms_entry twice[] = {{"same", 4, .5, vector}, {"same", 4, .5, vector}};
  struct terms_spec specs[] = {
      {7, DIMS, 8, 10, twice, 2}, {7, 48, 8, 10, twice, 1}, {7, 0, 8, 10, twice, 1}, {7, DIMS, 6, 10, twice, 1}};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    struct skill__buf out;
    skill__buf_init(&out, 1 << 20);
    assert_int_equal(terms_write(&specs[i], &out), SKILL_EINVAL);
    assert_int_equal(out.length, 0);
    skill__buf_fini(&out);
  }
}

static void fast_products_equal_the_plain_one(void **state) {
  (void)state;
  enum { ROWS = 11 }; /* three more than a multiple of four */
  static int8_t matrix[ROWS * SKILL__TERMS_MAX_DIMS];
  int8_t query[SKILL__TERMS_MAX_DIMS];
  for (size_t dims = 32; dims <= SKILL__TERMS_MAX_DIMS; dims += 32) {
    for (int round = 0; round < 30; round++) {
      for (size_t i = 0; i < ROWS * dims; i++) {
        matrix[i] = (int8_t)(round == 0 ? -127 : round == 1 ? 127 : (int)(next_random() % 255) - 127);
        if (i < dims) query[i] = (int8_t)(round < 2 ? -127 : (int)(next_random() % 255) - 127);
      }
      size_t count = 0;
      skill__terms_products_fn *const *kernels = skill__terms_kernels(&count);
      for (size_t k = 0; k < count; k++) {
        int32_t products[ROWS];
        kernels[k](matrix, ROWS, dims, query, products);
        for (size_t i = 0; i < ROWS; i++)
          assert_int_equal(products[i], skill__terms_dot_plain(matrix + i * dims, query, dims));
      }
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
  skill__terms_scan(matrix[0], units, TEXTS, DIMS, queries, 2, cosine, TEXTS);
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
  skill__terms_scan(row, &unit, 1, DIMS, &query, 1, &cosine, 1);
  assert_true(cosine == 0);
  skill__terms_free(terms);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static int write_and_open(void *user) {
  (void)user;
  struct skill__buf out;
  skill__buf_init(&out, 1 << 20);
  struct terms_spec spec = {7, DIMS, 8, 1000, sample.entries, TOKENS};
  struct skill__terms *terms = NULL;
  int status = terms_write(&spec, &out);
  if (!status) status = skill__terms_parse(out.data, out.length, "t.skt", 7, &terms, NULL);
  assert_int_equal(terms == NULL, status != 0);
  skill__terms_free(terms);
  skill__buf_fini(&out);
  return status;
}

static void lack_of_memory_is_told_and_leaves_nothing(void **state) {
  (void)state;
  struct skill__buf file;
  write_table(8, &file);
  skill__buf_fini(&file);
  assert_true(sweep_run(write_and_open, NULL) >= 4);
}

/* --- location of the file --------------------------------------------------------------------------------------- */

struct place {
  SkillFixture *fixture;
  struct skill__buf table, where;
  char own[SKILL_MAX_PATH]; /* folder of this program, with a trailing slash */
};

static int place_setup(void **state) {
  struct place *place = calloc(1, sizeof *place);
  Dl_info info;
  static const char anchor = 0;
  if (!place || skill_fixture_new(&place->fixture) || !dladdr(&anchor, &info)) return -1;
  snprintf(place->own, sizeof place->own, "%.*s", (int)(strrchr(info.dli_fname, '/') + 1 - info.dli_fname),
           info.dli_fname);
  write_table(4, &place->table);
  skill__buf_init(&place->where, SKILL_MAX_PATH);
  unsetenv("SKILLET_DATA");
  *state = place;
  return 0;
}

static int place_teardown(void **state) {
  struct place *place = *state;
  assert_int_equal(skill_fixture_open_handles(place->fixture), 0);
  skill_fixture_free(place->fixture);
  skill__buf_fini(&place->table);
  skill__buf_fini(&place->where);
  free(place);
  unsetenv("SKILLET_DATA");
  return 0;
}

static int locate(struct place *place, const char *path) {
  struct skill__terms *terms = NULL;
  SkillError err = SKILL_ERROR_INIT;
  int status = skill__terms_locate(skill_fixture_io(place->fixture), path, 7, &terms, &place->where, &err);
  assert_int_equal(terms == NULL, status != 0);
  assert_int_equal(err.code, status);
  skill__terms_free(terms);
  return status;
}

static void put(struct place *place, const char *path) {
  assert_int_equal(skill_fixture_bytes(place->fixture, path, place->table.data, place->table.length), 0);
}

static void the_table_is_looked_for_beside_the_program_and_then_in_share(void **state) {
  struct place *place = *state;
  assert_int_equal(locate(place, NULL), SKILL_ENOENT);
  static const char *const order[] = {"../share/skillet/", "share/skillet/", ""};
  for (size_t i = 0; i < 3; i++) {
    char path[SKILL_MAX_PATH + 64];
    snprintf(path, sizeof path, "%s%sterms.skt", place->own, order[i]);
    put(place, path);
    assert_int_equal(locate(place, NULL), 0);
    assert_string_equal(place->where.data, path);
  }
}

static void a_path_comes_before_the_environment_and_that_before_the_search(void **state) {
  struct place *place = *state;
  char beside[SKILL_MAX_PATH + 64];
  snprintf(beside, sizeof beside, "%sterms.skt", place->own);
  put(place, beside);
  put(place, "/env/terms.skt");
  put(place, "/mine.skt");
  setenv("SKILLET_DATA", "/env", 1);
  assert_int_equal(locate(place, NULL), 0);
  assert_string_equal(place->where.data, "/env/terms.skt");
  assert_int_equal(locate(place, "/mine.skt"), 0);
  assert_string_equal(place->where.data, "/mine.skt");
  assert_int_equal(locate(place, ""), SKILL_ENOENT);
  setenv("SKILLET_DATA", "", 1);
  assert_int_equal(locate(place, NULL), 0);
  assert_string_equal(place->where.data, beside);
}

static void a_table_that_was_named_but_is_absent_or_damaged_is_not_replaced(void **state) {
  struct place *place = *state;
  char beside[SKILL_MAX_PATH + 64];
  snprintf(beside, sizeof beside, "%sterms.skt", place->own);
  put(place, beside);
  setenv("SKILLET_DATA", "/nowhere", 1);
  assert_int_equal(locate(place, NULL), SKILL_ENOENT);
  assert_int_equal(locate(place, "/none.skt"), SKILL_ENOENT);
  unsetenv("SKILLET_DATA");
  assert_int_equal(skill_fixture_file(place->fixture, beside, "SKILTERM, or so it says"), 0);
  assert_int_equal(locate(place, NULL), SKILL_EPARSE);
}

static void failures_of_reading_are_passed_on(void **state) {
  struct place *place = *state;
  put(place, "/t.skt");
  static const SkillFixtureOp ops[] = {SKILL_FIXTURE_FILE_OPEN, SKILL_FIXTURE_FILE_READ};
  for (size_t i = 0; i < 2; i++) {
    skill_fixture_fail(place->fixture, ops[i], 0, SKILL_EIO, false);
    assert_int_equal(locate(place, "/t.skt"), SKILL_EIO);
    assert_int_equal(locate(place, "/t.skt"), 0);
  }
  assert_int_equal(skill_fixture_bytes(place->fixture, "/huge.skt", NULL, (uint64_t)SKILL__TERMS_MAX_BYTES + 1), 0);
  assert_int_equal(locate(place, "/huge.skt"), SKILL_ELIMIT);
}

/* --- a file in a system folder ---------------------------------------------------------------------------------- */

static void knows_all(const struct skill__terms *terms) {
  static const char stranger[] = "never seen";
  for (size_t i = 0; i < TOKENS; i++) {
    struct skill__term term = skill__terms_find(terms, sample.names[i], strlen(sample.names[i]));
    assert_int_equal(term.row != SKILL__TERMS_NONE, i < WITH_VECTOR);
    assert_true(term.share > 0);
  }
  assert_int_equal(skill__terms_find(terms, stranger, sizeof stranger - 1).row, SKILL__TERMS_NONE);
}

static void a_mapped_table_answers_after_a_rest_and_after_its_file_was_replaced(void **state) {
  (void)state;
  struct skill__buf file;
  struct skill__terms *terms = NULL;
  char *dir = tmpdir_make(), path[512];
  write_table(4, &file);
  tmpdir_write_bytes(dir, "t.skt", file.data, file.length);
  snprintf(path, sizeof path, "%s/t.skt", dir);
  assert_int_equal(skill__terms_open(skill_io_posix(), path, 7, &terms, NULL), 0);
  knows_all(terms);
  skill__terms_rest(terms);
  knows_all(terms);
  assert_int_equal(skill_io_posix()->file_write(skill_io_posix(), SKILL_IO_CWD, path, "another", 7), 0);
  skill__terms_rest(terms);
  knows_all(terms);
  skill__terms_free(terms);
  skill__buf_fini(&file);
  tmpdir_remove(dir);
}

static void a_file_that_is_no_table_is_not_mapped_as_one(void **state) {
  (void)state;
  struct skill__buf file;
  struct skill__terms *terms = NULL;
  SkillError err = SKILL_ERROR_INIT;
  char *dir = tmpdir_make(), path[512];
  snprintf(path, sizeof path, "%s/t.skt", dir);
  assert_int_equal(skill__terms_open(skill_io_posix(), path, 7, &terms, &err), SKILL_ENOENT);
  assert_non_null(strstr(err.file, "t.skt"));
  assert_int_equal(skill__terms_open(skill_io_posix(), dir, 7, &terms, NULL), SKILL_EPARSE);
  write_table(4, &file);
  file.data[file.length / 2] ^= 1;
  tmpdir_write_bytes(dir, "t.skt", file.data, file.length);
  assert_int_equal(skill__terms_open(skill_io_posix(), path, 7, &terms, NULL), SKILL_EPARSE);
  tmpdir_write_bytes(dir, "t.skt", "", 0);
  assert_int_equal(skill__terms_open(skill_io_posix(), path, 7, &terms, NULL), SKILL_EPARSE);
  assert_null(terms);
  skill__buf_fini(&file);
  tmpdir_remove(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mapped_table_answers_after_a_rest_and_after_its_file_was_replaced),
      cmocka_unit_test(a_file_that_is_no_table_is_not_mapped_as_one),
      cmocka_unit_test(a_table_gives_back_the_tokens_shares_and_vectors_it_was_made_of),
      cmocka_unit_test(a_token_that_was_never_seen_has_no_vector_and_no_share),
      cmocka_unit_test(a_token_that_was_not_counted_has_a_vector_and_no_share),
      cmocka_unit_test(every_changed_byte_is_found),
      cmocka_unit_test(a_file_cut_at_any_length_or_made_longer_is_refused),
      cmocka_unit_test(a_header_that_lies_with_a_right_checksum_is_refused),
      cmocka_unit_test(writing_refuses_odd_sizes_and_equal_tokens),
      cmocka_unit_test(fast_products_equal_the_plain_one),
      cmocka_unit_test(cosines_of_rounded_vectors_are_those_of_the_sums),
      cmocka_unit_test(a_text_without_known_tokens_has_no_direction),
      cmocka_unit_test(lack_of_memory_is_told_and_leaves_nothing),
      cmocka_unit_test_setup_teardown(the_table_is_looked_for_beside_the_program_and_then_in_share, place_setup,
                                      place_teardown),
      cmocka_unit_test_setup_teardown(a_path_comes_before_the_environment_and_that_before_the_search, place_setup,
                                      place_teardown),
      cmocka_unit_test_setup_teardown(a_table_that_was_named_but_is_absent_or_damaged_is_not_replaced, place_setup,
                                      place_teardown),
      cmocka_unit_test_setup_teardown(failures_of_reading_are_passed_on, place_setup, place_teardown),
  };
  return cmocka_run_group_tests_name("terms", tests, NULL, NULL);
}
