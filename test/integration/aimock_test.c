/* SPDX-License-Identifier: MIT
 *
 * HTTP models with @copilotkit/aimock, a mock server by a third party: three protocols, streamed and complete answers,
 * conversations with tool calls, and its random failures: 500, 429, malformed bodies, dropped connections. Every
 * conversation ends in the right answer or in a clear error. Skipped if `npm ci` has not been run in test/npm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "lib/aimock.h"
#include "lib/check.h"
#include "skillet/provider.h"
#include "skillet/sys/alloc.h"

typedef int (*make_fn)(const SkillProviderOptions *options, SkillModel **out, SkillError *err);

struct protocol {
  const char *name;
  make_fn make;
};

static const struct protocol protocols[] = {
    {"openai", skill_model_openai_new},
    {"responses", skill_model_responses_new},
    {"anthropic", skill_model_anthropic_new},
};

static SkillLoop *loop;
static const char *url;

static int group_set_up(void **state) {
  (void)state;
  return skill_loop_new(NULL, &loop, NULL);
}

static int group_tear_down(void **state) {
  (void)state;
  skill_loop_free(loop);
  aimock_stop();
  return 0;
}

/* ---- conversations ----------------------------------------------------------------------------------------------- */

struct outcome {
  int calls;
  int status;
  char error[600];
  char shown[4096]; /* the text of the deltas, cleared by a restart */
  SkillMessage *message;
  SkillStop stop;
  SkillUsage usage;
};

static struct outcome got;

static void on_delta(const SkillDelta *delta, void *user) {
  (void)user;
  if (delta->kind == SKILL_DELTA_RESTART) got.shown[0] = '\0';
  if (delta->kind != SKILL_DELTA_TEXT) return;
  size_t used = strlen(got.shown);
  snprintf(got.shown + used, sizeof got.shown - used, "%.*s", (int)delta->length, delta->text);
}

static void on_reply(int status, const SkillReply *reply, const SkillError *error, void *user) {
  (void)user;
  got.calls++;
  got.status = status;
  snprintf(got.error, sizeof got.error, "%s", error->message);
  if (!reply) return;
  got.stop = reply->stop;
  got.usage = reply->usage;
  assert_int_equal(skill_message_copy(&reply->message, &got.message), 0);
}

static void forget(void) {
  skill_free(got.message);
  memset(&got, 0, sizeof got);
}

static const SkillTool tools[] = {
    {.name = "get_weather",
     .description = "Weather of a city",
     .input_schema =
         "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"},\"unit\":{\"enum\":[\"C\",\"F\"]}},"
         "\"required\":[\"city\"]}"},
    {.name = "first"},
    {.name = "second",
     .input_schema =
         "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"array\",\"items\":{\"type\":\"number\"}}}}"},
};

static void ask(SkillModel *model, SkillConversation *talk, bool stream) {
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  size_t count = skill_conversation_count(talk);
  SkillMessage messages[16];
  assert_true(count <= 16);
  for (size_t i = 0; i < count; i++) messages[i] = *skill_conversation_at(talk, i);
  request.messages = messages;
  request.message_count = count;
  request.tools = tools;
  request.tool_count = request.deferred_from = 3;
  request.stream = stream;
  request.max_tokens = 500;
  forget();
  SkillError err = SKILL_ERROR_INIT;
  int rc = skill_model_start(model, loop, &request, on_delta, on_reply, NULL, NULL, &err);
  if (rc) print_error("%s\n", err.message);
  assert_int_equal(rc, 0);
  for (int i = 0; i < 3000 && !got.calls; i++) skill_loop_run_once(loop, 100);
  assert_int_equal(got.calls, 1);
  if (got.status == 0) assert_int_equal(skill_conversation_add(talk, got.message, &err), 0);
  if (got.status == 0 && stream && got.message->text) assert_string_equal(got.shown, got.message->text);
}

static SkillModel *model_of(const struct protocol *protocol, const char *const *headers, unsigned tries) {
  SkillProviderOptions options = SKILL_PROVIDER_OPTIONS_INIT;
  options.model = strcmp(protocol->name, "anthropic") == 0 ? "claude-sonnet-4-5" : "gpt-4.1-mini";
  options.base_url = url;
  options.key = "test-key-of-skillet";
  options.proxy = "";
  options.headers = headers;
  options.tries = tries;
  options.backoff_ms = 1;
  SkillModel *model = NULL;
  assert_int_equal(protocol->make(&options, &model, NULL), 0);
  return model;
}

