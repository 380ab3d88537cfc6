/* SPDX-License-Identifier: MIT
 *
 * The first stage: the nearest vectors are those of the greatest cosine, and the estimated spreads are near the true
 * ones.
 */
#include "lib/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rank/query/search.h"

enum { FEW = 40, MANY = 600, NEAREST = 5 };
#define TABLE SKILLET_SOURCE_DIR "/data/terms.skt"
#define QUERY "merge the photos of a city, and then send an email. weather forecast"

static const char *const words[] = {"merge",    "photo",   "city",   "email",     "weather", "forecast", "invoice",
                                    "calendar", "report",  "table",  "translate", "summary", "database", "storm",
                                    "music",    "picture", "letter", "rain",      "town",    "combine"};
enum { WORDS = sizeof words / sizeof *words };

static uint32_t seed;

static const char *word(void) {
  seed = seed * 1664525u + 1013904223u;
  return words[(seed >> 8) % WORDS];
}

/* Every third skill has two tools, whose descriptions say something else. */
static SkillRankSnapshot *make_snapshot(const char *table, size_t count) {
  SkillRankerOptions options = SKILL_RANKER_OPTIONS_INIT;
  SkillRanker *ranker = NULL;
  SkillRankSnapshot *snapshot = NULL;
  options.table = table;
  assert_int_equal(skill_ranker_new(&options, &ranker, NULL), 0);
  seed = 7;
  for (size_t i = 0; i < count; i++) {
    char name[32], text[3][64];
    snprintf(name, sizeof name, "skill%zu", i);
    for (size_t k = 0; k < 3; k++) snprintf(text[k], sizeof text[k], "%s %s %s", word(), word(), word());
    SkillTool tools[] = {{.name = "one", .description = text[1]}, {.name = "two", .description = text[2]}};
    SkillMetadata metadata = {
        .name = name, .description = text[0], .tools = tools, .tool_count = i % 3 ? 0 : 2, .unlisted = i % 10 == 9};
    assert_int_equal(skill_ranker_add(ranker, &metadata, NULL, 0, NULL), 0);
  }
  assert_int_equal(skill_ranker_snapshot(ranker, &snapshot), 0);
  skill_ranker_free(ranker);
  return snapshot;
}

struct stage {
  SkillRankSnapshot *snapshot;
  struct skill__context *context;
};

static struct stage open_stage(const char *table, size_t count, const char *query) {
  struct stage stage = {make_snapshot(table, count), NULL};
  stage.context = skill__context_acquire(stage.snapshot->shared);
  assert_non_null(stage.context);
  assert_int_equal(stage.snapshot->part_count, 1);
  assert_int_equal(skill__query_read(stage.context, stage.snapshot, query, strlen(query)), 0);
  return stage;
}

static void close_stage(struct stage *stage) {
  skill__context_release(stage->snapshot->shared, stage->context);
  skill_rank_snapshot_release(stage->snapshot);
}

static double true_cosine(const struct stage *stage, uint32_t doc) {
  return skill__doc_cosine(&stage->context->query, stage->snapshot->parts[0].segment, doc);
}

static double true_spread(const struct stage *stage) {
  double sum = 0, square = 0, n = stage->snapshot->stats.skills;
  for (uint32_t doc = 0; doc < stage->snapshot->stats.skills; doc++) {
    double cosine = true_cosine(stage, doc);
    sum += cosine;
    square += cosine * cosine;
  }
  return sqrt(square / n - sum / n * (sum / n));
}

/* How many skills are nearer than `cosine` and may be found. */
static size_t nearer(const struct stage *stage, double cosine, bool hidden) {
  size_t count = 0;
  for (uint32_t doc = 0; doc < stage->snapshot->stats.skills; doc++)
    count += (hidden || doc % 10 != 9) && true_cosine(stage, doc) > cosine + 1e-6;
  return count;
}

/* `missed`: how many of the nearest a sketch may miss. */
static void check_nearest(struct stage *stage, size_t limit, bool hidden, size_t missed, double tolerance) {
  struct skill__hit *hits = calloc(limit, sizeof *hits);
  struct skill__best best = {hits, 0, limit};
  double spread = 0;
  assert_int_equal(skill__nearest(stage->context, stage->snapshot, hidden, &best, &spread), 0);
  assert_true(best.count > 0);
  for (size_t i = 0; i < best.count; i++) {
    double cosine = true_cosine(stage, hits[i].doc);
    assert_true(hidden || hits[i].doc % 10 != 9);
    assert_true(fabs(hits[i].score / 16777216.0 - cosine) < 1e-6);
    assert_true(nearer(stage, cosine, hidden) < limit + missed);
  }
  assert_true(best.count == limit || nearer(stage, 0, hidden) <= best.count + missed);
  assert_true(fabs(spread / true_spread(stage) - 1) < tolerance);
  free(hits);
}

static void the_nearest_vectors_of_a_small_catalogue_are_exact(void **state) {
  (void)state;
  static const char *const queries[] = {QUERY, "merge photos"};
  for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
    struct stage stage = open_stage(TABLE, FEW, queries[i]);
    assert_null(stage.snapshot->parts[0].segment->signs);
    check_nearest(&stage, NEAREST, false, 0, 1e-4);
    check_nearest(&stage, NEAREST, true, 0, 1e-4);
    check_nearest(&stage, FEW, false, 0, 1e-4);
    check_nearest(&stage, FEW, true, 0, 1e-4);
    close_stage(&stage);
  }
}

/* A sample of 64 skills gives the spread within a fifth. */
static void the_nearest_vectors_of_a_large_catalogue_are_found_by_their_sketches(void **state) {
  (void)state;
  struct stage stage = open_stage(TABLE, MANY, QUERY);
  assert_non_null(stage.snapshot->parts[0].segment->signs);
  check_nearest(&stage, NEAREST, false, 2, .2);
  check_nearest(&stage, NEAREST, true, 2, .2);
  check_nearest(&stage, 50, false, 5, .2);
  close_stage(&stage);
}

/* With one word the estimate's assumption, that words are independent, holds. */
static void the_spread_of_one_word_is_estimated_from_its_postings(void **state) {
  (void)state;
  struct stage stage = open_stage("", FEW, "merge");
  struct skill__scorer scorer;
  struct skill__spread spread;
  double sum = 0, square = 0, n = FEW;
  size_t found = 0;
  assert_int_equal(skill__first_stage(stage.context, stage.snapshot, FEW, FEW, true, &found, &spread), 0);
  assert_int_equal(skill__scorer_init(&scorer, stage.snapshot, stage.context), 0);
  const struct skill__segment *segment = stage.snapshot->parts[0].segment;
  size_t with = 0;
  for (uint32_t i = 0; i < segment->count; i++) {
    struct skill__doc doc;
    struct skill__doc_score score;
    skill__doc_decode(segment->blob + segment->at[i], &doc);
    skill__score_doc(&scorer, &doc, &score);
    sum += score.whole;
    square += score.whole * score.whole;
    with += score.whole > 0;
  }
  assert_int_equal(found, with);
  assert_true(spread.vectors == 0);
  assert_true(fabs(spread.words / sqrt(square / n - sum / n * (sum / n)) - 1) < .05);
  close_stage(&stage);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_nearest_vectors_of_a_small_catalogue_are_exact),
      cmocka_unit_test(the_nearest_vectors_of_a_large_catalogue_are_found_by_their_sketches),
      cmocka_unit_test(the_spread_of_one_word_is_estimated_from_its_postings),
  };
  return cmocka_run_group_tests_name("rank_stages", tests, NULL, NULL);
}
