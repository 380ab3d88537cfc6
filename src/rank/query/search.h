/* SPDX-License-Identifier: MIT
 *
 * From a query to ranked candidates.
 */
#ifndef SKILL_RANK_QUERY_SEARCH_H
#define SKILL_RANK_QUERY_SEARCH_H

#include "rank/query/score.h"

/* How scores of words and of vectors became one: score = words * (whole + piece * piece share) + vectors * cosine. */
struct skill__fusion {
  double words, piece, vectors;
  double best_fit;
};

/* How scores spread over the catalogue: standard deviations. */
struct skill__spread {
  double words, vectors;
};

/* Fills context->candidates with the skills that may be results, scored and in order. `context->query` was read.
 * SKILL_ENOMEM. */
int skill__search(struct skill__context *context, const SkillRankSnapshot *snapshot, const SkillQuery *query,
                  const char *text, size_t length, struct skill__fusion *fusion);

/* First stage: the skills of the greatest rounded score and the nearest vectors, as context->hits: `count` and
 * `near` of them. Estimates the spread. SKILL_ENOMEM. */
int skill__first_stage(struct skill__context *context, const SkillRankSnapshot *snapshot, size_t count, size_t near,
                       bool hidden, size_t *found, struct skill__spread *spread);

/* The skills whose vectors are nearest, and the spread of the cosines. SKILL_ENOMEM. */
int skill__nearest(struct skill__context *context, const SkillRankSnapshot *snapshot, bool hidden,
                   struct skill__best *best, double *spread);

/* How near a skill is to the query, 0 to 1: the mean of the whole and of the best piece. */
double skill__doc_cosine(const struct skill__query *query, const struct skill__segment *segment, uint32_t doc);

/* Turns scores into one score and order; candidates that score nothing are dropped. `spread` NULL: all skills are
 * candidates, it is taken from them. */
void skill__fuse(struct skill__context *context, const SkillRankSnapshot *snapshot, const struct skill__spread *spread,
                 struct skill__fusion *fusion);

/* Makes the result of ordered candidates. */
int skill__result_new(struct skill__context *context, const SkillRankSnapshot *snapshot, const SkillQuery *query,
                      const struct skill__fusion *fusion, SkillRanking **out);

#endif
