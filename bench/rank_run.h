/* SPDX-License-Identifier: MIT
 *
 * Runs one engine on one set of skills: building, queries, measurements. Results are asserted; a wrong one ends the
 * program.
 */
#ifndef BENCH_RANK_RUN_H
#define BENCH_RANK_RUN_H

#include "bench/rank_peers.h"
#include "bench/rank_set.h"
#include "skillet/rank.h"

enum { TOP = 10, ASKED = 3, CHECKED = 20 };

struct settings {
  size_t queries, peer_queries;
  size_t builds; /* how often each engine builds its index; the least time counts */
  const char *table;
  /* The generated tags and names are words of the skill's topic, unlike most real ones. So the other engines' weights
   * and the usual k1 and b suit them better than the defaults, which were tuned on real requests. */
  bool peer_weights;
};

struct resident {
  double all, files; /* MB; the second is mapped files */
};

struct outcome {
  double median, p99;    /* microseconds of a query, top ASKED */
  double median_peers;   /* the same for the queries that the other engines answer too */
  double mrr, mrr_peers; /* of TOP; the second for the queries that the other engines answer too */
  double build;          /* seconds */
  struct resident built; /* growth of the process after building the index */
  struct resident asked; /* and after the queries */
  double index;          /* MB of index and dictionary */
  size_t same;           /* results equal to the exhaustive ones, of CHECKED */
};

/* The ranker with a table ("": none), or another engine. */
struct engine {
  const char *label;
  const struct peer *peer; /* NULL: the ranker */
  const char *table;
  struct outcome outcome;
};

/* CPU time of this process in nanoseconds, which does not include other load on the machine. */
uint64_t run_cpu(void);

/* The `share` quantile of the values; sorts them. */
double run_share(double *values, size_t count, double share);

/* A ranker for the whole set. `table`: NULL finds the default table, "" uses none. */
SkillRanker *run_fill(const struct set *set, const struct settings *settings, const char *table, uint64_t *took);

struct outcome run_ours(const struct set *set, const struct settings *settings, const char *table);
struct outcome run_peer(const struct set *set, const struct settings *settings, const struct peer *peer);

/* Builds the index of each engine again, in turn, as often as `settings` says, and keeps the least time of each, so
 * that a slow phase of the machine affects all of them. */
void run_builds(const struct set *set, const struct settings *settings, struct engine *engines, size_t count);

/* Adds and removes skills in a full catalogue; a query after each change must see it. */
void run_changes(const struct set *set, const struct settings *settings);

/* Opens a saved index and runs queries at once; the results must be those of the index that was saved. */
void run_opened(const struct set *set, const struct settings *settings, const char *table);

#endif
