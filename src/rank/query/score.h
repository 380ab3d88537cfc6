/* SPDX-License-Identifier: MIT
 *
 * The exact score of one skill for one query.
 */
#ifndef SKILL_RANK_QUERY_SCORE_H
#define SKILL_RANK_QUERY_SCORE_H

#include "rank/query/context.h"
#include "rank/weights.h"

/* Ready for many skills of one query. */
struct skill__scorer {
  const SkillRankSnapshot *snapshot;
  const struct skill__query *query;
  double k1, body_slope;
  double weight[SKILL_RANK_FIELD_COUNT], fixed[SKILL_RANK_FIELD_COUNT], slope[SKILL_RANK_FIELD_COUNT];
  double tool_weight[SKILL_RANK_FIELD_COUNT], tool_fixed[SKILL_RANK_FIELD_COUNT], tool_slope[SKILL_RANK_FIELD_COUNT];
  float *skill;  /* scratch: of each term, the skill's weighted frequency */
  float *shared; /* what the skill's name and tags give each of its tools */
  float *tool;
  float *pair; /* of each pair */
  float *against;
  float *body; /* frequency in the body alone, over the body's relative length */
  double view[1 + SKILL__QUERY_PIECES];
  double best[1 + SKILL__QUERY_PIECES];
};

struct skill__doc_score {
  double whole;                        /* S: words + best tool + pairs + body - against */
  double piece;                        /* the best piece's S, without pairs */
  double words, phrase, against, tool; /* of the whole; tool: the best tool's S */
  double body;                         /* of the whole: the body's own score */
  double held;                         /* skill__score_coverage of the whole */
  uint32_t best_tool;
};

/* Uses context->acc as scratch until another scorer is made. SKILL_ENOMEM. */
int skill__scorer_init(struct skill__scorer *scorer, const SkillRankSnapshot *snapshot, struct skill__context *context);

void skill__score_doc(struct skill__scorer *scorer, const struct skill__doc *doc, struct skill__doc_score *score);

/* The share of a view's rarity that the body has, to the fourth power: 1 if it has all of it. A body that has nearly
 * all of the query counts; one that shares a few words with it hardly does. Frequencies are of the last skill. */
double skill__score_coverage(const struct skill__scorer *scorer, size_t view);

/* What one of a view's terms adds to the body's own score, before coverage. */
double skill__score_body_term(const struct skill__scorer *scorer, const struct skill__qentry *entry);

/* The additive score: the field's weight (name 2, tags 1, description 0.5) once for each distinct term in it. */
double skill__score_additive(struct skill__scorer *scorer, const struct skill__doc *doc);

/* What term and field contributed to the words of the whole; `field` of SkillRankField. */
typedef int skill__share_fn(void *user, uint32_t term, SkillRankField field, double score);
int skill__score_explain(struct skill__scorer *scorer, const struct skill__doc *doc, skill__share_fn *fn, void *user);

/* What each pair contributed. */
typedef int skill__pair_fn(void *user, uint32_t a, uint32_t b, double score);
int skill__score_pairs(struct skill__scorer *scorer, const struct skill__doc *doc, skill__pair_fn *fn, void *user);

#endif
