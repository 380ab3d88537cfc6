/* SPDX-License-Identifier: MIT
 *
 * What is behind SkillRanker and SkillRankSnapshot.
 */
#ifndef SKILL_RANK_INDEX_SNAPSHOT_H
#define SKILL_RANK_INDEX_SNAPSHOT_H

#include "rank/index/segment.h"
#include "rank/index/stats.h"

enum { SKILL__CONTEXTS = 8, SKILL__SEGMENTS_MAX = 256 };

struct skill__context;

/* What ranker and snapshots share; immutable but for the dictionary, which only grows, and the pool. */
struct skill__rank_shared {
  _Atomic uint32_t refs;
  SkillScorer scorer;
  double weight[SKILL_RANK_FIELD_COUNT], b[SKILL_RANK_FIELD_COUNT];
  double k1, k3, floor;
  bool counted[SKILL_RANK_FIELD_COUNT]; /* fields in which a token counts as being in the skill */
  bool ignore_body;
  struct skill__terms *terms; /* or NULL */
  struct skill__dict *dict;
  _Atomic(struct skill__context *) contexts[SKILL__CONTEXTS]; /* idle ones */
  char note[640];
};

struct skill__rank_part {
  struct skill__segment *segment;
  struct skill__dead *dead; /* or NULL */
  uint32_t live;
};

struct SkillRankSnapshot {
  _Atomic uint32_t refs;
  struct skill__rank_shared *shared;
  struct skill__stats stats;
  uint32_t tokens; /* tokens numbered from here on are newer than the snapshot */
  size_t part_count;
  struct skill__rank_part parts[];
};

#endif
