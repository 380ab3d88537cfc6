/* SPDX-License-Identifier: MIT
 *
 * Fielded BM25: a token's frequency in each field, weighted and divided by the field's relative length, is summed over
 * the fields and then saturated once, x (k1 + 1) / (x + k1); Robertson, Zaragoza and Taylor, "Simple BM25 extension to
 * multiple weighted fields", 2004. A skill with several tools adds a share of its best tool's own score, and pairs of
 * tokens that are neighbours in query and skill score as if they were tokens. A body counts little in that sum, or long
 * texts would outdo good descriptions; but one that has nearly all of the query is also scored alone. docs/ranking.md
 * has the formulas. Only skill__scorer_init can fail.
 */
#include "rank/query/score.h"

#include <string.h>

#include "util/alloc.h"

static void weigh(struct skill__scorer *scorer, const SkillRankSnapshot *snapshot) {
  const struct skill__rank_shared *shared = snapshot->shared;
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) {
    scorer->weight[f] = shared->weight[f];
    scorer->fixed[f] = 1 - shared->b[f];
    scorer->slope[f] = shared->b[f] / skill__stats_mean(&snapshot->stats, f, false);
    scorer->tool_weight[f] = shared->weight[f];
    scorer->tool_fixed[f] = 1 - shared->b[f];
    scorer->tool_slope[f] = shared->b[f] / skill__stats_mean(&snapshot->stats, f, true);
  }
  scorer->tool_weight[SKILL_RANK_TAGS] = SKILL__TOOL_TAGS;
  scorer->k1 = shared->k1;
  scorer->body_slope = SKILL__BODY_B / skill__stats_mean(&snapshot->stats, SKILL_RANK_BODY, false);
}

int skill__scorer_init(struct skill__scorer *scorer, const SkillRankSnapshot *snapshot,
                       struct skill__context *context) {
  const struct skill__query *query = &context->query;
  size_t n = query->term_count;
  if (SKILL__GROW(context->acc, context->acc_capacity, 5 * n + query->pair_count + 1)) return SKILL_ENOMEM;
  scorer->snapshot = snapshot;
  scorer->query = query;
  scorer->skill = context->acc;
  scorer->shared = scorer->skill + n;
  scorer->tool = scorer->shared + n;
  scorer->against = scorer->tool + n;
  scorer->body = scorer->against + n;
  scorer->pair = scorer->body + n;
  weigh(scorer, snapshot);
  return 0;
}

/* --- frequencies ------------------------------------------------------------------------------------------------ */

static double norm(const struct skill__scorer *scorer, size_t field, uint32_t length) {
  return scorer->weight[field] / (scorer->fixed[field] + scorer->slope[field] * length);
}

static double tool_norm(const struct skill__scorer *scorer, size_t field, uint32_t length) {
  return scorer->tool_weight[field] / (scorer->tool_fixed[field] + scorer->tool_slope[field] * length);
}

static void count_pair(const struct skill__scorer *scorer, int a, int b, float weight) {
  const struct skill__query *query = scorer->query;
  for (int32_t p = query->first_pair[a]; p >= 0; p = query->pairs[p].next)
    if (query->pairs[p].b == (uint32_t)b) scorer->pair[p] += weight;
}

/* Adds `weight` for each occurrence of each query term in the span; `pairs` also for adjacent ones. */
static void count_span(const struct skill__scorer *scorer, const struct skill__span *span, double weight, float *into,
                       bool pairs) {
  float w = (float)weight;
  int last = -1;
  for (struct skill__run run = skill__run_of(span); skill__run_next(&run);) {
    for (uint32_t i = 0; i < run.count; i++) {
      int term = skill__query_term(scorer->query, run.ids[i]);
      if (term >= 0) {
        into[term] += w;
        if (pairs && last >= 0) count_pair(scorer, last, term, w);
      }
      last = term;
    }
  }
}

/* The body, as one of the fields and alone. */
static void count_body(const struct skill__scorer *scorer, const struct skill__doc *doc) {
  const uint8_t *at = doc->field[SKILL_RANK_BODY].ids;
  uint32_t id = 0, length = doc->length[SKILL_RANK_BODY];
  double weight = norm(scorer, SKILL_RANK_BODY, length), alone = 1 / (1 - SKILL__BODY_B + scorer->body_slope * length);
  for (uint32_t i = 0; i < doc->body_distinct; i++) {
    id += skill__varint_get(&at);
    uint32_t tf = skill__varint_get(&at);
    int term = skill__query_term(scorer->query, id);
    if (term < 0) continue;
    scorer->skill[term] += (float)(weight * tf);
    scorer->body[term] = (float)(alone * tf);
  }
}

