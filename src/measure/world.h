/* SPDX-License-Identifier: MIT
 *
 * The input of a simulation: the catalogue with its costs, and the settings of the cost model.
 */
#ifndef SKILL_MEASURE_WORLD_H
#define SKILL_MEASURE_WORLD_H

#include "measure/cost.h"
#include "measure/labels.h"
#include "skillet/agent.h"

/* The cost model. skill__settings_default() has the values; docs/savings.md gives the reasons. */
struct skill__settings {
  size_t seed;
  size_t conversations;
  size_t turns;
  size_t system_tokens;    /* of the host's own system text */
  size_t call_tokens;      /* a tool call that the model writes */
  size_t result_tokens;    /* the result of that call */
  size_t answer_tokens;    /* the model's answer to a turn */
  size_t results;          /* lines of one search */
  size_t budget;           /* of a bounded listing, in tokens */
  size_t wrong_percent;    /* how often the model opens a wrong skill before the right one */
  size_t overlook_percent; /* how often it does not notice a needed skill in the listing */
  size_t cache_minutes;    /* how long a provider keeps a prefix */
  double cache_read;       /* price of a cached token */
  double cache_write;      /* price of a token that is not cached */
};
void skill__settings_default(struct skill__settings *settings);

struct skill__world_skill {
  const char *name;
  size_t line; /* L1 */
  size_t line_bytes;
  size_t found; /* a result of skill_search */
  size_t found_bytes;
  size_t body; /* L2 is body + tools */
  size_t body_bytes;
  size_t tools;
  size_t tools_bytes;
  bool shown; /* in the listing at the budget */
};

struct skill__world {
  SkillRegistry *registry; /* borrowed */
  SkillTokenizer *tokenizer;
  struct skill__settings settings;
  struct skill__by_name *names;
  struct skill__world_skill *skills; /* in order of registration */
  size_t count;
  size_t bodies, bodies_bytes; /* of all skills */
  size_t tools, tools_bytes;
  size_t listing, listing_bytes; /* without a bound */
  size_t bounded, bounded_bytes; /* at the budget */
  size_t bounded_shown;
  size_t meta[SKILL_META_COUNT], meta_bytes[SKILL_META_COUNT];
};

/* Counts all costs. `progress` may be NULL. SKILL_ENOMEM. Release with skill__world_fini. */
int skill__world_make(SkillRegistry *registry, SkillTokenizer *tokenizer, const struct skill__settings *settings,
                      void (*progress)(size_t done, size_t total, void *user), void *user, struct skill__world *out);
void skill__world_fini(struct skill__world *world);

#endif
