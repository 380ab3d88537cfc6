/* SPDX-License-Identifier: MIT
 *
 * Permissions, events, messages and the token budget of an agent, for all its files. A fork is limited by its parents'
 * permissions besides its own.
 */
#include "agent/internal.h"

enum { DEFAULT_CONTEXT = 32000, DEFAULT_ANSWER = 4096 };

void skill__agent_emit(SkillAgent *agent, const SkillEvent *event) {
  SkillEvent timed = *event;
  if (!timed.time_ms) timed.time_ms = agent->io->now_ms(agent->io);
  if (agent->options.events.on_event) agent->options.events.on_event(&timed, agent->options.events.user);
}

bool skill__agent_allows(const SkillAgent *agent, const char *skill, const char **why) {
  for (; agent; agent = agent->parent) {
    if (!skill_permissions_skill(agent->permissions, skill, why)) return false;
  }
  return true;
}

bool skill__agent_permits(const SkillAgent *agent, const char *tool, const char *skill, const char **why) {
  for (; agent; agent = agent->parent) {
    if (!skill_permissions_tool(agent->permissions, tool, skill, why)) return false;
  }
  return true;
}

bool skill__agent_shows(const SkillAgent *agent, const Skill *skill) {
  return !skill_metadata(skill)->disable_model_invocation && skill__agent_allows(agent, skill_name(skill), NULL);
}

bool skill__agent_visible(const char *name, void *agent) {
  return skill__agent_allows(agent, name, NULL);
}

int skill__agent_add_message(SkillAgent *agent, const SkillMessage *message, SkillError *err) {
  int status = skill_conversation_add(agent->talk, message, err);
  if (status || !agent->options.events.on_message) return status;
  size_t last = skill_conversation_count(agent->talk) - 1;
  agent->options.events.on_message(skill_conversation_at(agent->talk, last), agent->options.events.user);
  return 0;
}

int skill__agent_add_text(SkillAgent *agent, enum skill__origin kind, const char *name, const char *text, size_t length,
                          SkillError *err) {
  char origin[SKILL__ORIGIN_SIZE];
  SkillMessage message = {.role = SKILL_ROLE_USER, .text = text, .text_length = length};
  message.origin = name ? skill__origin_write(kind, name, origin) : skill__origin_text(kind);
  return skill__agent_add_message(agent, &message, err);
}

int skill__agent_attach_message(SkillAgent *agent, const SkillMessage *message, SkillError *err) {
  size_t at = skill_conversation_count(agent->talk);
  const SkillMessage *last = at ? skill_conversation_at(agent->talk, at - 1) : NULL;
  if (!last || last->role != SKILL_ROLE_USER || last->origin) return skill__agent_add_message(agent, message, err);
  int status = skill_conversation_replace(agent->talk, at - 1, at - 1, message, err);
  if (status || !agent->options.events.on_message) return status;
  agent->options.events.on_message(skill_conversation_at(agent->talk, at - 1), agent->options.events.user);
  return 0;
}

size_t skill__agent_budget(const SkillAgent *agent) {
  if (agent->profile.context_tokens) return agent->profile.context_tokens;
  size_t window = agent->model->window;
  size_t answer = agent->profile.answer_tokens ? agent->profile.answer_tokens : agent->model->max_output;
  if (!window) return DEFAULT_CONTEXT;
  if (!answer || answer > window / 4) answer = window / 4 < DEFAULT_ANSWER ? window / 4 : DEFAULT_ANSWER;
  return window - answer;
}
