/* SPDX-License-Identifier: MIT
 *
 * The exact best K of one segment's postings. Scores are whole numbers, so pruned and exhaustive search agree to the
 * last bit.
 */
#ifndef SKILL_RANK_QUERY_TOPK_H
#define SKILL_RANK_QUERY_TOPK_H

#include "rank/index/postings.h"

struct skill__hit {
  uint32_t score;
  uint32_t part, doc;
};

/* The best K so far, as a heap with the least on top. */
struct skill__best {
  struct skill__hit *hits;
  size_t count, limit;
};

/* Scratch of a search. */
struct skill__sums {
  uint32_t *sums;   /* as many as the segment's skills, all zero between searches */
  uint16_t *seen;   /* one more */
  uint32_t *values; /* as many as the best's limit */
};

/* One segment to search: its number among the parts, and bitmaps of skills to leave out (may be NULL). */
struct skill__search_place {
  uint32_t part;
  const uint64_t *dead, *hidden;
};

/* Adds the skills of one segment to the best. Lists are reordered. */
void skill__postings_search(struct skill__list *lists, size_t count, const struct skill__search_place *where,
                            struct skill__sums *sums, struct skill__best *best);

/* Adds one hit; keeps the best. Ties go to the lower part and number. */
void skill__best_offer(struct skill__best *best, struct skill__hit hit);

#endif
