/* SPDX-License-Identifier: MIT
 *
 * Complete conversations with @copilotkit/aimock, a mock server by a third party, over three protocols: tool calls,
 * approvals, a fork, broken arguments, broken streams, random failures. Each ends in a valid conversation, and in a
 * right answer or a clear error. Skipped if `npm ci` has not been run in test/npm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/aimock.h"
#include "lib/check.h"
#include "skillet/agent.h"
#include "skillet/provider.h"
#include "skillet/sys/alloc.h"

typedef int (*make_fn)(const SkillProviderOptions *options, SkillModel **out, SkillError *err);
static const make_fn protocols[] = {skill_model_openai_new, skill_model_responses_new, skill_model_anthropic_new};

enum { ROUNDS = 6 };

static const char *url;

static int set_up(void **state) {
  (void)state;
  url = aimock_start("agent.json");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  aimock_stop();
  return 0;
}

struct world {
  SkillLoop *loop;
  SkillRegistry *registry;
  SkillModel *model;
  SkillAgent *agent;
  int erased, asked;
  bool approve;
  bool done;
  int status;
  SkillTurn turn;
  char answer[1000];
  char error[600];
};

static void temperature(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)user;
  assert_non_null(strstr(arguments_json, "Oslo"));
  skill_tool_call_finish(call, 0, "21", 2);
}

static void erase(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json;
  ((struct world *)user)->erased++;
  skill_tool_call_finish(call, 0, "gone", 4);
}

static void on_approval(const SkillCallInfo *call, void *user) {
  struct world *w = user;
  w->asked++;
  assert_int_equal(skill_agent_decide(w->agent, call->id, w->approve, NULL), 0);
}

static void on_turn(SkillAgent *agent, const SkillTurn *turn, void *user) {
  struct world *w = user;
  (void)agent;
  w->done = true;
  w->turn = *turn;
  w->status = turn->status;
  snprintf(w->answer, sizeof w->answer, "%.*s", (int)turn->answer_length, turn->answer);
  snprintf(w->error, sizeof w->error, "%s", turn->error->message);
}

static const char *const no_chaos[] = {NULL};

/* `round`: each protocol, streamed and whole. */
static void open_world(struct world *w, size_t round, const char *const *headers) {
  if (!url) skip();
  make_fn make = protocols[round / 2];
  SkillProviderOptions provider = SKILL_PROVIDER_OPTIONS_INIT;
  SkillAgentOptions options = SKILL_AGENT_OPTIONS_INIT;
  SkillProfile profile = SKILL_PROFILE_INIT;
  static const char city[] =
      "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}},\"required\":[\"city\"]}";
  memset(w, 0, sizeof *w);
  SkillTool tools[] = {
      {.name = "temperature", .input_schema = city, .call = temperature, .flags = SKILL_TOOL_READ_ONLY},
      {.name = "erase", .call = erase, .flags = SKILL_TOOL_DANGEROUS, .user = w}};
  SkillDef helper = {.metadata = {.name = "helper", .description = "Reports.", .context = SKILL_CONTEXT_FORK},
                     .body = "Ask for the temperature."};
  provider.model = "mock";
  provider.base_url = url;
  provider.key = "k";
  provider.headers = headers;
  provider.backoff_ms = 1;
  provider.backoff_max_ms =
      500; /* its 429 requests a wait of a second: here an error at once; provider_retry_test covers the wait */
  provider.tries = 3;
  assert_int_equal(skill_loop_new(NULL, &w->loop, NULL), 0);
  assert_int_equal(skill_registry_new(NULL, &w->registry, NULL), 0);
  assert_int_equal(skill_registry_add(w->registry, &helper, NULL, NULL), 0);
  assert_int_equal(make(&provider, &w->model, NULL), 0);
  profile.stream = round % 2 == 0;
  options.loop = w->loop;
  options.registry = w->registry;
  options.model = w->model;
  options.tools = tools;
  options.tool_count = 2;
  options.profile = &profile;
  options.events.on_approval = on_approval;
  options.events.user = w;
  assert_int_equal(skill_agent_new(&options, &w->agent, NULL), 0);
}

