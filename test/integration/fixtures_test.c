/* SPDX-License-Identifier: MIT
 *
 * The cases of ../shared/fixtures are defects that users of other loaders reported. fixtures.sh runs those that a
 * command line can show. The table below names the others and the test that holds each one. The tests fail if a case
 * is in neither list, or if a test of the table no longer exists. Without ../shared they are skipped.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "lib/program.h"

#define FIXTURES SKILLET_SHARED "/fixtures"

/* Why a case has no test yet. */
#define NO_SERVER "skillet is no MCP server yet"
#define NOT_HELD "skillet does not hold this yet"

/* Each line names one step of a case, and the test that takes it. */
static const struct {
  const char *name; /* as its folder begins */
  const char *file; /* NULL: no test yet; `test` says why */
  const char *test;
} covered[] = {
    {"055", "unit/directory_test.c", "order_is_by_name_then_depth_then_path"},
    {"055", "integration/fixtures_test.c", "the_order_is_byte_by_byte_in_every_run"},
    {"058", "unit/resource_test.c", "paths_are_relative_to_the_skill"},
    {"058", "integration/script_test.c", "it_knows_where_it_is_and_whose"},
    {"061", "unit/resource_test.c", "bytes_stay_bytes"},
    {"061", "unit/resource_test.c", "content_decides_what_is_text"},
    {"076", "integration/agent_fixtures_test.c", "case_076_an_unknown_model_names_the_skill"},
    {"077", "integration/agent_fixtures_test.c", "case_077_who_may_open_what"},
    {"080", "unit/listing_test.c", "less_budget_shortens_then_names_then_the_best"},
    {"080", "unit/listing_test.c", "the_block_never_exceeds_a_budget_that_holds_its_frame"},
    {"095", NULL, NO_SERVER},
    {"097", NULL, NO_SERVER},
    {"098", NULL, NO_SERVER},
    {"100", NULL, NO_SERVER},
    {"101", NULL, NO_SERVER},
    {"103", NULL, NO_SERVER},
    {"104", NULL, NO_SERVER},
    {"106", "integration/reload_test.c", "readers_see_the_old_catalogue_or_the_new_one"},
    {"106", "integration/reload_test.c", "a_file_that_went_bad_costs_nobody_a_skill"},
    {"107", "integration/watch_test.c", "a_root_that_vanishes_keeps_its_skills_and_says_so"},
    {"107", "unit/directory_again_test.c", "a_root_that_vanishes_keeps_its_last_list"},
    {"109", "integration/watch_test.c", "new_changed_and_removed_skills_are_seen"},
    {"109", "integration/watch_test.c", "a_link_set_to_another_target_is_seen"},
    {"110", "unit/sync_test.c", "an_edit_that_keeps_the_folders_time_is_seen"},
    {"110", "unit/directory_again_test.c", "bodies_come_from_the_file_as_it_is_now"},
    {"112", "integration/watch_test.c", "the_first_synchronisation_comes_by_itself"},
    {"112", "unit/directory_again_test.c", "additions_removals_and_renames_are_seen"},
    {"113", "integration/agent_fixtures_test.c", "case_113_a_body_that_went_is_opened_in_full_again"},
    {"115", "integration/agent_fixtures_test.c", "case_115_the_list_is_there_after_a_compaction"},
    {"116", "unit/loader_lru_test.c", "a_pinned_skill_is_never_evicted"},
    {"116", "unit/loader_lru_test.c", "a_batch_larger_than_the_cap_says_exactly_what_stayed"},
    {"116", "unit/loader_lru_test.c", "an_evicted_skill_comes_back_whole"},
    {"118", "unit/loader_async_test.c", "fifty_retries_of_an_init_that_never_ends_leave_nothing_open"},
    {"118", "unit/loader_async_test.c", "others_are_usable_while_one_init_hangs"},
    {"119", "unit/loader_activate_test.c", "one_failing_skill_does_not_fail_its_batch"},
    {"119", "unit/sync_test.c", "a_source_that_fails_keeps_its_last_skills"},
    {"121", "unit/loader_close_test.c", "closing_waits_for_running_tool_calls"},
    {"121", "unit/loader_close_test.c", "ten_thousand_lives_leave_nothing_behind"},
    {"121", "unit/loader_close_test.c", "a_callback_may_close_its_loader"},
    {"206", NULL, NOT_HELD},
    {"208", NULL, NOT_HELD},
    {"210", NULL, NOT_HELD},
    {"213", NULL, NOT_HELD},
    {"237", NULL, NOT_HELD},
    {"244", NULL, NOT_HELD},
    {"249", NULL, NOT_HELD},
};

