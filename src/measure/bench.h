/* SPDX-License-Identifier: MIT
 *
 * The savings benchmark: every strategy on the same conversations, and its figures as JSON, CSV or a page.
 */
#ifndef SKILL_MEASURE_BENCH_H
#define SKILL_MEASURE_BENCH_H

#include "measure/strategy.h"
#include "util/buf.h"

struct skill__bench {
  const struct skill__world *world;   /* borrowed */
  const struct skill__labels *labels; /* borrowed */
  const struct skill__talks *talks;   /* borrowed */
  struct skill__result *results;
  size_t count;
  const char *title;   /* of the catalogue; borrowed */
  const char *command; /* which gives the same figures; borrowed */
};

/* All strategies, in the order of the table; static. */
const struct skill__strategy *skill__bench_strategies(size_t *count);

/* Plays all strategies. `watch` may be NULL; `progress` (may be NULL) is called after each. */
int skill__bench_run(const struct skill__world *world, const struct skill__labels *labels,
                     const struct skill__talks *talks, const struct skill__play_watch *watch,
                     void (*progress)(size_t done, size_t total, void *user), void *user, struct skill__bench *out,
                     SkillError *err);
void skill__bench_fini(struct skill__bench *bench);

const struct skill__result *skill__bench_find(const struct skill__bench *bench, const char *name); /* NULL: none */

/* The compared figures, per conversation. */
struct skill__figures {
  double first;        /* tokens of the first request */
  double tokens;       /* of all requests of a conversation */
  double price;        /* the same with the cache, in tokens at full price */
  double equal_tokens; /* when turns that lacked a skill are repeated with everything sent */
  double equal_price;
  double saved_tokens; /* against everything: below 1, negative if it costs more */
  double saved_price;
  double saved_equal; /* of equal_price */
  double recall, all_loaded, kept, hit_rate;
};
struct skill__figures skill__bench_figures(const struct skill__bench *bench, const struct skill__result *result);

void skill__bench_json(const struct skill__bench *bench, struct skill__buf *buf);
void skill__bench_csv(const struct skill__bench *bench, struct skill__buf *buf);

/* Appends one JSON line for each request to a buffer: strategy, conversation, turn, tokens, cached tokens, and each
 * part with its tokens. The sums of the lines are the bill. */
struct skill__audit {
  const struct skill__world *world;
  struct skill__buf *buf;
};
struct skill__play_watch skill__audit_watch(struct skill__audit *audit);

/* One HTML file without script or network. */
void skill__bench_html(const struct skill__bench *bench, struct skill__buf *buf);

#endif
