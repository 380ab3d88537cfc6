/* SPDX-License-Identifier: MIT
 *
 * Measures the ranker and the other engines in the same way. Times are CPU times, the least of several rounds. A round
 * runs all queries, so that no query is repeated while everything is still in the caches.
 */
#include "bench/rank_run.h"

#include <malloc.h>
#include <unistd.h>

#include "bench/bench.h"
#include "rank/index/snapshot.h"

enum { ROUNDS = 3, PEER_ROUNDS = 2 };

uint64_t run_cpu(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

double run_share(double *values, size_t count, double share) {
  qsort(values, count, sizeof *values, bench_order);
  return count ? values[(size_t)((double)(count - 1) * share)] : 0;
}

/* Resident memory, and its part that maps files: processes share it, and the system may reclaim it. */
static struct resident resident(void) {
  unsigned long ignored = 0, pages = 0, files = 0;
  malloc_trim(0);
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return (struct resident){0, 0};
  if (fscanf(file, "%lu %lu %lu", &ignored, &pages, &files) != 3) pages = files = 0;
  fclose(file);
  double size = (double)sysconf(_SC_PAGESIZE) / 1e6;
  return (struct resident){(double)pages * size, (double)files * size};
}

static struct resident grown(struct resident before) {
  struct resident now = resident();
  return (struct resident){now.all - before.all, now.files - before.files};
}

/* How many of the queries the other engines answer too. */
static size_t peers_queries(const struct settings *settings) {
  return settings->peer_queries < settings->queries ? settings->peer_queries : settings->queries;
}

/* --- skillet ------------------------------------------------------------------------------------------------------ */

static SkillRanker *make_ranker(const struct settings *settings, const char *table) {
  SkillRankerOptions options = SKILL_RANKER_OPTIONS_INIT;
  SkillRanker *ranker = NULL;
  if (settings->peer_weights) {
    options.weight[SKILL_RANK_NAME] = 4;
    options.weight[SKILL_RANK_TAGS] = 2;
    options.weight[SKILL_RANK_DESCRIPTION] = 1;
    options.k1 = 1.2;
    for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) options.b[f] = 0.5;
  }
  options.table = table;
  BENCH_CHECK(skill_ranker_new(&options, &ranker, NULL) == 0);
  return ranker;
}

static void add(SkillRanker *ranker, const struct set_item *item) {
  SkillMetadata metadata = {
      .name = item->name, .description = item->text, .tags = {.items = item->tags, .count = item->tag_count}};
  BENCH_CHECK(skill_ranker_add(ranker, &metadata, item->body, item->body ? strlen(item->body) : 0, NULL) == 0);
}

/* `took` does not include creating the text. */
SkillRanker *run_fill(const struct set *set, const struct settings *settings, const char *table, uint64_t *took) {
  static struct set_item items[SET_BATCH];
  uint64_t then = run_cpu();
  SkillRanker *ranker = make_ranker(settings, table);
  SkillRankSnapshot *snapshot = NULL;
  *took = run_cpu() - then;
  for (uint32_t from = 0, count; (count = set_batch(set, from, items)) > 0; from += count) {
    then = run_cpu();
    for (uint32_t i = 0; i < count; i++) add(ranker, &items[i]);
    *took += run_cpu() - then;
  }
  then = run_cpu();
  BENCH_CHECK(skill_ranker_snapshot(ranker, &snapshot) == 0);
  *took += run_cpu() - then;
  skill_rank_snapshot_release(snapshot);
  return ranker;
}

static double index_bytes(const SkillRankSnapshot *snapshot) {
  double bytes = (double)skill__dict_bytes(snapshot->shared->dict);
  for (size_t i = 0; i < snapshot->part_count; i++) bytes += (double)snapshot->parts[i].segment->bytes;
  return bytes + (double)snapshot->stats.block_count * sizeof(struct skill__df_block);
}

static double ask(const SkillRankSnapshot *snapshot, const char *text) {
  SkillQuery query = {.size = sizeof(SkillQuery), .text = text, .limit = ASKED, .floor = -1};
  SkillRanking *ranking = NULL;
  uint64_t before = run_cpu();
  BENCH_CHECK(skill_rank_query(snapshot, &query, &ranking, NULL) == 0);
  double took = (double)(run_cpu() - before) / 1000;
  skill_ranking_free(ranking);
  return took;
}

static double reciprocal_rank(const SkillRankSnapshot *snapshot, const struct set *set,
                              const struct question *question) {
  SkillQuery query = {.size = sizeof(SkillQuery), .text = question->text, .limit = TOP, .floor = -1};
  SkillRanking *ranking = NULL;
  struct set_item item;
  double found = 0;
  set_item(set, question->target, &item);
  BENCH_CHECK(skill_rank_query(snapshot, &query, &ranking, NULL) == 0);
  for (size_t i = 0; i < ranking->count; i++)
    if (strcmp(ranking->results[i]->name, item.name) == 0) found = 1 / ((double)i + 1);
  skill_ranking_free(ranking);
  return found;
}

/* Whether the two stages return the same names, in the same order, as scoring every skill. The first stage rounds
 * scores to find candidates, so near ties may differ. A unit test checks that the rounded search itself is exact. */
