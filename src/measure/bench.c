/* SPDX-License-Identifier: MIT
 *
 * The table of strategies, and running all of them; see bench.h.
 */
#include "measure/bench.h"

#include <string.h>

#include "util/alloc.h"

#define MINUTES(n) ((int64_t)(n)*60000)
#define HOST SKILL__STRATEGY_HOST

const struct skill__strategy *skill__bench_strategies(size_t *count) {
  static const struct skill__strategy table[] = {
      {"everything", "every body and tool in each request", SKILL__STRATEGY_EVERYTHING, 0, 0, NULL, 0, 0},
      {"listing", "a line for every skill, and open", SKILL__STRATEGY_LISTING, 0, 0, NULL, 0, 0},
      {"search", "search and open, nothing listed", SKILL__STRATEGY_SEARCH, 0, 0, NULL, 0, 0},
      {"top-1", "the host loads the best one", HOST, 1, 1, NULL, 0, 0},
      {"top-2", "the host loads the best 2", HOST, 2, 2, NULL, 0, 0},
      {"top-3", "the host loads the best 3", HOST, 3, 3, NULL, 0, 0},
      {"top-4", "the host loads the best 4", HOST, 4, 4, NULL, 0, 0},
      {"top-5", "the host loads the best 5", HOST, 5, 5, NULL, 0, 0},
      {"top-6", "the host loads the best 6", HOST, 6, 6, NULL, 0, 0},
      {"top-7", "the host loads the best 7", HOST, 7, 7, NULL, 0, 0},
      {"top-8", "the host loads the best 8", HOST, 8, 8, NULL, 0, 0},
      {"top-9", "the host loads the best 9", HOST, 9, 9, NULL, 0, 0},
      {"top-10", "the host loads the best 10", HOST, 10, 10, NULL, 0, 0},
      {"lru-1of3", "the best one, 3 kept by recency", HOST, 1, 3, NULL, 0, 0},
      {"lru-3of8", "the best 3, 8 kept by recency", HOST, 3, 8, NULL, 0, 0},
      {"lru-3of8-5min", "the same, gone after 5 idle minutes", HOST, 3, 8, NULL, 0, MINUTES(5)},
      {"lru-3of8-30min", "the same, gone after 30 idle minutes", HOST, 3, 8, NULL, 0, MINUTES(30)},
      {"sticky-3", "3, replaced only by clearly better ones", HOST, 0, 3, "sticky", 0, 0},
      {"budget-8k", "the best that fit 8,000 tokens", HOST, 0, 20, "budget", 8000, 0},
      {"top-1-kept", "the best one, into the conversation to stay", SKILL__STRATEGY_KEPT, 1, 64, NULL, 0, 0},
      {"top-3-kept", "the best 3, into the conversation to stay", SKILL__STRATEGY_KEPT, 3, 64, NULL, 0, 0},
      {"skillet", "a bounded listing, search, open, tool_call", SKILL__STRATEGY_SKILLET, 0, 0, NULL, 0, 0},
      {"agent", "the same, tools in the request's own list", SKILL__STRATEGY_AGENT, 0, 3, "manual", 0, 0},
      {"agent-load-1", "the same, and the host loads the best one", SKILL__STRATEGY_AGENT, 1, 3, NULL, 0, 0},
      {"agent-load-3", "the same, and the host loads the best 3", SKILL__STRATEGY_AGENT, 3, 3, NULL, 0, 0},
      {"oracle", "what a turn needs, known beforehand", SKILL__STRATEGY_ORACLE, 0, 0, NULL, 0, 0},
  };
  *count = sizeof table / sizeof *table;
  return table;
}

int skill__bench_run(const struct skill__world *world, const struct skill__labels *labels,
                     const struct skill__talks *talks, const struct skill__play_watch *watch,
                     void (*progress)(size_t done, size_t total, void *user), void *user, struct skill__bench *out,
                     SkillError *err) {
  size_t total = 0;
  const struct skill__strategy *strategies = skill__bench_strategies(&total);
  struct skill__bench bench = {.world = world, .labels = labels, .talks = talks};
  bench.results = skill__calloc(total, sizeof *bench.results);
  if (!bench.results) return skill_error_set(err, SKILL_ENOMEM, "no memory for the results");
  int status = 0;
  while (!status && bench.count < total) {
    status = skill__strategy_play(world, talks, &strategies[bench.count], watch, &bench.results[bench.count], err);
    bench.count++;
    if (progress) progress(bench.count, total, user);
  }
  if (status) {
    skill__bench_fini(&bench);
    return status;
  }
  *out = bench;
  return 0;
}

void skill__bench_fini(struct skill__bench *bench) {
  for (size_t i = 0; i < bench->count; i++) skill__result_fini(&bench->results[i]);
  skill__free(bench->results);
  memset(bench, 0, sizeof *bench);
}

const struct skill__result *skill__bench_find(const struct skill__bench *bench, const char *name) {
  for (size_t i = 0; i < bench->count; i++) {
    if (!strcmp(bench->results[i].strategy->name, name)) return &bench->results[i];
  }
  return NULL;
}

static double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

static double price(double cached, double others, const struct skill__settings *settings) {
  return cached * settings->cache_read + others * settings->cache_write;
}

struct skill__figures skill__bench_figures(const struct skill__bench *bench, const struct skill__result *result) {
  const struct skill__settings *settings = &bench->world->settings;
  const struct skill__bill *bill = &result->bill;
  const struct skill__bill *all = &bench->results[0].bill; /* everything is the first strategy */
  double talks = (double)bench->talks->count;
  double all_price = price(all->cached, all->tokens - all->cached, settings) / talks;
  struct skill__figures f = {.first = result->first_request / talks,
                             .tokens = bill->tokens / talks,
                             .price = price(bill->cached, bill->tokens - bill->cached, settings) / talks,
                             .recall = share(result->groups_met, result->groups),
                             .all_loaded = share(result->turns_met, result->turns),
                             .kept = share(bill->kept_bytes, bill->bytes),
                             .hit_rate = share(result->hits, result->hits + result->inits)};
  f.equal_tokens = f.tokens + (result->fallback + result->fallback_cached) / talks;
  f.equal_price = f.price + price(result->fallback_cached, result->fallback, settings) / talks;
  f.saved_tokens = share(all->tokens - bill->tokens, all->tokens);
  f.saved_price = share(all_price - f.price, all_price);
  f.saved_equal = share(all_price - f.equal_price, all_price);
  return f;
}
