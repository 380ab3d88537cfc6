/* SPDX-License-Identifier: MIT
 *
 * An independent check of the benchmark's sums. For ten conversations it builds every request with the agent's context
 * compiler, and counts the tokens again from the messages and tools that would be sent.
 *
 * A token is a byte here, so counts add up exactly, and any difference is an error and not rounding.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/meta_definitions.h"
#include "context/listing.h"
#include "lib/check.h"
#include "measure/bench.h"
#include "skillet/context.h"
#include "skillet/source.h"
#include "skillet/sys/alloc.h"

enum { SKILLS = 30, MOST_MESSAGES = 4096, FRAME = 4 };

static size_t count_bytes(SkillTokenizer *tokenizer, const char *text, size_t length) {
  (void)tokenizer;
  (void)text;
  return length;
}

static SkillTokenizer bytes = {
    .version = SKILL_TOKENIZER_VERSION, .name = "bytes", .exact = true, .threadsafe = true, .count = count_bytes};

/* The messages of the conversation that is being simulated. */
struct heard {
  enum skill__said who;
  const char *text;
  uint32_t skill;
  size_t tokens;
};

struct check {
  const struct skill__world *world;
  Skill *skills[SKILLS];
  struct heard heard[MOST_MESSAGES];
  size_t count;
  size_t conversation;
  char *listing;
  size_t requests;
  double ledger; /* counted by the benchmark */
  double again;  /* counted from the request */
  double compiler;
};

static const char *const subjects[] = {"invoice", "weather", "calendar", "photo",  "travel", "recipe",
                                       "chess",   "music",   "garden",   "postal", "bridge", "lesson"};

static SkillRegistry *make_registry(void) {
  SkillRegistry *registry = NULL;
  assert_int_equal(skill_registry_new(NULL, &registry, NULL), 0);
  for (int i = 0; i < SKILLS; i++) {
    char name[40], description[120], tool[48], body[2000];
    snprintf(name, sizeof name, "%s-%d", subjects[i % 12], i);
    snprintf(description, sizeof description, "Works with the %s and whatever belongs to number %d.", subjects[i % 12],
             i);
    snprintf(tool, sizeof tool, "%s_%d", subjects[i % 12], i);
    size_t length = (size_t)(300 + 40 * i);
    memset(body, 'b', length);
    body[length] = '\0';
    SkillTool tools[] = {{.name = tool, .description = description, .input_schema = "{\"type\":\"object\"}"}};
    SkillDef def = {.metadata = {.name = name, .description = description, .tools = tools, .tool_count = 1},
                    .body = body};
    assert_int_equal(skill_registry_add(registry, &def, NULL, NULL), 0);
  }
  return registry;
}

static void on_said(void *user, enum skill__said who, const char *text, uint32_t skill, size_t tokens) {
  struct check *check = user;
  assert_true(check->count < MOST_MESSAGES);
  check->heard[check->count++] = (struct heard){who, text, skill, tokens};
}

/* --- the request as it would be sent ------------------------------------------------------------------------------ */

static void add_message(SkillConversation *talk, const struct check *check, size_t index, char *scratch, size_t size) {
  const struct heard *h = &check->heard[index];
  char id[32];
  SkillCall call = {.id = id, .name = "skill_open"};
  SkillMessage message = {.text = scratch, .text_length = h->tokens};
  assert_true(h->tokens < size);
  memset(scratch, 'm', h->tokens);
  scratch[h->tokens] = '\0';
  if (h->who == SKILL__SAID_USER) {
    message = (SkillMessage){.role = SKILL_ROLE_USER, .text = h->text, .text_length = strlen(h->text)};
  } else if (h->who == SKILL__SAID_CALL) {
    snprintf(id, sizeof id, "call-%zu", index);
    scratch[h->tokens - strlen(call.name)] = '\0'; /* name and arguments together */
    call.arguments = scratch;
    message = (SkillMessage){.role = SKILL_ROLE_ASSISTANT, .calls = &call, .call_count = 1};
  } else if (h->who == SKILL__SAID_ANSWER) {
    message.role = SKILL_ROLE_ASSISTANT;
  } else {
    snprintf(id, sizeof id, "call-%zu", index - 1);
    message.role = SKILL_ROLE_TOOL;
    message.call_id = id;
    message.name = call.name;
  }
  SkillError err = SKILL_ERROR_INIT;
  if (skill_conversation_add(talk, &message, &err)) fail_msg("message %zu: %s", index, err.message);
}

