/* SPDX-License-Identifier: MIT
 *
 * Chat completions with a scripted loopback server: requests, and how complete and streamed answers are read.
 */
#include <stdio.h>
#include <string.h>

#include "lib/ask.h"
#include "util/json.h"

static void expect_chat(void) {
  assert_int_equal(got.status, 0);
  assert_string_equal(got.text, "\xe4\xb8\xad\xe6\x96\x87 a");
  assert_string_equal(got.made, "c1 get {\"a\":1};c2 put {};");
  assert_int_equal(got.stop, SKILL_STOP_TOOLS);
  assert_int_equal(got.usage.input_tokens, 10);
  assert_int_equal(got.usage.output_tokens, 5);
  assert_int_equal(got.usage.cached_tokens, 4);
  assert_false(got.usage.estimated);
  assert_string_equal(got.deltas,
                      "<reason:hm>\xe4\xb8\xad\xe6\x96\x87 a|<call 0 c1 get><0:{\"a\":><call 1 c2 put><0:1}>");
}

static void a_chat_stream_is_read_whole_and_byte_by_byte(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.body = ask_chat_stream}, {.body = ask_chat_stream, .piece = 1}, {.body = ask_chat_stream, .piece = 7}};
  ask_serve(skill_model_openai_new, replies, COUNT(replies));
  for (size_t i = 0; i < COUNT(replies); i++) {
    memset(&got, 0, sizeof got);
    ask_plainly(true);
    expect_chat();
  }
  assert_int_equal(http_server_connections(ask_server), 1); /* the connection was reused */
}

static void a_chat_answer_is_read_in_one(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.headers = JSON_HEAD,
       .body =
           "{\"model\":\"m-2\",\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"hi\"},\"finish_reason\":"
           "\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}"},
      {.headers = JSON_HEAD,
       .body =
           "{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{"
           "\"x\":1}}}]},\"finish_reason\":\"stop\"}]}"}};
  ask_serve(skill_model_openai_new, replies, COUNT(replies));
  ask_plainly(false);
  assert_int_equal(got.status, 0);
  assert_string_equal(got.text, "hi");
  assert_int_equal(got.stop, SKILL_STOP_END);
  ask_body_is(0, "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}");
  memset(&got, 0, sizeof got);
  ask_plainly(false); /* a call without an id, with its arguments as an object */
  assert_int_equal(got.status, 0);
  assert_true(strncmp(got.made, "call_", 5) == 0);
  assert_non_null(strstr(got.made, " f {\"x\":1};"));
  assert_int_equal(got.stop, SKILL_STOP_TOOLS);
  assert_true(got.usage.estimated);
  assert_true(got.usage.input_tokens > 0);
}

