/* SPDX-License-Identifier: MIT
 *
 * Completions: how an init or dispose that ended, on whatever thread, reaches the registry's thread.
 *
 * A mailbox is a lock-free stack with many writers and one reader, and an eventfd that is written only when the stack
 * was empty. It outlives its registry until the last pending completion has been finished, so that a late one never
 * touches freed memory. Finishing allocates nothing.
 */
#ifndef SKILL_SKILL_COMPLETION_H
#define SKILL_SKILL_COMPLETION_H

#include <stdatomic.h>

#include "skillet/skill.h"

enum { SKILL__MESSAGE_SIZE = 240 };

struct skill__mailbox;

/* One pending init or dispose. */
struct SkillCompletion {
  struct skill__mailbox *mailbox; /* holds a reference */
  Skill *skill;                   /* holds a reference */
  SkillCompletion *next;          /* in the mailbox's stack */
  atomic_int state;               /* SKILL__COMPLETION_… */
  bool dispose;                   /* of what: init or dispose */
  int status;
  char message[SKILL__MESSAGE_SIZE];
};

enum { SKILL__COMPLETION_PENDING = 0, SKILL__COMPLETION_FINISHED };

/* SKILL_ENOMEM, SKILL_ELIMIT (no descriptor left). */
int skill__mailbox_new(struct skill__mailbox **out);
void skill__mailbox_close(struct skill__mailbox *mailbox); /* drops what is in it and the registry's reference */

/* A descriptor of its own for another poller of the same mailbox; the caller closes it. SKILL_ELIMIT. */
int skill__mailbox_dup(const struct skill__mailbox *mailbox, int *fd);

/* Makes every poller of the mailbox wake. */
void skill__mailbox_wake(struct skill__mailbox *mailbox);

/* Takes all finished completions, oldest first, and clears the descriptor. Without any it makes no system call. */
SkillCompletion *skill__mailbox_drain(struct skill__mailbox *mailbox);

/* The memory for one, without references. SKILL_ENOMEM. */
int skill__completion_new(SkillCompletion **out);

/* Makes it the completion of the skill's init or dispose; from then on it holds references. */
void skill__completion_arm(SkillCompletion *completion, struct skill__mailbox *mailbox, Skill *skill, bool dispose);

/* Calls `start` with an armed one. A completion that is finished before it returns, on this thread, is not put into
 * the mailbox: returns whether that was so. */
bool skill__completion_run(SkillCompletion *completion, SkillInitCb start, void *user);
void skill__completion_free(SkillCompletion *completion);

#endif
