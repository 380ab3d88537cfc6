/* SPDX-License-Identifier: MIT
 *
 * Deactivating, closing, freeing, callbacks that make new requests, and body states.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/stage.h"
#include "loader/loader_internal.h"

static void deactivating_disposes_and_calls_back(void **state) {
  struct stage *stage = *state;
  struct done done = {0};
  stage_cast(stage, "a");
  stage_activate(stage, "a");
  assert_int_equal(skill_loader_pin(stage->loader, "a", true), 0);
  assert_int_equal(skill_loader_deactivate(stage->loader, "a", done_cb, &done, NULL), 0);
  assert_int_equal(done.calls, 0);
  stage_settle(stage->loader);
  assert_int_equal(done.calls, 1);
  assert_int_equal(done.status, 0);
  assert_string_equal(stage->log, "+a -a");
  assert_int_equal(skill_loader_deactivate(stage->loader, "a", done_cb, &done, NULL), SKILL_ENOENT);
}

static void closing_cancels_disposes_everything_and_only_then_calls_back(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  struct done done = {0};
  stage_cast(stage, "a b waiting");
  ProgressiveSkillLoader *loader = stage_loader(stage);
  const char *names[] = {"a", "b"};
  assert_int_equal(skill_loader_activate_many(loader, names, 2, NULL, NULL, NULL, NULL), 0);
  stage_settle(loader);
  skill_loader_pin(loader, "b", true);
  stage_actor(stage, "b")->dispose = ACTOR_LATER;
  stage_actor(stage, "waiting")->init = ACTOR_LATER;
  assert_int_equal(skill_loader_activate(loader, "waiting", outcome_cb, &outcome, NULL, NULL), 0);
  stage_settle(loader);
  assert_int_equal(skill_loader_close(loader, done_cb, &done), 0);
  assert_int_equal(skill_loader_close(loader, NULL, NULL), SKILL_ECLOSED);
  assert_int_equal(skill_loader_activate(loader, "a", NULL, NULL, NULL, NULL), SKILL_ECLOSED);
  assert_int_equal(skill_loader_activate_query(loader, "a", NULL, NULL, NULL, NULL), SKILL_ECLOSED);
  assert_int_equal(skill_loader_free(loader), SKILL_EBUSY);
  stage_settle(loader);
  assert_int_equal(outcome.status, SKILL_ECANCELED);
  assert_int_equal(done.calls, 0);
  stage_finish_init(stage_actor(stage, "waiting"), 0, NULL);
  stage_settle(loader);
  assert_int_equal(done.calls, 0);
  stage_finish_dispose(stage_actor(stage, "b"), SKILL_EFAILED, "bad end");
  stage_settle(loader);
  assert_int_equal(done.calls, 1);
  assert_int_equal(done.status, SKILL_EFAILED);
  assert_string_equal(done.message, "bad end");
  assert_int_equal(stage_actor(stage, "waiting")->disposes, 1);
  assert_int_equal(stage_actor(stage, "a")->disposes, 1);
  assert_int_equal(skill_loader_free(loader), 0);
}

static void closing_waits_for_running_tool_calls(void **state) {
  struct stage *stage = *state;
  struct done done = {0};
  stage_cast(stage, "a");
  ProgressiveSkillLoader *loader = stage_loader(stage);
  assert_int_equal(skill_loader_activate(loader, "a", NULL, NULL, NULL, NULL), 0);
  stage_settle(loader);
  assert_int_equal(skill_loader_use(loader, "a"), 0);
  assert_int_equal(skill_loader_close(loader, done_cb, &done), 0);
  stage_settle(loader);
  assert_int_equal(done.calls, 0);
  assert_int_equal(stage_actor(stage, "a")->disposes, 0);
  assert_int_equal(skill_loader_unuse(loader, "a"), 0);
  stage_settle(loader);
  assert_int_equal(done.calls, 1);
  assert_int_equal(skill_loader_free(loader), 0);
}

static void closing_waits_for_the_last_of_nested_tool_calls(void **state) {
  struct stage *stage = *state;
  struct done done = {0};
  stage_cast(stage, "a");
  ProgressiveSkillLoader *loader = stage_loader(stage);
  assert_int_equal(skill_loader_activate(loader, "a", NULL, NULL, NULL, NULL), 0);
  stage_settle(loader);
  assert_int_equal(skill_loader_use(loader, "a"), 0);
  assert_int_equal(skill_loader_use(loader, "a"), 0);
  assert_int_equal(skill_loader_close(loader, done_cb, &done), 0);
  assert_int_equal(skill_loader_unuse(loader, "a"), 0);
  stage_settle(loader);
  assert_int_equal(stage_actor(stage, "a")->disposes, 0);
  assert_int_equal(skill_loader_unuse(loader, "a"), 0);
  stage_settle(loader);
  assert_int_equal(stage_actor(stage, "a")->disposes, 1);
  assert_int_equal(done.calls, 1);
  assert_int_equal(skill_loader_free(loader), 0);
}

static void closing_does_not_wait_for_ever(void **state) {
  struct stage *stage = *state;
  struct done done = {0};
  stage_cast(stage, "a b");
  ProgressiveSkillLoader *loader = stage_loader(stage);
  assert_int_equal(skill_loader_activate(loader, "a", NULL, NULL, NULL, NULL), 0);
  assert_int_equal(skill_loader_activate(loader, "b", NULL, NULL, NULL, NULL), 0);
  stage_settle(loader);
  assert_int_equal(skill_loader_use(loader, "a"), 0);
  assert_int_equal(skill_loader_close(loader, done_cb, &done), 0);
  stage_settle(loader);
  assert_int_equal(skill_loader_timeout_ms(loader), 30000);
  skill_fixture_advance(stage->fixture, 29999);
  stage_settle(loader);
  assert_int_equal(done.calls, 0);
  skill_fixture_advance(stage->fixture, 1);
  stage_settle(loader);
  assert_int_equal(done.calls, 1);
  assert_int_equal(done.status, SKILL_ETIMEDOUT);
  assert_string_equal(done.message, "a tool call of a was still running after 30000 ms");
  assert_int_equal(stage_actor(stage, "a")->disposes, 1);
  assert_int_equal(stage_actor(stage, "b")->disposes, 1);
  assert_int_equal(skill_loader_unuse(loader, "a"), SKILL_ENOENT); /* the call that ends late */
  assert_int_equal(skill_loader_free(loader), 0);
}