static void add_tools(const struct check *check, uint32_t skill, SkillTool *tools, size_t *count) {
  const SkillMetadata *metadata = skill_metadata(check->skills[skill]);
  for (size_t i = 0; i < metadata->tool_count; i++) tools[(*count)++] = metadata->tools[i];
}

static void add_body(const struct check *check, uint32_t skill, char *system) {
  char *text = NULL;
  size_t length = 0;
  assert_int_equal(skill_body(check->skills[skill], &text, &length, NULL), 0);
  strncat(system, text, length);
  skill_free(text);
}

/* Expands the parts of a request to messages and tools. */
static void build(const struct check *check, const struct skill__outgoing *request, SkillTool *tools,
                  size_t *tool_count, char *system, bool *listed, SkillConversation *talk) {
  static char scratch[200000];
  for (size_t i = 0; i < request->count; i++) {
    uint32_t number = (uint32_t)request->parts[i].id;
    switch ((enum skill__part_id)(request->parts[i].id >> 32)) {
      case SKILL__ID_META:
        tools[(*tool_count)++] = *skill__meta_definition((SkillMetaTool)number);
        break;
      case SKILL__ID_TOOLS:
        add_tools(check, number, tools, tool_count);
        break;
      case SKILL__ID_ALL_TOOLS:
        for (uint32_t s = 0; s < SKILLS; s++) add_tools(check, s, tools, tool_count);
        break;
      case SKILL__ID_SYSTEM:
        memset(system, 's', check->world->settings.system_tokens);
        system[check->world->settings.system_tokens] = '\0';
        break;
      case SKILL__ID_LISTING:
        *listed = true;
        break;
      case SKILL__ID_BODY:
        add_body(check, number, system);
        break;
      case SKILL__ID_ALL_BODIES:
        for (uint32_t s = 0; s < SKILLS; s++) add_body(check, s, system);
        break;
      case SKILL__ID_MESSAGE:
        add_message(talk, check, number, scratch, sizeof scratch);
        break;
    }
  }
}

/* The bytes of a tool as {"name","description","input_schema"}, by cJSON. */
static size_t tool_bytes(const SkillTool *tool) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "name", tool->name);
  cJSON_AddStringToObject(object, "description", tool->description);
  cJSON_AddItemToObject(object, "input_schema", cJSON_Parse(tool->input_schema));
  char *text = cJSON_PrintUnformatted(object);
  size_t length = strlen(text);
  cJSON_free(text);
  cJSON_Delete(object);
  return length;
}

static size_t count_again(const SkillCompiled *compiled, const SkillTool *tools, size_t tool_count) {
  size_t sum = 0;
  for (size_t i = 0; i < tool_count; i++) sum += tool_bytes(&tools[i]);
  for (size_t i = 0; i < compiled->count; i++) {
    const SkillMessage *message = &compiled->messages[i];
    sum += FRAME + message->text_length;
    for (size_t c = 0; c < message->call_count; c++) {
      sum += FRAME + strlen(message->calls[c].name) + strlen(message->calls[c].arguments);
    }
  }
  return sum;
}

