/* SPDX-License-Identifier: MIT
 *
 * One engine over one set of skills: building, asking, measuring. Results are asserted; a wrong one ends the program.
 */
#ifndef BENCH_RANK_RUN_H
#define BENCH_RANK_RUN_H

#include "bench/rank_peers.h"
#include "bench/rank_set.h"
#include "skillet/rank.h"

enum { TOP = 10, ASKED = 3, CHECKED = 20 };

struct settings {
  size_t queries, peer_queries;
  size_t builds; /* times that each engine builds its index; the least counts */
  const char *table;
  /* The generated tags and names are words of the skill's topic, which real ones seldom are: the peers' weights and
   * usual k1 and b suit them better than the defaults, which were found on real requests. */
  bool peer_weights;
};

struct resident {
  double all, files; /* MB; the second of mapped files */
};

struct outcome {
  double median, p99;    /* microseconds of a query, top ASKED */
  double median_peers;   /* the same over the queries that the peers answer too */
  double mrr, mrr_peers; /* of TOP; the second over the queries that the peers answer too */
  double build;          /* seconds */
  struct resident built; /* what the process grew by when the index was there */
  struct resident asked; /* and after the questions */
  double index;          /* MB of index and dictionary */
  size_t same;           /* answers equal to the exhaustive ones, of CHECKED */
};

/* The ranker with a table ("": none), or a peer. */
struct engine {
  const char *label;
  const struct peer *peer; /* NULL: the ranker */
  const char *table;
  struct outcome outcome;
};

/* Time of this process on a processor, in nanoseconds: what else the machine does is not counted. */
uint64_t run_cpu(void);

/* The value below which `share` of the values lie; sorts them. */
double run_share(double *values, size_t count, double share);

/* A ranker over the whole set. `table` NULL: where it is found, "": none. */
SkillRanker *run_fill(const struct set *set, const struct settings *settings, const char *table, uint64_t *took);

struct outcome run_ours(const struct set *set, const struct settings *settings, const char *table);
struct outcome run_peer(const struct set *set, const struct settings *settings, const struct peer *peer);

/* Builds the index of each engine again, one after the other, as often as `settings` says, and keeps the least time of
 * each: a machine that is slow for a while is so for all of them. */
void run_builds(const struct set *set, const struct settings *settings, struct engine *engines, size_t count);

/* Adding and removing in a full catalogue, each followed by a query that must see it. */
void run_changes(const struct set *set, const struct settings *settings);

/* Opening a saved index and asking it at once: the answers must be those of the index that was saved. */
void run_opened(const struct set *set, const struct settings *settings, const char *table);

#endif
