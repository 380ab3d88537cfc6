/* SPDX-License-Identifier: MIT
 *
 * Argument substitution in bodies.
 */
#include <string.h>

#include "lib/check.h"
#include "lib/sweep.h"
#include "skillet/document.h"
#include "skillet/sys/alloc.h"

static const char *const names[] = {"issue", "issue-number", "to"};

static void gives(const char *body, const char *arguments, const char *expected, bool shown) {
  SkillSubstitution with = SKILL_SUBSTITUTION_INIT;
  with.arguments = arguments;
  with.names.items = names;
  with.names.count = 3;
  with.folder = "skills/x";
  char *out = NULL;
  size_t length = 0;
  bool used = !shown;
  assert_int_equal(skill_substitute(body, strlen(body), &with, &out, &length, &used), 0);
  assert_string_equal(out, expected);
  assert_int_equal(length, strlen(expected));
  assert_int_equal(used, shown);
  skill_free(out);
}

static void all_words_and_names_are_put_in(void **state) {
  (void)state;
  gives("do $ARGUMENTS.", "a  'b c' d", "do a  'b c' d.", true);
  gives("$1|$2|${3}|$ARGUMENTS[1]|${ARGUMENTS}", "a 'b c' \"d \\\"e\"", "a|b c|d \"e|b c|a 'b c' \"d \\\"e\"", true);
  gives("$issue, $issue-number, ${to}!", "7 8 me", "7, 8, me!", true);
  gives("see ${SKILL_DIR}/a and $CLAUDE_SKILL_ROOT/b", "x", "see skills/x/a and skills/x/b", false);
}

static void what_is_unknown_or_not_given_stays(void **state) {
  (void)state;
  gives("$HOME costs $5 or $1,000; $0 ${x} $ $$ ${ $}", "", "$HOME costs $5 or $1,000; $0 ${x} $ $$ ${ $}", false);
  gives("$2 and $to and $ARGUMENTS[1]", "one", "$2 and $to and $ARGUMENTS[1]", false);
  gives("[$ARGUMENTS]", NULL, "[]", true);
  gives("$ARGUMENTSX $issues ${SKILL_DIRX}", "a", "$ARGUMENTSX $issues ${SKILL_DIRX}", false);
  gives("$SKILL_DI $SKILL_ $S", "a", "$SKILL_DI $SKILL_ $S", false);
  gives("$ARGUMENTS[", "a", "a[", true);
  gives("$12345 $1x", "a", "$12345 $1x", false);
}

static void nothing_that_was_put_in_is_looked_at_again(void **state) {
  (void)state;
  gives("$1 $2", "$2 $ARGUMENTS", "$2 $ARGUMENTS", true);
  gives("!`$1`", "id", "!`id`", true);
}

static void a_backslash_keeps_what_would_be_replaced(void **state) {
  (void)state;
  gives("\\$ARGUMENTS \\${SKILL_DIR} \\$HOME \\n", "a", "$ARGUMENTS ${SKILL_DIR} \\$HOME \\n", false);
  gives("$1\\$1$1", "a", "a$1a", true);
}

static void odd_arguments_do_no_harm(void **state) {
  (void)state;
  gives("<$1>", "\"never closed  ", "<never closed  >", true);
  gives("<$1><$2>", "  '' x", "<><x>", true);
  gives("<$1><$2>", "it\\'s a\\\\b", "<it's><a\\b>", true);
  gives("<$1>", "a\\b", "<a\\b>", true);
  char many[400] = "";
  for (int i = 0; i < 70; i++) strcat(many, "w ");
  char body[] = "$64";
  gives(body, many, "w w w w w w w", true);
  gives("", "a", "", false);
}

static int put_in(void *user) {
  (void)user;
  SkillSubstitution with = SKILL_SUBSTITUTION_INIT;
  with.arguments = "a b";
  char *out = NULL;
  int rc = skill_substitute("$1 and $2 and $ARGUMENTS", 24, &with, &out, NULL, NULL);
  if (rc) assert_null(out);
  skill_free(out);
  return rc;
}

static void every_failed_allocation_is_survived(void **state) {
  (void)state;
  assert_true(sweep_run(put_in, NULL) >= 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_words_and_names_are_put_in),
      cmocka_unit_test(what_is_unknown_or_not_given_stays),
      cmocka_unit_test(nothing_that_was_put_in_is_looked_at_again),
      cmocka_unit_test(a_backslash_keeps_what_would_be_replaced),
      cmocka_unit_test(odd_arguments_do_no_harm),
      cmocka_unit_test(every_failed_allocation_is_survived),
  };
  return cmocka_run_group_tests_name("substitute", tests, NULL, NULL);
}
