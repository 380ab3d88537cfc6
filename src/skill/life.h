/* SPDX-License-Identifier: MIT
 *
 * One skill's init and dispose, shared by all loaders that hold it: started by the first, disposed after the last.
 *
 * A loader holds a skill with a skill__hold. What happens to the skill is written into the hold, and its `changed`
 * function is called. That function must only record the change: it may run within another loader's step.
 *
 *   idle -> starting -> ready -> stopping -> idle
 *
 * An init that exceeds its holders' deadlines is given up: the life is idle again, and the completion is no longer
 * `pending`. If it succeeds later and no other init has started since, the skill is disposed; otherwise its result is
 * ignored.
 */
#ifndef SKILL_SKILL_LIFE_H
#define SKILL_SKILL_LIFE_H

#include "skill/completion.h"

enum skill__phase { SKILL__IDLE = 0, SKILL__STARTING, SKILL__READY, SKILL__STOPPING };

enum skill__hold_state {
  SKILL__HOLD_NONE = 0, /* not joined, or given up */
  SKILL__HOLD_WAITING,  /* for the init, or for a dispose before it */
  SKILL__HOLD_READY,
  SKILL__HOLD_FAILED,   /* the init failed: `status`, `message`; no longer joined */
  SKILL__HOLD_STOPPING, /* this was the last hold, and its dispose is running */
  SKILL__HOLD_STOPPED   /* left: `status`, `message` of the dispose; no longer joined */
};

struct skill__hold {
  enum skill__hold_state state;
  Skill *skill; /* holds a reference while it is joined */
  struct skill__hold *next;
  int status;
  char message[SKILL__MESSAGE_SIZE];
  void (*changed)(struct skill__hold *hold);
};

/* Part of every Skill. */
struct skill__life {
  enum skill__phase phase;
  SkillCompletion *pending; /* of the init or dispose that runs */
  SkillCompletion *done;    /* the last that was finished, kept so that finishing it twice is harmless */
  SkillCompletion *spare;   /* reserved for dispose when init starts, so that dispose cannot fail; NULL: no dispose */
  struct skill__hold *holds;
};

/* Joins: the first hold starts the init, later ones share it; a running dispose is awaited. SKILL_ENOMEM: not joined.
 */
int skill__life_join(Skill *skill, struct skill__hold *hold);

/* A ready hold leaves; the last begins the dispose. */
void skill__life_leave(struct skill__hold *hold);

/* A waiting or stopping hold stops waiting. */
void skill__life_give_up(struct skill__hold *hold);

/* Takes a completion that came out of the mailbox. */
void skill__life_finished(SkillCompletion *completion);

/* Whether neither init nor dispose runs and there is no hold. */
bool skill__life_idle(const Skill *skill);

#endif