static void without_a_limit_closing_waits(void **state) {
  struct stage *stage = *state;
  struct done done = {0};
  stage_cast(stage, "a");
  stage->options.close_timeout_ms = 0;
  ProgressiveSkillLoader *loader = stage_loader(stage);
  assert_int_equal(skill_loader_activate(loader, "a", NULL, NULL, NULL, NULL), 0);
  stage_settle(loader);
  assert_int_equal(skill_loader_use(loader, "a"), 0);
  assert_int_equal(skill_loader_close(loader, done_cb, &done), 0);
  stage_settle(loader);
  assert_int_equal(skill_loader_timeout_ms(loader), -1);
  skill_fixture_advance(stage->fixture, 1000000);
  stage_settle(loader);
  assert_int_equal(done.calls, 0);
  assert_int_equal(skill_loader_unuse(loader, "a"), 0);
  stage_settle(loader);
  assert_int_equal(done.status, 0);
  assert_int_equal(skill_loader_free(loader), 0);
}

static void free_in_cb(ProgressiveSkillLoader *loader, int status, const char *message, void *user) {
  (void)status;
  (void)message;
  ++*(unsigned *)user;
  assert_int_equal(skill_loader_step(loader), SKILL_EBUSY);
  assert_int_equal(skill_loader_free(loader), 0);
}

static void a_loader_may_be_freed_in_its_close_callback(void **state) {
  struct stage *stage = *state;
  unsigned calls = 0;
  stage_cast(stage, "a");
  ProgressiveSkillLoader *loader = stage_loader(stage);
  assert_int_equal(skill_loader_activate(loader, "a", NULL, NULL, NULL, NULL), 0);
  assert_int_equal(skill_loader_close(loader, free_in_cb, &calls), 0);
  assert_int_equal(skill_loader_wait(loader, 1000), 0);
  assert_int_equal(calls, 1);
}

