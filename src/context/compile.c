/* SPDX-License-Identifier: MIT
 *
 * Compiling a request. Where everything fits, everything goes in. Else claims are served in this order: the request
 * itself and the calls of its turn; what was asked for by name; results of this turn; always-skills; the listing;
 * bodies of opened skills, newest first; history, newest first; retrieved passages.
 *
 * History slides in steps of an eighth of the budget: the cut stays where it is for several turns, and with it the
 * prefix that a provider can read from its cache. Fails where even the request itself does not fit, and for want of
 * memory.
 */
#include <stdio.h>
#include <string.h>

#include "context/message_groups.h"
#include "skillet/context.h"
#include "util/alloc.h"
#include "util/arena.h"

enum {
  NOTE_TOKENS = 192,  /* kept for the note on what is left out */
  NOTE_BYTES = 400,   /* of names in it */
  RESULT_LEAST = 48,  /* tokens that a result of this turn keeps at least */
  MENTION_LEAST = 96, /* below this a part of a mention is useless */
  SLIDE_STEPS = 8
};

/* In the order in which they are served. */
enum { FOR_REQUEST, FOR_MENTIONS, FOR_RESULTS, FOR_ALWAYS, FOR_LISTING, FOR_BODIES, FOR_HISTORY, FOR_PASSAGES };

/* A claim, and where what it is given goes. */
struct claim {
  size_t group;   /* SIZE_MAX: none */
  size_t message; /* SIZE_MAX: the whole group */
  size_t always;  /* SIZE_MAX: none */
};

struct compiling {
  const SkillContextInput *input;
  struct skill__group *groups;
  size_t group_count;
  size_t *room; /* per message: tokens for its text, SIZE_MAX: whole */
  bool *always; /* per always-skill: in */
  bool listing; /* in */
  SkillShare *shares;
  struct claim *claims;
  size_t *given;
  size_t claim_count;
  size_t fixed; /* tokens of tools, frame, system text */
  size_t listing_tokens;
  size_t *always_tokens;
};

struct compiled {
  SkillCompiled out; /* first: cast back */
  struct skill__arena arena;
};

/* --- planning -------------------------------------------------------------------------------------------------- */

static void claim(struct compiling *c, unsigned priority, size_t want, size_t least, struct claim what) {
  c->shares[c->claim_count] = (SkillShare){want, least, priority};
  c->claims[c->claim_count++] = what;
}

static size_t group_claims(const struct compiling *c) {
  size_t most = 2 + c->input->always_count;
  for (size_t i = 0; i < c->group_count; i++) most += 1 + c->groups[i].to - c->groups[i].from;
  return most;
}

/* The request: its text and the assistant's calls in full, its results at least in part. */
static void claim_current(struct compiling *c, size_t index) {
  const struct skill__group *group = &c->groups[index];
  SkillConversation *talk = c->input->conversation;
  for (size_t i = group->from; i < group->to; i++) {
    size_t tokens = skill__conversation_tokens(talk, i, c->input->tokenizer);
    bool result = skill_conversation_at(talk, i)->role == SKILL_ROLE_TOOL;
    size_t least = result && tokens > RESULT_LEAST ? RESULT_LEAST : tokens;
    claim(c, FOR_REQUEST, least, least, (struct claim){index, i, SIZE_MAX});
    if (tokens > least) claim(c, FOR_RESULTS, tokens - least, 0, (struct claim){index, i, SIZE_MAX});
  }
}

static void claim_groups(struct compiling *c) {
  for (size_t k = c->group_count; k-- > 0;) { /* the newest is served first */
    const struct skill__group *group = &c->groups[k];
    struct claim whole = {k, SIZE_MAX, SIZE_MAX};
    size_t tokens = group->tokens;
    if (group->kind == SKILL__GROUP_BROKEN) continue;
    if (group->kind == SKILL__GROUP_MENTION) {
      claim(c, FOR_MENTIONS, tokens, tokens < MENTION_LEAST ? tokens : MENTION_LEAST, whole);
    } else if (group->kind == SKILL__GROUP_PASSAGES) {
      claim(c, FOR_PASSAGES, tokens, tokens, whole);
    } else if (group->current) {
      claim_current(c, k);
    } else if (group->kind == SKILL__GROUP_BODY || group->kind == SKILL__GROUP_SUMMARY) {
      claim(c, FOR_BODIES, tokens, tokens, whole);
    }
  }
}

static void claim_system(struct compiling *c) {
  for (size_t i = 0; i < c->input->always_count; i++) {
    claim(c, FOR_ALWAYS, c->always_tokens[i], c->always_tokens[i], (struct claim){SIZE_MAX, SIZE_MAX, i});
  }
  if (!c->listing_tokens) return;
  claim(c, FOR_LISTING, c->listing_tokens, c->listing_tokens, (struct claim){SIZE_MAX, SIZE_MAX, SIZE_MAX});
}

