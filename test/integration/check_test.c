/* SPDX-License-Identifier: MIT
 *
 * skillet check: its output formats, its exit statuses, and the changes that --fix makes.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/program.h"
#include "lib/tmpdir.h"

static int setup(void **state) {
  char *dir = tmpdir_make();
  tmpdir_write(dir, "good/tea/SKILL.md", "---\nname: tea\ndescription: Brews tea by the clock.\n---\n\nBrew.\n");
  tmpdir_write(dir, "bad/eggs/SKILL.md",
               "---\nname: eggs\ndescription: Boils eggs: soft, or hard: as asked\n---\n\nBoil.\n");
  tmpdir_write(dir, "bad/no words/SKILL.md", "---\nname: no-words\n---\n\nText.\n");
  tmpdir_write(
      dir, "bad/twin-a/SKILL.md",
      "---\nname: twin-a\ndescription: Converts spreadsheets of invoices into tidy yearly reports.\n---\n\nA.\n");
  tmpdir_write(
      dir, "bad/twin-b/SKILL.md",
      "---\nname: twin-b\ndescription: Converts spreadsheets of invoices into tidy yearly reports.\n---\n\nB.\n");
  *state = dir;
  return access(SKILLET_PROGRAM, X_OK);
}

static int teardown(void **state) {
  tmpdir_remove(*state);
  return 0;
}

static const cJSON *finding(const cJSON *report, const char *code) {
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(report, "diagnostics")) {
    if (!strcmp(cJSON_GetObjectItemCaseSensitive(item, "code")->valuestring, code)) return item;
  }
  return NULL;
}

static const char *text_of(const cJSON *object, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(object, key)->valuestring;
}

static void nothing_to_fix_exits_0(void **state) {
  char *text = NULL;
  assert_int_equal(program_run(*state, "check good", &text), 0);
  assert_string_equal(text, "1 skill: nothing to fix\n");
  free(text);
}

static void findings_exit_1_and_have_place_level_code_and_remedy(void **state) {
  cJSON *report = program_json(*state, "check --json bad", 1);
  assert_int_equal(cJSON_GetObjectItemCaseSensitive(report, "skills")->valueint, 4);
  const cJSON *colon = finding(report, "yaml-colon");
  assert_non_null(colon);
  assert_string_equal(text_of(colon, "path"), "bad/eggs/SKILL.md");
  assert_string_equal(text_of(colon, "level"), "warning");
  assert_int_equal(cJSON_GetObjectItemCaseSensitive(colon, "line")->valueint, 3);
  assert_int_equal(cJSON_GetObjectItemCaseSensitive(colon, "column")->valueint, 24);
  assert_non_null(text_of(colon, "message"));
  assert_non_null(text_of(colon, "fix"));
  const cJSON *missing = finding(report, "description-missing");
  assert_non_null(missing);
  assert_string_equal(text_of(missing, "level"), "error");
  cJSON_Delete(report);
}

static void a_remedy_is_said_once_in_a_text_that_fits(void **state) {
  char *text = NULL;
  tmpdir_write(*state, "names/One/SKILL.md", "---\nname: One\ndescription: The first.\n---\nBody.\n");
  tmpdir_write(*state, "names/Two/SKILL.md", "---\nname: Two\ndescription: Another.\n---\nBody.\n");
  assert_int_equal(program_run(*state, "check --no-similar names", &text), 1);
  const char *remedy = strstr(text, "name-form: use lower-case letters");
  assert_non_null(remedy);
  assert_null(strstr(remedy + 1, "name-form: "));
  assert_non_null(strstr(remedy, "the name 'Two' has upper-case letters [name-form]\n"));
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) assert_true(strlen(line) <= 80);
  free(text);
}

static void descriptions_that_compete_are_paired(void **state) {
  cJSON *report = program_json(*state, "check --json bad", 1);
  const cJSON *pairs = cJSON_GetObjectItemCaseSensitive(report, "competing");
  assert_int_equal(cJSON_GetArraySize(pairs), 1);
  assert_string_equal(text_of(pairs->child, "a"), "twin-a");
  assert_string_equal(text_of(pairs->child, "b"), "twin-b");
  assert_true(cJSON_GetObjectItemCaseSensitive(pairs->child, "score")->valuedouble > 0.8);
  cJSON_Delete(report);
  report = program_json(*state, "check --json --no-similar bad", 1);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(report, "competing")), 0);
  cJSON_Delete(report);
}

static void strict_makes_departures_from_the_specification_errors(void **state) {
  cJSON *report = program_json(*state, "check --strict --json bad", 1);
  assert_string_equal(text_of(finding(report, "yaml-colon"), "level"), "error");
  cJSON_Delete(report);
  assert_int_equal(program_run(*state, "check --strict good", NULL), 0);
}

static void sarif_names_each_rule_once_and_each_place(void **state) {
  cJSON *log = program_json(*state, "check --sarif bad", 1);
  assert_string_equal(text_of(log, "version"), "2.1.0");
  const cJSON *run = cJSON_GetObjectItemCaseSensitive(log, "runs")->child;
  const cJSON *driver = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(run, "tool"), "driver");
  const cJSON *rules = cJSON_GetObjectItemCaseSensitive(driver, "rules");
  const cJSON *result = NULL;
  bool encoded = false;
  cJSON_ArrayForEach(result, cJSON_GetObjectItemCaseSensitive(run, "results")) {
    const cJSON *rule = NULL;
    int named = 0;
    cJSON_ArrayForEach(rule, rules) named += !strcmp(text_of(rule, "id"), text_of(result, "ruleId"));
    assert_int_equal(named, 1);
    const cJSON *place = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(result, "locations")->child,
                                                          "physicalLocation");
    const char *uri = text_of(cJSON_GetObjectItemCaseSensitive(place, "artifactLocation"), "uri");
    assert_null(strchr(uri, ' '));
    encoded |= strstr(uri, "no%20words") != NULL;
    const cJSON *region = cJSON_GetObjectItemCaseSensitive(place, "region");
    assert_true(cJSON_GetObjectItemCaseSensitive(region, "startLine")->valueint >= 1);
  }
  assert_true(encoded);
  cJSON_Delete(log);
}

static void fix_shows_a_diff_and_changes_files_only_with_write(void **state) {
  const char *dir = *state;
  static const char want[] =
      "--- bad/eggs/SKILL.md\n+++ bad/eggs/SKILL.md\n@@ -1,6 +1,6 @@\n ---\n name: eggs\n"
      "-description: Boils eggs: soft, or hard: as asked\n"
      "+description: 'Boils eggs: soft, or hard: as asked'\n ---\n \n Boil.\n";
  char *text = NULL;
  assert_int_equal(program_run(dir, "check --fix bad/eggs", &text), 1);
  assert_string_equal(text, want);
  free(text);
  assert_int_equal(program_run(dir, "check --no-similar bad/eggs", NULL), 1);
  assert_int_equal(program_run(dir, "check --fix --write bad/eggs", &text), 0);
  assert_string_equal(text, want);
  free(text);
  cJSON *report = program_json(dir, "check --json bad/eggs", 0);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(report, "diagnostics")), 0);
  cJSON_Delete(report);
  assert_int_equal(program_run(dir, "check --fix --write bad/eggs", &text), 0);
  assert_string_equal(text, "");
  free(text);
}

static void the_summary_counts_by_kind(void **state) {
  char *text = NULL;
  assert_int_equal(program_run(*state, "check --summary bad", &text), 1);
  assert_non_null(strstr(text, "4 files, 2 without a finding; 3 skills load with a description"));
  assert_non_null(strstr(text, "| error   | description-missing |"));
  free(text);
}

static void wrong_use_is_reported(void **state) {
  assert_int_equal(program_run(*state, "check --write good", NULL), 2);
  assert_int_equal(program_run(*state, "check --level loud good", NULL), 2);
  assert_int_equal(program_run(*state, "check --nonsense good", NULL), 2);
  assert_int_equal(program_run(*state, "check good nowhere", NULL), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(nothing_to_fix_exits_0, setup, teardown),
      cmocka_unit_test_setup_teardown(findings_exit_1_and_have_place_level_code_and_remedy, setup, teardown),
      cmocka_unit_test_setup_teardown(a_remedy_is_said_once_in_a_text_that_fits, setup, teardown),
      cmocka_unit_test_setup_teardown(descriptions_that_compete_are_paired, setup, teardown),
      cmocka_unit_test_setup_teardown(strict_makes_departures_from_the_specification_errors, setup, teardown),
      cmocka_unit_test_setup_teardown(sarif_names_each_rule_once_and_each_place, setup, teardown),
      cmocka_unit_test_setup_teardown(fix_shows_a_diff_and_changes_files_only_with_write, setup, teardown),
      cmocka_unit_test_setup_teardown(the_summary_counts_by_kind, setup, teardown),
      cmocka_unit_test_setup_teardown(wrong_use_is_reported, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
