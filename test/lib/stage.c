/* SPDX-License-Identifier: MIT
 *
 * See stage.h.
 */
#include "lib/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(struct stage *stage, const char *sign, const char *name) {
  size_t length = strlen(stage->log);
  snprintf(stage->log + length, sizeof stage->log - length, "%s%s%s", length ? " " : "", sign, name);
}

static void on_event(const SkillEvent *event, void *user) {
  struct stage *stage = user;
  if (!stage->log_events) return;
  char text[64];
  snprintf(text, sizeof text, "%s:", skill_event_name(event->kind));
  note(stage, text, event->skill ? event->skill : "");
}

static void actor_init(Skill *skill, SkillCompletion *completion, void *user) {
  struct actor *actor = user;
  (void)skill;
  actor->inits++;
  note(actor->stage, "+", actor->name);
  if (actor->init == ACTOR_LATER) {
    actor->starting = completion;
  } else {
    skill_completion_finish(completion, actor->init_status, actor->message);
  }
}

static void actor_dispose(Skill *skill, SkillCompletion *completion, void *user) {
  struct actor *actor = user;
  (void)skill;
  actor->disposes++;
  note(actor->stage, "-", actor->name);
  if (actor->dispose == ACTOR_LATER) {
    actor->stopping = completion;
  } else {
    skill_completion_finish(completion, actor->dispose_status, actor->message);
  }
}

int stage_begin(struct stage *stage) {
  SkillRegistryOptions options = SKILL_REGISTRY_OPTIONS_INIT;
  SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
  memset(stage, 0, sizeof *stage);
  ranker.table = "";
  int rc = skill_fixture_new(&stage->fixture);
  if (rc) return rc;
  options.ranker = &ranker;
  options.io = skill_fixture_io(stage->fixture);
  options.on_event = on_event;
  options.event_user = stage;
  rc = skill_registry_new(&options, &stage->registry, NULL);
  if (rc) return rc;
  stage->options = (SkillLoaderOptions)SKILL_LOADER_OPTIONS_INIT;
  stage->options.on_event = on_event;
  stage->options.event_user = stage;
  return skill_loader_new(stage->registry, &stage->options, &stage->loader, NULL);
}

void stage_end(struct stage *stage) {
  if (stage->loader) stage_close(stage->loader);
  assert_int_equal(skill_registry_free(stage->registry), 0);
  skill_fixture_free(stage->fixture);
}

int stage_set_up(void **state) {
  struct stage *stage = malloc(sizeof *stage);
  assert_non_null(stage);
  assert_int_equal(stage_begin(stage), 0);
  *state = stage;
  return 0;
}

int stage_tear_down(void **state) {
  stage_end(*state);
  free(*state);
  return 0;
}

ProgressiveSkillLoader *stage_loader(struct stage *stage) {
  ProgressiveSkillLoader *loader = NULL;
  assert_int_equal(skill_loader_new(stage->registry, &stage->options, &loader, NULL), 0);
  return loader;
}

void stage_reload(struct stage *stage) {
  stage_close(stage->loader);
  stage->loader = stage_loader(stage);
}

void stage_close(ProgressiveSkillLoader *loader) {
  struct done done = {0};
  assert_int_equal(skill_loader_close(loader, done_cb, &done), 0);
  stage_settle(loader);
  assert_int_equal(done.calls, 1);
  assert_int_equal(skill_loader_free(loader), 0);
}

struct actor *stage_actor(struct stage *stage, const char *name) {
  for (size_t i = 0; i < stage->actor_count; i++) {
    if (!strcmp(stage->actors[i].name, name)) return &stage->actors[i];
  }
  fail_msg("no actor %s", name);
  return NULL;
}

int stage_register(struct stage *stage, const char *name, const char *description) {
  assert_true(stage->actor_count < STAGE_ACTORS);
  struct actor *actor = &stage->actors[stage->actor_count];
  memset(actor, 0, sizeof *actor);
  actor->stage = stage;
  snprintf(actor->name, sizeof actor->name, "%s", name);
  SkillTool tool = {.name = name, .description = "does it"};
  SkillDef def = {.metadata = {.name = name, .description = description, .tools = &tool, .tool_count = 1},
                  .init = actor_init,
                  .dispose = actor_dispose,
                  .user = actor};
  int rc = skill_registry_add(stage->registry, &def, NULL, NULL);
  if (!rc) stage->actor_count++;
  return rc;
}

