/* SPDX-License-Identifier: MIT
 *
 * Makes and frees agents, and answers a host's questions. Fails on incomplete options, and when memory is out.
 */
#include <stdio.h>
#include <string.h>

#include "agent/internal.h"
#include "agent/meta_definitions.h"
#include "agent/passage_library.h"
#include "gateway/for_agent.h"
#include "util/alloc.h"
#include "util/options.h"

/* --- making ---------------------------------------------------------------------------------------------------- */

/* The caller's options and what they point to, in this version's structs. */
struct given {
  SkillAgentOptions options;
  SkillProfile profile;
  SkillPermissions permissions;
  SkillLoaderOptions loader;
};

static int read_options(struct given *given, const SkillAgentOptions *options, SkillError *err) {
  *given =
      (struct given){SKILL_AGENT_OPTIONS_INIT, SKILL_PROFILE_INIT, SKILL_PERMISSIONS_INIT, SKILL_LOADER_OPTIONS_INIT};
  SkillAgentOptions *o = &given->options;
  int status = SKILL__OPTIONS(SkillAgentOptions, o, options, err);
  if (!status) status = SKILL__OPTIONS(SkillProfile, &given->profile, o->profile, err);
  if (!status) status = SKILL__OPTIONS(SkillPermissions, &given->permissions, o->permissions, err);
  if (!status) status = SKILL__OPTIONS(SkillLoaderOptions, &given->loader, o->loader, err);
  if (!status) status = skill__meta_check_names(given->profile.names, err);
  if (status) return status;
  if (!o->loop) return skill_error_set(err, SKILL_EINVAL, "an agent needs a loop");
  if (!o->model && !given->profile.model) return skill_error_set(err, SKILL_EINVAL, "an agent needs a model");
  o->permissions = &given->permissions;
  if (o->loader) o->loader = &given->loader;
  return 0;
}

/* Replaces a NULL-terminated list by a copy. */
static int copy_list(struct skill__arena *arena, const char *const **list) {
  const char *const *from = *list;
  size_t count = 0;
  if (!from) return 0;
  while (from[count]) count++;
  const char **copy = skill__arena_alloc(arena, (count + 1) * sizeof *copy);
  if (!copy) return SKILL_ENOMEM;
  for (size_t i = 0; i < count; i++) {
    copy[i] = skill__arena_strdup(arena, from[i]);
    if (!copy[i]) return SKILL_ENOMEM;
  }
  *list = copy;
  return 0;
}

static int copy_options(SkillAgent *agent) {
  static const struct skill__tool_role role = {.meta = SKILL__NO_META};
  SkillAgentOptions *o = &agent->options;
  if (o->loader) {
    SkillLoaderOptions *loader = skill__arena_alloc(&agent->arena, sizeof *loader);
    if (!loader) return SKILL_ENOMEM;
    *loader = *o->loader;
    o->loader = loader;
  }
  for (size_t i = 0; i < SKILL_META_COUNT; i++) {
    const char **name = &agent->profile.names[i];
    if (*name && !(*name = skill__arena_strdup(&agent->arena, *name))) return SKILL_ENOMEM;
  }
  int status = copy_list(&agent->arena, &o->roots);
  if (!status) status = copy_list(&agent->arena, &o->writable);
  if (!status) status = copy_list(&agent->arena, &o->retrieve);
  if (status) return status;
  for (size_t i = 0; i < o->tool_count; i++) {
    if (skill__tools_add(&agent->tools, &o->tools[i], &role, agent->tokenizer)) return SKILL_ENOMEM;
  }
  o->tools = NULL;
  o->profile = NULL;
  o->permissions = NULL;
  return 0;
}

static int copy_in(SkillAgent *agent) {
  agent->permissions = skill__permissions_copy(agent->options.permissions);
  int status = agent->permissions ? skill_conversation_new(&agent->talk) : SKILL_ENOMEM;
  if (!status) status = copy_options(agent);
  return status ? status : skill__agent_remake_system(agent);
}

int skill_agent_new(const SkillAgentOptions *options, SkillAgent **out, SkillError *err) {
  struct given given;
  int status = read_options(&given, options, err);
  if (status) return status;
  SkillAgent *agent = skill__calloc(1, sizeof *agent);
  if (!agent) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  agent->options = given.options;
  agent->profile = given.profile;
  agent->model = agent->profile.model ? agent->profile.model : given.options.model;
  agent->loop = given.options.loop;
  agent->io = given.options.io ? given.options.io : skill_io_posix();
  agent->tokenizer = given.options.tokenizer ? given.options.tokenizer : agent->model->tokenizer;
  if (!agent->tokenizer) agent->tokenizer = skill_tokenizer_estimate();
  agent->post.fn = skill__turn_posted;
  status = copy_in(agent);
  if (status) {
    skill_agent_free(agent);
    return skill_error_set(err, status, "out of memory");
  }
  *out = agent;
  return 0;
}

