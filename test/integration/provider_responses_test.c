/* SPDX-License-Identifier: MIT
 *
 * OpenAI responses with a scripted loopback server.
 */
#include <stdio.h>
#include <string.h>

#include "lib/ask.h"

static void a_responses_stream_is_read(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.body = ask_responses_stream},
      {.headers = JSON_HEAD,
       .body =
           "{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"},\"output\":[{\"type\":"
           "\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"cut\"}]}]}"}};
  ask_serve(skill_model_responses_new, replies, COUNT(replies));
  ask_plainly(true);
  assert_int_equal(got.status, 0);
  assert_string_equal(got.text, "Hello");
  assert_string_equal(got.made, "c1 get {\"a\":1};c2 put {};");
  assert_int_equal(got.usage.cached_tokens, 3);
  assert_int_equal(got.stop, SKILL_STOP_TOOLS);
  assert_string_equal(
      got.extra, "{\"items\":[{\"type\":\"reasoning\",\"id\":\"rs\",\"encrypted_content\":\"zz\",\"summary\":[]}]}");
  char extra[sizeof got.extra];
  snprintf(extra, sizeof extra, "%s", got.extra);
  memset(&got, 0, sizeof got);
  SkillMessage messages[] = {ask_talk[0], ask_talk[1], ask_talk[2], ask_talk[3], ask_talk[4]};
  messages[2].extra = extra;
  messages[2].extra_from = "responses";
  messages[2].calls = ask_calls;
  messages[2].call_count = 1;
  SkillModelRequest request = ask_long_request();
  request.messages = messages;
  request.message_count = 4;
  request.tool_count = 1;
  request.choice = SKILL_TOOL_CHOICE_REQUIRED;
  request.choice_name = "get";
  ask_for(&request);
  assert_int_equal(got.stop, SKILL_STOP_LENGTH);
  assert_string_equal(got.text, "cut");
  assert_non_null(strstr(http_server_request(ask_server, 1), "POST /responses HTTP/1.1\r\n"));
  ask_body_is(
      1,
      "{\"model\":\"m\",\"store\":false,\"input\":["
      "{\"type\":\"message\",\"role\":\"system\",\"content\":\"be good\"},"
      "{\"type\":\"message\",\"role\":\"user\",\"content\":\"hi\\u0001\xef\xbf\xbd\"},"
      "{\"type\":\"reasoning\",\"id\":\"rs\",\"encrypted_content\":\"zz\",\"summary\":[]},"
      "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"let me\"},"
      "{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"get\",\"arguments\":\"{\\\"a\\\":1}\"},"
      "{\"type\":\"function_call_output\",\"call_id\":\"c1\",\"output\":\"42\"}],"
      "\"tools\":[{\"type\":\"function\",\"name\":\"get\",\"description\":\"Gets \\\"it\\\"\",\"parameters\":{\"type\":"
      "\"object\",\"properties\":{\"a\":{}}},\"strict\":false}],\"parallel_tool_calls\":false,"
      "\"tool_choice\":{\"type\":\"function\",\"name\":\"get\"},\"max_output_tokens\":100,\"temperature\":0.250,"
      "\"seed\":7}");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ASK_TEST(a_responses_stream_is_read),
  };
  return cmocka_run_group_tests_name("provider_responses", tests, NULL, NULL);
}
