/* SPDX-License-Identifier: MIT
 *
 * One strategy over all conversations; see strategy.h for what is real and what is assumed.
 *
 * The order in a request is the providers': tools, system text, messages. So tools that change break the cached prefix
 * of all that follows, and what is appended to the conversation breaks nothing.
 */
#include "measure/strategy.h"

#include <string.h>

#include "measure/meta_tools.h"
#include "measure/random.h"
#include "model/message.h"
#include "skillet/sys/fixture.h"
#include "util/alloc.h"

/* A message's frame, role and separators, as the agent counts it; a call has one of its own. */
#define FRAME_TOKENS SKILL__MESSAGE_OVERHEAD
#define FRAME_BYTES 40
/* Bytes of a token where only tokens are known. */
#define TOKEN_BYTES 4

struct play {
  const struct skill__world *world;
  const struct skill__strategy *strategy;
  const struct skill__watch *watch;
  struct skill__result *result;
  SkillFixture *clock;
  ProgressiveSkillLoader *loader;
  SkillPolicy cut; /* relevance that wants only `select` */
  struct skill__ledger ledger;
  struct skill__outgoing messages;
  struct skill__outgoing request; /* scratch */
  struct skill__random random;
  unsigned char *held;   /* of each skill: its L2 is in the conversation */
  unsigned char *needed; /* of each skill, in this turn */
  uint32_t *order;       /* active skills, in the order in which their tools were first sent */
  size_t active;
  size_t conversation;
  size_t turn;
  uint64_t next_message;
  bool using; /* the work touches what it uses; that is no hit of a request */
  int status;
};

static uint64_t id_of(unsigned kind, uint64_t number) {
  return (uint64_t)kind << 32 | number;
}

static void note(struct play *play, uint32_t skill, unsigned flags) {
  struct skill__result *r = play->result;
  if (play->conversation) return;
  for (size_t i = r->moment_count; i-- > 0 && r->moments[i].turn == play->turn;) {
    if (r->moments[i].skill != skill) continue;
    r->moments[i].flags |= flags;
    return;
  }
  if (SKILL__GROW(r->moments, r->moment_capacity, r->moment_count + 1)) {
    play->status = SKILL_ENOMEM;
    return;
  }
  r->moments[r->moment_count++] = (struct skill__moment){(uint32_t)play->turn, skill, flags};
}

