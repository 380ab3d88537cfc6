/* SPDX-License-Identifier: MIT
 *
 * Models over HTTP against a scripted loopback server: what is sent, what is made of whole, streamed and broken
 * answers, what is tried again, and that keys stay out of sight.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/http_server.h"
#include "lib/sweep.h"
#include "lib/tmpdir.h"
#include "skillet/provider.h"
#include "skillet/sys/alloc.h"
#include "util/json.h"

/* ---- fixture ---- */

struct outcome {
  int calls;
  int status;
  char error[600];
  char deltas[8192]; /* in short: text as it is, <restart>, <reason:…>, <call N id name>, <N:arguments> */
  char text[8192];
  char made[4096]; /* id name arguments; */
  char extra[2048];
  SkillStop stop;
  SkillUsage usage;
  unsigned attempts;
};

static struct outcome got;
static struct http_server *server;
static SkillLoop *loop;
static SkillModel *model;
static SkillProviderOptions options;

static void on_delta(const SkillDelta *delta, void *user) {
  (void)user;
  size_t used = strlen(got.deltas);
  char *at = got.deltas + used;
  size_t room = sizeof got.deltas - used;
  int length = (int)delta->length;
  switch (delta->kind) {
    case SKILL_DELTA_TEXT:
      snprintf(at, room, "%.*s|", length, delta->text);
      break;
    case SKILL_DELTA_REASONING:
      snprintf(at, room, "<reason:%.*s>", length, delta->text);
      break;
    case SKILL_DELTA_CALL:
      snprintf(at, room, "<call %zu %s %s>", delta->index, delta->id, delta->name);
      break;
    case SKILL_DELTA_CALL_ARGUMENTS:
      snprintf(at, room, "<%zu:%.*s>", delta->index, length, delta->text);
      break;
    case SKILL_DELTA_RESTART:
      snprintf(at, room, "<restart>");
      break;
  }
}

static void on_reply(int status, const SkillReply *reply, const SkillError *error, void *user) {
  (void)user;
  got.calls++;
  got.status = status;
  snprintf(got.error, sizeof got.error, "%s", error->message);
  if (!reply) return;
  snprintf(got.text, sizeof got.text, "%.*s", (int)reply->message.text_length,
           reply->message.text ? reply->message.text : "");
  for (size_t i = 0; i < reply->message.call_count; i++) {
    const SkillCall *call = &reply->message.calls[i];
    snprintf(got.made + strlen(got.made), sizeof got.made - strlen(got.made), "%s %s %s;", call->id, call->name,
             call->arguments);
  }
  snprintf(got.extra, sizeof got.extra, "%s", reply->message.extra ? reply->message.extra : "");
  got.stop = reply->stop;
  got.usage = reply->usage;
  got.attempts = reply->attempts;
}

static int set_up(void **state) {
  (void)state;
  memset(&got, 0, sizeof got);
  skill_provider_options_default(&options);
  options.model = "m";
  options.key = "secret-key-123";
  options.proxy = "";
  options.backoff_ms = 1;
  options.backoff_max_ms = 2000;
  server = NULL;
  model = NULL;
  return skill_loop_new(NULL, &loop, NULL);
}

static int tear_down(void **state) {
  (void)state;
  skill_model_free(model);
  skill_loop_free(loop);
  http_server_stop(server);
  return 0;
}

typedef int (*make_fn)(const SkillProviderOptions *options, SkillModel **out, SkillError *err);

static void serve(make_fn make, const struct http_reply *replies, size_t count) {
  server = http_server_start(replies, count);
  options.base_url = http_server_url(server);
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(make(&options, &model, &err), 0);
}

static const SkillMessage hello = {.role = SKILL_ROLE_USER, .text = "hello", .text_length = 5};

static SkillModelCall *start(SkillModelRequest *request) {
  SkillModelCall *call = NULL;
  SkillError err = SKILL_ERROR_INIT;
  if (!request->messages) {
    request->messages = &hello;
    request->message_count = 1;
    request->deferred_from = request->tool_count;
  }
  int rc = skill_model_start(model, loop, request, on_delta, on_reply, NULL, &call, &err);
  if (rc) print_error("%s\n", err.message);
  assert_int_equal(rc, 0);
  assert_int_equal(got.calls, 0);
  return call;
}