static SkillConversation *talk_about(const char *text) {
  SkillConversation *talk;
  assert_int_equal(skill_conversation_new(&talk), 0);
  assert_int_equal(skill_conversation_add_text(talk, SKILL_ROLE_SYSTEM, "You are a test.", 0, NULL), 0);
  assert_int_equal(skill_conversation_add_text(talk, SKILL_ROLE_USER, text, 0, NULL), 0);
  return talk;
}

static void answer_calls(SkillConversation *talk) {
  for (size_t i = 0; i < got.message->call_count; i++) {
    SkillMessage result = {.role = SKILL_ROLE_TOOL, .text = "21 degrees", .text_length = 10};
    result.call_id = got.message->calls[i].id;
    result.name = got.message->calls[i].name;
    assert_int_equal(skill_conversation_add(talk, &result, NULL), 0);
  }
  assert_int_equal(skill_conversation_open_calls(talk), 0);
}

static void each(void (*check)(const struct protocol *protocol, bool stream)) {
  for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
    for (int stream = 0; stream < 2; stream++) check(&protocols[i], stream);
  }
  forget();
}

static void plain_answer(const struct protocol *protocol, bool stream) {
  SkillModel *model = model_of(protocol, NULL, 1);
  SkillConversation *talk = talk_about("hello");
  ask(model, talk, stream);
  if (got.status) print_error("%s: %s\n", protocol->name, got.error);
  assert_int_equal(got.status, 0);
  assert_string_equal(got.message->text, "Hello there! How are you?");
  assert_int_equal(got.stop, SKILL_STOP_END);
  skill_conversation_free(talk);
  skill_model_free(model);
}

static void tool_conversation(const struct protocol *protocol, bool stream) {
  SkillModel *model = model_of(protocol, NULL, 1);
  SkillConversation *talk = talk_about("weather in Oslo");
  ask(model, talk, stream);
  assert_int_equal(got.status, 0);
  assert_int_equal(got.stop, SKILL_STOP_TOOLS);
  assert_int_equal(got.message->call_count, 1);
  assert_string_equal(got.message->calls[0].name, "get_weather");
  cJSON *arguments = cJSON_Parse(got.message->calls[0].arguments);
  assert_string_equal(cJSON_GetObjectItemCaseSensitive(arguments, "city")->valuestring, "Oslo");
  cJSON_Delete(arguments);
  answer_calls(talk);
  ask(model, talk, stream);
  assert_int_equal(got.status, 0);
  assert_string_equal(got.message->text,
                      "It is 21 degrees in Oslo. \xe4\xbb\x8a\xe5\xa4\xa9\xe6\x99\xb4\xe6\x9c\x97 \xe2\x98\x80");
  skill_conversation_free(talk);
  talk = talk_about("two tools");
  ask(model, talk, stream);
  assert_int_equal(got.message->call_count, 2);
  assert_string_equal(got.message->calls[0].name, "first");
  assert_string_equal(got.message->calls[1].name, "second");
  assert_string_not_equal(got.message->calls[0].id, got.message->calls[1].id);
  answer_calls(talk);
  ask(model, talk, stream);
  assert_string_equal(got.message->text, "both done");
  skill_conversation_free(talk);
  skill_model_free(model);
}

/* Wrong text of a model reaches the gateway unchanged, except in complete Anthropic answers, which the server
 * repairs. */
static void broken_arguments(const struct protocol *protocol, bool stream) {
  SkillModel *model = model_of(protocol, NULL, 1);
  SkillConversation *talk = talk_about("broken arguments");
  ask(model, talk, stream);
  if (got.status == 0) {
    assert_int_equal(got.message->call_count, 1);
    assert_string_equal(got.message->calls[0].name, "get_weather");
    assert_non_null(got.message->calls[0].arguments);
    answer_calls(talk);
    ask(model, talk, stream); /* and is sent back without making the request unreadable */
    assert_true(got.status == 0 || strlen(got.error) > 0);
  } else {
    assert_true(strlen(got.error) > 0);
  }
  skill_conversation_free(talk);
  skill_model_free(model);
}

/* A server that numbers its calls from 0 in every answer. */
static void repeated_ids(const struct protocol *protocol, bool stream) {
  SkillModel *model = model_of(protocol, NULL, 1);
  SkillConversation *talk = talk_about("again and again");
  for (int i = 0; i < 3; i++) {
    ask(model, talk, stream);
    assert_int_equal(got.status, 0);
    assert_int_equal(got.message->call_count, 1);
    answer_calls(talk);
  }
  skill_conversation_free(talk);
  skill_model_free(model);
}

