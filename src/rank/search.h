/* SPDX-License-Identifier: MIT
 *
 * From a query to ranked candidates.
 */
#ifndef SKILL_RANK_SEARCH_H
#define SKILL_RANK_SEARCH_H

#include "rank/score.h"

/* How scores of words and of vectors became one: score = words * (whole + piece * piece share) + vectors * cosine. */
struct skill__fusion {
  double words, piece, vectors;
  double best_fit;
};

/* Fills context->candidates with the skills that may be results, scored and in order. `context->query` was read.
 * SKILL_ENOMEM. */
int skill__search(struct skill__context *context, const SkillRankSnapshot *snapshot, const SkillQuery *query,
                  const char *text, size_t length, struct skill__fusion *fusion);

/* Finds the skills whose names are the query or, for names of several words, in it. */
void skill__search_pins(struct skill__context *context, const SkillRankSnapshot *snapshot, const char *text,
                        size_t length);

/* Turns scores into one score and order; candidates that score nothing are dropped. */
void skill__fuse(struct skill__context *context, const SkillRankSnapshot *snapshot, struct skill__fusion *fusion);

/* Makes the result of ordered candidates. */
int skill__result_new(struct skill__context *context, const SkillRankSnapshot *snapshot, const SkillQuery *query,
                      const struct skill__fusion *fusion, SkillRanking **out);

#endif
