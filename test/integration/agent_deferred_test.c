/* SPDX-License-Identifier: MIT
 *
 * Tools that are deferred to the provider's own tool search: what is sent, answers with blocks of the search, and what
 * other providers get. A loopback server takes the place of the provider.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "lib/check.h"
#include "lib/http_server.h"
#include "lib/tmpdir.h"
#include "lib/typescript.h"
#include "skillet/agent.h"
#include "skillet/provider.h"
#include "skillet/sys/alloc.h"
#include "util/buf.h"

#define JSON_HEAD "Content-Type: application/json\r\n"
#define USAGE "\"usage\":{\"input_tokens\":10,\"output_tokens\":5}"
#define MESSAGE(content, stop)                                                                          \
  "{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude\",\"content\":" content \
  ",\"stop_reason\":\"" stop "\"," USAGE "}"
#define SEARCHED                                                                                                 \
  "{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"tool_search_tool_bm25\",\"input\":{\"query\":" \
  "\"sum\"}},"                                                                                                   \
  "{\"type\":\"tool_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":{\"type\":"                  \
  "\"tool_search_tool_search_result\",\"tool_references\":[{\"type\":\"tool_reference\",\"tool_name\":\"add\"}]}}"
#define FOUND                                            \
  "[{\"type\":\"text\",\"text\":\"Looking.\"}," SEARCHED \
  ",{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"add\",\"input\":{\"a\":2}}]"
#define SAYS(text) \
  { .headers = JSON_HEAD, .body = MESSAGE("[{\"type\":\"text\",\"text\":\"" text "\"}]", "end_turn") }

typedef int (*make_fn)(const SkillProviderOptions *options, SkillModel **out, SkillError *err);

static struct world {
  SkillLoop *loop;
  SkillRegistry *registry;
  struct http_server *server;
  SkillModel *model;
  SkillAgent *agent;
  SkillProfile profile;
  SkillPermissions permissions;
  struct skill__buf events;
  int added, started;
  SkillToolCall *holding;
} w;

static void add(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json, (void)user;
  assert_int_equal(w.started, 1); /* its skill was activated first */
  w.added++;
  skill_tool_call_finish(call, 0, "5", 1);
}

static void hold(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json, (void)user;
  w.holding = call;
}

static void start(Skill *skill, SkillCompletion *completion, void *user) {
  (void)skill, (void)user;
  w.started++;
  skill_completion_finish(completion, 0, NULL);
}

static void on_event(const SkillEvent *event, void *user) {
  (void)user;
  skill__buf_printf(&w.events, "%s:%s%s;", skill_event_name(event->kind), event->skill ? event->skill : "",
                    event->kind == SKILL_EVENT_DEGRADED ? event->reason : "");
}

static void add_skills(void) {
  const SkillTool tools[] = {{.name = "add", .description = "Adds.", .call = add},
                             {.name = "hold", .description = "Waits.", .call = hold},
                             {.name = "wipe", .description = "Wipes.", .call = hold}};
  SkillDef calc = {.metadata = {.name = "calc", .description = "Sums.", .tools = tools, .tool_count = 3},
                   .body = "Add.",
                   .init = start};
  SkillDef apart = {.metadata = {.name = "apart", .description = "Runs apart.", .context = SKILL_CONTEXT_FORK},
                    .body = "Think."};
  SkillTool secret = {.name = "reveal", .description = "Reveals.", .call = hold};
  SkillDef hidden = {.metadata = {.name = "hidden", .description = "Hidden.", .tools = &secret, .tool_count = 1},
                     .body = "x"};
  assert_int_equal(skill_registry_add(w.registry, &calc, NULL, NULL), 0);
  assert_int_equal(skill_registry_add(w.registry, &apart, NULL, NULL), 0);
  assert_int_equal(skill_registry_add(w.registry, &hidden, NULL, NULL), 0);
}

