/* SPDX-License-Identifier: MIT
 *
 * The tool phase: each call is resolved (whose tool, is its skill active), handed to the gateway, and its result added
 * to the conversation as it comes. Never fails as a whole: a call that cannot be taken in gets an error as its result.
 */
#include <stdio.h>
#include <string.h>

#include "agent/internal.h"
#include "agent/meta_tools.h"
#include "util/alloc.h"

/* A call whose skill is being activated first. */
struct waking {
  SkillAgent *agent;
  char *id; /* of the call, in the conversation */
  bool again;
};

static const SkillCall *find_call(const SkillAgent *agent, const char *id, const SkillMessage **asking) {
  for (size_t i = skill_conversation_count(agent->talk); i-- > 0;) {
    const SkillMessage *message = skill_conversation_at(agent->talk, i);
    for (size_t k = 0; k < message->call_count; k++) {
      if (strcmp(message->calls[k].id, id) != 0) continue;
      if (asking) *asking = message;
      return &message->calls[k];
    }
  }
  return NULL;
}

/* --- the end of the phase -------------------------------------------------------------------------------------- */

/* Bodies that were opened into messages of their own follow all results. */
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

/* A call that does not even get to the gateway. */
static void refuse(SkillAgent *agent, const SkillCall *call, const char *why) {
  SkillEvent event = {.kind = SKILL_EVENT_TOOL_STATE, .tool = call->name, .reason = "rejected", .status = SKILL_ELIMIT};
  skill__agent_emit(agent, &event);
  add_result(agent, call->id, call->name, why, strlen(why), true, NULL);
}

static void on_done(const SkillCallInfo *info, void *user) {
  SkillAgent *agent = user;
  char origin[SKILL__ORIGIN_SIZE];
  bool failed = info->state != SKILL_CALL_SUCCESS;
  const SkillCall *call = find_call(agent, info->id, NULL);
  const struct skill__tool_entry *entry = call ? skill__tools_find(&agent->tools, call->name) : NULL;
  bool opened =
      !failed && entry && entry->meta == SKILL_META_OPEN && skill__opened_origin(info->text, info->length, origin);
  if (info->whole > info->length) (void)skill__agent_offer_paging(agent);
  add_result(agent, info->id, call ? call->name : info->tool, info->text, info->length, failed, opened ? origin : NULL);
  one_less(agent);
}

/* --- resolving ------------------------------------------------------------------------------------------------- */

/* allowed-tools and disallowed-tools of the skill that was opened last. NULL: nothing speaks against it. */
static const char *skill_forbids(SkillAgent *agent, const struct skill__tool_entry *entry, bool *granted) {
  for (const SkillAgent *a = agent; a; a = a->parent) {
    const char *opened = a->opened_last;
    Skill *skill = opened && a->options.registry ? skill_registry_find(a->options.registry, opened) : NULL;
    if (!skill || entry->meta >= 0 || (entry->skill && strcmp(entry->skill, opened) == 0)) continue;
    const SkillMetadata *metadata = skill_metadata(skill);
    if (skill__name_listed(metadata->disallowed_tools, entry->name, true)) return "the opened skill forbids this tool";
    if (!metadata->allowed_tools_set) continue;
    bool listed = skill__name_listed(metadata->allowed_tools, entry->name, false);
    if (a->profile.allowed == SKILL_ALLOWED_GRANT) {
      *granted = *granted || (listed && a == agent);
    } else if (!listed) {
      return "not among the allowed-tools of the opened skill";
    }
  }
  return NULL;
}

/* What the parents of a fork forbid, the fork's gateway does not know. */
static const char *parents_forbid(const SkillAgent *agent, const struct skill__tool_entry *entry) {
  const char *why = NULL;
  for (const SkillAgent *a = agent->parent; a; a = a->parent) {
    SkillPermissions bans = *a->permissions;
    if (entry->meta >= 0) bans.allowed_tools_set = false;
    if (!skill_permissions_tool(&bans, entry->name, entry->skill, &why)) return why;
  }
  return NULL;
}

/* What the entry's tool may do here, and why not. */
static void fill_target(SkillAgent *agent, const struct skill__resolved_call *resolved, bool again, SkillTarget *target,
                        char *folder) {
  const struct skill__tool_entry *entry = resolved->entry;
  Skill *skill = entry->skill ? skill_registry_find(agent->options.registry, entry->skill) : NULL;
  const char *forbidden = skill_forbids(agent, entry, &target->granted);
  target->refused = forbidden ? forbidden : resolved->refused ? resolved->why : NULL;
  target->skill = entry->skill;
  target->own = entry->meta >= 0;
  target->untimed = entry->meta == SKILL_META_OPEN; /* the loader and forks have limits of their own */
  target->folder = skill && skill__skill_folder(skill, folder) ? folder : NULL;
  target->distrust = again && !(entry->tool.flags & (SKILL_TOOL_READ_ONLY | SKILL_TOOL_IDEMPOTENT));
}

static void submit(SkillAgent *agent, const SkillCall *call, bool again) {
  SkillTarget target = {0};
  SkillError why = SKILL_ERROR_INIT;
  struct skill__resolved_call resolved;
  char hint[256];
  char folder[SKILL_MAX_PATH];
  int status = skill__agent_resolve(agent, call, again, &resolved);
  const char *forbidden = !status && resolved.entry ? parents_forbid(agent, resolved.entry) : NULL;
  SkillTool tool = resolved.entry ? resolved.entry->tool : (SkillTool){0};
  if (forbidden) {
    target.hint = forbidden;
  } else if (resolved.entry) {
    tool.name = resolved.entry->name;
    if (!agent->profile.scripts) tool.command = NULL;
    target.tool = &tool;
    fill_target(agent, &resolved, again, &target, folder);
  } else {
    skill__tool_hint(agent, resolved.call.name, hint, sizeof hint);
    target.hint = hint;
  }
  if (!status) status = skill_gateway_call(agent->gateway, &target, &resolved.call, on_done, agent, &why);
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
  const SkillCall *call = find_call(agent, waking->id, NULL);
  const SkillActivationItem *item = result->count ? &result->items[0] : NULL;
  if (item && !item->status) (void)skill__agent_offer_skill(agent, item->name, item->tools, item->tool_count);
  if (agent->state == SKILL__AGENT_TOOLS && agent->canceled) {
    one_less(agent); /* nothing begins after a cancel; the end of the phase answers the call */
  } else if (agent->state == SKILL__AGENT_TOOLS && call) {
    if (result->status) {
      add_result(agent, call->id, call->name, item ? item->reason : "its skill is not active",
                 strlen(item ? item->reason : "its skill is not active"), true, NULL);
      one_less(agent);
    } else {
      submit(agent, call, waking->again);
    }
  }
  skill__free(waking);
}

/* The tool of a skill that is not active (any more): it is activated first. false: the call can be submitted at once.
 */
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
  for (size_t i = skill_conversation_count(agent->talk); i-- > 0 && !asking;) {
    const SkillMessage *message = skill_conversation_at(agent->talk, i);
    if (message->call_count) asking = message;
  }
  size_t count = asking ? asking->call_count : 0;
  agent->turn.then = then;
  agent->turn.open = 1; /* this loop's own, so that the phase does not end within it */
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
