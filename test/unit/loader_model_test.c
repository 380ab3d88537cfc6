/* SPDX-License-Identifier: MIT
 *
 * Compares a loader under random use with a model of forty lines: a list of names, most recent last. Compared are the
 * active skills and their order, the evicted skills, and that every init has its dispose.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/stage.h"

enum { NAMES = 9, STEPS = 4000 };

struct model {
  size_t cap;
  int list[NAMES]; /* least recently used first */
  size_t count;
  bool pinned[NAMES];
  int64_t last_use[NAMES];
  char evicted[64];
};

static size_t place(const struct model *model, int name) {
  size_t i = 0;
  while (i < model->count && model->list[i] != name) i++;
  return i;
}

static void drop(struct model *model, size_t at) {
  model->pinned[model->list[at]] = false;
  memmove(model->list + at, model->list + at + 1, (--model->count - at) * sizeof *model->list);
}

static void use(struct model *model, int name, int64_t now) {
  size_t at = place(model, name);
  bool pinned = at < model->count && model->pinned[name];
  if (at < model->count) drop(model, at);
  model->pinned[name] = pinned;
  model->list[model->count++] = name;
  model->last_use[name] = now;
}

/* Returns whether it is active afterwards. */
static bool model_activate(struct model *model, int name, int64_t now) {
  model->evicted[0] = '\0';
  if (place(model, name) == model->count && model->count == model->cap) {
    size_t victim = 0;
    while (victim < model->count && model->pinned[model->list[victim]]) victim++;
    if (victim == model->count) return false;
    snprintf(model->evicted, sizeof model->evicted, "%c", 'a' + model->list[victim]);
    drop(model, victim);
  }
  use(model, name, now);
  return true;
}

static size_t model_expire(struct model *model, int64_t now, int64_t timeout) {
  size_t expired = 0;
  for (size_t i = model->count; i-- > 0;) {
    int name = model->list[i];
    if (model->pinned[name] || now - model->last_use[name] < timeout) continue;
    drop(model, i);
    expired++;
  }
  return expired;
}

static void compare(const struct stage *stage, const struct model *model) {
  char expected[64] = "";
  for (size_t i = model->count; i-- > 0;) {
    size_t length = strlen(expected);
    snprintf(expected + length, sizeof expected - length, "%s%c", length ? " " : "", 'a' + model->list[i]);
  }
  assert_string_equal(stage_active(stage->loader), expected);
  for (size_t i = 0; i < NAMES; i++) {
    const struct actor *actor = &stage->actors[i];
    assert_int_equal(actor->inits - actor->disposes, place(model, (int)i) < model->count);
  }
}

static void one_action(struct stage *stage, struct model *model, unsigned random) {
  int name = (int)(random % NAMES);
  char text[2] = {(char)('a' + name), '\0'};
  int64_t now = skill_fixture_now(stage->fixture);
  bool active = place(model, name) < model->count;
  switch (random / NAMES % 8) {
    case 0:
      assert_int_equal(skill_loader_touch(stage->loader, text, NULL, 0, NULL), active);
      if (active) use(model, name, now);
      break;
    case 1:
      assert_int_equal(skill_loader_pin(stage->loader, text, random / 128 % 2), active ? 0 : SKILL_ENOENT);
      if (active) model->pinned[name] = random / 128 % 2;
      break;
    case 2:
      assert_int_equal(skill_loader_deactivate(stage->loader, text, NULL, NULL, NULL), active ? 0 : SKILL_ENOENT);
      stage_settle(stage->loader);
      if (active) drop(model, place(model, name));
      break;
    case 3: {
      size_t expired = 0;
      skill_fixture_advance(stage->fixture, random / 128 % 60);
      assert_int_equal(skill_loader_cleanup_expired(stage->loader, NULL, NULL, &expired), 0);
      stage_settle(stage->loader);
      assert_int_equal(expired, model_expire(model, skill_fixture_now(stage->fixture), 100));
      break;
    }
    default: {
      struct outcome outcome = stage_activate(stage, text);
      bool fits = model_activate(model, name, now);
      assert_int_equal(outcome.status, fits ? 0 : SKILL_EFULL);
      assert_string_equal(outcome.evicted, model->evicted);
      assert_int_equal(outcome.hits[0], active);
      break;
    }
  }
}

static void random_use_does_what_the_model_does(void **state) {
  struct stage *stage = *state;
  for (size_t cap = 1; cap <= 5; cap += 2) {
    struct model model = {.cap = cap};
    unsigned seed = 42 + (unsigned)cap;
    stage->options.max_active = cap;
    stage->options.activation_timeout_ms = 100;
    stage_reload(stage);
    if (cap == 1) stage_cast(stage, "a b c d e f g h i");
    for (unsigned i = 0; i < STEPS; i++) {
      seed = seed * 1103515245u + 12345u;
      stage->log[0] = '\0';
      one_action(stage, &model, seed >> 8);
      compare(stage, &model);
    }
  }
}

/* Inits and disposes end in any order and requests are canceled: nothing hangs, leaks or is reported twice. */
static void random_endings_leave_nothing_open(void **state) {
  struct stage *stage = *state;
  static struct outcome outcome[STEPS];
  unsigned seed = 7;
  size_t made = 0;
  stage_cast(stage, "a b c d e f g h i");
  for (size_t i = 0; i < NAMES; i++) stage->actors[i].init = stage->actors[i].dispose = ACTOR_LATER;
  for (unsigned i = 0; i < STEPS; i++) {
    seed = seed * 1103515245u + 12345u;
    unsigned random = seed >> 8;
    struct actor *actor = &stage->actors[random % NAMES];
    stage->log[0] = '\0';
    if (random / 16 % 4 == 0) {
      uint64_t request = 0;
      assert_int_equal(skill_loader_activate(stage->loader, actor->name, outcome_cb, &outcome[made++], &request, NULL),
                       0);
      if (random / 64 % 4 == 0) assert_int_equal(skill_loader_cancel(stage->loader, request), 0);
    } else if (actor->starting) {
      stage_finish_init(actor, random / 64 % 5 ? 0 : SKILL_EFAILED, NULL);
    } else if (actor->stopping) {
      stage_finish_dispose(actor, 0, NULL);
    }
    assert_true(skill_loader_step(stage->loader) >= 0);
    assert_true(skill_loader_active_count(stage->loader) <= 3);
  }
  for (size_t i = 0; i < NAMES; i++) stage->actors[i].init = stage->actors[i].dispose = ACTOR_AT_ONCE;
  for (size_t i = 0; i < NAMES; i++) {
    if (stage->actors[i].starting) stage_finish_init(&stage->actors[i], 0, NULL);
    if (stage->actors[i].stopping) stage_finish_dispose(&stage->actors[i], 0, NULL);
    stage_settle(stage->loader);
  }
  for (size_t i = 0; i < made; i++) assert_int_equal(outcome[i].calls, 1);
  stage_reload(stage);
  unsigned failures = 0;
  for (size_t i = 0; i < NAMES; i++) {
    assert_true(stage->actors[i].inits >= stage->actors[i].disposes);
    failures += stage->actors[i].inits - stage->actors[i].disposes;
  }
  assert_true(failures > 0 && failures < made);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stage_set_up, stage_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(random_use_does_what_the_model_does),
      TEST(random_endings_leave_nothing_open),
  };
  return cmocka_run_group_tests_name("loader_model", tests, NULL, NULL);
}
