/* SPDX-License-Identifier: MIT
 *
 * The agent with every allocation failing in turn: a turn that searches, opens, calls and answers, a fork, saving and
 * loading, compiling and compacting. There is no crash and no leak, and the conversation stays valid.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "agent/internal.h"
#include "lib/check.h"
#include "lib/sweep.h"
#include "skillet/agent.h"
#include "skillet/sys/alloc.h"
#include "skillet/sys/fixture.h"

static SkillFixture *slow; /* the clock of a world in which adding takes a second; NULL: no time passes */

static void add(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json;
  (void)user;
  if (slow) skill_fixture_advance(slow, 1000);
  skill_tool_call_finish(call, 0, "5", 1);
}

static const char script[] =
    "{\"turns\":[{\"calls\":[{\"name\":\"skill_search\",\"arguments\":{\"query\":\"sums\"}}]},"
    "{\"calls\":[{\"name\":\"skill_open\",\"arguments\":{\"name\":\"calc\",\"args\":\"with "
    "care\"}}]},"
    "{\"calls\":[{\"name\":\"add\",\"arguments\":{\"a\":2}},{\"name\":\"skill_open\",\"arguments\":{\"name\":"
    "\"helper\"}}]},"
    "{\"text\":\"from the fork\"},{\"text\":\"done\"}]}";

static const char constant_script[] =
    "{\"turns\":[{\"calls\":[{\"name\":\"skill_open\",\"arguments\":{\"name\":\"calc\"}}]},"
    "{\"calls\":[{\"name\":\"tool_describe\",\"arguments\":{\"name\":\"add\"}},{\"name\":\"tool_call_write\","
    "\"arguments\":{\"name\":\"add\",\"arguments\":{\"a\":2}}}]},{\"text\":\"done\"}]}";

struct world {
  SkillLoop *loop;
  SkillFixture *fixture;
  SkillRegistry *registry;
  SkillModel *model;
  SkillAgent *agent;
};

static int add_skills(struct world *w) {
  static const char schema[] = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\"}}}";
  const SkillTool tool = {.name = "add", .description = "Adds.", .input_schema = schema, .call = add};
  SkillDef calc = {.metadata = {.name = "calc", .description = "Sums of numbers.", .tools = &tool, .tool_count = 1},
                   .body = "Call add."};
  SkillDef helper = {.metadata = {.name = "helper", .description = "Helps.", .context = SKILL_CONTEXT_FORK},
                     .body = "Help."};
  SkillDef style = {.metadata = {.name = "style", .description = "Style.", .mode = SKILL_MODE_ALWAYS},
                    .body = "Be brief."};
  int status = skill_registry_add(w->registry, &calc, NULL, NULL);
  if (!status) status = skill_registry_add(w->registry, &helper, NULL, NULL);
  return status ? status : skill_registry_add(w->registry, &style, NULL, NULL);
}

static int make(struct world *w, bool constant) {
  static const char *const places[] = {"notes", NULL};
  const char *turns = constant ? constant_script : script;
  SkillProfile profile = SKILL_PROFILE_INIT;
  SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
  SkillRegistryOptions options = SKILL_REGISTRY_OPTIONS_INIT;
  SkillAgentOptions agent = SKILL_AGENT_OPTIONS_INIT;
  ranker.table = "";
  options.ranker = &ranker;
  int status = skill_loop_new(NULL, &w->loop, NULL);
  if (!status) status = skill_fixture_new(&w->fixture);
  if (status) return status;
  options.io = skill_fixture_io(w->fixture);
  status = skill_registry_new(&options, &w->registry, NULL);
  if (!status) status = add_skills(w);
  if (!status) status = skill_model_script_new(turns, strlen(turns), NULL, &w->model, NULL);
  if (constant) profile.offered = SKILL_TOOLS_CONSTANT;
  if (constant) profile.names[SKILL_META_SEARCH] = "find";
  agent.loop = w->loop;
  agent.registry = w->registry;
  agent.model = w->model;
  agent.profile = &profile;
  if (!status && constant)
    status = skill_fixture_file(w->fixture, "notes/sums.md", "# Sums\n\nAll sums please, with numbers.\n");
  if (constant) agent.retrieve = places;
  agent.io = options.io;
  return status ? status : skill_agent_new(&agent, &w->agent, NULL);
}

