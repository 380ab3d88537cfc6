/* SPDX-License-Identifier: MIT
 *
 * Activation by name, of several skills and for a query: results, sharing, failures.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/stage.h"
#include "loader/loader_internal.h"

static void an_activation_calls_back_once_and_only_in_a_step(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  stage_cast(stage, "a");
  assert_int_equal(skill_loader_activate(stage->loader, "a", outcome_cb, &outcome, NULL, NULL), 0);
  assert_int_equal(outcome.calls, 0);
  assert_string_equal(stage->log, "");
  assert_int_equal(skill_loader_timeout_ms(stage->loader), 0);
  assert_int_equal(skill_loader_step(stage->loader), 1);
  assert_int_equal(outcome.calls, 1);
  assert_int_equal(outcome.status, 0);
  assert_int_equal(outcome.statuses[0], 0);
  assert_false(outcome.hits[0]);
  assert_int_equal(outcome.tools[0], 1);
  assert_int_equal(skill_loader_state(stage->loader, "a"), SKILL_STATE_ACTIVE);
  stage_settle(stage->loader);
  assert_int_equal(outcome.calls, 1);
  assert_int_equal(skill_loader_timeout_ms(stage->loader), -1);
}

static void a_second_activation_is_a_hit_that_refreshes_recency(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "a b");
  stage_activate(stage, "a");
  stage_activate(stage, "b");
  assert_string_equal(stage_active(stage->loader), "b a");
  struct outcome outcome = stage_activate(stage, "a");
  assert_true(outcome.hits[0]);
  assert_string_equal(stage_active(stage->loader), "a b");
  assert_int_equal(stage_actor(stage, "a")->inits, 1);
}

static void an_unknown_name_is_refused_with_near_names_and_without_callback(void **state) {
  struct stage *stage = *state;
  SkillError err = SKILL_ERROR_INIT;
  struct outcome outcome = {0};
  stage_cast(stage, "pdf-reader pdf-writer");
  assert_int_equal(skill_loader_activate(stage->loader, "pdf-raeder", outcome_cb, &outcome, NULL, &err), SKILL_ENOENT);
  assert_non_null(strstr(err.message, "pdf-reader"));
  stage_settle(stage->loader);
  assert_int_equal(outcome.calls, 0);
}

static void an_unknown_name_in_a_batch_is_an_item_that_says_so(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "a");
  struct outcome outcome = stage_activate(stage, "nobody a");
  assert_int_equal(outcome.status, 0);
  assert_int_equal(outcome.statuses[0], SKILL_ENOENT);
  assert_string_equal(outcome.names[0], "nobody");
  assert_int_equal(outcome.statuses[1], 0);
}

static void a_skill_without_init_and_dispose_is_ready_at_once(void **state) {
  struct stage *stage = *state;
  SkillDef def = {.metadata = {.name = "plain", .description = "d"}};
  assert_int_equal(skill_registry_add(stage->registry, &def, NULL, NULL), 0);
  assert_int_equal(stage_activate(stage, "plain").statuses[0], 0);
  assert_string_equal(stage_active(stage->loader), "plain");
}

static size_t changing_tools(Skill *skill, const SkillTool **tools, void *user) {
  (void)skill;
  *tools = user;
  return 2;
}

static void tools_come_from_the_skill_after_its_init(void **state) {
  struct stage *stage = *state;
  static SkillTool tools[] = {{.name = "one"}, {.name = "two"}};
  SkillDef def = {.metadata = {.name = "s"}, .tools = changing_tools, .user = tools};
  assert_int_equal(skill_registry_add(stage->registry, &def, NULL, NULL), 0);
  assert_int_equal(stage_activate(stage, "s").tools[0], 2);
}

static void tool_lists_are_copies_in_order_of_activation(void **state) {
  struct stage *stage = *state;
  SkillTool *tools = NULL;
  size_t count = 0;
  stage_cast(stage, "b a c");
  stage_activate(stage, "b a c");
  stage_activate(stage, "b");
  assert_int_equal(skill_loader_tools(stage->loader, &tools, &count), 0);
  assert_int_equal(count, 3);
  assert_string_equal(tools[0].name, "b");
  assert_string_equal(tools[1].name, "a");
  assert_string_equal(tools[2].name, "c");
  tools[0].name = "changed";
  skill_free(tools);
  SkillTool copy[2];
  assert_int_equal(skill_loader_touch(stage->loader, "b", copy, 2, &count), 1);
  assert_int_equal(count, 1);
  assert_string_equal(copy[0].name, "b");
  copy[0].name = "changed";
  assert_int_equal(skill_loader_touch(stage->loader, "b", copy, 1, &count), 1);
  assert_string_equal(copy[0].name, "b");
}

static void touching_copies_no_more_tools_than_there_is_room_and_tells_how_many_there_are(void **state) {
  struct stage *stage = *state;
  static SkillTool tools[] = {{.name = "one"}, {.name = "two"}};
  SkillDef def = {.metadata = {.name = "s"}, .tools = changing_tools, .user = tools};
  assert_int_equal(skill_registry_add(stage->registry, &def, NULL, NULL), 0);
  SkillTool copy[2] = {{.name = "mine"}, {.name = "mine"}};
  size_t count = 77;
  assert_int_equal(skill_loader_touch(stage->loader, "s", copy, 2, &count), 0);
  assert_int_equal(count, 77);
  stage_activate(stage, "s");
  assert_int_equal(skill_loader_touch(stage->loader, "s", copy, 1, &count), 1);
  assert_int_equal(count, 2);
  assert_string_equal(copy[0].name, "one");
  assert_string_equal(copy[1].name, "mine");
}

static void a_failing_init_leaves_nothing_cached_and_is_tried_again(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "a");
  struct actor *a = stage_actor(stage, "a");
  a->init_status = SKILL_EFAILED;
  a->message = "no license";
  struct outcome outcome = stage_activate(stage, "a");
  assert_int_equal(outcome.status, SKILL_EFAILED);
  assert_int_equal(outcome.tools[0], 0);
  assert_non_null(strstr(outcome.reasons[0], "no license"));
  assert_int_equal(skill_loader_state(stage->loader, "a"), SKILL_STATE_LISTED);
  assert_int_equal(a->disposes, 0);
  a->init_status = 0;
  assert_int_equal(stage_activate(stage, "a").status, 0);
  assert_int_equal(a->inits, 2);
}

static void one_failing_skill_does_not_fail_its_batch(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "good dead better");
  stage_actor(stage, "dead")->init_status = SKILL_EREMOTE;
  struct outcome outcome = stage_activate(stage, "good dead better");
  assert_int_equal(outcome.status, 0);
  assert_int_equal(outcome.statuses[0], 0);
  assert_int_equal(outcome.statuses[1], SKILL_EREMOTE);
  assert_int_equal(outcome.statuses[2], 0);
}

static bool only_a(const char *name, void *user) {
  (void)user;
  return !strcmp(name, "a");
}

static void a_denied_skill_is_neither_activated_nor_suggested(void **state) {
  struct stage *stage = *state;
  SkillError err = SKILL_ERROR_INIT;
  stage->options.visible = only_a;
  stage_reload(stage);
  stage_cast(stage, "a secret");
  assert_int_equal(skill_loader_activate(stage->loader, "secret", NULL, NULL, NULL, NULL), SKILL_EDENIED);
  assert_int_equal(skill_loader_activate(stage->loader, "secre", NULL, NULL, NULL, &err), SKILL_EDENIED);
  struct outcome outcome = stage_activate(stage, "secret a");
  assert_int_equal(outcome.statuses[0], SKILL_EDENIED);
  assert_int_equal(outcome.statuses[1], 0);
}

static bool not_called(const char *name, void *user) {
  return strcmp(name, user) != 0;
}

static bool visible_here(const char *name, void *user) {
  (void)user;
  return strcmp(name, "weather-secret") != 0;
}

static void ranking_hides_what_the_loader_or_the_query_hides(void **state) {
  struct stage *stage = *state;
  SkillRanking *ranking = NULL;
  char hidden[] = "weather-asia";
  SkillQuery query = {.size = sizeof(SkillQuery), .text = "weather", .visible = not_called, .user = hidden};
  stage->options.visible = visible_here;
  stage_reload(stage);
  assert_int_equal(stage_register(stage, "weather-secret", "weather"), 0);
  assert_int_equal(stage_register(stage, "weather-asia", "weather"), 0);
  assert_int_equal(stage_register(stage, "weather-europe", "weather"), 0);
  assert_int_equal(skill_loader_rank(stage->loader, &query, &ranking, NULL), 0);
  assert_int_equal(ranking->count, 1);
  assert_string_equal(ranking->results[0]->name, "weather-europe");
  skill_ranking_free(ranking);
}

static void a_skill_for_users_only_is_activated_by_name_and_never_by_a_query(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  SkillDef def = {.metadata = {.name = "weather", .description = "Weather", .disable_model_invocation = true}};
  assert_int_equal(skill_registry_add(stage->registry, &def, NULL, NULL), 0);
  assert_int_equal(skill_loader_activate_query(stage->loader, "weather", outcome_cb, &outcome, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(outcome.count, 0);
  assert_int_equal(stage_activate(stage, "weather").status, 0);
}

static void an_empty_batch_is_told_as_such(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  assert_int_equal(skill_loader_activate_many(stage->loader, NULL, 0, outcome_cb, &outcome, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(outcome.calls, 1);
  assert_int_equal(outcome.status, 0);
  assert_int_equal(outcome.count, 0);
}

static void a_query_activates_the_best_and_says_how_they_scored(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  assert_int_equal(stage_register(stage, "pdf-tables", "Extract tables from PDF documents"), 0);
  assert_int_equal(stage_register(stage, "weather", "Tell the weather forecast of a city"), 0);
  assert_int_equal(
      skill_loader_activate_query(stage->loader, "extract the tables of this pdf", outcome_cb, &outcome, NULL, NULL),
      0);
  stage_settle(stage->loader);
  assert_int_equal(outcome.calls, 1);
  assert_int_equal(outcome.count, 1);
  assert_string_equal(outcome.names[0], "pdf-tables");
  assert_int_equal(outcome.statuses[0], 0);
  assert_string_equal(stage_active(stage->loader), "pdf-tables");
}

static void a_query_that_fits_nothing_activates_nothing_and_says_why(void **state) {
  struct stage *stage = *state;
  struct outcome outcome = {0};
  assert_int_equal(stage_register(stage, "weather", "Tell the weather forecast of a city"), 0);
  assert_int_equal(skill_loader_activate_query(stage->loader, "zzyzx qwrtp", outcome_cb, &outcome, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(outcome.calls, 1);
  assert_int_equal(outcome.status, 0);
  assert_int_equal(outcome.count, 0);
  assert_true(strlen(outcome.reason) > 0);
}

static void every_decision_is_told_as_an_event(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "a b");
  stage->options.max_active = 1;
  stage_reload(stage);
  stage->log_events = true;
  stage_actor(stage, "b")->dispose_status = SKILL_EFAILED;
  stage_activate(stage, "a");
  stage_activate(stage, "a");
  stage_activate(stage, "b");
  stage_activate(stage, "a");
  assert_string_equal(stage->log,
                      "activating:a +a activated:a hit:a evicted:a -a activating:b +b activated:b "
                      "evicted:b -b dispose-failed:b activating:a +a activated:a");
}

static void the_best_ten_of_a_ranking_are_events(void **state) {
  struct stage *stage = *state;
  SkillRanking *ranking = NULL;
  SkillQuery query = {.size = sizeof(SkillQuery), .text = "weather", .limit = 12};
  size_t events = 0;
  for (int i = 0; i < 12; i++) {
    char name[] = "weather-a";
    name[8] = (char)('a' + i);
    assert_int_equal(stage_register(stage, name, "weather"), 0);
  }
  stage->log_events = true;
  assert_int_equal(skill_loader_rank(stage->loader, &query, &ranking, NULL), 0);
  assert_int_equal(ranking->count, 12);
  for (const char *p = stage->log; (p = strstr(p, "ranked:")); p++) events++;
  assert_int_equal(events, 10);
  skill_ranking_free(ranking);
}

static void the_table_of_states_allows_no_short_cut(void **state) {
  (void)state;
  assert_true(skill__loader_state_follows(SKILL_STATE_LISTED, SKILL_STATE_INITIALISING));
  assert_false(skill__loader_state_follows(SKILL_STATE_LISTED, SKILL_STATE_ACTIVE));
  assert_false(skill__loader_state_follows(SKILL_STATE_ACTIVE, SKILL_STATE_LISTED));
  assert_false(skill__loader_state_follows(SKILL_STATE_DISPOSING, SKILL_STATE_ACTIVE));
  assert_false(skill__loader_state_follows(SKILL_STATE_INITIALISING, SKILL_STATE_DISPOSING));
}

static void options_and_policies_of_another_version_are_refused(void **state) {
  struct stage *stage = *state;
  ProgressiveSkillLoader *loader = NULL;
  SkillPolicy policy = *skill_policy_relevance();
  SkillLoaderOptions options = SKILL_LOADER_OPTIONS_INIT;
  options.size--;
  assert_int_equal(skill_loader_new(stage->registry, &options, &loader, NULL), SKILL_EINVAL);
  options.size++;
  policy.version++;
  options.policy = &policy;
  assert_int_equal(skill_loader_new(stage->registry, &options, &loader, NULL), SKILL_EINVAL);
  policy.version--;
  policy.select = NULL;
  assert_int_equal(skill_loader_new(stage->registry, &options, &loader, NULL), SKILL_EINVAL);
  assert_null(loader);
}

/* The loader keeps an active skill whose definition is gone from the registry, but cannot start it again. */
static void a_skill_that_is_gone_from_the_registry_is_not_started_again(void **state) {
  struct stage *stage = *state;
  struct outcome first = {0};
  struct outcome second = {0};
  stage->options.max_active = 1;
  stage_reload(stage);
  stage_cast(stage, "a b");
  stage_activate(stage, "a");
  struct skill__change gone = {skill_registry_find(stage->registry, "a"), NULL, NULL, 0};
  assert_int_equal(skill__registry_apply(stage->registry, &gone, 1, NULL), 0);
  assert_true(stage_activate(stage, "a").hits[0]);
  assert_int_equal(skill_loader_activate(stage->loader, "b", outcome_cb, &first, NULL, NULL), 0);
  assert_int_equal(skill_loader_activate(stage->loader, "a", outcome_cb, &second, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(first.status, 0);
  assert_int_equal(second.status, SKILL_ENOENT);
  assert_string_equal(second.reasons[0], "it was unregistered meanwhile");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stage_set_up, stage_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(an_activation_calls_back_once_and_only_in_a_step),
      TEST(a_second_activation_is_a_hit_that_refreshes_recency),
      TEST(an_unknown_name_is_refused_with_near_names_and_without_callback),
      TEST(an_unknown_name_in_a_batch_is_an_item_that_says_so),
      TEST(a_skill_without_init_and_dispose_is_ready_at_once),
      TEST(tools_come_from_the_skill_after_its_init),
      TEST(tool_lists_are_copies_in_order_of_activation),
      TEST(touching_copies_no_more_tools_than_there_is_room_and_tells_how_many_there_are),
      TEST(a_failing_init_leaves_nothing_cached_and_is_tried_again),
      TEST(one_failing_skill_does_not_fail_its_batch),
      TEST(a_denied_skill_is_neither_activated_nor_suggested),
      TEST(ranking_hides_what_the_loader_or_the_query_hides),
      TEST(the_best_ten_of_a_ranking_are_events),
      TEST(a_skill_for_users_only_is_activated_by_name_and_never_by_a_query),
      TEST(an_empty_batch_is_told_as_such),
      TEST(a_query_activates_the_best_and_says_how_they_scored),
      TEST(a_query_that_fits_nothing_activates_nothing_and_says_why),
      TEST(every_decision_is_told_as_an_event),
      TEST(the_table_of_states_allows_no_short_cut),
      TEST(options_and_policies_of_another_version_are_refused),
      TEST(a_skill_that_is_gone_from_the_registry_is_not_started_again),
  };
  return cmocka_run_group_tests_name("loader_activate", tests, NULL, NULL);
}
