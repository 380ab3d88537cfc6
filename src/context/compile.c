/* SPDX-License-Identifier: MIT
 *
 * Plans a request. If everything fits, everything is kept. Otherwise tokens are given in this order: the request itself
 * and the calls of its turn; mentions; results of this turn; always-skills; the listing; bodies of opened skills,
 * newest first; history, newest first; retrieved passages.
 *
 * History is dropped in steps of an eighth of the budget: the cut stays in one place for several turns, and so does the
 * prefix that a provider reads from its cache. Fails if even the request does not fit, and when memory is out.
 */
#include "context/compile.h"

#include <string.h>

#include "util/alloc.h"
#include "util/options.h"

enum {
  RESULT_LEAST = 48,  /* tokens that a result of this turn keeps at least */
  MENTION_LEAST = 96, /* a shorter part of a mention is useless */
  SLIDE_STEPS = 8
};

/* In the order in which they are served. */
enum { FOR_REQUEST, FOR_MENTIONS, FOR_RESULTS, FOR_ALWAYS, FOR_LISTING, FOR_BODIES, FOR_PASSAGES };

/* What a share of the budget is for. */
struct claim {
  size_t group;   /* SIZE_MAX: none */
  size_t message; /* SIZE_MAX: the whole group */
  size_t always;  /* SIZE_MAX: none; with no group either: the listing */
};

struct plan {
  struct skill__compiling *c;
  SkillShare *shares;
  struct claim *claims; /* of each share */
  size_t *given;
  size_t count;
};

/* --- claims ---------------------------------------------------------------------------------------------------- */

static void claim(struct plan *plan, unsigned priority, size_t want, size_t least, struct claim what) {
  plan->shares[plan->count] = (SkillShare){want, least, priority};
  plan->claims[plan->count++] = what;
}

/* Text and calls in full, results at least in part. */
static void claim_current(struct plan *plan, size_t index) {
  const struct skill__message_group *group = &plan->c->groups[index];
  SkillConversation *talk = plan->c->input->conversation;
  for (size_t i = group->from; i < group->to; i++) {
    struct claim what = {index, i, SIZE_MAX};
    size_t tokens = skill__conversation_tokens(talk, i, plan->c->input->tokenizer);
    bool result = skill_conversation_at(talk, i)->role == SKILL_ROLE_TOOL;
    size_t least = result && tokens > RESULT_LEAST ? RESULT_LEAST : tokens;
    claim(plan, FOR_REQUEST, least, least, what);
    if (tokens > least) claim(plan, FOR_RESULTS, tokens - least, 0, what);
  }
}

static void claim_groups(struct plan *plan) {
  for (size_t k = plan->c->group_count; k-- > 0;) { /* the newest is served first */
    const struct skill__message_group *group = &plan->c->groups[k];
    struct claim whole = {k, SIZE_MAX, SIZE_MAX};
    size_t tokens = group->tokens;
    if (group->kind == SKILL__GROUP_MENTION) {
      claim(plan, FOR_MENTIONS, tokens, tokens < MENTION_LEAST ? tokens : MENTION_LEAST, whole);
    } else if (group->kind == SKILL__GROUP_BROKEN || group->kind == SKILL__GROUP_PASSAGES) {
      continue;
    } else if (group->current) {
      claim_current(plan, k);
    } else if (group->kind != SKILL__GROUP_SAID) {
      claim(plan, FOR_BODIES, tokens, tokens, whole);
    }
  }
}

static void claim_system(struct plan *plan) {
  const struct skill__compiling *c = plan->c;
  for (size_t i = 0; i < c->input->always_count; i++) {
    claim(plan, FOR_ALWAYS, c->always_tokens[i], c->always_tokens[i], (struct claim){SIZE_MAX, SIZE_MAX, i});
  }
  if (!c->listing_tokens) return;
  claim(plan, FOR_LISTING, c->listing_tokens, c->listing_tokens, (struct claim){SIZE_MAX, SIZE_MAX, SIZE_MAX});
}