static void finish(void) {
  for (int i = 0; i < 10000 && !got.calls; i++) skill_loop_run_once(loop, 1000);
  assert_int_equal(got.calls, 1);
}

static void ask(SkillModelRequest *request) {
  start(request);
  finish();
}

static void ask_plainly(bool stream) {
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  request.stream = stream;
  ask(&request);
}

/* The body of the i-th request, parsed; owned: cJSON_Delete. */
static cJSON *body_of(size_t index) {
  const char *text = strstr(http_server_request(server, index), "\r\n\r\n");
  assert_non_null(text);
  cJSON *value = cJSON_Parse(text + 4);
  assert_non_null(value);
  return value;
}

static void body_is(size_t index, const char *expected) {
  const char *text = strstr(http_server_request(server, index), "\r\n\r\n");
  assert_non_null(text);
  assert_string_equal(text + 4, expected);
}

#define JSON_HEAD "Content-Type: application/json\r\n"
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- chat completions ---- */

static const char chat_stream[] =
    "\xef\xbb\xbf: comment\r\n\r\n"
    "data: "
    "{\"id\":\"1\",\"model\":\"m-1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}"
    "\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"}}]}\r\n\r\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xe4\xb8\xad\xe6\x96\x87 a\"}}]}\r\r"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\","
    "\"function\":{\"name\":\"get\",\"arguments\":\"\"}}]}}]}\n\n"
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\":\"}},"
    "{\"index\":1,\"id\":\"c2\",\"function\":{\"name\":\"put\"}}]}}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\n"
    "data: \"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]}}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,"
    "\"prompt_tokens_details\":{\"cached_tokens\":4}}}\n\n"
    "data: [DONE]\n\n";

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
      {.body = chat_stream}, {.body = chat_stream, .piece = 1}, {.body = chat_stream, .piece = 7}};
  serve(skill_model_openai_new, replies, COUNT(replies));
  for (size_t i = 0; i < COUNT(replies); i++) {
    memset(&got, 0, sizeof got);
    ask_plainly(true);
    expect_chat();
  }
  assert_int_equal(http_server_connections(server), 1); /* the connection was kept */
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
  serve(skill_model_openai_new, replies, COUNT(replies));
  ask_plainly(false);
  assert_int_equal(got.status, 0);
  assert_string_equal(got.text, "hi");
  assert_int_equal(got.stop, SKILL_STOP_END);
  body_is(0, "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}");
  memset(&got, 0, sizeof got);
  ask_plainly(false); /* a call without an id, with its arguments as an object */
  assert_int_equal(got.status, 0);
  assert_true(strncmp(got.made, "call_", 5) == 0);
  assert_non_null(strstr(got.made, " f {\"x\":1};"));
  assert_int_equal(got.stop, SKILL_STOP_TOOLS);
  assert_true(got.usage.estimated);
  assert_true(got.usage.input_tokens > 0);
}

static const SkillTool tools[] = {
    {.name = "get", .description = "Gets \"it\"", .input_schema = "{\"type\":\"object\",\"properties\":{\"a\":{}}}"},
    {.name = "file read/\xe4\xb8\xad"},
    {.name = "later", .description = "Deferred"},
};

static const SkillCall made_calls[] = {{"c1", "get", "{\"a\":1}"}, {"c2", "file read/\xe4\xb8\xad", "{broken"}};

static const SkillMessage talk[] = {
    {.role = SKILL_ROLE_SYSTEM, .text = "be good", .text_length = 7, .cache = true},
    {.role = SKILL_ROLE_USER, .text = "hi\x01\xff", .text_length = 4},
    {.role = SKILL_ROLE_ASSISTANT, .text = "let me", .text_length = 6, .calls = made_calls, .call_count = 2},
    {.role = SKILL_ROLE_TOOL, .text = "42", .text_length = 2, .call_id = "c1", .name = "get"},
    {.role = SKILL_ROLE_TOOL, .text = "no such file", .text_length = 12, .call_id = "c2", .error = true},
    {.role = SKILL_ROLE_USER, .text = "and now", .text_length = 7, .cache = true},
};

