/* SPDX-License-Identifier: MIT
 *
 * Learns one vector for each token, so that the sum of a text's vectors has the direction of the sum of its partner's
 * vectors.
 *
 * Both sides share the table. A batch holds pairs of one source. Every pair's partner must be found among all partners
 * of the batch, from both sides (softmax over cosines / temperature). Equal texts do not count as wrong partners.
 * Tokens are left out at random. Only the rows that a batch uses are updated (Adam).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "learner.h"
#include "util/alloc.h"

enum { WARM_UP = 50, REPORT_EVERY = 100, BRIEF_LEAST = 2, BRIEF_SPREAD = 6 };

#define NEVER (-1000.F) /* a logit: not a candidate */

/* --- one batch ---------------------------------------------------------------------------------------------------- */

/* Copies a text without the tokens that are dropped at random. Of a `brief` one only a few are kept, at least
 * BRIEF_LEAST. */
static void fill_bag(struct learner *learner, struct side *side, size_t slot, uint32_t text, bool brief) {
  struct bag bag = learner->bags[text];
  double lost = learner->options->dropout;
  if (brief && bag.count > BRIEF_LEAST) {
    double kept = (double)(BRIEF_LEAST + rng_below(&learner->rng, BRIEF_SPREAD)) / (double)bag.count;
    if (1 - kept > lost) lost = 1 - kept;
  }
  GROW(side->entries, side->capacity, side->used + bag.count);
  side->bags[slot].first = side->used;
  for (size_t i = 0; i < bag.count; i++) {
    if (rng_unit(&learner->rng) >= lost) side->entries[side->used++] = learner->entries[bag.first + i];
  }
  side->bags[slot].count = side->used - side->bags[slot].first;
}

/* Sums rows and normalises. An empty bag gives zeros. */
static void encode(struct learner *learner, struct side *side) {
  size_t dims = learner->dims;
  for (size_t i = 0; i < learner->batch; i++) {
    float *unit = side->unit + i * dims;
    memset(unit, 0, dims * sizeof *unit);
    for (size_t e = 0; e < side->bags[i].count; e++) {
      struct entry entry = side->entries[side->bags[i].first + e];
      const float *row = learner->model->rows + (size_t)entry.row * dims;
      for (size_t d = 0; d < dims; d++) unit[d] += entry.weight * row[d];
    }
    float square = 0;
    for (size_t d = 0; d < dims; d++) square += unit[d] * unit[d];
    side->length[i] = sqrtf(square) + 1e-6F;
    for (size_t d = 0; d < dims; d++) unit[d] /= side->length[i];
  }
}

/* Whether two partners of a batch are not wrong answers for each other. */
struct answer {
  uint64_t text;
  uint64_t group;
};

static struct answer *answers_of(const struct learner *learner, const struct source *source) {
  struct answer *answers = need(skill__malloc(learner->batch * sizeof *answers));
  for (size_t i = 0; i < learner->batch; i++) {
    const struct pair *pair = &source->pairs[learner->pairs[i]];
    answers[i] = (struct answer){learner->pool->texts[pair->b].hash, pair->group};
  }
  return answers;
}

static bool same_answer(struct answer a, struct answer b) {
  return (a.text == b.text) | ((a.group == b.group) & (a.group != 0));
}

/* Replaces the logits by the gradient of the loss with respect to the cosines. Returns the mean loss of the left
 * side. */
static double softmax_both(struct learner *learner, const struct source *source, size_t padded) {
  size_t n = learner->batch;
  float scale = (float)(1 / learner->options->temperature);
  float *x = learner->logits;
  float *sums = need(skill__calloc(padded, sizeof *sums));
  struct answer *answers = answers_of(learner, source);
  for (size_t i = 0; i < n; i++) {
    float *line = x + i * padded;
    float own = line[i];
    for (size_t j = 0; j < n; j++) line[j] = same_answer(answers[i], answers[j]) ? NEVER : (line[j] - 1) * scale;
    line[i] = (own - 1) * scale;
    for (size_t j = n; j < padded; j++) line[j] = NEVER;
    for (size_t j = 0; j < padded; j++) line[j] = line[j] > 0 ? 0 : line[j];
    matrix_exp(line, padded);
    for (size_t j = 0; j < padded; j++) sums[j] += line[j];
  }
  skill__free(answers);
  double loss = 0;
  for (size_t i = 0; i < n; i++) {
    float *line = x + i * padded;
    float sum = 0;
    for (size_t j = 0; j < n; j++) sum += line[j];
    loss -= log((double)(line[i] / sum) + 1e-9) / (double)n;
    float factor = scale / (2 * (float)n);
    for (size_t j = 0; j < n; j++) line[j] *= (1 / sum + 1 / sums[j]) * factor;
    for (size_t j = n; j < padded; j++) line[j] = 0;
    line[i] -= 2 * factor;
  }
  skill__free(sums);
  return loss;
}