static void claim_passages(struct plan *plan) {
  for (size_t k = plan->c->group_count; k-- > 0;) {
    size_t tokens = plan->c->groups[k].tokens;
    if (plan->c->groups[k].kind != SKILL__GROUP_PASSAGES) continue;
    claim(plan, FOR_PASSAGES, tokens, tokens, (struct claim){k, SIZE_MAX, SIZE_MAX});
  }
}

/* --- giving ---------------------------------------------------------------------------------------------------- */

static bool is_history(const struct skill__message_group *group) {
  return group->kind == SKILL__GROUP_SAID && !group->current;
}

/* Keeps the newest history that fits in `room`; the cut moves in steps. Returns the tokens kept. */
static size_t slide(struct skill__compiling *c, size_t room, size_t budget) {
  size_t all = 0;
  size_t step = budget / SLIDE_STEPS ? budget / SLIDE_STEPS : 1;
  for (size_t i = 0; i < c->group_count; i++) all += is_history(&c->groups[i]) ? c->groups[i].tokens : 0;
  size_t over = all > room ? all - room : 0;
  size_t drop = (over + step - 1) / step * step;
  size_t dropped = 0;
  for (size_t i = 0; i < c->group_count; i++) {
    if (!is_history(&c->groups[i])) continue;
    c->groups[i].keep = dropped >= drop;
    if (!c->groups[i].keep) dropped += c->groups[i].tokens;
  }
  return all - dropped;
}

static void grant(struct skill__compiling *c, const struct claim *what, size_t given, size_t want) {
  if (what->always != SIZE_MAX) {
    c->always[what->always] = given > 0 || !want;
  } else if (what->group == SIZE_MAX) {
    c->listing = given > 0;
  } else if (what->message != SIZE_MAX) {
    c->groups[what->group].keep = true;
    c->room[what->message] = (c->room[what->message] == SIZE_MAX ? 0 : c->room[what->message]) + given;
  } else if (given) {
    struct skill__message_group *group = &c->groups[what->group];
    group->keep = true;
    if (given < want) c->room[group->from] = given;
  }
}

/* Divides `budget`. SKILL_ELIMIT: the request itself does not fit, and *needs is what it takes. */
static int divide(struct skill__compiling *c, size_t budget, size_t *needs) {
  size_t most = 2 * skill_conversation_count(c->input->conversation) + c->group_count + c->input->always_count + 1;
  struct plan plan = {.c = c};
  plan.shares = skill__arena_alloc(&c->arena, most * sizeof *plan.shares);
  plan.claims = skill__arena_alloc(&c->arena, most * sizeof *plan.claims);
  plan.given = skill__arena_alloc(&c->arena, most * sizeof *plan.given);
  if (!plan.shares || !plan.claims || !plan.given) return SKILL_ENOMEM;
  claim_groups(&plan);
  claim_system(&plan);
  for (size_t i = 0; i < plan.count; i++) *needs += plan.shares[i].priority == FOR_REQUEST ? plan.shares[i].least : 0;
  if (*needs > budget) return SKILL_ELIMIT;
  size_t first = plan.count; /* of the passages, which get what history leaves */
  claim_passages(&plan);
  size_t used = skill_budget_allocate(plan.shares, first, budget, plan.given);
  used += slide(c, budget - used, budget);
  skill_budget_allocate(plan.shares + first, plan.count - first, budget - used, plan.given + first);
  for (size_t i = 0; i < plan.count; i++) grant(c, &plan.claims[i], plan.given[i], plan.shares[i].want);
  return 0;
}

static void keep_all(struct skill__compiling *c) {
  for (size_t i = 0; i < c->group_count; i++) c->groups[i].keep = c->groups[i].kind != SKILL__GROUP_BROKEN;
  for (size_t i = 0; i < c->input->always_count; i++) c->always[i] = true;
  c->listing = true;
}