static SkillModelRequest long_request(void) {
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  request.messages = talk;
  request.message_count = COUNT(talk);
  request.tools = tools;
  request.tool_count = COUNT(tools);
  request.deferred_from = 2;
  request.max_tokens = 100;
  request.temperature = 0.25;
  request.stream = false;
  request.parallel_calls = false;
  request.cache_tools = true;
  request.extra = "{\"seed\":7}";
  return request;
}

static void a_chat_request_says_all_of_it(void **state) {
  (void)state;
  const struct http_reply replies[] = {{.headers = JSON_HEAD,
                                        .body = "{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"c9\","
                                                "\"function\":{\"name\":\"file_read____bb2d2b9a\","
                                                "\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}"}};
  const char *headers[] = {"X-Mine: yes", NULL};
  options.headers = headers;
  serve(skill_model_openai_new, replies, COUNT(replies));
  SkillModelRequest request = long_request();
  ask(&request);
  assert_int_equal(got.status, 0);
  const char *head = http_server_request(server, 0);
  assert_non_null(strstr(head, "POST /chat/completions HTTP/1.1\r\n"));
  assert_non_null(strstr(head, "\r\nAuthorization: Bearer secret-key-123\r\n"));
  assert_non_null(strstr(head, "\r\nX-Mine: yes\r\n"));
  cJSON *body = body_of(0);
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
  body_is(0, expected);
}

static void a_tool_name_that_cannot_be_sent_comes_back_as_it_was(void **state) {
  (void)state;
  const struct http_reply first[] = {
      {.headers = JSON_HEAD, .body = "{\"choices\":[{\"message\":{\"content\":\"\"}}]}"}};
  serve(skill_model_openai_new, first, 1);
  SkillModelRequest request = long_request();
  ask(&request);
  cJSON *body = body_of(0);
  const cJSON *sent = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(body, "tools"), 1);
  char answer[400];
  snprintf(answer, sizeof answer,
           "{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"c9\",\"function\":{\"name\":\"%s\",\"arguments\":\"{}"
           "\"}}]}}]}",
           skill__json_string(cJSON_GetObjectItemCaseSensitive(sent, "function"), "name"));
  cJSON_Delete(body);
  tear_down(NULL);
  set_up(NULL);
  const struct http_reply second[] = {{.headers = JSON_HEAD, .body = answer}};
  serve(skill_model_openai_new, second, 1);
  request = long_request();
  ask(&request);
  assert_string_equal(got.made, "c9 file read/\xe4\xb8\xad {};");
}

static void characters_cut_between_events_are_put_together(void **state) {
  (void)state;
  const struct http_reply replies[] = {{.body = "data: {\"choices\":[{\"delta\":{\"content\":\"a\xe4\"}}]}\n\n"
                                                "data: {\"choices\":[{\"delta\":{\"content\":\"\xb8\"}}]}\n\n"
                                                "data: {\"choices\":[{\"delta\":{\"content\":\"\xad\xff!\"}}]}\n\n"
                                                "data: {\"choices\":[{\"delta\":{\"content\":\"\xe4\xb8\"},"
                                                "\"finish_reason\":\"length\"}]}\n\ndata: [DONE]"}};
  serve(skill_model_openai_new, replies, 1);
  ask_plainly(true);
  assert_int_equal(got.status, 0);
  assert_string_equal(got.deltas, "a|\xe4\xb8\xad\xef\xbf\xbd!|\xef\xbf\xbd\xef\xbf\xbd|");
  assert_string_equal(got.text, "a\xe4\xb8\xad\xef\xbf\xbd!\xef\xbf\xbd\xef\xbf\xbd");
  assert_int_equal(got.stop, SKILL_STOP_LENGTH);
}

/* ---- what is tried again ---- */

static const char good_chat[] =
    "data: {\"choices\":[{\"delta\":{\"content\":\"good\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

