/* SPDX-License-Identifier: MIT
 *
 * One request to the model: compiles the context, counts the tokens of the unchanged prefix, starts the request, and
 * passes the reply on. Fails if the context cannot be compiled or the model refuses to start.
 */
#include <string.h>

#include "agent/internal.h"
#include "util/alloc.h"
#include "util/hash.h"

/* --- the prefix ------------------------------------------------------------------------------------------------ */

/* Chains the hash of a text, with its end, to another. */
static uint64_t hash_text(uint64_t before, const char *text, size_t length) {
  uint64_t both[2] = {before, skill__hash_bytes(text, length)};
  return skill__hash_bytes(both, sizeof both);
}

static uint64_t hash_string(uint64_t before, const char *text) {
  return text ? hash_text(before, text, strlen(text)) : before;
}

static struct skill__agent_prefix tool_item(const struct skill__tool_entry *entry) {
  uint64_t hash = hash_string(0, entry->tool.name);
  hash = hash_string(hash, entry->tool.description);
  return (struct skill__agent_prefix){hash_string(hash, entry->tool.input_schema), entry->tokens};
}

static struct skill__agent_prefix message_item(const SkillMessage *message, SkillTokenizer *tokenizer) {
  uint64_t hash = hash_string(0, skill_role_name(message->role));
  hash = hash_text(hash, message->text ? message->text : "", message->text_length);
  for (size_t i = 0; i < message->call_count; i++) {
    hash = hash_string(hash_string(hash, message->calls[i].name), message->calls[i].arguments);
  }
  return (struct skill__agent_prefix){hash, skill__message_tokens(tokenizer, message)};
}

/* Tools come first, as providers put them; then the messages. Returns the tokens of the common beginning. */
static size_t compare_prefix(SkillAgent *agent, const SkillCompiled *compiled, size_t *same_items) {
  const struct skill__tool_table *tools = &agent->tools;
  size_t offered = agent->profile.tools ? tools->deferred_from : 0; /* deferred tools are in no prefix */
  size_t count = offered + compiled->count;
  size_t kept = 0;
  size_t at = 0; /* in the table */
  bool same = true;
  *same_items = 0;
  if (SKILL__GROW(agent->prefix, agent->prefix_capacity, count + 1)) return 0;
  for (size_t i = 0; i < count; i++) {
    bool tool = i < offered;
    while (tool && (tools->entries[at].hidden || tools->entries[at].deferred)) at++;
    struct skill__agent_prefix item =
        tool ? tool_item(&tools->entries[at++]) : message_item(&compiled->messages[i - offered], agent->tokenizer);
    same = same && i < agent->prefix_count && agent->prefix[i].hash == item.hash;
    if (same) kept += item.tokens, (*same_items)++;
    agent->prefix[i] = item;
  }
  agent->prefix_count = count;
  return kept;
}

static void count_request(SkillAgent *agent, const SkillCompiled *compiled) {
  size_t items = 0;
  size_t kept = compare_prefix(agent, compiled, &items);
  agent->turn.out.prefix_tokens += kept;
  agent->turn.out.context_tokens += compiled->tokens;
  SkillEvent prefix = {.kind = SKILL_EVENT_PREFIX, .tokens = kept, .count = items};
  prefix.reason = "tokens at the beginning that equal the request before";
  skill__agent_emit(agent, &prefix);
  SkillEvent request = {.kind = SKILL_EVENT_MODEL_REQUEST, .tokens = compiled->tokens, .count = compiled->count};
  request.reason = agent->model->name;
  skill__agent_emit(agent, &request);
  if (!agent->options.count_everything) return;
  size_t rest = compiled->tokens - compiled->system_tokens - compiled->tool_tokens;
  agent->turn.out.everything_tokens += skill__agent_everything(agent) + rest;
}

/* The loader must know which bodies the budget dropped from the request. */
static void note_dropped(SkillAgent *agent, const SkillCompiled *compiled) {
  for (size_t i = 0; i < compiled->dropped_count && agent->loader; i++) {
    const char *name = compiled->dropped[i];
    if (skill_loader_body_state(agent->loader, name) != SKILL_BODY_IN_CONTEXT) continue;
    (void)skill_loader_set_body_state(agent->loader, name, SKILL_BODY_COMPACTED);
    SkillEvent event = {.kind = SKILL_EVENT_COMPACTED, .skill = name, .reason = "its body no longer fits the budget"};
    skill__agent_emit(agent, &event);
  }
}

/* --- the request ----------------------------------------------------------------------------------------------- */

static void on_delta(const SkillDelta *delta, void *user) {
  struct skill__agent_request *running = user;
  SkillAgent *agent = running->agent;
  if (!agent || agent->canceled || !agent->options.events.on_delta) return;
  agent->options.events.on_delta(delta, agent->options.events.user);
}