static bool is_history(const struct skill__group *group) {
  return group->kind == SKILL__GROUP_SAID && !group->current;
}

/* Keeps the newest history that fits in `room`; the cut moves in steps. Returns the tokens kept. */
static size_t slide(struct compiling *c, size_t room, size_t budget) {
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

static void grant(struct compiling *c, const struct claim *what, size_t given, size_t want) {
  if (what->always != SIZE_MAX) {
    c->always[what->always] = given > 0 || !want;
  } else if (what->group == SIZE_MAX) {
    c->listing = given > 0;
  } else if (what->message != SIZE_MAX) {
    c->groups[what->group].keep = true;
    c->room[what->message] = (c->room[what->message] == SIZE_MAX ? 0 : c->room[what->message]) + given;
  } else if (given) {
    struct skill__group *group = &c->groups[what->group];
    group->keep = true;
    if (given < want) c->room[group->from] = given;
  }
}

/* Gives out `budget`; false: the request itself does not fit, and *needs says what it takes. */
static bool plan(struct compiling *c, size_t budget, size_t *needs) {
  c->claim_count = 0;
  claim_groups(c);
  claim_system(c);
  *needs = 0;
  for (size_t i = 0; i < c->claim_count; i++) *needs += c->shares[i].priority == FOR_REQUEST ? c->shares[i].least : 0;
  if (*needs > budget) return false;
  /* History comes between bodies and passages: passages get what it leaves. */
  SkillShare *shares = c->shares;
  size_t first = 0;
  for (size_t i = 0; i < c->claim_count; i++) {
    if (shares[i].priority == FOR_PASSAGES) continue;
    SkillShare share = shares[i];
    struct claim what = c->claims[i];
    shares[i] = shares[first], c->claims[i] = c->claims[first];
    shares[first] = share, c->claims[first++] = what;
  }
  size_t used = skill_budget_allocate(shares, first, budget, c->given);
  used += slide(c, budget - used, budget);
  skill_budget_allocate(shares + first, c->claim_count - first, budget - used, c->given + first);
  for (size_t i = 0; i < c->claim_count; i++) grant(c, &c->claims[i], c->given[i], shares[i].want);
  return true;
}

static void keep_all(struct compiling *c) {
  for (size_t i = 0; i < c->group_count; i++) c->groups[i].keep = c->groups[i].kind != SKILL__GROUP_BROKEN;
  for (size_t i = 0; i < c->input->always_count; i++) c->always[i] = true;
  c->listing = true;
}

/* --- writing --------------------------------------------------------------------------------------------------- */

static char *system_text(const struct compiling *c, struct skill__arena *arena, size_t *length) {
  const SkillContextInput *input = c->input;
  size_t size = (input->system ? strlen(input->system) : 0) + 8;
  for (size_t i = 0; i < input->always_count; i++) size += strlen(input->always[i].name) + input->always[i].length + 32;
  size += input->listing ? strlen(input->listing) + 2 : 0;
  char *text = skill__arena_alloc(arena, size);
  if (!text) return NULL;
  size_t at = 0;
  if (input->system) at += (size_t)snprintf(text, size, "%s", input->system);
  for (size_t i = 0; i < input->always_count; i++) {
    const SkillAlways *always = &input->always[i];
    if (!c->always[i]) continue;
    at += (size_t)snprintf(text + at, size - at, "%sSkill: %s\n\n", at ? "\n\n" : "", always->name);
    memcpy(text + at, always->text, always->length);
    at += always->length;
  }
  if (c->listing && input->listing && *input->listing) {
    at += (size_t)snprintf(text + at, size - at, "%s%s", at ? "\n\n" : "", input->listing);
  }
  text[at] = '\0';
  *length = at;
  return text;
}

static const char *last_said(const struct compiling *c) {
  for (size_t i = skill_conversation_count(c->input->conversation); i-- > 0;) {
    const SkillMessage *message = skill_conversation_at(c->input->conversation, i);
    if (message->role == SKILL_ROLE_USER && !message->origin) return message->text;
  }
  return "";
}

/* Puts a message, cut to the tokens that it was given. */
static int put_message(struct compiling *c, struct compiled *compiled, SkillMessage *to, size_t index) {
  SkillConversation *talk = c->input->conversation;
  SkillTokenizer *tokenizer = c->input->tokenizer;
  size_t whole = skill__conversation_tokens(talk, index, tokenizer);
  *to = *skill_conversation_at(talk, index);
  to->cache = false;
  if (c->room[index] >= whole) {
    compiled->out.tokens += whole;
    return 0;
  }
  char *text = NULL;
  size_t length = 0;
  const char *name = skill__origin_name(to->origin, "mention");
  size_t room = c->room[index] > SKILL__MESSAGE_OVERHEAD ? c->room[index] - SKILL__MESSAGE_OVERHEAD : 0;
  int status =
      skill_context_passages(to->text, to->text_length, name, last_said(c), tokenizer, room, &text, &length, NULL);
  if (status) return status;
  to->text = skill__arena_strndup(&compiled->arena, text, length);
  to->text_length = length;
  skill_free(text);
  if (!to->text) return SKILL_ENOMEM;
  size_t tokens = skill__message_tokens(tokenizer, to);
  if (tokens > c->room[index]) { /* a note alone is too long: say the least */
    to->text = "[left out]";
    to->text_length = strlen(to->text);
    tokens = skill__message_tokens(tokenizer, to);
  }
  compiled->out.tokens += tokens;
  compiled->out.shortened++;
  return 0;
}

/* Results in the order of their calls, whichever finished first. */
static size_t in_call_order(const SkillConversation *talk, const struct skill__group *group, size_t k) {
  const SkillMessage *asking = skill_conversation_at(talk, group->from);
  for (size_t i = group->from + 1; i < group->to; i++) {
    if (strcmp(skill_conversation_at(talk, i)->call_id, asking->calls[k].id) == 0) return i;
  }
  return group->from + 1 + k;
}

static int put_group(struct compiling *c, struct compiled *compiled, SkillMessage *messages,
                     const struct skill__group *group) {
  SkillConversation *talk = c->input->conversation;
  int status = put_message(c, compiled, &messages[compiled->out.count++], group->from);
  for (size_t k = 0; k + 1 < group->to - group->from && !status; k++) {
    status = put_message(c, compiled, &messages[compiled->out.count++], in_call_order(talk, group, k));
  }
  return status;
}

/* Who lost their text, and how much of the conversation is gone. */
static int report(struct compiling *c, struct compiled *compiled) {
  const char **names =
      skill__arena_alloc(&compiled->arena, (c->group_count + c->input->always_count + 1) * sizeof *names);
  size_t count = 0;
  if (!names) return SKILL_ENOMEM;
  for (size_t i = 0; i < c->group_count; i++) {
    const struct skill__group *group = &c->groups[i];
    if (group->keep) continue;
    compiled->out.omitted += group->to - group->from;
    compiled->out.omitted_tokens += group->tokens;
    if (group->name) names[count++] = skill__arena_strdup(&compiled->arena, group->name);
  }
  for (size_t i = 0; i < c->input->always_count; i++) {
    if (!c->always[i]) names[count++] = skill__arena_strdup(&compiled->arena, c->input->always[i].name);
  }
  for (size_t i = 0; i < count; i++) {
    if (!names[i]) return SKILL_ENOMEM;
  }
  compiled->out.dropped = names;
  compiled->out.dropped_count = count;
  return 0;
}

static int put_note(struct compiling *c, struct compiled *compiled, SkillMessage *to) {
  const SkillCompiled *out = &compiled->out;
  bool list = c->listing || !c->listing_tokens;
  if (!out->omitted && !out->dropped_count && list) return 0;
  char names[NOTE_BYTES] = "";
  size_t used = 0;
  for (size_t i = 0; i < out->dropped_count && used + 1 < sizeof names; i++) {
    int n = snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", out->dropped[i]);
    if (n < 0 || (size_t)n >= sizeof names - used) {
      names[used] = '\0'; /* whole names only */
      break;
    }
    used += (size_t)n;
  }
  char *text = skill__arena_alloc(&compiled->arena, NOTE_BYTES + 300);
  if (!text) return SKILL_ENOMEM;
  int n =
      snprintf(text, NOTE_BYTES + 300, "[To fit the context %zu earlier messages (%zu tokens) are left out%s%s%s%s.]",
               out->omitted, out->omitted_tokens, used ? ", and with them the text of: " : "", names,
               list ? "" : "; the list of skills does not fit", "");
  *to = (SkillMessage){.role = SKILL_ROLE_USER, .text = text, .text_length = (size_t)n, .origin = "omission"};
  size_t tokens = skill__message_tokens(c->input->tokenizer, to);
  if (tokens > NOTE_TOKENS) return 0; /* names of odd scripts: better no note than one too long */
  compiled->out.tokens += tokens;
  compiled->out.count++;
  return 0;
}

static int write_all(struct compiling *c, struct compiled *compiled) {
  SkillMessage *messages =
      skill__arena_alloc(&compiled->arena, (skill_conversation_count(c->input->conversation) + 2) * sizeof *messages);
  size_t length = 0;
  char *text = messages ? system_text(c, &compiled->arena, &length) : NULL;
  int status = text ? report(c, compiled) : SKILL_ENOMEM;
  if (status) return status;
  compiled->out.messages = messages;
  compiled->out.tokens = compiled->out.tool_tokens;
  if (length) {
    messages[0] = (SkillMessage){.role = SKILL_ROLE_SYSTEM, .text = text, .text_length = length, .cache = true};
    compiled->out.system_tokens = skill__message_tokens(c->input->tokenizer, &messages[0]);
    compiled->out.tokens += compiled->out.system_tokens;
    compiled->out.count = 1;
  }
  status = put_note(c, compiled, &messages[compiled->out.count]);
  size_t stable = 0; /* messages before the turn */
  for (size_t i = 0; i < c->group_count && !status; i++) {
    if (!c->groups[i].keep) continue;
    if (!c->groups[i].current) stable = compiled->out.count + c->groups[i].to - c->groups[i].from;
    status = put_group(c, compiled, messages, &c->groups[i]);
  }
  if (stable) messages[stable - 1].cache = true;
  if (compiled->out.count) messages[compiled->out.count - 1].cache = true;
  return status;
}

/* --- all of it ------------------------------------------------------------------------------------------------- */

static int prepare(struct compiling *c) {
  const SkillContextInput *input = c->input;
  SkillTokenizer *tokenizer = input->tokenizer;
  int status = skill__groups_make(input->conversation, tokenizer, &c->groups, &c->group_count);
  if (status) return status;
  size_t most = group_claims(c) + skill_conversation_count(input->conversation);
  c->room = skill__calloc(skill_conversation_count(input->conversation) + 1, sizeof *c->room);
  c->always = skill__calloc(input->always_count + 1, sizeof *c->always);
  c->always_tokens = skill__calloc(input->always_count + 1, sizeof *c->always_tokens);
  c->shares = skill__calloc(most, sizeof *c->shares);
  c->claims = skill__calloc(most, sizeof *c->claims);
  c->given = skill__calloc(most, sizeof *c->given);
  if (!c->room || !c->always || !c->always_tokens || !c->shares || !c->claims || !c->given) return SKILL_ENOMEM;
  for (size_t i = 0; i < skill_conversation_count(input->conversation); i++) c->room[i] = SIZE_MAX;
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

static int squeeze(struct compiling *c, SkillError *err) {
  size_t budget = c->input->budget;
  size_t needs = 0;
  size_t all = c->fixed + c->listing_tokens;
  for (size_t i = 0; i < c->input->always_count; i++) all += c->always_tokens[i];
  bool broken = false;
  for (size_t i = 0; i < c->group_count; i++) {
    bool out = c->groups[i].kind == SKILL__GROUP_BROKEN;
    all += out ? 0 : c->groups[i].tokens;
    broken = broken || out;
  }
  if (broken) all += NOTE_TOKENS;
  if (!budget || all <= budget) {
    keep_all(c);
    return 0;
  }
  size_t fixed = c->fixed + NOTE_TOKENS;
  if (fixed <= budget && plan(c, budget - fixed, &needs)) return 0;
  return skill_error_set(err, SKILL_ELIMIT,
                         "the request alone takes about %zu tokens, and the budget is %zu: raise it, or ask with less",
                         fixed + needs, budget);
}

int skill_context_compile(const SkillContextInput *input, SkillCompiled **out, SkillError *err) {
  if (!input || input->size != sizeof *input || !input->conversation || !out) {
    return skill_error_set(err, SKILL_EINVAL, "start from SKILL_CONTEXT_INPUT_INIT and set a conversation");
  }
  struct compiling c = {.input = input};
  struct compiled *compiled = skill__calloc(1, sizeof *compiled);
  int status = compiled ? prepare(&c) : SKILL_ENOMEM;
  if (status) goto out;
  compiled->out.tool_tokens = tool_cost(input);
  c.fixed = compiled->out.tool_tokens + SKILL__MESSAGE_OVERHEAD;
  if (input->system) c.fixed += skill_tokens_count(input->tokenizer, input->system, strlen(input->system)) + 2;
  status = squeeze(&c, err);
  if (!status) status = write_all(&c, compiled);

out:
  skill__free(c.groups);
  skill__free(c.room);
  skill__free(c.always);
  skill__free(c.always_tokens);
  skill__free(c.shares);
  skill__free(c.claims);
  skill__free(c.given);
  if (!status) {
    *out = &compiled->out;
    return 0;
  }
  if (compiled) skill_compiled_free(&compiled->out);
  return skill_error_set(err, status, "the context cannot be compiled: %s", skill_strerror(status));
}

void skill_compiled_free(SkillCompiled *out) {
  if (!out) return;
  struct compiled *compiled = (struct compiled *)(void *)out;
  skill__arena_fini(&compiled->arena);
  skill__free(compiled);
}
