/* SPDX-License-Identifier: MIT
 *
 * The project's own test vectors: texts and their ids, from an independent implementation in another language. Those of
 * the tiny vocabulary, which was trained on our own texts, always run. Those of the real vocabularies run if these are
 * packed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PACK_VOCABULARY
int main(void) {
  return 77; /* the tools were not built */
}
#else

#include "lib/check.h"
#include "lib/sweep.h"
#include "lib/tmpdir.h"
#include "tokens/tokens.h"
#include "tokens/vocab.h"
#include "util/hash.h"
#include "util/json.h"

#define RANKS SKILLET_TEST_DATA "/tokens/tiny.ranks"

static char *dir;
static cJSON *vectors;
static SkillTokenizer *tiny[2]; /* by pattern */

static char *slurp(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *length = (size_t)ftell(file);
  rewind(file);
  char *data = malloc(*length + 1);
  assert_non_null(data);
  assert_int_equal(fread(data, 1, *length, file), *length);
  data[*length] = '\0';
  fclose(file);
  return data;
}

static int pack(const char *pattern, const char *ranks, const char *output) {
  char command[4096];
  snprintf(command, sizeof command, "%s tiny %s %s %s/%s >%s/log 2>&1", PACK_VOCABULARY, pattern, ranks, dir, output,
           dir);
  return system(command);
}

static int setup(void **state) {
  (void)state;
  size_t length = 0;
  char *text = slurp(SKILLET_TEST_DATA "/tokens/vectors.json", &length);
  assert_int_equal(skill__json_parse(text, length, "vectors.json", &vectors, NULL), 0);
  free(text);
  dir = tmpdir_make();
  assert_int_equal(pack("o200k", RANKS, "o200k.skv"), 0);
  assert_int_equal(pack("cl100k", RANKS, "cl100k.skv"), 0);
  assert_int_equal(skill_tokenizer_open("o200k", dir, &tiny[0], NULL), 0);
  assert_int_equal(skill_tokenizer_open("cl100k", dir, &tiny[1], NULL), 0);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  skill_tokenizer_free(tiny[0]);
  skill_tokenizer_free(tiny[1]);
  cJSON_Delete(vectors);
  tmpdir_remove(dir);
  return 0;
}

static uint64_t hash_ids(const uint32_t *ids, size_t count) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < count; i++) h = (h ^ ids[i]) * UINT64_C(0x100000001b3);
  return h;
}

static void check_text(SkillTokenizer *tokenizer, const cJSON *vector, const char *text) {
  const cJSON *want = cJSON_GetObjectItemCaseSensitive(vector, "ids");
  const cJSON *unit = cJSON_GetObjectItemCaseSensitive(vector, "times");
  uint32_t ids[2048];
  size_t length = strlen(text);
  assert_null(unit);
  size_t count = tokenizer->encode(tokenizer, text, length, ids, 2048);
  assert_int_equal(count, cJSON_GetArraySize(want));
  for (size_t i = 0; i < count; i++) assert_int_equal(ids[i], cJSON_GetArrayItem(want, (int)i)->valueint);
  assert_int_equal(skill_tokens_count(tokenizer, text, length), count);
}

static void check_run(SkillTokenizer *tokenizer, const cJSON *vector, const char *unit) {
  size_t size = strlen(unit);
  size_t times = (size_t)cJSON_GetObjectItemCaseSensitive(vector, "times")->valuedouble;
  char *text = malloc(size * times);
  uint32_t *ids = malloc(size * times * sizeof *ids);
  assert_true(text && ids);
  for (size_t i = 0; i < times; i++) memcpy(text + i * size, unit, size);
  size_t count = tokenizer->encode(tokenizer, text, size * times, ids, size * times);
  assert_int_equal(count, cJSON_GetObjectItemCaseSensitive(vector, "count")->valueint);
  char hash[20];
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)hash_ids(ids, count));
  assert_string_equal(hash, skill__json_string(vector, "hash"));
  free(text);
  free(ids);
}

