/* SPDX-License-Identifier: MIT
 *
 * "~" and variables in configured paths.
 */
#include <string.h>

#include "lib/check.h"
#include "skillet/error.h"
#include "util/expand.h"

static const char *variable(const char *name) {
  static const char *const values[][2] = {{"HOME", "/home/me"}, {"A", "a$B"}, {"B_1", "bb"}, {"EMPTY", ""}};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    if (!strcmp(name, values[i][0])) return values[i][1];
  }
  return NULL;
}

static void becomes(const char *text, const char *expected) {
  char out[64];
  SkillError err = SKILL_ERROR_INIT;
  if (skill__expand(text, variable, out, sizeof out, &err)) fail_msg("%s: %s", text, err.message);
  assert_string_equal(out, expected);
  assert_int_equal(skill__expandable(text), strcmp(text, expected) != 0 || strchr(text, '$') != NULL);
}

static void refused(const char *text, int code, const char *part) {
  char out[16];
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(skill__expand(text, variable, out, sizeof out, &err), code);
  if (!strstr(err.message, part)) fail_msg("%s: \"%s\" lacks \"%s\"", text, err.message, part);
}

static void the_home_folder_stands_at_the_beginning_only(void **state) {
  (void)state;
  becomes("~", "/home/me");
  becomes("~/x", "/home/me/x");
  becomes("~x", "~x");
  becomes("./~", "./~");
  becomes("a/~/b", "a/~/b");
}

static void variables_are_put_in_once(void **state) {
  (void)state;
  becomes("$HOME/x", "/home/me/x");
  becomes("${HOME}x/${B_1}", "/home/mex/bb");
  becomes("x$A.y", "xa$B.y");
  becomes("$B_1", "bb");
}

static void a_dollar_can_be_written(void **state) {
  (void)state;
  becomes("$$HOME/x", "$HOME/x");
  becomes("a$", "a$");
  becomes("$-/$1", "$-/$1");
  becomes("", "");
}

static void what_cannot_be_expanded_is_told_by_name(void **state) {
  (void)state;
  refused("$NONE/x", SKILL_EINVAL, "NONE is not set");
  refused("x/${EMPTY}", SKILL_EINVAL, "EMPTY is not set");
  refused("${HOME", SKILL_EINVAL, "${ needs a name and a }");
  refused("${}", SKILL_EINVAL, "${ needs");
  refused("${HOME:-x}", SKILL_EINVAL, "${ needs");
  refused("$HOME/12345678", SKILL_ELIMIT, "too long");
  refused("1234567890123456", SKILL_ELIMIT, "too long");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_home_folder_stands_at_the_beginning_only),
      cmocka_unit_test(variables_are_put_in_once),
      cmocka_unit_test(a_dollar_can_be_written),
      cmocka_unit_test(what_cannot_be_expanded_is_told_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
