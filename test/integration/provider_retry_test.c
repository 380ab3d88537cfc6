/* SPDX-License-Identifier: MIT
 *
 * HTTP models and failures: what is retried, what is not, and cancellation.
 */
#include <string.h>

#include "lib/ask.h"

static void trouble_that_passes_is_tried_again(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.status = 429, .headers = JSON_HEAD "Retry-After: 0\r\n", .body = "{\"error\":{\"message\":\"slow down\"}}"},
      {.status = 503, .headers = "Content-Type: text/html\r\n", .body = "<html>busy</html>"},
      {.body = "data: x\n\n", .reset = true},
      {.status = 529, .headers = JSON_HEAD "retry-after-ms: 2\r\n", .body = "{}"},
      {.body = "data: {\"choices\":[{\"delta\":{\"content\":\"ba\"}}]}\n\ndata: {\"choi", .drop = true},
      {.body = ask_good_chat}};
  ask_options.tries = 6;
  ask_serve(skill_model_openai_new, replies, COUNT(replies));
  ask_plainly(true);
  assert_int_equal(got.status, 0);
  assert_string_equal(got.text, "good");
  assert_string_equal(got.deltas, "ba|<restart>good|");
  assert_int_equal(got.attempts, 6);
  assert_int_equal(http_server_requests(ask_server), 6);
}

static void a_broken_stream_is_tried_again_and_never_half_believed(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.body = "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n"}, /* ends without the final event */
      {.body = "data: {\"choices\":[{\"delta\":{\"conte\n\n"},                  /* half an event */
      {.body = "data: {\"error\":{\"message\":\"overloaded\",\"type\":\"server_error\"}}\n\n"},
      {.headers = JSON_HEAD, .body = "{\"choices\":"},
      {.headers = JSON_HEAD, .body = "{\"choices\":[]}"}};
  ask_serve(skill_model_openai_new, replies, COUNT(replies));
  ask_plainly(true);
  assert_int_equal(got.status, SKILL_EREMOTE);
  assert_string_equal(got.error, "the answer has no choices");
  assert_string_equal(got.deltas, "half|<restart>");
  assert_int_equal(http_server_requests(ask_server), 5);
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
    ask_serve(skill_model_openai_new, &cases[i].reply, 1);
    ask_plainly(true);
    assert_int_equal(http_server_requests(ask_server), 1);
    assert_int_equal(got.status, cases[i].status);
    assert_string_equal(got.error, cases[i].message);
    ask_tear_down(NULL);
    ask_set_up(NULL);
  }
}

static void a_date_in_the_past_means_now(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.status = 503, .headers = "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n", .body = ""},
      {.body = ask_good_chat}};
  ask_serve(skill_model_openai_new, replies, COUNT(replies));
  ask_plainly(true);
  assert_int_equal(got.status, 0);
  assert_int_equal(got.attempts, 2);
}

static void nobody_listening_is_told(void **state) {
  (void)state;
  ask_options.base_url = "http://127.0.0.1:1";
  ask_options.tries = 2;
  assert_int_equal(skill_model_openai_new(&ask_options, &ask_model, NULL), 0);
  ask_plainly(true);
  assert_int_equal(got.status, SKILL_EIO);
  assert_non_null(strstr(got.error, "127.0.0.1"));
}

static void silence_ends_with_a_time_out(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.body = "data: {\"choices\":[{\"delta\":{\"content\":\"wait\"}}]}\n\n", .hang = true}};
  ask_options.timeout_ms = 300;
  ask_options.tries = 1;
  ask_serve(skill_model_openai_new, replies, 1);
  ask_plainly(true);
  assert_int_equal(got.status, SKILL_ETIMEDOUT);
  assert_string_equal(got.text, "wait"); /* the part that had arrived */
}

static void a_request_can_be_canceled_at_once_and_in_the_middle(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.body = "data: {\"choices\":[{\"delta\":{\"content\":\"one\"}}]}\n\n", .hang = true},
      {.body = "data: {\"choices\":[{\"delta\":{\"content\":\"two\"}}]}\n\n", .hang = true}};
  ask_serve(skill_model_openai_new, replies, COUNT(replies));
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  skill_model_cancel(ask_start(&request));
  ask_finish();
  assert_int_equal(got.status, SKILL_ECANCELED);
  memset(&got, 0, sizeof got);
  request.messages = NULL;
  SkillModelCall *call = ask_start(&request);
  for (int i = 0; i < 10000 && !got.deltas[0]; i++) skill_loop_run_once(ask_loop, 1000);
  skill_model_cancel(call);
  skill_model_cancel(call);
  ask_finish();
  assert_int_equal(got.status, SKILL_ECANCELED);
}