static void a_chat_request_says_all_of_it(void **state) {
  (void)state;
  const struct http_reply replies[] = {{.headers = JSON_HEAD,
                                        .body = "{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"c9\","
                                                "\"function\":{\"name\":\"file_read____bb2d2b9a\","
                                                "\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}"}};
  const char *headers[] = {"X-Mine: yes", NULL};
  ask_options.headers = headers;
  ask_serve(skill_model_openai_new, replies, COUNT(replies));
  SkillModelRequest request = ask_long_request();
  ask_for(&request);
  assert_int_equal(got.status, 0);
  const char *head = http_server_request(ask_server, 0);
  assert_non_null(strstr(head, "POST /chat/completions HTTP/1.1\r\n"));
  assert_non_null(strstr(head, "\r\nAuthorization: Bearer secret-key-123\r\n"));
  assert_non_null(strstr(head, "\r\nX-Mine: yes\r\n"));
  cJSON *body = ask_body(0);
  cJSON *sent_tools = cJSON_GetObjectItemCaseSensitive(body, "tools");
  const cJSON *function = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(sent_tools, 1), "function");
  char wire[80];
  snprintf(wire, sizeof wire, "%s", skill__json_string(function, "name"));
  assert_int_equal(strspn(wire, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"), strlen(wire));
  cJSON_Delete(body);
  char expected[4096];
  snprintf(
      expected, sizeof expected,
      "{\"model\":\"m\",\"messages\":["
      "{\"role\":\"system\",\"content\":\"be good\"},{\"role\":\"user\",\"content\":\"hi\\u0001\xef\xbf\xbd\"},"
      "{\"role\":\"assistant\",\"content\":\"let me\",\"tool_calls\":["
      "{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"get\",\"arguments\":\"{\\\"a\\\":1}\"}},"
      "{\"id\":\"c2\",\"type\":\"function\",\"function\":{\"name\":\"%s\",\"arguments\":\"{broken\"}}]},"
      "{\"role\":\"tool\",\"content\":\"42\",\"tool_call_id\":\"c1\"},"
      "{\"role\":\"tool\",\"content\":\"no such file\",\"tool_call_id\":\"c2\"},"
      "{\"role\":\"user\",\"content\":\"and now\"}],"
      "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"get\",\"description\":\"Gets \\\"it\\\"\","
      "\"parameters\":{\"type\":\"object\",\"properties\":{\"a\":{}}}}},"
      "{\"type\":\"function\",\"function\":{\"name\":\"%s\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}},"
      "{\"type\":\"function\",\"function\":{\"name\":\"later\",\"description\":\"Deferred\","
      "\"parameters\":{\"type\":\"object\",\"properties\":{}}}}],"
      "\"parallel_tool_calls\":false,\"max_tokens\":100,\"temperature\":0.250,\"seed\":7}",
      wire, wire);
  ask_body_is(0, expected);
}

static void a_tool_name_that_cannot_be_sent_comes_back_as_it_was(void **state) {
  (void)state;
  const struct http_reply first[] = {
      {.headers = JSON_HEAD, .body = "{\"choices\":[{\"message\":{\"content\":\"\"}}]}"}};
  ask_serve(skill_model_openai_new, first, 1);
  SkillModelRequest request = ask_long_request();
  ask_for(&request);
  cJSON *body = ask_body(0);
  const cJSON *sent = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(body, "tools"), 1);
  char answer[400];
  snprintf(answer, sizeof answer,
           "{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"c9\",\"function\":{\"name\":\"%s\",\"arguments\":\"{}"
           "\"}}]}}]}",
           skill__json_string(cJSON_GetObjectItemCaseSensitive(sent, "function"), "name"));
  cJSON_Delete(body);
  ask_tear_down(NULL);
  ask_set_up(NULL);
  const struct http_reply second[] = {{.headers = JSON_HEAD, .body = answer}};
  ask_serve(skill_model_openai_new, second, 1);
  request = ask_long_request();
  ask_for(&request);
  assert_string_equal(got.made, "c9 file read/\xe4\xb8\xad {};");
}

static void characters_cut_between_events_are_put_together(void **state) {
  (void)state;
  const struct http_reply replies[] = {{.body = "data: {\"choices\":[{\"delta\":{\"content\":\"a\xe4\"}}]}\n\n"
                                                "data: {\"choices\":[{\"delta\":{\"content\":\"\xb8\"}}]}\n\n"
                                                "data: {\"choices\":[{\"delta\":{\"content\":\"\xad\xff!\"}}]}\n\n"
                                                "data: {\"choices\":[{\"delta\":{\"content\":\"\xe4\xb8\"},"
                                                "\"finish_reason\":\"length\"}]}\n\ndata: [DONE]"}};
  ask_serve(skill_model_openai_new, replies, 1);
  ask_plainly(true);
  assert_int_equal(got.status, 0);
  assert_string_equal(got.deltas, "a|\xe4\xb8\xad\xef\xbf\xbd!|\xef\xbf\xbd\xef\xbf\xbd|");
  assert_string_equal(got.text, "a\xe4\xb8\xad\xef\xbf\xbd!\xef\xbf\xbd\xef\xbf\xbd");
  assert_int_equal(got.stop, SKILL_STOP_LENGTH);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ASK_TEST(a_chat_stream_is_read_whole_and_byte_by_byte),
      ASK_TEST(a_chat_answer_is_read_in_one),
      ASK_TEST(a_chat_request_says_all_of_it),
      ASK_TEST(a_tool_name_that_cannot_be_sent_comes_back_as_it_was),
      ASK_TEST(characters_cut_between_events_are_put_together),
  };
  return cmocka_run_group_tests_name("provider_chat", tests, NULL, NULL);
}
