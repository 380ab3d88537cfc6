/* SPDX-License-Identifier: MIT
 *
 * Lifetime of what ranker and snapshots share. Any thread.
 */
#ifndef SKILL_RANK_OPTIONS_H
#define SKILL_RANK_OPTIONS_H

#include "rank/index/snapshot.h"

/* SKILL_EINVAL, SKILL_ENOMEM. */
int skill__shared_new(const SkillRankerOptions *options, struct skill__rank_shared **out, SkillError *err);
void skill__shared_retain(struct skill__rank_shared *shared);
void skill__shared_release(struct skill__rank_shared *shared);

#endif