static float *slope_of(struct learner *learner, uint32_t row) {
  if (!learner->place[row]) {
    learner->touched[learner->touched_count++] = row;
    learner->place[row] = (uint32_t)learner->touched_count;
    memset(learner->slope + (learner->touched_count - 1) * learner->dims, 0, learner->dims * sizeof(float));
  }
  return learner->slope + (size_t)(learner->place[row] - 1) * learner->dims;
}

/* Converts the gradient with respect to the unit vector to that of the rows. */
static void spread(struct learner *learner, struct side *side) {
  size_t dims = learner->dims;
  for (size_t i = 0; i < learner->batch; i++) {
    const float *unit = side->unit + i * dims;
    float *slope = side->slope + i * dims;
    float along = 0;
    for (size_t d = 0; d < dims; d++) along += slope[d] * unit[d];
    for (size_t d = 0; d < dims; d++) slope[d] = (slope[d] - along * unit[d]) / side->length[i];
    for (size_t e = 0; e < side->bags[i].count; e++) {
      struct entry entry = side->entries[side->bags[i].first + e];
      float *row = slope_of(learner, entry.row);
      for (size_t d = 0; d < dims; d++) row[d] += entry.weight * slope[d];
    }
  }
}

static void change_rows(struct learner *learner, float rate) {
  size_t dims = learner->dims;
  for (size_t t = 0; t < learner->touched_count; t++) {
    uint32_t row = learner->touched[t];
    float *value = learner->model->rows + (size_t)row * dims;
    float *first = learner->first + (size_t)row * dims;
    float *second = learner->second + (size_t)row * dims;
    const float *slope = learner->slope + t * dims;
    for (size_t d = 0; d < dims; d++) {
      first[d] = 0.9F * first[d] + 0.1F * slope[d];
      second[d] = 0.99F * second[d] + 0.01F * slope[d] * slope[d];
      value[d] -= rate * first[d] / (sqrtf(second[d]) + 1e-8F);
    }
    learner->place[row] = 0;
  }
  learner->touched_count = 0;
}

static double run_batch(struct learner *learner, size_t which, float rate) {
  const struct source *source = &learner->pool->sources[which];
  size_t dims = learner->dims;
  bool hard = rng_unit(&learner->rng) < learner->options->hard;
  learner->batch =
      hard ? learner_draw_hard(learner, which) : learner_draw(learner, which, learner->options->batch, learner->pairs);
  size_t n = learner->batch;
  size_t padded = (n + 15) / 16 * 16;
  learner->left.used = learner->right.used = 0;
  for (size_t i = 0; i < n; i++) {
    struct pair pair = source->pairs[learner->pairs[i]];
    bool brief = rng_unit(&learner->rng) < learner->options->brief;
    fill_bag(learner, &learner->left, i, pair.a, brief);
    fill_bag(learner, &learner->right, i, pair.b, false);
  }
  encode(learner, &learner->left);
  encode(learner, &learner->right);
  memset(learner->right.unit + n * dims, 0, (padded - n) * dims * sizeof(float));
  matrix_turn(learner->right.unit, learner->transposed, padded, dims);
  matrix_product(learner->left.unit, learner->transposed, learner->logits, n, dims, padded);
  double loss = softmax_both(learner, source, padded);
  matrix_product(learner->logits, learner->right.unit, learner->left.slope, n, padded, dims);
  memset(learner->logits + n * padded, 0, (padded - n) * padded * sizeof(float));
  matrix_turn(learner->logits, learner->turned, padded, padded);
  memset(learner->left.unit + n * dims, 0, (padded - n) * dims * sizeof(float));
  matrix_product(learner->turned, learner->left.unit, learner->right.slope, n, padded, dims);
  spread(learner, &learner->left);
  spread(learner, &learner->right);
  change_rows(learner, rate);
  return loss;
}

/* --- training --------------------------------------------------------------------------------------------------- */

/* Marks the texts that are part of a pair. */
static unsigned char *used_texts(const struct pool *pool, size_t *count) {
  unsigned char *used = need(skill__calloc(pool->text_count + 1, 1));
  for (size_t s = 0; s < pool->source_count; s++) {
    for (size_t i = 0; i < pool->sources[s].count; i++) {
      used[pool->sources[s].pairs[i].a] = used[pool->sources[s].pairs[i].b] = 1;
    }
  }
  *count = 0;
  for (size_t i = 0; i < pool->text_count; i++) *count += used[i];
  return used;
}