static bool same_as_exhaustive(const SkillRankSnapshot *snapshot, const char *text) {
  SkillQuery query = {.size = sizeof(SkillQuery), .text = text, .limit = ASKED, .floor = -1};
  SkillRanking *pruned = NULL, *whole = NULL;
  BENCH_CHECK(skill_rank_query(snapshot, &query, &pruned, NULL) == 0);
  query.exhaustive = true;
  BENCH_CHECK(skill_rank_query(snapshot, &query, &whole, NULL) == 0);
  bool same = pruned->count == whole->count;
  for (size_t i = 0; i < whole->count && same; i++)
    same = strcmp(pruned->results[i]->name, whole->results[i]->name) == 0;
  skill_ranking_free(pruned);
  skill_ranking_free(whole);
  return same;
}

struct outcome run_ours(const struct set *set, const struct settings *settings, const char *table) {
  struct outcome outcome = {0};
  SkillRankSnapshot *snapshot = NULL;
  uint64_t building = 0;
  double *took = calloc(settings->queries + 1, sizeof *took);
  struct resident before = resident();
  BENCH_CHECK(took);
  SkillRanker *ranker = run_fill(set, settings, table, &building);
  BENCH_CHECK(skill_ranker_snapshot(ranker, &snapshot) == 0);
  outcome.built = grown(before);
  outcome.build = (double)building / 1e9;
  outcome.index = index_bytes(snapshot) / 1e6;
  struct question *questions = set_questions(set, settings->queries);
  for (int round = 0; round < ROUNDS; round++)
    for (size_t q = 0; q < settings->queries; q++) {
      double us = ask(snapshot, questions[q].text);
      if (round == 0 || us < took[q]) took[q] = us;
    }
  outcome.asked = grown(before);
  for (size_t q = 0; q < settings->queries; q++) {
    outcome.mrr += reciprocal_rank(snapshot, set, &questions[q]);
    if (q + 1 == settings->peer_queries) outcome.mrr_peers = outcome.mrr / (double)(q + 1);
    if (q < CHECKED) outcome.same += same_as_exhaustive(snapshot, questions[q].text);
  }
  free(questions);
  outcome.mrr /= (double)settings->queries;
  outcome.median_peers = run_share(took, peers_queries(settings), 0.5);
  outcome.median = run_share(took, settings->queries, 0.5);
  outcome.p99 = run_share(took, settings->queries, 0.99);
  skill_rank_snapshot_release(snapshot);
  skill_ranker_free(ranker);
  free(took);
  return outcome;
}

/* --- peers -------------------------------------------------------------------------------------------------------- */

static uint64_t fill_peer(const struct set *set, const struct peer *peer, void **db) {
  static struct set_item items[SET_BATCH];
  uint64_t then = run_cpu();
  *db = peer->open();
  uint64_t took = run_cpu() - then;
  for (uint32_t from = 0, count; (count = set_batch(set, from, items)) > 0; from += count) {
    then = run_cpu();
    for (uint32_t i = 0; i < count; i++)
      peer->add(*db, from + i, items[i].name, items[i].joined, items[i].text, items[i].body);
    took += run_cpu() - then;
  }
  then = run_cpu();
  peer->finish(*db);
  return took + run_cpu() - then;
}

static double ask_peer(const struct peer *peer, void *db, const char *text) {
  uint32_t numbers[TOP];
  uint64_t then = run_cpu();
  size_t count = peer->query(db, text, numbers, ASKED);
  double us = (double)(run_cpu() - then) / 1000;
  BENCH_CHECK(count > 0);
  return us;
}

struct outcome run_peer(const struct set *set, const struct settings *settings, const struct peer *peer) {
  struct outcome outcome = {0};
  size_t queries = peers_queries(settings);
  double *took = calloc(queries + 1, sizeof *took);
  struct resident before = resident();
  void *db = NULL;
  BENCH_CHECK(took);
  uint64_t took_first = fill_peer(set, peer, &db);
  outcome.built = grown(before);
  outcome.build = (double)took_first / 1e9;
  struct question *questions = set_questions(set, queries);
  for (int round = 0; round < PEER_ROUNDS; round++)
    for (size_t q = 0; q < queries; q++) {
      double us = ask_peer(peer, db, questions[q].text);
      if (round == 0 || us < took[q]) took[q] = us;
    }
  for (size_t q = 0; q < queries; q++) {
    uint32_t numbers[TOP];
    size_t count = peer->query(db, questions[q].text, numbers, TOP);
    for (size_t i = 0; i < count; i++)
      if (numbers[i] == questions[q].target) outcome.mrr += 1 / ((double)i + 1) / (double)queries;
  }
  outcome.asked = grown(before);
  outcome.median = outcome.median_peers = run_share(took, queries, 0.5);
  outcome.p99 = run_share(took, queries, 0.99);
  free(questions);
  peer->close(db);
  free(took);
  return outcome;
}

/* --- building ----------------------------------------------------------------------------------------------------- */

static uint64_t build_once(const struct set *set, const struct settings *settings, const struct engine *engine) {
  uint64_t took = 0;
  if (!engine->peer) {
    skill_ranker_free(run_fill(set, settings, engine->table, &took));
    return took;
  }
  void *db = NULL;
  took = fill_peer(set, engine->peer, &db);
  engine->peer->close(db);
  return took;
}

void run_builds(const struct set *set, const struct settings *settings, struct engine *engines, size_t count) {
  for (size_t round = 1; round < settings->builds; round++)
    for (size_t i = 0; i < count; i++) {
      double took = (double)build_once(set, settings, &engines[i]) / 1e9;
      if (took < engines[i].outcome.build) engines[i].outcome.build = took;
    }
}
