/* SPDX-License-Identifier: MIT
 *
 * See ask.h.
 */
#include "lib/ask.h"

#include <stdio.h>
#include <string.h>

#include "lib/sweep.h"

struct outcome got;
struct http_server *ask_server;
SkillLoop *ask_loop;
SkillModel *ask_model;
SkillProviderOptions ask_options;

void ask_on_delta(const SkillDelta *delta, void *user) {
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

void ask_on_reply(int status, const SkillReply *reply, const SkillError *error, void *user) {
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

int ask_set_up(void **state) {
  (void)state;
  memset(&got, 0, sizeof got);
  ask_options = (SkillProviderOptions)SKILL_PROVIDER_OPTIONS_INIT;
  ask_options.model = "m";
  ask_options.key = "secret-key-123";
  ask_options.proxy = "";
  ask_options.backoff_ms = 1;
  ask_options.backoff_max_ms = 2000;
  ask_server = NULL;
  ask_model = NULL;
  return skill_loop_new(NULL, &ask_loop, NULL);
}

int ask_tear_down(void **state) {
  (void)state;
  sweep_abandon();
  skill_model_free(ask_model);
  skill_loop_free(ask_loop);
  http_server_stop(ask_server);
  return 0;
}

void ask_serve(ask_make make, const struct http_reply *replies, size_t count) {
  ask_server = http_server_start(replies, count);
  ask_options.base_url = http_server_url(ask_server);
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(make(&ask_options, &ask_model, &err), 0);
}

const SkillMessage ask_hello = {.role = SKILL_ROLE_USER, .text = "hello", .text_length = 5};

SkillModelCall *ask_start(SkillModelRequest *request) {
  SkillModelCall *call = NULL;
  SkillError err = SKILL_ERROR_INIT;
  if (!request->messages) {
    request->messages = &ask_hello;
    request->message_count = 1;
    request->deferred_from = request->tool_count;
  }
  int rc = skill_model_start(ask_model, ask_loop, request, ask_on_delta, ask_on_reply, NULL, &call, &err);
  if (rc) print_error("%s\n", err.message);
  assert_int_equal(rc, 0);
  assert_int_equal(got.calls, 0);
  return call;
}

void ask_finish(void) {
  for (int i = 0; i < 10000 && !got.calls; i++) skill_loop_run_once(ask_loop, 1000);
  assert_int_equal(got.calls, 1);
}

void ask_for(SkillModelRequest *request) {
  ask_start(request);
  ask_finish();
}

void ask_plainly(bool stream) {
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  request.stream = stream;
  ask_for(&request);
}

cJSON *ask_body(size_t index) {
  const char *text = strstr(http_server_request(ask_server, index), "\r\n\r\n");
  assert_non_null(text);
  cJSON *value = cJSON_Parse(text + 4);
  assert_non_null(value);
  return value;
}

void ask_body_is(size_t index, const char *expected) {
  const char *text = strstr(http_server_request(ask_server, index), "\r\n\r\n");
  assert_non_null(text);
  assert_string_equal(text + 4, expected);
}

const SkillTool ask_tools[ASK_TOOLS] = {
    {.name = "get", .description = "Gets \"it\"", .input_schema = "{\"type\":\"object\",\"properties\":{\"a\":{}}}"},
    {.name = "file read/\xe4\xb8\xad"},
    {.name = "later", .description = "Deferred"},
};

const SkillCall ask_calls[2] = {{"c1", "get", "{\"a\":1}"}, {"c2", "file read/\xe4\xb8\xad", "{broken"}};

const SkillMessage ask_talk[ASK_TALK] = {
    {.role = SKILL_ROLE_SYSTEM, .text = "be good", .text_length = 7, .cache = true},
    {.role = SKILL_ROLE_USER, .text = "hi\x01\xff", .text_length = 4},
    {.role = SKILL_ROLE_ASSISTANT, .text = "let me", .text_length = 6, .calls = ask_calls, .call_count = 2},
    {.role = SKILL_ROLE_TOOL, .text = "42", .text_length = 2, .call_id = "c1", .name = "get"},
    {.role = SKILL_ROLE_TOOL, .text = "no such file", .text_length = 12, .call_id = "c2", .error = true},
    {.role = SKILL_ROLE_USER, .text = "and now", .text_length = 7, .cache = true},
};

SkillModelRequest ask_long_request(void) {
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  request.messages = ask_talk;
  request.message_count = COUNT(ask_talk);
  request.tools = ask_tools;
  request.tool_count = COUNT(ask_tools);
  request.deferred_from = 2;
  request.max_tokens = 100;
  request.temperature = 0.25;
  request.stream = false;
  request.parallel_calls = false;
  request.cache_tools = true;
  request.extra = "{\"seed\":7}";
  return request;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

const char ask_chat_stream[] =
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

const char ask_good_chat[] =
    "data: {\"choices\":[{\"delta\":{\"content\":\"good\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

const char ask_anthropic_stream[] = EVENT(
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

const char ask_responses_stream[] =
    EVENT("response.created", "{\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}") EVENT(
        "response.output_text.delta", "{\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"Hel\"}")
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
                                  "\"output_tokens\":4}}}");