static void drop(struct world *w) {
  skill_agent_free(w->agent);
  skill_model_free(w->model);
  skill_loop_free(w->loop);
  if (w->registry) assert_int_equal(skill_registry_free(w->registry), 0);
  skill_fixture_free(w->fixture);
}

/* A failed allocation can also lead to another error, for example in a script that stopped early or in the model's
 * JSON. */
static int verdict(int status) {
  return status && sweep_failed() ? SKILL_ENOMEM : status;
}

/* A skill is opened with its arguments and its limits, or not at all. */
static void check_opened(const SkillAgent *agent, const char *arguments) {
  SkillConversation *talk = agent->talk;
  for (size_t i = 0; i < skill_conversation_count(talk); i++) {
    const SkillMessage *message = skill_conversation_at(talk, i);
    if (!message->origin || strcmp(message->origin, "skill:calc") != 0) continue;
    assert_non_null(strstr(message->text, arguments));
    assert_non_null(agent->opened_last); /* its allowed-tools hold */
    assert_string_equal(agent->opened_last, "calc");
  }
}

static int turn(void *user) {
  struct world w = {0};
  char *answer = NULL;
  int status = make(&w, user != NULL);
  if (!status) {
    status = skill_agent_run(w.agent, "sums please", &answer, NULL, NULL);
    assert_false(skill_agent_busy(w.agent));
    check_opened(w.agent, user ? "" : "Arguments: with care");
    if (!status && !sweep_failed()) {
      assert_string_equal(answer, "done");
      const char *origin = skill_conversation_at(skill_agent_conversation(w.agent), 0)->origin;
      assert_int_equal(origin && strcmp(origin, "passages") == 0, user != NULL);
    }
  }
  skill_free(answer);
  sweep_relent();
  if (w.agent) { /* the rest can be repaired and saved */
    char *text = NULL;
    size_t length = 0;
    SkillConversation *again = NULL;
    SkillConversation *talk = skill_agent_conversation(w.agent);
    assert_true(skill_conversation_repair(talk, "no memory") >= 0);
    assert_int_equal(skill_conversation_save(talk, &text, &length, NULL), 0);
    assert_int_equal(skill_conversation_load(text, length, &again, NULL), 0);
    skill_conversation_free(again);
    skill_free(text);
  }
  drop(&w);
  return verdict(status);
}

/* Longer than a block of an arena, so that each copy takes memory of its own. */
static const char *long_text(char first) {
  static char texts[26][5000];
  char *text = texts[first - 'a'];
  memset(text, first, sizeof texts[0] - 1);
  return text;
}

static bool same_list(const char *const *a, const char *const *b) {
  size_t i = 0;
  while (a[i] && b[i] && strcmp(a[i], b[i]) == 0) i++;
  return !a[i] && !b[i];
}

static int options(void *user) {
  const char *roots[] = {long_text('a'), long_text('b'), NULL};
  const char *writable[] = {long_text('c'), long_text('d'), NULL};
  const char *retrieve[] = {long_text('e'), long_text('f'), NULL};
  const char *turns = "{\"turns\":[]}";
  struct world w = {0};
  SkillAgentOptions given = SKILL_AGENT_OPTIONS_INIT;
  SkillProfile profile = SKILL_PROFILE_INIT;
  (void)user;
  profile.names[SKILL_META_SEARCH] = "find";
  int status = skill_loop_new(NULL, &w.loop, NULL);
  if (!status) status = skill_model_script_new(turns, strlen(turns), NULL, &w.model, NULL);
  given.loop = w.loop;
  given.model = w.model;
  given.profile = &profile;
  given.roots = roots;
  given.writable = writable;
  given.retrieve = retrieve;
  if (!status) status = skill_agent_new(&given, &w.agent, NULL);
  if (!status) {
    assert_true(same_list(w.agent->options.roots, roots));
    assert_true(same_list(w.agent->options.writable, writable));
    assert_true(same_list(w.agent->options.retrieve, retrieve));
    assert_string_equal(w.agent->profile.names[SKILL_META_SEARCH], "find");
  }
  drop(&w);
  return verdict(status);
}

