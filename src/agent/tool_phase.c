/* SPDX-License-Identifier: MIT
 *
 * The tool phase of a turn: each call is resolved, submitted to the gateway, and its result is added to the
 * conversation when it arrives. The phase itself does not fail: a call that cannot be submitted gets an error as its
 * result.
 */
#include <stdio.h>
#include <string.h>

#include "agent/internal.h"
#include "agent/meta_tools.h"
#include "util/alloc.h"

/* A call that waits until its skill is active. */
struct waking {
  SkillAgent *agent;
  char *id; /* of the call */
  bool again;
};

static const SkillCall *find_call(const SkillAgent *agent, const char *id) {
  for (size_t i = skill_conversation_count(agent->talk); i-- > 0;) {
    const SkillMessage *message = skill_conversation_at(agent->talk, i);
    for (size_t k = 0; k < message->call_count; k++) {
      if (strcmp(message->calls[k].id, id) == 0) return &message->calls[k];
    }
  }
  return NULL;
}

/* --- the end of the phase -------------------------------------------------------------------------------------- */

/* Adds the bodies that get messages of their own (SKILL_BODY_IN_MESSAGE), after all results. */
static int add_bodies(SkillAgent *agent, SkillError *err) {
  int status = 0;
  while (agent->bodies && !status) {
    struct skill__pending_body *body = agent->bodies;
    agent->bodies = body->next;
    status = skill__agent_add_text(agent, SKILL__ORIGIN_SKILL, body->skill, body->text, body->length, err);
    skill__free(body);
  }
  return status;
}

static void end_phase(SkillAgent *agent) {
  SkillError why = SKILL_ERROR_INIT;
  if (agent->turn.open || agent->state != SKILL__AGENT_TOOLS) return;
  (void)skill_conversation_repair(agent->talk, agent->canceled ? "canceled" : "there is no result");
  if (agent->canceled) {
    skill__turn_end(agent, SKILL_TURN_CANCELED, SKILL_ECANCELED, NULL);
    return;
  }
  int status = add_bodies(agent, &why);
  if (status) {
    skill__turn_end(agent, SKILL_TURN_FAILED, status, "%s", why.message);
  } else {
    agent->turn.then(agent);
  }
}

static void add_result(SkillAgent *agent, const char *id, const char *tool, const char *text, size_t length, bool error,
                       const char *origin) {
  SkillError why = SKILL_ERROR_INIT;
  SkillMessage message = {.role = SKILL_ROLE_TOOL, .call_id = id, .name = tool, .text = text, .text_length = length};
  message.error = error;
  message.origin = origin;
  int status = skill__agent_add_message(agent, &message, &why);
  if (status == SKILL_ENOMEM) skill__turn_end(agent, SKILL_TURN_FAILED, status, "%s", why.message);
}

static void one_less(SkillAgent *agent) {
  agent->turn.open--;
  end_phase(agent);
}

/* Answers a call that is not submitted to the gateway. */
static void refuse(SkillAgent *agent, const SkillCall *call, const char *why) {
  SkillEvent event = {.kind = SKILL_EVENT_TOOL_STATE, .tool = call->name, .reason = "rejected", .status = SKILL_ELIMIT};
  skill__agent_emit(agent, &event);
  add_result(agent, call->id, call->name, why, strlen(why), true, NULL);
}

static void on_done(const SkillCallInfo *info, void *user) {
  SkillAgent *agent = user;
  char origin[SKILL__ORIGIN_SIZE];
  bool failed = info->state != SKILL_CALL_SUCCESS;
  const SkillCall *call = find_call(agent, info->id);
  const struct skill__tool_entry *entry = call ? skill__tools_find(&agent->tools, call->name) : NULL;
  bool opened =
      !failed && entry && entry->meta == SKILL_META_OPEN && skill__opened_origin(info->text, info->length, origin);
  if (info->whole > info->length) (void)skill__agent_offer_paging(agent);
  add_result(agent, info->id, call ? call->name : info->tool, info->text, info->length, failed, opened ? origin : NULL);
  one_less(agent);
}

/* --- submitting ------------------------------------------------------------------------------------------------ */

