/* SPDX-License-Identifier: MIT
 *
 * The state of a training run, shared by the files that choose the vocabulary, select batches and learn.
 */
#ifndef SKILL_TOOLS_LEARNER_H
#define SKILL_TOOLS_LEARNER_H

#include "train.h"

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
  struct skill__random rng;
  size_t batch, dims; /* `batch` is the size of the current one */
  uint32_t *row_of;   /* by token; UINT32_MAX: none */
  struct bag *bags;   /* by text */
  struct entry *entries;
  size_t entry_count, entry_capacity;
  float *first, *second, *slope; /* Adam's moments; gradient of touched rows */
  uint32_t *touched;
  size_t touched_count;
  uint32_t *place; /* by row: index in `touched` + 1, during a batch */
  struct cursor cursors[SOURCES_MOST];
  struct side left, right;
  uint32_t *pairs;   /* of the batch */
  float *logits;     /* batch x batch */
  float *turned;     /* the same, transposed */
  float *transposed; /* dims x batch */
};

/* Chooses the most frequent tokens and gives each a random row, longer for rarer ones. `used` marks the texts that are
 * part of a pair; `text_count` is their number. */
void learner_vocabulary(struct learner *learner, const unsigned char *used, size_t text_count);

/* Creates the bag of a text: its tokens as distinct rows, each with the weight 1 + ln(count). */
void learner_bag(struct learner *learner, uint32_t text);

/* Writes the next `wanted` pairs of a source, in an order that is shuffled after each pass. Returns their number. */
size_t learner_draw(struct learner *learner, size_t which, size_t wanted, uint32_t *pairs);

/* Fills learner->pairs with groups of pairs whose partners are similar, and therefore hard to distinguish. Returns
 * their number. */
size_t learner_draw_hard(struct learner *learner, size_t which);

#endif
