/* SPDX-License-Identifier: MIT
 *
 * Which skills are evicted: the cap, recency, pins, tool calls, batches, token budgets, expiry.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/stage.h"

static void the_least_recently_used_is_evicted_and_its_dispose_awaited(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "a b c d");
  stage_activate(stage, "a b c");
  stage->log[0] = '\0';
  struct outcome outcome = stage_activate(stage, "d");
  assert_string_equal(outcome.evicted, "a");
  assert_string_equal(stage->log, "-a +d");
  assert_string_equal(stage_active(stage->loader), "d c b");
}

static void a_touched_skill_is_not_the_next_to_go(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "a b c d");
  stage_activate(stage, "a b c");
  assert_int_equal(skill_loader_touch(stage->loader, "a", NULL, 0, NULL), 1);
  assert_string_equal(stage_activate(stage, "d").evicted, "b");
}

static void the_cap_is_three_unless_told_otherwise(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "a b c d e");
  stage_activate(stage, "a");
  stage_activate(stage, "b");
  stage_activate(stage, "c");
  stage_activate(stage, "d");
  assert_int_equal(skill_loader_active_count(stage->loader), 3);
  stage->options.max_active = 5;
  stage_reload(stage);
  stage_activate(stage, "a b c d e");
  assert_int_equal(skill_loader_active_count(stage->loader), 5);
}

static void a_pinned_skill_is_never_evicted(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "p a b c d");
  stage_activate(stage, "p");
  assert_int_equal(skill_loader_pin(stage->loader, "p", true), 0);
  assert_string_equal(stage_activate(stage, "a").evicted, "");
  assert_string_equal(stage_activate(stage, "b").evicted, "");
  assert_string_equal(stage_activate(stage, "c").evicted, "a");
  assert_string_equal(stage_activate(stage, "d").evicted, "b");
  assert_int_equal(skill_loader_state(stage->loader, "p"), SKILL_STATE_ACTIVE);
  assert_int_equal(skill_loader_pin(stage->loader, "p", false), 0);
  assert_string_equal(stage_activate(stage, "a").evicted, "p");
  assert_int_equal(skill_loader_pin(stage->loader, "p", true), SKILL_ENOENT);
}

static void an_evicted_skill_comes_back_whole(void **state) {
  struct stage *stage = *state;
  stage->options.max_active = 1;
  stage_reload(stage);
  stage_cast(stage, "a b");
  stage_activate(stage, "a");
  assert_string_equal(stage_activate(stage, "b").evicted, "a");
  struct outcome outcome = stage_activate(stage, "a");
  assert_int_equal(outcome.status, 0);
  assert_false(outcome.hits[0]);
  assert_int_equal(outcome.tools[0], 1);
  assert_int_equal(stage_actor(stage, "a")->inits, 2);
  assert_int_equal(stage_actor(stage, "a")->disposes, 1);
}

static void a_skill_in_use_by_a_tool_call_is_not_evicted(void **state) {
  struct stage *stage = *state;
  stage->options.max_active = 1;
  stage_reload(stage);
  stage_cast(stage, "a b");
  stage_activate(stage, "a");
  assert_int_equal(skill_loader_use(stage->loader, "a"), 0);
  assert_int_equal(skill_loader_use(stage->loader, "a"), 0);
  assert_int_equal(skill_loader_unuse(stage->loader, "a"), 0);
  struct outcome outcome = stage_activate(stage, "b");
  assert_int_equal(outcome.status, SKILL_EFULL);
  assert_non_null(strstr(outcome.reasons[0], "1 in use"));
  assert_int_equal(skill_loader_deactivate(stage->loader, "a", NULL, NULL, NULL), SKILL_EBUSY);
  assert_int_equal(skill_loader_unuse(stage->loader, "a"), 0);
  assert_int_equal(skill_loader_timeout_ms(stage->loader), -1); /* no request waits for its room */
  assert_int_equal(skill_loader_unuse(stage->loader, "a"), SKILL_ENOENT);
  assert_string_equal(stage_activate(stage, "b").evicted, "a");
}

static void a_full_cache_of_pins_says_so(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "a b c d");
  stage_activate(stage, "a b c");
  skill_loader_pin(stage->loader, "a", true);
  skill_loader_pin(stage->loader, "b", true);
  skill_loader_use(stage->loader, "c");
  struct outcome outcome = stage_activate(stage, "d");
  assert_int_equal(outcome.status, SKILL_EFULL);
  assert_non_null(strstr(outcome.reasons[0], "2 pinned, 1 in use"));
  assert_string_equal(outcome.evicted, "");
  assert_int_equal(stage_actor(stage, "d")->inits, 0);
  skill_loader_unuse(stage->loader, "c");
}

