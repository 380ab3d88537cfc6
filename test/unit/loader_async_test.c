/* SPDX-License-Identifier: MIT
 *
 * Slow inits and disposes: shared, awaited one at a time, timed out, shared between loaders.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/stage.h"

static void activate(struct stage *stage, const char *name, struct outcome *outcome, uint64_t *request) {
  assert_int_equal(skill_loader_activate(stage->loader, name, outcome_cb, outcome, request, NULL), 0);
}

static bool readable(int fd) {
  struct pollfd poller = {fd, POLLIN, 0};
  return poll(&poller, 1, 0) == 1;
}

static void two_activations_share_the_init_that_is_running(void **state) {
  struct stage *stage = *state;
  struct outcome first = {0};
  struct outcome second = {0};
  stage_cast(stage, "a");
  stage_actor(stage, "a")->init = ACTOR_LATER;
  activate(stage, "a", &first, NULL);
  stage_settle(stage->loader);
  activate(stage, "a", &second, NULL);
  stage_settle(stage->loader);
  assert_int_equal(first.calls + second.calls, 0);
  assert_int_equal(skill_loader_state(stage->loader, "a"), SKILL_STATE_INITIALISING);
  stage_finish_init(stage_actor(stage, "a"), 0, NULL);
  stage_settle(stage->loader);
  assert_int_equal(first.calls, 1);
  assert_int_equal(second.calls, 1);
  assert_int_equal(first.status | second.status, 0);
  assert_int_equal(stage_actor(stage, "a")->inits, 1);
}

static void both_who_share_an_init_get_its_failure(void **state) {
  struct stage *stage = *state;
  struct outcome first = {0};
  struct outcome second = {0};
  stage_cast(stage, "a");
  stage_actor(stage, "a")->init = ACTOR_LATER;
  activate(stage, "a", &first, NULL);
  activate(stage, "a", &second, NULL);
  stage_settle(stage->loader);
  stage_finish_init(stage_actor(stage, "a"), SKILL_EFAILED, "no");
  stage_settle(stage->loader);
  assert_int_equal(first.status, SKILL_EFAILED);
  assert_int_equal(second.status, SKILL_EFAILED);
  assert_int_equal(stage_actor(stage, "a")->inits, 1);
}

static void the_descriptor_is_readable_exactly_when_a_step_has_something_to_do(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  stage_cast(stage, "a");
  stage_actor(stage, "a")->init = ACTOR_LATER;
  assert_false(readable(skill_loader_fd(stage->loader)));
  activate(stage, "a", &outcome, NULL);
  assert_true(readable(skill_loader_fd(stage->loader)));
  stage_settle(stage->loader);
  assert_false(readable(skill_loader_fd(stage->loader)));
  stage_finish_init(stage_actor(stage, "a"), 0, NULL);
  assert_true(readable(skill_loader_fd(stage->loader)));
  stage_settle(stage->loader);
  assert_false(readable(skill_loader_fd(stage->loader)));
  assert_int_equal(outcome.calls, 1);
}

static void an_init_that_outlasts_its_limit_leaves_nothing_and_is_tried_again(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  stage_cast(stage, "a");
  struct actor *a = stage_actor(stage, "a");
  a->init = ACTOR_LATER;
  activate(stage, "a", &outcome, NULL);
  stage_settle(stage->loader);
  assert_int_equal(skill_loader_timeout_ms(stage->loader), 30000);
  skill_fixture_advance(stage->fixture, 29999);
  assert_int_equal(skill_loader_timeout_ms(stage->loader), 1);
  stage_settle(stage->loader);
  assert_int_equal(outcome.calls, 0);
  skill_fixture_advance(stage->fixture, 1);
  stage_settle(stage->loader);
  assert_int_equal(outcome.status, SKILL_ETIMEDOUT);
  assert_int_equal(skill_loader_state(stage->loader, "a"), SKILL_STATE_LISTED);
  SkillCompletion *late = a->starting;
  a->init = ACTOR_AT_ONCE;
  assert_int_equal(stage_activate(stage, "a").status, 0);
  assert_int_equal(a->inits, 2);
  skill_completion_finish(late, 0, NULL);
  stage_settle(stage->loader);
  assert_int_equal(skill_loader_state(stage->loader, "a"), SKILL_STATE_ACTIVE);
  assert_int_equal(a->disposes, 0);
}

static void an_init_that_ends_well_too_late_is_disposed(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  stage_cast(stage, "a");
  struct actor *a = stage_actor(stage, "a");
  a->init = ACTOR_LATER;
  activate(stage, "a", &outcome, NULL);
  stage_settle(stage->loader);
  skill_fixture_advance(stage->fixture, 30000);
  stage_settle(stage->loader);
  assert_int_equal(outcome.status, SKILL_ETIMEDOUT);
  stage_finish_init(a, 0, NULL);
  stage_settle(stage->loader);
  assert_int_equal(a->disposes, 1);
}

static int next_fd(void) {
  int fd = dup(0);
  close(fd);
  return fd;
}

static void fifty_retries_of_an_init_that_never_ends_leave_nothing_open(void **state) {
  struct stage *stage = *state;
  SkillCompletion *pending[50];
  stage_cast(stage, "a");
  stage_actor(stage, "a")->init = ACTOR_LATER;
  int fd = next_fd();
  for (unsigned i = 0; i < 50; i++) {
    struct outcome outcome = {0};
    activate(stage, "a", &outcome, NULL);
    stage_settle(stage->loader);
    pending[i] = stage_actor(stage, "a")->starting;
    skill_fixture_advance(stage->fixture, skill_loader_timeout_ms(stage->loader));
    stage_settle(stage->loader);
    assert_int_equal(outcome.status, SKILL_ETIMEDOUT);
  }
  assert_int_equal(stage_actor(stage, "a")->inits, 50);
  assert_int_equal(next_fd(), fd);
  for (unsigned i = 0; i < 50; i++) skill_completion_finish(pending[i], SKILL_ECANCELED, "killed");
  stage_settle(stage->loader);
  assert_int_equal(stage_actor(stage, "a")->disposes, 0);
}

static void others_are_usable_while_one_init_hangs(void **state) {
  struct stage *stage = *state;
  struct outcome hanging = {0};
  struct outcome good = {0};
  stage_cast(stage, "hanging good");
  stage_actor(stage, "hanging")->init = ACTOR_LATER;
  activate(stage, "hanging", &hanging, NULL);
  activate(stage, "good", &good, NULL);
  stage_settle(stage->loader);
  assert_int_equal(good.calls, 1);
  assert_int_equal(good.status, 0);
  assert_int_equal(hanging.calls, 0);
  stage_finish_init(stage_actor(stage, "hanging"), 0, NULL);
  stage_settle(stage->loader);
  assert_int_equal(hanging.status, 0);
}

static void inits_of_a_batch_run_side_by_side_and_order_stays_the_batchs(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  const char *names[] = {"a", "b", "c"};
  stage_cast(stage, "a b c");
  for (size_t i = 0; i < 3; i++) stage_actor(stage, names[i])->init = ACTOR_LATER;
  assert_int_equal(skill_loader_activate_many(stage->loader, names, 3, outcome_cb, &outcome, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_string_equal(stage->log, "+a +b +c");
  for (size_t i = 3; i-- > 0;) {
    stage_finish_init(stage_actor(stage, names[i]), 0, NULL);
    stage_settle(stage->loader);
  }
  assert_int_equal(outcome.calls, 1);
  assert_string_equal(stage_active(stage->loader), "c b a");
}

static void disposes_run_one_at_a_time_and_room_waits_for_them(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  const char *names[] = {"c", "d"};
  stage->options.max_active = 2;
  stage_reload(stage);
  stage_cast(stage, "a b c d");
  stage_activate(stage, "a b");
  stage_actor(stage, "a")->dispose = ACTOR_LATER;
  stage_actor(stage, "b")->dispose = ACTOR_LATER;
  stage->log[0] = '\0';
  assert_int_equal(skill_loader_activate_many(stage->loader, names, 2, outcome_cb, &outcome, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_string_equal(stage->log, "-a");
  assert_int_equal(skill_loader_state(stage->loader, "a"), SKILL_STATE_DISPOSING);
  stage_finish_dispose(stage_actor(stage, "a"), 0, NULL);
  stage_settle(stage->loader);
  assert_string_equal(stage->log, "-a +c -b");
  stage_finish_dispose(stage_actor(stage, "b"), 0, NULL);
  stage_settle(stage->loader);
  assert_string_equal(stage->log, "-a +c -b +d");
  assert_int_equal(outcome.calls, 1);
  assert_string_equal(outcome.evicted, "a b");
}

static void a_dispose_that_hangs_gives_its_slot_away_after_its_limit(void **state) {
  struct stage *stage = *state;
  struct done done = {0};
  stage_cast(stage, "a");
  stage_actor(stage, "a")->dispose = ACTOR_LATER;
  stage_activate(stage, "a");
  assert_int_equal(skill_loader_deactivate(stage->loader, "a", done_cb, &done, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(skill_loader_timeout_ms(stage->loader), 30000);
  assert_int_equal(done.calls, 0);
  skill_fixture_advance(stage->fixture, 30000);
  stage_settle(stage->loader);
  assert_int_equal(done.status, SKILL_ETIMEDOUT);
  assert_int_equal(skill_loader_state(stage->loader, "a"), SKILL_STATE_LISTED);
  stage_finish_dispose(stage_actor(stage, "a"), 0, NULL);
  stage_settle(stage->loader);
}

static void activating_what_is_being_disposed_waits_and_starts_anew(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  stage_cast(stage, "a");
  stage_actor(stage, "a")->dispose = ACTOR_LATER;
  stage_activate(stage, "a");
  assert_int_equal(skill_loader_deactivate(stage->loader, "a", NULL, NULL, NULL), 0);
  stage_settle(stage->loader);
  activate(stage, "a", &outcome, NULL);
  stage_settle(stage->loader);
  assert_int_equal(outcome.calls, 0);
  stage_actor(stage, "a")->dispose = ACTOR_AT_ONCE;
  stage_finish_dispose(stage_actor(stage, "a"), 0, NULL);
  stage_settle(stage->loader);
  assert_int_equal(outcome.status, 0);
  assert_string_equal(stage->log, "+a -a +a");
}

static void back_off_refuses_for_a_while_and_doubles(void **state) {
  struct stage *stage = *state;
  stage->options.backoff_ms = 100;
  stage_reload(stage);
  stage_cast(stage, "a");
  struct actor *a = stage_actor(stage, "a");
  a->init_status = SKILL_EREMOTE;
  assert_int_equal(stage_activate(stage, "a").status, SKILL_EREMOTE);
  struct outcome outcome = stage_activate(stage, "a");
  assert_int_equal(outcome.status, SKILL_EFAILED);
  assert_non_null(strstr(outcome.reasons[0], "not tried again for 100 ms"));
  assert_int_equal(a->inits, 1);
  skill_fixture_advance(stage->fixture, 100);
  assert_int_equal(stage_activate(stage, "a").status, SKILL_EREMOTE);
  assert_non_null(strstr(stage_activate(stage, "a").reasons[0], "200 ms"));
  skill_fixture_advance(stage->fixture, 200);
  a->init_status = 0;
  assert_int_equal(stage_activate(stage, "a").status, 0);
}

static void back_off_starts_anew_after_a_success(void **state) {
  struct stage *stage = *state;
  stage->options.backoff_ms = 100;
  stage_reload(stage);
  stage_cast(stage, "a");
  struct actor *a = stage_actor(stage, "a");
  a->init_status = SKILL_EREMOTE;
  assert_int_equal(stage_activate(stage, "a").status, SKILL_EREMOTE);
  skill_fixture_advance(stage->fixture, 100);
  a->init_status = 0;
  assert_int_equal(stage_activate(stage, "a").status, 0);
  assert_int_equal(skill_loader_deactivate(stage->loader, "a", NULL, NULL, NULL), 0);
  stage_settle(stage->loader);
  a->init_status = SKILL_EREMOTE;
  assert_int_equal(stage_activate(stage, "a").status, SKILL_EREMOTE);
  assert_non_null(strstr(stage_activate(stage, "a").reasons[0], "failed 1 times; it is not tried again for 100 ms"));
}

static void a_skill_of_two_loaders_is_initialised_by_the_first_and_disposed_after_the_last(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  stage_cast(stage, "a");
  ProgressiveSkillLoader *other = stage_loader(stage);
  stage_activate(stage, "a");
  assert_int_equal(skill_loader_activate(other, "a", outcome_cb, &outcome, NULL, NULL), 0);
  stage_settle(other);
  assert_int_equal(outcome.status, 0);
  assert_false(outcome.hits[0]);
  assert_int_equal(stage_actor(stage, "a")->inits, 1);
  assert_int_equal(skill_loader_deactivate(stage->loader, "a", NULL, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(stage_actor(stage, "a")->disposes, 0);
  assert_int_equal(skill_loader_state(other, "a"), SKILL_STATE_ACTIVE);
  stage_close(other);
  assert_int_equal(stage_actor(stage, "a")->disposes, 1);
}

static void a_step_of_one_loader_wakes_the_other_whose_init_has_ended(void **state) {
  struct stage *stage = *state;
  struct outcome mine = {0};
  struct outcome theirs = {0};
  stage_cast(stage, "a");
  stage_actor(stage, "a")->init = ACTOR_LATER;
  ProgressiveSkillLoader *other = stage_loader(stage);
  activate(stage, "a", &mine, NULL);
  assert_int_equal(skill_loader_activate(other, "a", outcome_cb, &theirs, NULL, NULL), 0);
  stage_settle(stage->loader);
  stage_settle(other);
  stage_finish_init(stage_actor(stage, "a"), 0, NULL);
  stage_settle(stage->loader);
  assert_int_equal(mine.calls, 1);
  assert_int_equal(theirs.calls, 0);
  assert_true(readable(skill_loader_fd(other)));
  assert_int_equal(skill_loader_timeout_ms(other), 0);
  stage_settle(other);
  assert_int_equal(theirs.calls, 1);
  assert_int_equal(stage_actor(stage, "a")->inits, 1);
  stage_close(other);
}

static void finishing_twice_is_ignored(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  stage_cast(stage, "a");
  stage_actor(stage, "a")->init = ACTOR_LATER;
  activate(stage, "a", &outcome, NULL);
  stage_settle(stage->loader);
  SkillCompletion *completion = stage_actor(stage, "a")->starting;
  skill_completion_finish(completion, 0, NULL);
  skill_completion_finish(completion, SKILL_EFAILED, "again");
  stage_settle(stage->loader);
  skill_completion_finish(completion, SKILL_EFAILED, "and again");
  stage_settle(stage->loader);
  assert_int_equal(outcome.status, 0);
  assert_int_equal(skill_loader_state(stage->loader, "a"), SKILL_STATE_ACTIVE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stage_set_up, stage_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(two_activations_share_the_init_that_is_running),
      TEST(both_who_share_an_init_get_its_failure),
      TEST(the_descriptor_is_readable_exactly_when_a_step_has_something_to_do),
      TEST(an_init_that_outlasts_its_limit_leaves_nothing_and_is_tried_again),
      TEST(an_init_that_ends_well_too_late_is_disposed),
      TEST(fifty_retries_of_an_init_that_never_ends_leave_nothing_open),
      TEST(others_are_usable_while_one_init_hangs),
      TEST(inits_of_a_batch_run_side_by_side_and_order_stays_the_batchs),
      TEST(disposes_run_one_at_a_time_and_room_waits_for_them),
      TEST(a_dispose_that_hangs_gives_its_slot_away_after_its_limit),
      TEST(activating_what_is_being_disposed_waits_and_starts_anew),
      TEST(back_off_refuses_for_a_while_and_doubles),
      TEST(back_off_starts_anew_after_a_success),
      TEST(a_skill_of_two_loaders_is_initialised_by_the_first_and_disposed_after_the_last),
      TEST(a_step_of_one_loader_wakes_the_other_whose_init_has_ended),
      TEST(finishing_twice_is_ignored),
  };
  return cmocka_run_group_tests_name("loader_async", tests, NULL, NULL);
}
