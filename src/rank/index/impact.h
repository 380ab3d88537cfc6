/* SPDX-License-Identifier: MIT
 *
 * What each token adds to one skill, before rarity: the index side of the score in score.h.
 */
#ifndef SKILL_RANK_INDEX_IMPACT_H
#define SKILL_RANK_INDEX_IMPACT_H

#include "rank/index/snapshot.h"

struct skill__gather {
  double k1, step; /* step: saturated frequency of one unit of impact */
  double weight[SKILL_RANK_FIELD_COUNT], fixed[SKILL_RANK_FIELD_COUNT], slope[SKILL_RANK_FIELD_COUNT];
  double tool_slope[SKILL_RANK_FIELD_COUNT];
  float *skill;       /* by token number; zero between skills */
  float *tool, *best; /* the same, once there is a skill of several tools */
  float *body;        /* in the body alone, once there is a body */
  double body_slope;
  uint32_t *index; /* by token number; zero between builds */
  uint32_t tokens, tool_tokens, body_tokens;
  bool several, bodied; /* what the skill at hand has */
  uint32_t *touched;    /* tokens of the skill */
  size_t count, capacity;
  uint32_t *tool_touched;
  size_t tool_count, tool_capacity;
};

/* The score of one step of an impact. */
double skill__impact_step(const struct skill__rank_shared *shared);

/* Sets weights from `shared` and mean lengths from `stats`, and makes room for `tokens` tokens. Zero-initialise before
 * the first time; may be repeated. SKILL_ENOMEM. */
int skill__gather_prepare(struct skill__gather *gather, const struct skill__rank_shared *shared,
                          const struct skill__stats *stats, uint32_t tokens);
void skill__gather_fini(struct skill__gather *gather); /* empty afterwards, and may be prepared again */

/* Gathers one skill; its tokens are in `touched`. Returns how many, or SIZE_MAX: out of memory. */
size_t skill__gather_doc(struct skill__gather *gather, const struct skill__doc *doc);

/* The impact of one of them, 1 to 255; resets its sums. The impact assumes that the body has all of the query;
 * `typical` leaves the body's own score out, as in most queries. */
uint8_t skill__gather_take(struct skill__gather *gather, uint32_t id, uint8_t *typical);

#endif
