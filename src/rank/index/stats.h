/* SPDX-License-Identifier: MIT
 *
 * What scores need to know of the whole catalogue: how many skills have a token, and the mean lengths of fields. Exact
 * under additions and removals. A snapshot's copy shares the blocks until the writer changes them.
 */
#ifndef SKILL_RANK_INDEX_STATS_H
#define SKILL_RANK_INDEX_STATS_H

#include <stdatomic.h>

#include "rank/index/doc.h"

enum { SKILL__DF_BLOCK = 1024 };

/* In how many skills a token is, and in how many tools; a skill without several tools counts as one tool of itself. */
struct skill__df {
  uint32_t skills, tools;
};

struct skill__df_block {
  _Atomic uint32_t refs;
  struct skill__df df[SKILL__DF_BLOCK];
};

struct skill__stats {
  uint32_t skills, tools;
  uint32_t groups;                              /* skills with several tools */
  uint64_t length[SKILL_RANK_FIELD_COUNT];      /* summed over skills */
  uint64_t tool_length[SKILL_RANK_FIELD_COUNT]; /* summed over tools; TAGS: name and tags of the skill */
  struct skill__df_block **blocks;
  size_t block_count, block_capacity;
  bool shared; /* a copy may share some of the blocks */
};

/* Scratch of the writer: which token was last seen when, in a byte each; all are forgotten when the byte is full. */
struct skill__token_stamps {
  uint8_t *stamp;
  size_t capacity;
  uint8_t now;
};

void skill__stats_fini(struct skill__stats *stats);
int skill__stats_copy(struct skill__stats *stats, struct skill__stats *out); /* SKILL_ENOMEM */

/* Prepares for tokens below `count`: after it, skill__stats_change cannot fail on a skill whose tokens are below.
 * `doc` is the skill that will change them; the blocks it touches are made private. SKILL_ENOMEM. */
int skill__stats_prepare(struct skill__stats *stats, struct skill__token_stamps *seen, uint32_t count,
                         const struct skill__doc *doc);

/* Adds (or takes away) a skill. `counted` says in which fields a token counts as being in the skill. */
void skill__stats_change(struct skill__stats *stats, struct skill__token_stamps *seen, const struct skill__doc *doc,
                         const bool counted[SKILL_RANK_FIELD_COUNT], bool add);

static inline struct skill__df skill__stats_df(const struct skill__stats *stats, uint32_t id) {
  size_t block = id / SKILL__DF_BLOCK;
  if (block >= stats->block_count) return (struct skill__df){0, 0};
  return stats->blocks[block]->df[id % SKILL__DF_BLOCK];
}

/* Prefetches a token's. */
static inline void skill__stats_expect(const struct skill__stats *stats, uint32_t id) {
  size_t block = id / SKILL__DF_BLOCK;
  if (block < stats->block_count) __builtin_prefetch(&stats->blocks[block]->df[id % SKILL__DF_BLOCK]);
}

/* Mean length of a field over skills (or tools), at least a hair above zero. */
double skill__stats_mean(const struct skill__stats *stats, size_t field, bool tools);

#endif
