/* SPDX-License-Identifier: MIT
 *
 * Ranking against SQLite FTS5 and, where it is installed, Xapian's in-memory backend: the same generated skills and
 * sentences, one process, one thread. Prints build, memory, latency, growth and quality; asserts that answers by two
 * stages are, near ties apart, those of scoring every skill.
 *
 *   rank_bench [--sizes 100,1000,10000,100000] [--queries 400] [--peers 40] [--table FILE] [--weights peers]
 *
 * --weights peers: name 4, tags 2, description 1, k1 1.2, b 0.5 instead of the ranker's defaults.
 * --peers: how many of the queries the peers answer (they take milliseconds each); 0: no peers.
 */
#include <malloc.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/rank_corpus.h"
#include "bench/rank_peers.h"
#include "rank/ranker.h"

enum { TOP = 10, ASKED = 3, SIZES = 16, ROUNDS = 3, CHECKED = 20 };

struct settings {
  uint32_t sizes[SIZES];
  size_t size_count, queries, peer_queries;
  const char *table;
};

struct outcome {
  double median, p99, mrr, mrr_peers, build, memory, index;
  size_t same; /* answers equal to the exhaustive ones, of CHECKED */
};

/* Time of this process on a processor: what else the machine does is not counted. */
static uint64_t cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static double resident(void) {
  long pages = 0, ignored = 0;
  malloc_trim(0);
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%ld %ld", &ignored, &pages) != 2) pages = 0;
  fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static double at_share(double *values, size_t count, double share) {
  qsort(values, count, sizeof *values, bench_order);
  return count ? values[(size_t)((double)(count - 1) * share)] : 0;
}

/* Which skill each query is about. */
static uint32_t target_of(size_t query, uint32_t skills) {
  return (uint32_t)((query * 2654435761u + 12345) % skills);
}

struct question {
  char text[1024], name[CORPUS_NAME];
  uint32_t target;
};

/* Made beforehand, so that making one does not empty the caches of answering it. */
static struct question *make_questions(const struct corpus *corpus, size_t count, uint32_t skills) {
  struct question *questions = calloc(count + 1, sizeof *questions);
  struct corpus_skill skill;
  BENCH_CHECK(questions);
  for (size_t q = 0; q < count; q++) {
    questions[q].target = target_of(q, skills);
    corpus_query(corpus, (uint32_t)q, questions[q].target, questions[q].text, sizeof questions[q].text);
    corpus_skill(corpus, questions[q].target, &skill);
    memcpy(questions[q].name, skill.name, sizeof skill.name);
  }
  return questions;
}

/* --- skillet ------------------------------------------------------------------------------------------------------ */

/* The generated tags and names are words of the skill's topic, which real ones seldom are: the peers' weights and usual
 * k1 and b suit them better than the defaults, which were found on real requests. */
static bool peer_weights;

static SkillRanker *make_ranker(const char *table) {
  SkillRankerOptions options;
  SkillRanker *ranker = NULL;
  skill_ranker_options_default(&options);
  if (peer_weights) {
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

/* Returns what adding took; making the text is not counted. */
static uint64_t add_generated(const struct corpus *corpus, SkillRanker *ranker, uint32_t number, double *bytes) {
  struct corpus_skill skill;
  const char *tags[8];
  char copy[CORPUS_TAGS];
  SkillMetadata metadata = {.name = skill.name, .description = skill.text};
  corpus_skill(corpus, number, &skill);
  memcpy(copy, skill.tags, sizeof copy);
  for (char *tag = strtok(copy, " "); tag && metadata.tags.count < 8; tag = strtok(NULL, " "))
    tags[metadata.tags.count++] = tag;
  metadata.tags.items = tags;
  uint64_t then = cpu_ns();
  BENCH_CHECK(skill_ranker_add(ranker, &metadata, NULL, 0, NULL) == 0);
  uint64_t took = cpu_ns() - then;
  *bytes += (double)(strlen(skill.name) + strlen(skill.tags) + strlen(skill.text));
  return took;
}

static double index_bytes(const SkillRankSnapshot *snapshot) {
  double bytes = (double)skill__dict_bytes(snapshot->shared->dict);
  for (size_t i = 0; i < snapshot->part_count; i++) bytes += (double)snapshot->parts[i].segment->bytes;
  return bytes + (double)snapshot->stats.block_count * sizeof(struct skill__df_block);
}

static double ask(const SkillRankSnapshot *snapshot, const char *text, const char *want, double *reciprocal) {
  SkillQuery query = {.text = text, .limit = ASKED, .floor = -1};
  SkillRanking *ranking = NULL;
  uint64_t before = cpu_ns();
  BENCH_CHECK(skill_rank_query(snapshot, &query, &ranking, NULL) == 0);
  double took = (double)(cpu_ns() - before) / 1000;
  skill_ranking_free(ranking);
  if (!reciprocal) return took;
  query.limit = TOP;
  BENCH_CHECK(skill_rank_query(snapshot, &query, &ranking, NULL) == 0);
  for (size_t i = 0; i < ranking->count; i++)
    if (strcmp(ranking->results[i].name, want) == 0) *reciprocal += 1 / ((double)i + 1);
  skill_ranking_free(ranking);
  return took;
}

/* Whether the two stages give the names, in order, that scoring every skill gives. The first stage rounds scores to
 * find candidates, so near ties may differ; that the rounded search itself is exact is a unit test. */
static bool same_as_exhaustive(const SkillRankSnapshot *snapshot, const char *text) {
  SkillQuery query = {.text = text, .limit = ASKED, .floor = -1};
  SkillRanking *pruned = NULL, *whole = NULL;
  BENCH_CHECK(skill_rank_query(snapshot, &query, &pruned, NULL) == 0);
  query.exhaustive = true;
  BENCH_CHECK(skill_rank_query(snapshot, &query, &whole, NULL) == 0);
  bool same = pruned->count == whole->count;
  for (size_t i = 0; i < whole->count && same; i++) same = strcmp(pruned->results[i].name, whole->results[i].name) == 0;
  skill_ranking_free(pruned);
  skill_ranking_free(whole);
  return same;
}

static struct outcome run_skillet(const struct corpus *corpus, const struct settings *settings, uint32_t skills,
                                  const char *table, double *text_bytes) {
  struct outcome outcome = {0};
  SkillRankSnapshot *snapshot = NULL;
  double *took = calloc(settings->queries, sizeof *took), before = resident();
  BENCH_CHECK(took);
  *text_bytes = 0;
  uint64_t building = 0, then = cpu_ns();
  SkillRanker *ranker = make_ranker(table);
  building += cpu_ns() - then;
  for (uint32_t i = 0; i < skills; i++) building += add_generated(corpus, ranker, i, text_bytes);
  then = cpu_ns();
  BENCH_CHECK(skill_ranker_snapshot(ranker, &snapshot) == 0);
  outcome.build = (double)(building + cpu_ns() - then) / 1e9;
  outcome.memory = resident() - before;
  outcome.index = index_bytes(snapshot) / 1e6;
  struct question *questions = make_questions(corpus, settings->queries, skills);
  for (int round = 0; round < ROUNDS; round++)
    for (size_t q = 0; q < settings->queries; q++) {
      double us = ask(snapshot, questions[q].text, questions[q].name, round == 0 ? &outcome.mrr : NULL);
      if (round == 0 && q + 1 == settings->peer_queries) outcome.mrr_peers = outcome.mrr / (double)(q + 1);
      if (round == 0 || us < took[q]) took[q] = us;
      if (round == 0 && q < CHECKED) outcome.same += same_as_exhaustive(snapshot, questions[q].text);
    }
  free(questions);
  outcome.mrr /= (double)settings->queries;
  outcome.median = at_share(took, settings->queries, 0.5);
  outcome.p99 = at_share(took, settings->queries, 0.99);
  skill_rank_snapshot_release(snapshot);
  skill_ranker_free(ranker);
  free(took);
  return outcome;
}

/* Adding and removing in a full catalogue, each followed by a query that must see it. */
static void run_changes(const struct corpus *corpus, uint32_t skills) {
  enum { CHANGES = 400 };
  static double added[CHANGES], removed[CHANGES];
  SkillRanker *ranker = make_ranker("");
  double bytes = 0;
  for (uint32_t i = 0; i < skills; i++) add_generated(corpus, ranker, i, &bytes);
  SkillRankSnapshot *snapshot = NULL;
  BENCH_CHECK(skill_ranker_snapshot(ranker, &snapshot) == 0);
  skill_rank_snapshot_release(snapshot);
  SkillQuery query = {.text = "zyzzyva", .floor = -1, .limit = 1};
  for (size_t i = 0; i < CHANGES; i++) {
    char name[32];
    SkillRanking *ranking = NULL;
    snprintf(name, sizeof name, "added-%zu", i);
    SkillMetadata metadata = {.name = name, .description = "a zyzzyva is a weevil"};
    uint64_t start = cpu_ns();
    BENCH_CHECK(skill_ranker_add(ranker, &metadata, NULL, 0, NULL) == 0);
    BENCH_CHECK(skill_ranker_query(ranker, &query, &ranking, NULL) == 0);
    added[i] = (double)(cpu_ns() - start) / 1000;
    BENCH_CHECK(ranking->matched == (i % 2 ? 2 : 1) || i > 1);
    skill_ranking_free(ranking);
    if (i % 2 == 0) continue;
    start = cpu_ns();
    BENCH_CHECK(skill_ranker_remove(ranker, name) == 0);
    BENCH_CHECK(skill_ranker_query(ranker, &query, &ranking, NULL) == 0);
    removed[i / 2] = (double)(cpu_ns() - start) / 1000;
    BENCH_CHECK(ranking->count == 1 && strcmp(ranking->results[0].name, name) != 0);
    skill_ranking_free(ranking);
  }
  double mean = 0;
  for (size_t i = 0; i < CHANGES; i++) mean += added[i] / CHANGES;
  printf(
      "%8u  add and ask: median %.0f us, mean %.0f, p99 %.0f, worst %.0f; remove and ask: median %.0f us, p99 %.0f\n",
      skills, at_share(added, CHANGES, .5), mean, at_share(added, CHANGES, .99), at_share(added, CHANGES, 1),
      at_share(removed, CHANGES / 2, .5), at_share(removed, CHANGES / 2, .99));
  skill_ranker_free(ranker);
}

/* --- peers -------------------------------------------------------------------------------------------------------- */

static struct outcome run_peer(const struct corpus *corpus, const struct settings *settings, uint32_t skills,
                               const struct peer *peer) {
  struct outcome outcome = {0};
  struct corpus_skill skill;
  size_t queries = settings->peer_queries < settings->queries ? settings->peer_queries : settings->queries;
  double *took = calloc(queries + 1, sizeof *took), before = resident();
  BENCH_CHECK(took);
  uint64_t building = 0, then = cpu_ns();
  void *db = peer->open();
  building += cpu_ns() - then;
  for (uint32_t i = 0; i < skills; i++) {
    corpus_skill(corpus, i, &skill);
    then = cpu_ns();
    peer->add(db, i, skill.name, skill.tags, skill.text, NULL);
    building += cpu_ns() - then;
  }
  then = cpu_ns();
  peer->finish(db);
  outcome.build = (double)(building + cpu_ns() - then) / 1e9;
  outcome.memory = resident() - before;
  struct question *questions = make_questions(corpus, queries, skills);
  for (size_t q = 0; q < queries; q++) {
    uint32_t numbers[TOP], target = questions[q].target;
    const char *text = questions[q].text;
    for (int round = 0; round < 2; round++) {
      then = cpu_ns();
      size_t count = peer->query(db, text, numbers, ASKED);
      double us = (double)(cpu_ns() - then) / 1000;
      BENCH_CHECK(count > 0);
      if (round == 0 || us < took[q]) took[q] = us;
    }
    size_t count = peer->query(db, text, numbers, TOP);
    for (size_t i = 0; i < count; i++)
      if (numbers[i] == target) outcome.mrr += 1 / ((double)i + 1) / (double)queries;
  }
  outcome.median = at_share(took, queries, 0.5);
  outcome.p99 = at_share(took, queries, 0.99);
  free(questions);
  peer->close(db);
  free(took);
  return outcome;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static void print(uint32_t skills, const char *label, const struct outcome *outcome, const struct outcome *ours) {
  printf("%8u  %-14s median %9.2f us  p99 %9.2f  build %7.3f s  memory %7.1f MB  MRR@10 %.4f", skills, label,
         outcome->median, outcome->p99, outcome->build, outcome->memory, outcome->mrr);
  if (ours && outcome != ours)
    printf("  | query %.1fx, build %.1fx, memory %.2fx", outcome->median / ours->median, outcome->build / ours->build,
           outcome->memory / (ours->memory > 0.1 ? ours->memory : 0.1));
  printf("\n");
  fflush(stdout);
}

static double run_size(const struct corpus *corpus, const struct settings *settings, uint32_t skills,
                       double *with_table) {
  double text_bytes = 0;
  struct outcome words = run_skillet(corpus, settings, skills, "", &text_bytes);
  print(skills, "skillet words", &words, NULL);
  printf("%8u  index and dictionary %.2f MB, %.2f of the text's bytes; p99 / median %.1f; as exhaustive: %zu of %d\n",
         skills, words.index, words.index * 1e6 / text_bytes, words.p99 / words.median, words.same, CHECKED);
  BENCH_CHECK(settings->queries < CHECKED || words.same * 10 >= 9 * CHECKED);
  struct outcome table = run_skillet(corpus, settings, skills, settings->table, &text_bytes);
  print(skills, "skillet table", &table, NULL);
  *with_table = table.median;
  if (settings->peer_queries) {
    struct outcome fts = run_peer(corpus, settings, skills, &peer_fts5);
    print(skills, "FTS5", &fts, &words);
    printf("%8u  FTS5 / skillet with table: query %.1fx; MRR@10 on the peers' %zu queries: words %.4f, table %.4f\n",
           skills, fts.median / table.median, settings->peer_queries, words.mrr_peers, table.mrr_peers);
#ifdef HAVE_XAPIAN
    struct outcome xapian = run_peer(corpus, settings, skills, &peer_xapian);
    print(skills, "Xapian", &xapian, &words);
    printf("%8u  Xapian / skillet with table: query %.1fx\n", skills, xapian.median / table.median);
#endif
  }
  return words.median;
}

static void read_settings(struct settings *settings, int argc, char **argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--queries") == 0) settings->queries = strtoul(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--peers") == 0) settings->peer_queries = strtoul(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--weights") == 0) peer_weights = strcmp(argv[i + 1], "peers") == 0;
    if (strcmp(argv[i], "--table") == 0) settings->table = argv[i + 1];
    if (strcmp(argv[i], "--sizes") != 0) continue;
    settings->size_count = 0;
    for (char *at = argv[i + 1]; *at && settings->size_count < SIZES; at += *at == ',')
      settings->sizes[settings->size_count++] = (uint32_t)strtoul(at, &at, 10);
  }
}

int main(int argc, char **argv) {
  struct settings settings = {{100, 1000, 10000, 100000}, 4, 400, 40, NULL};
  struct corpus corpus;
  double medians[SIZES], tables[SIZES];
  read_settings(&settings, argc, argv);
  corpus_init(&corpus);
  for (size_t i = 0; i < settings.size_count; i++)
    medians[i] = run_size(&corpus, &settings, settings.sizes[i], &tables[i]);
  for (size_t i = 0; i < settings.size_count; i++)
    for (size_t j = i + 1; j < settings.size_count; j++) {
      if (settings.sizes[j] != 100 * settings.sizes[i]) continue;
      printf("growth exponent %u to %u: words %.2f, with table %.2f\n", settings.sizes[i], settings.sizes[j],
             log(medians[j] / medians[i]) / log(100), log(tables[j] / tables[i]) / log(100));
    }
  for (size_t i = 0; i < settings.size_count; i++)
    if (settings.sizes[i] == 100000) run_changes(&corpus, 100000);
  corpus_fini(&corpus);
  return 0;
}