static void on_reply(int status, const SkillReply *reply, const SkillError *error, void *user) {
  struct skill__agent_request *running = user;
  SkillAgent *agent = running->agent;
  skill__reply_fn then = running->then;
  skill__free(running);
  if (!agent) return;
  agent->request = NULL;
  then(agent, status, reply, error);
}

void skill__request_drop(SkillAgent *agent) {
  if (!agent->request) return;
  agent->request->agent = NULL;
  skill_model_cancel(agent->request->call);
  agent->request = NULL;
}

static int start(SkillAgent *agent, const SkillCompiled *compiled, skill__reply_fn then, SkillError *err) {
  SkillModelRequest request = SKILL_MODEL_REQUEST_INIT;
  bool tools = agent->profile.tools;
  request.messages = compiled->messages;
  request.message_count = compiled->count;
  request.tools = agent->tools.offered;
  request.tool_count = tools ? agent->tools.offered_count : 0;
  request.deferred_from = tools ? agent->tools.deferred_from : 0;
  request.max_tokens = agent->profile.answer_tokens;
  request.temperature = agent->profile.temperature;
  request.stream = agent->profile.stream && agent->options.events.on_delta;
  request.cache_tools = request.tool_count > 0;
  struct skill__agent_request *running = skill__calloc(1, sizeof *running);
  if (!running) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  running->agent = agent;
  running->then = then;
  int status = skill_model_start(agent->model, agent->loop, &request, request.stream ? on_delta : NULL, on_reply,
                                 running, &running->call, err);
  if (status) {
    skill__free(running);
    return status;
  }
  agent->request = running;
  return 0;
}

static int compile(SkillAgent *agent, struct skill__arena *arena, SkillCompiled **out, SkillError *err) {
  SkillContextInput input = SKILL_CONTEXT_INPUT_INIT;
  bool skills = agent->profile.skills && agent->options.registry && !agent->fork_skill;
  SkillAlways *always = NULL;
  if (skills) {
    int status = skill__agent_always(agent, arena, &always, &input.always_count);
    if (!status) status = skill__agent_refresh_listing(agent);
    if (status) return skill_error_set(err, status, "out of memory");
  }
  input.system = agent->system;
  input.always = always;
  input.listing = skills && agent->profile.tools ? agent->listing : NULL;
  input.conversation = agent->talk;
  input.tools = agent->tools.offered;
  input.tool_count = agent->profile.tools ? agent->tools.deferred_from : 0;
  input.tool_tokens = agent->profile.tools ? agent->tools.tokens : 0;
  input.tokenizer = agent->tokenizer;
  input.budget = skill__agent_budget(agent);
  return skill_context_compile(&input, out, err);
}

/* Compacts a conversation that fills its budget. */
static int make_room(SkillAgent *agent, SkillCompiled **compiled, struct skill__arena *arena, SkillError *err) {
  size_t limit = skill__agent_budget(agent) / 100 * agent->profile.compact_percent;
  bool full = (*compiled)->omitted > 0 || (*compiled)->tokens > limit;
  size_t removed = 0;
  if (!agent->profile.compact_percent || !full || skill_conversation_open_calls(agent->talk)) return 0;
  if (skill_agent_compact(agent, &removed, NULL) || !removed) return 0; /* then history is dropped instead */
  skill_compiled_free(*compiled);
  *compiled = NULL;
  return compile(agent, arena, compiled, err);
}

int skill__request_start(SkillAgent *agent, skill__reply_fn then, SkillError *err) {
  struct skill__arena arena = {NULL};
  SkillCompiled *compiled = NULL;
  int status = compile(agent, &arena, &compiled, err);
  if (!status) {
    size_t later = compiled->tokens - compiled->tool_tokens;
    if (skill__tools_prune(&agent->tools, later)) {
      skill_compiled_free(compiled);
      compiled = NULL;
      status = compile(agent, &arena, &compiled, err);
    }
  }
  if (!status) status = make_room(agent, &compiled, &arena, err);
  if (!status) {
    note_dropped(agent, compiled);
    count_request(agent, compiled);
    status = start(agent, compiled, then, err);
  }
  skill_compiled_free(compiled);
  skill__arena_fini(&arena);
  return status;
}

int skill_agent_compact(SkillAgent *agent, size_t *removed, SkillError *err) {
  SkillCompactOptions options = SKILL_COMPACT_OPTIONS_INIT;
  if (agent->state != SKILL__AGENT_IDLE && skill_conversation_open_calls(agent->talk)) {
    return skill_error_set(err, SKILL_EBUSY, "calls are open");
  }
  size_t budget = skill__agent_budget(agent);
  options.keep_tokens = budget / 4;
  options.bodies_tokens = budget / 4 < 25000 ? budget / 4 : 25000;
  options.tokenizer = agent->tokenizer;
  options.loader = agent->loader;
  options.on_event = agent->options.events.on_event;
  options.user = agent->options.events.user;
  return skill_context_compact(agent->talk, &options, removed, err);
}
