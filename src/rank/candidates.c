/* SPDX-License-Identifier: MIT
 *
 * The first stage: which skills are worth an exact score. Fails only when memory is out.
 */
#include <math.h>
#include <string.h>

#include "rank/search.h"
#include "rank/sketch.h"
#include "util/alloc.h"

#define WEIGHT_UNIT 64.0 /* steps of a token's weight */

/* --- vectors ------------------------------------------------------------------------------------------------------ */

static double cosine(const struct skill__segment *segment, size_t row, const int8_t *vector, float unit) {
  int32_t dot = skill__terms_dot(segment->vectors + row * segment->dims, vector, segment->dims);
  return (double)dot * (double)unit * (double)segment->units[row];
}

/* How near a skill is to one view: half itself, half its nearest tool. */
static double view_cosine(const struct skill__segment *segment, uint32_t doc, const int8_t *vector, float unit) {
  size_t first = segment->rows[doc], end = segment->rows[doc + 1];
  double own = cosine(segment, first, vector, unit), best = first + 1 < end ? -1 : own;
  for (size_t row = first + 1; row < end; row++) {
    double other = cosine(segment, row, vector, unit);
    if (other > best) best = other;
  }
  double both = (own + best) / 2;
  return both > 0 ? both : 0;
}

double skill__doc_cosine(const struct skill__query *query, const struct skill__segment *segment, uint32_t doc) {
  if (!segment->rows || !query->vectors) return 0;
  double whole = view_cosine(segment, doc, query->vectors, query->views[0].unit);
  double best = query->view_count == 1 ? whole : 0;
  for (size_t v = 1; v < query->view_count; v++) {
    double piece = view_cosine(segment, doc, query->vectors + v * segment->dims, query->views[v].unit);
    if (piece > best) best = piece;
  }
  return (whole + best) / 2;
}

/* --- words -------------------------------------------------------------------------------------------------------- */

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

static int find_words(struct skill__context *context, const SkillRankSnapshot *snapshot, bool hidden,
                      struct skill__best *best, double *spread) {
  double variance = 0, skills = 0;
  if (SKILL__GROW(context->lists, context->list_capacity, context->query.term_count + 1)) return SKILL_ENOMEM;
  if (SKILL__GROW(context->sums.values, context->value_capacity, best->limit + 1)) return SKILL_ENOMEM;
  for (uint32_t p = 0; p < snapshot->part_count; p++) {
    const struct skill__part *part = &snapshot->parts[p];
    struct skill__search_place place = {p, part->dead ? part->dead->bits : NULL, hidden ? NULL : part->segment->hidden};
    size_t count = make_lists(context, part->segment, &variance);
    skills += part->segment->count;
    if (count) skill__postings_search(context->lists, count, &place, false, &context->sums, best);
  }
  double k1 = snapshot->shared->k1, step = (k1 + 1) * (1 + SKILL__TOOL_SHARE) / SKILL__IMPACT_TOP;
  /* Without skills of several tools the exact score leaves the tool's share out. */
  double scale = snapshot->stats.groups ? step : step / (1 + SKILL__TOOL_SHARE);
  *spread = skills > 0 ? sqrt(variance / skills) * scale : 0;
  return 0;
}

/* --- vectors ------------------------------------------------------------------------------------------------------ */

#define COSINE_UNIT 16777216.0

enum {
  SKETCH_FROM = 5000, /* vectors of a segment from which on only those with a near sketch are looked at */
  NEAR_EACH = 4,      /* of them for each candidate wanted */
  NEAR_MORE = 48,
  SAMPLE = 64 /* skills that the spread is taken from */
};

/* Of each skill: half itself, half its nearest tool, nothing below zero. In place. */
static void fold_tools(const struct skill__segment *segment, float *row) {
  for (uint32_t doc = 0; doc < segment->count; doc++) {
    size_t first = segment->rows[doc], end = segment->rows[doc + 1];
    float own = row[first], tool = first + 1 < end ? -1.f : own;
    for (size_t i = first + 1; i < end; i++) tool = row[i] > tool ? row[i] : tool;
    row[doc] = (own + tool) / 2;
  }
}

