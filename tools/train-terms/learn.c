/* SPDX-License-Identifier: MIT
 *
 * Learning: one vector for each token, so that the sum of a text's vectors points where the sum of its partner's does.
 *
 * Both sides share the table. A batch holds pairs of one source; every pair's partner must be found among all the
 * batch's partners, from both sides (softmax over cosines / temperature). Partners that are equal texts do not count
 * as wrong. Tokens are left out at random. Only rows that a batch touches are changed (Adam).
 */
#include "util/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "train.h"

enum {
  WARM_UP = 50,
  REPORT_EVERY = 100,
  BRIEF_LEAST = 2,
  BRIEF_SPREAD = 6,
  HARD_POOL = 6,  /* times the batch from which a hard one is chosen */
  HARD_GROUP = 48 /* neighbours that are chosen together */
};

/* A text as rows of the table with weights. */
struct entry {
  uint32_t row;
  float weight;
};

struct bag {
  size_t first;
  size_t count;
};

struct side {
  struct bag *bags;      /* of each pair in the batch */
  struct entry *entries; /* after dropout */
  size_t used, capacity;
  float *unit;   /* batch x dims: normalised sums */
  float *length; /* of the sums */
  float *slope;  /* batch x dims: gradient by unit */
};

struct cursor {
  uint32_t *order;
  size_t at;
};

struct learner {
  const struct pool *pool;
  const struct learn_options *options;
  struct model *model;
  struct rng rng;
  size_t batch, dims; /* `batch` is what the present one holds */
  uint32_t *row_of;   /* by token; UINT32_MAX: none */
  struct bag *bags;   /* by text */
  struct entry *entries;
  size_t entry_count, entry_capacity;
  float *first, *second, *slope; /* Adam's moments; gradient of touched rows */
  uint32_t *touched;
  size_t touched_count;
  uint32_t *place; /* by row: place in `touched` + 1 while a batch runs */
  struct cursor cursors[SOURCES_MOST];
  struct side left, right;
  uint32_t *pairs;   /* of the batch */
  float *logits;     /* batch x batch */
  float *turned;     /* the same, turned */
  float *transposed; /* dims x batch */
};

/* --- vocabulary ------------------------------------------------------------------------------------------------- */

struct counted {
  uint32_t token;
  uint64_t seen;
};

static int by_seen(const void *a, const void *b) {
  const struct counted *x = a;
  const struct counted *y = b;
  if (x->seen != y->seen) return x->seen < y->seen ? 1 : -1;
  return (x->token > y->token) - (x->token < y->token);
}

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

static void count_tokens(const struct pool *pool, const unsigned char *used, struct counted *counts) {
  uint32_t *last = need(skill__calloc(pool->token_count, sizeof *last));
  for (size_t i = 0; i < pool->token_count; i++) counts[i] = (struct counted){(uint32_t)i, 0};
  for (uint32_t t = 0; t < pool->text_count; t++) {
    if (!used[t]) continue;
    for (size_t i = 0; i < pool->texts[t].count; i++) {
      uint32_t token = pool->tokens[pool->texts[t].first + i];
      if (last[token] == t + 1) continue;
      last[token] = t + 1;
      counts[token].seen++;
    }
  }
  skill__free(last);
}

/* Chooses the most frequent tokens and gives each a random row, longer for rarer ones. */
static void make_vocabulary(struct learner *learner, const unsigned char *used, size_t text_count) {
  const struct pool *pool = learner->pool;
  struct model *model = learner->model;
  struct counted *counts = need(skill__malloc(pool->token_count * sizeof *counts));
  count_tokens(pool, used, counts);
  qsort(counts, pool->token_count, sizeof *counts, by_seen);
  size_t count = 0;
  while (count < pool->token_count && count < learner->options->vocabulary &&
         counts[count].seen >= learner->options->least) {
    count++;
  }
  model->dims = learner->dims;
  model->count = count;
  model->tokens = need(skill__malloc(count * sizeof *model->tokens));
  model->seen = need(skill__malloc(count * sizeof *model->seen));
  model->rows = need(skill__malloc(count * model->dims * sizeof *model->rows));
  learner->row_of = need(skill__malloc(pool->token_count * sizeof *learner->row_of));
  memset(learner->row_of, 0xff, pool->token_count * sizeof *learner->row_of);
  double mean = 0;
  for (size_t i = 0; i < count; i++) mean += log((double)text_count / (double)counts[i].seen) / (double)count;
  for (size_t i = 0; i < count; i++) {
    model->tokens[i] = counts[i].token;
    model->seen[i] = counts[i].seen;
    learner->row_of[counts[i].token] = (uint32_t)i;
    double size = log((double)text_count / (double)counts[i].seen) / mean / sqrt((double)model->dims);
    for (size_t d = 0; d < model->dims; d++) {
      model->rows[i * model->dims + d] = (float)(rng_normal(&learner->rng) * size);
    }
  }
  skill__free(counts);
}

static int by_row(const void *a, const void *b) {
  uint32_t x = ((const struct entry *)a)->row;
  uint32_t y = ((const struct entry *)b)->row;
  return (x > y) - (x < y);
}