static void count_skill(const struct skill__scorer *scorer, const struct skill__doc *doc) {
  memset(scorer->skill, 0, scorer->query->term_count * sizeof *scorer->skill);
  memset(scorer->pair, 0, scorer->query->pair_count * sizeof *scorer->pair);
  memset(scorer->body, 0, scorer->query->term_count * sizeof *scorer->body);
  for (size_t i = 0; i < SKILL__TEXT_FIELDS; i++) {
    SkillRankField f = skill__text_fields[i];
    if (doc->field[f].count && scorer->weight[f] > 0)
      count_span(scorer, &doc->field[f], norm(scorer, f, doc->length[f]), scorer->skill, true);
  }
  if (doc->body_distinct && scorer->weight[SKILL_RANK_BODY] > 0) count_body(scorer, doc);
  const uint8_t *at = doc->tools;
  for (uint32_t t = 0; t < doc->tool_count; t++) {
    struct skill__doc_tool tool;
    skill__doc_next_tool(&at, &tool);
    for (size_t i = 0; i < SKILL__TOOL_FIELDS; i++) {
      SkillRankField own = skill__tool_fields[i].tool, f = skill__tool_fields[i].skill;
      if (tool.field[own].count && scorer->weight[f] > 0)
        count_span(scorer, &tool.field[own], norm(scorer, f, doc->length[f]), scorer->skill, true);
    }
  }
}

/* --- scores ----------------------------------------------------------------------------------------------------- */

static double saturated(double x, double k1) {
  return x * (k1 + 1) / (x + k1);
}

/* Sums a view's terms. */
static double sum_view(const struct skill__scorer *scorer, size_t v, const float *frequency, bool tool) {
  const struct skill__query *query = scorer->query;
  const struct skill__qview *view = &query->views[v];
  double sum = 0;
  for (uint32_t i = 0; i < view->count; i++) {
    const struct skill__qentry *entry = &query->entries[view->start + i];
    double x = (double)frequency[entry->term];
    if (x <= 0) continue;
    const struct skill__qterm *term = &query->terms[entry->term];
    sum += (double)entry->weight * (double)(tool ? term->tool_idf : term->idf) * saturated(x, scorer->k1);
  }
  return sum;
}

double skill__score_coverage(const struct skill__scorer *scorer, size_t v) {
  const struct skill__query *query = scorer->query;
  const struct skill__qview *view = &query->views[v];
  double held = 0, all = 0;
  for (uint32_t i = 0; i < view->count; i++) {
    const struct skill__qentry *entry = &query->entries[view->start + i];
    const struct skill__qterm *term = &query->terms[entry->term];
    if (term->id == SKILL__DICT_NONE) continue; /* no skill could hold it */
    double rarity = (double)entry->weight * (double)term->idf;
    all += rarity;
    if (scorer->body[entry->term] > 0) held += rarity;
  }
  double share = all > 0 ? held / all : 0;
  return share * share * share * share;
}

double skill__score_body_term(const struct skill__scorer *scorer, const struct skill__qentry *entry) {
  double x = (double)scorer->body[entry->term];
  if (x <= 0) return 0;
  return (double)entry->weight * (double)scorer->query->terms[entry->term].idf * saturated(x, SKILL__BODY_K1);
}

/* The body's own score, of coverage `held`. */
static double sum_body(const struct skill__scorer *scorer, size_t v, double held) {
  const struct skill__qview *view = &scorer->query->views[v];
  double sum = 0;
  for (uint32_t i = 0; i < view->count; i++)
    sum += skill__score_body_term(scorer, &scorer->query->entries[view->start + i]);
  return SKILL__BODY_SHARE * sum * held;
}