static void a_batch_larger_than_the_cap_says_exactly_what_stayed(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "a b c d e x");
  stage_activate(stage, "x");
  struct outcome outcome = stage_activate(stage, "a b c d e");
  assert_int_equal(outcome.status, 0);
  assert_int_equal(outcome.count, 5);
  for (size_t i = 0; i < 3; i++) assert_int_equal(outcome.statuses[i], 0);
  for (size_t i = 3; i < 5; i++) {
    assert_int_equal(outcome.statuses[i], SKILL_EFULL);
    assert_non_null(strstr(outcome.reasons[i], "3 of this batch"));
  }
  assert_string_equal(outcome.evicted, "x");
  assert_string_equal(stage_active(stage->loader), "c b a");
  assert_int_equal(stage_actor(stage, "d")->inits, 0);
}

static void a_place_that_a_failing_skill_gives_back_goes_to_the_next_of_the_batch(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "a b c d");
  stage_actor(stage, "b")->init_status = SKILL_EFAILED;
  struct outcome outcome = stage_activate(stage, "a b c d");
  assert_int_equal(outcome.statuses[1], SKILL_EFAILED);
  assert_int_equal(outcome.statuses[3], 0);
  assert_string_equal(stage_active(stage->loader), "d c a");
}

static void a_batch_keeps_those_of_its_skills_that_are_active_already(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "a b c d e");
  stage_activate(stage, "a b c");
  struct outcome outcome = stage_activate(stage, "d a e");
  assert_string_equal(outcome.evicted, "b c");
  assert_true(outcome.hits[1]);
  assert_string_equal(stage_active(stage->loader), "e a d");
}

static void a_name_that_comes_twice_is_activated_once_and_told_twice(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "a b");
  struct outcome outcome = stage_activate(stage, "a b a");
  assert_int_equal(outcome.count, 3);
  assert_int_equal(outcome.statuses[2], 0);
  assert_int_equal(stage_actor(stage, "a")->inits, 1);
  assert_string_equal(stage_active(stage->loader), "a b");
}