/* The mean of the whole and of the best piece, into the first row. */
static void fold_views(float *cosines, size_t rows, size_t skills, size_t views) {
  float *whole = cosines, *best = cosines + rows;
  for (size_t i = 0; i < skills; i++) whole[i] = whole[i] > 0 ? whole[i] : 0;
  if (views == 1) return;
  for (size_t v = 2; v < views; v++) {
    const float *row = cosines + v * rows;
    for (size_t i = 0; i < skills; i++) best[i] = row[i] > best[i] ? row[i] : best[i];
  }
  for (size_t i = 0; i < skills; i++) whole[i] = (whole[i] + (best[i] > 0 ? best[i] : 0)) / 2;
}

/* Offers the nearest skills; blocks without one near enough are passed over. */
static void offer_near(const struct skill__part *part, uint32_t number, const float *near, bool hidden,
                       struct skill__best *best) {
  enum { BLOCK = 32 };
  const struct skill__segment *segment = part->segment;
  float least = 0;
  for (uint32_t from = 0; from < segment->count; from += BLOCK) {
    uint32_t to = from + BLOCK < segment->count ? from + BLOCK : segment->count;
    float most = 0;
    for (uint32_t doc = from; doc < to; doc++) most = near[doc] > most ? near[doc] : most;
    if (most <= least) continue;
    for (uint32_t doc = from; doc < to; doc++) {
      if (near[doc] <= least || skill__dead_has(part->dead, doc)) continue;
      if (!hidden && segment->hidden && (segment->hidden[doc / 64] >> (doc % 64) & 1)) continue;
      skill__best_offer(best, (struct skill__hit){(uint32_t)((double)near[doc] * COSINE_UNIT), number, doc});
    }
    if (best->count == best->limit && best->limit)
      least = (float)((double)best->hits[0].score / COSINE_UNIT) - 1e-6f; /* equal ones may still come before */
  }
}

struct moments {
  double n, sum, square;
};

/* Eight sums side by side, so that the compiler may keep them in one register. */
static void add_moments(struct moments *moments, const float *values, size_t count) {
  enum { LANES = 8, RUN = 512 }; /* short runs, so that single precision does */
  for (size_t from = 0; from < count; from += RUN) {
    size_t to = from + RUN < count ? from + RUN : count, i = from;
    float sum[LANES] = {0}, square[LANES] = {0};
    for (; i + LANES <= to; i += LANES)
      for (size_t k = 0; k < LANES; k++) {
        sum[k] += values[i + k];
        square[k] += values[i + k] * values[i + k];
      }
    for (size_t k = 0; k < LANES; k++) {
      moments->sum += (double)sum[k];
      moments->square += (double)square[k];
    }
    for (; i < to; i++) {
      moments->sum += (double)values[i];
      moments->square += (double)values[i] * (double)values[i];
    }
  }
  moments->n += (double)count;
}

/* Every vector of a segment. */
static int scan_all(struct skill__context *context, const SkillRankSnapshot *snapshot, uint32_t number, bool hidden,
                    struct skill__best *best, struct moments *moments) {
  const struct skill__query *query = &context->query;
  const struct skill__segment *segment = snapshot->parts[number].segment;
  struct skill__terms_query views[1 + SKILL__QUERY_PIECES];
  size_t rows = segment->rows[segment->count], count = query->view_count;
  if (SKILL__GROW(context->cosines, context->cosine_capacity, rows * count)) return SKILL_ENOMEM;
  for (size_t v = 0; v < count; v++)
    views[v] = (struct skill__terms_query){query->vectors + v * segment->dims, query->views[v].unit};
  skill__terms_scan(segment->vectors, segment->units, rows, segment->dims, views, count, context->cosines);
  for (size_t v = 0; v < count && rows > segment->count; v++) fold_tools(segment, context->cosines + v * rows);
  fold_views(context->cosines, rows, segment->count, count);
  add_moments(moments, context->cosines, segment->count);
  offer_near(&snapshot->parts[number], number, context->cosines, hidden, best);
  return 0;
}

