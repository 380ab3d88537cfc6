/* SPDX-License-Identifier: MIT
 *
 * Makes the agent's loader and gateway when a turn first needs them, so that a plain question pays for neither, and
 * forwards their events. Fails only when memory is out.
 */
#include "agent/internal.h"

/* --- the loader ------------------------------------------------------------------------------------------------ */

static void on_loader_event(const SkillEvent *event, void *user) {
  SkillAgent *agent = user;
  bool gone = event->kind == SKILL_EVENT_DEACTIVATED || event->kind == SKILL_EVENT_EVICTED ||
              event->kind == SKILL_EVENT_EXPIRED || event->kind == SKILL_EVENT_UNREGISTERED;
  if (gone && event->skill) skill__tools_retire(&agent->tools, event->skill);
  skill__agent_emit(agent, event);
}

void skill__agent_step_loader(SkillAgent *agent) {
  if (!agent->loader || agent->stepping) return;
  agent->stepping = true;
  (void)skill_loader_step(agent->loader);
  agent->stepping = false;
  skill__timer_set(agent->loader_timer, skill_loader_timeout_ms(agent->loader));
}

static void on_loader_ready(void *arg) {
  skill__agent_step_loader(arg);
}

static int make_loader(SkillAgent *agent, SkillError *err) {
  SkillLoaderOptions options = SKILL_LOADER_OPTIONS_INIT;
  if (agent->options.loader) options = *agent->options.loader;
  if (!options.io) options.io = agent->io;
  options.on_event = on_loader_event;
  options.event_user = agent;
  options.visible = skill__agent_visible;
  options.user = agent;
  options.l2_tokens = NULL;
  int status = skill_loader_new(agent->options.registry, &options, &agent->loader, err);
  if (status) return status;
  int fd = skill_loader_fd(agent->loader);
  if (fd >= 0) agent->loader_watch = skill__watch_new(agent->loop, fd, on_loader_ready, agent);
  agent->loader_timer = skill__timer_new(agent->loop, on_loader_ready, agent);
  if (agent->loader_timer && (fd < 0 || agent->loader_watch)) return 0;
  return skill_error_set(err, SKILL_ENOMEM, "out of memory");
}

/* --- the gateway ----------------------------------------------------------------------------------------------- */

static void on_state(const SkillCallInfo *call, void *user) {
  SkillAgent *agent = user;
  SkillEvent event = {.kind = SKILL_EVENT_TOOL_STATE, .tool = call->tool, .skill = call->skill, .status = call->status};
  event.reason = skill_call_state_name(call->state);
  skill__agent_emit(agent, &event);
  if (call->state == SKILL_CALL_REJECTED && call->status == SKILL_EDENIED) {
    SkillEvent denied = {.kind = SKILL_EVENT_DENIED, .tool = call->tool, .skill = call->skill, .reason = call->reason};
    skill__agent_emit(agent, &denied);
  }
  if (agent->options.events.on_call) agent->options.events.on_call(call, agent->options.events.user);
  if (call->state == SKILL_CALL_AWAITING && agent->options.events.on_approval) {
    agent->options.events.on_approval(call, agent->options.events.user);
  }
}

static void on_log(const char *line, size_t length, void *user) {
  SkillAgent *agent = user;
  agent->options.events.on_log(line, length, agent->options.events.user);
}

static int make_gateway(SkillAgent *agent, SkillError *err) {
  SkillGatewayOptions options = SKILL_GATEWAY_OPTIONS_INIT;
  options.loop = agent->loop;
  options.io = agent->io;
  options.loader = agent->loader;
  options.permissions = agent->permissions;
  options.approval = agent->profile.approval;
  options.nobody_decides = !agent->options.events.on_approval;
  options.call_timeout_ms = agent->profile.call_timeout_ms;
  options.result_bytes = agent->profile.result_bytes;
  options.process = agent->options.process;
  options.page_tool = skill__meta_name(agent, SKILL_META_PAGE);
  options.on_state = on_state;
  options.on_log = agent->options.events.on_log ? on_log : NULL;
  options.user = agent;
  return skill_gateway_new(&options, &agent->gateway, err);
}

int skill__agent_equip(SkillAgent *agent, SkillError *err) {
  int status = 0;
  if (!agent->loader && agent->options.registry) status = make_loader(agent, err);
  if (!status && !agent->gateway && agent->profile.tools) status = make_gateway(agent, err);
  return status;
}

void skill__agent_unequip(SkillAgent *agent) {
  skill_gateway_free(agent->gateway); /* first, so that a handler that never finishes does not keep its skill in use */
  agent->gateway = NULL;
  if (!agent->loader) return;
  skill__watch_free(agent->loader_watch);
  skill__timer_free(agent->loader_timer);
  (void)skill_loader_close(agent->loader, NULL, NULL);
  (void)skill_loader_wait(agent->loader, -1);
  (void)skill_loader_free(agent->loader);
}