static void trouble_that_passes_is_tried_again(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.status = 429, .headers = JSON_HEAD "Retry-After: 0\r\n", .body = "{\"error\":{\"message\":\"slow down\"}}"},
      {.status = 503, .headers = "Content-Type: text/html\r\n", .body = "<html>busy</html>"},
      {.body = "data: x\n\n", .reset = true},
      {.status = 529, .headers = JSON_HEAD "retry-after-ms: 2\r\n", .body = "{}"},
      {.body = "data: {\"choices\":[{\"delta\":{\"content\":\"ba\"}}]}\n\ndata: {\"choi", .drop = true},
      {.body = good_chat}};
  options.tries = 6;
  serve(skill_model_openai_new, replies, COUNT(replies));
  ask_plainly(true);
  assert_int_equal(got.status, 0);
  assert_string_equal(got.text, "good");
  assert_string_equal(got.deltas, "ba|<restart>good|");
  assert_int_equal(got.attempts, 6);
  assert_int_equal(http_server_requests(server), 6);
}

static void a_broken_stream_is_tried_again_and_never_half_believed(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.body = "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n"}, /* ends without its end */
      {.body = "data: {\"choices\":[{\"delta\":{\"conte\n\n"},                  /* half an event */
      {.body = "data: {\"error\":{\"message\":\"overloaded\",\"type\":\"server_error\"}}\n\n"},
      {.headers = JSON_HEAD, .body = "{\"choices\":"},
      {.headers = JSON_HEAD, .body = "{\"choices\":[]}"}};
  serve(skill_model_openai_new, replies, COUNT(replies));
  ask_plainly(true);
  assert_int_equal(got.status, SKILL_EREMOTE);
  assert_string_equal(got.error, "the answer has no choices");
  assert_string_equal(got.deltas, "half|<restart>");
  assert_int_equal(http_server_requests(server), 5);
}

static void what_will_not_pass_is_not_tried_again(void **state) {
  (void)state;
  static const struct {
    struct http_reply reply;
    int status;
    const char *message;
  } cases[] = {
      {{.status = 401, .headers = JSON_HEAD, .body = "{\"error\":{\"message\":\"bad key secret-key-123!\"}}"},
       SKILL_EDENIED,
       "HTTP 401: bad key ***!"},
      {{.status = 404, .headers = JSON_HEAD, .body = "{\"error\":{\"message\":\"no model m\",\"type\":\"not_found\"}}"},
       SKILL_ENOENT,
       "HTTP 404: not_found: no model m"},
      {{.status = 400, .headers = JSON_HEAD, .body = "{\"error\":{\"message\":\"maximum context length is 8192\"}}"},
       SKILL_ELIMIT,
       "HTTP 400: maximum context length is 8192"},
      {{.status = 400, .headers = JSON_HEAD, .body = "{\"error\":\"what\"}"}, SKILL_EINVAL, "HTTP 400: what"},
      {{.status = 429, .headers = JSON_HEAD "Retry-After: 3600\r\n", .body = "{\"error\":{\"message\":\"quota\"}}"},
       SKILL_EREMOTE,
       "HTTP 429: quota"},
      {{.status = 429, .headers = JSON_HEAD "Retry-After: Fri, 31 Dec 2199 23:59:59 GMT\r\n", .body = "{}"},
       SKILL_EREMOTE,
       "HTTP 429"},
      {{.status = 500, .headers = JSON_HEAD "x-should-retry: false\r\n", .body = "[{\"error\":{\"message\":\"no\"}}]"},
       SKILL_EREMOTE,
       "HTTP 500: no"},
      {{.status = 302, .headers = "Location: http://127.0.0.1:1/\r\n", .body = ""}, SKILL_EINVAL, "HTTP 302"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    serve(skill_model_openai_new, &cases[i].reply, 1);
    ask_plainly(true);
    assert_int_equal(http_server_requests(server), 1);
    assert_int_equal(got.status, cases[i].status);
    assert_string_equal(got.error, cases[i].message);
    tear_down(NULL);
    set_up(NULL);
  }
}

static void a_date_in_the_past_means_now(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.status = 503, .headers = "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n", .body = ""}, {.body = good_chat}};
  serve(skill_model_openai_new, replies, COUNT(replies));
  ask_plainly(true);
  assert_int_equal(got.status, 0);
  assert_int_equal(got.attempts, 2);
}