static int setup(void **state) {
  static const char *no_skill[] = {"Hidden"};
  static const char *no_tool[] = {"WIPE"};
  (void)state;
  memset(&w, 0, sizeof w);
  skill__buf_init(&w.events, 1 << 20);
  w.profile = (SkillProfile)SKILL_PROFILE_INIT;
  w.profile.offered = SKILL_TOOLS_DEFERRED;
  w.permissions = (SkillPermissions)SKILL_PERMISSIONS_INIT;
  w.permissions.disabled_skills = (SkillStrings){no_skill, 1};
  w.permissions.disabled_tools = (SkillStrings){no_tool, 1};
  assert_int_equal(skill_loop_new(NULL, &w.loop, NULL), 0);
  assert_int_equal(skill_registry_new(NULL, &w.registry, NULL), 0);
  add_skills();
  return 0;
}

static int teardown(void **state) {
  (void)state;
  skill_agent_free(w.agent);
  if (w.holding) skill_tool_call_finish(w.holding, SKILL_ECANCELED, NULL, 0);
  skill_model_free(w.model);
  if (w.server) http_server_stop(w.server);
  skill_loop_free(w.loop);
  assert_int_equal(skill_registry_free(w.registry), 0);
  skill__buf_fini(&w.events);
  return 0;
}

static void on_delta(const SkillDelta *delta, void *user) {
  (void)delta, (void)user;
}

static void open_agent(make_fn make, const struct http_reply *replies, size_t count) {
  SkillProviderOptions provider = SKILL_PROVIDER_OPTIONS_INIT;
  SkillAgentOptions options = SKILL_AGENT_OPTIONS_INIT;
  w.server = http_server_start(replies, count);
  provider.model = "claude-sonnet-4-5";
  provider.base_url = http_server_url(w.server);
  provider.key = "k";
  provider.proxy = "";
  provider.tool_search = true;
  provider.tries = 1;
  assert_int_equal(make(&provider, &w.model, NULL), 0);
  options.loop = w.loop;
  options.registry = w.registry;
  options.model = w.model;
  options.profile = &w.profile;
  options.permissions = &w.permissions;
  options.events.on_event = on_event;
  if (w.profile.stream) options.events.on_delta = on_delta;
  assert_int_equal(skill_agent_new(&options, &w.agent, NULL), 0);
}

static void turn(const char *text, const char *expected) {
  char *answer = NULL;
  SkillError err = SKILL_ERROR_INIT;
  if (skill_agent_run(w.agent, text, &answer, NULL, &err)) fail_msg("%s", err.message);
  assert_string_equal(answer, expected);
  skill_free(answer);
}

/* The body of the i-th request. */
static cJSON *body_of(size_t index) {
  const char *body = strstr(http_server_request(w.server, index), "\r\n\r\n");
  assert_non_null(body);
  cJSON *root = cJSON_Parse(body + 4);
  assert_non_null(root);
  return root;
}

/* "skill_search skill_open (add) …": deferred tools are in parentheses. */
static void tools_of(size_t index, char *out, size_t size) {
  cJSON *root = body_of(index);
  const cJSON *tool;
  out[0] = '\0';
  cJSON_ArrayForEach(tool, cJSON_GetObjectItemCaseSensitive(root, "tools")) {
    bool deferred = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(tool, "defer_loading"));
    size_t used = strlen(out);
    snprintf(out + used, size - used, deferred ? "(%s) " : "%s ",
             cJSON_GetObjectItemCaseSensitive(tool, "name")->valuestring);
    assert_false(deferred && cJSON_HasObjectItem(tool, "cache_control"));
  }
  cJSON_Delete(root);
}

/* The content of the k-th message of the i-th request. */
static char *content_of(size_t index, int k) {
  cJSON *root = body_of(index);
  const cJSON *message = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(root, "messages"), k);
  char *text = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(message, "content"));
  cJSON_Delete(root);
  assert_non_null(text);
  return text;
}

