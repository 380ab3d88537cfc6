/* SPDX-License-Identifier: MIT
 *
 * A catalogue that changes, and one that is opened from a file. Every result is asserted.
 */
#include <unistd.h>

#include "bench/bench.h"
#include "bench/rank_run.h"

void run_changes(const struct set *set, const struct settings *settings) {
  enum { CHANGES = 400 };
  static double added[CHANGES], removed[CHANGES];
  uint64_t took = 0;
  SkillRanker *ranker = run_fill(set, settings, "", &took);
  SkillQuery query = {.size = sizeof(SkillQuery), .text = "zyzzyva", .floor = -1, .limit = 1};
  for (size_t i = 0; i < CHANGES; i++) {
    char name[32];
    SkillRanking *ranking = NULL;
    snprintf(name, sizeof name, "added-%zu", i);
    SkillMetadata metadata = {.name = name, .description = "a zyzzyva is a weevil"};
    uint64_t start = run_cpu();
    BENCH_CHECK(skill_ranker_add(ranker, &metadata, NULL, 0, NULL) == 0);
    BENCH_CHECK(skill_ranker_query(ranker, &query, &ranking, NULL) == 0);
    added[i] = (double)(run_cpu() - start) / 1000;
    BENCH_CHECK(ranking->count == 1);
    BENCH_CHECK(ranking->matched == (i % 2 ? 2 : 1) || i > 1);
    skill_ranking_free(ranking);
    if (i % 2 == 0) continue;
    start = run_cpu();
    BENCH_CHECK(skill_ranker_remove(ranker, name) == 0);
    BENCH_CHECK(skill_ranker_query(ranker, &query, &ranking, NULL) == 0);
    removed[i / 2] = (double)(run_cpu() - start) / 1000;
    BENCH_CHECK(ranking->count == 1 && strcmp(ranking->results[0]->name, name) != 0);
    skill_ranking_free(ranking);
  }
  double mean = 0;
  for (size_t i = 0; i < CHANGES; i++) mean += added[i] / CHANGES;
  printf(
      "%8u  add and ask: median %.0f us, mean %.0f, p99 %.0f, worst %.0f; remove and ask: median %.0f us, p99 %.0f\n",
      set->count, run_share(added, CHANGES, .5), mean, run_share(added, CHANGES, .99), run_share(added, CHANGES, 1),
      run_share(removed, CHANGES / 2, .5), run_share(removed, CHANGES / 2, .99));
  skill_ranker_free(ranker);
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

enum { STAMP = 7 };

static SkillRanking *answer(SkillRanker *ranker, const struct question *question) {
  SkillQuery query = {.size = sizeof(SkillQuery), .text = question->text, .limit = ASKED, .floor = -1};
  SkillRanking *ranking = NULL;
  BENCH_CHECK(skill_ranker_query(ranker, &query, &ranking, NULL) == 0);
  return ranking;
}

static void check_same(const SkillRanking *a, const SkillRanking *b) {
  BENCH_CHECK(a->count == b->count && a->count > 0);
  for (size_t i = 0; i < a->count; i++)
    BENCH_CHECK(strcmp(a->results[i]->name, b->results[i]->name) == 0 && a->results[i]->score == b->results[i]->score);
}

/* Opens the file and runs a query at once, like a program that starts. */
static void open_and_ask(const char *path, const SkillRankerOptions *options, const struct question *question,
                         const SkillRanking *expected, double *opened, double *first) {
  SkillRanker *ranker = NULL;
  uint64_t then = bench_now_ns();
  BENCH_CHECK(skill_ranker_open(options, path, STAMP, &ranker, NULL) == 0);
  *opened = (double)(bench_now_ns() - then) / 1e6;
  SkillRanking *ranking = answer(ranker, question);
  *first = (double)(bench_now_ns() - then) / 1e6;
  check_same(ranking, expected);
  skill_ranking_free(ranking);
  skill_ranker_free(ranker);
}

void run_opened(const struct set *set, const struct settings *settings, const char *table) {
  enum { TIMES = 11 };
  char path[] = "/tmp/skillet-rank-XXXXXX";
  double opened[TIMES], first[TIMES];
  uint64_t took = 0;
  SkillRankerOptions options = SKILL_RANKER_OPTIONS_INIT;
  struct settings plain = *settings;
  options.table = table;
  plain.peer_weights = false;
  int fd = mkstemp(path);
  BENCH_CHECK(fd >= 0);
  SkillRanker *ranker = run_fill(set, &plain, table, &took);
  BENCH_CHECK(skill_ranker_save(ranker, path, STAMP, NULL) == 0);
  struct question *questions = set_questions(set, TIMES);
  for (size_t i = 0; i < TIMES; i++) {
    SkillRanking *expected = answer(ranker, &questions[i]);
    open_and_ask(path, &options, &questions[i], expected, &opened[i], &first[i]);
    skill_ranking_free(expected);
  }
  skill_ranker_free(ranker);
  close(fd);
  fd = 0;
  FILE *file = fopen(path, "rb");
  BENCH_CHECK(file && fseek(file, 0, SEEK_END) == 0);
  printf("%8u  a saved index of %.1f MB%s: opened in %.1f ms, first answer after %.1f ms (medians of %d)\n", set->count,
         (double)ftell(file) / 1e6, table && !*table ? "" : " with table", run_share(opened, TIMES, .5),
         run_share(first, TIMES, .5), TIMES);
  fclose(file);
  unlink(path);
  free(questions);
}