static void close_now(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  assert_int_equal(result->status, 0);
  assert_int_equal(skill_loader_close(loader, done_cb, user), 0);
  assert_int_equal(skill_loader_activate(loader, "a", NULL, NULL, NULL, NULL), SKILL_ECLOSED);
}

static void a_callback_may_close_its_loader(void **state) {
  struct stage *stage = *state;
  struct done done = {0};
  stage_cast(stage, "a");
  ProgressiveSkillLoader *loader = stage_loader(stage);
  assert_int_equal(skill_loader_activate(loader, "a", close_now, &done, NULL, NULL), 0);
  stage_settle(loader);
  assert_int_equal(done.calls, 1);
  assert_int_equal(stage_actor(stage, "a")->disposes, 1);
  assert_int_equal(skill_loader_free(loader), 0);
}

static void nothing_can_be_asked_of_a_closed_loader(void **state) {
  struct stage *stage = *state;
  SkillRanking *ranking = NULL;
  SkillQuery query = {.size = sizeof(SkillQuery), .text = "an actor"};
  stage_cast(stage, "a");
  ProgressiveSkillLoader *loader = stage_loader(stage);
  assert_int_equal(skill_loader_close(loader, NULL, NULL), 0);
  stage_settle(loader);
  assert_int_equal(skill_loader_activate(loader, "a", NULL, NULL, NULL, NULL), SKILL_ECLOSED);
  assert_int_equal(skill_loader_activate_many(loader, (const char *[]){"a"}, 1, NULL, NULL, NULL, NULL), SKILL_ECLOSED);
  assert_int_equal(skill_loader_activate_query(loader, "a", NULL, NULL, NULL, NULL), SKILL_ECLOSED);
  assert_int_equal(skill_loader_rank(loader, &query, &ranking, NULL), SKILL_ECLOSED);
  assert_int_equal(skill_loader_deactivate(loader, "a", NULL, NULL, NULL), SKILL_ECLOSED);
  assert_int_equal(skill_loader_cleanup_expired(loader, NULL, NULL, NULL), SKILL_ECLOSED);
  assert_int_equal(skill_loader_cancel(loader, 1), SKILL_ENOENT);
  assert_int_equal(skill_loader_step(loader), 0);
  assert_int_equal(skill_loader_wait(loader, -1), 0);
  assert_int_equal(skill_loader_free(loader), 0);
}

struct chain {
  struct stage *stage;
  unsigned calls;
  int wait_status;
};

static void ask_for_more(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  struct chain *chain = user;
  chain->calls++;
  assert_int_equal(result->status, 0);
  assert_int_equal(skill_loader_step(loader), SKILL_EBUSY);
  chain->wait_status = skill_loader_wait(loader, 0);
  if (chain->calls == 5) return;
  const char *name = chain->calls % 2 ? "b" : "a";
  assert_int_equal(skill_loader_activate(loader, name, ask_for_more, chain, NULL, NULL), 0);
}

static void a_callback_may_ask_for_more_but_not_step(void **state) {
  struct stage *stage = *state;
  struct chain chain = {stage, 0, 0};
  stage_cast(stage, "a b");
  assert_int_equal(skill_loader_activate(stage->loader, "a", ask_for_more, &chain, NULL, NULL), 0);
  assert_int_equal(skill_loader_step(stage->loader), 1);
  assert_int_equal(chain.calls, 1);
  assert_int_equal(chain.wait_status, SKILL_EBUSY);
  assert_int_equal(skill_loader_timeout_ms(stage->loader), 0);
  stage_settle(stage->loader);
  assert_int_equal(chain.calls, 5);
}

static void cancel_the_other(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  (void)result;
  assert_int_equal(skill_loader_cancel(loader, *(uint64_t *)user), 0);
}

