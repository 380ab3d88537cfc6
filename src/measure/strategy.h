/* SPDX-License-Identifier: MIT
 *
 * Strategies of showing skills to a model, played over conversations.
 *
 * What is real: the ranker, the loader with its policies and a virtual clock, the listing, the token counts. What is
 * assumed, because no model runs: a model that sees the skill it needs, in the listing or among the results of a
 * search, opens it, and in `wrong_percent` of the cases a wrong one before it; in a listing it overlooks
 * `overlook_percent` of what it needs. One that does not see a skill goes without.
 */
#ifndef SKILL_MEASURE_STRATEGY_H
#define SKILL_MEASURE_STRATEGY_H

#include "measure/ledger.h"
#include "measure/talk.h"
#include "measure/world.h"
#include "skillet/loader.h"

enum skill__strategy_kind {
  SKILL__STRATEGY_EVERYTHING, /* all bodies and tools in each request */
  SKILL__STRATEGY_LISTING,    /* every skill's line, and skill_open */
  SKILL__STRATEGY_SEARCH,     /* skill_search and skill_open; nothing is listed */
  SKILL__STRATEGY_HOST,       /* the host ranks the request and loads the best; the model asks for nothing */
  SKILL__STRATEGY_KEPT,       /* as HOST, but what was loaded goes into the conversation and stays there */
  SKILL__STRATEGY_SKILLET,    /* a listing at a budget, search and open; tools by tool_call, so that nothing changes */
  SKILL__STRATEGY_AGENT,      /* the same, but tools of what is opened or loaded join the request's own tool list */
  SKILL__STRATEGY_ORACLE      /* what the turn needs, at the moment it needs it, for nothing else */
};

struct skill__strategy {
  const char *name;
  const char *title;
  enum skill__strategy_kind kind;
  size_t select;       /* how many the host wants for a request; 0: as the policy says */
  size_t max_active;   /* of the loader */
  const char *policy;  /* a built-in one; NULL: relevance, cut at `select` */
  size_t token_budget; /* for the budget policy */
  int64_t timeout_ms;  /* of an activation; 0: none */
};

struct skill__result {
  const struct skill__strategy *strategy;
  struct skill__bill bill; /* of all conversations */
  double first_request;    /* tokens, summed over conversations */
  double largest_request;
  double groups, groups_met; /* needs, and those that were loaded */
  double turns, turns_met;   /* turns with all needs loaded */
  double fallback;           /* tokens of repeating what was not met with everything sent: written to the cache */
  double fallback_cached;    /* and read from it, for the turn's second request */
  double hits, inits, evictions, expiries;
  double *turn_tokens; /* by turn, summed over conversations */
};

/* Ids of parts: the kind in the upper half, its number (a skill's place, a message's number) in the lower. */
enum skill__part_id {
  SKILL__ID_META = 1, /* by SkillMetaTool */
  SKILL__ID_TOOLS,    /* of a skill */
  SKILL__ID_SYSTEM,
  SKILL__ID_LISTING, /* 0: whole, 1: at the budget */
  SKILL__ID_BODY,    /* of a skill, in the system text */
  SKILL__ID_MESSAGE,
  SKILL__ID_ALL_TOOLS,
  SKILL__ID_ALL_BODIES
};

enum skill__said { SKILL__SAID_USER, SKILL__SAID_CALL, SKILL__SAID_RESULT, SKILL__SAID_SKILL, SKILL__SAID_ANSWER };

/* For audits: told of every message and every request of the first ten conversations, as they come. */
struct skill__play_watch {
  /* `text` is what the user said, or NULL; `skill` whose body or tools a SAID_SKILL holds. `tokens` without a frame. */
  void (*said)(void *user, enum skill__said who, const char *text, uint32_t skill, size_t tokens);
  void (*sent)(void *user, const struct skill__strategy *strategy, size_t conversation, size_t turn,
               const struct skill__outgoing *request, double cached);
  void *user;
};
#define SKILL__WATCHED 10

/* Plays all conversations; `watch` may be NULL. SKILL_ENOMEM or what the loader says. Release with skill__result_fini,
 * also after a failure. */
int skill__strategy_play(const struct skill__world *world, const struct skill__talks *talks,
                         const struct skill__strategy *strategy, const struct skill__play_watch *watch,
                         struct skill__result *out, SkillError *err);
void skill__result_fini(struct skill__result *result);

/* --- figures ------------------------------------------------------------------------------------------------------ */

double skill__result_recall(const struct skill__result *result);     /* needs that were loaded, 0..1 */
double skill__result_all_loaded(const struct skill__result *result); /* turns with all of them, 0..1 */
double skill__result_price(const struct skill__result *result, const struct skill__settings *settings); /* with cache */
double skill__result_kept(const struct skill__result *result);     /* share of bytes that the prefix kept, 0..1 */
double skill__result_hit_rate(const struct skill__result *result); /* 0 where nothing is loaded by the host */

#endif
