/* SPDX-License-Identifier: MIT
 *
 * Anthropic messages with a scripted loopback server.
 */
#include <stdio.h>
#include <string.h>

#include "lib/ask.h"
#include "util/json.h"

static void an_anthropic_stream_is_read_and_its_thinking_goes_back(void **state) {
  (void)state;
  const struct http_reply replies[] = {{.body = ask_anthropic_stream, .piece = 3},
                                       {.headers = JSON_HEAD,
                                        .body = "{\"content\":[{\"type\":\"text\",\"text\":\"done\"}],\"stop_reason\":"
                                                "\"end_turn\",\"usage\":{\"input_tokens\":1,"
                                                "\"output_tokens\":2}}"}};
  ask_serve(skill_model_anthropic_new, replies, COUNT(replies));
  ask_plainly(true);
  assert_int_equal(got.status, 0);
  assert_string_equal(got.text, "I look");
  assert_string_equal(got.made, "t1 get {\"a\": 2};");
  assert_string_equal(got.deltas, "<reason:hm>I look|<call 0 t1 get><0:{\"a\": ><0:2}>");
  assert_int_equal(got.stop, SKILL_STOP_TOOLS);
  assert_int_equal(got.usage.input_tokens, 112);
  assert_int_equal(got.usage.cached_tokens, 100);
  assert_int_equal(got.usage.cache_write_tokens, 7);
  assert_int_equal(got.usage.output_tokens, 20);
  static const char blocks[] =
      "[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"sig\"},{\"type\":\"text\",\"text\":\"I look\"},"
      "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"get\",\"input\":{\"a\":2}}]";
  char expected[600];
  snprintf(expected, sizeof expected, "{\"content\":%s}", blocks);
  assert_string_equal(got.extra, expected);
  char extra[sizeof got.extra];
  snprintf(extra, sizeof extra, "%s", got.extra);
  memset(&got, 0, sizeof got);
  SkillCall call = {"t1", "get", "{\"a\": 2}"};
  SkillMessage messages[] = {ask_hello,
                             {.role = SKILL_ROLE_ASSISTANT,
                              .text = "I look",
                              .text_length = 6,
                              .calls = &call,
                              .call_count = 1,
                              .extra = extra,
                              .extra_from = "anthropic"},
                             {.role = SKILL_ROLE_TOOL, .text = "4", .text_length = 1, .call_id = "t1"}};
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  request.messages = messages;
  request.message_count = 3;
  request.stream = false;
  ask_for(&request);
  assert_int_equal(got.status, 0);
  assert_string_equal(got.text, "done");
  snprintf(
      expected, sizeof expected,
      "{\"model\":\"m\",\"max_tokens\":8192,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":"
      "\"hello\"}]},{\"role\":\"assistant\",\"content\":%s},{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
      "\"tool_use_id\":\"t1\",\"content\":\"4\"}]}]}",
      blocks);
  ask_body_is(1, expected);
}

static void kept_blocks_bear_the_ids_that_calls_have_now(void **state) {
  (void)state;
  const struct http_reply replies[] = {{.headers = JSON_HEAD, .body = "{\"content\":[],\"stop_reason\":\"end_turn\"}"}};
  ask_serve(skill_model_anthropic_new, replies, 1);
  SkillCall calls[] = {{"a", "get", "{}"}, {"renamed", "get", "{}"}};
  SkillMessage messages[] = {ask_hello,
                             {.role = SKILL_ROLE_ASSISTANT,
                              .text = "",
                              .calls = calls,
                              .call_count = 2,
                              .extra = "{\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"},"
                                       "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"get\",\"input\":{}},"
                                       "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"get\",\"input\":{}}]}",
                              .extra_from = "anthropic"},
                             {.role = SKILL_ROLE_TOOL, .text = "1", .text_length = 1, .call_id = "a"},
                             {.role = SKILL_ROLE_TOOL, .text = "2", .text_length = 1, .call_id = "renamed"}};
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  request.messages = messages;
  request.message_count = 4;
  request.stream = false;
  ask_for(&request);
  assert_int_equal(got.status, 0);
  ask_body_is(0,
              "{\"model\":\"m\",\"max_tokens\":8192,\"messages\":["
              "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]},"
              "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"},"
              "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"get\",\"input\":{}},"
              "{\"type\":\"tool_use\",\"id\":\"renamed\",\"name\":\"get\",\"input\":{}}]},"
              "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"1\"},"
              "{\"type\":\"tool_result\",\"tool_use_id\":\"renamed\",\"content\":\"2\"}]}]}");
}