static size_t check_all(const char *vocabulary, SkillTokenizer *const by_pattern[2]) {
  size_t checked = 0;
  const cJSON *vector;
  cJSON_ArrayForEach(vector, vectors) {
    if (strcmp(skill__json_string(vector, "vocabulary"), vocabulary) != 0) continue;
    SkillTokenizer *tokenizer = by_pattern[strcmp(skill__json_string(vector, "pattern"), "o200k") != 0];
    const char *unit = skill__json_string(vector, "unit");
    if (unit) {
      check_run(tokenizer, vector, unit);
    } else {
      check_text(tokenizer, vector, skill__json_string(vector, "text"));
    }
    checked++;
  }
  return checked;
}

static void the_tiny_vocabulary_gives_the_ids_of_the_vectors(void **state) {
  (void)state;
  assert_true(check_all("tiny", tiny) >= 30);
}

static void check_real(const char *name) {
  SkillTokenizer *real = NULL;
  if (skill_tokenizer_open(name, NULL, &real, NULL)) {
    print_message("no packed %s (scripts/fetch-vocabulary.sh): skipped\n", name);
    skip();
  }
  assert_true(real->exact);
  assert_string_equal(real->name, name);
  assert_true(check_all(name, (SkillTokenizer *const[]){real, real}) >= 20);
  skill_tokenizer_free(real);
}

static void o200k_base_gives_the_ids_of_the_vectors(void **state) {
  (void)state;
  check_real("o200k_base");
}

static void cl100k_base_gives_the_ids_of_the_vectors(void **state) {
  (void)state;
  check_real("cl100k_base");
}

