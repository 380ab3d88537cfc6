/* SPDX-License-Identifier: MIT
 *
 * Ranking compared with SQLite FTS5 and, if it is installed, with Xapian's in-memory backend: the same skills and
 * sentences, one process, one thread. Prints build time, memory, latency, growth and quality. Asserts that the
 * two-stage results are those of scoring every skill, except for near ties.
 *
 *   rank_bench [--sizes 100,1000,10000,100000] [--skills FOLDER] [--queries 400] [--peers 40] [--table FILE]
 *              [--weights peers] [--builds 1]
 *
 * --skills: uses the skill files below a folder, with their bodies, instead of generated skills.
 * --weights peers: uses name 4, tags 2, description 1, k1 1.2, b 0.5 instead of the ranker's defaults.
 * --builds: how often each engine builds its index, in turn; the fastest build counts.
 * --peers: how many of the queries the other engines answer (each takes milliseconds); 0: none.
 */
#include "bench/bench.h"
#include "bench/rank_run.h"

enum { SIZES = 16, OPENED_FROM = 10000, CHANGED_FROM = 100000 };

struct arguments {
  uint32_t sizes[SIZES];
  size_t size_count;
  const char *skills;
  struct settings settings;
};

struct medians {
  double words, table;
};

static void print(uint32_t skills, const char *label, const struct outcome *outcome) {
  printf("%8u  %-14s median %9.2f us  p99 %9.2f (%.1fx)  build %7.3f s  memory %7.1f MB  MRR@10 %.4f\n", skills, label,
         outcome->median, outcome->p99, outcome->p99 / outcome->median, outcome->build, outcome->built.all,
         outcome->mrr);
  printf("%8u  %-14s memory: built %.2f MB, of files %.2f; asked %.2f, of files %.2f\n", skills, label,
         outcome->built.all, outcome->built.files, outcome->asked.all, outcome->asked.files);
  fflush(stdout);
}

static double memory_ratio(const struct resident *theirs, const struct resident *ours) {
  return theirs->all / (ours->all > 0.1 ? ours->all : 0.1);
}

static void print_peer(uint32_t skills, const char *label, const struct outcome *peer, const struct outcome *words,
                       const struct outcome *table) {
  print(skills, label, peer);
  printf("%8u  %s / ours: query %.1fx by words, %.1fx with table; build %.2fx, %.2fx; memory %.2fx, %.2fx\n", skills,
         label, peer->median_peers / words->median_peers, peer->median_peers / table->median_peers,
         peer->build / words->build, peer->build / table->build, memory_ratio(&peer->built, &words->built),
         memory_ratio(&peer->built, &table->built));
  printf("%8u  %s / ours: memory asked %.2fx by words, %.2fx with table\n", skills, label,
         memory_ratio(&peer->asked, &words->asked), memory_ratio(&peer->asked, &table->asked));
}

enum { WORDS, TABLE, FTS5, XAPIAN, ENGINES };

static size_t run_engines(const struct set *set, const struct settings *settings, struct engine engines[ENGINES]) {
  size_t count = 2;
  engines[WORDS] = (struct engine){.label = "skillet words", .table = ""};
  engines[TABLE] = (struct engine){.label = "skillet table", .table = settings->table};
  if (settings->peer_queries) engines[count++] = (struct engine){.label = "FTS5", .peer = &peer_fts5};
#ifdef HAVE_XAPIAN
  if (settings->peer_queries) engines[count++] = (struct engine){.label = "Xapian", .peer = &peer_xapian};
#endif
  for (size_t i = 0; i < count; i++)
    engines[i].outcome =
        engines[i].peer ? run_peer(set, settings, engines[i].peer) : run_ours(set, settings, engines[i].table);
  run_builds(set, settings, engines, count);
  return count;
}

static struct medians run_set(const struct set *set, const struct settings *settings) {
  struct engine engines[ENGINES];
  size_t count = run_engines(set, settings, engines);
  const struct outcome *words = &engines[WORDS].outcome, *table = &engines[TABLE].outcome;
  print(set->count, engines[WORDS].label, words);
  printf("%8u  index and dictionary %.2f MB, %.2f of the text's %.1f MB; as exhaustive: %zu of %d\n", set->count,
         words->index, words->index * 1e6 / set->bytes, set->bytes / 1e6, words->same, CHECKED);
  BENCH_CHECK(settings->queries < CHECKED || words->same * 10 >= 9 * CHECKED);
  print(set->count, engines[TABLE].label, table);
  if (settings->peer_queries)
    printf("%8u  MRR@10 on the peers' %zu queries: words %.4f, table %.4f\n", set->count, settings->peer_queries,
           words->mrr_peers, table->mrr_peers);
  for (size_t i = FTS5; i < count; i++) print_peer(set->count, engines[i].label, &engines[i].outcome, words, table);
  if (set->count >= OPENED_FROM) {
    run_opened(set, settings, "");
    run_opened(set, settings, settings->table);
  }
  if (set->count == CHANGED_FROM) run_changes(set, settings);
  return (struct medians){words->median, table->median};
}

static void run_sizes(const struct arguments *arguments) {
  struct corpus corpus;
  struct medians medians[SIZES];
  const uint32_t *sizes = arguments->sizes;
  corpus_init(&corpus);
  for (size_t i = 0; i < arguments->size_count; i++) {
    struct set set;
    set_generated(&set, &corpus, sizes[i]);
    medians[i] = run_set(&set, &arguments->settings);
  }
  for (size_t i = 0; i < arguments->size_count; i++)
    for (size_t j = i + 1; j < arguments->size_count; j++) {
      if (sizes[j] != 100 * sizes[i]) continue;
      printf("growth exponent %u to %u: words %.2f, with table %.2f\n", sizes[i], sizes[j],
             log(medians[j].words / medians[i].words) / log(100), log(medians[j].table / medians[i].table) / log(100));
    }
  corpus_fini(&corpus);
}

static void read_sizes(struct arguments *arguments, const char *text) {
  arguments->size_count = 0;
  for (char *at = NULL; *text && arguments->size_count < SIZES; text = at + (*at == ',')) {
    arguments->sizes[arguments->size_count++] = (uint32_t)strtoul(text, &at, 10);
    BENCH_CHECK(at > text);
  }
}

static void read_arguments(struct arguments *arguments, int argc, char **argv) {
  struct settings *settings = &arguments->settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--queries") == 0) settings->queries = strtoul(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--peers") == 0) settings->peer_queries = strtoul(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--builds") == 0) settings->builds = strtoul(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--weights") == 0) settings->peer_weights = strcmp(argv[i + 1], "peers") == 0;
    if (strcmp(argv[i], "--table") == 0) settings->table = argv[i + 1];
    if (strcmp(argv[i], "--skills") == 0) arguments->skills = argv[i + 1];
    if (strcmp(argv[i], "--sizes") == 0) read_sizes(arguments, argv[i + 1]);
  }
}

int main(int argc, char **argv) {
  struct arguments arguments = {{100, 1000, 10000, 100000}, 4, NULL, {.queries = 400, .peer_queries = 40, .builds = 1}};
  read_arguments(&arguments, argc, argv);
  if (arguments.skills) {
    struct set set;
    set_folder(&set, arguments.skills);
    run_set(&set, &arguments.settings);
    set_free(&set);
  } else {
    run_sizes(&arguments);
  }
  return 0;
}
