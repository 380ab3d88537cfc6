/* SPDX-License-Identifier: MIT
 *
 * Runs a skill as a sub-agent (a fork). The child has a conversation and a loader of its own, is limited by its
 * parents' permissions besides its own, and spends from its parent's budget. Refused: too deep a nesting, a skill that
 * already runs above, an agent or model that no hub has. The child's answer, with its cost, is the result of the call.
 */
#include <stdio.h>
#include <string.h>

#include "agent/internal.h"
#include "agent/meta_tools.h"
#include "util/alloc.h"

static int check_nesting(const SkillAgent *agent, const char *name, SkillError *err) {
  if (agent->depth >= agent->profile.fork_depth) {
    return skill_error_set(err, SKILL_ELIMIT, "%s runs as a sub-agent, and these nest at most %u deep here", name,
                           agent->profile.fork_depth);
  }
  for (const SkillAgent *a = agent; a; a = a->parent) {
    if (!a->fork_skill || strcmp(a->fork_skill, name) != 0) continue;
    return skill_error_set(err, SKILL_EBUSY, "%s runs already, and this call comes from within it", name);
  }
  const struct skill__agent_purse *purse = agent->turn.purse;
  if (purse && purse->calls_max && purse->calls >= purse->calls_max) {
    return skill_error_set(err, SKILL_ELIMIT, "no calls are left in this turn");
  }
  return 0;
}

/* A skill chooses its own profile, so that profile is made at least as strict as the one above. */
static void confine(const SkillProfile *above, SkillProfile *profile) {
  static const int strictness[] = {[SKILL_APPROVAL_NONE] = 0, [SKILL_APPROVAL_DANGEROUS] = 1, [SKILL_APPROVAL_ALL] = 2};
  profile->fork_depth = above->fork_depth; /* the tree's, not the child's own */
  profile->tools = profile->tools && above->tools;
  profile->scripts = profile->scripts && above->scripts;
  if (above->allowed == SKILL_ALLOWED_CEILING) profile->allowed = SKILL_ALLOWED_CEILING;
  if (strictness[profile->approval] < strictness[above->approval]) profile->approval = above->approval;
}

/* Looks up the profile of `agent:` and the model of `model:`. An error names the skill that asked for it. */
static int resolve(const SkillAgent *agent, const SkillMetadata *metadata, SkillProfile *profile, SkillError *err) {
  SkillError why = SKILL_ERROR_INIT;
  *profile = agent->profile;
  profile->system = NULL;
  if (metadata->agent) {
    const SkillProfile *found = NULL;
    int status = skill_agent_hub_find(agent->options.agents, metadata->agent, &found, &why);
    if (status) {
      return skill_error_set(err, status, "%s (%s) says agent: %s, and %s", metadata->name,
                             metadata->path ? metadata->path : "no file", metadata->agent, why.message);
    }
    *profile = *found;
    confine(&agent->profile, profile);
  }
  if (!profile->model) profile->model = agent->model;
  if (metadata->model && strcmp(metadata->model, "inherit") != 0) {
    int status = skill_model_hub_find(agent->options.models, metadata->model, &profile->model, &why);
    if (status) {
      return skill_error_set(err, status, "%s (%s) says model: %s, and %s", metadata->name,
                             metadata->path ? metadata->path : "no file", metadata->model, why.message);
    }
  }
  profile->preactivate = false;
  profile->stream = false;
  return 0;
}

static SkillAgent *root_of(SkillAgent *agent) {
  while (agent->parent) agent = agent->parent;
  return agent;
}

/* The root's host gets a fork's events, calls and approvals, but not its messages and deltas. */
static int make_child(SkillAgent *agent, const Skill *skill, const SkillProfile *profile, SkillAgent **out,
                      SkillError *err) {
  SkillAgentOptions options = agent->options;
  options.profile = profile;
  options.permissions = agent->permissions;
  options.tools = NULL;
  options.tool_count = 0;
  options.count_everything = false;
  options.events = root_of(agent)->options.events;
  options.events.on_delta = NULL;
  options.events.on_message = NULL;
  SkillAgent *child = NULL;
  int status = skill_agent_new(&options, &child, err);
  if (status) return status;
  child->fork_memory = skill__strdup(skill_name(skill));
  child->fork_skill = child->fork_memory;
  child->parent = agent;
  child->depth = agent->depth + 1;
  for (size_t i = 0; i < agent->tools.count && !status; i++) { /* the host's own tools */
    const struct skill__tool_entry *entry = &agent->tools.entries[i];
    const struct skill__tool_role role = {.meta = SKILL__NO_META, .hidden = entry->hidden};
    if (entry->meta != SKILL__NO_META || entry->skill) continue;
    SkillTool tool = entry->tool;
    tool.name = entry->name; /* permissions use the own name, not the offered one */
    status = skill__tools_add(&child->tools, &tool, &role, child->tokenizer);
  }
  if (!status)
    status = skill__agent_remake_system(child); /* without the rules about the listing, which a fork does not get */
  if (!child->fork_memory || status) {
    skill_agent_free(child);
    return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  }
  *out = child;
  return 0;
}

static int copy_history(const SkillAgent *agent, SkillAgent *child) {
  SkillConversation *copy = NULL;
  int status = skill_conversation_copy(agent->talk, &copy);
  if (!status) {
    int repaired = skill_conversation_repair(copy, "(this call started the sub-agent that you are)");
    status = repaired < 0 ? repaired : 0;
  }
  if (!status) status = skill_agent_set_conversation(child, copy);
  if (status) skill_conversation_free(copy);
  return status;
}