static void text_that_is_not_utf8_counts_as_replacement_characters(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    const char *same;
  } cases[] = {
      {"a\xff"
       "b",
       "a\xef\xbf\xbd"
       "b"},
      {"\xe4\xb8", "\xef\xbf\xbd"},
      {"\xe4\xb8 x", "\xef\xbf\xbd x"},
      {"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},
      {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
      {"\xf0\x9f\x98", "\xef\xbf\xbd"},
      {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t got[64];
    uint32_t want[64];
    size_t n = tiny[0]->encode(tiny[0], cases[i].bytes, strlen(cases[i].bytes), got, 64);
    size_t m = tiny[0]->encode(tiny[0], cases[i].same, strlen(cases[i].same), want, 64);
    assert_int_equal(n, m);
    assert_memory_equal(got, want, n * sizeof *got);
    assert_int_equal(skill_tokens_count(tiny[0], cases[i].bytes, strlen(cases[i].bytes)), n);
  }
}

static void encode_writes_no_more_than_there_is_room_for(void **state) {
  (void)state;
  uint32_t ids[4] = {7, 7, 7, 7};
  const char *text = "A skill is loaded when xyzzyxyzzy";
  size_t all = tiny[0]->encode(tiny[0], text, strlen(text), NULL, 0);
  assert_int_equal(tiny[0]->encode(tiny[0], text, strlen(text), ids, 3), all);
  assert_int_equal(ids[3], 7);
}

static int open_bytes(const char *data, size_t length) {
  SkillTokenizer *tokenizer = NULL;
  SkillError err = SKILL_ERROR_INIT;
  tmpdir_write_bytes(dir, "bad.skv", data, length);
  int status = skill_tokenizer_open("bad", dir, &tokenizer, &err);
  if (status) {
    assert_null(tokenizer);
    assert_int_equal(err.code, status);
    assert_true(strlen(err.message) > 0);
  }
  skill_tokenizer_free(tokenizer);
  return status;
}

static void a_damaged_file_is_refused(void **state) {
  (void)state;
  size_t length = 0;
  char path[1200];
  snprintf(path, sizeof path, "%s/o200k.skv", dir);
  char *data = slurp(path, &length);
  assert_int_equal(open_bytes(data, length), 0);
  assert_int_equal(open_bytes(data, length - 1), SKILL_EPARSE);
  assert_int_equal(open_bytes(data, 20), SKILL_EPARSE);
  assert_int_equal(open_bytes("", 0), SKILL_EPARSE);
  for (size_t at = 0; at < length; at += at < 160 ? 1 : length / 61) {
    data[at] = (char)(data[at] ^ 0x10);
    if (open_bytes(data, length) != SKILL_EPARSE) fail_msg("a flipped bit at byte %zu went unnoticed", at);
    data[at] = (char)(data[at] ^ 0x10);
  }
  free(data);
}

static void a_missing_file_says_how_to_make_it(void **state) {
  (void)state;
  SkillTokenizer *tokenizer = NULL;
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(skill_tokenizer_open("o200k_base", "/nonexistent", &tokenizer, &err), SKILL_ENOENT);
  assert_non_null(strstr(err.message, "scripts/fetch-vocabulary.sh"));
  assert_int_equal(skill_tokenizer_open("../o200k", dir, &tokenizer, NULL), SKILL_EINVAL);
  assert_int_equal(skill_tokenizer_open(NULL, dir, &tokenizer, NULL), SKILL_EINVAL);
  setenv("SKILLET_DATA", dir, 1);
  assert_int_equal(skill_tokenizer_open("o200k_base", NULL, &tokenizer, NULL), SKILL_ENOENT);
  unsetenv("SKILLET_DATA");
}

static void ranks_with_a_fault_are_refused_with_their_line(void **state) {
  (void)state;
  static const struct {
    const char *ranks;
    const char *says;
  } cases[] = {
      {"YQ== 0\nYg== 2\n", ":2: ranks must be"},
      {"YQ== 0\n!! 1\n", ":2: not"},
      {"YQ== 0\nYQ== 1\n", ":2: a token appears twice"},
      {"YQ== 0\n", "a byte is missing"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[1200];
    tmpdir_write(dir, "ranks", cases[i].ranks);
    snprintf(path, sizeof path, "%s/ranks", dir);
    assert_int_not_equal(pack("o200k", path, "none.skv"), 0);
    size_t length = 0;
    snprintf(path, sizeof path, "%s/log", dir);
    char *log = slurp(path, &length);
    assert_non_null(strstr(log, cases[i].says));
    free(log);
  }
}

static char hard[600];

/* After a failed allocation the count of a long piece may be slightly wrong; opening returns an error. */
static int open_and_count(void *user) {
  size_t whole = *(const size_t *)user;
  SkillTokenizer *tokenizer = NULL;
  int status = skill_tokenizer_open("o200k", dir, &tokenizer, NULL);
  if (status) {
    assert_null(tokenizer);
    return status;
  }
  size_t count = skill_tokens_count(tokenizer, hard, sizeof hard);
  if (sweep_failed()) assert_true(count + 8 >= whole && count <= whole + 8);
  sweep_relent();
  assert_int_equal(skill_tokens_count(tokenizer, hard, sizeof hard), whole);
  skill_tokenizer_free(tokenizer);
  return 0;
}

static void memory_that_runs_out_is_survived(void **state) {
  (void)state;
  memset(hard, 'a', sizeof hard);
  memcpy(hard + 300, "\xff skill is", 10);
  size_t whole = skill_tokens_count(tiny[0], hard, sizeof hard);
  assert_true(sweep_run(open_and_count, &whole) >= 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_tiny_vocabulary_gives_the_ids_of_the_vectors),
      cmocka_unit_test(o200k_base_gives_the_ids_of_the_vectors),
      cmocka_unit_test(cl100k_base_gives_the_ids_of_the_vectors),
      cmocka_unit_test(text_that_is_not_utf8_counts_as_replacement_characters),
      cmocka_unit_test(encode_writes_no_more_than_there_is_room_for),
      cmocka_unit_test(a_damaged_file_is_refused),
      cmocka_unit_test(a_missing_file_says_how_to_make_it),
      cmocka_unit_test(ranks_with_a_fault_are_refused_with_their_line),
      cmocka_unit_test(memory_that_runs_out_is_survived),
  };
  return cmocka_run_group_tests_name("tokens/vectors", tests, setup, teardown);
}
#endif
