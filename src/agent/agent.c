/* SPDX-License-Identifier: MIT
 *
 * Making and freeing agents, and what they stand on: loader and gateway come when a turn first needs them, so that a
 * plain question pays for neither. Fails on options that lack something, and for want of memory.
 */
#include <stdio.h>
#include <string.h>

#include "agent/internal.h"
#include "agent/library.h"
#include "gateway/internal.h"
#include "util/alloc.h"

void skill_profile_default(SkillProfile *profile) {
  memset(profile, 0, sizeof *profile);
  profile->size = sizeof *profile;
  profile->tools = profile->skills = profile->scripts = profile->stream = true;
  profile->max_iterations = 16;
  profile->max_calls = 64;
  profile->compact_percent = 80;
  profile->temperature = -1;
  profile->fork_depth = 2;
}

void skill_agent_options_default(SkillAgentOptions *options) {
  memset(options, 0, sizeof *options);
  options->size = sizeof *options;
}

/* --- small things that all files use --------------------------------------------------------------------------- */

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

int skill__agent_attach_message(SkillAgent *agent, const SkillMessage *message, SkillError *err) {
  size_t at = skill_conversation_count(agent->talk);
  const SkillMessage *last = at ? skill_conversation_at(agent->talk, at - 1) : NULL;
  if (!last || last->role != SKILL_ROLE_USER || last->origin) return skill__agent_add_message(agent, message, err);
  int status = skill_conversation_replace(agent->talk, at - 1, at - 1, message, err);
  if (status || !agent->options.events.on_message) return status;
  agent->options.events.on_message(skill_conversation_at(agent->talk, at - 1), agent->options.events.user);
  return 0;
}

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
  SkillLoaderOptions options;
  skill_loader_options_default(&options);
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
  SkillGatewayOptions options;
  skill_gateway_options_default(&options);
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

/* --- making ---------------------------------------------------------------------------------------------------- */

static const char default_system[] =
    "You are a careful assistant. Answer in the user's language, briefly, and only claim what you checked.";
static void put_rules(const SkillAgent *agent, struct skill__buf *buf) {
  bool skills = agent->profile.tools && agent->profile.skills && agent->options.registry;
  if (skills && !agent->fork_skill) {
    skill__buf_printf(buf,
                      "%sSkills hold instructions and tools for one kind of work. Before you start on a task that one "
                      "of them fits, open it with %s and follow it; %s finds skills that the list below does not show. "
                      "If none fits, work without one.",
                      buf->length ? "\n\n" : "", skill__meta_name(agent, SKILL_META_OPEN),
                      skill__meta_name(agent, SKILL_META_SEARCH));
  }
  if (!skills || agent->profile.offered != SKILL_TOOLS_CONSTANT) return;
  skill__buf_printf(buf,
                    "%sTools of skills are described where a skill is opened, and by %s. Each description names the "
                    "one of %s, %s and %s that calls it.",
                    agent->fork_skill && buf->length ? "\n\n" : " ", skill__meta_name(agent, SKILL_META_DESCRIBE),
                    skill__meta_name(agent, SKILL_META_CALL_READ), skill__meta_name(agent, SKILL_META_CALL_WRITE),
                    skill__meta_name(agent, SKILL_META_CALL_DESTRUCTIVE));
}

static char *make_system(const SkillAgent *agent) {
  const char *text = agent->profile.system ? agent->profile.system : default_system;
  struct skill__buf buf;
  skill__buf_init(&buf, strlen(text) + 4096);
  skill__buf_text(&buf, text);
  put_rules(agent, &buf);
  char *system = skill__buf_status(&buf) ? NULL : skill__buf_take(&buf, NULL);
  skill__buf_fini(&buf);
  return system;
}

int skill__agent_remake_system(SkillAgent *agent) {
  char *system = make_system(agent);
  if (!system) return SKILL_ENOMEM;
  skill__free(agent->system);
  agent->system = system;
  return 0;
}

static int check_options(const SkillAgentOptions *options, SkillError *err) {
  if (!options || options->size != sizeof *options) {
    return skill_error_set(err, SKILL_EINVAL, "start from skill_agent_options_default");
  }
  if (!options->loop) return skill_error_set(err, SKILL_EINVAL, "an agent needs a loop");
  if (options->profile && options->profile->size != sizeof *options->profile) {
    return skill_error_set(err, SKILL_EINVAL, "start the profile from skill_profile_default");
  }
  int status = options->profile ? skill__meta_check_names(options->profile->names, err) : 0;
  if (status) return status;
  if (!options->model && !(options->profile && options->profile->model)) {
    return skill_error_set(err, SKILL_EINVAL, "an agent needs a model");
  }
  return 0;
}

