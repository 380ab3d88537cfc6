/* SPDX-License-Identifier: MIT
 *
 * The first stage by words, and both together: which skills are worth an exact score. Fails only when memory is out.
 */
#include <math.h>

#include "rank/index/impact.h"
#include "rank/query/search.h"
#include "util/alloc.h"

#define WEIGHT_UNIT 64.0 /* steps of a token's weight */

/* Impacts and rarity of the query's tokens in one segment. Adds up what the sums' mean and variance would be if tokens
 * were independent; only their ratio to the vectors' spread matters. */
static size_t make_lists(struct skill__context *context, const struct skill__segment *segment, double *variance) {
  const struct skill__query *query = &context->query;
  size_t count = 0;
  double n = segment->count;
  for (uint32_t i = 0; i < query->views[0].count; i++) {
    const struct skill__qentry *entry = &query->entries[i];
    const struct skill__qterm *term = &query->terms[entry->term];
    struct skill__list *list = &context->lists[count];
    uint32_t square = 0;
    if (term->id == SKILL__DICT_NONE || !skill__postings_find(&segment->postings, term->id, list, &square)) continue;
    double weight = (double)entry->weight * (double)term->idf, share = list->count / n;
    list->weight = (uint32_t)(weight * WEIGHT_UNIT + 1);
    list->most *= list->weight;
    *variance += n * weight * weight * square * square * share * (1 - share);
    count++;
  }
  return count;
}

/* Makes sums for the largest segment. */
static int make_sums(struct skill__context *context, const SkillRankSnapshot *snapshot) {
  enum { STEP = 4096 };
  size_t most = 0;
  for (size_t p = 0; p < snapshot->part_count; p++)
    if (snapshot->parts[p].segment->count > most) most = snapshot->parts[p].segment->count;
  if (most <= context->sum_capacity) return 0;
  most = (most + STEP - 1) / STEP * STEP;
  uint32_t *sums = skill__calloc(most, sizeof *sums);
  uint16_t *seen = sums ? skill__calloc(most + 1, sizeof *seen) : NULL;
  if (!seen) {
    skill__free(sums);
    return SKILL_ENOMEM;
  }
  skill__free(context->sums.sums);
  skill__free(context->sums.seen);
  context->sums.sums = sums;
  context->sums.seen = seen;
  context->sum_capacity = most;
  return 0;
}

static int find_words(struct skill__context *context, const SkillRankSnapshot *snapshot, bool hidden,
                      struct skill__best *best, double *spread) {
  double variance = 0, skills = 0;
  if (SKILL__GROW(context->lists, context->list_capacity, context->query.term_count + 1)) return SKILL_ENOMEM;
  if (make_sums(context, snapshot)) return SKILL_ENOMEM;
  if (SKILL__GROW(context->sums.values, context->value_capacity, best->limit + 1)) return SKILL_ENOMEM;
  for (uint32_t p = 0; p < snapshot->part_count; p++) {
    const struct skill__rank_part *part = &snapshot->parts[p];
    struct skill__search_place place = {p, part->dead ? part->dead->bits : NULL, hidden ? NULL : part->segment->hidden};
    size_t count = make_lists(context, part->segment, &variance);
    skills += part->segment->count;
    if (count) skill__postings_search(context->lists, count, &place, &context->sums, best);
  }
  double step = skill__impact_step(snapshot->shared);
  /* Without skills of several tools the exact score leaves the tool's share out. */
  double scale = snapshot->stats.groups ? step : step / (1 + SKILL__TOOL_SHARE);
  *spread = skills > 0 ? sqrt(variance / skills) * scale : 0;
  return 0;
}

int skill__first_stage(struct skill__context *context, const SkillRankSnapshot *snapshot, size_t count, size_t near,
                       bool hidden, size_t *found, struct skill__spread *spread) {
  if (SKILL__GROW(context->hits, context->hit_capacity, count + near)) return SKILL_ENOMEM;
  struct skill__best words = {context->hits, 0, count};
  *spread = (struct skill__spread){0, 0};
  int status = find_words(context, snapshot, hidden, &words, &spread->words);
  struct skill__best vectors = {context->hits + words.count, 0, near};
  if (!status && snapshot->shared->terms && context->query.view_count)
    status = skill__nearest(context, snapshot, hidden, &vectors, &spread->vectors);
  *found = words.count + vectors.count;
  return status;
}