static void unlink_fork(SkillAgent *parent, SkillAgent *fork) {
  SkillAgent **at = &parent->forks;
  while (*at && *at != fork) at = &(*at)->next_fork;
  if (*at) *at = fork->next_fork;
}

static void free_fork(void *arg) {
  skill_agent_free(arg);
}

/* Unlinks a fork and frees it in a later step of the loop, since its end is reported from its own callback. Returns the
 * call that it answers. */
static SkillToolCall *retire_fork(SkillAgent *fork) {
  SkillToolCall *call = fork->fork_reply;
  SkillAgent *parent = fork->parent;
  fork->fork_reply = NULL;
  unlink_fork(parent, fork);
  if (skill_loop_post(fork->loop, free_fork, fork)) { /* out of memory: freed with the parent */
    fork->next_fork = parent->forks;
    parent->forks = fork;
  }
  return call;
}

static void on_end(SkillAgent *fork, const SkillTurn *turn, void *user) {
  SkillAgent *parent = user;
  struct skill__agent_turn *sum = &parent->turn;
  struct skill__buf buf;
  skill_usage_add(&sum->out.usage, &turn->usage);
  sum->out.requests += turn->requests;
  sum->out.calls += turn->calls;
  sum->out.context_tokens += turn->context_tokens;
  sum->out.prefix_tokens += turn->prefix_tokens;
  SkillEvent event = {.kind = SKILL_EVENT_FORKED, .skill = fork->fork_skill, .status = turn->status};
  event.reason = "the sub-agent has ended";
  event.count = turn->requests;
  event.tokens = turn->usage.input_tokens + turn->usage.output_tokens;
  skill__agent_emit(parent, &event);
  skill__buf_init(&buf, SKILL_MAX_MESSAGE);
  skill__buf_printf(&buf, "[%s ran as a sub-agent: %zu requests, %zu calls, %zu tokens]\n", fork->fork_skill,
                    turn->requests, turn->calls, event.tokens);
  if (turn->status) skill__buf_printf(&buf, "It did not finish: %s\n", turn->error->message);
  skill__buf_add(&buf, turn->answer, turn->answer_length);
  int status = skill__buf_status(&buf);
  skill_tool_call_finish(retire_fork(fork), status ? status : turn->status, buf.data, buf.length);
  skill__buf_fini(&buf);
}

struct starting {
  SkillAgent *child;
  char *text; /* the body, which is the child's request */
  size_t length;
};

/* The skill is active in the child: its tools are offered, and the body becomes the request. */
static void on_active(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  struct starting *starting = user;
  SkillAgent *child = starting->child;
  SkillError why = SKILL_ERROR_INIT;
  const SkillActivationItem *item = result->count ? result->items[0] : NULL;
  (void)loader;
  int status = result->status;
  if (status) skill_error_set(&why, status, "%s", item ? item->reason : skill_strerror(status));
  if (!status && item) status = skill__agent_offer_skill(child, item->name, item->tools, item->tool_count);
  if (!status) status = skill__agent_describe_active(child, child->fork_skill, &why);
  /* The parent or its turn may have ended meanwhile; then there is no budget either. */
  if (!child->fork_reply || skill_tool_call_canceled(child->fork_reply)) status = SKILL_ECANCELED;
  if (!status) {
    (void)skill_loader_set_body_state(child->loader, child->fork_skill, SKILL_BODY_IN_CONTEXT);
    child->opened_last = skill__strdup(child->fork_skill);
    status = child->opened_last ? skill_agent_turn(child, starting->text, starting->length, on_end, child->parent, &why)
                                : SKILL_ENOMEM;
  }
  if (status && child->fork_reply) {
    skill__meta_finish(retire_fork(child), status, "%s cannot run as a sub-agent: %s", child->fork_skill,
                       why.code ? why.message : skill_strerror(status));
  }
  skill_free(starting->text);
  skill__free(starting);
}

static int start_child(SkillAgent *child, const Skill *skill, const char *arguments, SkillError *err) {
  struct starting *starting = skill__calloc(1, sizeof *starting);
  if (!starting) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  starting->child = child;
  int status = skill__agent_equip(child, err);
  if (!status) status = skill__open_text(child, skill, arguments, false, &starting->text, &starting->length, err);
  if (!status) status = skill_loader_activate(child->loader, skill_name(skill), on_active, starting, NULL, err);
  if (status) {
    skill_free(starting->text);
    skill__free(starting);
    return status;
  }
  return 0;
}

int skill__agent_fork(SkillAgent *agent, const Skill *skill, const char *arguments, SkillToolCall *call,
                      SkillError *err) {
  const SkillMetadata *metadata = skill_metadata(skill);
  SkillProfile profile;
  SkillAgent *child = NULL;
  int status = check_nesting(agent, metadata->name, err);
  if (!status) status = resolve(agent, metadata, &profile, err);
  if (!status) status = make_child(agent, skill, &profile, &child, err);
  if (status) return status;
  if (metadata->context == SKILL_CONTEXT_FORK_WITH_HISTORY) status = copy_history(agent, child);
  child->fork_reply = call;
  child->next_fork = agent->forks;
  agent->forks = child;
  if (!status) status = start_child(child, skill, arguments, err);
  if (status) {
    child->fork_reply = NULL;
    unlink_fork(agent, child);
    skill_agent_free(child);
    return skill_error_set(err, status, "%s cannot run as a sub-agent: %s", metadata->name, skill_strerror(status));
  }
  agent->turn.purse->forks++;
  SkillEvent event = {.kind = SKILL_EVENT_FORKED, .skill = metadata->name, .reason = "it runs as a sub-agent"};
  event.count = child->depth;
  skill__agent_emit(agent, &event);
  skill__agent_step_loader(child);
  return 0;
}
