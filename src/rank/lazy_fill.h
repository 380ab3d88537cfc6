/* SPDX-License-Identifier: MIT
 *
 * An index that is filled when it is first asked: for who may own many skills and never rank.
 */
#ifndef SKILL_RANK_LAZY_FILL_H
#define SKILL_RANK_LAZY_FILL_H

#include "skillet/rank.h"

struct skill__lazy_fill {
  int (*fill)(SkillRanker *ranker, void *user, SkillError *err); /* adds the skills, all or none */
  size_t (*count)(void *user);                                   /* how many it will add */
  void *user;
};

/* `fill` is called once before whatever else is asked of the empty `ranker` or done to it, on the thread that asks,
 * which is the ranker's. What it fails with (SKILL_ENOMEM) is what the caller gets, and the next one tries again. */
void skill__ranker_fill_lazily(SkillRanker *ranker, struct skill__lazy_fill lazy);

/* Whether that is still to come. */
bool skill__ranker_is_lazy(const SkillRanker *ranker);

#endif