static void an_anthropic_request_has_marks_merged_turns_and_deferred_tools(void **state) {
  (void)state;
  const struct http_reply replies[] = {{.headers = JSON_HEAD, .body = "{\"content\":[],\"stop_reason\":\"end_turn\"}"}};
  ask_options.tool_search = true;
  ask_serve(skill_model_anthropic_new, replies, 1);
  SkillModelRequest request = ask_long_request();
  ask_for(&request);
  assert_int_equal(got.status, 0);
  const char *head = http_server_request(ask_server, 0);
  assert_non_null(strstr(head, "\r\nx-api-key: secret-key-123\r\n"));
  assert_non_null(strstr(head, "\r\nanthropic-version: 2023-06-01\r\n"));
  assert_null(strstr(head, "Authorization"));
  cJSON *body = ask_body(0);
  cJSON *messages = cJSON_DetachItemFromObjectCaseSensitive(body, "messages");
  cJSON *sent_tools = cJSON_DetachItemFromObjectCaseSensitive(body, "tools");
  char *text = cJSON_PrintUnformatted(body);
  assert_string_equal(
      text,
      "{\"model\":\"m\",\"max_tokens\":100,\"tool_choice\":{\"type\":\"auto\",\"disable_parallel_tool_use\":true},"
      "\"system\":[{\"type\":\"text\",\"text\":\"be good\",\"cache_control\":{\"type\":\"ephemeral\"}}],"
      "\"temperature\":0.25,\"seed\":7}");
  cJSON_free(text);
  assert_int_equal(cJSON_GetArraySize(messages), 3); /* user, assistant, user: the results and the next question */
  const cJSON *last = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(messages, 2), "content");
  assert_int_equal(cJSON_GetArraySize(last), 3);
  text = cJSON_PrintUnformatted(last);
  assert_string_equal(
      text,
      "[{\"type\":\"tool_result\",\"tool_use_id\":\"c1\",\"content\":\"42\"},"
      "{\"type\":\"tool_result\",\"tool_use_id\":\"c2\",\"content\":\"no such file\",\"is_error\":true},"
      "{\"type\":\"text\",\"text\":\"and now\",\"cache_control\":{\"type\":\"ephemeral\"}}]");
  cJSON_free(text);
  const cJSON *calls = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(messages, 1), "content");
  const cJSON *broken = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(calls, 2), "input");
  assert_string_equal(skill__json_string(broken, "unreadable_arguments"), "{broken");
  text = cJSON_PrintUnformatted(sent_tools);
  assert_non_null(strstr(text,
                         "{\"name\":\"later\",\"description\":\"Deferred\",\"input_schema\":{\"type\":\"object\","
                         "\"properties\":{}},\"defer_loading\":true},{\"type\":\"tool_search_tool_bm25_20251119\","
                         "\"name\":\"tool_search_tool_bm25\"}]"));
  cJSON_free(text);
  cJSON_Delete(messages);
  cJSON_Delete(sent_tools);
  cJSON_Delete(body);
}

static void an_anthropic_error_in_the_stream_is_tried_again(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.body =
           EVENT("error", "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}")},
      {.body =
           EVENT("error", "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"bad\"}}")}};
  ask_serve(skill_model_anthropic_new, replies, COUNT(replies));
  ask_plainly(true);
  assert_int_equal(got.status, SKILL_EINVAL);
  assert_string_equal(got.error, "invalid_request_error: bad");
  assert_int_equal(http_server_requests(ask_server), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ASK_TEST(an_anthropic_stream_is_read_and_its_thinking_goes_back),
      ASK_TEST(kept_blocks_bear_the_ids_that_calls_have_now),
      ASK_TEST(an_anthropic_request_has_marks_merged_turns_and_deferred_tools),
      ASK_TEST(an_anthropic_error_in_the_stream_is_tried_again),
  };
  return cmocka_run_group_tests_name("provider_anthropic", tests, NULL, NULL);
}
