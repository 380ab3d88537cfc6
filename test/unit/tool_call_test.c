/* SPDX-License-Identifier: MIT
 *
 * Starts a tool's handler, which finishes at once or later, and asks it to stop.
 */
#include <stdio.h>
#include <string.h>

#include "lib/check.h"
#include "skillet/skill.h"

static SkillToolCall *kept;
static int done_count;
static int done_status;
static char done_text[64];

static void echo(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)user;
  skill_tool_call_finish(call, 0, arguments_json, strlen(arguments_json));
}

static void later(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json;
  *(SkillToolCall **)user = call;
}

static void done(SkillToolCall *call, int status, const char *text, size_t length, void *user) {
  (void)call;
  assert_ptr_equal(user, done_text);
  done_count++;
  done_status = status;
  snprintf(done_text, sizeof done_text, "%.*s", (int)length, text);
}

static void a_handler_may_finish_at_once(void **state) {
  (void)state;
  SkillTool tool = {.name = "echo", .call = echo};
  done_count = 0;
  assert_int_equal(skill_tool_call_start(&tool, NULL, done, done_text, NULL, NULL), 0);
  assert_int_equal(done_count, 1);
  assert_string_equal(done_text, "{}");
}

static void a_handler_may_finish_later_and_see_the_cancel(void **state) {
  (void)state;
  SkillTool tool = {.name = "later", .call = later, .user = &kept};
  SkillToolCall *call = NULL;
  done_count = 0;
  assert_int_equal(skill_tool_call_start(&tool, "{}", done, done_text, &call, NULL), 0);
  assert_ptr_equal(call, kept);
  assert_int_equal(done_count, 0);
  assert_false(skill_tool_call_canceled(kept));
  skill_tool_call_cancel(call);
  assert_true(skill_tool_call_canceled(kept));
  skill_tool_call_finish(kept, SKILL_ECANCELED, NULL, 7);
  assert_int_equal(done_count, 1);
  assert_int_equal(done_status, SKILL_ECANCELED);
  assert_string_equal(done_text, "");
}

static void a_tool_without_a_handler_is_refused(void **state) {
  (void)state;
  SkillTool tool = {.name = "listed only"};
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(skill_tool_call_start(&tool, "{}", done, NULL, NULL, &err), SKILL_EINVAL);
  assert_non_null(strstr(err.message, "handler"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_handler_may_finish_at_once),
      cmocka_unit_test(a_handler_may_finish_later_and_see_the_cancel),
      cmocka_unit_test(a_tool_without_a_handler_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