static void cut_stream(const struct protocol *protocol, bool stream) {
  if (!stream) return;
  SkillModel *model = model_of(protocol, NULL, 3);
  SkillConversation *talk = talk_about("cut short");
  ask(model, talk, stream);
  assert_true(got.status == SKILL_EREMOTE || got.status == SKILL_EIO);
  assert_true(strlen(got.error) > 0);
  assert_int_equal(skill_conversation_count(talk), 2); /* no part of it is in the conversation */
  skill_conversation_free(talk);
  skill_model_free(model);
}

static void context_too_long(const struct protocol *protocol, bool stream) {
  SkillModel *model = model_of(protocol, NULL, 5);
  SkillConversation *talk = talk_about("refuse me");
  ask(model, talk, stream);
  assert_int_equal(got.status, SKILL_ELIMIT);
  assert_non_null(strstr(got.error, "maximum context length"));
  skill_conversation_free(talk);
  skill_model_free(model);
}

static void certain_chaos(const struct protocol *protocol, bool stream) {
  static const char *const kinds[] = {"x-aimock-chaos-drop: 1", "x-aimock-chaos-malformed: 1",
                                      "x-aimock-chaos-disconnect: 1", "x-aimock-chaos-ratelimit: 1"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const char *headers[] = {kinds[i], NULL};
    SkillModel *model = model_of(protocol, headers, 1);
    SkillConversation *talk = talk_about("hello");
    ask(model, talk, stream);
    if (got.status != SKILL_EREMOTE && got.status != SKILL_EIO) {
      fail_msg("%s, %s: status %d %s", protocol->name, kinds[i], got.status, got.error);
    }
    assert_true(strlen(got.error) > 0);
    assert_null(strstr(got.error, "test-key-of-skillet"));
    skill_conversation_free(talk);
    skill_model_free(model);
  }
}

static void likely_chaos(const struct protocol *protocol, bool stream) {
  const char *headers[] = {"x-aimock-chaos-drop: 0.3", "x-aimock-chaos-malformed: 0.2",
                           "x-aimock-chaos-disconnect: 0.2", NULL};
  SkillModel *model = model_of(protocol, headers, 20);
  for (int i = 0; i < 10; i++) {
    SkillConversation *talk = talk_about("weather in Oslo");
    ask(model, talk, stream);
    if (got.status == 0) {
      answer_calls(talk);
      ask(model, talk, stream);
    }
    if (got.status == 0) {
      assert_non_null(strstr(got.message->text, "21 degrees in Oslo"));
    } else {
      assert_true(strlen(got.error) > 0); /* twenty failures in a row */
      print_message("%s: %s\n", protocol->name, got.error);
    }
    skill_conversation_free(talk);
  }
  skill_model_free(model);
}

#define EACH(test, check)          \
  static void test(void **state) { \
    (void)state;                   \
    each(check);                   \
  }
EACH(an_answer_comes_by_every_protocol, plain_answer)
EACH(conversations_with_tool_calls_end_in_the_answer, tool_conversation)
EACH(broken_arguments_do_no_harm, broken_arguments)
EACH(repeated_call_ids_are_made_unique, repeated_ids)
EACH(a_stream_that_is_cut_is_a_clear_error, cut_stream)
EACH(a_context_that_is_too_long_is_told_apart, context_too_long)
EACH(certain_trouble_is_a_clear_error, certain_chaos)
EACH(trouble_by_chance_is_overcome, likely_chaos)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_answer_comes_by_every_protocol),
      cmocka_unit_test(conversations_with_tool_calls_end_in_the_answer),
      cmocka_unit_test(broken_arguments_do_no_harm),
      cmocka_unit_test(repeated_call_ids_are_made_unique),
      cmocka_unit_test(a_stream_that_is_cut_is_a_clear_error),
      cmocka_unit_test(a_context_that_is_too_long_is_told_apart),
      cmocka_unit_test(certain_trouble_is_a_clear_error),
      cmocka_unit_test(trouble_by_chance_is_overcome),
  };
  url = aimock_start("fixtures.json");
  if (!url) {
    printf("skipped: @copilotkit/aimock is not installed; run `npm ci` in test/npm\n");
    return 77;
  }
  return cmocka_run_group_tests_name("aimock", tests, group_set_up, group_tear_down);
}
