/* SPDX-License-Identifier: MIT
 *
 * Adds a model's answer to the conversation. Call ids are made unique first: some servers restart their numbering in
 * every answer, and a fork reports its calls through its parent's callbacks. Fails only when memory is out or the
 * conversation is full.
 */
#include <stdio.h>
#include <string.h>

#include "agent/internal.h"
#include "util/alloc.h"

static bool id_known_here(const SkillAgent *agent, const char *id) {
  for (size_t i = 0; i < skill_conversation_count(agent->talk); i++) {
    const SkillMessage *message = skill_conversation_at(agent->talk, i);
    for (size_t k = 0; k < message->call_count; k++) {
      if (strcmp(message->calls[k].id, id) == 0) return true;
    }
  }
  return false;
}

/* In the agent, its forks and theirs. */
static bool id_known_below(const SkillAgent *agent, const char *id) {
  bool known = id_known_here(agent, id);
  for (const SkillAgent *fork = agent->forks; fork && !known; fork = fork->next_fork) known = id_known_below(fork, id);
  return known;
}

static bool id_known(const SkillAgent *agent, const char *id) {
  while (agent->parent) agent = agent->parent;
  return id_known_below(agent, id);
}

static bool id_among(const SkillCall *calls, size_t count, const char *id) {
  for (size_t i = 0; i < count; i++) {
    if (calls[i].id && strcmp(calls[i].id, id) == 0) return true;
  }
  return false;
}

static char *unique_id(SkillAgent *agent, const SkillCall *calls, size_t count, size_t index) {
  const char *id = calls[index].id;
  bool twice = !id || !*id || id_known(agent, id) || id_among(calls, index, id);
  if (!twice) return skill__strdup(id);
  char made[96];
  do {
    snprintf(made, sizeof made, "%.48s%s%zu%s", id && *id ? id : "call", agent->fork_skill ? "_f" : "_", ++agent->ids,
             agent->depth > 1 ? "_d" : "");
  } while (id_known(agent, made) || id_among(calls, count, made));
  return skill__strdup(made);
}

int skill__agent_add_answer(SkillAgent *agent, const SkillReply *reply, SkillError *err) {
  SkillMessage message = reply->message;
  SkillCall calls[SKILL_MAX_CALLS];
  int status = 0;
  size_t made = 0;
  message.role = SKILL_ROLE_ASSISTANT;
  if (message.call_count > SKILL_MAX_CALLS) {
    message.call_count = SKILL_MAX_CALLS;
    message.extra = NULL;
  }
  for (size_t i = 0; i < message.call_count; i++) calls[i] = message.calls[i];
  for (; made < message.call_count; made++) {
    const char *old = message.calls[made].id;
    calls[made].id = unique_id(agent, calls, message.call_count, made);
    if (!calls[made].id) {
      status = skill_error_set(err, SKILL_ENOMEM, "out of memory");
      break;
    }
    if (!old || strcmp(old, calls[made].id) != 0) message.extra = NULL; /* its blocks name the old id */
  }
  message.calls = calls;
  if (!status) status = skill__agent_add_message(agent, &message, err);
  for (size_t i = 0; i < made; i++) skill__free((void *)(uintptr_t)calls[i].id);
  return status;
}