static void on_sent(void *user, const struct skill__strategy *strategy, size_t conversation, size_t turn,
                    const struct skill__outgoing *request, double cached) {
  struct check *check = user;
  (void)turn;
  (void)cached;
  static char system[200000];
  static SkillTool tools[SKILLS + SKILL_META_COUNT];
  size_t tool_count = 0;
  bool listed = false;
  SkillConversation *talk = NULL;
  assert_int_equal(skill_conversation_new(&talk), 0);
  build(check, request, tools, &tool_count, system, &listed, talk);
  SkillContextInput input = SKILL_CONTEXT_INPUT_INIT;
  SkillCompiled *compiled = NULL;
  SkillError err = SKILL_ERROR_INIT;
  input.system = system;
  input.listing = listed ? check->listing : NULL;
  input.conversation = talk;
  input.tools = tools;
  input.tool_count = tool_count;
  input.tokenizer = &bytes;
  if (skill_context_compile(&input, &compiled, &err)) fail_msg("%s: %s", strategy->name, err.message);
  size_t mine = skill__outgoing_tokens(request);
  size_t again = count_again(compiled, tools, tool_count);
  /* The system message has a frame and blank lines between its parts, which the benchmark does not count. */
  if (again < mine || again > mine + FRAME + 8) {
    fail_msg("%s, conversation %zu: counted %zu, sent %zu", strategy->name, conversation, mine, again);
  }
  assert_int_equal(compiled->omitted, 0);
  check->requests++;
  check->ledger += (double)mine;
  check->again += (double)again;
  check->compiler += (double)compiled->tokens;
  skill_compiled_free(compiled);
  skill_conversation_free(talk);
}

static void check_strategy(struct check *check, const struct skill__talks *talks, const char *name) {
  size_t count = 0;
  const struct skill__strategy *table = skill__bench_strategies(&count);
  size_t at = 0;
  while (at < count && strcmp(table[at].name, name) != 0) at++;
  assert_true(at < count);
  double sum = 0;
  for (size_t i = 0; i < SKILL__WATCHED; i++) {
    struct skill__talks one = {&talks->items[i], 1};
    struct skill__play_watch watch = {on_said, on_sent, check};
    struct skill__result result;
    SkillError err = SKILL_ERROR_INIT;
    check->count = 0;
    if (skill__strategy_play(check->world, &one, &table[at], &watch, &result, &err)) fail_msg("%s", err.message);
    sum += result.bill.tokens;
    skill__result_fini(&result);
  }
  assert_true(check->ledger == sum);
  assert_true(check->requests >= 2 * SKILL__WATCHED);
  assert_true((check->again - check->ledger) / check->ledger < 0.01);
  assert_true((check->compiler - check->again) / check->again < 0.01);
  print_message("%s: %zu requests, %.0f tokens counted, %.0f sent\n", name, check->requests, check->ledger,
                check->again);
}

static void the_sums_are_those_of_the_requests(void **state) {
  (void)state;
  static const char *const names[] = {"everything", "listing", "search", "skillet", "agent", "agent-load-3"};
  static struct check check;
  struct skill__settings settings;
  struct skill__world world;
  struct skill__labels labels;
  struct skill__talks talks;
  skill__settings_default(&settings);
  settings.budget = 2500;
  SkillRegistry *registry = make_registry();
  assert_int_equal(skill__world_make(registry, &bytes, &settings, NULL, NULL, &world), 0);
  assert_int_equal(skill__labels_derive(registry, 5, 60, &labels), 0);
  assert_int_equal(skill__talks_make(&labels, 9, SKILL__WATCHED, settings.turns, &talks), 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const SkillMetadata *all[SKILLS];
    struct skill__listing listing = {0};
    memset(&check, 0, sizeof check);
    check.world = &world;
    size_t n = 0;
    for (Skill *s = skill_registry_next(registry, NULL); s; s = skill_registry_next(registry, s)) {
      check.skills[n] = s;
      all[n++] = skill_metadata(s);
    }
    struct skill__listing_options options = {
        .tokenizer = &bytes, .budget = i == 1 ? 0 : settings.budget, .search_tool = "skill_search"};
    assert_int_equal(skill__listing_build(all, n, &options, &listing), 0);
    check.listing = listing.text;
    check_strategy(&check, &talks, names[i]);
    skill__listing_fini(&listing);
  }
  skill__talks_fini(&talks);
  skill__labels_fini(&labels);
  skill__world_fini(&world);
  skill_registry_free(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_sums_are_those_of_the_requests)};
  return cmocka_run_group_tests_name("measure/requests", tests, NULL, NULL);
}
