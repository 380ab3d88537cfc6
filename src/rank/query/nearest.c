/* SPDX-License-Identifier: MIT
 *
 * The first stage by vectors: the skills nearest to the query or one of its pieces. Small segments are looked at whole,
 * of large ones what is near by its sketch. Fails only when memory is out.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rank/index/doc_vectors.h"
#include "rank/index/sign_sketch.h"
#include "rank/index/sort_numbers.h"
#include "rank/query/search.h"
#include "rank/table/packed_vector.h"
#include "rank/table/terms_simd.h"
#include "util/alloc.h"

#define COSINE_UNIT 16777216.0

/* --- one skill ---------------------------------------------------------------------------------------------------- */

struct nearness {
  double own, tool; /* of a view to the skill itself, and to its nearest tool */
};

/* The products of one row with all views, in one call of the kernel: the views are its matrix. */
static void add_row(const struct skill__query *query, const struct skill__segment *segment, size_t row, bool first,
                    struct nearness *views) {
  int32_t products[1 + SKILL__QUERY_PIECES];
  int8_t vector[SKILL__TERMS_MAX_DIMS];
  float factor;
  uint8_t room[SKILL__TERMS_MAX_DIMS];
  skill__unpack(skill__vector_at(segment, row, room), 1, segment->dims, vector, &factor);
  skill__terms_kernel()(query->vectors, query->view_count, segment->dims, vector, products);
  double unit = (double)factor;
  for (size_t v = 0; v < query->view_count; v++) {
    double near = (double)products[v] * (double)query->views[v].unit * unit;
    if (first) views[v].own = near;
    if (!first && near > views[v].tool) views[v].tool = near;
  }
}

double skill__doc_cosine(const struct skill__query *query, const struct skill__segment *segment, uint32_t doc) {
  if (!segment->row_count || !query->vectors) return 0;
  struct nearness views[1 + SKILL__QUERY_PIECES];
  size_t first = skill__segment_row(segment, doc), end = skill__segment_row(segment, doc + 1);
  for (size_t v = 0; v < query->view_count; v++) views[v].tool = -1;
  for (size_t row = first; row < end; row++) add_row(query, segment, row, row == first, views);
  double whole = 0, best = 0;
  for (size_t v = 0; v < query->view_count; v++) {
    double near = (views[v].own + (first + 1 < end ? views[v].tool : views[v].own)) / 2;
    if (v == 0 && near > 0) whole = near;
    if ((v > 0 || query->view_count == 1) && near > best) best = near;
  }
  return (whole + best) / 2;
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

enum { UNPACKED = 64 /* vectors that are unpacked at once */ };

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
static void offer_near(const struct skill__rank_part *part, uint32_t number, const float *near, bool hidden,
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
  size_t rows = segment->row_count, count = query->view_count, size = skill__packed_size(segment->dims);
  int8_t vectors[UNPACKED * SKILL__TERMS_MAX_DIMS];
  float units[UNPACKED];
  if (SKILL__GROW(context->cosines, context->cosine_capacity, rows * count)) return SKILL_ENOMEM;
  for (size_t v = 0; v < count; v++)
    views[v] = (struct skill__terms_query){query->vectors + v * segment->dims, query->views[v].unit};
  for (size_t from = 0; from < rows; from += UNPACKED) {
    size_t here = rows - from < UNPACKED ? rows - from : UNPACKED;
    skill__unpack(segment->vectors + from * size, here, segment->dims, vectors, units);
    skill__terms_scan(vectors, units, here, segment->dims, views, count, context->cosines + from, rows);
  }
  for (size_t v = 0; v < count && segment->rows; v++) fold_tools(segment, context->cosines + v * rows);
  fold_views(context->cosines, rows, segment->count, count);
  add_moments(moments, context->cosines, segment->count);
  offer_near(&snapshot->parts[number], number, context->cosines, hidden, best);
  return 0;
}

static int by_rows(const void *x, const void *y) {
  const uint32_t *row = x, *first = y;
  return *row < first[0] ? -1 : *row >= first[1];
}

/* The skill that a row belongs to. */
static uint32_t owner(const struct skill__segment *segment, uint32_t row) {
  if (!segment->rows) return row;
  const uint32_t *found = bsearch(&row, segment->rows, segment->count, sizeof row, by_rows);
  return (uint32_t)(found - segment->rows);
}

/* The spread of a segment's cosines, from an even sample. */
static void add_sample(const struct skill__query *query, const struct skill__segment *segment,
                       struct moments *moments) {
  double weight = (double)segment->count / SKILL__SPREAD_SAMPLE;
  uint32_t docs[SKILL__SPREAD_SAMPLE];
  for (uint32_t i = 0; i < SKILL__SPREAD_SAMPLE; i++) {
    docs[i] = (uint32_t)((uint64_t)segment->count * i / SKILL__SPREAD_SAMPLE);
    skill__vector_expect(segment, skill__segment_row(segment, docs[i]));
  }
  for (uint32_t i = 0; i < SKILL__SPREAD_SAMPLE; i++) {
    double near = skill__doc_cosine(query, segment, docs[i]);
    moments->n += weight;
    moments->sum += weight * near;
    moments->square += weight * near * near;
  }
}

/* Rows whose sketches are near to one of the views, each once, into context->near. */
static int find_near(struct skill__context *context, const struct skill__segment *segment, size_t want, size_t *found) {
  const struct skill__query *query = &context->query;
  struct skill__sketch_query sketches[1 + SKILL__QUERY_PIECES];
  struct skill__sketch_near near[1 + SKILL__QUERY_PIECES];
  size_t room = skill__sketch_room(want), views = 0, count = 0;
  for (size_t v = 0; v < query->view_count; v++)
    if (query->views[v].unit > 0) skill__sketch_query(query->vectors + v * segment->dims, &sketches[views++]);
  *found = 0;
  if (SKILL__GROW(context->distances, context->distance_capacity, views * room + 1) ||
      SKILL__GROW(context->near, context->near_capacity, 2 * views * room + 1)) /* half of it to sort in */
    return SKILL_ENOMEM;
  for (size_t v = 0; v < views; v++)
    near[v] = (struct skill__sketch_near){context->near + v * room, context->distances + v * room, want, 0, 0};
  skill__sketch_nearest(segment->signs, segment->row_count, sketches, near, views);
  for (size_t v = 0; v < views; v++) {
    memmove(context->near + count, near[v].rows, near[v].count * sizeof *context->near);
    count += near[v].count;
  }
  if (views > 1) skill__sort_numbers(context->near, context->near + count, count);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || context->near[i] != context->near[i - 1]) context->near[(*found)++] = context->near[i];
  return 0;
}

