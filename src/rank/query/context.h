/* SPDX-License-Identifier: MIT
 *
 * What a running query needs: the query itself, its candidates, and scratch. The ranker keeps a pool of contexts, so
 * that a query allocates nothing but its result. A context serves one query at a time.
 */
#ifndef SKILL_RANK_QUERY_CONTEXT_H
#define SKILL_RANK_QUERY_CONTEXT_H

#include "rank/query/filter.h"
#include "rank/query/query.h"
#include "rank/query/topk.h"

/* A skill that may be a result. */
struct skill__rank_candidate {
  uint32_t part, doc;
  const char *name, *source; /* in the index; the source may be NULL */
  double whole, piece;       /* as skill__score_doc says */
  double cosine;             /* of the whole query and its best piece, 0..1 */
  double held;               /* skill__score_coverage of its body, 0..1 */
  double score, fit;
  int tier; /* 3: its name is the query, 2: its name is in the query, 1: its name begins with the query */
};

/* A skill whose name was said. */
struct skill__pin {
  uint32_t part, doc;
  int tier;
};
enum { SKILL__PINS = 64 };

struct skill__context {
  struct skill__analyzer *analyzer;
  struct skill__query query;
  struct skill__buf texts;
  struct skill__filter filter;
  struct skill__buf words; /* what the grammar leaves to rank */
  bool filtered;
  float *acc; /* scratch of scoring */
  size_t acc_capacity;
  struct skill__rank_candidate *candidates;
  size_t candidate_count, candidate_capacity;
  struct skill__pin pins[SKILL__PINS];
  size_t pin_count;
  float *cosines;
  size_t cosine_capacity;
  uint32_t *counts;
  size_t count_capacity;
  struct skill__list *lists;
  size_t list_capacity;
  struct skill__hit *hits;
  size_t hit_capacity;
  struct skill__sums sums;
  size_t sum_capacity; /* skills of the largest segment that they reach over */
  uint8_t *distances;
  size_t distance_capacity;
  uint32_t *near; /* rows whose sketch is near */
  size_t near_capacity;
  size_t value_capacity;
};

/* A context from the pool of `shared`, or a new one; NULL: out of memory. Any thread. */
struct skill__context *skill__context_acquire(struct skill__rank_shared *shared);
void skill__context_release(struct skill__rank_shared *shared, struct skill__context *context);

/* Frees the contexts of the pool; nothing may be using it. */
void skill__contexts_free(struct skill__rank_shared *shared);

#endif
