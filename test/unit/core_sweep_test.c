/* SPDX-License-Identifier: MIT
 *
 * Registry, index and loader with the n-th allocation failing, for every n: the call returns SKILL_ENOMEM, leaves its
 * outputs unchanged and leaks nothing, and works again when there is memory.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/stage.h"
#include "lib/sweep.h"
#include "skill/registry_internal.h"

static struct stage stage;

static void check_untouched(int rc, const void *out, const void *before) {
  if (rc) {
    assert_int_equal(rc, SKILL_ENOMEM);
    assert_ptr_equal(out, before);
  }
}

static int register_one(const char *name) {
  static const char *const tags[] = {"alpha", "beta"};
  SkillTool tool = {.name = "tool", .description = "does it", .input_schema = "{\"type\":\"object\"}"};
  SkillDef def = {.metadata = {.name = name,
                               .description = "reads tables from documents",
                               .tags = {tags, 2},
                               .tools = &tool,
                               .tool_count = 1},
                  .body = "# Body\n\nSome words for the index.\n"};
  size_t before = skill_registry_count(stage.registry);
  Skill *out = (Skill *)&stage;
  int rc = skill_registry_add(stage.registry, &def, &out, NULL);
  check_untouched(rc, out, &stage);
  assert_int_equal(skill_registry_count(stage.registry), before + !rc);
  assert_int_equal(skill_ranker_count(skill_registry_ranker(stage.registry)), before + !rc);
  assert_int_equal(skill_registry_find(stage.registry, name) != NULL, !rc);
  return rc;
}

static int register_and_remove(void *user) {
  (void)user;
  int rc = stage_begin(&stage);
  for (int i = 0; !rc && i < 12; i++) {
    char name[] = "skill-a";
    name[6] = (char)('a' + i);
    rc = register_one(name);
  }
  if (!rc) {
    struct done done = {0};
    rc = skill_registry_remove(stage.registry, "skill-a", removed_cb, &done, NULL);
    assert_int_equal(skill_registry_find(stage.registry, "skill-a") == NULL, !rc);
    sweep_relent();
    skill_registry_step(stage.registry);
    assert_int_equal(done.calls, rc ? 0 : 1);
  }
  sweep_relent();
  if (rc && stage.registry && stage.loader) assert_int_equal(register_one("usable"), 0);
  stage_end(&stage);
  return rc;
}

static void registering_and_removing(void **state) {
  (void)state;
  assert_true(sweep_run(register_and_remove, NULL) > 40);
}

static int definition(const char *name, const char *description, Skill **out) {
  SkillDef def = {.metadata = {.name = name, .description = description}};
  return skill__skill_new(&def, NULL, out, NULL);
}

static int change_many(void *user) {
  (void)user;
  Skill *fresh[3] = {NULL, NULL, NULL};
  int rc = stage_begin(&stage);
  if (!rc) rc = register_one("a");
  if (!rc) rc = register_one("b");
  if (!rc) rc = definition("a", "another", &fresh[0]);
  if (!rc) rc = definition("c", "third", &fresh[1]);
  if (!rc) rc = definition("d", "fourth", &fresh[2]);
  if (!rc) {
    SkillRegistry *registry = stage.registry;
    Skill *old = skill_registry_find(registry, "a");
    struct skill__change changes[] = {{old, fresh[0], "body", 4},
                                      {skill_registry_find(registry, "b"), NULL, NULL, 0},
                                      {NULL, fresh[1], NULL, 0},
                                      {NULL, fresh[2], NULL, 0}};
    rc = skill__registry_apply(registry, changes, 4, NULL);
    assert_int_equal(skill_registry_count(registry), rc ? 2 : 3);
    assert_int_equal(skill_ranker_count(skill_registry_ranker(registry)), rc ? 2 : 3);
    assert_ptr_equal(skill_registry_find(registry, "a"), rc ? old : fresh[0]);
    assert_int_equal(skill_registry_find(registry, "b") != NULL, rc != 0);
    if (rc) {
      sweep_relent();
      assert_int_equal(skill__registry_apply(registry, changes, 4, NULL), 0);
    }
    memset(fresh, 0, sizeof fresh);
  }
  sweep_relent();
  for (size_t i = 0; i < 3; i++) skill__skill_release(fresh[i]);
  stage_end(&stage);
  return rc;
}

static void changing_a_catalogue_at_once(void **state) {
  (void)state;
  assert_true(sweep_run(change_many, NULL) > 30);
}

/* The first query fills the index; the second one does if the first ran out of memory. */
static int ask_later(void *user) {
  SkillRegistryOptions options = SKILL_REGISTRY_OPTIONS_INIT;
  SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
  SkillQuery query = {.size = sizeof(SkillQuery), .text = "animal", .limit = 9};
  SkillRegistry *registry = NULL;
  SkillRanking *ranking = (SkillRanking *)&stage;
  (void)user;
  ranker.table = "";
  ranker.ignore_body = true;
  options.ranker = &ranker;
  int rc = skill_registry_new(&options, &registry, NULL);
  for (const char *name = "abcd"; !rc && *name; name++) {
    char text[2] = {*name, '\0'};
    SkillDef def = {.metadata = {.name = text, .description = "an animal"}};
    rc = skill_registry_add(registry, &def, NULL, NULL);
  }
  if (!rc) {
    rc = skill_ranker_query(skill_registry_ranker(registry), &query, &ranking, NULL);
    check_untouched(rc, ranking, &stage);
    sweep_relent();
    if (rc) assert_int_equal(skill_ranker_query(skill_registry_ranker(registry), &query, &ranking, NULL), 0);
    assert_int_equal(ranking->count, 4);
    skill_ranking_free(ranking);
  }
  sweep_relent();
  skill_registry_free(registry);
  return rc;
}

