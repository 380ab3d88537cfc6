/* SPDX-License-Identifier: MIT
 *
 * Chooses the tokens that have a row in the table, and converts texts to bags of rows. Out of memory ends the program.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learner.h"
#include "util/alloc.h"

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

void learner_vocabulary(struct learner *learner, const unsigned char *used, size_t text_count) {
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

void learner_bag(struct learner *learner, uint32_t text) {
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
