/* SPDX-License-Identifier: MIT
 *
 * The messages and requests of a strategy.
 *
 * The order in a request is that of the providers: tools, system text, messages. Changed tools therefore break the
 * cached prefix of everything after them; appended messages break nothing. Fails only if out of memory.
 */
#include <string.h>

#include "agent/meta_definitions.h"
#include "measure/play.h"
#include "model/message.h"

/* A message's frame (role and separators), as the agent counts it; a call has its own frame. */
#define FRAME_TOKENS SKILL__MESSAGE_OVERHEAD
#define FRAME_BYTES 40

static uint64_t id_of(unsigned kind, uint64_t number) {
  return (uint64_t)kind << 32 | number;
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

static void add(struct skill__play *play, struct skill__outgoing *request, uint64_t id, enum skill__part_kind kind,
                size_t tokens, size_t bytes) {
  if (!play->status) play->status = skill__outgoing_add(request, id, kind, tokens, bytes);
}

static bool watched(const struct skill__play *play) {
  return play->watch && play->conversation < SKILL__WATCHED;
}

/* Appends a message and reports it; a call has a frame of its own. */
static void say(struct skill__play *play, enum skill__said who, const char *text, uint32_t skill,
                enum skill__part_kind kind, size_t tokens, size_t bytes) {
  size_t frames = who == SKILL__SAID_CALL ? 2 : 1;
  if (watched(play) && play->watch->said) play->watch->said(play->watch->user, who, text, skill, tokens);
  add(play, &play->messages, id_of(SKILL__ID_MESSAGE, play->next_message++), kind, tokens + frames * FRAME_TOKENS,
      bytes + frames * FRAME_BYTES);
}

void skill__play_say(struct skill__play *play, enum skill__said who, enum skill__part_kind kind, size_t tokens,
                     size_t bytes) {
  say(play, who, NULL, UINT32_MAX, kind, tokens, bytes);
}

void skill__play_say_text(struct skill__play *play, const char *text) {
  size_t length = strlen(text);
  size_t tokens = skill_tokens_count(play->world->tokenizer, text, length);
  say(play, SKILL__SAID_USER, text, UINT32_MAX, SKILL__PART_TALK, tokens, length);
}

void skill__play_say_skill(struct skill__play *play, uint32_t skill, enum skill__part_kind kind, bool tools) {
  const struct skill__world_skill *s = &play->world->skills[skill];
  size_t tokens = s->body + (tools ? s->tools : 0);
  size_t bytes = s->body_bytes + (tools ? s->tools_bytes : 0);
  say(play, SKILL__SAID_SKILL, NULL, skill, kind, tokens, bytes);
}

bool skill__play_has_meta(const struct skill__play *play) {
  enum skill__strategy_kind kind = play->strategy->kind;
  return kind == SKILL__STRATEGY_LISTING || kind == SKILL__STRATEGY_SEARCH || kind == SKILL__STRATEGY_SKILLET ||
         kind == SKILL__STRATEGY_AGENT;
}

bool skill__play_is_bounded(const struct skill__play *play) {
  return play->strategy->kind == SKILL__STRATEGY_SKILLET || play->strategy->kind == SKILL__STRATEGY_AGENT;
}

static void add_meta(struct skill__play *play, SkillMetaTool which) {
  add(play, &play->request, id_of(SKILL__ID_META, which), SKILL__PART_META, play->world->meta[which],
      play->world->meta_bytes[which]);
}

/* The tools through which an agent calls skills' tools, so that the tool list never changes. A listing has only those
 * that call, and only if there are tools to call. */
static void add_through(struct skill__play *play, enum skill__strategy_kind kind) {
  if (kind == SKILL__STRATEGY_LISTING) {
    for (SkillMetaTool i = SKILL_META_CALL_READ; i <= SKILL_META_CALL_DESTRUCTIVE && play->world->tools; i++) {
      add_meta(play, i);
    }
    return;
  }
  for (SkillMetaTool i = SKILL_META_READ; i <= SKILL_META_PAGE; i++) add_meta(play, i);
}

static void add_tools(struct skill__play *play) {
  const struct skill__world *w = play->world;
  enum skill__strategy_kind kind = play->strategy->kind;
  if (skill__play_has_meta(play)) {
    if (kind != SKILL__STRATEGY_LISTING) add_meta(play, SKILL_META_SEARCH);
    add_meta(play, SKILL_META_OPEN);
    if (kind != SKILL__STRATEGY_AGENT) add_through(play, kind);
  }
  if (kind == SKILL__STRATEGY_EVERYTHING) {
    add(play, &play->request, id_of(SKILL__ID_ALL_TOOLS, 0), SKILL__PART_SKILL, w->tools, w->tools_bytes);
  }
  for (size_t i = 0; i < play->active; i++) {
    const struct skill__world_skill *s = &w->skills[play->order[i]];
    add(play, &play->request, id_of(SKILL__ID_TOOLS, play->order[i]),
        play->needed[play->order[i]] ? SKILL__PART_SKILL : SKILL__PART_WRONG, s->tools, s->tools_bytes);
  }
}

static void add_system(struct skill__play *play) {
  const struct skill__world *w = play->world;
  enum skill__strategy_kind kind = play->strategy->kind;
  add(play, &play->request, id_of(SKILL__ID_SYSTEM, 0), SKILL__PART_TALK, w->settings.system_tokens,
      w->settings.system_tokens * SKILL__TOKEN_BYTES);
  if (kind == SKILL__STRATEGY_LISTING) {
    add(play, &play->request, id_of(SKILL__ID_LISTING, 0), SKILL__PART_LISTING, w->listing, w->listing_bytes);
  } else if (skill__play_is_bounded(play)) {
    add(play, &play->request, id_of(SKILL__ID_LISTING, 1), SKILL__PART_LISTING, w->bounded, w->bounded_bytes);
  } else if (kind == SKILL__STRATEGY_EVERYTHING) {
    add(play, &play->request, id_of(SKILL__ID_ALL_BODIES, 0), SKILL__PART_SKILL, w->bodies, w->bodies_bytes);
  }
  for (size_t i = 0; i < play->active; i++) {
    const struct skill__world_skill *s = &w->skills[play->order[i]];
    if (kind == SKILL__STRATEGY_AGENT) break; /* bodies come by skill_open alone */
    add(play, &play->request, id_of(SKILL__ID_BODY, play->order[i]),
        play->needed[play->order[i]] ? SKILL__PART_SKILL : SKILL__PART_WRONG, s->body, s->body_bytes);
  }
}

/* Of everything, only the turn's skills are "needed"; the rest is "wrong". */
static void split_everything(struct skill__play *play) {
  const struct skill__world *w = play->world;
  double needed = 0;
  for (size_t i = 0; i < w->count; i++) {
    if (play->needed[i]) needed += (double)(w->skills[i].body + w->skills[i].tools);
  }
  double wrong = (double)(w->bodies + w->tools) - needed;
  play->ledger.bill.kinds[SKILL__PART_SKILL] -= wrong;
  play->ledger.bill.kinds[SKILL__PART_WRONG] += wrong;
}

void skill__play_send(struct skill__play *play, size_t output) {
  play->request.count = 0;
  add_tools(play);
  add_system(play);
  for (size_t i = 0; i < play->messages.count; i++) {
    const struct skill__ledger_part *part = &play->messages.parts[i];
    add(play, &play->request, part->id, part->kind, part->tokens, part->bytes);
  }
  bool first = play->ledger.last.count == 0;
  double cached = play->ledger.bill.cached;
  double tokens = (double)skill__outgoing_tokens(&play->request);
  if (!play->status) play->status = skill__ledger_send(&play->ledger, &play->request);
  play->ledger.bill.output += (double)output;
  if (watched(play) && play->watch->sent) {
    play->watch->sent(play->watch->user, play->strategy, play->conversation, play->turn, &play->request,
                      play->ledger.bill.cached - cached);
  }
  if (play->strategy->kind == SKILL__STRATEGY_EVERYTHING) split_everything(play);
  if (first) play->result->first_request += tokens;
  if (tokens > play->result->largest_request) play->result->largest_request = tokens;
  play->result->turn_tokens[play->turn] += tokens;
}
