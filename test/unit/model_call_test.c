/* SPDX-License-Identifier: MIT
 *
 * Model requests on the loop: order, threads, cancellation, and hosts that poll.
 */
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <uv.h>

#include "lib/check.h"
#include "skillet/model.h"
#include "util/buf.h"

struct heard {
  struct skill__buf text;
  int replies;
  int status;
  SkillModelCall *cancel_on_delta;
};

static void on_delta(const SkillDelta *delta, void *user) {
  struct heard *heard = user;
  skill__buf_add(&heard->text, delta->text, delta->length);
  if (heard->cancel_on_delta) skill_model_cancel(heard->cancel_on_delta);
}

static void on_reply(int status, const SkillReply *reply, const SkillError *error, void *user) {
  struct heard *heard = user;
  heard->replies++;
  heard->status = status;
  skill__buf_text(&heard->text, "|");
  skill__buf_text(&heard->text, status ? error->message : reply->message.text);
}

static void tell(SkillModelCall *call, const char *text) {
  SkillDelta delta = {.kind = SKILL_DELTA_TEXT, .text = text, .length = strlen(text)};
  skill_model_call_delta(call, &delta);
}

static void finish(SkillModelCall *call, const char *text) {
  SkillReply reply = {.message = {.role = SKILL_ROLE_ASSISTANT, .text = text, .text_length = strlen(text)}};
  skill_model_call_finish(call, 0, NULL, &reply);
}

static int at_once(SkillModel *model, const SkillModelRequest *request, SkillModelCall *call, SkillError *err) {
  (void)model;
  (void)request;
  (void)err;
  tell(call, "a");
  tell(call, "b");
  finish(call, "ab");
  return 0;
}

static int refuse(SkillModel *model, const SkillModelRequest *request, SkillModelCall *call, SkillError *err) {
  (void)model;
  (void)request;
  (void)call;
  return skill_error_set(err, SKILL_EDENIED, "no key");
}

static uv_thread_t thread;

static void work(void *arg) {
  for (int i = 0; i < 200; i++) tell(arg, "x");
  finish(arg, "end");
}

static int elsewhere(SkillModel *model, const SkillModelRequest *request, SkillModelCall *call, SkillError *err) {
  (void)model;
  (void)request;
  (void)err;
  return uv_thread_create(&thread, work, call) ? SKILL_EIO : 0;
}

static int first_only(SkillModel *model, const SkillModelRequest *request, SkillModelCall *call, SkillError *err) {
  (void)model;
  (void)request;
  (void)err;
  tell(call, "a");
  return 0;
}

static void stop(SkillModel *model, SkillModelCall *call) {
  (void)model;
  tell(call, "too late");
  skill_model_call_finish(call, SKILL_EREMOTE, "connection closed", NULL);
}

static SkillModel make(int (*request)(SkillModel *, const SkillModelRequest *, SkillModelCall *, SkillError *)) {
  SkillModel model = {.version = SKILL_MODEL_VERSION, .name = "test", .request = request, .cancel = stop};
  return model;
}

static int start(SkillModel *model, SkillLoop *loop, struct heard *heard, SkillModelCall **call, SkillError *err) {
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  skill__buf_init(&heard->text, 4096);
  return skill_model_start(model, loop, &request, on_delta, on_reply, heard, call, err);
}

static void nothing_is_called_back_before_a_step(void **state) {
  (void)state;
  SkillLoop *loop = NULL;
  struct heard heard = {0};
  SkillModel model = make(at_once);
  assert_int_equal(skill_loop_new(NULL, &loop, NULL), 0);
  assert_int_equal(start(&model, loop, &heard, NULL, NULL), 0);
  assert_int_equal(heard.replies, 0);
  assert_int_equal(heard.text.length, 0);
  while (!heard.replies) skill_loop_run_once(loop, 1000);
  assert_string_equal(heard.text.data, "ab|ab");
  assert_int_equal(heard.replies, 1);
  skill__buf_fini(&heard.text);
  skill_loop_free(loop);
}

static void a_refused_request_calls_nothing_back(void **state) {
  (void)state;
  SkillLoop *loop = NULL;
  struct heard heard = {0};
  SkillError err = SKILL_ERROR_INIT;
  SkillModel model = make(refuse);
  assert_int_equal(skill_loop_new(NULL, &loop, NULL), 0);
  assert_int_equal(start(&model, loop, &heard, NULL, &err), SKILL_EDENIED);
  assert_string_equal(err.message, "no key");
  assert_int_equal(skill_loop_step(loop), 0);
  assert_int_equal(heard.replies, 0);
  skill__buf_fini(&heard.text);
  skill_loop_free(loop);
}

static void pieces_from_another_thread_arrive_in_order_on_this_one(void **state) {
  (void)state;
  SkillLoop *loop = NULL;
  struct heard heard = {0};
  SkillModel model = make(elsewhere);
  assert_int_equal(skill_loop_new(NULL, &loop, NULL), 0);
  assert_int_equal(start(&model, loop, &heard, NULL, NULL), 0);
  while (!heard.replies) skill_loop_run_once(loop, 1000);
  assert_int_equal(heard.text.length, 204);
  assert_string_equal(heard.text.data + 200, "|end");
  uv_thread_join(&thread);
  skill__buf_fini(&heard.text);
  skill_loop_free(loop);
}

