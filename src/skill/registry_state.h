/* SPDX-License-Identifier: MIT
 *
 * What registry.c and removal.c share.
 */
#ifndef SKILL_SKILL_REGISTRY_STATE_H
#define SKILL_SKILL_REGISTRY_STATE_H

#include "skill/registry_internal.h"

/* A removal on its way. */
struct skill__removal {
  struct skill__removal *next;
  Skill *skill; /* holds a reference */
  SkillRemoveCb cb;
  void *user;
  int status;
  char message[SKILL__MESSAGE_SIZE];
};

struct SkillRegistry {
  Skill *skills; /* by name */
  Skill *first;  /* in registration order */
  Skill *last;
  size_t count;
  SkillRanker *ranker;
  bool ignore_body;
  SkillIo *io;
  SkillEventCb on_event;
  void *event_user;
  struct skill__mailbox *mailbox;
  struct skill__watcher *watchers;
  struct skill__removal *removals; /* oldest first */
  bool pumping;
  bool delivering;
};

void skill__registry_unlist(SkillRegistry *registry, Skill *skill); /* from table and order; keeps the reference */

#endif