static int context(void *user) {
  SkillConversation *talk = NULL;
  SkillConversation *copy = NULL;
  SkillCompiled *compiled = NULL;
  char *text = NULL;
  size_t length = 0;
  char body[9000]; /* parts of it are longer than a block of an arena */
  (void)user;
  for (size_t i = 0; i < sizeof body; i++) body[i] = i % 60 == 59 ? '\n' : "lorem ipsum "[i % 12];
  int status = skill_conversation_new(&talk);
  for (int i = 0; i < 6 && !status; i++) {
    SkillMessage message = {.role = SKILL_ROLE_USER, .text = body, .text_length = sizeof body};
    if (i % 3 == 1) message.origin = "skill:calc";
    if (i == 4) message.origin = "mention:file";
    status = skill_conversation_add(talk, &message, NULL);
  }
  SkillContextInput input = SKILL_CONTEXT_INPUT_INIT;
  input.conversation = talk;
  input.budget = 6600;
  if (!status) status = skill_context_compile(&input, &compiled, NULL);
  SkillCompactOptions options = SKILL_COMPACT_OPTIONS_INIT;
  options.keep_tokens = 100;
  size_t count = talk ? skill_conversation_count(talk) : 0;
  if (!status) {
    status = skill_context_compact(talk, &options, NULL, NULL);
    if (status) assert_int_equal(skill_conversation_count(talk), count);
  }
  if (!status) status = skill_conversation_copy(talk, &copy);
  if (!status) status = skill_conversation_save(talk, &text, &length, NULL);
  skill_compiled_free(compiled);
  skill_conversation_free(copy);
  skill_conversation_free(talk);
  skill_free(text);
  return verdict(status);
}

static void a_turn_survives_every_failed_allocation(void **state) {
  (void)state;
  assert_true(sweep_run(turn, NULL) > 200);
}

static void so_does_one_with_a_constant_tool_list_and_passages(void **state) {
  (void)state;
  static bool constant;
  assert_true(sweep_run(turn, &constant) > 200);
}

static void an_agent_has_all_its_options_or_is_not_made(void **state) {
  (void)state;
  assert_true(sweep_run(options, NULL) > 15);
}

static void so_do_compiling_and_compacting(void **state) {
  (void)state;
  assert_true(sweep_run(context, NULL) > 40);
}

/* --- no memory for a timer ------------------------------------------------------------------------------------- */

static void *malloc_no_timer(size_t size, void *user) {
  size_t timer = sizeof(uv_timer_t) + 2 * sizeof(void *);
  (void)user;
  return size == timer ? NULL : malloc(size);
}

static void *realloc_any(void *p, size_t size, void *user) {
  (void)user;
  return realloc(p, size);
}

static void free_any(void *p, void *user) {
  (void)user;
  free(p);
}

static void without_a_timer_the_time_of_a_turn_is_checked_before_each_request(void **state) {
  static const SkillAllocator allocator = {malloc_no_timer, realloc_any, free_any, NULL};
  struct world w = {0};
  SkillTurn turn = {0};
  char *answer = NULL;
  (void)state;
  assert_int_equal(make(&w, false), 0);
  assert_non_null(skill_agent_loader(w.agent)); /* with its timer, before there is no memory for one */
  assert_int_equal(skill_set_allocator(&allocator), 0);
  slow = w.fixture;
  w.agent->profile.total_ms = 500;
  assert_int_equal(skill_agent_run(w.agent, "sums please", &answer, &turn, NULL), SKILL_ETIMEDOUT);
  assert_null(w.agent->turn_timer);
  assert_int_equal(turn.end, SKILL_TURN_LIMIT);
  assert_int_equal(turn.requests, 3); /* search, open, add: not the one that would answer */
  slow = NULL;
  assert_int_equal(skill_set_allocator(NULL), 0);
  drop(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_turn_survives_every_failed_allocation),
      cmocka_unit_test(so_does_one_with_a_constant_tool_list_and_passages),
      cmocka_unit_test(an_agent_has_all_its_options_or_is_not_made),
      cmocka_unit_test(without_a_timer_the_time_of_a_turn_is_checked_before_each_request),
      cmocka_unit_test(so_do_compiling_and_compacting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
