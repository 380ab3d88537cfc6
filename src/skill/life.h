/* SPDX-License-Identifier: MIT
 *
 * One skill's init and dispose, shared by all loaders that hold it: started by the first, disposed after the last.
 *
 * A loader holds a skill with a skill__hold. What happens to it is written into the hold and told by its `changed`
 * function, which only takes note; nothing here calls back into a loader's work.
 *
 *   idle -> starting -> ready -> stopping -> idle
 *
 * An init that outlasts its holders' patience is given up: the life is idle again and its completion on its own. When
 * that ends well after all and nothing has taken its place, the skill is disposed; otherwise it is forgotten.
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
  SKILL__HOLD_STOPPING, /* the dispose that this hold's leaving began is running */
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
  SkillCompletion *done;    /* the last that was finished, kept so that finishing it again does no harm */
  SkillCompletion *spare;   /* for the dispose, put by when the init begins; NULL: the skill has none */
  struct skill__hold *holds;
};

/* Joins: begins the init where this is the first, shares it where it runs, waits for a running dispose.
 * SKILL_ENOMEM: not joined. */
int skill__life_join(Skill *skill, struct skill__hold *hold);

/* A ready hold leaves; the last begins the dispose. */
void skill__life_leave(struct skill__hold *hold);

/* A waiting or stopping hold stops waiting. */
void skill__life_give_up(struct skill__hold *hold);

/* A completion that the mailbox handed out; taken. */
void skill__life_finished(SkillCompletion *completion);

/* Whether nothing runs and nobody holds it. */
bool skill__life_idle(const Skill *skill);

#endif