static void a_callback_may_cancel_another_request(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  uint64_t request = 0;
  stage_cast(stage, "a b");
  stage_actor(stage, "b")->init = ACTOR_LATER;
  assert_int_equal(skill_loader_activate(stage->loader, "a", cancel_the_other, &request, NULL, NULL), 0);
  assert_int_equal(skill_loader_activate(stage->loader, "b", outcome_cb, &outcome, &request, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(outcome.calls, 1);
  assert_int_equal(outcome.status, SKILL_ECANCELED);
  stage_finish_init(stage_actor(stage, "b"), 0, NULL);
}

static void waiting_ends_when_nothing_is_pending_or_time_is_up(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  assert_int_equal(skill_loader_wait(stage->loader, 0), 0);
  stage_cast(stage, "a");
  stage_actor(stage, "a")->init = ACTOR_LATER;
  assert_int_equal(skill_loader_activate(stage->loader, "a", outcome_cb, &outcome, NULL, NULL), 0);
  assert_int_equal(skill_loader_wait(stage->loader, 1), SKILL_ETIMEDOUT);
  assert_int_equal(outcome.calls, 0);
  stage_finish_init(stage_actor(stage, "a"), 0, NULL);
  assert_int_equal(skill_loader_wait(stage->loader, -1), 0);
  assert_int_equal(outcome.calls, 1);
}

static void the_state_of_a_body_is_told_apart_from_the_activation(void **state) {
  struct stage *stage = *state;
  ProgressiveSkillLoader *other = stage_loader(stage);
  stage_cast(stage, "a");
  assert_int_equal(skill_loader_body_state(stage->loader, "a"), SKILL_BODY_ABSENT);
  assert_int_equal(skill_loader_set_body_state(stage->loader, "nobody", SKILL_BODY_IN_CONTEXT), SKILL_ENOENT);
  assert_int_equal(skill_loader_set_body_state(stage->loader, "a", SKILL_BODY_IN_CONTEXT), 0);
  stage_activate(stage, "a");
  assert_int_equal(skill_loader_deactivate(stage->loader, "a", NULL, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(skill_loader_body_state(stage->loader, "a"), SKILL_BODY_IN_CONTEXT);
  assert_int_equal(skill_loader_body_state(other, "a"), SKILL_BODY_ABSENT);
  assert_int_equal(skill_loader_set_body_state(stage->loader, "a", SKILL_BODY_COMPACTED), 0);
  assert_int_equal(skill_loader_body_state(stage->loader, "a"), SKILL_BODY_COMPACTED);
  assert_int_equal(skill_loader_set_body_state(stage->loader, "a", SKILL_BODY_ABSENT), 0);
  assert_int_equal(skill_loader_body_state(stage->loader, "a"), SKILL_BODY_ABSENT);
  stage_close(other);
}

static void ten_thousand_lives_leave_nothing_behind(void **state) {
  struct stage *stage = *state;
  stage->options.max_active = 1;
  stage_reload(stage);
  stage_cast(stage, "a b");
  for (unsigned i = 0; i < 10000; i++) {
    stage->log[0] = '\0';
    assert_int_equal(skill_loader_activate(stage->loader, i % 2 ? "a" : "b", NULL, NULL, NULL, NULL), 0);
    assert_int_equal(skill_loader_step(stage->loader), 1);
  }
  assert_int_equal(stage_actor(stage, "a")->inits, 5000);
  assert_int_equal(stage_actor(stage, "b")->disposes, 5000);
  assert_int_equal(HASH_COUNT(stage->loader->entries), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stage_set_up, stage_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(deactivating_disposes_and_calls_back),
      TEST(closing_cancels_disposes_everything_and_only_then_calls_back),
      TEST(closing_waits_for_running_tool_calls),
      TEST(closing_waits_for_the_last_of_nested_tool_calls),
      TEST(closing_does_not_wait_for_ever),
      TEST(without_a_limit_closing_waits),
      TEST(a_loader_may_be_freed_in_its_close_callback),
      TEST(a_callback_may_close_its_loader),
      TEST(nothing_can_be_asked_of_a_closed_loader),
      TEST(a_callback_may_ask_for_more_but_not_step),
      TEST(a_callback_may_cancel_another_request),
      TEST(waiting_ends_when_nothing_is_pending_or_time_is_up),
      TEST(the_state_of_a_body_is_told_apart_from_the_activation),
      TEST(ten_thousand_lives_leave_nothing_behind),
  };
  return cmocka_run_group_tests_name("loader_close", tests, NULL, NULL);
}