static void side_init(struct side *side, size_t batch, size_t dims) {
  side->bags = need(skill__malloc(batch * sizeof *side->bags));
  side->unit = need(skill__calloc(batch * dims, sizeof(float)));
  side->slope = need(skill__calloc(batch * dims, sizeof(float)));
  side->length = need(skill__calloc(batch, sizeof(float)));
}

static void side_free(struct side *side) {
  skill__free(side->bags);
  skill__free(side->entries);
  skill__free(side->unit);
  skill__free(side->slope);
  skill__free(side->length);
}

/* Chooses the source of each step. */
static uint32_t *schedule(struct learner *learner, size_t *steps) {
  const struct pool *pool = learner->pool;
  uint32_t *plan = NULL;
  size_t capacity = 0;
  *steps = 0;
  for (size_t s = 0; s < pool->source_count; s++) {
    double pairs = learner->options->epochs * pool->sources[s].weight * (double)pool->sources[s].count;
    size_t batches = (size_t)(pairs / (double)learner->options->batch + 0.5);
    if (!batches && pool->sources[s].count) batches = 1;
    GROW(plan, capacity, *steps + batches);
    for (size_t i = 0; i < batches; i++) plan[(*steps)++] = (uint32_t)s;
  }
  rng_shuffle(&learner->rng, plan, *steps);
  return plan;
}

static void make_room(struct learner *learner) {
  size_t batch = (learner->options->batch + 15) / 16 * 16;
  size_t cells = learner->model->count * learner->dims;
  learner->first = need(skill__calloc(cells, sizeof(float)));
  learner->second = need(skill__calloc(cells, sizeof(float)));
  learner->slope = need(skill__malloc(cells * sizeof(float)));
  learner->touched = need(skill__malloc(learner->model->count * sizeof *learner->touched));
  learner->place = need(skill__calloc(learner->model->count, sizeof *learner->place));
  learner->pairs = need(skill__malloc(batch * sizeof *learner->pairs));
  learner->logits = need(skill__calloc(batch * batch, sizeof(float)));
  learner->turned = need(skill__calloc(batch * batch, sizeof(float)));
  learner->transposed = need(skill__calloc(batch * learner->dims, sizeof(float)));
  side_init(&learner->left, batch, learner->dims);
  side_init(&learner->right, batch, learner->dims);
}

static void learner_free(struct learner *learner) {
  for (size_t s = 0; s < SOURCES_MOST; s++) skill__free(learner->cursors[s].order);
  side_free(&learner->left);
  side_free(&learner->right);
  void *all[] = {learner->row_of, learner->bags,   learner->entries,    learner->first,
                 learner->second, learner->slope,  learner->touched,    learner->place,
                 learner->pairs,  learner->logits, learner->transposed, learner->turned};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) skill__free(all[i]);
}

static void run_all(struct learner *learner) {
  size_t steps = 0;
  uint32_t *plan = schedule(learner, &steps);
  time_t begin = time(NULL);
  double loss = 0;
  for (size_t i = 0; i < steps; i++) {
    double warm = i < WARM_UP ? (double)(i + 1) / WARM_UP : 1;
    double left = 1 - (double)i / (double)steps;
    loss += run_batch(learner, plan[i], (float)(learner->options->rate * warm * (left > 0.02 ? left : 0.02)));
    if ((i + 1) % REPORT_EVERY && i + 1 < steps) continue;
    size_t since = i % REPORT_EVERY + 1;
    fprintf(stderr, "step %zu of %zu, mean loss %.3f, %ld s\n", i + 1, steps, loss / (double)since,
            (long)(time(NULL) - begin));
    loss = 0;
  }
  skill__free(plan);
}

void learn(const struct pool *pool, const struct learn_options *options, struct model *model) {
  struct learner learner = {.pool = pool, .options = options, .model = model, .rng = {options->seed}};
  learner.dims = options->dims;
  size_t text_count = 0;
  unsigned char *used = used_texts(pool, &text_count);
  learner_vocabulary(&learner, used, text_count);
  learner.bags = need(skill__calloc(pool->text_count + 1, sizeof *learner.bags));
  for (uint32_t t = 0; t < pool->text_count; t++) {
    if (used[t]) learner_bag(&learner, t);
  }
  skill__free(used);
  fprintf(stderr, "%zu texts, %zu tokens of %zu seen\n", text_count, model->count, pool->token_count);
  make_room(&learner);
  run_all(&learner);
  learner_free(&learner);
}

void model_free(struct model *model) {
  skill__free(model->tokens);
  skill__free(model->seen);
  skill__free(model->rows);
  *model = (struct model){0};
}
