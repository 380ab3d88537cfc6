/* SPDX-License-Identifier: MIT
 *
 * The cost of a conversation as a provider bills it: every request sends its whole context again; the prefix that
 * equals the request before is read from the cache, the rest is written to it.
 */
#ifndef SKILL_MEASURE_LEDGER_H
#define SKILL_MEASURE_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "skillet/base.h"

/* The purpose of a part of a request. */
#define SKILL__PART_MAP(X)  \
  X(META, "meta_tools")     \
  X(LISTING, "listing")     \
  X(SEARCH, "search_calls") \
  X(SKILL, "skills")        \
  X(WRONG, "wrong_skills")  \
  X(TALK, "conversation")

enum skill__part_kind {
#define SKILL_X(id, name) SKILL__PART_##id,
  SKILL__PART_MAP(SKILL_X)
#undef SKILL_X
      SKILL__PART_KINDS
};

/* "meta_tools", "listing" …; static. */
const char *skill__part_name(enum skill__part_kind kind);

/* A part of a request that is there as a whole or not at all. Equal ids mean equal bytes. */
struct skill__ledger_part {
  uint64_t id;
  enum skill__part_kind kind;
  size_t tokens;
  size_t bytes;
};

struct skill__outgoing {
  struct skill__ledger_part *parts;
  size_t count;
  size_t capacity;
};

int skill__outgoing_add(struct skill__outgoing *request, uint64_t id, enum skill__part_kind kind, size_t tokens,
                        size_t bytes); /* 0 or SKILL_ENOMEM */
size_t skill__outgoing_tokens(const struct skill__outgoing *request);
void skill__outgoing_fini(struct skill__outgoing *request);

/* Sums; all doubles are whole numbers below 2^53. */
struct skill__bill {
  double requests;
  double tokens;                   /* sent in all requests */
  double cached;                   /* of these, read from the cache */
  double bytes;                    /* sent after the first request of a conversation */
  double kept_bytes;               /* of these, in the unchanged prefix */
  double kinds[SKILL__PART_KINDS]; /* `tokens` by purpose */
  double output;                   /* tokens that the model wrote */
};

struct skill__ledger {
  struct skill__outgoing last;
  bool cold; /* the cache no longer has the last request */
  struct skill__bill bill;
};

/* Adds a request to the bill and keeps a copy as the last one. 0 or SKILL_ENOMEM. */
int skill__ledger_send(struct skill__ledger *ledger, const struct skill__outgoing *request);
/* Starts a new conversation with nothing cached. */
void skill__ledger_restart(struct skill__ledger *ledger);
void skill__ledger_fini(struct skill__ledger *ledger);

void skill__bill_add(struct skill__bill *sum, const struct skill__bill *more);

#endif