static void close_world(struct world *w) {
  char *text = NULL;
  size_t length = 0;
  SkillConversation *again = NULL;
  assert_int_equal(skill_conversation_open_calls(skill_agent_conversation(w->agent)), 0);
  assert_int_equal(skill_conversation_save(skill_agent_conversation(w->agent), &text, &length, NULL), 0);
  assert_int_equal(skill_conversation_load(text, length, &again, NULL), 0);
  skill_conversation_free(again);
  skill_free(text);
  skill_agent_free(w->agent);
  skill_model_free(w->model);
  skill_loop_free(w->loop);
  skill_registry_free(w->registry);
}

static void say(struct world *w, const char *text) {
  w->done = false;
  assert_int_equal(skill_agent_turn(w->agent, text, 0, on_turn, w, NULL), 0);
  while (!w->done) skill_loop_run_once(w->loop, 1000);
  if (w->status) print_message("%s: %s\n", text, w->error);
}

static void conversations_with_tools_approvals_and_forks_end_well(void **state) {
  (void)state;
  for (size_t i = 0; i < ROUNDS; i++) {
    struct world w;
    open_world(&w, i, no_chaos);
    say(&w, "hello");
    assert_string_equal(w.answer, "Hello there!");
    say(&w, "what is the temperature?");
    assert_string_equal(w.answer, "21 degrees in Oslo.");
    w.approve = false;
    say(&w, "erase it");
    assert_string_equal(w.answer, "That is settled.");
    assert_int_equal(w.erased, 0);
    w.approve = true;
    say(&w, "erase it now"); /* the server repeats a call id */
    assert_int_equal(w.erased, 1);
    assert_int_equal(w.asked, 2);
    say(&w, "broken arguments, please");
    assert_string_equal(w.answer, "I saw the mistake.");
    say(&w, "delegate this");
    assert_string_equal(w.answer, "The helper has reported.");
    assert_int_equal(w.turn.forks, 1);
    assert_int_equal(w.turn.requests, 4);
    assert_true(w.turn.usage.input_tokens > 0); /* the server reports 0 for both, so skillet counts */
    close_world(&w);
  }
}

static void a_stream_that_breaks_is_a_clear_error_and_the_next_turn_works(void **state) {
  (void)state;
  for (size_t i = 0; i < ROUNDS; i++) {
    struct world w;
    open_world(&w, i, no_chaos);
    say(&w, "cut short");
    if (w.status) assert_true(strlen(w.error) > 10);
    say(&w, "hello");
    assert_string_equal(w.answer, "Hello there!");
    close_world(&w);
  }
}

/* The result of each request without failures. */
static const struct {
  const char *text;
  const char *answer;
} talk[] = {{"what is the temperature?", "21 degrees in Oslo."},
            {"erase it", "That is settled."},
            {"broken arguments, please", "I saw the mistake."},
            {"delegate this", "The helper has reported."}};

/* The answer to this request, or to an earlier one without an answer: Anthropic's protocol joins them to one
 * message. */
static bool is_answer(const char *answer, size_t n) {
  for (size_t i = 0; i <= n; i++) {
    if (strcmp(answer, talk[i].answer) == 0) return true;
  }
  return false;
}

static void chaos_ends_in_an_answer_or_a_clear_error(void **state) {
  (void)state;
  static const char *const kinds[][2] = {{"x-aimock-chaos-drop: 0.4", NULL},
                                         {"x-aimock-chaos-malformed: 0.4", NULL},
                                         {"x-aimock-chaos-disconnect: 0.4", NULL},
                                         {"x-aimock-chaos-ratelimit: 0.4", NULL}};
  for (size_t i = 0; i < ROUNDS; i++) {
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      struct world w;
      open_world(&w, i, kinds[k]);
      w.approve = true;
      for (size_t n = 0; n < sizeof talk / sizeof *talk; n++) {
        say(&w, talk[n].text);
        if (w.status) assert_true(strlen(w.error) > 5);
        if (!w.status) assert_true(is_answer(w.answer, n));
        assert_int_equal(skill_conversation_open_calls(skill_agent_conversation(w.agent)), 0);
      }
      close_world(&w);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conversations_with_tools_approvals_and_forks_end_well),
      cmocka_unit_test(a_stream_that_breaks_is_a_clear_error_and_the_next_turn_works),
      cmocka_unit_test(chaos_ends_in_an_answer_or_a_clear_error),
  };
  return cmocka_run_group_tests_name("agent_aimock", tests, set_up, tear_down);
}
