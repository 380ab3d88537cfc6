/* SPDX-License-Identifier: MIT
 *
 * Cancellation: which callbacks run with which results, and what happens to an init that no request waits for.
 */
#include "lib/stage.h"

static void activate(struct stage *stage, const char *name, struct outcome *outcome, uint64_t *request) {
  assert_int_equal(skill_loader_activate(stage->loader, name, outcome_cb, outcome, request, NULL), 0);
}

static void a_canceled_request_calls_back_once_with_what_was_not_active_yet(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  uint64_t request = 0;
  const char *names[] = {"quick", "slow"};
  stage_cast(stage, "quick slow");
  stage_actor(stage, "slow")->init = ACTOR_LATER;
  assert_int_equal(skill_loader_activate_many(stage->loader, names, 2, outcome_cb, &outcome, &request, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(skill_loader_cancel(stage->loader, request), 0);
  assert_int_equal(outcome.calls, 0);
  stage_settle(stage->loader);
  assert_int_equal(outcome.calls, 1);
  assert_int_equal(outcome.statuses[0], 0);
  assert_int_equal(outcome.statuses[1], SKILL_ECANCELED);
  assert_int_equal(skill_loader_cancel(stage->loader, request), SKILL_ENOENT);
  stage_finish_init(stage_actor(stage, "slow"), 0, NULL);
  stage_settle(stage->loader);
  assert_int_equal(outcome.calls, 1);
  assert_int_equal(stage_actor(stage, "slow")->disposes, 1);
  assert_string_equal(stage_active(stage->loader), "quick");
}

static void canceling_one_of_two_leaves_the_init_to_the_other(void **state) {
  struct stage *stage = *state;
  struct outcome first = {0};
  struct outcome second = {0};
  uint64_t request = 0;
  stage_cast(stage, "a");
  stage_actor(stage, "a")->init = ACTOR_LATER;
  activate(stage, "a", &first, &request);
  activate(stage, "a", &second, NULL);
  stage_settle(stage->loader);
  assert_int_equal(skill_loader_cancel(stage->loader, request), 0);
  stage_finish_init(stage_actor(stage, "a"), 0, NULL);
  stage_settle(stage->loader);
  assert_int_equal(first.status, SKILL_ECANCELED);
  assert_int_equal(second.status, 0);
  assert_int_equal(stage_actor(stage, "a")->disposes, 0);
}

static void who_comes_back_for_a_canceled_init_gets_it(void **state) {
  struct stage *stage = *state;
  struct outcome first = {0};
  struct outcome second = {0};
  uint64_t request = 0;
  stage_cast(stage, "a");
  stage_actor(stage, "a")->init = ACTOR_LATER;
  activate(stage, "a", &first, &request);
  stage_settle(stage->loader);
  assert_int_equal(skill_loader_cancel(stage->loader, request), 0);
  stage_settle(stage->loader);
  activate(stage, "a", &second, NULL);
  stage_finish_init(stage_actor(stage, "a"), 0, NULL);
  stage_settle(stage->loader);
  assert_int_equal(second.status, 0);
  assert_int_equal(stage_actor(stage, "a")->inits, 1);
}

static void a_query_can_be_canceled_before_it_is_ranked(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  uint64_t request = 0;
  stage_cast(stage, "a");
  assert_int_equal(skill_loader_activate_query(stage->loader, "an actor", outcome_cb, &outcome, &request, NULL), 0);
  assert_int_equal(skill_loader_cancel(stage->loader, request), 0);
  stage_settle(stage->loader);
  assert_int_equal(outcome.calls, 1);
  assert_int_equal(outcome.status, SKILL_ECANCELED);
  assert_int_equal(stage_actor(stage, "a")->inits, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stage_set_up, stage_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_canceled_request_calls_back_once_with_what_was_not_active_yet),
      TEST(canceling_one_of_two_leaves_the_init_to_the_other),
      TEST(who_comes_back_for_a_canceled_init_gets_it),
      TEST(a_query_can_be_canceled_before_it_is_ranked),
  };
  return cmocka_run_group_tests_name("loader_cancel", tests, NULL, NULL);
}
