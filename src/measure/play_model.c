/* SPDX-License-Identifier: MIT
 *
 * What host and model do in a strategy: load, look, search, open. Errors are those of memory, loader and ranker.
 */
#include <string.h>

#include "measure/play.h"

/* --- what is loaded ----------------------------------------------------------------------------------------------- */

bool skill__play_is_active(const struct skill__play *play, uint32_t skill) {
  for (size_t i = 0; i < play->active; i++) {
    if (play->order[i] == skill) return true;
  }
  return false;
}

bool skill__play_available(const struct skill__play *play, uint32_t skill) {
  switch (play->strategy->kind) {
    case SKILL__STRATEGY_EVERYTHING:
    case SKILL__STRATEGY_ORACLE:
      return true;
    case SKILL__STRATEGY_KEPT:
      return play->held[skill];
    case SKILL__STRATEGY_AGENT: /* what has tools is usable by them; an evicted skill's tools wake it */
      return play->world->skills[skill].tools ? skill__play_is_active(play, skill) : play->held[skill];
    default:
      return play->held[skill] || skill__play_is_active(play, skill);
  }
}

bool skill__play_met(const struct skill__play *play, const struct skill__label_group *group) {
  for (size_t i = 0; i < group->count; i++) {
    if (skill__play_available(play, group->skills[i])) return true;
  }
  return false;
}

/* Updates `order` from the loader: skills that are no longer active are removed (except in AGENT, where it only grows),
 * new ones are appended in order of activation. */
static void read_active(struct skill__play *play) {
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
    if (index != SIZE_MAX && !skill__play_is_active(play, (uint32_t)index))
      play->order[play->active++] = (uint32_t)index;
  }
}

void skill__play_settle(struct skill__play *play, int status) {
  if (!status) status = skill_loader_wait(play->loader, -1);
  if (status && status != SKILL_EFULL && !play->status) play->status = status;
}

/* Active skills are added to the conversation once and never removed, so the prefix is kept. */
static void keep_active(struct skill__play *play) {
  for (size_t i = 0; i < play->active; i++) {
    uint32_t skill = play->order[i];
    if (play->held[skill]) continue;
    play->held[skill] = 1;
    skill__play_say_skill(play, skill, play->needed[skill] ? SKILL__PART_SKILL : SKILL__PART_WRONG, true);
  }
  play->active = 0;
}

void skill__play_host_loads(struct skill__play *play, const char *text) {
  skill__play_settle(play, skill_loader_activate_query(play->loader, text, NULL, NULL, NULL, NULL));
  read_active(play);
  if (play->strategy->kind == SKILL__STRATEGY_KEPT) keep_active(play);
}

bool skill__play_all_met(const struct skill__play *play, const struct skill__label *label) {
  for (size_t i = 0; i < label->group_count; i++) {
    if (!skill__play_met(play, &label->groups[i])) return false;
  }
  return true;
}

/* --- what the model does ------------------------------------------------------------------------------------------ */

/* The result of skill_open is the skill's L2, or its body alone if tools are offered directly. */
static void open_skill(struct skill__play *play, uint32_t skill, bool wrong) {
  const struct skill__world_skill *s = &play->world->skills[skill];
  bool direct = play->strategy->kind == SKILL__STRATEGY_AGENT;
  enum skill__part_kind kind = wrong ? SKILL__PART_WRONG : SKILL__PART_SKILL;
  skill__play_say(play, SKILL__SAID_CALL, SKILL__PART_SEARCH, play->world->settings.call_tokens,
                  play->world->settings.call_tokens * SKILL__TOKEN_BYTES);
  skill__play_say_skill(play, skill, kind, !direct);
  play->held[skill] = 1;
  if (!direct) return;
  skill__play_settle(play, skill_loader_activate(play->loader, s->name, NULL, NULL, NULL, NULL));
  read_active(play);
}

/* The first result that the turn does not need and that is not in the conversation yet; UINT32_MAX: none. */
static uint32_t wrong_pick(const struct skill__play *play, const SkillRanking *ranking) {
  for (size_t i = 0; ranking && i < ranking->count; i++) {
    size_t index = skill__by_name_find(play->world->names, ranking->results[i]->name);
    if (index != SIZE_MAX && !play->needed[index] && !play->held[index]) return (uint32_t)index;
  }
  return UINT32_MAX;
}

