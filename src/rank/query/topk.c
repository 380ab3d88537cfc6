/* SPDX-License-Identifier: MIT
 *
 * Exact best K, one token after the other (MaxScore; Turtle and Flood, "Query evaluation: strategies and
 * optimizations", 1995). Tokens go by falling greatest contribution. As soon as all that are left could not lift a new
 * skill above the K-th best sum so far, no skill is added any more; from then on only those seen are completed, and
 * those that cannot reach the K-th best are dropped. Nothing here fails.
 */
#include "rank/query/topk.h"

#include <stdlib.h>
#include <string.h>

static bool below(const struct skill__hit *a, const struct skill__hit *b) {
  if (a->score != b->score) return a->score < b->score;
  if (a->part != b->part) return a->part > b->part;
  return a->doc > b->doc;
}

static void sift_down(struct skill__best *best, size_t i) {
  struct skill__hit hit = best->hits[i];
  for (;;) {
    size_t child = 2 * i + 1;
    if (child >= best->count) break;
    if (child + 1 < best->count && below(&best->hits[child + 1], &best->hits[child])) child++;
    if (!below(&best->hits[child], &hit)) break;
    best->hits[i] = best->hits[child];
    i = child;
  }
  best->hits[i] = hit;
}

void skill__best_offer(struct skill__best *best, struct skill__hit hit) {
  if (best->count < best->limit) {
    size_t i = best->count++;
    while (i > 0 && below(&hit, &best->hits[(i - 1) / 2])) {
      best->hits[i] = best->hits[(i - 1) / 2];
      i = (i - 1) / 2;
    }
    best->hits[i] = hit;
  } else if (best->limit && below(&best->hits[0], &hit)) {
    best->hits[0] = hit;
    sift_down(best, 0);
  }
}

/* Greatest contribution first, of equal ones the shorter list. */
static int by_most(const void *x, const void *y) {
  const struct skill__list *a = x, *b = y;
  if (a->most != b->most) return a->most > b->most ? -1 : 1;
  return (a->count > b->count) - (a->count < b->count);
}

struct search {
  struct skill__sums *sums;
  size_t seen;
  const uint64_t *dead, *hidden;
  const struct skill__best *best; /* of earlier segments */
};

static bool left_out(const struct search *search, uint32_t doc) {
  return (search->dead && (search->dead[doc / 64] >> (doc % 64) & 1)) ||
         (search->hidden && (search->hidden[doc / 64] >> (doc % 64) & 1));
}

/* The K-th best of the sums and of what earlier segments gave, or a lower bound of it. */
static uint32_t threshold(const struct search *search) {
  size_t limit = search->best->limit;
  uint32_t floor = search->best->count == limit && limit ? search->best->hits[0].score : 0;
  if (search->seen < limit || limit == 0) return floor;
  uint32_t *heap = search->sums->values;
  size_t count = 0;
  bool all = !search->dead && !search->hidden;
  for (size_t i = 0; i < search->seen; i++) {
    uint32_t sum = search->sums->sums[search->sums->seen[i]];
    if (!all && left_out(search, search->sums->seen[i])) continue;
    if (count < limit) {
      size_t at = count++;
      for (; at > 0 && sum < heap[(at - 1) / 2]; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
      heap[at] = sum;
    } else if (sum > heap[0]) {
      size_t at = 0;
      for (size_t child; (child = 2 * at + 1) < limit; at = child) {
        child += child + 1 < limit && heap[child + 1] < heap[child];
        if (heap[child] >= sum) break;
        heap[at] = heap[child];
      }
      heap[at] = sum;
    }
  }
  return count == limit && heap[0] > floor ? heap[0] : floor;
}

static void add_list(struct search *search, const struct skill__list *list) {
  uint32_t *restrict sums = search->sums->sums, weight = list->weight, entries = list->count;
  uint16_t *restrict seen = search->sums->seen;
  const uint16_t *restrict docs = list->docs;
  const uint8_t *restrict impacts = list->impacts;
  size_t count = search->seen;
  for (uint32_t i = 0; i < entries; i++) {
    uint32_t doc = docs[i], sum = sums[doc];
    seen[count] = (uint16_t)doc;
    count += sum == 0;
    sums[doc] = sum + weight * impacts[i];
  }
  search->seen = count;
}

/* Drops the skills that cannot reach `need` with what is `left`. */
static void prune(struct search *search, uint32_t need, uint32_t left) {
  uint32_t *sums = search->sums->sums;
  uint16_t *seen = search->sums->seen;
  size_t kept = 0;
  for (size_t i = 0; i < search->seen; i++) {
    uint16_t doc = seen[i];
    if (sums[doc] + left >= need)
      seen[kept++] = doc;
    else
      sums[doc] = 0;
  }
  search->seen = kept;
}

/* Adds a list to the skills already seen, and to no others. */
static void complete(struct search *search, const struct skill__list *list) {
  uint32_t *sums = search->sums->sums;
  if (list->count < search->seen * 8) {
    for (uint32_t i = 0; i < list->count; i++) {
      uint32_t doc = list->docs[i], gain = list->weight * list->impacts[i];
      sums[doc] += sums[doc] ? gain : 0;
    }
    return;
  }
  for (size_t i = 0; i < search->seen; i++) {
    uint16_t doc = search->sums->seen[i];
    const uint16_t *base = list->docs;
    for (uint32_t n = list->count; n > 1;) { /* the last entry not above doc, without a branch to miss */
      uint32_t half = n / 2;
      base = base[half] <= doc ? base + half : base;
      n -= half;
    }
    if (*base == doc) sums[doc] += list->weight * list->impacts[base - list->docs];
  }
}

void skill__postings_search(struct skill__list *lists, size_t count, const struct skill__search_place *where,
                            struct skill__sums *sums, struct skill__best *best) {
  struct search search = {sums, 0, where->dead, where->hidden, best};
  uint32_t left = 0;
  if (count) qsort(lists, count, sizeof *lists, by_most);
  for (size_t i = 0; i < count; i++) left += lists[i].most;
  if (best->count == best->limit && best->limit && left < best->hits[0].score) return;
  bool open = true; /* new skills may still be added */
  for (size_t i = 0; i < count; i++) {
    if (!open || lists[i].count >= search.seen) {
      uint32_t need = threshold(&search);
      open = open && left >= need;
      if (!open) prune(&search, need, left);
    }
    if (open)
      add_list(&search, &lists[i]);
    else
      complete(&search, &lists[i]);
    left -= lists[i].most;
  }
  for (size_t i = 0; i < search.seen; i++) {
    uint16_t doc = sums->seen[i];
    uint32_t sum = sums->sums[doc];
    sums->sums[doc] = 0;
    if (best->count == best->limit && (!best->limit || sum < best->hits[0].score)) continue;
    if (!left_out(&search, doc)) skill__best_offer(best, (struct skill__hit){sum, where->part, doc});
  }
}
