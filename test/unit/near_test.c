/* SPDX-License-Identifier: MIT
 *
 * Near names: which names count as near, their order, and the text that lists them.
 */
#include <string.h>

#include "lib/check.h"
#include "util/near.h"

static const char *near_of(const char *typed, size_t limit, const char *const *names) {
  static char text[300];
  struct skill__near near;
  skill__near_begin(&near, typed, limit);
  for (; *names; names++) skill__near_offer(&near, *names);
  skill__near_text(&near, "<", ">", text, sizeof text);
  return text;
}

static void the_nearest_come_first_and_equals_by_name(void **state) {
  (void)state;
  static const char *const names[] = {"weather", "report", "cost-report", "reports", "repost", NULL};
  assert_string_equal(near_of("report", 9, names), "<report, reports, repost or cost-report>");
  assert_string_equal(near_of("report", 2, names), "<report or reports>");
  assert_string_equal(near_of("reprot", 1, names), "<report>");
  assert_string_equal(near_of("report", 0, names), "");
}

static void case_and_separators_do_not_count(void **state) {
  (void)state;
  static const char *const names[] = {"max_active", "budget", NULL};
  assert_string_equal(near_of("MaxActive", 3, names), "<max_active>");
  assert_string_equal(near_of("max-active", 3, names), "<max_active>");
}

static void what_is_far_is_not_near(void **state) {
  (void)state;
  static const char *const names[] = {"json", "all", "\xE5\xA4\xA9\xE6\xB0\x94", NULL};
  assert_string_equal(near_of("colour", 3, names), "");
  assert_string_equal(near_of("", 3, names), "");
  assert_string_equal(near_of("--", 3, names), "");
  assert_string_equal(near_of("\xE5\xA4\xA9\xE6\xB0\x94\xE9\xA2\x84\xE6\x8A\xA5", 3, names),
                      "<\xE5\xA4\xA9\xE6\xB0\x94>");
}

static void long_names_and_small_buffers_are_cut(void **state) {
  (void)state;
  char typed[200];
  char text[8];
  struct skill__near near;
  memset(typed, 'x', sizeof typed - 1);
  typed[sizeof typed - 1] = '\0';
  skill__near_begin(&near, typed, 99);
  for (int i = 0; i < 40; i++) skill__near_offer(&near, typed);
  assert_int_equal(near.count, SKILL__NEAR_MOST);
  skill__near_text(&near, "", "", text, sizeof text);
  assert_string_equal(text, "xxxxxxx");
}

static void one_typing_error_is_told_from_two(void **state) {
  (void)state;
  static const char *const near[][2] = {{"report", "reprot"}, {"report", "repor"},   {"report", "reports"},
                                        {"report", "rebort"}, {"Report", "rEprots"}, {"a", ""}};
  for (size_t i = 0; i < 4; i++) assert_true(skill__near_typo(near[i][0], near[i][1]));
  assert_false(skill__near_typo(near[4][0], near[4][1]));
  assert_true(skill__near_typo(near[5][0], near[5][1]));
  assert_false(skill__near_typo("report", "report"));
  assert_false(skill__near_typo("report", "REPORT"));
  assert_false(skill__near_typo("report", "rpeotr"));
  assert_false(skill__near_typo("", ""));
  assert_true(skill__near_typo("REPORT", "reporx"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_nearest_come_first_and_equals_by_name),
      cmocka_unit_test(case_and_separators_do_not_count),
      cmocka_unit_test(what_is_far_is_not_near),
      cmocka_unit_test(one_typing_error_is_told_from_two),
      cmocka_unit_test(long_names_and_small_buffers_are_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
