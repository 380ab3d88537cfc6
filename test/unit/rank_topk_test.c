/* SPDX-License-Identifier: MIT
 *
 * The pruned search gives the same best K as adding up every posting, on random segments, with skills left out; and
 * sketches find what is near by them.
 */
#include "lib/check.h"

#include <stdlib.h>
#include <string.h>

#include "rank/postings.h"
#include "rank/sketch.h"

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

static void pruning_changes_nothing(void **state) {
  (void)state;
  struct segment *segments = malloc(2 * sizeof *segments);
  struct skill__sums sums = {calloc(SKILL__SEGMENT_SKILLS, sizeof(uint32_t)),
                             calloc(SKILL__SEGMENT_SKILLS + 1, sizeof(uint16_t)), calloc(128, sizeof(uint32_t))};
  assert_true(segments && sums.sums && sums.seen && sums.values);
  for (int round = 0; round < 400; round++) {
    if (round % 20 == 0) fill(&segments[0]), fill(&segments[1]);
    uint32_t weights[LISTS];
    for (size_t l = 0; l < LISTS; l++) weights[l] = next(3) ? 0 : 1 + next(1u << next(11));
    struct skill__hit got[2][100];
    struct skill__best best[2];
    size_t limit = 1 + next(round % 2 ? 100 : 5);
    for (int all = 0; all < 2; all++) {
      best[all] = (struct skill__best){got[all], 0, limit};
      for (uint32_t p = 0; p < 2; p++) {
        struct skill__list lists[LISTS];
        struct skill__search_place place = {p, round % 3 ? segments[p].dead : NULL,
                                            round % 5 ? segments[p].hidden : NULL};
        size_t count = choose(&segments[p], weights, lists);
        skill__postings_search(lists, count, &place, all, &sums, &best[all]);
      }
      skill__best_sort(&best[all]);
    }
    assert_int_equal(best[0].count, best[1].count);
    for (size_t i = 0; i < best[0].count; i++) {
      assert_int_equal(got[0][i].score, got[1][i].score);
      assert_int_equal(got[0][i].part, got[1][i].part);
      assert_int_equal(got[0][i].doc, got[1][i].doc);
    }
  }
  for (size_t i = 0; i < SKILL__SEGMENT_SKILLS; i++) assert_int_equal(sums.sums[i], 0);
  free(sums.sums);
  free(sums.seen);
  free(sums.values);
  free(segments);
}

/* Differing signs, one by one. */
static size_t differing(const int8_t *a, const int8_t *b) {
  size_t count = 0;
  for (size_t i = 0; i < SKILL__SKETCH_DIMS; i++) count += (a[i] < 0) != (b[i] < 0);
  return count;
}

static void sketches_give_the_rows_whose_signs_differ_least(void **state) {
  (void)state;
  enum { ROWS = 1003, WANT = 40, ROOM = 400 };
  static int8_t vectors[ROWS + 1][SKILL__SKETCH_DIMS];
  static uint8_t sketches[2 * ROWS * SKILL__SKETCH_BYTES], distances[5 * 2 * ROWS], plain[5 * 2 * ROWS];
  struct skill__sketch queries[5];
  uint32_t got[ROOM];
  size_t all = skill__sketch_rows(ROWS);
  for (size_t row = 0; row <= ROWS; row++)
    for (size_t i = 0; i < SKILL__SKETCH_DIMS; i++) vectors[row][i] = (int8_t)((int)next(255) - 127);
  skill__sketch_make(vectors[0], ROWS, sketches);
  for (size_t q = 0; q < 5; q++) queries[q] = skill__sketch_of(vectors[ROWS - q]);
  for (size_t count = 1; count <= 5; count++) {
    skill__sketch_distances(sketches, ROWS, queries, count, distances);
    skill__sketch_distances_plain(sketches, ROWS, queries, count, plain);
    assert_memory_equal(distances, plain, count * all);
  }
  for (size_t q = 0; q < 5; q++)
    for (size_t row = 0; row < ROWS; row++)
      assert_int_equal(distances[q * all + row], differing(vectors[row], vectors[ROWS - q]));
  size_t found = skill__sketch_nearest(distances, ROWS, WANT, got, ROOM);
  assert_in_range(found, WANT, ROOM - 1);
  size_t worst = 0, as_near = 0;
  for (size_t i = 0; i < found; i++) {
    size_t d = differing(vectors[got[i]], vectors[ROWS]);
    if (d > worst) worst = d;
    if (i) assert_true(got[i] > got[i - 1]);
  }
  for (size_t row = 0; row < ROWS; row++) as_near += differing(vectors[row], vectors[ROWS]) <= worst;
  assert_int_equal(found, as_near); /* none that is as near was left out */
  assert_int_equal(skill__sketch_nearest(distances, ROWS, WANT, got, 7), 7);
  skill__sketch_distances(sketches, 5, queries, 1, distances);
  assert_int_equal(skill__sketch_nearest(distances, 5, WANT, got, ROOM), 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pruning_changes_nothing),
                                     cmocka_unit_test(sketches_give_the_rows_whose_signs_differ_least)};
  return cmocka_run_group_tests_name("rank_topk", tests, NULL, NULL);
}