static char *read_file(const char *path) {
  enum { MOST = 1 << 20 };
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = calloc(1, MOST);
  assert_non_null(text);
  if (fread(text, 1, MOST - 1, file) == 0) text[0] = '\0';
  fclose(file);
  return text;
}

/* check.py there looks at these members of a case's JSON. */
static bool shown_by_command_line(const char *text) {
  static const char *const keys[] = {"\"skills\": [",        "\"count\"",  "\"absent\"",
                                     "\"diagnostics\": [\n", "\"lookup\"", "\"queries\""};
  const char *json = strstr(text, "```json");
  for (size_t i = 0; json && i < sizeof keys / sizeof keys[0]; i++) {
    if (strstr(json, keys[i])) return true;
  }
  return false;
}

static bool is_covered(const char *name) {
  for (size_t i = 0; i < sizeof covered / sizeof *covered; i++) {
    if (!strncmp(covered[i].name, name, 3)) return true;
  }
  return false;
}

static int is_case(const struct dirent *entry) {
  return entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
}

static void every_case_is_run_or_named(void **state) {
  struct dirent **entries = NULL;
  char path[4096];
  int count = scandir(FIXTURES, &entries, is_case, alphasort);
  (void)state;
  if (count <= 0) skip();
  for (int i = 0; i < count; i++) {
    snprintf(path, sizeof path, FIXTURES "/%s/EXPECT.md", entries[i]->d_name);
    char *text = read_file(path);
    assert_non_null(text);
    bool shown = shown_by_command_line(text);
    if (shown == is_covered(entries[i]->d_name)) fail_msg("%s is in neither list, or in both", entries[i]->d_name);
    free(text);
    free(entries[i]);
  }
  free(entries);
}

static void the_tests_that_are_named_are_there(void **state) {
  char path[4096];
  char call[256];
  int without = 0;
  (void)state;
  for (size_t i = 0; i < sizeof covered / sizeof *covered; i++) {
    if (!covered[i].file) {
      print_message("no test yet: case %s (%s)\n", covered[i].name, covered[i].test);
      without++;
      continue;
    }
    snprintf(path, sizeof path, SKILLET_SOURCE_DIR "/test/%s", covered[i].file);
    snprintf(call, sizeof call, "static void %s(void **state)", covered[i].test);
    char *text = read_file(path);
    if (!text || !strstr(text, call)) fail_msg("%s: there is no %s", covered[i].file, covered[i].test);
    free(text);
  }
  print_message("%d cases without a test\n", without);
}

static void the_order_is_byte_by_byte_in_every_run(void **state) {
  static const char expected[] = "10\n9\nApple\n_under\napple2\nzebra\n\xC3\xA4pfel\n";
  static const char command[] = "cd " FIXTURES "/055-stable-order && " SKILLET_PROGRAM
                                " list --json skills | python3 -c '"
                                "import json, sys\nfor s in json.load(sys.stdin)[\"skills\"]: print(s[\"name\"])'";
  char found[4096];
  (void)state;
  if (system("cd " FIXTURES "/055-stable-order 2>/dev/null && python3 -c '' 2>/dev/null")) skip();
  for (int i = 0; i < 20; i++) {
    assert_int_equal(program_shell(command, found, sizeof found), 0);
    assert_string_equal(found, expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_case_is_run_or_named),
      cmocka_unit_test(the_tests_that_are_named_are_there),
      cmocka_unit_test(the_order_is_byte_by_byte_in_every_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
