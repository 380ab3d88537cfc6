/* SPDX-License-Identifier: MIT
 *
 * skillet eval and skillet find with the project's own labelled set in English, Chinese, Japanese and Korean. The
 * figures are exact: a change of the ranking that changes one of them must be intended.
 */
#include "lib/check.h"
#include "lib/contains.h"
#include "lib/program.h"
#include "lib/tmpdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char output[1 << 16];

static int run(const char *arguments) {
  char command[4096];
  snprintf(command, sizeof command, "%s %s 2>&1", SKILLET_PROGRAM, arguments);
  return program_shell(command, output, sizeof output);
}

#define SET SKILLET_TEST_DATA "/eval"

static void the_own_set_has_exactly_these_figures(void **state) {
  (void)state;
  assert_int_equal(run("eval --json --config table= " SET), 0);
  has(output, "\"queries\":28,\"scorer\":\"bm25f\",\"recall\":{\"1\":0.9107,\"3\":1.0000,\"5\":1.0000,\"10\":1.0000}");
  has(output, "\"all5\":1.0000,\"ndcg10\":0.9736,\"mrr\":0.9643,\"auc\":0.9500");
}

/* For each language, fifteen questions with the words of the skills and five with other words; ranked by words alone,
 * and therefore by pairs of characters. */
static void japanese_and_korean_questions_find_their_skills(void **state) {
  (void)state;
  assert_int_equal(run("eval --json --config table= " SET "-ja " SET "-ko"), 0);
  has(output,
      "\"set\":\"eval-ja\",\"queries\":20,\"scorer\":\"bm25f\",\"recall\":{\"1\":0.8000,\"3\":0.9000,\"5\":0.9500");
  has(output,
      "\"set\":\"eval-ko\",\"queries\":20,\"scorer\":\"bm25f\",\"recall\":{\"1\":0.8000,\"3\":0.9500,\"5\":0.9500");
}

static void the_additive_scorer_is_worse_and_eval_says_by_how_much(void **state) {
  (void)state;
  assert_int_equal(run("eval --config table= --against scorer=additive " SET), 0);
  has(output, "against - this: -0.");
}

static void pruning_costs_nothing_on_the_own_set(void **state) {
  (void)state;
  assert_int_equal(run("eval --config table= --against exhaustive=on " SET), 0);
  has(output, "ndcg@10    against - this: +0.0000, 95 % [+0.0000, +0.0000]");
}

static void equals_of_a_group_count_once(void **state) {
  (void)state;
  assert_int_equal(run("eval --json --flat --config table= " SET), 0);
  has(output, "\"recall\":{\"1\":0.8929,\"3\":1.0000"); /* both skills of the group of two are expected now */
}

static void wrong_use_is_reported(void **state) {
  (void)state;
  assert_int_equal(run("eval"), 2);
  assert_int_equal(run("eval --config flour=1 " SET), 2);
  has(output, "there is no setting 'flour'");
  assert_int_equal(run("eval /nowhere"), 3);
  has(output, "/nowhere/skills.jsonl: cannot be read");
}

static void find_prints_results_as_documented(void **state) {
  (void)state;
  assert_int_equal(run("find --json --table '' -n 1 'review my pull request' " SET "/skills.jsonl"), 0);
  has(output, "{\"query\":\"review my pull request\",\"results\":[{\"name\":\"code-review\",\"score\":");
  has(output, "\"terms\":[{\"term\":\"code-review\",\"field\":\"tool\",\"score\":");
  has(output, "\"reason\":\"\"}");
  assert_int_equal(run("find --json --table '' 'bake sourdough' " SET "/skills.jsonl"), 1);
  has(output, "\"results\":[],\"matched\":0");
  has(output, "\"reason\":\"no skill has: bake, sourdough\"}");
}

static void find_answers_from_a_saved_index(void **state) {
  (void)state;
  char *dir = tmpdir_make(), command[1024];
  snprintf(command, sizeof command, "find --json --table '' --save-index %s/i 'unit of mass' " SET "/skills.jsonl",
           dir);
  assert_int_equal(run(command), 0);
  char *first = strdup(output);
  snprintf(command, sizeof command, "find --json --table '' --index %s/i 'unit of mass'", dir);
  assert_int_equal(run(command), 0);
  assert_string_equal(output, first);
  free(first);
  tmpdir_write(dir, "i", "SKILLIDX, but no more");
  assert_int_equal(run(command), 3);
  has(output, "build the index anew");
  tmpdir_remove(dir);
}

/* The index is stored, used again with its descriptions, and built again if a file changes, is added or is removed, or
 * if the index is damaged. */
static void find_keeps_an_index_of_folders_up_to_date(void **state) {
  (void)state;
  char *dir = tmpdir_make(), command[1024], plain[1024];
  tmpdir_write(dir, "s/tea/SKILL.md", "---\nname: tea\ndescription: Brews green tea\n---\nSteep it.\n");
  snprintf(command, sizeof command, "find --table '' --index %s/i 'green tea' %s/s", dir, dir);
  snprintf(plain, sizeof plain, "find --table '' --index %s/i 'green tea'", dir);
  assert_int_equal(run(plain), 3); /* there is nothing to build it from */
  for (int again = 0; again < 2; again++) {
    assert_int_equal(run(command), 0);
    has(output, "tea  Brews green tea\n");
  }
  assert_int_equal(run(plain), 0);
  has(output, "tea  Brews green tea\n");
  tmpdir_write(dir, "s/oolong/SKILL.md", "---\nname: oolong\ndescription: Pours green oolong tea\n---\nWait.\n");
  assert_int_equal(run(plain), 0); /* the query is used unchanged */
  lacks(output, "oolong");
  assert_int_equal(run(command), 0);
  has(output, "oolong  Pours green oolong tea\n");
  assert_int_equal(run(plain), 0);
  has(output, "oolong  Pours green oolong tea\n");
  tmpdir_write(dir, "i.text", "another's");
  assert_int_equal(run(command), 0);
  has(output, "oolong  Pours green oolong tea\n");
  tmpdir_write(dir, "i", "no index");
  assert_int_equal(run(command), 0);
  has(output, "tea     Brews green tea\n");
  tmpdir_remove(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_own_set_has_exactly_these_figures),
      cmocka_unit_test(japanese_and_korean_questions_find_their_skills),
      cmocka_unit_test(the_additive_scorer_is_worse_and_eval_says_by_how_much),
      cmocka_unit_test(pruning_costs_nothing_on_the_own_set),
      cmocka_unit_test(equals_of_a_group_count_once),
      cmocka_unit_test(wrong_use_is_reported),
      cmocka_unit_test(find_prints_results_as_documented),
      cmocka_unit_test(find_answers_from_a_saved_index),
      cmocka_unit_test(find_keeps_an_index_of_folders_up_to_date),
  };
  return cmocka_run_group_tests_name("eval", tests, NULL, NULL);
}
