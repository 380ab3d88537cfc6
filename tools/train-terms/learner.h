/* SPDX-License-Identifier: MIT
 *
 * What learning keeps while it runs, shared by the files that choose the vocabulary, draw batches and learn from them.
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

/* Chooses the most frequent tokens and gives each a random row, longer for rarer ones. `used` marks the texts that are
 * part of a pair, and `text_count` is how many those are. */
void learner_vocabulary(struct learner *learner, const unsigned char *used, size_t text_count);

/* Makes the bag of a text: its tokens as distinct rows, each weighted 1 + ln(how often). */
void learner_bag(struct learner *learner, uint32_t text);

/* Writes the next `wanted` pairs of a source, in an order that is shuffled whenever it has gone through; returns how
 * many there are. */
size_t learner_draw(struct learner *learner, size_t which, size_t wanted, uint32_t *pairs);

/* Fills learner->pairs with groups of pairs whose partners are alike, harder to tell apart than chance would make
 * them; returns how many. */
size_t learner_draw_hard(struct learner *learner, size_t which);

#endif
