/* SPDX-License-Identifier: MIT
 *
 * HTTP models with a scripted loopback server: creation, and that keys are never shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ask.h"
#include "lib/tmpdir.h"

static void a_model_is_made_by_provider_and_name(void **state) {
  (void)state;
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(skill_model_provider_new("ollama:qwen3:8b", NULL, &ask_model, &err), 0);
  assert_string_equal(ask_model->name, "ollama:qwen3:8b");
  assert_int_equal(ask_model->flags & SKILL_MODEL_NO_LLM, 0);
  SkillModel *other = NULL;
  assert_int_equal(skill_model_provider_new("nobody:x", NULL, &other, &err), SKILL_EINVAL);
  assert_int_equal(skill_model_provider_new("openai:", NULL, &other, NULL), SKILL_EINVAL);
  ask_options.extra = "[1]";
  assert_int_equal(skill_model_openai_new(&ask_options, &other, NULL), SKILL_EINVAL);
  assert_null(other);
  assert_string_equal(skill_provider_name(0), "openai");
}

static void a_schema_that_is_no_object_is_refused_before_anything_is_sent(void **state) {
  (void)state;
  ask_options.base_url = "http://127.0.0.1:1";
  assert_int_equal(skill_model_openai_new(&ask_options, &ask_model, NULL), 0);
  static const char *const bad[] = {"[1]",         "{\"a\":1} x", "{\"a\":01}", "{\"a\":\"\\x\"}",
                                    "{\"a\":tru}", "{'a':1}",     "{\"a\" 1}",  ""};
  for (size_t i = 0; i < COUNT(bad); i++) {
    SkillTool tool = {.name = "t", .input_schema = bad[i]};
    SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
    request.messages = &ask_hello;
    request.message_count = 1;
    request.tools = &tool;
    request.tool_count = 1;
    SkillError err = SKILL_ERROR_INIT;
    assert_int_equal(skill_model_start(ask_model, ask_loop, &request, NULL, ask_on_reply, NULL, NULL, &err),
                     SKILL_EINVAL);
    assert_string_equal(err.message, "the input_schema of tool t is no JSON object");
  }
  assert_int_equal(got.calls, 0);
}

static void a_key_comes_from_the_environment_or_a_command(void **state) {
  (void)state;
  const struct http_reply replies[] = {{.body = ask_good_chat},
                                       {.body = ask_good_chat},
                                       {.status = 401, .headers = JSON_HEAD, .body = "{}"},
                                       {.body = ask_good_chat}};
  char *dir = tmpdir_make();
  char command[600];
  snprintf(command, sizeof command, "echo x >> '%s/runs'; echo key-from-command-$(wc -l < '%s/runs')", dir, dir);
  setenv("SKILLET_TEST_KEY", " key-from-env \n", 1);
  ask_options.key = NULL;
  ask_options.key_env = "SKILLET_TEST_KEY";
  ask_options.key_command = command;
  ask_serve(skill_model_openai_new, replies, COUNT(replies));
  ask_plainly(true);
  unsetenv("SKILLET_TEST_KEY");
  for (int i = 0; i < 2; i++) {
    memset(&got, 0, sizeof got);
    ask_plainly(true);
    assert_int_equal(got.status, 0);
  }
  assert_non_null(strstr(http_server_request(ask_server, 0), "Bearer key-from-env\r\n"));
  assert_non_null(strstr(http_server_request(ask_server, 1), "Bearer key-from-command-1\r\n"));
  assert_non_null(strstr(http_server_request(ask_server, 2), "Bearer key-from-command-1\r\n"));
  assert_non_null(
      strstr(http_server_request(ask_server, 3), "Bearer key-from-command-2\r\n")); /* called again after 401 */
  tmpdir_remove(dir);
}

static void a_key_command_that_fails_is_told_without_its_output(void **state) {
  (void)state;
  ask_options.key = NULL;
  ask_options.key_env = "SKILLET_TEST_NO_KEY";
  ask_options.key_command = "echo secret-thing; exit 1";
  ask_options.base_url = "http://127.0.0.1:1";
  assert_int_equal(skill_model_openai_new(&ask_options, &ask_model, NULL), 0);
  ask_plainly(true);
  assert_int_equal(got.status, SKILL_EDENIED);
  assert_null(strstr(got.error, "secret-thing"));
  memset(&got, 0, sizeof got);
  ask_options.key_command = NULL;
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  SkillModelCall *call = ask_start(&request); /* the command again, canceled */
  skill_model_cancel(call);
  ask_finish();
  assert_int_equal(got.status, SKILL_ECANCELED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ASK_TEST(a_model_is_made_by_provider_and_name),
      ASK_TEST(a_schema_that_is_no_object_is_refused_before_anything_is_sent),
      ASK_TEST(a_key_comes_from_the_environment_or_a_command),
      ASK_TEST(a_key_command_that_fails_is_told_without_its_output),
  };
  return cmocka_run_group_tests_name("provider", tests, NULL, NULL);
}