/* The skill that a row belongs to. */
static uint32_t owner(const struct skill__segment *segment, uint32_t row) {
  uint32_t low = 0, high = segment->count;
  if (segment->rows[segment->count] == segment->count) return row;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (segment->rows[middle] <= row)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Only the vectors whose sketches are near to one of the views; the spread from an even sample. */
static int scan_near(struct skill__context *context, const SkillRankSnapshot *snapshot, uint32_t number, bool hidden,
                     struct skill__best *best, struct moments *moments) {
  const struct skill__query *query = &context->query;
  const struct skill__part *part = &snapshot->parts[number];
  const struct skill__segment *segment = part->segment;
  size_t rows = segment->rows[segment->count], want = NEAR_EACH * best->limit + NEAR_MORE, room = 2 * want;
  if (SKILL__GROW(context->distances, context->distance_capacity, rows) ||
      SKILL__GROW(context->near, context->near_capacity, room))
    return SKILL_ENOMEM;
  for (size_t v = 0; v < query->view_count; v++) {
    uint64_t signs[SKILL__SKETCH_WORDS];
    if (query->views[v].unit <= 0) continue;
    skill__sketch_make(query->vectors + v * segment->dims, 1, signs);
    size_t found = skill__sketch_nearest(segment->signs, rows, signs, want, context->distances, context->near, room);
    uint32_t last = UINT32_MAX;
    for (size_t i = 0; i < found; i++) { /* they lie anywhere: ask memory for all of them at once */
      const int8_t *row = segment->vectors + (size_t)context->near[i] * segment->dims;
      __builtin_prefetch(row);
      __builtin_prefetch(row + 64);
    }
    for (size_t i = 0; i < found; i++) {
      uint32_t doc = owner(segment, context->near[i]);
      if (doc == last || skill__dead_has(part->dead, doc)) continue;
      last = doc;
      if (!hidden && segment->hidden && (segment->hidden[doc / 64] >> (doc % 64) & 1)) continue;
      double near = skill__doc_cosine(query, segment, doc);
      if (near > 0) skill__best_offer(best, (struct skill__hit){(uint32_t)(near * COSINE_UNIT), number, doc});
    }
  }
  for (uint32_t i = 0; i < SAMPLE; i++) {
    uint32_t doc = (uint32_t)((uint64_t)segment->count * i / SAMPLE);
    double near = skill__doc_cosine(query, segment, doc), weight = (double)segment->count / SAMPLE;
    moments->n += weight;
    moments->sum += weight * near;
    moments->square += weight * near * near;
  }
  return 0;
}

static int find_vectors(struct skill__context *context, const SkillRankSnapshot *snapshot, bool hidden,
                        struct skill__best *best, double *spread) {
  struct moments moments = {0, 0, 0};
  for (uint32_t p = 0; p < snapshot->part_count; p++) {
    const struct skill__segment *segment = snapshot->parts[p].segment;
    if (!segment->rows) continue;
    bool many = segment->signs && segment->rows[segment->count] > SKETCH_FROM;
    int status = many ? scan_near(context, snapshot, p, hidden, best, &moments)
                      : scan_all(context, snapshot, p, hidden, best, &moments);
    if (status) return status;
  }
  double mean = moments.n > 0 ? moments.sum / moments.n : 0;
  double variance = moments.n > 0 ? moments.square / moments.n - mean * mean : 0;
  *spread = variance > 0 ? sqrt(variance) : 0;
  return 0;
}

int skill__candidates(struct skill__context *context, const SkillRankSnapshot *snapshot, size_t count, bool hidden,
                      size_t *found, struct skill__spread *spread) {
  if (SKILL__GROW(context->hits, context->hit_capacity, 2 * count)) return SKILL_ENOMEM;
  struct skill__best words = {context->hits, 0, count};
  *spread = (struct skill__spread){0, 0};
  int status = find_words(context, snapshot, hidden, &words, &spread->words);
  struct skill__best vectors = {context->hits + words.count, 0, count};
  if (!status && snapshot->shared->terms && context->query.view_count)
    status = find_vectors(context, snapshot, hidden, &vectors, &spread->vectors);
  *found = words.count + vectors.count;
  return status;
}