/* A text's tokens as distinct rows, each weighted 1 + ln(how often). */
static void make_bag(struct learner *learner, uint32_t text) {
  struct text source = learner->pool->texts[text];
  size_t first = learner->entry_count;
  GROW(learner->entries, learner->entry_capacity, first + source.count);
  for (size_t i = 0; i < source.count; i++) {
    uint32_t row = learner->row_of[learner->pool->tokens[source.first + i]];
    if (row != UINT32_MAX) learner->entries[learner->entry_count++] = (struct entry){row, 1};
  }
  struct entry *entries = learner->entries + first;
  size_t count = learner->entry_count - first;
  qsort(entries, count, sizeof *entries, by_row);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (kept && entries[kept - 1].row == entries[i].row) {
      entries[kept - 1].weight += 1;
    } else {
      entries[kept++] = entries[i];
    }
  }
  for (size_t i = 0; i < kept; i++) entries[i].weight = 1 + (float)log((double)entries[i].weight);
  learner->entry_count = first + kept;
  learner->bags[text] = (struct bag){first, kept};
}

/* --- one batch -------------------------------------------------------------------------------------------------- */

static void shuffle(struct rng *rng, uint32_t *items, size_t count) {
  for (size_t i = count; i > 1; i--) {
    size_t j = rng_below(rng, i);
    uint32_t swap = items[i - 1];
    items[i - 1] = items[j];
    items[j] = swap;
  }
}

/* The next pairs of a source, in an order that is shuffled whenever it has gone through. */
static size_t draw(struct learner *learner, size_t which, size_t wanted, uint32_t *pairs) {
  const struct source *source = &learner->pool->sources[which];
  struct cursor *cursor = &learner->cursors[which];
  if (!cursor->order) {
    cursor->order = need(skill__malloc(source->count * sizeof *cursor->order));
    for (size_t i = 0; i < source->count; i++) cursor->order[i] = (uint32_t)i;
    cursor->at = source->count;
  }
  if (wanted > source->count) wanted = source->count;
  if (cursor->at + wanted > source->count) {
    shuffle(&learner->rng, cursor->order, source->count);
    cursor->at = 0;
  }
  memcpy(pairs, cursor->order + cursor->at, wanted * sizeof *pairs);
  cursor->at += wanted;
  return wanted;
}

/* The direction of a whole text as the table is now. */
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

/* Moves the neighbours of one pair's partner out of the pool into the batch. */
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

/* A batch of groups of pairs whose partners are alike: harder to tell apart than chance would make them. */
static size_t draw_hard(struct learner *learner, size_t which) {
  const struct source *source = &learner->pool->sources[which];
  size_t batch = learner->options->batch;
  uint32_t *pool = need(skill__malloc(HARD_POOL * batch * sizeof *pool));
  size_t left = draw(learner, which, HARD_POOL * batch, pool);
  float *units = need(skill__malloc(left * learner->dims * sizeof *units));
  for (size_t i = 0; i < left; i++) point(learner, source->pairs[pool[i]].b, units + i * learner->dims);
  size_t taken = 0;
  while (left && taken + HARD_GROUP <= batch) taken += take_group(learner, units, pool, &left, learner->pairs + taken);
  skill__free(units);
  skill__free(pool);
  return taken;
}

/* Copies a text without the tokens that chance leaves out; of a `brief` one only some `BRIEF_LEAST` and more stay. */
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

/* Sums rows and normalises; a bag that dropout emptied gives zeros. */
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

/* Fills logits with the gradient of the loss by the cosines; returns the mean loss of the left side. */
static double softmax_both(struct learner *learner, const struct source *source, size_t padded) {
  size_t n = learner->batch;
  float scale = (float)(1 / learner->options->temperature);
  float *x = learner->logits;
  float *sums = need(skill__calloc(padded, sizeof *sums));
  const struct text *texts = learner->pool->texts;
  for (size_t i = 0; i < n; i++) {
    const struct pair *own = &source->pairs[learner->pairs[i]];
    float *line = x + i * padded;
    for (size_t j = 0; j < padded; j++) line[j] = (line[j] - 1) * scale;
    for (size_t j = 0; j < n; j++) {
      const struct pair *other = &source->pairs[learner->pairs[j]];
      bool same = texts[other->b].hash == texts[own->b].hash || (own->group && own->group == other->group);
      if (i != j && same) line[j] = -1000;
    }
    for (size_t j = n; j < padded; j++) line[j] = -1000;
    for (size_t j = 0; j < padded; j++) line[j] = line[j] > 0 ? 0 : line[j];
    matrix_exp(line, padded);
    for (size_t j = 0; j < padded; j++) sums[j] += line[j];
  }
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

/* From the gradient by the unit vector to that of the rows. */
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
  learner->batch = hard ? draw_hard(learner, which) : draw(learner, which, learner->options->batch, learner->pairs);
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

/* --- the whole -------------------------------------------------------------------------------------------------- */

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

/* Which source each step draws from. */
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
  shuffle(&learner->rng, plan, *steps);
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
  make_vocabulary(&learner, used, text_count);
  learner.bags = need(skill__calloc(pool->text_count + 1, sizeof *learner.bags));
  for (uint32_t t = 0; t < pool->text_count; t++) {
    if (used[t]) make_bag(&learner, t);
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