static bool in_results(const struct skill__play *play, const SkillRanking *ranking, uint32_t skill) {
  for (size_t i = 0; i < ranking->count; i++) {
    if (!strcmp(ranking->results[i]->name, play->world->skills[skill].name)) return true;
  }
  return false;
}

/* A skill of the group that the model sees in the ranking, or in the listing if `ranking` is NULL; UINT32_MAX: none. */
static uint32_t seen(const struct skill__play *play, const struct skill__label_group *group,
                     const SkillRanking *ranking) {
  for (size_t i = 0; i < group->count; i++) {
    uint32_t skill = group->skills[i];
    const struct skill__world_skill *s = &play->world->skills[skill];
    bool listed =
        play->strategy->kind == SKILL__STRATEGY_LISTING ? s->line > 0 : skill__play_is_bounded(play) && s->shown;
    if (ranking ? in_results(play, ranking, skill) : listed) return skill;
  }
  return UINT32_MAX;
}

/* Opens, in one round trip, what the model sees of the unmet groups. Returns the number of opened skills. */
static size_t open_seen(struct skill__play *play, const struct skill__label *label, const SkillRanking *ranking,
                        const SkillRanking *guesses) {
  uint32_t chosen[64];
  size_t count = 0;
  for (size_t i = 0; i < label->group_count && count < 64; i++) {
    if (skill__play_met(play, &label->groups[i])) continue;
    uint32_t skill = seen(play, &label->groups[i], ranking);
    bool overlooked = !ranking && skill__random_percent(&play->random, play->world->settings.overlook_percent);
    if (skill != UINT32_MAX && !overlooked) chosen[count++] = skill;
  }
  if (!count) return 0;
  uint32_t wrong = wrong_pick(play, guesses);
  if (skill__random_percent(&play->random, play->world->settings.wrong_percent) && wrong != UINT32_MAX) {
    skill__play_send(play, play->world->settings.call_tokens);
    open_skill(play, wrong, true);
  }
  skill__play_send(play, count * play->world->settings.call_tokens);
  for (size_t i = 0; i < count; i++) open_skill(play, chosen[i], false);
  return count;
}

static void search(struct skill__play *play, const struct skill__label *label, const SkillRanking *ranking) {
  const struct skill__settings *settings = &play->world->settings;
  size_t tokens = 0;
  size_t bytes = 0;
  for (size_t i = 0; i < ranking->count; i++) {
    size_t index = skill__by_name_find(play->world->names, ranking->results[i]->name);
    if (index == SIZE_MAX) continue;
    tokens += play->world->skills[index].found;
    bytes += play->world->skills[index].found_bytes;
  }
  skill__play_send(play, settings->call_tokens);
  skill__play_say(play, SKILL__SAID_CALL, SKILL__PART_SEARCH, settings->call_tokens,
                  settings->call_tokens * SKILL__TOKEN_BYTES);
  skill__play_say(play, SKILL__SAID_RESULT, SKILL__PART_SEARCH, tokens, bytes);
  if (open_seen(play, label, ranking, ranking)) return;
  uint32_t wrong = wrong_pick(play, ranking);
  if (wrong == UINT32_MAX) return;
  skill__play_send(play, settings->call_tokens); /* nothing needed is there: it opens the best result */
  open_skill(play, wrong, true);
}

/* The model looks for missing skills. It knows the conversation, so the query is the request, not an echo of it. */
void skill__play_model_looks(struct skill__play *play, const struct skill__label *label) {
  SkillQuery query = {.size = sizeof(SkillQuery), .text = label->text, .limit = play->world->settings.results};
  SkillRanking *ranking = NULL;
  int status = skill_ranker_query(skill_registry_ranker(play->world->registry), &query, &ranking, NULL);
  if (status) {
    play->status = status;
    return;
  }
  if (play->strategy->kind != SKILL__STRATEGY_SEARCH) open_seen(play, label, NULL, ranking);
  if (play->strategy->kind != SKILL__STRATEGY_LISTING && !skill__play_all_met(play, label))
    search(play, label, ranking);
  skill_ranking_free(ranking);
}

void skill__play_oracle_loads(struct skill__play *play, const struct skill__label *label) {
  for (size_t i = 0; i < label->group_count; i++) {
    uint32_t skill = label->groups[i].skills[0];
    if (!play->held[skill]) skill__play_say_skill(play, skill, SKILL__PART_SKILL, true);
    play->held[skill] = 1;
  }
}
