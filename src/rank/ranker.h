/* SPDX-License-Identifier: MIT
 *
 * The writer's side of the index: skills are gathered in a builder; a snapshot closes it into a segment, and small
 * neighbours are merged so that their sizes at least halve from one to the next. No segment has more than 65,536
 * skills, which bounds what one change can cost.
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
  struct skill__lazy_fill lazy; /* fill NULL: nothing is put off */
  bool updating;                /* segments stay as they are */
  SkillRankSnapshot *current;   /* or NULL: something changed since */
};

/* Fills it where that was put off. What `fill` fails with; nothing changed then. */
int skill__ranker_ready(SkillRanker *ranker, SkillError *err);

/* Forgets the current snapshot. */
void skill__ranker_changed(SkillRanker *ranker);

/* Closes the builder into segments. SKILL_ENOMEM: nothing changed. */
int skill__ranker_close(SkillRanker *ranker);

/* Closes the builder and merges what is small. SKILL_ENOMEM: the ranker holds the same skills. */
int skill__ranker_merge(SkillRanker *ranker);

#endif
