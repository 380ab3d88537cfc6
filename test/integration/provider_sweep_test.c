/* SPDX-License-Identifier: MIT
 *
 * HTTP models with each allocation failing in turn, in skillet, cJSON, libuv and curl: a complete exchange with a
 * loopback server in each protocol, streamed and not. Any answer is complete, nothing leaks, and the next request on
 * the same model and loop succeeds.
 */
#include <string.h>

#include "lib/ask.h"
#include "lib/sweep.h"

struct scene {
  ask_make make;
  bool stream;
  struct http_reply reply;
  const char *text;
  const char *made;  /* the end of what is made: the ids differ */
  const char *extra; /* from the answer in the conversation: sent back */
};

/* A request with every kind of content. Without an error, the received data is exactly what was sent. */
static int ask_once(const struct scene *scene, SkillModel *model, SkillLoop *loop) {
  SkillModelRequest request = ask_long_request();
  SkillMessage messages[ASK_TALK];
  memcpy(messages, ask_talk, sizeof messages);
  messages[2].extra = scene->extra;
  messages[2].extra_from = scene->make == skill_model_anthropic_new ? "anthropic" : "responses";
  request.messages = messages;
  request.stream = scene->stream;
  memset(&got, 0, sizeof got);
  int rc = skill_model_start(model, loop, &request, ask_on_delta, ask_on_reply, NULL, NULL, NULL);
  for (int i = 0; !rc && i < 1000 && !got.calls; i++) skill_loop_run_once(loop, 1000);
  if (rc) {
    assert_int_equal(got.calls, 0);
    return rc;
  }
  assert_int_equal(got.calls, 1);
  if (got.status) {
    assert_true(got.error[0]);
    assert_string_equal(got.made, ""); /* no call of a broken answer is run */
  } else {
    assert_string_equal(got.text, scene->text);
    assert_non_null(strstr(got.made, scene->made));
  }
  return got.status;
}

static int exchange(void *user) {
  const struct scene *scene = user;
  SkillModel *made = NULL;
  SkillLoop *own = NULL;
  int rc = skill_loop_new(NULL, &own, NULL);
  if (!rc) rc = scene->make(&ask_options, &made, NULL);
  if (!rc) rc = ask_once(scene, made, own);
  sweep_relent();
  if (made) assert_int_equal(ask_once(scene, made, own), 0);
  skill_model_free(made);
  skill_loop_free(own);
  if (rc == SKILL_EIO && sweep_failed()) rc = SKILL_ENOMEM; /* curl does not always report which */
  return rc;
}

static void sweep_exchange(struct scene scene) {
  scene.reply.again = true;
  ask_server = http_server_start(&scene.reply, 1);
  ask_options.base_url = http_server_url(ask_server);
  ask_options.tries = 1;
  exchange(&scene); /* allocations that curl and libuv make once per process */
  sweep_forgive_libraries();
  assert_true(sweep_run(exchange, &scene) > 50);
}

static void a_chat_stream_survives_every_failed_allocation(void **state) {
  (void)state;
  sweep_exchange((struct scene){.make = skill_model_openai_new,
                                .stream = true,
                                .reply = {.body = ask_chat_stream},
                                .text = "\xe4\xb8\xad\xe6\x96\x87 a",
                                .made = " put {};"});
}

static void so_does_a_chat_answer(void **state) {
  (void)state;
  static const char answer[] =
      "{\"model\":\"m-2\",\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"hi\",\"reasoning\":\"hm\","
      "\"tool_calls\":[{\"id\":\"c7\",\"function\":{\"name\":\"get\",\"arguments\":{\"a\":1}}}]},"
      "\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}";
  sweep_exchange((struct scene){.make = skill_model_openai_new,
                                .reply = {.headers = JSON_HEAD, .body = answer},
                                .text = "hi",
                                .made = "c7 get {\"a\":1};"});
}

static void so_does_a_responses_stream(void **state) {
  (void)state;
  sweep_exchange((struct scene){.make = skill_model_responses_new,
                                .stream = true,
                                .reply = {.body = ask_responses_stream},
                                .text = "Hello",
                                .made = " put {};",
                                .extra = "{\"items\":[{\"type\":\"reasoning\",\"encrypted_content\":\"zz\"}]}"});
}

static void so_does_a_responses_answer(void **state) {
  (void)state;
  static const char answer[] =
      "{\"status\":\"completed\",\"model\":\"m-3\",\"output\":[{\"type\":\"reasoning\",\"encrypted_content\":\"zz\"},"
      "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"hi\"}]},"
      "{\"type\":\"function_call\",\"call_id\":\"c7\",\"name\":\"get\",\"arguments\":\"{\\\"a\\\":1}\"}]}";
  sweep_exchange((struct scene){.make = skill_model_responses_new,
                                .reply = {.headers = JSON_HEAD, .body = answer},
                                .text = "hi",
                                .made = "c7 get {\"a\":1};",
                                .extra = "{\"items\":[{\"type\":\"reasoning\",\"encrypted_content\":\"zz\"}]}"});
}

static const char thinking[] = "{\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"}]}";

static void so_does_an_anthropic_stream(void **state) {
  (void)state;
  sweep_exchange((struct scene){.make = skill_model_anthropic_new,
                                .stream = true,
                                .reply = {.body = ask_anthropic_stream},
                                .text = "I look",
                                .made = "t1 get {\"a\": 2};",
                                .extra = thinking});
}

static void so_does_an_anthropic_answer(void **state) {
  (void)state;
  static const char answer[] =
      "{\"model\":\"m-4\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"},"
      "{\"type\":\"text\",\"text\":\"hi\"},{\"type\":\"tool_use\",\"id\":\"t7\",\"name\":\"get\",\"input\":{\"a\":1}}],"
      "\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}";
  sweep_exchange((struct scene){.make = skill_model_anthropic_new,
                                .reply = {.headers = JSON_HEAD, .body = answer},
                                .text = "hi",
                                .made = "t7 get {\"a\":1};",
                                .extra = thinking});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ASK_TEST(a_chat_stream_survives_every_failed_allocation),
      ASK_TEST(so_does_a_chat_answer),
      ASK_TEST(so_does_a_responses_stream),
      ASK_TEST(so_does_a_responses_answer),
      ASK_TEST(so_does_an_anthropic_stream),
      ASK_TEST(so_does_an_anthropic_answer),
  };
  return cmocka_run_group_tests_name("provider_sweep", tests, NULL, NULL);
}
