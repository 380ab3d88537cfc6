/* SPDX-License-Identifier: MIT
 *
 * The cost of skills: tokens per skill at each level, the listing at several budgets, and whether progressive
 * disclosure saves tokens.
 *
 *   L1  the skill's line in the listing
 *   L2  its body, and the compact JSON {"name","description","input_schema"} of each of its tools
 *       (of a recorded MCP server the tools alone: its instructions are sent when a client connects, and are counted
 *       separately)
 *   L3  its text resources without scripts, whose source does not enter a context
 */
#ifndef SKILL_MEASURE_COST_H
#define SKILL_MEASURE_COST_H

#include "skillet/registry.h"
#include "skillet/tokens.h"

/* Larger resources are not counted, but are in `skipped`. */
#define SKILL__COST_MAX_RESOURCE ((size_t)4 * 1024 * 1024)

struct skill__cost_skill {
  const char *name; /* borrowed from the registry */
  const SkillMetadata *metadata;
  size_t l1;
  size_t l2; /* body + tools */
  size_t l3;
  size_t body;
  size_t tools;
  size_t instructions; /* of a recorded MCP server; in no level */
  size_t tool_count;
  size_t resources; /* counted in l3 */
  size_t skipped;   /* resources that are not text, are scripts, too large or unreadable */
};

struct skill__cost_listing {
  size_t budget; /* 0: no bound */
  size_t tokens;
  size_t shown;
  size_t hidden;
  size_t chars; /* longest description shown; 0: names only */
};

/* Tokens of a request with everything, and of a request with progressive disclosure. */
struct skill__cost_verdict {
  size_t everything;  /* all L2 in each request */
  size_t listing;     /* at the budget */
  size_t meta_tools;  /* definitions of skill_search, skill_open and, with resources, skill_read and skill_run */
  size_t active;      /* L2 of max_active skills of mean size, at most of all skills */
  size_t disclosed;   /* listing + meta_tools + active */
  size_t per_open;    /* call and frame of one skill_open, without the L2 */
  double open_at_par; /* number of open skills of mean size at which everything at once costs the same */
  bool saves;
};

struct skill__cost {
  struct skill__cost_skill *skills; /* in order of name */
  size_t count;
  size_t l1, l2, l3;
  size_t tool_count;
  size_t budget; /* of `states` */
  struct skill__cost_listing *listings;
  size_t listing_count;
  size_t chosen;         /* index in listings of the one at `budget` */
  unsigned char *states; /* enum skill__listing_state of each skill at `budget` */
  struct skill__cost_verdict verdict;
};

struct skill__cost_options {
  SkillTokenizer *tokenizer; /* NULL: the estimate */
  const size_t *budgets;     /* of the listing; 0: no bound */
  size_t budget_count;
  size_t budget;                                           /* the one for `states` and the verdict; one of `budgets` */
  size_t max_active;                                       /* for the verdict */
  bool resources;                                          /* count L3, which reads every resource */
  void (*progress)(size_t done, size_t total, void *user); /* NULL: none */
  void *user;
};

/* Measures every skill of the registry. A body or resource that cannot be read counts 0. SKILL_EINVAL (`budget` is not
 * in `budgets`) or SKILL_ENOMEM. Release with skill__cost_free. */
int skill__cost_measure(SkillRegistry *registry, const struct skill__cost_options *options, struct skill__cost *out,
                        SkillError *err);
void skill__cost_free(struct skill__cost *cost);

/* The parts of a skill's L2, in tokens and bytes. */
struct skill__cost_l2 {
  size_t body, body_bytes;
  size_t tools, tools_bytes;
  size_t instructions; /* tokens of a recorded MCP server's instructions; in no level */
};
struct skill__cost_l2 skill__cost_l2(SkillTokenizer *tokenizer, const Skill *skill);

#endif