static void a_request_can_be_canceled_while_it_waits_to_be_tried_again(void **state) {
  (void)state;
  const struct http_reply replies[] = {{.status = 503, .headers = JSON_HEAD, .body = "{}"}};
  ask_options.backoff_ms = 100000;
  ask_options.backoff_max_ms = 100000;
  ask_serve(skill_model_openai_new, replies, 1);
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  SkillModelCall *call = ask_start(&request);
  while (http_server_requests(ask_server) == 0) skill_loop_run_once(ask_loop, 10);
  for (int i = 0; i < 20; i++) skill_loop_run_once(ask_loop, 5);
  skill_model_cancel(call);
  ask_finish();
  assert_int_equal(got.status, SKILL_ECANCELED);
}

/* ---- the same failures in each protocol, streamed and complete
 * ----------------------------------------------------- */

struct good {
  ask_make make;
  bool stream;
  struct http_reply reply;
  const char *text;
  const char *half; /* an event that is cut off */
};

static const struct good goods[] = {
    {skill_model_openai_new,
     true,
     {.body = ask_chat_stream},
     "\xe4\xb8\xad\xe6\x96\x87 a",
     "data: {\"choices\":[{\"del"},
    {skill_model_openai_new,
     false,
     {.headers = JSON_HEAD, .body = "{\"choices\":[{\"message\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}"},
     "hi",
     NULL},
    {skill_model_responses_new,
     true,
     {.body = ask_responses_stream},
     "Hello",
     "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.del"},
    {skill_model_responses_new,
     false,
     {.headers = JSON_HEAD,
      .body = "{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"text\":\"hi\"}]}]}"},
     "hi",
     NULL},
    {skill_model_anthropic_new,
     true,
     {.body = ask_anthropic_stream},
     "I look",
     "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"in"},
    {skill_model_anthropic_new,
     false,
     {.headers = JSON_HEAD, .body = "{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}],\"stop_reason\":\"end_turn\"}"},
     "hi",
     NULL},
};

static struct http_reply broken(const struct good *good, bool drop, bool reset) {
  const char *whole = "{\"choices\":[{\"mess";
  return (struct http_reply){
      .headers = good->half ? NULL : JSON_HEAD, .body = good->half ? good->half : whole, .drop = drop, .reset = reset};
}

static void every_protocol_gets_over_every_trouble(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(goods); i++) {
    const struct http_reply replies[] = {
        {.status = 429, .headers = JSON_HEAD "Retry-After: 0\r\n", .body = "{\"error\":{\"message\":\"slow down\"}}"},
        {.status = 529, .headers = JSON_HEAD, .body = "{\"error\":{\"type\":\"overloaded_error\"}}"},
        {.status = 502, .headers = "Content-Type: text/html\r\n", .body = "<html>bad gateway</html>"},
        broken(&goods[i], false, false), /* the end is missing, and there is no error */
        broken(&goods[i], true, false),
        broken(&goods[i], false, true),
        {.headers = JSON_HEAD, .body = "{\"error\":{\"type\":\"server_error\",\"message\":\"oops\"}}"},
        goods[i].reply};
    ask_options.tries = COUNT(replies);
    ask_serve(goods[i].make, replies, COUNT(replies));
    ask_plainly(goods[i].stream);
    if (got.status) print_error("%zu: %s\n", i, got.error);
    assert_int_equal(got.status, 0);
    assert_string_equal(got.text, goods[i].text);
    assert_int_equal(got.attempts, COUNT(replies));
    ask_tear_down(NULL);
    ask_set_up(NULL);
  }
}

static void no_protocol_waits_longer_than_it_may(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(goods); i++) {
    const struct http_reply replies[] = {
        {.status = 429, .headers = JSON_HEAD "Retry-After: 9\r\n", .body = "{\"error\":{\"message\":\"quota\"}}"},
        goods[i].reply};
    ask_serve(goods[i].make, replies, COUNT(replies));
    ask_plainly(goods[i].stream);
    assert_int_equal(got.status, SKILL_EREMOTE);
    assert_string_equal(got.error, "HTTP 429: quota");
    ask_tear_down(NULL);
    ask_set_up(NULL);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ASK_TEST(trouble_that_passes_is_tried_again),
      ASK_TEST(a_broken_stream_is_tried_again_and_never_half_believed),
      ASK_TEST(what_will_not_pass_is_not_tried_again),
      ASK_TEST(every_protocol_gets_over_every_trouble),
      ASK_TEST(no_protocol_waits_longer_than_it_may),
      ASK_TEST(a_date_in_the_past_means_now),
      ASK_TEST(nobody_listening_is_told),
      ASK_TEST(silence_ends_with_a_time_out),
      ASK_TEST(a_request_can_be_canceled_at_once_and_in_the_middle),
      ASK_TEST(a_request_can_be_canceled_while_it_waits_to_be_tried_again),
  };
  return cmocka_run_group_tests_name("provider_retry", tests, NULL, NULL);
}