static size_t words(const char *text, char out[][32], size_t room) {
  size_t count = 0;
  while (*(text += strspn(text, " ")) && count < room) {
    size_t length = strcspn(text, " ");
    snprintf(out[count++], 32, "%.*s", (int)length, text);
    text += length;
  }
  return count;
}

void stage_cast(struct stage *stage, const char *names) {
  char list[STAGE_ACTORS][32];
  size_t count = words(names, list, STAGE_ACTORS);
  for (size_t i = 0; i < count; i++) assert_int_equal(stage_register(stage, list[i], "an actor"), 0);
}

void stage_finish_init(struct actor *actor, int status, const char *message) {
  assert_non_null(actor->starting);
  SkillCompletion *completion = actor->starting;
  actor->starting = NULL;
  skill_completion_finish(completion, status, message);
}

void stage_finish_dispose(struct actor *actor, int status, const char *message) {
  assert_non_null(actor->stopping);
  SkillCompletion *completion = actor->stopping;
  actor->stopping = NULL;
  skill_completion_finish(completion, status, message);
}

void stage_settle(ProgressiveSkillLoader *loader) {
  for (int i = 0; i < 1000; i++) {
    int rc = skill_loader_step(loader);
    assert_true(rc >= 0);
    if (!rc && skill_loader_timeout_ms(loader) != 0) return;
  }
  fail_msg("the loader never comes to rest");
}

void outcome_cb(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  struct outcome *outcome = user;
  unsigned calls = outcome->calls + 1;
  (void)loader;
  memset(outcome, 0, sizeof *outcome);
  outcome->calls = calls;
  outcome->status = result->status;
  outcome->count = result->count;
  snprintf(outcome->reason, sizeof outcome->reason, "%s", result->reason ? result->reason : "");
  for (size_t i = 0; i < result->count && i < TOLD_ITEMS; i++) {
    const SkillActivationItem *item = result->items[i];
    snprintf(outcome->names[i], sizeof outcome->names[i], "%s", item->name);
    snprintf(outcome->reasons[i], sizeof outcome->reasons[i], "%s", item->reason);
    outcome->statuses[i] = item->status;
    outcome->hits[i] = item->hit;
    outcome->tools[i] = item->tool_count;
    if (item->status) assert_int_equal(item->tool_count, 0);
  }
  for (size_t i = 0; i < result->evicted_count; i++) {
    size_t length = strlen(outcome->evicted);
    snprintf(outcome->evicted + length, sizeof outcome->evicted - length, "%s%s", length ? " " : "",
             result->evicted[i]);
  }
}

void done_cb(ProgressiveSkillLoader *loader, int status, const char *message, void *user) {
  struct done *done = user;
  (void)loader;
  done->calls++;
  done->status = status;
  snprintf(done->message, sizeof done->message, "%s", message ? message : "");
}

void removed_cb(SkillRegistry *registry, const char *name, int status, const char *message, void *user) {
  struct done *done = user;
  assert_null(skill_registry_find(registry, name));
  done->calls++;
  done->status = status;
  snprintf(done->message, sizeof done->message, "%s", message ? message : "");
}

struct outcome stage_activate(struct stage *stage, const char *names) {
  char list[TOLD_ITEMS][32];
  const char *pointers[TOLD_ITEMS];
  struct outcome outcome = {0};
  size_t count = words(names, list, TOLD_ITEMS);
  for (size_t i = 0; i < count; i++) pointers[i] = list[i];
  assert_int_equal(skill_loader_activate_many(stage->loader, pointers, count, outcome_cb, &outcome, NULL, NULL), 0);
  assert_int_equal(outcome.calls, 0);
  stage_settle(stage->loader);
  assert_int_equal(outcome.calls, 1);
  return outcome;
}

const char *stage_active(const ProgressiveSkillLoader *loader) {
  static char text[512];
  const char *name;
  text[0] = '\0';
  for (size_t i = 0; (name = skill_loader_active_name(loader, i)); i++) {
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s%s", length ? " " : "", name);
  }
  return text;
}
