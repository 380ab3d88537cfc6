/* SPDX-License-Identifier: MIT
 *
 * skillet run with the example skills and the offline model: real searches, real scripts, real numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "lib/contains.h"
#include "lib/program.h"

static char output[256 * 1024];

static int run(const char *arguments) {
  char command[2048];
  snprintf(command, sizeof command, "%s run %s 2>&1", SKILLET_PROGRAM, arguments);
  return program_shell(command, output, sizeof output);
}

#define EXAMPLES SKILLET_SOURCE_DIR "/examples/skills"

static void a_task_runs_from_search_to_answer(void **state) {
  (void)state;
  assert_int_equal(run("'convert 26.2 miles to kilometres' " EXAMPLES), 0);
  has(output, "offline: no language model");
  has(output, "listed");
  has(output, "ranked");
  has(output, "activated");
  has(output, "skill_search");
  has(output, "opened    unit-converter");
  has(output, "convert_units {\"value\":26.2,\"from\":\"miles\",\"to\":\"kilometres\"}");
  has(output, "42.16");
  has(output, "with every skill in the context");
  has(output, "with skillet");
}

static void a_policy_activates_beforehand_and_without_one_nothing_is(void **state) {
  (void)state;
  assert_int_equal(run("'convert 26.2 miles to kilometres' --policy relevance " EXAMPLES), 0);
  assert_true(strstr(output, "activated unit-converter, score") < strstr(output, "skill_search {"));
  assert_int_equal(run("'convert 26.2 miles to kilometres' --policy manual " EXAMPLES), 0);
  assert_true(strstr(output, "activated unit-converter") > strstr(output, "calls     skill_open"));
  assert_int_equal(run("'convert 26.2 miles to kilometres' " EXAMPLES), 0);
  assert_true(strstr(output, "activated unit-converter") > strstr(output, "calls     skill_open"));
}

static void passages_go_with_a_request(void **state) {
  (void)state;
  assert_int_equal(run("'which calls wait for approval in the gateway?' " EXAMPLES " --retrieve " SKILLET_SOURCE_DIR
                       "/docs --model script:" SKILLET_TEST_DATA "/agent/hello.json"),
                   0);
  has(output, "attached  passages");
  has(output, "retrieved ");
  has(output, "docs/agent.md:");
  assert_int_equal(
      run("'plan a birthday party' " EXAMPLES " --retrieve " SKILLET_SOURCE_DIR "/docs --retrieve /no/such "
          "--model script:" SKILLET_TEST_DATA "/agent/hello.json"),
      0);
  has(output, "retrieved nothing: no passage fits");
  has(output, "degraded  /no/such: a place to retrieve from cannot be read");
}

static void chinese_works_too(void **state) {
  (void)state;
  assert_int_equal(run("'统计字数：春眠不觉晓，处处闻啼鸟。' --skills " EXAMPLES), 0);
  has(output, "opened    字数统计");
  has(output, "count_text {\"text\":\"春眠不觉晓，处处闻啼鸟。\"}");
  has(output, "汉字 10");
}

static void json_lines_end_with_the_result(void **state) {
  (void)state;
  assert_int_equal(run("--json 'convert 5 kg to pounds' " EXAMPLES), 0);
  has(output, "{\"event\":\"activated\"");
  char *last = strstr(output, "{\"event\":\"result\",\"end\":\"answered\"");
  assert_non_null(last);
  assert_non_null(strstr(last, "11.02"));
  assert_non_null(strstr(last, "\"usage\":{"));
  assert_null(strchr(strchr(last, '\n') + 1, '\n'));
}

static void where_no_skill_fits_the_answer_is_no(void **state) {
  (void)state;
  assert_int_equal(run("'zzyzx qwrtp' " EXAMPLES), 1);
  has(output, "Nothing here fits that request");
  assert_int_equal(run("--json 'zzyzx qwrtp' " EXAMPLES), 1);
  has(output, "{\"event\":\"result\",\"end\":\"answered\"");
  /* An answer without a skill also counts as an answer. */
  assert_int_equal(run("'zzyzx qwrtp' " EXAMPLES " --model script:" SKILLET_TEST_DATA "/agent/hello.json"), 0);
  has(output, "Hello.");
}

static void a_constant_tool_list_and_a_search_that_is_not_there(void **state) {
  (void)state;
  assert_int_equal(run("'convert 3 miles' " EXAMPLES " --tools-offered constant --model script:" SKILLET_TEST_DATA
                       "/agent/constant.json"),
                   0);
  has(output, "calls     tool_call_read");
  has(output, "3 mi = 4.82803 km");
  has(output, "it only reads; call it with tool_call_read");
  assert_int_equal(run("'convert 26.2 miles to kilometres' " EXAMPLES " --tools-offered deferred"), 0);
  has(output, "degraded  offline has no tool search: tools are offered directly");
  has(output, "42.16");
  assert_int_equal(run("x --tools-offered some " EXAMPLES), 2);
  has(output, "--tools-offered must be direct, constant or deferred, not 'some'");
}

static void wrong_use_says_what_is_wrong(void **state) {
  (void)state;
  assert_int_equal(run(""), 2);
  has(output, "TASK is missing");
  assert_int_equal(run("x --policy best " EXAMPLES), 2);
  has(output, "there is no policy 'best'");
  assert_int_equal(run("x --model parrot " EXAMPLES), 2);
  has(output, "parrot");
  assert_int_equal(run("x --model script:/no/such.json " EXAMPLES), 3);
  has(output, "/no/such.json");
}

static void recorded_tools_are_not_said_to_be_of_use(void **state) {
  (void)state;
  assert_int_equal(run("'read a file' " SKILLET_TEST_DATA "/source/recorded/files.json"), 0);
  has(output, "The skill files fits, but it has no instructions, and no tool of it");
  lacks(output, "use its tools");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_task_runs_from_search_to_answer),
      cmocka_unit_test(recorded_tools_are_not_said_to_be_of_use),
      cmocka_unit_test(a_policy_activates_beforehand_and_without_one_nothing_is),
      cmocka_unit_test(passages_go_with_a_request),
      cmocka_unit_test(chinese_works_too),
      cmocka_unit_test(json_lines_end_with_the_result),
      cmocka_unit_test(where_no_skill_fits_the_answer_is_no),
      cmocka_unit_test(a_constant_tool_list_and_a_search_that_is_not_there),
      cmocka_unit_test(wrong_use_says_what_is_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
