/* SPDX-License-Identifier: MIT
 *
 * Strategies of showing skills to a model, played over conversations.
 *
 * Real are the ranker, the loader with its policies and a virtual clock, the listing, and the token counts. Assumed,
 * because no model runs: a model that sees a skill it needs, in the listing or in the results of a search, opens it,
 * and in `wrong_percent` of the cases a wrong skill before it; in a listing it overlooks `overlook_percent` of what it
 * needs. A skill that it does not see is not used.
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
  SKILL__STRATEGY_HOST,       /* the host ranks the request and loads the best; the model opens nothing */
  SKILL__STRATEGY_KEPT,       /* as HOST, but loaded skills are added to the conversation and stay there */
  SKILL__STRATEGY_SKILLET,    /* a listing at a budget, search, open; tools by tool_call: the tool list is constant */
  SKILL__STRATEGY_AGENT,      /* the same, but tools of opened or loaded skills are added to the tool list */
  SKILL__STRATEGY_ORACLE      /* exactly what each turn needs */
};

struct skill__strategy {
  const char *name;
  const char *title;
  enum skill__strategy_kind kind;
  size_t select;       /* number that the host loads for a request; 0: the policy decides */
  size_t max_active;   /* of the loader */
  const char *policy;  /* a built-in policy; NULL: relevance, cut at `select` */
  size_t token_budget; /* for the budget policy */
  int64_t timeout_ms;  /* of an activation; 0: none */
};

struct skill__result {
  const struct skill__strategy *strategy;
  struct skill__bill bill; /* of all conversations */
  double first_request;    /* tokens, summed over conversations */
  double largest_request;
  double groups, groups_met; /* needed groups, and those with a loaded skill */
  double turns, turns_met;   /* turns, and those with all groups met */
  double fallback;           /* tokens of repeating unmet turns with everything sent: written to the cache, */
  double fallback_cached;    /* and read from it, for the second request of the turn */
  double hits, inits, evictions, expiries;
  double *turn_tokens; /* by turn, summed over conversations */
};

/* Ids of parts: the kind in the upper 32 bits, the index of a skill or message in the lower. */
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

/* Callbacks for every message and every request of the first SKILL__WATCHED conversations. */
struct skill__play_watch {
  /* `text`: of the user, or NULL. `skill`: of a SAID_SKILL. `tokens`: without the message's frame. */
  void (*said)(void *user, enum skill__said who, const char *text, uint32_t skill, size_t tokens);
  void (*sent)(void *user, const struct skill__strategy *strategy, size_t conversation, size_t turn,
               const struct skill__outgoing *request, double cached);
  void *user;
};
#define SKILL__WATCHED 10

/* Plays all conversations; `watch` may be NULL. SKILL_ENOMEM or a code of the loader. Release with skill__result_fini,
 * also after a failure. */
int skill__strategy_play(const struct skill__world *world, const struct skill__talks *talks,
                         const struct skill__strategy *strategy, const struct skill__play_watch *watch,
                         struct skill__result *out, SkillError *err);
void skill__result_fini(struct skill__result *result);

#endif