static void after_a_cancel_only_the_end_comes(void **state) {
  (void)state;
  SkillLoop *loop = NULL;
  struct heard heard = {0};
  SkillModel model = make(first_only);
  assert_int_equal(skill_loop_new(NULL, &loop, NULL), 0);
  assert_int_equal(start(&model, loop, &heard, &heard.cancel_on_delta, NULL), 0);
  while (!heard.replies) skill_loop_run_once(loop, 1000);
  assert_int_equal(heard.status, SKILL_ECANCELED);
  assert_string_equal(heard.text.data, "a|connection closed");
  skill__buf_fini(&heard.text);
  skill_loop_free(loop);
}

static void a_host_that_polls_hears_it_too(void **state) {
  (void)state;
  SkillLoop *loop = NULL;
  struct heard heard = {0};
  SkillModel model = make(elsewhere);
  assert_int_equal(skill_loop_new(NULL, &loop, NULL), 0);
  assert_int_equal(skill_loop_timeout_ms(loop), 0);
  assert_int_equal(skill_loop_step(loop), 0);
  assert_int_equal(skill_loop_timeout_ms(loop), -1);
  assert_int_equal(start(&model, loop, &heard, NULL, NULL), 0);
  while (!heard.replies) {
    struct pollfd fd = {.fd = skill_loop_fd(loop), .events = POLLIN};
    assert_int_not_equal(poll(&fd, 1, skill_loop_timeout_ms(loop)), -1);
    assert_int_equal(skill_loop_step(loop), 0);
  }
  assert_int_equal(skill_loop_timeout_ms(loop), -1);
  uv_thread_join(&thread);
  skill__buf_fini(&heard.text);
  skill_loop_free(loop);
}

static void a_host_with_libuv_runs_its_own_loop(void **state) {
  (void)state;
  uv_loop_t uv;
  SkillLoop *loop = NULL;
  struct heard heard = {0};
  SkillModel model = make(elsewhere);
  assert_int_equal(uv_loop_init(&uv), 0);
  assert_int_equal(skill_loop_new(&uv, &loop, NULL), 0);
  assert_int_equal(uv_run(&uv, UV_RUN_DEFAULT), 0); /* idle: returns at once */
  assert_int_equal(start(&model, loop, &heard, NULL, NULL), 0);
  uv_run(&uv, UV_RUN_DEFAULT); /* returns after the answer was delivered */
  assert_int_equal(heard.replies, 1);
  uv_thread_join(&thread);
  skill_loop_free(loop);
  uv_run(&uv, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&uv), 0);
  skill__buf_fini(&heard.text);
}

static int order[3];
static int posts;
static void note(void *arg) {
  order[posts++] = *(int *)arg;
}

static SkillLoop *busy_loop;
static void step_again(void *arg) {
  *(int *)arg = skill_loop_step(busy_loop);
}

static void posts_run_in_order_and_waits_end(void **state) {
  (void)state;
  SkillLoop *loop = NULL;
  int numbers[] = {1, 2, 3};
  assert_int_equal(skill_loop_new(NULL, &loop, NULL), 0);
  assert_int_equal(skill_loop_run_once(loop, 1), SKILL_ETIMEDOUT);
  for (int i = 0; i < 3; i++) assert_int_equal(skill_loop_post(loop, note, &numbers[i]), 0);
  while (posts < 3) skill_loop_run_once(loop, 1000);
  assert_memory_equal(order, numbers, sizeof numbers);
  int status = 0;
  busy_loop = loop;
  assert_int_equal(skill_loop_post(loop, step_again, &status), 0);
  assert_int_equal(skill_loop_run_once(loop, 1000), 0);
  assert_int_equal(status, SKILL_EBUSY);
  assert_int_equal(skill_loop_post(loop, note, &numbers[0]), 0); /* freed with the loop, never run */
  skill_loop_free(loop);
  assert_int_equal(posts, 3);
}

static void usage_adds_up_without_overflow(void **state) {
  (void)state;
  SkillUsage sum = {.input_tokens = 5, .output_tokens = SIZE_MAX - 1};
  SkillUsage more = {.input_tokens = 7, .output_tokens = 4, .cached_tokens = 2, .estimated = true};
  skill_usage_add(&sum, &more);
  assert_int_equal(sum.input_tokens, 12);
  assert_true(sum.output_tokens == SIZE_MAX);
  assert_int_equal(sum.cached_tokens, 2);
  assert_true(sum.estimated);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_called_back_before_a_step),
      cmocka_unit_test(a_refused_request_calls_nothing_back),
      cmocka_unit_test(pieces_from_another_thread_arrive_in_order_on_this_one),
      cmocka_unit_test(after_a_cancel_only_the_end_comes),
      cmocka_unit_test(a_host_that_polls_hears_it_too),
      cmocka_unit_test(a_host_with_libuv_runs_its_own_loop),
      cmocka_unit_test(posts_run_in_order_and_waits_end),
      cmocka_unit_test(usage_adds_up_without_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