static const char *const *copy_list(struct skill__arena *arena, const char *const *from) {
  size_t count = 0;
  while (from && from[count]) count++;
  const char **copy = from ? skill__arena_alloc(arena, (count + 1) * sizeof *copy) : NULL;
  for (size_t i = 0; copy && i < count; i++) copy[i] = skill__arena_strdup(arena, from[i]);
  return copy;
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
  bool roots = o->roots != NULL;
  bool writable = o->writable != NULL;
  for (size_t i = 0; i < SKILL_META_COUNT; i++) {
    const char **name = &agent->profile.names[i];
    if (*name && !(*name = skill__arena_strdup(&agent->arena, *name))) return SKILL_ENOMEM;
  }
  o->roots = copy_list(&agent->arena, o->roots);
  o->writable = copy_list(&agent->arena, o->writable);
  bool retrieve = o->retrieve != NULL;
  o->retrieve = copy_list(&agent->arena, o->retrieve);
  if (retrieve && !o->retrieve) return SKILL_ENOMEM;
  if ((roots && !o->roots) || (writable && !o->writable)) return SKILL_ENOMEM;
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
  int status = skill_conversation_new(&agent->talk);
  if (!agent->permissions) status = SKILL_ENOMEM;
  if (!status) status = copy_options(agent);
  return status ? status : skill__agent_remake_system(agent);
}

static void on_post(struct skill__post *post);

int skill_agent_new(const SkillAgentOptions *options, SkillAgent **out, SkillError *err) {
  int status = check_options(options, err);
  if (status) return status;
  SkillAgent *agent = skill__calloc(1, sizeof *agent);
  if (!agent) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  agent->options = *options;
  skill_profile_default(&agent->profile);
  if (options->profile) agent->profile = *options->profile;
  agent->model = agent->profile.model ? agent->profile.model : options->model;
  agent->loop = options->loop;
  agent->io = options->io ? options->io : skill_io_posix();
  agent->tokenizer = options->tokenizer ? options->tokenizer : agent->model->tokenizer;
  if (!agent->tokenizer) agent->tokenizer = skill_tokenizer_estimate();
  agent->post.fn = on_post;
  status = copy_in(agent);
  if (status) {
    skill_agent_free(agent);
    return skill_error_set(err, status, "out of memory");
  }
  *out = agent;
  return 0;
}

/* --- the end of a turn is told in a step of the loop ----------------------------------------------------------- */

static void on_post(struct skill__post *post) {
  SkillAgent *agent = (SkillAgent *)(void *)((char *)post - offsetof(SkillAgent, post));
  agent->posted = false;
  skill__loop_release(agent->loop);
  if (agent->state != SKILL__AGENT_ENDING) return;
  struct skill__turn turn = agent->turn;
  turn.out.error = &turn.error;
  agent->turn = (struct skill__turn){0};
  agent->state = SKILL__AGENT_IDLE;
  agent->canceled = false;
  if (agent->turn_timer) skill__timer_set(agent->turn_timer, -1);
  skill__free(turn.asked);
  if (turn.cb) turn.cb(agent, &turn.out, turn.user);
}

/* --- freeing --------------------------------------------------------------------------------------------------- */

static void free_loader(SkillAgent *agent) {
  if (!agent->loader) return;
  skill__watch_free(agent->loader_watch);
  skill__timer_free(agent->loader_timer);
  (void)skill_loader_close(agent->loader, NULL, NULL);
  (void)skill_loader_wait(agent->loader, -1);
  (void)skill_loader_free(agent->loader);
}

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
  agent->state = SKILL__AGENT_IDLE; /* callbacks that still come start nothing new */
  agent->turn.open = SIZE_MAX;
  while (agent->forks) {
    SkillAgent *fork = agent->forks;
    SkillToolCall *reply = fork->fork_reply;
    agent->forks = fork->next_fork;
    fork->fork_reply = NULL; /* an init that ends with its loader must not answer again */
    if (reply) skill_tool_call_finish(reply, SKILL_ECANCELED, "canceled", 8);
    skill_agent_free(fork);
  }
  skill__agent_drop_ask(agent);
  skill_gateway_free(agent->gateway); /* first: a handler that never ends must not hold its skill for ever */
  agent->gateway = NULL;
  free_loader(agent); /* opens that wait are answered here */
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

/* Bodies that are in its messages, results that can be paged, the skill whose allowed-tools hold. */
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
