/* SPDX-License-Identifier: MIT
 *
 * train-terms with invented skills in two invented vocabularies: the table learns which words belong together, is the
 * same every time, and held-out skills are not used.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/tmpdir.h"
#include "rank/table/terms.h"
#include "rank/table/terms_simd.h"
#include "rank/text/analyze.h"

enum { TOPICS = 12, SKILLS = 8 };

/* Descriptions use the first word of a topic, and later sections the second: only training connects the two. */
static const char *const topics[TOPICS][2] = {{"invoice", "ledger"}, {"kubernetes", "cluster"}, {"guitar", "melody"},
                                              {"tomato", "garden"},  {"passport", "visa"},      {"telescope", "galaxy"},
                                              {"yoga", "stretch"},   {"pastry", "oven"},        {"lawsuit", "attorney"},
                                              {"puppy", "kennel"},   {"sailboat", "ocean"},     {"vaccine", "syringe"}};

static char *made_skills(void) {
  char *dir = tmpdir_make();
  for (int t = 0; t < TOPICS; t++) {
    for (int i = 0; i < SKILLS; i++) {
      char path[64];
      char text[600];
      snprintf(path, sizeof path, "skills/%s-%c/SKILL.md", topics[t][0], 'a' + i);
      snprintf(text, sizeof text,
               "---\nname: %s-%c\ndescription: Handles %s matters of kind %c for people\n---\n# Title\n\n"
               "## When to use\n\n- somebody mentions the %s number %c today\n- a %s question comes up in part %c\n",
               topics[t][0], 'a' + i, topics[t][0], 'a' + i, topics[t][1], 'a' + i, topics[t][1], 'a' + i);
      tmpdir_write(dir, path, text);
    }
  }
  return dir;
}

static int train(const char *dir, const char *output, const char *options) {
  char command[2000];
  snprintf(command, sizeof command,
           "%s --wordnet none --dims 32 --bits 8 --epochs 60 --batch 48 --least 2 %s -o %s/%s %s/skills 2>%s/log",
           SKILLET_TRAIN_TERMS, options, dir, output, dir, dir);
  return system(command);
}

static struct skill__terms *open_output(const char *dir, const char *name) {
  char path[1000];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  struct skill__terms *terms = NULL;
  assert_int_equal(skill__terms_open(skill_io_posix(), path, SKILL__ANALYZER_VERSION, &terms, NULL), 0);
  return terms;
}

struct vector {
  const struct skill__terms *terms;
  float sum[32];
  size_t known;
};

static int add_token(void *user, const char *text, size_t length, unsigned flags) {
  (void)flags;
  struct vector *vector = user;
  struct skill__term term = skill__terms_find(vector->terms, text, length);
  if (term.row != SKILL__TERMS_NONE) skill__terms_add(vector->terms, term.row, 1, vector->sum);
  vector->known += term.row != SKILL__TERMS_NONE;
  return 0;
}

static struct vector vector_of(const struct skill__terms *terms, const char *text) {
  struct vector vector = {.terms = terms};
  struct skill__analyzer *analyzer = NULL;
  assert_int_equal(skill__analyzer_new(&analyzer), 0);
  assert_int_equal(skill__analyze(analyzer, text, strlen(text), add_token, &vector), 0);
  skill__analyzer_free(analyzer);
  return vector;
}

static float cosine(const struct skill__terms *terms, const char *a, const char *b) {
  int8_t left[32], right[32];
  float left_unit = skill__terms_round(vector_of(terms, a).sum, 32, left);
  float right_unit = skill__terms_round(vector_of(terms, b).sum, 32, right);
  return (float)skill__terms_dot_plain(left, right, 32) * left_unit * right_unit;
}

static void words_that_describe_one_thing_end_up_near_each_other(void **state) {
  (void)state;
  char *dir = made_skills();
  assert_int_equal(train(dir, "a.skt", ""), 0);
  struct skill__terms *terms = open_output(dir, "a.skt");
  for (int t = 0; t < TOPICS; t++) {
    for (int other = 0; other < TOPICS; other++) {
      if (other == t) continue;
      float own = cosine(terms, topics[t][1], topics[t][0]);
      assert_true(own > 0.5F && own > cosine(terms, topics[t][1], topics[other][0]) + 0.2F);
    }
    assert_true(skill__terms_find(terms, "handl", 5).share > 0.9F);
  }
  skill__terms_free(terms);
  tmpdir_remove(dir);
}

static void the_same_seed_gives_the_same_bytes_and_another_does_not(void **state) {
  (void)state;
  char *dir = made_skills();
  assert_int_equal(train(dir, "a.skt", ""), 0);
  assert_int_equal(train(dir, "b.skt", ""), 0);
  assert_int_equal(train(dir, "c.skt", "--seed 2"), 0);
  char command[1000];
  snprintf(command, sizeof command, "cmp -s %s/a.skt %s/b.skt", dir, dir);
  assert_int_equal(system(command), 0);
  snprintf(command, sizeof command, "cmp -s %s/a.skt %s/c.skt", dir, dir);
  assert_int_not_equal(system(command), 0);
  tmpdir_remove(dir);
}

