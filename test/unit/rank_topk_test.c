/* SPDX-License-Identifier: MIT
 *
 * The pruned search returns the same best K as a sum over every posting, on random segments, with some skills excluded.
 */
#include "lib/check.h"

#include <stdlib.h>
#include <string.h>

#include "rank/query/topk.h"

enum { DOCS = 3000, LISTS = 24, WORDS = (DOCS + 63) / 64 };

static uint32_t seed = 1;

static uint32_t next(uint32_t below) {
  seed = seed * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)seed * below >> 32);
}

struct segment {
  uint16_t docs[LISTS][DOCS];
  uint8_t impacts[LISTS][DOCS];
  uint32_t counts[LISTS], most[LISTS];
  uint64_t dead[WORDS], hidden[WORDS];
};

static void fill(struct segment *segment) {
  memset(segment, 0, sizeof *segment);
  for (size_t l = 0; l < LISTS; l++) {
    uint32_t gap = 1 + next(1u << next(10)), top = 1 + next(255);
    for (uint32_t doc = next(gap); doc < DOCS; doc += 1 + next(gap)) {
      uint8_t impact = (uint8_t)(1 + next(top));
      segment->docs[l][segment->counts[l]] = (uint16_t)doc;
      segment->impacts[l][segment->counts[l]++] = impact;
      if (impact > segment->most[l]) segment->most[l] = impact;
    }
  }
  for (size_t i = 0; i < DOCS / 10; i++) segment->dead[next(DOCS) / 64] |= (uint64_t)1 << next(64);
  for (size_t i = 0; i < 20; i++) segment->hidden[next(DOCS) / 64] |= (uint64_t)1 << next(64);
}

static size_t choose(const struct segment *segment, const uint32_t *weights, struct skill__list *lists) {
  size_t count = 0;
  for (size_t l = 0; l < LISTS; l++) {
    if (!weights[l] || !segment->counts[l]) continue;
    lists[count++] = (struct skill__list){segment->docs[l], segment->impacts[l], segment->counts[l], weights[l],
                                          weights[l] * segment->most[l]};
  }
  return count;
}

/* By falling score, then by place. */
static int by_rank(const void *x, const void *y) {
  const struct skill__hit *a = x, *b = y;
  if (a->score != b->score) return a->score < b->score ? 1 : -1;
  if (a->part != b->part) return a->part < b->part ? -1 : 1;
  return (a->doc > b->doc) - (a->doc < b->doc);
}

static bool has(const uint64_t *bits, uint32_t doc) {
  return bits && (bits[doc / 64] >> (doc % 64) & 1);
}

/* Every skill with a posting that is not left out. */
static size_t sum_all(const struct segment *segment, const uint32_t *weights, const struct skill__search_place *place,
                      struct skill__hit *hits) {
  static uint32_t sums[DOCS];
  size_t count = 0;
  memset(sums, 0, sizeof sums);
  for (size_t l = 0; l < LISTS; l++)
    for (uint32_t i = 0; i < segment->counts[l]; i++) sums[segment->docs[l][i]] += weights[l] * segment->impacts[l][i];
  for (uint32_t doc = 0; doc < DOCS; doc++)
    if (sums[doc] && !has(place->dead, doc) && !has(place->hidden, doc))
      hits[count++] = (struct skill__hit){sums[doc], place->part, doc};
  return count;
}

static void pruning_changes_nothing(void **state) {
  (void)state;
  static struct skill__hit all[2 * DOCS];
  struct segment *segments = malloc(2 * sizeof *segments);
  struct skill__sums sums = {calloc(SKILL__SEGMENT_SKILLS, sizeof(uint32_t)),
                             calloc(SKILL__SEGMENT_SKILLS + 1, sizeof(uint16_t)), calloc(128, sizeof(uint32_t))};
  assert_true(segments && sums.sums && sums.seen && sums.values);
  for (int round = 0; round < 400; round++) {
    if (round % 20 == 0) fill(&segments[0]), fill(&segments[1]);
    uint32_t weights[LISTS];
    for (size_t l = 0; l < LISTS; l++) weights[l] = next(3) ? 0 : 1 + next(1u << next(11));
    struct skill__hit got[100];
    struct skill__best best = {got, 0, 1 + next(round % 2 ? 100 : 5)};
    size_t total = 0;
    for (uint32_t p = 0; p < 2; p++) {
      struct skill__list lists[LISTS];
      struct skill__search_place place = {p, round % 3 ? segments[p].dead : NULL,
                                          round % 5 ? segments[p].hidden : NULL};
      size_t count = choose(&segments[p], weights, lists);
      skill__postings_search(lists, count, &place, &sums, &best);
      total += sum_all(&segments[p], weights, &place, all + total);
    }
    qsort(got, best.count, sizeof *got, by_rank);
    qsort(all, total, sizeof *all, by_rank);
    assert_int_equal(best.count, total < best.limit ? total : best.limit);
    for (size_t i = 0; i < best.count; i++) assert_int_equal(by_rank(&got[i], &all[i]), 0);
  }
  for (size_t i = 0; i < SKILL__SEGMENT_SKILLS; i++) assert_int_equal(sums.sums[i], 0);
  free(sums.sums);
  free(sums.seen);
  free(sums.values);
  free(segments);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pruning_changes_nothing)};
  return cmocka_run_group_tests_name("rank_topk", tests, NULL, NULL);
}