/* The best tool's score of each view, into scorer->best; returns which tool is best for the whole. */
static uint32_t score_tools(struct skill__scorer *scorer, const struct skill__doc *doc) {
  size_t n = scorer->query->term_count;
  uint32_t length = doc->length[SKILL_RANK_NAME] + doc->length[SKILL_RANK_TAGS], best = 0;
  memset(scorer->shared, 0, n * sizeof *scorer->shared);
  double weight = tool_norm(scorer, SKILL_RANK_TAGS, length);
  count_span(scorer, &doc->field[SKILL_RANK_NAME], weight, scorer->shared, false);
  count_span(scorer, &doc->field[SKILL_RANK_TAGS], weight, scorer->shared, false);
  for (size_t v = 0; v < scorer->query->view_count; v++) scorer->best[v] = 0;
  const uint8_t *at = doc->tools;
  for (uint32_t t = 0; t < doc->tool_count; t++) {
    struct skill__doc_tool tool;
    skill__doc_next_tool(&at, &tool);
    memcpy(scorer->tool, scorer->shared, n * sizeof *scorer->tool);
    for (size_t i = 0; i < SKILL__TOOL_FIELDS; i++) {
      SkillRankField f = skill__tool_fields[i].tool;
      if (tool.field[f].count)
        count_span(scorer, &tool.field[f], tool_norm(scorer, f, tool.field[f].count), scorer->tool, false);
    }
    for (size_t v = 0; v < scorer->query->view_count; v++) {
      double score = sum_view(scorer, v, scorer->tool, true);
      if (score <= scorer->best[v]) continue;
      scorer->best[v] = score;
      if (v == 0) best = t;
    }
  }
  return best;
}

static double sum_pairs(const struct skill__scorer *scorer) {
  double sum = 0;
  for (size_t p = 0; p < scorer->query->pair_count; p++) {
    double x = (double)scorer->pair[p];
    const struct skill__qpair *pair = &scorer->query->pairs[p];
    if (x > 0) sum += (double)pair->weight * (double)pair->idf * saturated(x, scorer->k1);
  }
  return sum;
}

static double sum_against(const struct skill__scorer *scorer, const struct skill__doc *doc) {
  const struct skill__span *span = &doc->field[SKILL_RANK_NOT_WHEN];
  if (!span->count) return 0;
  memset(scorer->against, 0, scorer->query->term_count * sizeof *scorer->against);
  count_span(scorer, span, norm(scorer, SKILL_RANK_NOT_WHEN, doc->length[SKILL_RANK_NOT_WHEN]), scorer->against, false);
  return sum_view(scorer, 0, scorer->against, false);
}

void skill__score_doc(struct skill__scorer *scorer, const struct skill__doc *doc, struct skill__doc_score *score) {
  size_t views = scorer->query->view_count;
  count_skill(scorer, doc);
  for (size_t v = 0; v < views; v++) scorer->view[v] = sum_view(scorer, v, scorer->skill, false);
  score->words = scorer->view[0];
  score->phrase = SKILL__PHRASE_SHARE * sum_pairs(scorer);
  score->against = SKILL__NOT_WHEN_SHARE * sum_against(scorer, doc);
  score->best_tool = 0;
  if (doc->tool_count)
    score->best_tool = score_tools(scorer, doc);
  else /* a skill without several tools is its own only tool */
    memcpy(scorer->best, scorer->view, views * sizeof *scorer->best);
  score->tool = scorer->best[0];
  /* Without a skill of several tools in the catalogue the share would only scale all scores. */
  double share = scorer->snapshot->stats.groups ? SKILL__TOOL_SHARE : 0;
  score->held = doc->body_distinct ? skill__score_coverage(scorer, 0) : 0;
  score->body = doc->body_distinct ? sum_body(scorer, 0, score->held) : 0;
  score->whole = score->words + share * score->tool + score->phrase + score->body - score->against;
  if (score->whole < 0) score->whole = 0;
  score->piece = views == 1 ? scorer->view[0] + share * scorer->best[0] + score->body : 0;
  for (size_t v = 1; v < views; v++) {
    double piece = scorer->view[v] + share * scorer->best[v] +
                   (doc->body_distinct ? sum_body(scorer, v, skill__score_coverage(scorer, v)) : 0);
    if (piece > score->piece) score->piece = piece;
  }
}

static size_t count_distinct(const struct skill__scorer *scorer, const struct skill__span *span) {
  memset(scorer->skill, 0, scorer->query->term_count * sizeof *scorer->skill);
  count_span(scorer, span, 1, scorer->skill, false);
  size_t count = 0;
  for (size_t i = 0; i < scorer->query->term_count; i++) count += scorer->skill[i] > 0;
  return count;
}

double skill__score_additive(struct skill__scorer *scorer, const struct skill__doc *doc) {
  double sum = 0;
  for (size_t i = 0; i < SKILL__ADDITIVE_FIELDS; i++) {
    SkillRankField f = skill__additive_fields[i];
    sum += scorer->weight[f] * (double)count_distinct(scorer, &doc->field[f]);
  }
  return sum;
}
