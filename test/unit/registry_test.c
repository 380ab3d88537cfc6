/* SPDX-License-Identifier: MIT
 *
 * The registry: names, order, batches of changes, removal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/stage.h"
#include "rank/lazy_fill.h"
#include "skill/registry_internal.h"

static int add(struct stage *stage, const char *name) {
  SkillDef def = {.metadata = {.name = name, .description = "d"}};
  return skill_registry_add(stage->registry, &def, NULL, NULL);
}

static const char *names_in_order(const SkillRegistry *registry) {
  static char text[512];
  text[0] = '\0';
  for (const Skill *skill = NULL; (skill = skill_registry_next(registry, skill));) {
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s%s", length ? " " : "", skill_name(skill));
  }
  return text;
}

static void skills_come_in_the_order_of_registration(void **state) {
  struct stage *stage = *state;
  assert_null(skill_registry_next(stage->registry, NULL));
  assert_int_equal(add(stage, "zebra"), 0);
  assert_int_equal(add(stage, "ant"), 0);
  assert_int_equal(add(stage, "mouse"), 0);
  assert_string_equal(names_in_order(stage->registry), "zebra ant mouse");
  assert_int_equal(skill_registry_count(stage->registry), 3);
}

static void an_existing_name_is_refused_and_nothing_changes(void **state) {
  struct stage *stage = *state;
  SkillError err = SKILL_ERROR_INIT;
  SkillDef def = {.metadata = {.name = "a", .description = "second"}};
  Skill *out = (Skill *)stage;
  assert_int_equal(add(stage, "a"), 0);
  assert_int_equal(skill_registry_add(stage->registry, &def, &out, &err), SKILL_EEXISTS);
  assert_ptr_equal(out, stage);
  assert_non_null(strstr(err.message, "\"a\""));
  assert_string_equal(skill_metadata(skill_registry_find(stage->registry, "a"))->description, "d");
  assert_int_equal(skill_ranker_count(skill_registry_ranker(stage->registry)), 1);
}

static void names_are_compared_byte_for_byte(void **state) {
  struct stage *stage = *state;
  assert_int_equal(add(stage, "Pdf"), 0);
  assert_int_equal(add(stage, "pdf"), 0);
  assert_int_equal(add(stage, "caf\xc3\xa9"), 0);
  assert_int_equal(add(stage, "cafe\xcc\x81"), 0);
  assert_null(skill_registry_find(stage->registry, "PDF"));
  assert_null(skill_registry_find(stage->registry, NULL));
  assert_int_equal(skill_registry_count(stage->registry), 4);
}

static void bad_names_are_refused(void **state) {
  struct stage *stage = *state;
  char *huge = malloc(10001);
  assert_non_null(huge);
  memset(huge, 'x', 10000);
  huge[10000] = '\0';
  assert_int_equal(add(stage, huge), SKILL_ELIMIT);
  assert_int_equal(add(stage, ""), SKILL_EINVAL);
  assert_int_equal(add(stage, NULL), SKILL_EINVAL);
  assert_int_equal(add(stage, "a/b"), SKILL_EINVAL);
  assert_int_equal(add(stage, "\xff"), SKILL_EINVAL);
  assert_int_equal(skill_registry_count(stage->registry), 0);
  free(huge);
}

static void the_registry_keeps_copies(void **state) {
  struct stage *stage = *state;
  char name[] = "original";
  char body[] = "the body";
  SkillDef def = {.metadata = {.name = name}, .body = body};
  Skill *skill = NULL;
  assert_int_equal(skill_registry_add(stage->registry, &def, &skill, NULL), 0);
  memset(name, 'x', 8);
  memset(body, 'x', 8);
  assert_ptr_equal(skill_registry_find(stage->registry, "original"), skill);
  assert_string_equal(skill_name(skill), "original");
  assert_string_equal(skill->body, "the body");
}

static void a_miss_suggests_at_most_three_near_names(void **state) {
  struct stage *stage = *state;
  const char *names[5] = {NULL};
  assert_int_equal(add(stage, "pdf-reader"), 0);
  assert_int_equal(add(stage, "pdf-writer"), 0);
  assert_int_equal(add(stage, "weather"), 0);
  size_t count = skill_registry_suggest(stage->registry, "PDF_Reader", names, 3);
  assert_true(count >= 1 && count <= 3);
  assert_string_equal(names[0], "pdf-reader");
  assert_int_equal(skill_registry_suggest(stage->registry, "qqqqqqqqqq", names, 3), 0);
}

static void removing_an_idle_skill_calls_back_in_a_step(void **state) {
  struct stage *stage = *state;
  struct done done = {0};
  assert_int_equal(add(stage, "a"), 0);
  assert_int_equal(add(stage, "b"), 0);
  assert_int_equal(skill_registry_remove(stage->registry, "a", removed_cb, &done, NULL), 0);
  assert_int_equal(done.calls, 0);
  assert_null(skill_registry_find(stage->registry, "a"));
  assert_string_equal(names_in_order(stage->registry), "b");
  assert_int_equal(add(stage, "a"), SKILL_EBUSY);
  assert_int_equal(skill_registry_step(stage->registry), 1);
  assert_int_equal(done.calls, 1);
  assert_int_equal(done.status, 0);
  assert_int_equal(add(stage, "a"), 0);
  assert_string_equal(names_in_order(stage->registry), "b a");
}

static void removing_what_is_not_there_is_an_error_without_callback(void **state) {
  struct stage *stage = *state;
  struct done done = {0};
  assert_int_equal(skill_registry_remove(stage->registry, "a", removed_cb, &done, NULL), SKILL_ENOENT);
  assert_int_equal(add(stage, "a"), 0);
  assert_int_equal(skill_registry_remove(stage->registry, "a", removed_cb, &done, NULL), 0);
  assert_int_equal(skill_registry_remove(stage->registry, "a", removed_cb, &done, NULL), SKILL_EBUSY);
  skill_registry_step(stage->registry);
  assert_int_equal(done.calls, 1);
}

static void removal_deactivates_in_every_loader_and_awaits_the_dispose(void **state) {
  struct stage *stage = *state;
  struct done done = {0};
  stage_cast(stage, "a");
  struct actor *a = stage_actor(stage, "a");
  ProgressiveSkillLoader *other = stage_loader(stage);
  stage_activate(stage, "a");
  assert_int_equal(skill_loader_activate(other, "a", NULL, NULL, NULL, NULL), 0);
  stage_settle(other);
  skill_loader_pin(other, "a", true);
  a->dispose = ACTOR_LATER;
  assert_int_equal(skill_registry_remove(stage->registry, "a", removed_cb, &done, NULL), 0);
  assert_int_equal(skill_loader_activate(other, "a", NULL, NULL, NULL, NULL), SKILL_ENOENT);
  stage_settle(stage->loader);
  stage_settle(other);
  assert_int_equal(done.calls, 0);
  assert_int_equal(a->disposes, 1);
  stage_finish_dispose(a, 0, NULL);
  stage_settle(stage->loader);
  stage_settle(other);
  assert_int_equal(done.calls, 1);
  assert_int_equal(done.status, 0);
  stage_close(other);
}

static void a_failing_dispose_is_reported_and_the_skill_is_removed_all_the_same(void **state) {
  struct stage *stage = *state;
  struct done done = {0};
  stage_cast(stage, "a");
  stage_activate(stage, "a");
  stage_actor(stage, "a")->dispose_status = SKILL_EFAILED;
  stage_actor(stage, "a")->message = "will not go";
  assert_int_equal(skill_registry_remove(stage->registry, "a", removed_cb, &done, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(done.calls, 1);
  assert_int_equal(done.status, SKILL_EFAILED);
  assert_string_equal(done.message, "will not go");
  assert_null(skill_registry_find(stage->registry, "a"));
}

static void removal_waits_for_a_running_tool_call_and_cancels_waiting_activations(void **state) {
  struct stage *stage = *state;
  struct done used = {0};
  struct done starting = {0};
  struct outcome outcome = {0};
  stage_cast(stage, "used starting");
  stage_activate(stage, "used");
  assert_int_equal(skill_loader_use(stage->loader, "used"), 0);
  stage_actor(stage, "starting")->init = ACTOR_LATER;
  assert_int_equal(skill_loader_activate(stage->loader, "starting", outcome_cb, &outcome, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(skill_registry_remove(stage->registry, "used", removed_cb, &used, NULL), 0);
  assert_int_equal(skill_registry_remove(stage->registry, "starting", removed_cb, &starting, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(outcome.status, SKILL_ECANCELED);
  assert_int_equal(used.calls + starting.calls, 0);
  assert_int_equal(stage_actor(stage, "used")->disposes, 0);
  assert_int_equal(skill_loader_unuse(stage->loader, "used"), 0);
  stage_finish_init(stage_actor(stage, "starting"), 0, NULL);
  stage_settle(stage->loader);
  assert_int_equal(used.calls, 1);
  assert_int_equal(starting.calls, 1);
  assert_int_equal(stage_actor(stage, "starting")->disposes, 1);
}

static void a_registry_with_loaders_is_not_freed(void **state) {
  struct stage *stage = *state;
  assert_int_equal(skill_registry_free(stage->registry), SKILL_EBUSY);
  assert_int_equal(skill_registry_free(NULL), 0);
}

static Skill *definition(const char *name, const char *description) {
  SkillDef def = {.metadata = {.name = name, .description = description}};
  Skill *skill = NULL;
  assert_int_equal(skill__skill_new(&def, NULL, &skill, NULL), 0);
  return skill;
}

static void a_batch_of_changes_is_made_in_place_and_at_once(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "a b c");
  SkillRegistry *registry = stage->registry;
  struct skill__change changes[] = {
      {skill_registry_find(registry, "b"), definition("b", "new"), NULL, 0},
      {skill_registry_find(registry, "c"), NULL, NULL, 0},
      {NULL, definition("d", "fresh zebra"), "body", 4},
  };
  assert_int_equal(skill__registry_apply(registry, changes, 3, NULL), 0);
  assert_string_equal(names_in_order(registry), "a b d");
  assert_string_equal(skill_metadata(skill_registry_find(registry, "b"))->description, "new");
  assert_int_equal(skill_registry_count(registry), 3);
  assert_int_equal(skill_ranker_count(skill_registry_ranker(registry)), 3);
}

static void a_batch_that_cannot_be_made_changes_nothing(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "a b");
  SkillRegistry *registry = stage->registry;
  Skill *twice = definition("new", "once");
  Skill *again = definition("new", "twice");
  struct skill__change changes[] = {
      {skill_registry_find(registry, "a"), NULL, NULL, 0}, {NULL, twice, NULL, 0}, {NULL, again, NULL, 0}};
  assert_int_equal(skill__registry_apply(registry, changes, 3, NULL), SKILL_EEXISTS);
  assert_string_equal(names_in_order(registry), "a b");
  assert_null(skill_registry_find(registry, "new"));
  assert_int_equal(skill_ranker_count(skill_registry_ranker(registry)), 2);
  skill__skill_release(twice);
  skill__skill_release(again);
}

static void an_active_skill_keeps_its_old_definition_until_it_is_deactivated(void **state) {
  struct stage *stage = *state;
  stage_cast(stage, "a");
  struct actor *old = stage_actor(stage, "a");
  stage_activate(stage, "a");
  struct skill__change change = {skill_registry_find(stage->registry, "a"), definition("a", "new"), NULL, 0};
  assert_int_equal(skill__registry_apply(stage->registry, &change, 1, NULL), 0);
  assert_true(stage_activate(stage, "a").hits[0]);
  assert_int_equal(old->disposes, 0);
  assert_int_equal(skill_loader_deactivate(stage->loader, "a", NULL, NULL, NULL), 0);
  stage_settle(stage->loader);
  assert_int_equal(old->disposes, 1);
  assert_int_equal(stage_activate(stage, "a").tools[0], 0);
  assert_int_equal(old->inits, 1);
}

/* The number of skills that a query finds. */
static size_t found(SkillRegistry *registry, const char *text) {
  SkillQuery query = {.size = sizeof(SkillQuery), .text = text, .limit = 10};
  SkillRanking *ranking = NULL;
  assert_int_equal(skill_ranker_query(skill_registry_ranker(registry), &query, &ranking, NULL), 0);
  size_t count = ranking->count;
  skill_ranking_free(ranking);
  return count;
}