static void nobody_listening_is_told(void **state) {
  (void)state;
  options.base_url = "http://127.0.0.1:1";
  options.tries = 2;
  assert_int_equal(skill_model_openai_new(&options, &model, NULL), 0);
  ask_plainly(true);
  assert_int_equal(got.status, SKILL_EIO);
  assert_non_null(strstr(got.error, "127.0.0.1"));
}

static void silence_ends_with_a_time_out(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.body = "data: {\"choices\":[{\"delta\":{\"content\":\"wait\"}}]}\n\n", .hang = true}};
  options.timeout_ms = 300;
  options.tries = 1;
  serve(skill_model_openai_new, replies, 1);
  ask_plainly(true);
  assert_int_equal(got.status, SKILL_ETIMEDOUT);
  assert_string_equal(got.text, "wait"); /* what had arrived */
}

/* ---- cancel ---- */

static void a_request_can_be_canceled_at_once_and_in_the_middle(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.body = "data: {\"choices\":[{\"delta\":{\"content\":\"one\"}}]}\n\n", .hang = true},
      {.body = "data: {\"choices\":[{\"delta\":{\"content\":\"two\"}}]}\n\n", .hang = true}};
  serve(skill_model_openai_new, replies, COUNT(replies));
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  skill_model_cancel(start(&request));
  finish();
  assert_int_equal(got.status, SKILL_ECANCELED);
  memset(&got, 0, sizeof got);
  request.messages = NULL;
  SkillModelCall *call = start(&request);
  for (int i = 0; i < 10000 && !got.deltas[0]; i++) skill_loop_run_once(loop, 1000);
  skill_model_cancel(call);
  skill_model_cancel(call);
  finish();
  assert_int_equal(got.status, SKILL_ECANCELED);
}

static void a_request_can_be_canceled_while_it_waits_to_be_tried_again(void **state) {
  (void)state;
  const struct http_reply replies[] = {{.status = 503, .headers = JSON_HEAD, .body = "{}"}};
  options.backoff_ms = 100000;
  options.backoff_max_ms = 100000;
  serve(skill_model_openai_new, replies, 1);
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  SkillModelCall *call = start(&request);
  while (http_server_requests(server) == 0) skill_loop_run_once(loop, 10);
  for (int i = 0; i < 20; i++) skill_loop_run_once(loop, 5);
  skill_model_cancel(call);
  finish();
  assert_int_equal(got.status, SKILL_ECANCELED);
}

/* ---- keys ---- */

static void a_key_comes_from_the_environment_or_a_command(void **state) {
  (void)state;
  const struct http_reply replies[] = {{.body = good_chat},
                                       {.body = good_chat},
                                       {.status = 401, .headers = JSON_HEAD, .body = "{}"},
                                       {.body = good_chat}};
  char *dir = tmpdir_make();
  char command[600];
  snprintf(command, sizeof command, "echo x >> '%s/runs'; echo key-from-command-$(wc -l < '%s/runs')", dir, dir);
  setenv("SKILLET_TEST_KEY", " key-from-env \n", 1);
  options.key = NULL;
  options.key_env = "SKILLET_TEST_KEY";
  options.key_command = command;
  serve(skill_model_openai_new, replies, COUNT(replies));
  ask_plainly(true);
  unsetenv("SKILLET_TEST_KEY");
  for (int i = 0; i < 2; i++) {
    memset(&got, 0, sizeof got);
    ask_plainly(true);
    assert_int_equal(got.status, 0);
  }
  assert_non_null(strstr(http_server_request(server, 0), "Bearer key-from-env\r\n"));
  assert_non_null(strstr(http_server_request(server, 1), "Bearer key-from-command-1\r\n"));
  assert_non_null(strstr(http_server_request(server, 2), "Bearer key-from-command-1\r\n"));
  assert_non_null(strstr(http_server_request(server, 3), "Bearer key-from-command-2\r\n")); /* asked again after 401 */
  tmpdir_remove(dir);
}