/* Only the vectors whose sketches are near to one of the views; the spread from an even sample. */
static int scan_near(struct skill__context *context, const SkillRankSnapshot *snapshot, uint32_t number, bool hidden,
                     struct skill__best *best, struct moments *moments) {
  const struct skill__query *query = &context->query;
  const struct skill__rank_part *part = &snapshot->parts[number];
  const struct skill__segment *segment = part->segment;
  size_t found = 0;
  int status = find_near(context, segment, SKILL__NEAR_EACH * best->limit + SKILL__NEAR_MORE, &found);
  if (status) return status;
  for (size_t i = 0; i < found; i++) skill__vector_expect(segment, context->near[i]); /* anywhere in memory */
  uint32_t last = UINT32_MAX;
  for (size_t i = 0; i < found; i++) {
    uint32_t doc = owner(segment, context->near[i]);
    if (doc == last || skill__dead_has(part->dead, doc)) continue;
    last = doc;
    if (!hidden && segment->hidden && (segment->hidden[doc / 64] >> (doc % 64) & 1)) continue;
    double near = skill__doc_cosine(query, segment, doc);
    if (near > 0) skill__best_offer(best, (struct skill__hit){(uint32_t)(near * COSINE_UNIT), number, doc});
  }
  add_sample(query, segment, moments);
  return 0;
}

int skill__nearest(struct skill__context *context, const SkillRankSnapshot *snapshot, bool hidden,
                   struct skill__best *best, double *spread) {
  struct moments moments = {0, 0, 0};
  for (uint32_t p = 0; p < snapshot->part_count; p++) {
    const struct skill__segment *segment = snapshot->parts[p].segment;
    if (!segment->row_count) continue;
    int status = segment->signs ? scan_near(context, snapshot, p, hidden, best, &moments)
                                : scan_all(context, snapshot, p, hidden, best, &moments);
    if (status) return status;
  }
  double mean = moments.n > 0 ? moments.sum / moments.n : 0;
  double variance = moments.n > 0 ? moments.square / moments.n - mean * mean : 0;
  *spread = variance > 0 ? sqrt(variance) : 0;
  return 0;
}