static size_t found_by_listener;

static void ask_on_event(const SkillEvent *event, void *user) {
  SkillRegistry **registry = user;
  if (*registry && event->kind == SKILL_EVENT_REGISTERED) found_by_listener = found(*registry, "zebra");
}

static SkillRegistry *without_bodies(SkillEventCb on_event, void *user) {
  SkillRegistryOptions options = SKILL_REGISTRY_OPTIONS_INIT;
  SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
  SkillRegistry *registry = NULL;
  ranker.table = "";
  ranker.ignore_body = true;
  options.ranker = &ranker;
  options.on_event = on_event;
  options.event_user = user;
  assert_int_equal(skill_registry_new(&options, &registry, NULL), 0);
  return registry;
}

static void register_animal(SkillRegistry *registry, const char *name) {
  SkillDef def = {.metadata = {.name = name, .description = "an animal"}};
  assert_int_equal(skill_registry_add(registry, &def, NULL, NULL), 0);
}

static void an_index_without_bodies_is_built_when_it_is_first_asked(void **state) {
  (void)state;
  SkillRegistry *registry = without_bodies(NULL, NULL);
  SkillRanker *ranker = skill_registry_ranker(registry);
  register_animal(registry, "zebra");
  register_animal(registry, "ant");
  register_animal(registry, "mouse");
  assert_int_equal(skill_registry_remove(registry, "ant", NULL, NULL, NULL), 0);
  assert_true(skill__ranker_is_lazy(ranker));
  assert_int_equal(skill_ranker_count(ranker), 2);
  assert_int_equal(found(registry, "zebra"), 1);
  assert_false(skill__ranker_is_lazy(ranker));
  assert_int_equal(found(registry, "ant"), 0);
  register_animal(registry, "heron");
  assert_int_equal(skill_registry_remove(registry, "zebra", NULL, NULL, NULL), 0);
  assert_int_equal(found(registry, "heron"), 1);
  assert_int_equal(found(registry, "zebra"), 0);
  assert_int_equal(skill_ranker_count(ranker), 2);
  skill_registry_step(registry);
  assert_int_equal(skill_registry_free(registry), 0);
}