static void submit(SkillAgent *agent, const SkillCall *call, bool again) {
  SkillError why = SKILL_ERROR_INIT;
  struct skill__resolved_call resolved;
  int status = skill__agent_resolve(agent, call, again, &resolved);
  if (!status) {
    skill__agent_target(agent, &resolved, again);
    status = skill_gateway_call(agent->gateway, &resolved.target, &resolved.call, on_done, agent, &why);
  }
  skill__resolved_fini(&resolved);
  if (!status) return;
  const char *message = why.code ? why.message : skill_strerror(status);
  add_result(agent, call->id, call->name, message, strlen(message), true, NULL);
  one_less(agent);
}

static void on_woken(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  struct waking *waking = user;
  SkillAgent *agent = waking->agent;
  (void)loader;
  const SkillCall *call = find_call(agent, waking->id);
  const SkillActivationItem *item = result->count ? result->items[0] : NULL;
  const char *why = item ? item->reason : "its skill is not active";
  bool canceled = agent->canceled; /* then nothing starts, and the end of the phase answers the call */
  if (item && !item->status) (void)skill__agent_offer_skill(agent, item->name, item->tools, item->tool_count);
  if (agent->state == SKILL__AGENT_TOOLS && call && !canceled && !result->status) {
    submit(agent, call, waking->again);
  } else if (agent->state == SKILL__AGENT_TOOLS && (call || canceled)) {
    if (!canceled) add_result(agent, call->id, call->name, why, strlen(why), true, NULL);
    one_less(agent);
  }
  skill__free(waking);
}

/* Activates the skill of a call's tool if it is not active. false: the call can be submitted at once. */
static bool wake(SkillAgent *agent, const SkillCall *call, bool again) {
  struct skill__resolved_call resolved;
  const char *skill = NULL;
  if (!agent->loader) return false;
  if (skill__agent_resolve(agent, call, again, &resolved) == 0) {
    const struct skill__tool_entry *entry = resolved.entry;
    bool sleeps = entry ? !entry->live && entry->skill && !resolved.refused : again;
    if (sleeps) skill = entry ? entry->skill : skill__tool_owner(agent, resolved.call.name);
  }
  skill__resolved_fini(&resolved);
  if (!skill || !skill__agent_allows(agent, skill, NULL)) return false;
  size_t length = strlen(call->id) + 1;
  struct waking *waking = skill__malloc(sizeof *waking + length);
  if (!waking) return false;
  *waking = (struct waking){agent, (char *)(waking + 1), again};
  memcpy(waking->id, call->id, length);
  if (skill_loader_activate(agent->loader, skill, on_woken, waking, NULL, NULL)) {
    skill__free(waking);
    return false;
  }
  skill__agent_step_loader(agent);
  return true;
}

static bool has_result(const SkillAgent *agent, const char *id) {
  for (size_t i = skill_conversation_count(agent->talk); i-- > 0;) {
    const SkillMessage *message = skill_conversation_at(agent->talk, i);
    if (message->role != SKILL_ROLE_TOOL) return false;
    if (strcmp(message->call_id, id) == 0) return true;
  }
  return false;
}

void skill__agent_take_calls(SkillAgent *agent, bool again, void (*then)(SkillAgent *agent)) {
  const SkillMessage *asking = NULL;
  for (size_t i = skill_conversation_count(agent->talk); i-- > 0 && !(asking && asking->call_count);) {
    asking = skill_conversation_at(agent->talk, i);
  }
  size_t count = asking ? asking->call_count : 0;
  agent->turn.then = then;
  agent->turn.open = 1; /* held by this loop, so that the phase does not end inside it */
  for (size_t i = 0; i < count; i++) {
    const SkillCall *call = &asking->calls[i];
    if (has_result(agent, call->id)) continue;
    agent->turn.out.calls++;
    if (++agent->turn.purse->calls > agent->turn.purse->calls_max && agent->turn.purse->calls_max) {
      refuse(agent, call, "no more tool calls in this turn: answer with what is there");
      continue;
    }
    agent->turn.open++;
    if (!wake(agent, call, again)) submit(agent, call, again);
  }
  one_less(agent);
}
