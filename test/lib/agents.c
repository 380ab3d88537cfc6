/* SPDX-License-Identifier: MIT
 *
 * See agents.h. A failed assertion fails the calling test.
 */
#include "lib/agents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "skillet/sys/alloc.h"

/* --- tools -------------------------------------------------------------------------------------------------------- */

static void add(SkillToolCall *call, const char *arguments_json, void *user) {
  struct agents *a = user;
  cJSON *root = cJSON_Parse(arguments_json);
  const cJSON *x = cJSON_GetObjectItemCaseSensitive(root, "a");
  const cJSON *y = cJSON_GetObjectItemCaseSensitive(root, "b");
  char text[64];
  a->added++;
  snprintf(text, sizeof text, "%g", (x ? x->valuedouble : 0) + (y ? y->valuedouble : 0));
  cJSON_Delete(root);
  skill_tool_call_finish(call, 0, text, strlen(text));
}

static void wipe(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json;
  ((struct agents *)user)->wiped++;
  skill_tool_call_finish(call, 0, "wiped", 5);
}

static void hold(SkillToolCall *call, const char *arguments_json, void *user) {
  struct agents *a = user;
  (void)arguments_json;
  a->held++;
  a->holding = call;
}

static const char add_schema[] =
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\"},\"b\":{\"type\":\"number\"}},"
    "\"required\":[\"a\",\"b\"]}";

/* --- skills ------------------------------------------------------------------------------------------------------- */

static void add_skill(struct agents *a, SkillMetadata metadata, const char *body) {
  SkillDef def = {.metadata = metadata, .body = body, .user = a};
  assert_int_equal(skill_registry_add(a->registry, &def, NULL, NULL), 0);
}