static void held_out_skills_are_not_seen(void **state) {
  (void)state;
  char *dir = made_skills();
  char names[2000] = "";
  for (int i = 0; i < SKILLS; i++) snprintf(names + strlen(names), 40, "Guitar %c\n", 'A' + i);
  tmpdir_write(dir, "names", names);
  char options[1000];
  snprintf(options, sizeof options, "--hold-out %s/names", dir);
  assert_int_equal(train(dir, "a.skt", options), 0);
  struct skill__terms *terms = open_output(dir, "a.skt");
  assert_int_equal(vector_of(terms, "guitar melody").known, 0);
  assert_int_equal(vector_of(terms, "tomato garden").known, 2);
  assert_int_equal(skill__terms_documents(terms), (TOPICS - 1) * SKILLS);
  skill__terms_free(terms);
  tmpdir_remove(dir);
}

static const char *const requests[TOPICS] = {"billing", "containers", "strumming", "seedling", "border",  "stargazing",
                                             "posture", "croissant",  "suing",     "walkies",  "mooring", "jab"};

static void given_pairs_join_requests_with_what_they_ask_for(void **state) {
  (void)state;
  char *dir = made_skills();
  char lines[TOPICS * SKILLS * 80] = "";
  for (int t = 0; t < TOPICS; t++) {
    for (int i = 0; i < SKILLS; i++)
      snprintf(lines + strlen(lines), 80, "task\t%s\tsomething about %s %c\tThe %s tool %c\n", topics[t][0],
               requests[t], 'a' + i, topics[t][0], 'a' + i);
  }
  tmpdir_write(dir, "pairs", lines);
  char options[1000];
  snprintf(options, sizeof options, "--pairs %s/pairs", dir);
  assert_int_equal(train(dir, "a.skt", options), 0);
  struct skill__terms *terms = open_output(dir, "a.skt");
  for (int t = 0; t < TOPICS; t++) {
    float own = cosine(terms, requests[t], topics[t][0]);
    assert_true(own > 0.5F && own > cosine(terms, requests[t], topics[(t + 1) % TOPICS][0]) + 0.2F);
  }
  skill__terms_free(terms);
  tmpdir_remove(dir);
}

static void a_line_that_is_no_pair_is_told_with_its_number(void **state) {
  (void)state;
  static const char *const wrong[] = {"task\ta\tb\tc\ntask without tabs\n", "task\ta\tb\tc\nnothing\ta\tb\tc\n"};
  char *dir = made_skills();
  char options[1000], command[1000];
  snprintf(options, sizeof options, "--pairs %s/pairs", dir);
  snprintf(command, sizeof command, "grep -q '^train-terms: .*pairs:2: ' %s/log && test ! -e %s/a.skt", dir, dir);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    tmpdir_write(dir, "pairs", wrong[i]);
    assert_int_not_equal(train(dir, "a.skt", options), 0);
    assert_int_equal(system(command), 0);
  }
  tmpdir_remove(dir);
}

static void a_latin_table_leaves_other_scripts_out(void **state) {
  (void)state;
  char *dir = made_skills();
  for (int i = 0; i < 4; i++) {
    char path[64], text[300];
    snprintf(path, sizeof path, "skills/zh-%d/SKILL.md", i);
    snprintf(text, sizeof text, "---\nname: zh\ndescription: 处理发票和账单的技能%d，invoice 需要时使用它\n---\n", i);
    tmpdir_write(dir, path, text);
  }
  assert_int_equal(train(dir, "all.skt", ""), 0);
  assert_int_equal(train(dir, "latin.skt", "--latin"), 0);
  struct skill__terms *all = open_output(dir, "all.skt"), *latin = open_output(dir, "latin.skt");
  assert_true(skill__terms_find(all, "\xe5\x8f\x91\xe7\xa5\xa8", 6).share > 0);
  assert_true(skill__terms_find(latin, "\xe5\x8f\x91\xe7\xa5\xa8", 6).share == 0);
  assert_int_equal(vector_of(latin, "invoice").known, 1);
  skill__terms_free(all);
  skill__terms_free(latin);
  tmpdir_remove(dir);
}

static void wrong_options_are_refused_with_a_message(void **state) {
  (void)state;
  char *dir = made_skills();
  static const char *const wrong[] = {"--dims 33",           "--bits 5",        "--rate x", "--source nothing=1",
                                      "--hold-out /no/such", "--pairs /no/such"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_not_equal(train(dir, "a.skt", wrong[i]), 0);
    char command[1000];
    snprintf(command, sizeof command, "grep -q '^train-terms: ' %s/log && test ! -e %s/a.skt", dir, dir);
    assert_int_equal(system(command), 0);
  }
  tmpdir_remove(dir);
}

int main(void) {
  if (access(SKILLET_TRAIN_TERMS, X_OK) != 0) {
    puts("skipped: train-terms was not built (SKILLET_BUILD_TOOLS)");
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_that_describe_one_thing_end_up_near_each_other),
      cmocka_unit_test(the_same_seed_gives_the_same_bytes_and_another_does_not),
      cmocka_unit_test(held_out_skills_are_not_seen),
      cmocka_unit_test(given_pairs_join_requests_with_what_they_ask_for),
      cmocka_unit_test(a_line_that_is_no_pair_is_told_with_its_number),
      cmocka_unit_test(a_latin_table_leaves_other_scripts_out),
      cmocka_unit_test(wrong_options_are_refused_with_a_message),
  };
  return cmocka_run_group_tests_name("train-terms", tests, NULL, NULL);
}
