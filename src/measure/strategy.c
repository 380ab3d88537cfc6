/* SPDX-License-Identifier: MIT
 *
 * One strategy over all conversations; see strategy.h for what is real and what is assumed.
 */
#include "measure/strategy.h"

#include <string.h>

#include "measure/play.h"
#include "util/alloc.h"

static void on_event(const SkillEvent *event, void *user) {
  struct skill__play *play = user;
  struct skill__result *r = play->result;
  r->hits += event->kind == SKILL_EVENT_HIT && !play->using;
  r->inits += event->kind == SKILL_EVENT_ACTIVATED;
  r->evictions += event->kind == SKILL_EVENT_EVICTED;
  r->expiries += event->kind == SKILL_EVENT_EXPIRED;
}

/* --- turns -------------------------------------------------------------------------------------------------------- */

static void mark_needed(struct skill__play *play, const struct skill__label *label, unsigned char value) {
  for (size_t i = 0; i < label->group_count; i++) {
    for (size_t j = 0; j < label->groups[i].count; j++) {
      play->needed[label->groups[i].skills[j]] = value;
    }
  }
}

static void score(struct skill__play *play, const struct skill__label *label) {
  struct skill__result *r = play->result;
  bool all = true;
  for (size_t i = 0; i < label->group_count; i++) {
    bool ok = skill__play_met(play, &label->groups[i]);
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

static void touch_used(struct skill__play *play, const struct skill__label *label) {
  play->using = true;
  for (size_t i = 0; i < label->group_count; i++) {
    for (size_t j = 0; j < label->groups[i].count; j++) {
      uint32_t skill = label->groups[i].skills[j];
      size_t tools = 0;
      if (skill__play_is_active(play, skill))
        skill_loader_touch(play->loader, play->world->skills[skill].name, NULL, 0, &tools);
    }
  }
  play->using = false;
}

/* The work itself: a call and its result where everything needed is there, and the answer. */
static void work(struct skill__play *play, const struct skill__label *label) {
  const struct skill__settings *s = &play->world->settings;
  if (skill__play_all_met(play, label)) {
    skill__play_send(play, s->call_tokens);
    skill__play_say(play, SKILL__SAID_CALL, SKILL__PART_TALK, s->call_tokens, s->call_tokens * SKILL__TOKEN_BYTES);
    skill__play_say(play, SKILL__SAID_RESULT, SKILL__PART_TALK, s->result_tokens,
                    s->result_tokens * SKILL__TOKEN_BYTES);
    if (play->loader) touch_used(play, label);
  }
  skill__play_send(play, s->answer_tokens);
  skill__play_say(play, SKILL__SAID_ANSWER, SKILL__PART_TALK, s->answer_tokens, s->answer_tokens * SKILL__TOKEN_BYTES);
}

static void play_turn(struct skill__play *play, const struct skill__talk_turn *turn) {
  const struct skill__world *w = play->world;
  const struct skill__label *label = turn->label;
  if (turn->pause_ms >= (int64_t)w->settings.cache_minutes * 60000) play->ledger.cold = true;
  mark_needed(play, label, 1);
  skill__play_say_text(play, turn->text);
  if (play->loader) {
    skill_fixture_advance(play->clock, turn->pause_ms);
    skill__play_settle(play, skill_loader_cleanup_expired(play->loader, NULL, NULL, NULL));
    skill__play_host_loads(play, turn->text);
  }
  if (play->strategy->kind == SKILL__STRATEGY_ORACLE) skill__play_oracle_loads(play, label);
  if (skill__play_has_meta(play) && !skill__play_all_met(play, label)) skill__play_model_looks(play, label);
  score(play, label);
  work(play, label);
  mark_needed(play, label, 0);
}
/* --- conversations ------------------------------------------------------------------------------------------------ */

static int select_cut(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  size_t want = *(const size_t *)policy->user;
  if (want > input->max_active) want = input->max_active;
  *count = input->count < want ? input->count : want;
  for (size_t i = 0; i < *count; i++) chosen[i] = i;
  return 0;
}

static size_t l2_tokens(const Skill *skill, void *user) {
  const struct skill__play *play = user;
  size_t index = skill__by_name_find(play->world->names, skill_name(skill));
  return index == SIZE_MAX ? 0 : play->world->skills[index].body + play->world->skills[index].tools;
}

static int open_loader(struct skill__play *play, SkillError *err) {
  const struct skill__strategy *s = play->strategy;
  SkillLoaderOptions options = SKILL_LOADER_OPTIONS_INIT;
  if (s->kind != SKILL__STRATEGY_HOST && s->kind != SKILL__STRATEGY_KEPT && s->kind != SKILL__STRATEGY_AGENT) return 0;
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

static void close_loader(struct skill__play *play) {
  if (!play->loader) return;
  if (!skill_loader_close(play->loader, NULL, NULL)) skill_loader_wait(play->loader, -1);
  skill_loader_free(play->loader);
  play->loader = NULL;
}

static int play_talk(struct skill__play *play, const struct skill__talk *talk, SkillError *err) {
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
                         const struct skill__strategy *strategy, const struct skill__play_watch *watch,
                         struct skill__result *out, SkillError *err) {
  struct skill__play play = {
      .world = world, .strategy = strategy, .watch = watch, .result = out, .random = {world->settings.seed ^ 0x5eed}};
  memset(out, 0, sizeof *out);
  out->strategy = strategy;
  out->turn_tokens = skill__calloc(world->settings.turns + 1, sizeof *out->turn_tokens);
  play.held = skill__calloc(world->count + 1, 1);
  play.needed = skill__calloc(world->count + 1, 1);
  play.order = skill__calloc(world->count + 1, sizeof *play.order);
  int status = skill_fixture_new(&play.clock);
  if (!out->turn_tokens || !play.held || !play.needed || !play.order) {
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
  memset(result, 0, sizeof *result);
}
