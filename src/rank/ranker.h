/* SPDX-License-Identifier: MIT
 *
 * The writer's side of the index. New skills are added to a builder; taking a snapshot closes it into a segment and
 * merges small neighbours, so that each segment is at least twice as large as the next. No segment has more than 65,536
 * skills, which bounds the cost of one change. Invariants: stats counts exactly the skills of the parts and the builder
 * that are not dead; `current`, if there is one, is a snapshot of the present state.
 */
#ifndef SKILL_RANK_RANKER_H
#define SKILL_RANK_RANKER_H

#include "rank/index/doc_fields.h"
#include "rank/index/impact.h"
#include "rank/index/snapshot.h"
#include "rank/lazy_fill.h"

#define SKILL__SEGMENT_FULL (SKILL__SEGMENT_MAX_BYTES / 2) /* bytes at which a builder is closed */

struct SkillRanker {
  struct skill__rank_shared *shared;
  struct skill__analyzer *analyzer;
  struct skill__index_fields fields; /* of the skill that is being added */
  struct skill__stats stats;
  struct skill__token_stamps seen;
  struct skill__gather gather;
  struct skill__rank_part parts[SKILL__SEGMENTS_MAX];
  size_t part_count;
  struct skill__builder builder;
  struct skill__dead *builder_dead;
  uint32_t builder_live;
  struct skill__lazy_fill lazy; /* fill NULL: not lazy, or filled */
  bool updating;                /* segments stay as they are */
  SkillRankSnapshot *current;   /* or NULL: something changed since */
};

/* Fills a lazy ranker. Returns the error of `fill`; nothing changed then. */
int skill__ranker_ready(SkillRanker *ranker, SkillError *err);

/* Drops the current snapshot; call it after each change. */
void skill__ranker_changed(SkillRanker *ranker);

/* Closes the builder into segments. SKILL_ENOMEM: nothing changed. */
int skill__ranker_close(SkillRanker *ranker);

/* Closes the builder and merges small segments. SKILL_ENOMEM: the ranker has the same skills. */
int skill__ranker_merge(SkillRanker *ranker);

#endif