static int squeeze(struct skill__compiling *c, SkillError *err) {
  size_t budget = c->input->budget;
  size_t needs = 0;
  size_t all = c->fixed + c->listing_tokens;
  size_t fixed = c->fixed + SKILL__OMISSION_TOKENS;
  bool broken = false;
  for (size_t i = 0; i < c->input->always_count; i++) all += c->always_tokens[i];
  for (size_t i = 0; i < c->group_count; i++) {
    if (c->groups[i].kind == SKILL__GROUP_BROKEN) broken = true;
    if (c->groups[i].kind != SKILL__GROUP_BROKEN) all += c->groups[i].tokens;
  }
  if (broken) all += SKILL__OMISSION_TOKENS;
  if (!budget || all <= budget) {
    keep_all(c);
    return 0;
  }
  int status = fixed <= budget ? divide(c, budget - fixed, &needs) : SKILL_ELIMIT;
  if (status != SKILL_ELIMIT) return status;
  return skill_error_set(err, status,
                         "the request alone takes about %zu tokens, and the budget is %zu: raise it, or ask with less",
                         fixed + needs, budget);
}

/* --- all of it ------------------------------------------------------------------------------------------------- */

static int prepare(struct skill__compiling *c) {
  const SkillContextInput *input = c->input;
  SkillTokenizer *tokenizer = input->tokenizer;
  size_t count = skill_conversation_count(input->conversation);
  int status = skill__groups_make(input->conversation, tokenizer, &c->groups, &c->group_count);
  if (status) return status;
  c->room = skill__arena_alloc(&c->arena, count * sizeof *c->room);
  c->always = skill__arena_alloc(&c->arena, input->always_count * sizeof *c->always);
  c->always_tokens = skill__arena_alloc(&c->arena, input->always_count * sizeof *c->always_tokens);
  if (!c->room || !c->always || !c->always_tokens) return SKILL_ENOMEM;
  for (size_t i = 0; i < count; i++) c->room[i] = SIZE_MAX;
  for (size_t i = 0; i < input->always_count; i++) {
    const SkillAlways *always = &input->always[i];
    c->always_tokens[i] = skill_tokens_count(tokenizer, always->text, always->length) +
                          skill_tokens_count(tokenizer, always->name, strlen(always->name)) + 8;
  }
  if (input->listing && *input->listing) {
    c->listing_tokens = skill_tokens_count(tokenizer, input->listing, strlen(input->listing)) + 4;
  }
  return 0;
}

static size_t tool_cost(const SkillContextInput *input) {
  size_t tokens = input->tool_tokens;
  for (size_t i = 0; i < input->tool_count && !input->tool_tokens; i++) {
    tokens += skill_tokens_tool(input->tokenizer, &input->tools[i]);
  }
  return tokens;
}

int skill_context_compile(const SkillContextInput *input, SkillCompiled **out, SkillError *err) {
  SkillContextInput given = SKILL_CONTEXT_INPUT_INIT;
  int status = SKILL__OPTIONS(SkillContextInput, &given, input, err);
  if (status) return status;
  if (!given.conversation || !out) return skill_error_set(err, SKILL_EINVAL, "there is no conversation to compile");
  struct skill__compiling c = {.input = &given};
  struct skill__compiled *compiled = skill__calloc(1, sizeof *compiled);
  status = compiled ? prepare(&c) : SKILL_ENOMEM;
  if (status) goto out;
  compiled->out.tool_tokens = tool_cost(&given);
  c.fixed = compiled->out.tool_tokens + SKILL__MESSAGE_OVERHEAD;
  if (given.system) c.fixed += skill_tokens_count(given.tokenizer, given.system, strlen(given.system)) + 2;
  status = squeeze(&c, err);
  if (!status) status = skill__compile_write(&c, compiled);

out:
  skill__free(c.groups);
  skill__arena_fini(&c.arena);
  if (!status) {
    *out = &compiled->out;
    return 0;
  }
  if (compiled) skill_compiled_free(&compiled->out);
  return skill_error_set(err, status, "the context cannot be compiled: %s", skill_strerror(status));
}

void skill_compiled_free(SkillCompiled *out) {
  if (!out) return;
  struct skill__compiled *compiled = (struct skill__compiled *)(void *)out;
  skill__arena_fini(&compiled->arena);
  skill__free(compiled);
}
