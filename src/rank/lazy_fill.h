/* SPDX-License-Identifier: MIT
 *
 * Lazy index: built on first use, for hosts that register many skills but never rank.
 */
#ifndef SKILL_RANK_LAZY_FILL_H
#define SKILL_RANK_LAZY_FILL_H

#include "skillet/rank.h"

struct skill__lazy_fill {
  int (*fill)(SkillRanker *ranker, void *user, SkillError *err); /* adds the skills, all or none */
  size_t (*count)(void *user);                                   /* how many it will add */
  void *user;
};

/* `fill` is called once, before the first other call on the empty `ranker`, on the thread of that call. If it fails
 * (SKILL_ENOMEM) that call returns its error, and the next call tries again. */
void skill__ranker_fill_lazily(SkillRanker *ranker, struct skill__lazy_fill lazy);

/* Whether `fill` has not been called yet. */
bool skill__ranker_is_lazy(const SkillRanker *ranker);

#endif