static void add_skills(struct agents *a) {
  const SkillTool tools[] = {
      {.name = "add", .description = "Adds two numbers.", .input_schema = add_schema, .call = add, .user = a},
      {.name = "wipe", .description = "Wipes all.", .flags = SKILL_TOOL_DANGEROUS, .call = wipe, .user = a},
      {.name = "hold", .description = "Waits.", .call = hold, .user = a},
  };
  static const char *only_add[] = {"add"};
  add_skill(a,
            (SkillMetadata){.name = "calc", .description = "Adds numbers for sums.", .tools = tools, .tool_count = 3},
            "Call add. Say the sum $ARGUMENTS.");
  add_skill(a, (SkillMetadata){.name = "guide", .description = "Guides through museums of painting."},
            "Begin with the oldest painting.");
  add_skill(a, (SkillMetadata){.name = "style", .description = "House style.", .mode = SKILL_MODE_ALWAYS},
            "Always write short sentences.");
  add_skill(a,
            (SkillMetadata){.name = "strict",
                            .description = "Adds under a ceiling.",
                            .allowed_tools = {only_add, 1},
                            .allowed_tools_set = true},
            "Only add may be called.");
  add_skill(a,
            (SkillMetadata){.name = "helper",
                            .description = "Helps with accounts.",
                            .context = SKILL_CONTEXT_FORK,
                            .tools = tools,
                            .tool_count = 1},
            "Sum the accounts: $ARGUMENTS");
  add_skill(a, (SkillMetadata){.name = "nested", .description = "Delegates accounts.", .context = SKILL_CONTEXT_FORK},
            "Open helper.");
  add_skill(a,
            (SkillMetadata){
                .name = "historian", .description = "Knows the past.", .context = SKILL_CONTEXT_FORK_WITH_HISTORY},
            "Say what was said.");
  add_skill(a,
            (SkillMetadata){.name = "picky",
                            .path = "skills/picky/SKILL.md",
                            .description = "Wants its own model.",
                            .context = SKILL_CONTEXT_FORK,
                            .model = "vendor.model-v9[1m]"},
            "x");
  add_skill(
      a,
      (SkillMetadata){
          .name = "staffed", .description = "Wants its own agent.", .context = SKILL_CONTEXT_FORK, .agent = "Explore"},
      "Explore.");
  add_skill(a, (SkillMetadata){.name = "inline-model", .description = "Names a model inline.", .model = "none"},
            "Inline.");
  add_skill(a, (SkillMetadata){.name = "secret", .description = "Secret recipes of sums."}, "The secret body.");
  add_skill(a, (SkillMetadata){.name = "manual", .description = "Only for users.", .disable_model_invocation = true},
            "The manual body.");
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static void on_event(const SkillEvent *event, void *user) {
  struct agents *a = user;
  const char *about = event->skill ? event->skill : event->tool ? event->tool : "";
  skill__buf_printf(&a->events, "%s%s:%s", a->events.length ? " " : "", skill_event_name(event->kind), about);
}

static void on_delta(const SkillDelta *delta, void *user) {
  struct agents *a = user;
  if (delta->kind == SKILL_DELTA_TEXT) skill__buf_add(&a->streamed, delta->text, delta->length);
}

static void on_call(const SkillCallInfo *call, void *user) {
  struct agents *a = user;
  skill__buf_printf(&a->states, "%s%s:%s", a->states.length ? " " : "", call->tool, skill_call_state_name(call->state));
}

static void on_approval(const SkillCallInfo *call, void *user) {
  struct agents *a = user;
  a->approvals++;
  snprintf(a->approval_id, sizeof a->approval_id, "%s", call->id);
}

void agents_on_turn(SkillAgent *agent, const SkillTurn *turn, void *user) {
  struct agents *a = user;
  (void)agent;
  a->turns++;
  a->turn = *turn;
  snprintf(a->answer, sizeof a->answer, "%.*s", (int)turn->answer_length, turn->answer);
  snprintf(a->error, sizeof a->error, "%s", turn->error->message);
}

/* --- set-up ------------------------------------------------------------------------------------------------------- */

void agents_setup(struct agents *a) {
  memset(a, 0, sizeof *a);
  skill__buf_init(&a->events, 1 << 20);
  skill__buf_init(&a->streamed, 1 << 20);
  skill__buf_init(&a->states, 1 << 20);
  assert_int_equal(skill_loop_new(NULL, &a->loop, NULL), 0);
  assert_int_equal(skill_fixture_new(&a->fixture), 0);
  SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
  ranker.table = "";
  SkillRegistryOptions options = SKILL_REGISTRY_OPTIONS_INIT;
  options.ranker = &ranker;
  options.io = skill_fixture_io(a->fixture);
  assert_int_equal(skill_registry_new(&options, &a->registry, NULL), 0);
  add_skills(a);
  a->options = (SkillAgentOptions)SKILL_AGENT_OPTIONS_INIT;
  a->profile = (SkillProfile)SKILL_PROFILE_INIT;
  a->profile.preactivate = false;
  a->loader = (SkillLoaderOptions)SKILL_LOADER_OPTIONS_INIT;
  a->options.loop = a->loop;
  a->options.registry = a->registry;
  a->options.io = skill_fixture_io(a->fixture);
  a->options.tokenizer = skill_tokenizer_estimate();
  a->options.events = (SkillAgentEvents){
      .on_event = on_event, .on_delta = on_delta, .on_call = on_call, .on_approval = on_approval, .user = a};
}

void agents_open(struct agents *a, const char *turns) {
  struct skill__buf buf;
  SkillError err = SKILL_ERROR_INIT;
  skill__buf_init(&buf, 1 << 20);
  skill__buf_printf(&buf, "{\"turns\":[%s]}", turns);
  int status = skill_model_script_new(buf.data, buf.length, "script", &a->model, &err);
  if (status) print_error("%s\n", err.message);
  assert_int_equal(status, 0);
  skill__buf_fini(&buf);
  a->options.model = a->model;
  a->options.profile = &a->profile;
  a->options.loader = &a->loader;
  assert_int_equal(skill_agent_new(&a->options, &a->agent, &err), 0);
}

void agents_teardown(struct agents *a) {
  skill_agent_free(a->agent);
  if (a->holding) skill_tool_call_finish(a->holding, SKILL_ECANCELED, NULL, 0);
  skill_model_free(a->model);
  skill_loop_free(a->loop);
  assert_int_equal(skill_registry_free(a->registry), 0);
  skill_fixture_free(a->fixture);
  skill__buf_fini(&a->events);
  skill__buf_fini(&a->streamed);
  skill__buf_fini(&a->states);
}

int agents_begin(void **state) {
  agents_setup(*state);
  return 0;
}

int agents_end(void **state) {
  agents_teardown(*state);
  return 0;
}

int agents_start(struct agents *a, const char *text) {
  return skill_agent_turn(a->agent, text, 0, agents_on_turn, a, NULL);
}

void agents_wait(struct agents *a, int turns) {
  for (int i = 0; i < 10000 && a->turns < turns; i++) skill_loop_run_once(a->loop, 1000);
  assert_int_equal(a->turns, turns);
}

void agents_turn(struct agents *a, const char *text) {
  int before = a->turns;
  assert_int_equal(agents_start(a, text), 0);
  agents_wait(a, before + 1);
}

const char *agents_last(const struct agents *a, SkillRole role) {
  SkillConversation *talk = skill_agent_conversation(a->agent);
  for (size_t i = skill_conversation_count(talk); i-- > 0;) {
    const SkillMessage *message = skill_conversation_at(talk, i);
    if (message->role == role) return message->text;
  }
  return "";
}

void agents_expect_valid(const struct agents *a) {
  SkillConversation *talk = skill_agent_conversation(a->agent);
  SkillConversation *again = NULL;
  char *text = NULL;
  size_t length = 0;
  assert_false(skill_agent_busy(a->agent));
  assert_int_equal(skill_conversation_open_calls(talk), 0);
  assert_int_equal(skill_conversation_save(talk, &text, &length, NULL), 0);
  assert_int_equal(skill_conversation_load(text, length, &again, NULL), 0);
  assert_int_equal(skill_conversation_count(again), skill_conversation_count(talk));
  skill_conversation_free(again);
  skill_free(text);
}