static void what_a_request_activated_stays_until_it_was_told(void **state) {
  struct stage *stage = *state;
  struct outcome first = {0};
  struct outcome second = {0};
  stage->options.max_active = 1;
  stage_reload(stage);
  stage_cast(stage, "a b");
  assert_int_equal(skill_loader_activate(stage->loader, "a", outcome_cb, &first, NULL, NULL), 0);
  assert_int_equal(skill_loader_activate(stage->loader, "b", outcome_cb, &second, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(first.status, 0);
  assert_int_equal(second.status, 0);
  assert_string_equal(second.evicted, "a");
}

/* An earlier request may evict a skill that a later, pending one had found active; the later one then activates it
 * again. */
static void requests_that_want_each_others_skills_all_come_to_an_end(void **state) {
  struct stage *stage = *state;
  struct outcome first = {0};
  struct outcome second = {0};
  const char *ab[] = {"a", "b"};
  const char *cd[] = {"c", "d"};
  stage->options.max_active = 2;
  stage_reload(stage);
  stage_cast(stage, "a b c d");
  stage_activate(stage, "a c");
  assert_int_equal(skill_loader_activate_many(stage->loader, ab, 2, outcome_cb, &first, NULL, NULL), 0);
  assert_int_equal(skill_loader_activate_many(stage->loader, cd, 2, outcome_cb, &second, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(first.calls, 1);
  assert_int_equal(second.calls, 1);
  assert_int_equal(first.statuses[0] | first.statuses[1], 0);
  assert_int_equal(second.statuses[0] | second.statuses[1], 0);
  assert_string_equal(stage_active(stage->loader), "d c");
}

static void a_later_request_gets_back_what_an_earlier_one_evicted(void **state) {
  struct stage *stage = *state;
  struct outcome first = {0};
  struct outcome second = {0};
  const char *ab[] = {"a", "b"};
  const char *cd[] = {"c", "d"};
  stage->options.max_active = 2;
  stage_reload(stage);
  stage_cast(stage, "a b c d");
  stage_actor(stage, "a")->init = ACTOR_LATER;
  stage_activate(stage, "c");
  assert_int_equal(skill_loader_use(stage->loader, "c"), 0);
  assert_int_equal(skill_loader_activate_many(stage->loader, ab, 2, outcome_cb, &first, NULL, NULL), 0);
  assert_int_equal(skill_loader_activate_many(stage->loader, cd, 2, outcome_cb, &second, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(skill_loader_unuse(stage->loader, "c"), 0);
  stage_settle(stage->loader);
  assert_int_equal(skill_loader_state(stage->loader, "c"), SKILL_STATE_LISTED);
  stage_finish_init(stage_actor(stage, "a"), 0, NULL);
  stage_settle(stage->loader);
  assert_int_equal(first.statuses[0] | first.statuses[1], 0);
  assert_string_equal(first.evicted, "c");
  assert_int_equal(second.statuses[0] | second.statuses[1], 0);
  assert_false(second.hits[0]);
  assert_string_equal(stage_active(stage->loader), "d c");
}

static size_t tokens_of_name(const Skill *skill, void *user) {
  (void)user;
  return strtoul(skill_name(skill) + 1, NULL, 10);
}

static void a_token_budget_evicts_until_the_newcomer_fits(void **state) {
  struct stage *stage = *state;
  stage->options.token_budget = 100;
  stage->options.max_active = 10;
  stage->options.l2_tokens = tokens_of_name;
  stage_reload(stage);
  stage_cast(stage, "a30 b30 c30 d50 e101 f10");
  assert_string_equal(stage_activate(stage, "a30 b30 c30").evicted, "");
  assert_string_equal(stage_activate(stage, "d50").evicted, "a30 b30");
  assert_string_equal(stage_activate(stage, "f10").evicted, "");
  struct outcome outcome = stage_activate(stage, "e101");
  assert_int_equal(outcome.status, SKILL_EFULL);
  assert_non_null(strstr(outcome.reasons[0], "more than the budget of 100"));
  assert_string_equal(stage_active(stage->loader), "f10 d50 c30");
}

static void room_in_the_budget_waits_for_the_dispose_of_the_evicted(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  stage->options.token_budget = 100;
  stage->options.l2_tokens = tokens_of_name;
  stage_reload(stage);
  stage_cast(stage, "a60 b60");
  stage_actor(stage, "a60")->dispose = ACTOR_LATER;
  stage_activate(stage, "a60");
  assert_int_equal(skill_loader_activate(stage->loader, "b60", outcome_cb, &outcome, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(stage_actor(stage, "b60")->inits, 0);
  stage_finish_dispose(stage_actor(stage, "a60"), 0, NULL);
  stage_settle(stage->loader);
  assert_int_equal(outcome.statuses[0], 0);
  assert_string_equal(outcome.evicted, "a60");
}

static void nothing_is_evicted_where_it_would_not_make_enough_room(void **state) {
  struct stage *stage = *state;
  stage->options.token_budget = 100;
  stage->options.l2_tokens = tokens_of_name;
  stage_reload(stage);
  stage_cast(stage, "a20 b70 c50");
  stage_activate(stage, "a20 b70");
  skill_loader_pin(stage->loader, "b70", true);
  struct outcome outcome = stage_activate(stage, "c50");
  assert_int_equal(outcome.status, SKILL_EFULL);
  assert_non_null(strstr(outcome.reasons[0], "70 of 100"));
  assert_string_equal(stage_active(stage->loader), "b70 a20");
}

static void a_newcomer_may_fill_the_budget_exactly(void **state) {
  struct stage *stage = *state;
  stage->options.token_budget = 100;
  stage->options.l2_tokens = tokens_of_name;
  stage_reload(stage);
  stage_cast(stage, "a20 b70 c30 d100");
  stage_activate(stage, "a20 b70");
  skill_loader_pin(stage->loader, "b70", true);
  assert_string_equal(stage_activate(stage, "c30").evicted, "a20");
  skill_loader_pin(stage->loader, "b70", false);
  assert_string_equal(stage_activate(stage, "d100").evicted, "b70 c30");
}

static size_t expire(struct stage *stage, struct done *done) {
  size_t count = 99;
  assert_int_equal(skill_loader_cleanup_expired(stage->loader, done_cb, done, &count), 0);
  stage_settle(stage->loader);
  assert_int_equal(done->calls, 1);
  return count;
}

static void what_was_not_used_for_the_time_out_expires_and_only_when_asked(void **state) {
  struct stage *stage = *state;
  struct done done = {0};
  stage->options.activation_timeout_ms = 1000;
  stage_reload(stage);
  stage_cast(stage, "a b");
  stage_activate(stage, "a b");
  skill_fixture_advance(stage->fixture, 400);
  skill_loader_touch(stage->loader, "b", NULL, 0, NULL);
  skill_fixture_advance(stage->fixture, 600);
  stage_settle(stage->loader);
  assert_string_equal(stage_active(stage->loader), "b a");
  assert_int_equal(skill_loader_timeout_ms(stage->loader), -1);
  assert_int_equal(expire(stage, &done), 1);
  assert_int_equal(done.status, 0);
  assert_string_equal(stage_active(stage->loader), "b");
  assert_int_equal(stage_actor(stage, "a")->disposes, 1);
}

static void a_time_out_of_zero_expires_at_once(void **state) {
  struct stage *stage = *state;
  struct done done = {0};
  stage->options.activation_timeout_ms = 0;
  stage_reload(stage);
  stage_cast(stage, "a b");
  stage_activate(stage, "a b");
  assert_int_equal(expire(stage, &done), 2);
  assert_int_equal(skill_loader_active_count(stage->loader), 0);
}

static void expire_in_callback(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  (void)result;
  assert_int_equal(skill_loader_cleanup_expired(loader, NULL, NULL, user), 0);
}

/* A request keeps its skills until its callback, and no longer. */
static void what_was_activated_may_expire_in_the_callback(void **state) {
  struct stage *stage = *state;
  const char *names[] = {"a", "b", "c"};
  size_t expired = 99;
  stage->options.activation_timeout_ms = 0;
  stage_reload(stage);
  stage_cast(stage, "a b c");
  assert_int_equal(skill_loader_activate_many(stage->loader, names, 3, expire_in_callback, &expired, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(expired, 3);
}

static void the_default_time_out_is_half_an_hour(void **state) {
  struct stage *stage = *state;
  struct done early = {0};
  struct done late = {0};
  stage_cast(stage, "a");
  stage_activate(stage, "a");
  skill_fixture_advance(stage->fixture, 30 * 60 * 1000 - 1);
  assert_int_equal(expire(stage, &early), 0);
  skill_fixture_advance(stage->fixture, 1);
  assert_int_equal(expire(stage, &late), 1);
}

static void pins_and_tool_calls_keep_from_expiring(void **state) {
  struct stage *stage = *state;
  struct done done = {0};
  stage->options.activation_timeout_ms = 0;
  stage_reload(stage);
  stage_cast(stage, "pinned used");
  stage_activate(stage, "pinned used");
  skill_loader_pin(stage->loader, "pinned", true);
  skill_loader_use(stage->loader, "used");
  assert_int_equal(expire(stage, &done), 0);
  skill_loader_unuse(stage->loader, "used");
}

static void a_failing_dispose_is_told_and_the_slot_is_free_all_the_same(void **state) {
  struct stage *stage = *state;
  struct done done = {0};
  stage->options.activation_timeout_ms = 0;
  stage_reload(stage);
  stage_cast(stage, "a");
  stage_actor(stage, "a")->dispose_status = SKILL_EFAILED;
  stage_actor(stage, "a")->message = NULL;
  stage_activate(stage, "a");
  stage_actor(stage, "a")->message = "stuck";
  assert_int_equal(expire(stage, &done), 1);
  assert_int_equal(done.status, SKILL_EFAILED);
  assert_string_equal(done.message, "stuck");
  assert_int_equal(skill_loader_state(stage->loader, "a"), SKILL_STATE_LISTED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stage_set_up, stage_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_least_recently_used_is_evicted_and_its_dispose_awaited),
      TEST(a_touched_skill_is_not_the_next_to_go),
      TEST(the_cap_is_three_unless_told_otherwise),
      TEST(a_pinned_skill_is_never_evicted),
      TEST(an_evicted_skill_comes_back_whole),
      TEST(a_skill_in_use_by_a_tool_call_is_not_evicted),
      TEST(a_full_cache_of_pins_says_so),
      TEST(a_batch_larger_than_the_cap_says_exactly_what_stayed),
      TEST(a_place_that_a_failing_skill_gives_back_goes_to_the_next_of_the_batch),
      TEST(a_batch_keeps_those_of_its_skills_that_are_active_already),
      TEST(a_name_that_comes_twice_is_activated_once_and_told_twice),
      TEST(what_a_request_activated_stays_until_it_was_told),
      TEST(requests_that_want_each_others_skills_all_come_to_an_end),
      TEST(a_token_budget_evicts_until_the_newcomer_fits),
      TEST(a_later_request_gets_back_what_an_earlier_one_evicted),
      TEST(room_in_the_budget_waits_for_the_dispose_of_the_evicted),
      TEST(nothing_is_evicted_where_it_would_not_make_enough_room),
      TEST(what_was_not_used_for_the_time_out_expires_and_only_when_asked),
      TEST(a_time_out_of_zero_expires_at_once),
      TEST(what_was_activated_may_expire_in_the_callback),
      TEST(a_newcomer_may_fill_the_budget_exactly),
      TEST(the_default_time_out_is_half_an_hour),
      TEST(pins_and_tool_calls_keep_from_expiring),
      TEST(a_failing_dispose_is_told_and_the_slot_is_free_all_the_same),
  };
  return cmocka_run_group_tests_name("loader_lru", tests, NULL, NULL);
}