static void a_key_command_that_fails_is_told_without_its_output(void **state) {
  (void)state;
  options.key = NULL;
  options.key_env = "SKILLET_TEST_NO_KEY";
  options.key_command = "echo secret-thing; exit 1";
  options.base_url = "http://127.0.0.1:1";
  assert_int_equal(skill_model_openai_new(&options, &model, NULL), 0);
  ask_plainly(true);
  assert_int_equal(got.status, SKILL_EDENIED);
  assert_null(strstr(got.error, "secret-thing"));
  memset(&got, 0, sizeof got);
  options.key_command = NULL;
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  SkillModelCall *call = start(&request); /* the command again, canceled */
  skill_model_cancel(call);
  finish();
  assert_int_equal(got.status, SKILL_ECANCELED);
}

/* ---- Anthropic ---- */

#define EVENT(type, data) "event: " type "\ndata: " data "\n\n"

static const char anthropic_stream[] = EVENT(
    "message_start",
    "{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"claude\",\"usage\":{\"input_tokens\":5,"
    "\"cache_read_input_tokens\":100,\"cache_creation_input_tokens\":7,\"output_tokens\":1}}}")
    EVENT("ping", "{\"type\":\"ping\"}") EVENT("content_block_start",
                                               "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{"
                                               "\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}")
        EVENT("content_block_delta",
              "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":"
              "\"hm\"}}") EVENT("content_block_delta",
                                "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\","
                                "\"signature\":\"sig\"}}")
            EVENT("content_block_stop", "{\"type\":\"content_block_stop\",\"index\":0}") EVENT(
                "content_block_start",
                "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}")
                EVENT("content_block_delta",
                      "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"I "
                      "look\"}}") EVENT("content_block_stop", "{\"type\":\"content_block_stop\",\"index\":1}")
                    EVENT("content_block_start",
                          "{\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\","
                          "\"id\":\"t1\",\"name\":\"get\","
                          "\"input\":{}}}") EVENT("content_block_delta",
                                                  "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":"
                                                  "\"input_json_delta\",\"partial_json\":\"\"}}")
                        EVENT("content_block_delta",
                              "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\","
                              "\"partial_json\":\"{\\\"a\\\": \"}}")
                            EVENT("content_block_delta",
                                  "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_"
                                  "delta\",\"partial_json\":\"2}\"}}")
                                EVENT("content_block_stop", "{\"type\":\"content_block_stop\",\"index\":2}")
                                    EVENT("message_delta",
                                          "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},"
                                          "\"usage\":{\"output_tokens\":20}}")
                                        EVENT("message_stop", "{\"type\":\"message_stop\"}");

