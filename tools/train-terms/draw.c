/* SPDX-License-Identifier: MIT
 *
 * Selects the pairs of a batch: in shuffled order, or pairs that are hard to distinguish with the current table.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learner.h"
#include "util/alloc.h"

enum {
  HARD_POOL = 6,  /* a hard batch is chosen from this many times its size */
  HARD_GROUP = 48 /* number of neighbours that are chosen together */
};

size_t learner_draw(struct learner *learner, size_t which, size_t wanted, uint32_t *pairs) {
  const struct source *source = &learner->pool->sources[which];
  struct cursor *cursor = &learner->cursors[which];
  if (!cursor->order) {
    cursor->order = need(skill__malloc(source->count * sizeof *cursor->order));
    for (size_t i = 0; i < source->count; i++) cursor->order[i] = (uint32_t)i;
    cursor->at = source->count;
  }
  if (wanted > source->count) wanted = source->count;
  if (cursor->at + wanted > source->count) {
    rng_shuffle(&learner->rng, cursor->order, source->count);
    cursor->at = 0;
  }
  memcpy(pairs, cursor->order + cursor->at, wanted * sizeof *pairs);
  cursor->at += wanted;
  return wanted;
}

/* The direction of a whole text with the current table. */
static void point(const struct learner *learner, uint32_t text, float *unit) {
  size_t dims = learner->dims;
  memset(unit, 0, dims * sizeof *unit);
  for (size_t e = 0; e < learner->bags[text].count; e++) {
    struct entry entry = learner->entries[learner->bags[text].first + e];
    const float *row = learner->model->rows + (size_t)entry.row * dims;
    for (size_t d = 0; d < dims; d++) unit[d] += entry.weight * row[d];
  }
  float square = 0;
  for (size_t d = 0; d < dims; d++) square += unit[d] * unit[d];
  float factor = 1 / (sqrtf(square) + 1e-6F);
  for (size_t d = 0; d < dims; d++) unit[d] *= factor;
}

struct near {
  float cosine;
  uint32_t at;
};

static int by_cosine(const void *a, const void *b) {
  const struct near *x = a;
  const struct near *y = b;
  if (x->cosine != y->cosine) return x->cosine < y->cosine ? 1 : -1;
  return (x->at > y->at) - (x->at < y->at);
}

/* Moves the neighbours of one pair's partner from the pool to the batch. */
static size_t take_group(const struct learner *learner, float *units, uint32_t *pool, size_t *left, uint32_t *out) {
  size_t dims = learner->dims;
  struct near *near = need(skill__malloc(*left * sizeof *near));
  const float *anchor = units + (*left - 1) * dims;
  for (size_t i = 0; i < *left; i++) {
    float sum = 0;
    for (size_t d = 0; d < dims; d++) sum += anchor[d] * units[i * dims + d];
    near[i] = (struct near){sum, (uint32_t)i};
  }
  qsort(near, *left, sizeof *near, by_cosine);
  size_t count = *left < HARD_GROUP ? *left : HARD_GROUP;
  unsigned char *gone = need(skill__calloc(*left, 1));
  for (size_t i = 0; i < count; i++) {
    out[i] = pool[near[i].at];
    gone[near[i].at] = 1;
  }
  size_t kept = 0;
  for (size_t i = 0; i < *left; i++) {
    if (gone[i]) continue;
    pool[kept] = pool[i];
    memmove(units + kept * dims, units + i * dims, dims * sizeof *units);
    kept++;
  }
  *left = kept;
  skill__free(gone);
  skill__free(near);
  return count;
}

size_t learner_draw_hard(struct learner *learner, size_t which) {
  const struct source *source = &learner->pool->sources[which];
  size_t batch = learner->options->batch;
  uint32_t *pool = need(skill__malloc(HARD_POOL * batch * sizeof *pool));
  size_t left = learner_draw(learner, which, HARD_POOL * batch, pool);
  float *units = need(skill__malloc(left * learner->dims * sizeof *units));
  for (size_t i = 0; i < left; i++) point(learner, source->pairs[pool[i]].b, units + i * learner->dims);
  size_t taken = 0;
  while (left && taken + HARD_GROUP <= batch) taken += take_group(learner, units, pool, &left, learner->pairs + taken);
  skill__free(units);
  skill__free(pool);
  return taken;
}
