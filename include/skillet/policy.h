/* SPDX-License-Identifier: MIT
 *
 * SkillPolicy: selects which skills a query activates, and which skill is evicted.
 *
 * A policy consists of two functions on plain structs, so it can be tested without a registry or a loader;
 * docs/testing-policies.md shows how.
 */
#ifndef SKILLET_POLICY_H
#define SKILLET_POLICY_H

#include "skillet/error.h"

SKILL_BEGIN

#define SKILL_POLICY_VERSION 1

/* A ranked candidate, best first. */
typedef struct SkillCandidate {
  const char *name;
  double score;     /* rank score; comparable within one query */
  double fit;       /* 0..1 */
  size_t l2_tokens; /* tokens that its activation adds to the context; 0: unknown */
  bool active;      /* already active in this loader */
  bool pinned;
  const void *reserved[6]; /* 0 */
} SkillCandidate;

typedef struct SkillSelectInput {
  const SkillCandidate *candidates; /* best first, all above the floor; with SKILL_POLICY_EVERY the others follow */
  size_t count;
  size_t top; /* how many skills a query should activate at most */
  size_t max_active;
  size_t token_budget; /* 0: none */
  int64_t now_ms;
} SkillSelectInput;

/* An active skill. */
typedef struct SkillResident {
  const char *name;
  int64_t activated_ms;
  int64_t last_use_ms;
  size_t l2_tokens;
  double last_score; /* from the last query that returned it; 0: none */
  bool pinned;
  bool in_use;             /* one of its tool calls is running */
  bool wanted;             /* the request that needs room, or one whose callback has not run, includes it */
  const void *reserved[4]; /* 0 */
} SkillResident;

typedef struct SkillVictimInput {
  const SkillResident *residents; /* least recently used first */
  size_t count;
  const char *incoming; /* name of the skill that needs room */
  int64_t now_ms;
} SkillVictimInput;

enum { SKILL_POLICY_EVERY = 1 /* all skills are candidates, not only those that match the query */ };

typedef struct SkillPolicy SkillPolicy;
struct SkillPolicy {
  uint32_t version; /* SKILL_POLICY_VERSION */
  unsigned flags;   /* SKILL_POLICY_… */
  const char *name;
  void *user;
  /* Writes the indices of the candidates to activate to `chosen` (room for input->count), in the order of activation,
   * and their number to *count. Returns 0, or a negative code that fails the activation. */
  int (*select)(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count);
  /* Writes the index of the resident to evict to *victim. SKILL_EFULL: none can be evicted. The loader rejects a
   * resident that is pinned, in use or wanted. NULL: the least recently used one is evicted. */
  int (*victim)(const SkillPolicy *policy, const SkillVictimInput *input, size_t *victim);
};

/* The built-in policies; static, never NULL. All evict the least recently used skill. relevance: the `top` best.
 * sticky: the same, but an active skill is replaced only by one with at least 1.25 times its score, which keeps the
 * beginning of the prompt stable. budget: the greatest total score of at most max_active skills within token_budget,
 * exact for up to 64 candidates; a skill of unknown size counts as 0 tokens. all: every skill, best first; those beyond
 * max_active are reported as not activated. manual: none. */
SKILL_API const SkillPolicy *skill_policy_relevance(void);
SKILL_API const SkillPolicy *skill_policy_sticky(void);
SKILL_API const SkillPolicy *skill_policy_budget(void);
SKILL_API const SkillPolicy *skill_policy_all(void);
SKILL_API const SkillPolicy *skill_policy_manual(void);

/* The built-in policies in a fixed order, from 0; NULL past the last. For a host that lists their names. */
SKILL_API const SkillPolicy *skill_policy_at(size_t index);

/* Returns the built-in policy of that name, or NULL. */
SKILL_API const SkillPolicy *skill_policy_find(const char *name);

SKILL_END

#endif
