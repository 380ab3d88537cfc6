/* SPDX-License-Identifier: MIT
 *
 * The shared life of a skill; see life.h. The only failure is that no completion can be allocated.
 */
#include "skill/life.h"

#include <stdio.h>
#include <string.h>

#include "skill/registry_internal.h"

static void ended(Skill *skill, int status, const char *message);

static void report(struct skill__hold *hold, enum skill__hold_state state, int status, const char *message) {
  hold->state = state;
  hold->status = status;
  snprintf(hold->message, sizeof hold->message, "%s", message ? message : "");
  hold->changed(hold);
}

static void attach(Skill *skill, struct skill__hold *hold, enum skill__hold_state state) {
  struct skill__hold **link = &skill->life.holds;
  while (*link) link = &(*link)->next;
  *link = hold;
  hold->next = NULL;
  hold->skill = skill__skill_retain(skill);
  hold->state = state;
  hold->status = 0;
  hold->message[0] = '\0';
}

static void detach(struct skill__hold *hold) {
  Skill *skill = hold->skill;
  struct skill__hold **link = &skill->life.holds;
  while (*link != hold) link = &(*link)->next;
  *link = hold->next;
  hold->next = NULL;
  hold->skill = NULL;
  hold->state = SKILL__HOLD_NONE;
  skill__skill_release(skill);
}

static void keep_done(struct skill__life *life, SkillCompletion *completion) {
  if (life->done) skill__completion_free(life->done);
  life->done = completion;
}

/* Runs init or dispose with `completion`; NULL: the skill has no such function, and it succeeds at once. */
static void run(Skill *skill, bool dispose, SkillCompletion *completion) {
  struct skill__life *life = &skill->life;
  life->phase = dispose ? SKILL__STOPPING : SKILL__STARTING;
  life->pending = completion;
  if (!completion) {
    ended(skill, 0, NULL);
    return;
  }
  skill__completion_arm(completion, skill__registry_mailbox(skill->registry), skill, dispose);
  if (skill__completion_run(completion, dispose ? skill->dispose : skill->init, skill->user)) {
    skill__life_finished(completion);
  }
}

/* Reserves the completion of the dispose first, so that a skill that has started can always be disposed. */
static int start(Skill *skill) {
  struct skill__life *life = &skill->life;
  SkillCompletion *completion = NULL;
  int status = skill->dispose && !life->spare ? skill__completion_new(&life->spare) : 0;
  if (!status && skill->init) status = skill__completion_new(&completion);
  if (!status) run(skill, false, completion);
  return status;
}

/* For holds that waited for a dispose: to them a failed start is a failed init. */
static void start_again(Skill *skill) {
  int status = start(skill);
  if (!status) return;
  skill->life.phase = SKILL__STARTING;
  ended(skill, status, skill_strerror(status));
}

/* The reserved completion can be missing only if an init that was given up succeeded later, after another start had
 * used it. If there is no memory then, the skill is not disposed. */
static void stop(Skill *skill) {
  SkillCompletion *completion = skill->life.spare;
  if (!completion && skill->dispose && skill__completion_new(&completion)) return;
  skill->life.spare = NULL;
  run(skill, true, completion);
}

static bool any_waiting(const struct skill__life *life) {
  for (const struct skill__hold *hold = life->holds; hold; hold = hold->next) {
    if (hold->state == SKILL__HOLD_WAITING) return true;
  }
  return false;
}

static void init_ended(Skill *skill, int status, const char *message) {
  struct skill__life *life = &skill->life;
  life->phase = status ? SKILL__IDLE : SKILL__READY;
  for (struct skill__hold *hold = life->holds, *next; hold; hold = next) {
    next = hold->next;
    if (hold->state != SKILL__HOLD_WAITING) continue;
    if (status) detach(hold);
    report(hold, status ? SKILL__HOLD_FAILED : SKILL__HOLD_READY, status, message);
  }
}

static void dispose_ended(Skill *skill, int status, const char *message) {
  struct skill__life *life = &skill->life;
  life->phase = SKILL__IDLE;
  skill__registry_disposed(skill, status, message);
  for (struct skill__hold *hold = life->holds, *next; hold; hold = next) {
    next = hold->next;
    if (hold->state != SKILL__HOLD_STOPPING) continue;
    detach(hold);
    report(hold, SKILL__HOLD_STOPPED, status, message);
  }
  if (any_waiting(life)) start_again(skill);
}

/* Detaching the last hold may drop the last reference; the skill must outlive this function. */
static void ended(Skill *skill, int status, const char *message) {
  skill->life.pending = NULL;
  skill__skill_retain(skill);
  if (skill->life.phase == SKILL__STARTING) {
    init_ended(skill, status, message);
  } else {
    dispose_ended(skill, status, message);
  }
  skill__skill_release(skill);
}

void skill__life_finished(SkillCompletion *completion) {
  Skill *skill = completion->skill;
  struct skill__life *life = &skill->life;
  bool current = life->pending == completion;
  completion->skill = NULL; /* its reference is released below */
  keep_done(life, completion);
  if (current) {
    ended(skill, completion->status, completion->message);
  } else if (!completion->dispose && !completion->status && life->phase == SKILL__IDLE) {
    stop(skill);
  }
  skill__skill_release(skill);
}

int skill__life_join(Skill *skill, struct skill__hold *hold) {
  struct skill__life *life = &skill->life;
  if (life->phase == SKILL__READY) {
    attach(skill, hold, SKILL__HOLD_READY);
    hold->changed(hold);
    return 0;
  }
  attach(skill, hold, SKILL__HOLD_WAITING);
  if (life->phase != SKILL__IDLE) return 0;
  int status = start(skill);
  if (status) detach(hold);
  return status;
}

void skill__life_leave(struct skill__hold *hold) {
  Skill *skill = hold->skill;
  if (skill->life.holds != hold || hold->next) {
    detach(hold);
    report(hold, SKILL__HOLD_STOPPED, 0, NULL);
    return;
  }
  hold->state = SKILL__HOLD_STOPPING;
  skill__skill_retain(skill);
  stop(skill);
  skill__skill_release(skill);
}

void skill__life_give_up(struct skill__hold *hold) {
  Skill *skill = skill__skill_retain(hold->skill);
  struct skill__life *life = &skill->life;
  bool stopping = hold->state == SKILL__HOLD_STOPPING;
  detach(hold);
  if (stopping) {
    life->pending = NULL;
    life->phase = SKILL__IDLE;
    if (any_waiting(life)) start_again(skill);
  } else if (life->phase == SKILL__STARTING && !life->holds) {
    life->pending = NULL;
    life->phase = SKILL__IDLE;
  }
  skill__skill_release(skill);
}

bool skill__life_idle(const Skill *skill) {
  return skill->life.phase == SKILL__IDLE && !skill->life.holds;
}
