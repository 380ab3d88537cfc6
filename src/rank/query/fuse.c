/* SPDX-License-Identifier: MIT
 *
 * One score out of words and vectors. Both are put on one scale by their spread over the catalogue; the less of the
 * query the catalogue's words cover, the more the vectors decide. Nothing here fails.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rank/query/search.h"

static int by_score(const void *x, const void *y) {
  const struct skill__rank_candidate *a = x, *b = y;
  if (a->score != b->score) return a->score < b->score ? 1 : -1;
  return strcmp(a->name, b->name);
}

struct spread {
  double sum, square;
};

static double deviation(const struct spread *spread, double n) {
  double mean = spread->sum / n, variance = spread->square / n - mean * mean;
  return variance > 0 ? sqrt(variance) : 0;
}

/* Spread over all skills, when all are candidates. */
static struct skill__spread measure(const struct skill__context *context, double piece) {
  struct spread words = {0, 0}, vectors = {0, 0};
  double n = (double)context->candidate_count;
  for (size_t i = 0; i < context->candidate_count; i++) {
    const struct skill__rank_candidate *candidate = &context->candidates[i];
    double w = candidate->whole + piece * candidate->piece, v = candidate->cosine;
    words.sum += w;
    words.square += w * w;
    vectors.sum += v;
    vectors.square += v * v;
  }
  return (struct skill__spread){deviation(&words, n), deviation(&vectors, n)};
}

static void set_fusion(const struct skill__context *context, const struct skill__spread *known,
                       struct skill__fusion *fusion) {
  double top = 0, top_piece = 0, held = 0;
  for (size_t i = 0; i < context->candidate_count; i++) {
    if (context->candidates[i].whole > top) top = context->candidates[i].whole;
    if (context->candidates[i].piece > top_piece) top_piece = context->candidates[i].piece;
    if (context->candidates[i].held > held) held = context->candidates[i].held;
  }
  fusion->piece = top_piece > 0 ? SKILL__PIECE_SHARE * top / top_piece : 0;
  struct skill__spread spread;
  if (known)
    spread = (struct skill__spread){known->words * (1 + SKILL__PIECE_SHARE), known->vectors};
  else
    spread = measure(context, fusion->piece);
  double terms = (double)context->query.term_count;
  double share = SKILL__VECTOR_SHARE * (terms > SKILL__VECTOR_LENGTH ? sqrt(SKILL__VECTOR_LENGTH / terms) : 1);
  share *= fmin(1, context->query.in_table / SKILL__TABLE_ENOUGH);
  share *= 1 - SKILL__HELD_SHARE * held;
  fusion->words = context->query.known;
  if (spread.words <= 0) spread.words = 1;
  fusion->vectors = spread.vectors > 0 ? share * spread.words / spread.vectors : 0;
}

/* What speaks for an answer, on a curve that never ends: the cosine, how much of the query the catalogue's words cover,
 * and how near the skill's score comes to the greatest possible. */
static double fit_of(const struct skill__context *context, const struct skill__rank_candidate *candidate,
                     bool vectors) {
  const struct skill__query *query = &context->query;
  double covered = query->ceiling > 0 ? candidate->whole / query->ceiling : 0;
  if (!vectors) {
    double evidence = query->known + SKILL__FIT_WORDS_COVERED * covered;
    return evidence / (evidence + SKILL__FIT_WORDS_HALF);
  }
  double cosine = candidate->cosine * (1 + SKILL__FIT_UNKNOWN * (1 - query->known));
  double evidence = cosine + SKILL__FIT_KNOWN * query->known + SKILL__FIT_COVERED * covered;
  return evidence / (evidence + SKILL__FIT_HALF);
}

/* The floor asks whether anything answers the query; what scores nearly as high as the best answer stays with it. */
static void settle_fit(struct skill__context *context, double best, double top) {
  for (size_t i = 0; i < context->candidate_count; i++) {
    struct skill__rank_candidate *candidate = &context->candidates[i];
    double beside = top > 0 ? best * sqrt(candidate->score / top) : 0;
    if (beside > candidate->fit) candidate->fit = beside;
    if (candidate->tier == 1 && candidate->fit < SKILL__FIT_PREFIX) candidate->fit = SKILL__FIT_PREFIX;
    if (candidate->tier >= 2) candidate->fit = 1;
    candidate->score += candidate->tier * (top + 1);
  }
}

void skill__fuse(struct skill__context *context, const SkillRankSnapshot *snapshot, const struct skill__spread *spread,
                 struct skill__fusion *fusion) {
  bool additive = snapshot->shared->scorer == SKILL_SCORER_ADDITIVE;
  bool vectors = snapshot->shared->terms && !additive;
  *fusion = (struct skill__fusion){1, 0, 0, 0};
  if (vectors && context->candidate_count) set_fusion(context, spread, fusion);
  size_t kept = 0;
  double top = 0;
  for (size_t i = 0; i < context->candidate_count; i++) {
    struct skill__rank_candidate candidate = context->candidates[i];
    candidate.score =
        fusion->words * (candidate.whole + fusion->piece * candidate.piece) + fusion->vectors * candidate.cosine;
    candidate.fit = additive ? candidate.whole > 0 : fit_of(context, &candidate, vectors);
    /* Conditions without words to rank: everything that meets them is an answer. */
    if (context->query.term_count == 0 && context->filtered) candidate.fit = 1;
    if (candidate.score <= 0 && !candidate.tier && candidate.fit < 1) continue;
    if (candidate.score > top) top = candidate.score;
    if (candidate.fit > fusion->best_fit) fusion->best_fit = candidate.fit;
    context->candidates[kept++] = candidate;
  }
  context->candidate_count = kept;
  settle_fit(context, fusion->best_fit, top);
  if (kept) qsort(context->candidates, kept, sizeof *context->candidates, by_score);
}
