/* SPDX-License-Identifier: MIT
 *
 * The ranking of docs/ranking.md, "The formulas", in the plainest way: every skill, every token, no index and no
 * shortcuts. It has its own copy of all numbers, so that one that changes by mistake is seen. Tests compare the ranker
 * with it. It shares the analyzer, the learned table and the rounding of vectors with the ranker, nothing else.
 */
#ifndef TEST_LIB_REFERENCE_H
#define TEST_LIB_REFERENCE_H

#include "rank/table/terms.h"
#include "skillet/rank.h"

struct reference;

struct reference_skill {
  SkillMetadata metadata;
  const char *body; /* or NULL */
};

struct reference_query {
  const char *text;                                   /* what is ranked: without the conditions of a filter */
  bool conditions;                                    /* there were some */
  bool (*shown)(void *user, const SkillMetadata *of); /* NULL: all */
  void *user;
};

struct reference_score {
  double score, fit;
  bool found; /* it is a result if there is no floor */
};

/* Reads the skills, which are borrowed like `terms` (NULL: words alone). Release with reference_free. */
struct reference *reference_new(const struct reference_skill *skills, size_t count, const struct skill__terms *terms,
                                SkillScorer scorer);
void reference_free(struct reference *reference);

/* Scores every skill; `scores` has as many elements as there are skills. */
void reference_rank(struct reference *reference, const struct reference_query *query, struct reference_score *scores);

#endif