static void the_providers_search_finds_tools_whose_skills_then_wake(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.headers = JSON_HEAD, .body = MESSAGE(FOUND, "tool_use")}, SAYS("It is 5."), SAYS("Still 5.")};
  char tools[512];
  w.profile.stream = false;
  open_agent(skill_model_anthropic_new, replies, 3);
  turn("sum 2 and 3", "It is 5.");
  assert_int_equal(w.added, 1);
  tools_of(0, tools, sizeof tools);
  assert_string_equal(tools, "skill_search skill_open (add) (hold) tool_search_tool_bm25 ");
  /* The blocks of the answer are sent back unchanged, and the result belongs to its call. */
  char *content = content_of(1, 1);
  assert_string_equal(content, FOUND);
  cJSON_free(content);
  content = content_of(1, 2);
  assert_non_null(strstr(content, "{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\"content\":\"5\""));
  cJSON_free(content);
  assert_int_equal(skill_conversation_open_calls(skill_agent_conversation(w.agent)), 0);
  turn("sure?", "Still 5.");
  tools_of(2, tools, sizeof tools);
  assert_string_equal(tools, "skill_search skill_open (add) (hold) tool_search_tool_bm25 ");
  assert_null(strstr(w.events.data, "degraded"));
}

#define EVENT(name, data) "event: " name "\ndata: " data "\n\n"
#define START(index, block) \
  EVENT("content_block_start", "{\"type\":\"content_block_start\",\"index\":" index ",\"content_block\":" block "}")
#define INPUT(index, json)                                                          \
  EVENT("content_block_delta", "{\"type\":\"content_block_delta\",\"index\":" index \
                               ",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"" json "\"}}")
#define STOP(index) EVENT("content_block_stop", "{\"type\":\"content_block_stop\",\"index\":" index "}")

static void a_streamed_search_is_put_together_again(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.body = EVENT("message_start", "{\"type\":\"message_start\",\"message\":{\"model\":\"claude\"," USAGE "}}")
           START("0",
                 "{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"tool_search_tool_bm25\",\"input\":{}}")
               INPUT("0", "{\\\"query\\\":") INPUT("0", "\\\"sum\\\"}") STOP("0")
                   START("1",
                         "{\"type\":\"tool_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":{\"type\":"
                         "\"tool_search_tool_search_result\",\"tool_references\":[{\"type\":\"tool_reference\",\"tool_"
                         "name\":\"add\"}]}}") STOP("1")
                       START("2", "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"add\",\"input\":{}}")
                           INPUT("2", "{\\\"a\\\":2}") STOP("2")
                               EVENT("message_delta",
                                     "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{"
                                     "\"output_tokens\":9}}") EVENT("message_stop", "{\"type\":\"message_stop\"}"),
       .piece = 7},
      {.body = EVENT("message_start", "{\"type\":\"message_start\",\"message\":{\"model\":\"claude\"," USAGE "}}")
           START("0", "{\"type\":\"text\",\"text\":\"\"}") EVENT(
               "content_block_delta",
               "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Done.\"}}")
               STOP("0") EVENT("message_delta",
                               "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{"
                               "\"output_tokens\":2}}") EVENT("message_stop", "{\"type\":\"message_stop\"}")}};
  open_agent(skill_model_anthropic_new, replies, 2);
  turn("sum 2 and 3", "Done.");
  char *content = content_of(1, 1);
  assert_string_equal(content,
                      "[" SEARCHED ",{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"add\",\"input\":{\"a\":2}}]");
  cJSON_free(content);
}

static void on_turn(SkillAgent *agent, const SkillTurn *turn, void *user) {
  (void)agent;
  *(int *)user = 1 + (int)turn->end;
}