static void an_anthropic_stream_is_read_and_its_thinking_goes_back(void **state) {
  (void)state;
  const struct http_reply replies[] = {{.body = anthropic_stream, .piece = 3},
                                       {.headers = JSON_HEAD,
                                        .body = "{\"content\":[{\"type\":\"text\",\"text\":\"done\"}],\"stop_reason\":"
                                                "\"end_turn\",\"usage\":{\"input_tokens\":1,"
                                                "\"output_tokens\":2}}"}};
  serve(skill_model_anthropic_new, replies, COUNT(replies));
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
  SkillMessage messages[] = {hello,
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
  ask(&request);
  assert_int_equal(got.status, 0);
  assert_string_equal(got.text, "done");
  snprintf(
      expected, sizeof expected,
      "{\"model\":\"m\",\"max_tokens\":8192,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":"
      "\"hello\"}]},{\"role\":\"assistant\",\"content\":%s},{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
      "\"tool_use_id\":\"t1\",\"content\":\"4\"}]}]}",
      blocks);
  body_is(1, expected);
}

static void an_anthropic_request_has_marks_merged_turns_and_deferred_tools(void **state) {
  (void)state;
  const struct http_reply replies[] = {{.headers = JSON_HEAD, .body = "{\"content\":[],\"stop_reason\":\"end_turn\"}"}};
  options.tool_search = true;
  serve(skill_model_anthropic_new, replies, 1);
  SkillModelRequest request = long_request();
  ask(&request);
  assert_int_equal(got.status, 0);
  const char *head = http_server_request(server, 0);
  assert_non_null(strstr(head, "\r\nx-api-key: secret-key-123\r\n"));
  assert_non_null(strstr(head, "\r\nanthropic-version: 2023-06-01\r\n"));
  assert_null(strstr(head, "Authorization"));
  cJSON *body = body_of(0);
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
  serve(skill_model_anthropic_new, replies, COUNT(replies));
  ask_plainly(true);
  assert_int_equal(got.status, SKILL_EINVAL);
  assert_string_equal(got.error, "invalid_request_error: bad");
  assert_int_equal(http_server_requests(server), 2);
}

/* ---- responses ---- */

static void a_responses_stream_is_read(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.body = EVENT("response.created", "{\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}") EVENT(
           "response.output_text.delta",
           "{\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"Hel\"}")
           EVENT("response.output_text.delta",
                 "{\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"lo\"}")
               EVENT("response.output_item.added",
                     "{\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"type\":\"function_call\","
                     "\"id\":\"fc\",\"call_id\":\"c1\",\"name\":\"get\",\"arguments\":\"\"}}")
                   EVENT("response.function_call_arguments.delta",
                         "{\"type\":\"response.function_call_arguments.delta\",\"output_index\":1,\"delta\":\"{"
                         "\\\"a\\\":1}\"}")
                       EVENT("response.output_item.done",
                             "{\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"function_"
                             "call\","
                             "\"call_id\":\"c1\",\"name\":\"get\",\"arguments\":\"{\\\"a\\\":1}\"}}")
                           EVENT("response.output_item.done",
                                 "{\"type\":\"response.output_item.done\",\"output_index\":2,\"item\":{\"type\":"
                                 "\"function_call\","
                                 "\"call_id\":\"c2\",\"name\":\"put\",\"arguments\":\"{}\"}}")
                               EVENT("response.completed",
                                     "{\"type\":\"response.completed\",\"response\":{\"model\":\"gpt\",\"status\":"
                                     "\"completed\","
                                     "\"output\":[{\"type\":\"reasoning\",\"id\":\"rs\",\"encrypted_content\":\"zz\","
                                     "\"summary\":[]}],"
                                     "\"usage\":{\"input_tokens\":9,\"input_tokens_details\":{\"cached_tokens\":3},"
                                     "\"output_tokens\":4}}}")},
      {.headers = JSON_HEAD,
       .body =
           "{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"},\"output\":[{\"type\":"
           "\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"cut\"}]}]}"}};
  serve(skill_model_responses_new, replies, COUNT(replies));
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
  SkillMessage messages[] = {talk[0], talk[1], talk[2], talk[3], talk[4]};
  messages[2].extra = extra;
  messages[2].extra_from = "responses";
  messages[2].calls = made_calls;
  messages[2].call_count = 1;
  SkillModelRequest request = long_request();
  request.messages = messages;
  request.message_count = 4;
  request.tool_count = 1;
  request.choice = SKILL_TOOL_CHOICE_REQUIRED;
  request.choice_name = "get";
  ask(&request);
  assert_int_equal(got.stop, SKILL_STOP_LENGTH);
  assert_string_equal(got.text, "cut");
  assert_non_null(strstr(http_server_request(server, 1), "POST /responses HTTP/1.1\r\n"));
  body_is(
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

/* ---- making one ---- */

static void a_model_is_made_by_provider_and_name(void **state) {
  (void)state;
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(skill_model_provider_new("ollama:qwen3:8b", NULL, &model, &err), 0);
  assert_string_equal(model->name, "ollama:qwen3:8b");
  assert_int_equal(model->flags & SKILL_MODEL_NO_LLM, 0);
  SkillModel *other = NULL;
  assert_int_equal(skill_model_provider_new("nobody:x", NULL, &other, &err), SKILL_EINVAL);
  assert_int_equal(skill_model_provider_new("openai:", NULL, &other, NULL), SKILL_EINVAL);
  options.extra = "[1]";
  assert_int_equal(skill_model_openai_new(&options, &other, NULL), SKILL_EINVAL);
  assert_null(other);
  assert_string_equal(skill_provider_name(0), "openai");
}

static void a_schema_that_is_no_object_is_refused_before_anything_is_sent(void **state) {
  (void)state;
  options.base_url = "http://127.0.0.1:1";
  assert_int_equal(skill_model_openai_new(&options, &model, NULL), 0);
  static const char *const bad[] = {"[1]",         "{\"a\":1} x", "{\"a\":01}", "{\"a\":\"\\x\"}",
                                    "{\"a\":tru}", "{'a':1}",     "{\"a\" 1}",  ""};
  for (size_t i = 0; i < COUNT(bad); i++) {
    SkillTool tool = {.name = "t", .input_schema = bad[i]};
    SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
    request.messages = &hello;
    request.message_count = 1;
    request.tools = &tool;
    request.tool_count = 1;
    SkillError err = SKILL_ERROR_INIT;
    assert_int_equal(skill_model_start(model, loop, &request, NULL, on_reply, NULL, NULL, &err), SKILL_EINVAL);
    assert_string_equal(err.message, "the input_schema of tool t is no JSON object");
  }
  assert_int_equal(got.calls, 0);
}

/* ---- out of memory ---- */

/* A whole request to a place where nobody listens; a refused connection is its regular end. */
static int make_and_ask(void *user) {
  make_fn make = *(make_fn *)user;
  SkillModel *made = NULL;
  SkillLoop *own = NULL;
  SkillModelRequest request = long_request();
  int rc = skill_loop_new(NULL, &own, NULL);
  if (!rc) rc = make(&options, &made, NULL);
  memset(&got, 0, sizeof got);
  if (!rc) rc = skill_model_start(made, own, &request, on_delta, on_reply, NULL, NULL, NULL);
  for (int i = 0; !rc && i < 20 && !got.calls; i++) skill_loop_run_once(own, 1000);
  if (!rc) {
    assert_int_equal(got.calls, 1);
    rc = got.status;
  }
  skill_model_free(made);
  skill_loop_free(own);
  if (rc == SKILL_EIO) rc = sweep_failed() ? SKILL_ENOMEM : 0; /* curl does not always tell which */
  return rc;
}

static void every_failed_allocation_is_survived(void **state) {
  (void)state;
  static make_fn makes[] = {skill_model_openai_new, skill_model_responses_new, skill_model_anthropic_new};
  options.base_url = "http://127.0.0.1:1";
  options.tries = 1;
  for (size_t i = 0; i < COUNT(makes); i++) {
    make_and_ask(&makes[i]); /* curl's and libuv's own first allocations */
    assert_true(sweep_run(make_and_ask, &makes[i]) > 10);
  }
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(a_chat_stream_is_read_whole_and_byte_by_byte),
      T(a_chat_answer_is_read_in_one),
      T(a_chat_request_says_all_of_it),
      T(a_tool_name_that_cannot_be_sent_comes_back_as_it_was),
      T(characters_cut_between_events_are_put_together),
      T(trouble_that_passes_is_tried_again),
      T(a_broken_stream_is_tried_again_and_never_half_believed),
      T(what_will_not_pass_is_not_tried_again),
      T(a_date_in_the_past_means_now),
      T(nobody_listening_is_told),
      T(silence_ends_with_a_time_out),
      T(a_request_can_be_canceled_at_once_and_in_the_middle),
      T(a_request_can_be_canceled_while_it_waits_to_be_tried_again),
      T(a_key_comes_from_the_environment_or_a_command),
      T(a_key_command_that_fails_is_told_without_its_output),
      T(an_anthropic_stream_is_read_and_its_thinking_goes_back),
      T(an_anthropic_request_has_marks_merged_turns_and_deferred_tools),
      T(an_anthropic_error_in_the_stream_is_tried_again),
      T(a_responses_stream_is_read),
      T(a_model_is_made_by_provider_and_name),
      T(a_schema_that_is_no_object_is_refused_before_anything_is_sent),
      T(every_failed_allocation_is_survived),
  };
  return cmocka_run_group_tests_name("provider", tests, NULL, NULL);
}