static void what_is_put_off_is_whole_for_a_listener_that_asks_in_the_middle(void **state) {
  (void)state;
  SkillRegistry *registry = NULL;
  SkillRegistry *made = without_bodies(ask_on_event, &registry);
  struct skill__change changes[] = {{NULL, definition("ant", "an animal"), NULL, 0},
                                    {NULL, definition("zebra", "an animal"), NULL, 0}};
  registry = made;
  found_by_listener = 0;
  assert_int_equal(skill__registry_apply(registry, changes, 2, NULL), 0);
  assert_int_equal(found_by_listener, 1);
  assert_int_equal(found(registry, "ant"), 1);
  assert_int_equal(skill_registry_free(registry), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stage_set_up, stage_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(skills_come_in_the_order_of_registration),
      TEST(an_existing_name_is_refused_and_nothing_changes),
      TEST(names_are_compared_byte_for_byte),
      TEST(bad_names_are_refused),
      TEST(the_registry_keeps_copies),
      TEST(a_miss_suggests_at_most_three_near_names),
      TEST(removing_an_idle_skill_calls_back_in_a_step),
      TEST(removing_what_is_not_there_is_an_error_without_callback),
      TEST(removal_deactivates_in_every_loader_and_awaits_the_dispose),
      TEST(a_failing_dispose_is_reported_and_the_skill_is_removed_all_the_same),
      TEST(removal_waits_for_a_running_tool_call_and_cancels_waiting_activations),
      TEST(a_registry_with_loaders_is_not_freed),
      TEST(a_batch_of_changes_is_made_in_place_and_at_once),
      TEST(a_batch_that_cannot_be_made_changes_nothing),
      TEST(an_active_skill_keeps_its_old_definition_until_it_is_deactivated),
      cmocka_unit_test(an_index_without_bodies_is_built_when_it_is_first_asked),
      cmocka_unit_test(what_is_put_off_is_whole_for_a_listener_that_asks_in_the_middle),
  };
  return cmocka_run_group_tests_name("registry", tests, NULL, NULL);
}