static void canceling_after_a_search_leaves_a_valid_conversation(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.headers = JSON_HEAD,
       .body = MESSAGE("[" SEARCHED ",{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"hold\",\"input\":{}}]",
                       "tool_use")},
      SAYS("Fine.")};
  int ended = 0;
  w.profile.stream = false;
  open_agent(skill_model_anthropic_new, replies, 2);
  assert_int_equal(skill_agent_turn(w.agent, "go", 0, on_turn, &ended, NULL), 0);
  while (!w.holding) skill_loop_run_once(w.loop, 1000);
  assert_int_equal(skill_agent_cancel(w.agent), 0);
  while (!ended) skill_loop_run_once(w.loop, 1000);
  assert_int_equal(ended, 1 + SKILL_TURN_CANCELED);
  turn("and now?", "Fine.");
  char *content = content_of(1, 2);
  assert_non_null(strstr(
      content, "{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\"content\":\"canceled\",\"is_error\":true"));
  cJSON_free(content);
}

static void a_forks_blocks_name_the_calls_that_are_answered(void **state) {
  (void)state;
#define THINKS(name, id)                                                                                 \
  "[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"},{\"type\":\"tool_use\",\"id\":\"" id \
  "\",\"name\":\"" name "\",\"input\":{\"name\":\"apart\"}}]"
  const struct http_reply replies[] = {
      {.headers = JSON_HEAD, .body = MESSAGE(THINKS("skill_open", "toolu_1"), "tool_use")},
      {.headers = JSON_HEAD, .body = MESSAGE(THINKS("skill_open", "toolu_2"), "tool_use")},
      SAYS("Thought."),
      SAYS("All.")};
  w.profile.stream = false;
  open_agent(skill_model_anthropic_new, replies, 4);
  turn("go", "All.");
  char *content = content_of(2, 1); /* the fork's second request */
  assert_string_equal(content, THINKS("skill_open", "toolu_2"));
  cJSON_free(content);
  content = content_of(2, 2);
  assert_non_null(strstr(content, "\"tool_use_id\":\"toolu_2\""));
  cJSON_free(content);
}

static void other_providers_get_tools_directly_and_the_user_is_told(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.headers = JSON_HEAD,
       .body = "{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"c1\",\"function\":{\"name\":\"skill_open\","
               "\"arguments\":"
               "\"{\\\"name\\\":\\\"calc\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}"},
      {.headers = JSON_HEAD, .body = "{\"choices\":[{\"message\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}"}};
  w.profile.stream = false;
  w.profile.preactivate = false;
  open_agent(skill_model_openai_new, replies, 2);
  turn("go", "ok");
  const char *reported =
      strstr(w.events.data, "degraded:openai:claude-sonnet-4-5 has no tool search: tools are offered directly");
  if (!reported) print_error("%s\n", w.events.data);
  assert_non_null(reported);
  assert_null(strstr(reported + 1, "degraded")); /* once */
  const SkillTool *tools = NULL;
  size_t count = skill_agent_tools(w.agent, &tools);
  assert_string_equal(tools[count - 1].name, "hold"); /* add and hold came with the skill */
}

static void what_is_sent_fits_the_sdks_types(void **state) {
  (void)state;
  const struct http_reply replies[] = {
      {.headers = JSON_HEAD, .body = MESSAGE(FOUND, "tool_use")}, SAYS("It is 5."), SAYS("Still 5.")};
  if (!typescript_there()) skip();
  w.profile.stream = false;
  open_agent(skill_model_anthropic_new, replies, 3);
  turn("sum 2 and 3", "It is 5.");
  turn("sure?", "Still 5.");
  char *dir = tmpdir_make();
  FILE *file = typescript_open(dir);
  for (size_t i = 0; i < 3; i++) {
    fprintf(file, "export const r%zu: MessageCreateParams = %s;\n", i,
            strstr(http_server_request(w.server, i), "\r\n\r\n") + 4);
  }
  fclose(file);
  int rc = typescript_check(dir);
  if (rc) print_error("%s\n", typescript_said());
  assert_int_equal(rc, 0);
  tmpdir_remove(dir);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(the_providers_search_finds_tools_whose_skills_then_wake), T(a_streamed_search_is_put_together_again),
      T(canceling_after_a_search_leaves_a_valid_conversation),    T(a_forks_blocks_name_the_calls_that_are_answered),
      T(other_providers_get_tools_directly_and_the_user_is_told), T(what_is_sent_fits_the_sdks_types),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