/* --- freeing --------------------------------------------------------------------------------------------------- */

static void drop_bodies(SkillAgent *agent) {
  while (agent->bodies) {
    struct skill__pending_body *body = agent->bodies;
    agent->bodies = body->next;
    skill__free(body);
  }
}

void skill_agent_free(SkillAgent *agent) {
  if (!agent) return;
  agent->options.events = (SkillAgentEvents){0};
  agent->state = SKILL__AGENT_IDLE; /* callbacks that still run start nothing */
  agent->turn.open = SIZE_MAX;
  while (agent->forks) {
    SkillAgent *fork = agent->forks;
    SkillToolCall *reply = fork->fork_reply;
    agent->forks = fork->next_fork;
    fork->fork_reply = NULL; /* so that an init that ends with its loader does not answer again */
    if (reply) skill_tool_call_finish(reply, SKILL_ECANCELED, "canceled", 8);
    skill_agent_free(fork);
  }
  skill__request_drop(agent);
  skill__agent_unequip(agent); /* answers skills that are still being opened */
  if (agent->posted && skill__loop_unpost(agent->loop, &agent->post)) skill__loop_release(agent->loop);
  drop_bodies(agent);
  skill__timer_free(agent->turn_timer);
  skill__tools_fini(&agent->tools);
  skill_conversation_free(agent->talk);
  skill__free(agent->turn.asked);
  skill__free(agent->permissions);
  skill__free(agent->system);
  skill__free(agent->listing);
  skill__free(agent->prefix);
  skill__free(agent->opened_last);
  skill__free(agent->fork_memory);
  skill__free(agent->last_ranking);
  skill__free(agent->last_searches);
  skill__free(agent->last_passages);
  if (agent->library) skill__library_fini(agent->library);
  skill__free(agent->library);
  skill__arena_fini(&agent->arena);
  skill__free(agent);
}

/* --- getters --------------------------------------------------------------------------------------------------- */

bool skill_agent_busy(const SkillAgent *agent) {
  return agent->state != SKILL__AGENT_IDLE;
}

SkillConversation *skill_agent_conversation(SkillAgent *agent) {
  return agent->talk;
}

/* Forgets what depends on the messages: which bodies are in them, results kept for paging, the skill opened last. */
static void forget_conversation(SkillAgent *agent) {
  for (Skill *skill = NULL; agent->loader && (skill = skill_registry_next(agent->options.registry, skill)) != NULL;) {
    (void)skill_loader_set_body_state(agent->loader, skill_name(skill), SKILL_BODY_ABSENT);
  }
  if (agent->gateway) skill__gateway_drop_kept(agent->gateway);
  skill__free(agent->opened_last);
  agent->opened_last = NULL;
  drop_bodies(agent);
}

int skill_agent_set_conversation(SkillAgent *agent, SkillConversation *conversation) {
  if (skill_agent_busy(agent)) return SKILL_EBUSY;
  if (!conversation) return SKILL_EINVAL;
  forget_conversation(agent);
  skill_conversation_free(agent->talk);
  agent->talk = conversation;
  agent->prefix_count = 0;
  agent->loaded = true;
  return 0;
}

ProgressiveSkillLoader *skill_agent_loader(SkillAgent *agent) {
  (void)skill__agent_equip(agent, NULL);
  return agent->loader;
}

size_t skill_agent_tools(SkillAgent *agent, const SkillTool **tools) {
  *tools = agent->tools.offered;
  return agent->tools.offered_count;
}

int skill_agent_decide(SkillAgent *agent, const char *call_id, bool approve, const char *reason) {
  int status = agent->gateway ? skill_gateway_decide(agent->gateway, call_id, approve, reason) : SKILL_ENOENT;
  for (SkillAgent *fork = agent->forks; fork && status == SKILL_ENOENT; fork = fork->next_fork) {
    status = skill_agent_decide(fork, call_id, approve, reason);
  }
  return status;
}

static bool find_awaiting(const SkillAgent *agent, size_t *index, SkillCallInfo *out) {
  for (size_t i = 0; agent->gateway && skill_gateway_open(agent->gateway, i, out); i++) {
    if (out->state == SKILL_CALL_AWAITING && (*index)-- == 0) return true;
  }
  for (const SkillAgent *fork = agent->forks; fork; fork = fork->next_fork) {
    if (find_awaiting(fork, index, out)) return true;
  }
  return false;
}

bool skill_agent_awaiting(const SkillAgent *agent, size_t index, SkillCallInfo *out) {
  SkillCallInfo info;
  if (!find_awaiting(agent, &index, &info)) return false;
  *out = info;
  return true;
}