static void on_event(const SkillEvent *event, void *user) {
  struct play *play = user;
  struct skill__result *r = play->result;
  unsigned flags = 0;
  if (event->kind == SKILL_EVENT_HIT && !play->using) r->hits++;
  if (event->kind == SKILL_EVENT_ACTIVATED) r->inits++, flags = SKILL__MOMENT_STARTED;
  if (event->kind == SKILL_EVENT_EVICTED) r->evictions++, flags = SKILL__MOMENT_EVICTED;
  if (event->kind == SKILL_EVENT_EXPIRED) r->expiries++, flags = SKILL__MOMENT_EXPIRED;
  if (!flags || !event->skill) return;
  size_t index = skill__by_name_find(play->world->names, event->skill);
  if (index != SIZE_MAX) note(play, (uint32_t)index, flags);
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

static void add(struct play *play, struct skill__outgoing *request, uint64_t id, enum skill__part_kind kind,
                size_t tokens, size_t bytes) {
  if (!play->status) play->status = skill__outgoing_add(request, id, kind, tokens, bytes);
}

static bool watched(const struct play *play) {
  return play->watch && play->conversation < SKILL__WATCHED;
}

/* A message joins the conversation. */
static void say(struct play *play, enum skill__said who, enum skill__part_kind kind, size_t tokens, size_t bytes) {
  if (watched(play) && play->watch->said) play->watch->said(play->watch->user, who, NULL, UINT32_MAX, tokens);
  size_t frames = who == SKILL__SAID_CALL ? 2 : 1;
  add(play, &play->messages, id_of(SKILL__ID_MESSAGE, play->next_message++), kind, tokens + frames * FRAME_TOKENS,
      bytes + frames * FRAME_BYTES);
}

static void say_text(struct play *play, const char *text) {
  size_t length = strlen(text);
  size_t tokens = skill_tokens_count(play->world->tokenizer, text, length);
  if (watched(play) && play->watch->said) {
    play->watch->said(play->watch->user, SKILL__SAID_USER, text, UINT32_MAX, tokens);
  }
  add(play, &play->messages, id_of(SKILL__ID_MESSAGE, play->next_message++), SKILL__PART_TALK, tokens + FRAME_TOKENS,
      length + FRAME_BYTES);
}

/* A skill's body joins the conversation, with its tools or without. */
static void say_skill(struct play *play, uint32_t skill, enum skill__part_kind kind, bool tools) {
  const struct skill__world_skill *s = &play->world->skills[skill];
  size_t tokens = s->body + (tools ? s->tools : 0);
  if (watched(play) && play->watch->said) {
    play->watch->said(play->watch->user, SKILL__SAID_SKILL, NULL, skill, tokens);
  }
  add(play, &play->messages, id_of(SKILL__ID_MESSAGE, play->next_message++), kind, tokens + FRAME_TOKENS,
      s->body_bytes + (tools ? s->tools_bytes : 0) + FRAME_BYTES);
}

static bool has_meta(const struct play *play) {
  enum skill__strategy_kind kind = play->strategy->kind;
  return kind == SKILL__STRATEGY_LISTING || kind == SKILL__STRATEGY_SEARCH || kind == SKILL__STRATEGY_SKILLET ||
         kind == SKILL__STRATEGY_AGENT;
}

/* A listing at a budget: with it search is there as well. */
static bool is_bounded(const struct play *play) {
  return play->strategy->kind == SKILL__STRATEGY_SKILLET || play->strategy->kind == SKILL__STRATEGY_AGENT;
}

static void add_meta(struct play *play, enum skill__meta_tool which) {
  add(play, &play->request, id_of(SKILL__ID_META, which), SKILL__PART_META, play->world->meta[which],
      play->world->meta_bytes[which]);
}

static void add_tools(struct play *play) {
  const struct skill__world *w = play->world;
  enum skill__strategy_kind kind = play->strategy->kind;
  if (has_meta(play)) {
    if (kind != SKILL__STRATEGY_LISTING) add_meta(play, SKILL__META_SEARCH);
    add_meta(play, SKILL__META_OPEN);
    if (kind != SKILL__STRATEGY_AGENT && w->tools) add_meta(play, SKILL__META_CALL);
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

static void add_system(struct play *play) {
  const struct skill__world *w = play->world;
  enum skill__strategy_kind kind = play->strategy->kind;
  add(play, &play->request, id_of(SKILL__ID_SYSTEM, 0), SKILL__PART_TALK, w->settings.system_tokens,
      w->settings.system_tokens * TOKEN_BYTES);
  if (kind == SKILL__STRATEGY_LISTING) {
    add(play, &play->request, id_of(SKILL__ID_LISTING, 0), SKILL__PART_LISTING, w->listing, w->listing_bytes);
  } else if (is_bounded(play)) {
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

/* Of everything that is sent, only what the turn needs counts as needed. */
static void split_everything(struct play *play) {
  const struct skill__world *w = play->world;
  double needed = 0;
  for (size_t i = 0; i < w->count; i++) {
    if (play->needed[i]) needed += (double)(w->skills[i].body + w->skills[i].tools);
  }
  double wrong = (double)(w->bodies + w->tools) - needed;
  play->ledger.bill.kinds[SKILL__PART_SKILL] -= wrong;
  play->ledger.bill.kinds[SKILL__PART_WRONG] += wrong;
}

/* One round trip: the whole context goes out, the model writes `output` tokens. */
static void send(struct play *play, size_t output) {
  play->request.count = 0;
  add_tools(play);
  add_system(play);
  for (size_t i = 0; i < play->messages.count; i++) {
    const struct skill__part *part = &play->messages.parts[i];
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
  play->result->conversation_tokens[play->conversation] += tokens;
}

/* --- what is loaded ----------------------------------------------------------------------------------------------- */

static bool is_active(const struct play *play, uint32_t skill) {
  for (size_t i = 0; i < play->active; i++) {
    if (play->order[i] == skill) return true;
  }
  return false;
}

static bool available(const struct play *play, uint32_t skill) {
  switch (play->strategy->kind) {
    case SKILL__STRATEGY_EVERYTHING:
    case SKILL__STRATEGY_ORACLE:
      return true;
    case SKILL__STRATEGY_KEPT:
      return play->held[skill];
    case SKILL__STRATEGY_AGENT: /* what has tools is usable by them; an evicted skill's tools wake it */
      return play->world->skills[skill].tools ? is_active(play, skill) : play->held[skill];
    default:
      return play->held[skill] || is_active(play, skill);
  }
}

static bool met(const struct play *play, const struct skill__group *group) {
  for (size_t i = 0; i < group->count; i++) {
    if (available(play, group->skills[i])) return true;
  }
  return false;
}

/* Brings `order` up to date with the loader: who left goes (but for the agent's table, which only grows), who came is
 * appended, in order of activation. */
static void read_active(struct play *play) {
  bool grows = play->strategy->kind == SKILL__STRATEGY_AGENT;
  size_t kept = 0;
  for (size_t i = 0; i < play->active; i++) {
    const char *name = play->world->skills[play->order[i]].name;
    if (grows || skill_loader_state(play->loader, name) == SKILL_STATE_ACTIVE) play->order[kept++] = play->order[i];
  }
  play->active = kept;
  for (size_t i = skill_loader_active_count(play->loader); i-- > 0;) {
    const char *name = skill_loader_active_name(play->loader, i);
    size_t index = name ? skill__by_name_find(play->world->names, name) : SIZE_MAX;
    if (index != SIZE_MAX && !is_active(play, (uint32_t)index)) play->order[play->active++] = (uint32_t)index;
  }
  for (size_t i = 0; i < play->active; i++) note(play, play->order[i], SKILL__MOMENT_ACTIVE);
}

static void settle(struct play *play, int status) {
  if (!status) status = skill_loader_wait(play->loader, -1);
  if (status && status != SKILL_EFULL && !play->status) play->status = status;
}

/* What became active goes into the conversation, once, and is never taken out: no prefix breaks. */
static void keep_active(struct play *play) {
  for (size_t i = 0; i < play->active; i++) {
    uint32_t skill = play->order[i];
    if (play->held[skill]) continue;
    play->held[skill] = 1;
    say_skill(play, skill, play->needed[skill] ? SKILL__PART_SKILL : SKILL__PART_WRONG, true);
  }
  play->active = 0;
}

static void host_loads(struct play *play, const char *text) {
  settle(play, skill_loader_activate_query(play->loader, text, NULL, NULL, NULL, NULL));
  read_active(play);
  if (play->strategy->kind == SKILL__STRATEGY_KEPT) keep_active(play);
}

/* --- what the model does -------------------------------------------------------------------------------------------
 */

/* The skill's L2 comes as the result of skill_open. With tools offered directly, only its body does. */
static void open_skill(struct play *play, uint32_t skill, bool wrong) {
  const struct skill__world_skill *s = &play->world->skills[skill];
  bool direct = play->strategy->kind == SKILL__STRATEGY_AGENT;
  enum skill__part_kind kind = wrong ? SKILL__PART_WRONG : SKILL__PART_SKILL;
  say(play, SKILL__SAID_CALL, SKILL__PART_SEARCH, play->world->settings.call_tokens,
      play->world->settings.call_tokens * TOKEN_BYTES);
  say_skill(play, skill, kind, !direct);
  play->held[skill] = 1;
  note(play, skill, SKILL__MOMENT_OPENED);
  if (!direct) return;
  settle(play, skill_loader_activate(play->loader, s->name, NULL, NULL, NULL, NULL));
  read_active(play);
}

/* The first result of a search that the turn does not need and that is not there yet; UINT32_MAX: none. */
static uint32_t wrong_pick(const struct play *play, const SkillRanking *ranking) {
  for (size_t i = 0; ranking && i < ranking->count; i++) {
    size_t index = skill__by_name_find(play->world->names, ranking->results[i].name);
    if (index != SIZE_MAX && !play->needed[index] && !play->held[index]) return (uint32_t)index;
  }
  return UINT32_MAX;
}

static bool in_results(const struct play *play, const SkillRanking *ranking, uint32_t skill) {
  for (size_t i = 0; i < ranking->count; i++) {
    if (!strcmp(ranking->results[i].name, play->world->skills[skill].name)) return true;
  }
  return false;
}

/* A needed skill of the group that the model sees; UINT32_MAX: none. `ranking` NULL: it looks at the listing. */
static uint32_t seen(const struct play *play, const struct skill__group *group, const SkillRanking *ranking) {
  for (size_t i = 0; i < group->count; i++) {
    uint32_t skill = group->skills[i];
    const struct skill__world_skill *s = &play->world->skills[skill];
    bool listed = play->strategy->kind == SKILL__STRATEGY_LISTING ? s->line > 0 : is_bounded(play) && s->shown;
    if (ranking ? in_results(play, ranking, skill) : listed) return skill;
  }
  return UINT32_MAX;
}

/* Opens, in one round trip, what the model sees of the needs that are not met. Returns how many it opened. */
static size_t open_seen(struct play *play, const struct skill__label *label, const SkillRanking *ranking,
                        const SkillRanking *guesses) {
  uint32_t chosen[64];
  size_t count = 0;
  for (size_t i = 0; i < label->group_count && count < 64; i++) {
    if (met(play, &label->groups[i])) continue;
    uint32_t skill = seen(play, &label->groups[i], ranking);
    bool overlooked = !ranking && skill__random_percent(&play->random, play->world->settings.overlook_percent);
    if (skill != UINT32_MAX && !overlooked) chosen[count++] = skill;
  }
  if (!count) return 0;
  uint32_t wrong = wrong_pick(play, guesses);
  if (skill__random_percent(&play->random, play->world->settings.wrong_percent) && wrong != UINT32_MAX) {
    send(play, play->world->settings.call_tokens);
    open_skill(play, wrong, true);
  }
  send(play, count * play->world->settings.call_tokens);
  for (size_t i = 0; i < count; i++) open_skill(play, chosen[i], false);
  return count;
}

static void search(struct play *play, const struct skill__label *label, const SkillRanking *ranking) {
  const struct skill__settings *settings = &play->world->settings;
  size_t tokens = 0;
  size_t bytes = 0;
  for (size_t i = 0; i < ranking->count; i++) {
    size_t index = skill__by_name_find(play->world->names, ranking->results[i].name);
    if (index == SIZE_MAX) continue;
    tokens += play->world->skills[index].found;
    bytes += play->world->skills[index].found_bytes;
  }
  send(play, settings->call_tokens);
  say(play, SKILL__SAID_CALL, SKILL__PART_SEARCH, settings->call_tokens, settings->call_tokens * TOKEN_BYTES);
  say(play, SKILL__SAID_RESULT, SKILL__PART_SEARCH, tokens, bytes);
  if (open_seen(play, label, ranking, ranking)) return;
  uint32_t wrong = wrong_pick(play, ranking);
  if (wrong == UINT32_MAX) return;
  send(play, settings->call_tokens); /* nothing fits: it tries the best one */
  open_skill(play, wrong, true);
}

static bool all_met(const struct play *play, const struct skill__label *label) {
  for (size_t i = 0; i < label->group_count; i++) {
    if (!met(play, &label->groups[i])) return false;
  }
  return true;
}

/* The model looks for what it lacks. It knows the conversation, so it asks with the request and not with its echo. */
static void model_looks(struct play *play, const struct skill__label *label) {
  SkillQuery query = {.text = label->text, .limit = play->world->settings.results};
  SkillRanking *ranking = NULL;
  int status = skill_ranker_query(skill_registry_ranker(play->world->registry), &query, &ranking, NULL);
  if (status) {
    play->status = status;
    return;
  }
  if (play->strategy->kind != SKILL__STRATEGY_SEARCH) open_seen(play, label, NULL, ranking);
  if (play->strategy->kind != SKILL__STRATEGY_LISTING && !all_met(play, label)) search(play, label, ranking);
  skill_ranking_free(ranking);
}

static void oracle_loads(struct play *play, const struct skill__label *label) {
  for (size_t i = 0; i < label->group_count; i++) {
    uint32_t skill = label->groups[i].skills[0];
    if (!play->held[skill]) say_skill(play, skill, SKILL__PART_SKILL, true);
    play->held[skill] = 1;
    note(play, skill, SKILL__MOMENT_ACTIVE);
  }
}

/* --- turns -------------------------------------------------------------------------------------------------------- */

static void mark_needed(struct play *play, const struct skill__label *label, unsigned char value) {
  for (size_t i = 0; i < label->group_count; i++) {
    for (size_t j = 0; j < label->groups[i].count; j++) {
      play->needed[label->groups[i].skills[j]] = value;
    }
  }
}

static void score(struct play *play, const struct skill__label *label) {
  struct skill__result *r = play->result;
  bool all = true;
  for (size_t i = 0; i < label->group_count; i++) {
    bool ok = met(play, &label->groups[i]);
    for (size_t j = 0; j < label->groups[i].count; j++) {
      uint32_t skill = label->groups[i].skills[j];
      bool there = available(play, skill);
      if (there || !ok) note(play, skill, SKILL__MOMENT_NEEDED | (there ? SKILL__MOMENT_THERE : 0));
    }
    r->groups++;
    r->groups_met += ok;
    all = all && ok;
  }
  r->turns++;
  r->turns_met += all;
  if (all) return;
  const struct skill__world *w = play->world;
  double whole = (double)(w->bodies + w->tools + w->settings.system_tokens + skill__outgoing_tokens(&play->messages));
  r->fallback += whole + (double)(w->settings.call_tokens + w->settings.result_tokens);
  r->fallback_cached += whole;
}

static void touch_used(struct play *play, const struct skill__label *label) {
  play->using = true;
  for (size_t i = 0; i < label->group_count; i++) {
    for (size_t j = 0; j < label->groups[i].count; j++) {
      uint32_t skill = label->groups[i].skills[j];
      size_t tools = 0;
      if (is_active(play, skill)) skill_loader_touch(play->loader, play->world->skills[skill].name, NULL, 0, &tools);
    }
  }
  play->using = false;
}

/* The work itself: a call and its result where everything needed is there, and the answer. */
static void work(struct play *play, const struct skill__label *label) {
  const struct skill__settings *s = &play->world->settings;
  if (all_met(play, label)) {
    send(play, s->call_tokens);
    say(play, SKILL__SAID_CALL, SKILL__PART_TALK, s->call_tokens, s->call_tokens * TOKEN_BYTES);
    say(play, SKILL__SAID_RESULT, SKILL__PART_TALK, s->result_tokens, s->result_tokens * TOKEN_BYTES);
    if (play->loader) touch_used(play, label);
  }
  send(play, s->answer_tokens);
  say(play, SKILL__SAID_ANSWER, SKILL__PART_TALK, s->answer_tokens, s->answer_tokens * TOKEN_BYTES);
}

static void play_turn(struct play *play, const struct skill__turn *turn) {
  const struct skill__world *w = play->world;
  const struct skill__label *label = turn->label;
  if (turn->pause_ms >= w->settings.cache_ms) play->ledger.cold = true;
  mark_needed(play, label, 1);
  say_text(play, turn->text);
  if (play->loader) {
    skill_fixture_advance(play->clock, turn->pause_ms);
    settle(play, skill_loader_cleanup_expired(play->loader, NULL, NULL, NULL));
    host_loads(play, turn->text);
  }
  if (play->strategy->kind == SKILL__STRATEGY_ORACLE) oracle_loads(play, label);
  if (has_meta(play) && !all_met(play, label)) model_looks(play, label);
  score(play, label);
  work(play, label);
  mark_needed(play, label, 0);
}

/* --- conversations --------------------------------------------------------------------------------------------------
 */

static int select_cut(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  size_t want = *(const size_t *)policy->user;
  if (want > input->max_active) want = input->max_active;
  *count = input->count < want ? input->count : want;
  for (size_t i = 0; i < *count; i++) chosen[i] = i;
  return 0;
}

static size_t l2_tokens(const Skill *skill, void *user) {
  const struct play *play = user;
  size_t index = skill__by_name_find(play->world->names, skill_name(skill));
  return index == SIZE_MAX ? 0 : play->world->skills[index].body + play->world->skills[index].tools;
}

static int open_loader(struct play *play, SkillError *err) {
  const struct skill__strategy *s = play->strategy;
  SkillLoaderOptions options;
  if (s->kind != SKILL__STRATEGY_HOST && s->kind != SKILL__STRATEGY_KEPT && s->kind != SKILL__STRATEGY_AGENT) return 0;
  skill_loader_options_default(&options);
  play->cut = *skill_policy_relevance();
  play->cut.user = (void *)(uintptr_t)&s->select;
  play->cut.select = select_cut;
  options.max_active = s->max_active;
  options.activation_timeout_ms = s->timeout_ms ? s->timeout_ms : INT64_MAX / 4;
  options.token_budget = s->token_budget;
  options.policy = s->policy ? skill_policy_find(s->policy) : &play->cut;
  options.io = skill_fixture_io(play->clock);
  options.on_event = on_event;
  options.event_user = play;
  options.l2_tokens = l2_tokens;
  options.user = play;
  return skill_loader_new(play->world->registry, &options, &play->loader, err);
}

static void close_loader(struct play *play) {
  if (!play->loader) return;
  if (!skill_loader_close(play->loader, NULL, NULL)) skill_loader_wait(play->loader, -1);
  skill_loader_free(play->loader);
  play->loader = NULL;
}

static int play_talk(struct play *play, const struct skill__talk *talk, SkillError *err) {
  memset(play->held, 0, play->world->count);
  play->messages.count = 0;
  play->next_message = 0;
  play->active = 0;
  skill__ledger_restart(&play->ledger);
  int status = open_loader(play, err);
  for (play->turn = 0; !status && play->turn < talk->count; play->turn++) {
    play_turn(play, &talk->turns[play->turn]);
    status = play->status;
  }
  close_loader(play);
  return status;
}

int skill__strategy_play(const struct skill__world *world, const struct skill__talks *talks,
                         const struct skill__strategy *strategy, const struct skill__watch *watch,
                         struct skill__result *out, SkillError *err) {
  struct play play = {
      .world = world, .strategy = strategy, .watch = watch, .result = out, .random = {world->settings.seed ^ 0x5eed}};
  memset(out, 0, sizeof *out);
  out->strategy = strategy;
  out->turn_tokens = skill__calloc(world->settings.turns + 1, sizeof *out->turn_tokens);
  out->conversation_tokens = skill__calloc(talks->count + 1, sizeof *out->conversation_tokens);
  play.held = skill__calloc(world->count + 1, 1);
  play.needed = skill__calloc(world->count + 1, 1);
  play.order = skill__calloc(world->count + 1, sizeof *play.order);
  int status = skill_fixture_new(&play.clock);
  if (!out->turn_tokens || !out->conversation_tokens || !play.held || !play.needed || !play.order) {
    status = SKILL_ENOMEM;
  }
  for (; !status && play.conversation < talks->count; play.conversation++) {
    status = play_talk(&play, &talks->items[play.conversation], err);
  }
  out->bill = play.ledger.bill;
  skill__ledger_fini(&play.ledger);
  skill__outgoing_fini(&play.messages);
  skill__outgoing_fini(&play.request);
  skill__free(play.held);
  skill__free(play.needed);
  skill__free(play.order);
  skill_fixture_free(play.clock);
  return status ? skill_error_set(err, status, "%s: %s", strategy->name, skill_strerror(status)) : 0;
}

void skill__result_fini(struct skill__result *result) {
  skill__free(result->turn_tokens);
  skill__free(result->conversation_tokens);
  skill__free(result->moments);
  memset(result, 0, sizeof *result);
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

static double share_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

double skill__result_recall(const struct skill__result *result) {
  return share_of(result->groups_met, result->groups);
}

double skill__result_all_loaded(const struct skill__result *result) {
  return share_of(result->turns_met, result->turns);
}

double skill__result_price(const struct skill__result *result, const struct skill__settings *settings) {
  return result->bill.cached * settings->cache_read +
         (result->bill.tokens - result->bill.cached) * settings->cache_write;
}

double skill__result_kept(const struct skill__result *result) {
  return share_of(result->bill.kept_bytes, result->bill.bytes);
}

double skill__result_hit_rate(const struct skill__result *result) {
  return share_of(result->hits, result->hits + result->inits);
}