static void an_index_that_is_filled_later(void **state) {
  (void)state;
  assert_true(sweep_run(ask_later, NULL) > 40);
}

/* The status of the request itself, or the first error that its callback received. */
static int activate(const char *const *names, size_t count) {
  struct outcome outcome = {0};
  uint64_t request = 77;
  int rc = skill_loader_activate_many(stage.loader, names, count, outcome_cb, &outcome, &request, NULL);
  if (rc) assert_int_equal(request, 77);
  stage_settle(stage.loader);
  assert_int_equal(outcome.calls, rc ? 0 : 1);
  for (size_t i = 0; !rc && i < outcome.count; i++) rc = outcome.statuses[i];
  return rc;
}

static int live(void *user) {
  static const char *const first[] = {"a", "b"};
  static const char *const second[] = {"c", "d", "a"};
  SkillTool *tools = (SkillTool *)&stage;
  size_t count = 0;
  (void)user;
  int rc = stage_begin(&stage);
  for (const char *name = "abcd"; !rc && *name; name++) {
    char text[2] = {*name, '\0'};
    rc = stage_register(&stage, text, "an actor");
  }
  if (!rc) rc = activate(first, 2);
  if (!rc) rc = activate(second, 3);
  if (!rc) rc = skill_loader_set_body_state(stage.loader, "b", SKILL_BODY_IN_CONTEXT);
  if (!rc) {
    rc = skill_loader_tools(stage.loader, &tools, &count);
    check_untouched(rc, tools, &stage);
    if (!rc) skill_free(tools);
  }
  if (!rc) {
    rc = skill_loader_deactivate(stage.loader, "a", NULL, NULL, NULL);
    assert_int_equal(skill_loader_state(stage.loader, "a"), rc ? SKILL_STATE_ACTIVE : SKILL_STATE_DISPOSING);
    stage_settle(stage.loader);
  }
  if (!rc) rc = skill_loader_cleanup_expired(stage.loader, NULL, NULL, NULL);
  sweep_relent();
  if (rc && stage.loader && stage.actor_count == 4) assert_int_equal(activate(first, 2), 0);
  stage_end(&stage);
  for (size_t i = 0; i < stage.actor_count; i++) assert_int_equal(stage.actors[i].disposes, stage.actors[i].inits);
  return rc;
}

static void activating_evicting_and_deactivating(void **state) {
  (void)state;
  assert_true(sweep_run(live, NULL) > 60);
}

static int ask(void *user) {
  struct outcome outcome = {0};
  (void)user;
  int rc = stage_begin(&stage);
  if (!rc) rc = register_one("pdf-tables");
  if (!rc) rc = register_one("weather");
  if (!rc) rc = skill_loader_activate_query(stage.loader, "tables of documents", outcome_cb, &outcome, NULL, NULL);
  if (!rc) {
    stage_settle(stage.loader);
    assert_int_equal(outcome.calls, 1);
    rc = outcome.status;
    for (size_t i = 0; !rc && i < outcome.count; i++) rc = outcome.statuses[i];
  }
  sweep_relent();
  if (rc && stage.loader && skill_registry_count(stage.registry) == 2) {
    assert_int_equal(skill_loader_activate_query(stage.loader, "tables", outcome_cb, &outcome, NULL, NULL), 0);
    stage_settle(stage.loader);
    assert_int_equal(outcome.status, 0);
    assert_true(outcome.count > 0);
  }
  stage_end(&stage);
  return rc;
}

static void activating_for_a_query(void **state) {
  (void)state;
  assert_true(sweep_run(ask, NULL) > 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registering_and_removing),      cmocka_unit_test(changing_a_catalogue_at_once),
      cmocka_unit_test(an_index_that_is_filled_later), cmocka_unit_test(activating_evicting_and_deactivating),
      cmocka_unit_test(activating_for_a_query),
  };
  return cmocka_run_group_tests_name("core_sweep", tests, NULL, NULL);
}
