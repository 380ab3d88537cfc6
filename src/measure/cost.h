/* SPDX-License-Identifier: MIT
 *
 * What skills cost: tokens per skill at each level, the listing at every budget, and whether disclosing skills step by
 * step pays at all.
 *
 *   L1  the skill's line in the listing
 *   L2  its body, and the compact JSON {"name","description","input_schema"} of each of its tools
 *       (of a recorded MCP server the tools alone: its instructions are sent when a client connects, not when its tools
 *       are shown, and are told apart)
 *   L3  its text resources, scripts not among them (their source never enters a context by itself)
 */
#ifndef SKILL_MEASURE_COST_H
#define SKILL_MEASURE_COST_H

#include "skillet/registry.h"
#include "skillet/tokens.h"

/* Bytes of one resource that are counted at most; what is larger is told in `skipped`. */
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
  size_t l2_bytes;
};

struct skill__cost_listing {
  size_t budget; /* 0: no bound */
  size_t tokens;
  size_t shown;
  size_t hidden;
  size_t chars; /* what descriptions were cut to; 0: names only */
};

/* Tokens of the extra instructions and definitions that disclosure needs in each request, and of what one use adds. */
struct skill__cost_verdict {
  size_t everything;  /* all L2 in each request */
  size_t listing;     /* at the budget */
  size_t meta_tools;  /* definitions of skill_search, skill_open and, with resources, skill_read and skill_run */
  size_t active;      /* the L2 of max_active skills of mean size, at most all of them */
  size_t disclosed;   /* listing + meta_tools + active */
  size_t per_open;    /* call and frame of one skill_open, without the L2 */
  double open_at_par; /* how many skills of mean size can be open before everything at once is cheaper */
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
  bool resources;                                          /* count L3; needs each resource to be read */
  void (*progress)(size_t done, size_t total, void *user); /* NULL: none */
  void *user;
};

/* Measures every skill of the registry. A body or resource that cannot be read counts nothing. 0, SKILL_EINVAL
 * (`budget` is none of `budgets`) or SKILL_ENOMEM. Release with skill__cost_free. */
int skill__cost_measure(SkillRegistry *registry, const struct skill__cost_options *options, struct skill__cost *out,
                        SkillError *err);
void skill__cost_free(struct skill__cost *cost);

/* L2 of one skill. `body`, `bytes` and `instructions` (may be NULL) receive the body's part, the bytes of all of it,
 * and what a recorded MCP server says of itself. */
size_t skill__cost_l2(SkillTokenizer *tokenizer, const Skill *skill, size_t *body, size_t *bytes, size_t *instructions);

#endif
