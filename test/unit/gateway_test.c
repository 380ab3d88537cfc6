/* SPDX-License-Identifier: MIT
 *
 * The gateway: who may call what, the states of a call, approval, time-outs, aborts, order, guards and paging.
 */
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "lib/check.h"
#include "skillet/gateway.h"
#include "skillet/sys/fixture.h"
#include "util/buf.h"

static SkillLoop *loop;
static SkillFixture *fixture;
static SkillGateway *gateway;
static SkillGatewayOptions options;
static struct skill__buf trail; /* "id:state id:state …" */
static struct skill__buf logged;
static char last_text[4096];
static char last_id[64];
static SkillCallInfo last; /* only the numbers; the texts are freed after the callback */
static int done_count;
static SkillToolCall *held[8];
static int held_count;
static int calls_made;

static void on_state(const SkillCallInfo *call, void *user) {
  (void)user;
  skill__buf_printf(&trail, "%s%s:%s", trail.length ? " " : "", call->id, skill_call_state_name(call->state));
}

static void on_log(const char *line, size_t length, void *user) {
  (void)user;
  skill__buf_add(&logged, line, length);
  skill__buf_char(&logged, '\n');
}

static void on_done(const SkillCallInfo *call, void *user) {
  (void)user;
  last = *call;
  snprintf(last_id, sizeof last_id, "%s", call->id);
  snprintf(last_text, sizeof last_text, "%.*s", (int)call->length, call->text);
  done_count++;
}

static void echo(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)user;
  calls_made++;
  skill_tool_call_finish(call, 0, arguments_json, strlen(arguments_json));
}

static void fails(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json;
  (void)user;
  calls_made++;
  skill_tool_call_finish(call, SKILL_EFAILED, "no luck", 7);
}

static void hold(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json;
  (void)user;
  calls_made++;
  held[held_count++] = call;
}

static uv_thread_t thread;
static void finish_there(void *arg) {
  skill_tool_call_finish(arg, 0, "from afar", 9);
}
static void elsewhere(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json;
  (void)user;
  assert_int_equal(uv_thread_create(&thread, finish_there, call), 0);
}

static const char size_schema[] =
    "{\"type\":\"object\",\"properties\":{\"size\":{\"type\":\"integer\",\"minimum\":1}},\"required\":[\"size\"],"
    "\"additionalProperties\":false}";

static const SkillTool echo_tool = {.name = "echo", .call = echo, .flags = SKILL_TOOL_READ_ONLY};
static const SkillTool strict_tool = {.name = "strict", .call = echo, .input_schema = size_schema};
static const SkillTool danger_tool = {.name = "erase", .call = echo, .flags = SKILL_TOOL_DANGEROUS};
static const SkillTool fail_tool = {.name = "fail", .call = fails};
static const SkillTool hold_tool = {.name = "hold", .call = hold};
static const SkillTool beside_tool = {.name = "beside", .call = hold, .flags = SKILL_TOOL_PARALLEL};

static int setup(void **state) {
  (void)state;
  memset(&last, 0, sizeof last);
  done_count = held_count = calls_made = 0;
  skill__buf_init(&trail, 65536);
  skill__buf_init(&logged, 65536);
  assert_int_equal(skill_loop_new(NULL, &loop, NULL), 0);
  assert_int_equal(skill_fixture_new(&fixture), 0);
  options = (SkillGatewayOptions)SKILL_GATEWAY_OPTIONS_INIT;
  options.loop = loop;
  options.io = skill_fixture_io(fixture);
  options.on_state = on_state;
  options.on_log = on_log;
  return 0;
}

static void open_gateway(void) {
  assert_int_equal(skill_gateway_new(&options, &gateway, NULL), 0);
}

static int teardown(void **state) {
  (void)state;
  skill_gateway_free(gateway);
  gateway = NULL;
  skill_loop_free(loop);
  skill_fixture_free(fixture);
  skill__buf_fini(&trail);
  skill__buf_fini(&logged);
  return 0;
}

static void ask_as(const char *id, const SkillTool *tool, const char *skill, const char *arguments) {
  SkillTarget target = {.tool = tool, .skill = skill};
  SkillCall call = {id, tool ? tool->name : "nobody", arguments};
  assert_int_equal(skill_gateway_call(gateway, &target, &call, on_done, NULL, NULL), 0);
}

static void ask(const char *id, const SkillTool *tool, const char *arguments) {
  ask_as(id, tool, NULL, arguments);
}

static void until(int count) {
  for (int i = 0; i < 1000 && done_count < count; i++) skill_loop_run_once(loop, 1000);
  assert_int_equal(done_count, count);
}

static void a_call_goes_through_its_states(void **state) {
  (void)state;
  open_gateway();
  ask("1", &echo_tool, "{\"a\":1}");
  assert_int_equal(done_count, 0); /* never before a call of step */
  until(1);
  assert_string_equal(last_text, "{\"a\":1}");
  assert_int_equal(last.state, SKILL_CALL_SUCCESS);
  assert_string_equal(trail.data, "1:pending 1:running 1:success");
  assert_non_null(strstr(logged.data, "\"tool\":\"echo\",\"state\":\"pending\",\"arguments\":\"{\\\"a\\\":1}\""));
}

static void what_cannot_be_read_is_rejected(void **state) {
  (void)state;
  static const char *const bad[] = {"{\"size\":",
                                    "[1]",
                                    "5",
                                    "{\"size\":1,\"size\":2}",
                                    "{\"size\":\"big\"}",
                                    "{}",
                                    "{\"size\":1,\"more\":2}",
                                    "{\"size\":0}",
                                    "{\"size\":1} x"};
  open_gateway();
  for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++) {
    ask("x", &strict_tool, bad[i]);
    until(i + 1);
    assert_int_equal(last.state, SKILL_CALL_REJECTED);
    assert_true(last.length > 10);
  }
  assert_int_equal(calls_made, 0);
  ask("x", &strict_tool, "{\"size\":3}");
  until((int)(sizeof bad / sizeof *bad) + 1);
  assert_int_equal(last.state, SKILL_CALL_SUCCESS);
}

static void a_schema_that_cannot_be_checked_rejects(void **state) {
  (void)state;
  SkillTool tool = {.name = "odd", .call = echo, .input_schema = "{\"type\":"};
  SkillTool outside = {.name = "odd", .call = echo, .input_schema = "{\"$ref\":\"https://example.org/schema\"}"};
  open_gateway();
  ask("1", &tool, "{}");
  ask("2", &outside, "{}");
  until(2);
  assert_int_equal(calls_made, 0);
  assert_int_equal(last.state, SKILL_CALL_REJECTED);
}

static void an_unknown_tool_is_rejected_with_a_hint(void **state) {
  (void)state;
  open_gateway();
  SkillTarget target = {.hint = "did you mean echo"};
  SkillCall call = {"1", "ecko", "{}"};
  assert_int_equal(skill_gateway_call(gateway, &target, &call, on_done, NULL, NULL), 0);
  until(1);
  assert_int_equal(last.status, SKILL_ENOENT);
  assert_non_null(strstr(last_text, "ecko"));
  assert_non_null(strstr(last_text, "did you mean echo"));
}

static void two_layers_of_permission_hold_in_any_case_of_letters(void **state) {
  (void)state;
  const char *disabled_skills[] = {"Secret"};
  const char *disabled_tools[] = {"ERASE", "rm_*"};
  SkillPreference own[] = {{.skill = "mine", .disabled = true},
                           {.skill = "loud", .mode_set = true, .mode = SKILL_MODE_ALWAYS}};
  SkillPermissions p = SKILL_PERMISSIONS_INIT;
  p.disabled_skills = (SkillStrings){disabled_skills, 1};
  p.disabled_tools = (SkillStrings){disabled_tools, 2};
  p.preferences = own;
  p.preference_count = 2;
  const char *why = NULL;
  assert_false(skill_permissions_skill(&p, "secret", &why));
  assert_non_null(why);
  assert_false(skill_permissions_skill(&p, "SECRET", NULL));
  assert_false(skill_permissions_skill(&p, "MINE", NULL));
  assert_true(skill_permissions_skill(&p, "secretary", NULL));
  assert_false(skill_permissions_tool(&p, "erase", NULL, NULL));
  assert_false(skill_permissions_tool(&p, "Rm_all", NULL, NULL));
  assert_false(skill_permissions_tool(&p, "read", "secret", NULL));
  assert_true(skill_permissions_tool(&p, "read", "other", NULL));
  SkillMetadata loud = {.name = "loud"};
  SkillMetadata other = {.name = "other"};
  assert_int_equal(skill_permissions_mode(&p, &loud), SKILL_MODE_ALWAYS);
  assert_int_equal(skill_permissions_mode(&p, &other), SKILL_MODE_LAZY);
  /* A global ban has priority over an assistant's allow-list. */
  const char *allowed[] = {"secret", "open"};
  p.allowed_skills = (SkillStrings){allowed, 2};
  p.allowed_skills_set = true;
  assert_false(skill_permissions_skill(&p, "secret", NULL));
  assert_true(skill_permissions_skill(&p, "open", NULL));
  assert_false(skill_permissions_skill(&p, "Open", NULL)); /* an allow-list entry must match exactly */
  assert_false(skill_permissions_skill(&p, "else", NULL));
  p.allowed_tools_set = true; /* and the list is empty */
  assert_false(skill_permissions_tool(&p, "read", "open", NULL));
}

static void no_spelling_gets_past_a_ban(void **state) {
  (void)state;
  static const char *const banned[] = {"Caf\xC3\xA9", "pdf", "\xD0\xA4\xD0\xB0\xD0\xB9\xD0\xBB*"};
  static const char *const spellings[] = {
      "cafe\xCC\x81",                         /* e and a combining accent */
      "CAF\xC3\x89",                          /* upper case outside ASCII */
      "\xEF\xBC\xB0\xEF\xBC\xA4\xEF\xBC\xA6", /* full width */
      "pdf\xE2\x80\x8B",                      /* a zero-width space */
      "\x70\xC2\xAD\x64\x66",                 /* a soft hyphen */
      "pdf ",
      "caf\xC3\xA9\xE3\x80\x80", /* an ideographic space at the end */
      "caf\xC3\xA9 \xC2\xA0",
      "\xD1\x84\xD0\xB0\xD0\xB9\xD0\xBB\xD1\x8B", /* the prefix in lower case */
  };
  SkillPreference own[] = {{.skill = "caf\xC3\xA9", .disabled = true}};
  SkillPermissions p = SKILL_PERMISSIONS_INIT;
  p.disabled_skills = p.disabled_tools = (SkillStrings){banned, 3};
  for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
    assert_false(skill_permissions_skill(&p, spellings[i], NULL));
    assert_false(skill_permissions_tool(&p, spellings[i], NULL, NULL));
  }
  assert_true(skill_permissions_skill(&p, "cafe", NULL)); /* a different word */
  assert_true(skill_permissions_skill(&p, "pd", NULL));
  assert_true(skill_permissions_skill(&p, "pdf\xFF", NULL)); /* not valid UTF-8: the bytes decide */
  p = (SkillPermissions)SKILL_PERMISSIONS_INIT;
  p.preferences = own;
  p.preference_count = 1;
  assert_false(skill_permissions_skill(&p, spellings[0], NULL));
  SkillPreference two[] = {{.skill = "first"}, {.skill = "second", .disabled = true}};
  p.preferences = two;
  p.preference_count = 2;
  assert_true(skill_permissions_skill(&p, "first", NULL));
  assert_false(skill_permissions_skill(&p, "second", NULL));
}

static void a_denied_call_does_not_run(void **state) {
  (void)state;
  const char *disabled[] = {"secret"};
  SkillPermissions p = SKILL_PERMISSIONS_INIT;
  p.disabled_skills = (SkillStrings){disabled, 1};
  options.permissions = &p;
  open_gateway();
  ask_as("1", &echo_tool, "secret", "{}");
  ask_as("2", &echo_tool, "SECRET", "{}");
  until(2);
  assert_int_equal(calls_made, 0);
  assert_int_equal(last.status, SKILL_EDENIED);
  assert_string_equal(trail.data, "1:pending 2:pending 1:rejected 2:rejected");
}

static void a_ban_holds_for_skillets_own_tools_and_an_allow_list_does_not(void **state) {
  (void)state;
  const char *disabled[] = {"Erase"};
  SkillPermissions p = SKILL_PERMISSIONS_INIT;
  p.disabled_tools = (SkillStrings){disabled, 1};
  p.allowed_tools_set = true;
  options.permissions = &p;
  options.approval = SKILL_APPROVAL_NONE;
  open_gateway();
  SkillTarget target = {.tool = &danger_tool, .own = true};
  SkillCall call = {"1", "erase", "{}"};
  assert_int_equal(skill_gateway_call(gateway, &target, &call, on_done, NULL, NULL), 0);
  until(1);
  assert_int_equal(last.status, SKILL_EDENIED);
  target.tool = &echo_tool;
  call.name = "echo";
  assert_int_equal(skill_gateway_call(gateway, &target, &call, on_done, NULL, NULL), 0);
  until(2);
  assert_int_equal(last.state, SKILL_CALL_SUCCESS);
}

static void dangerous_calls_wait_for_a_decision(void **state) {
  (void)state;
  open_gateway();
  ask("1", &danger_tool, "{}");
  ask("2", &danger_tool, "{}");
  skill_loop_step(loop);
  assert_int_equal(calls_made, 0);
  SkillCallInfo info;
  assert_true(skill_gateway_open(gateway, 0, &info));
  assert_int_equal(info.state, SKILL_CALL_AWAITING);
  assert_true(info.dangerous);
  assert_int_equal(skill_gateway_decide(gateway, "9", true, NULL), SKILL_ENOENT);
  assert_int_equal(skill_gateway_decide(gateway, "1", false, "not today"), 0);
  until(1);
  assert_int_equal(last.state, SKILL_CALL_REJECTED);
  assert_non_null(strstr(last_text, "not today"));
  assert_int_equal(skill_gateway_decide(gateway, "1", true, NULL), SKILL_ENOENT); /* too late */
  assert_int_equal(skill_gateway_decide(gateway, "2", true, NULL), 0);
  until(2);
  assert_int_equal(last.state, SKILL_CALL_SUCCESS);
  assert_int_equal(calls_made, 1);
}

static void without_somebody_to_ask_what_would_wait_is_rejected(void **state) {
  (void)state;
  options.nobody_decides = true;
  open_gateway();
  ask("1", &danger_tool, "{}");
  until(1);
  assert_int_equal(last.status, SKILL_EDENIED);
  assert_int_equal(calls_made, 0);
}

static void the_host_says_which_calls_wait(void **state) {
  (void)state;
  options.approval = SKILL_APPROVAL_ALL;
  open_gateway();
  ask("read", &echo_tool, "{}"); /* marked read-only */
  ask("fail", &fail_tool, "{}");
  until(1);
  SkillCallInfo info;
  assert_true(skill_gateway_open(gateway, 0, &info));
  assert_string_equal(info.id, "fail");
  assert_int_equal(skill_gateway_abort(gateway, NULL, NULL), 1);
  until(2);
  skill_gateway_free(gateway);
  options.approval = SKILL_APPROVAL_NONE;
  open_gateway();
  ask("1", &danger_tool, "{}");
  until(3);
  assert_int_equal(last.state, SKILL_CALL_SUCCESS);
}

static void a_call_that_outlasts_its_time_is_an_error_and_its_late_result_is_dropped(void **state) {
  (void)state;
  options.call_timeout_ms = 5000;
  open_gateway();
  ask("1", &hold_tool, "{}");
  skill_fixture_advance(fixture, 4999);
  skill_gateway_tick(gateway);
  skill_loop_step(loop);
  assert_int_equal(done_count, 0);
  skill_fixture_advance(fixture, 1);
  skill_gateway_tick(gateway);
  until(1);
  assert_int_equal(last.status, SKILL_ETIMEDOUT);
  assert_true(skill_tool_call_canceled(held[0]));
  skill_tool_call_finish(held[0], 0, "late", 4);
  skill_loop_step(loop);
  assert_int_equal(done_count, 1);
}

static void an_abort_ends_a_call_at_once(void **state) {
  (void)state;
  open_gateway();
  ask("1", &hold_tool, "{}");
  ask("2", &hold_tool, "{}"); /* waits for the first */
  assert_int_equal(calls_made, 1);
  assert_int_equal(skill_gateway_abort(gateway, "1", "enough"), 1);
  until(1);
  assert_int_equal(last.state, SKILL_CALL_ABORTED);
  assert_string_equal(last_text, "enough");
  assert_int_equal(calls_made, 2); /* the next one runs */
  skill_tool_call_finish(held[1], 0, "2", 1);
  until(2);
  skill_tool_call_finish(held[0], 0, "1", 1);
  skill_loop_step(loop);
  assert_int_equal(done_count, 2);
}

/* The state callback may abort the call immediately. */
static const char *abort_at;

static void abort_when_told(const SkillCallInfo *call, void *user) {
  on_state(call, user);
  if (strcmp(skill_call_state_name(call->state), abort_at) == 0) skill_gateway_abort(gateway, call->id, "stop");
}

static void a_call_that_is_aborted_while_it_is_told_of_does_not_run(void **state) {
  (void)state;
  static const char *const states[] = {"pending", "awaiting", "running"};
  static const SkillTool *const tools[] = {&echo_tool, &danger_tool, &echo_tool};
  options.on_state = abort_when_told;
  open_gateway();
  for (int i = 0; i < 3; i++) {
    abort_at = states[i];
    ask("1", tools[i], "{}");
    until(i + 1);
    assert_int_equal(last.state, SKILL_CALL_ABORTED);
    assert_string_equal(last_text, "stop");
  }
  assert_int_equal(calls_made, 0);
}

static void freeing_with_calls_open_calls_nothing_back(void **state) {
  (void)state;
  open_gateway();
  ask("1", &hold_tool, "{}");
  ask("2", &danger_tool, "{}");
  skill_gateway_free(gateway);
  gateway = NULL;
  assert_true(skill_tool_call_canceled(held[0]));
  skill_tool_call_finish(held[0], 0, "late", 4);
  skill_loop_step(loop);
  assert_int_equal(done_count, 0);
}

static void only_parallel_tools_run_side_by_side(void **state) {
  (void)state;
  open_gateway();
  ask("1", &beside_tool, "{}");
  ask("2", &beside_tool, "{}");
  ask("3", &hold_tool, "{}");
  ask("4", &beside_tool, "{}");
  assert_int_equal(calls_made, 2);
  skill_tool_call_finish(held[1], 0, "2", 1);
  until(1);
  assert_int_equal(calls_made, 2);
  skill_tool_call_finish(held[0], 0, "1", 1);
  until(2);
  assert_int_equal(calls_made, 3);
  skill_tool_call_finish(held[2], 0, "3", 1);
  until(3);
  assert_int_equal(calls_made, 4);
  skill_tool_call_finish(held[3], 0, "4", 1);
  until(4);
  assert_string_equal(last_id, "4");
}

static void results_come_from_any_thread(void **state) {
  (void)state;
  SkillTool tool = {.name = "far", .call = elsewhere};
  open_gateway();
  ask("1", &tool, "{}");
  until(1);
  assert_string_equal(last_text, "from afar");
  uv_thread_join(&thread);
}

static void the_same_failing_call_is_refused_after_three_times(void **state) {
  (void)state;
  open_gateway();
  for (int i = 0; i < 5; i++) {
    ask("1", &fail_tool, "{\"a\":1}");
    until(i + 1);
  }
  assert_int_equal(calls_made, 3);
  assert_int_equal(last.state, SKILL_CALL_REJECTED);
  assert_non_null(strstr(last_text, "3 times"));
  ask("1", &fail_tool, "{\"a\":2}"); /* a different call is not affected */
  until(6);
  assert_int_equal(calls_made, 4);
}

static void the_log_has_the_arguments_once_and_why_a_call_failed(void **state) {
  (void)state;
  open_gateway();
  ask("1", &fail_tool, "{}");
  until(1);
  assert_non_null(strstr(logged.data, "\"state\":\"pending\",\"arguments\":\"{}\"}"));
  assert_non_null(strstr(logged.data,
                         "\"state\":\"error\",\"reason\":\"the skill or tool reported a failure\","
                         "\"status\":\"SKILL_EFAILED\""));
}

static void failing(const char *id, int number) {
  char arguments[32];
  int before = done_count;
  snprintf(arguments, sizeof arguments, "{\"n\":%d}", number);
  ask(id, &fail_tool, arguments);
  until(before + 1);
}

static void of_many_failing_calls_the_oldest_is_forgotten(void **state) {
  (void)state;
  options.same_failures = 2;
  open_gateway();
  for (int i = 0; i <= 32; i++) failing("x", i); /* one more than are remembered */
  assert_int_equal(calls_made, 33);
  failing("y", 32);
  failing("y", 32); /* the third time: refused */
  assert_int_equal(last.state, SKILL_CALL_REJECTED);
  failing("v", 2); /* the oldest that is remembered but one */
  failing("v", 2);
  assert_int_equal(last.state, SKILL_CALL_REJECTED);
  assert_int_equal(calls_made, 35);
  failing("z", 0);
  failing("z", 0); /* its first failure was forgotten */
  assert_int_equal(last.state, SKILL_CALL_ERROR);
  assert_int_equal(calls_made, 37);
}

static void long_results_are_cut_and_paged(void **state) {
  (void)state;
  char arguments[3000] = "{\"t\":\"";
  size_t length = strlen(arguments);
  while (length < 2500) arguments[length] = (char)('a' + length % 26), length++;
  memcpy(arguments + length, "\"}", 3);
  options.result_bytes = 1000;
  options.page_tool = "result_read";
  open_gateway();
  ask("1", &echo_tool, arguments);
  until(1);
  assert_int_equal(last.whole, length + 2);
  assert_true(last.length < 1200);
  assert_non_null(strstr(last_text, "result_read {\"id\":\"1\",\"cursor\":1000}"));
  struct skill__buf whole;
  skill__buf_init(&whole, 10000);
  skill__buf_add(&whole, last_text, 1000);
  for (uint64_t cursor = 1000; cursor;) {
    const char *text = NULL;
    size_t n = 0;
    assert_int_equal(skill_gateway_page(gateway, "1", cursor, &text, &n, &cursor), 0);
    skill__buf_add(&whole, text, n);
  }
  assert_string_equal(whole.data, arguments);
  skill__buf_fini(&whole);
  const char *text;
  size_t n;
  uint64_t next;
  assert_int_equal(skill_gateway_page(gateway, "2", 0, &text, &n, &next), SKILL_ENOENT);
  assert_int_equal(skill_gateway_page(gateway, "1", 99999, &text, &n, &next), SKILL_EINVAL);
}

static void a_tool_that_nothing_can_run_is_an_error(void **state) {
  (void)state;
  SkillTool tool = {.name = "listed"};
  open_gateway();
  ask("1", &tool, "{}");
  until(1);
  assert_int_equal(last.status, SKILL_EUNSUPPORTED);
}

static void a_call_needs_all_its_parts(void **state) {
  (void)state;
  open_gateway();
  SkillTarget target = {.tool = &echo_tool};
  SkillCall whole = {"1", "echo", "{}"};
  SkillCall nameless = {"1", NULL, "{}"};
  SkillCall without_id = {NULL, "echo", "{}"};
  assert_int_equal(skill_gateway_call(gateway, &target, NULL, on_done, NULL, NULL), SKILL_EINVAL);
  assert_int_equal(skill_gateway_call(gateway, &target, &nameless, on_done, NULL, NULL), SKILL_EINVAL);
  assert_int_equal(skill_gateway_call(gateway, &target, &without_id, on_done, NULL, NULL), SKILL_EINVAL);
  assert_int_equal(skill_gateway_call(gateway, &target, &whole, NULL, NULL, NULL), SKILL_EINVAL);
  assert_int_equal(skill_gateway_call(gateway, NULL, &whole, on_done, NULL, NULL), SKILL_EINVAL);
  assert_int_equal(calls_made, 0);
}

static void an_aborted_call_cannot_be_approved(void **state) {
  (void)state;
  open_gateway();
  ask("1", &danger_tool, "{}");
  assert_int_equal(skill_gateway_abort(gateway, "1", NULL), 1);
  assert_int_equal(skill_gateway_decide(gateway, "1", true, NULL), SKILL_ENOENT);
  assert_int_equal(skill_gateway_abort(gateway, "1", NULL), 0);
  until(1);
  assert_int_equal(last.state, SKILL_CALL_ABORTED);
  assert_int_equal(calls_made, 0);
}

/* Room for 16 results: the 17th replaces the first. */
static void a_call_that_waits_says_why(void **state) {
  (void)state;
  options.approval = SKILL_APPROVAL_ALL;
  open_gateway();
  ask("1", &hold_tool, "{}");
  assert_non_null(strstr(logged.data, "\"reason\":\"the tool may change something\""));
  ask("2", &danger_tool, "{}");
  assert_non_null(strstr(logged.data, "\"reason\":\"the tool is marked dangerous\""));
  assert_int_equal(skill_gateway_abort(gateway, NULL, NULL), 2);
  until(2);
}

static void a_script_needs_the_folder_of_its_skill(void **state) {
  (void)state;
  static const SkillTool script = {.name = "script", .command = "run.sh"};
  open_gateway();
  ask("1", &script, "{}");
  until(1);
  assert_int_equal(last.status, SKILL_EUNSUPPORTED);
  assert_non_null(strstr(last_text, "it has no handler and no command"));
}

static void limits_have_defaults(void **state) {
  (void)state;
  char arguments[33000] = "{\"t\":\"";
  memset(arguments + 6, 'a', 32768 - 8);
  memcpy(arguments + 32768 - 2, "\"}", 3);
  open_gateway();
  ask("1", &echo_tool, arguments);
  until(1);
  assert_int_equal(last.length, 32768);
  memcpy(arguments + 32768 - 2, "a\"}", 4);
  ask("2", &echo_tool, arguments);
  until(2);
  assert_int_equal(last.whole, 32769);
  const char *text;
  size_t n;
  uint64_t next;
  assert_int_equal(skill_gateway_page(gateway, "1", 0, &text, &n, &next), SKILL_ENOENT);
  assert_int_equal(skill_gateway_page(gateway, "2", 0, &text, &n, &next), 0);
  ask("3", &hold_tool, "{}");
  skill_fixture_advance(fixture, 119999);
  skill_gateway_tick(gateway);
  skill_loop_step(loop);
  assert_int_equal(done_count, 2);
  skill_fixture_advance(fixture, 1);
  skill_gateway_tick(gateway);
  until(3);
  assert_int_equal(last.status, SKILL_ETIMEDOUT);
  skill_tool_call_finish(held[0], 0, "", 0);
}

static void of_many_long_results_the_oldest_is_dropped(void **state) {
  (void)state;
  const char *text;
  size_t n;
  uint64_t next;
  options.result_bytes = 8;
  open_gateway();
  for (int i = 0; i < 17; i++) {
    char id[8];
    snprintf(id, sizeof id, "%d", i);
    ask(id, &echo_tool, "{\"text\":\"long\"}");
    until(i + 1);
    assert_int_equal(skill_gateway_page(gateway, id, 0, &text, &n, &next), 0);
  }
  assert_int_equal(skill_gateway_page(gateway, "0", 0, &text, &n, &next), SKILL_ENOENT);
  assert_int_equal(skill_gateway_page(gateway, "1", 0, &text, &n, &next), 0);
  assert_int_equal(n, 15);
  assert_int_equal(next, 0);
  assert_int_equal(skill_gateway_page(gateway, "1", 15, &text, &n, &next), 0);
  assert_int_equal(n, 0);
  assert_int_equal(skill_gateway_page(gateway, "1", 16, &text, &n, &next), SKILL_EINVAL);
}

static void an_open_id_is_not_taken_twice(void **state) {
  (void)state;
  open_gateway();
  ask("1", &hold_tool, "{}");
  SkillTarget target = {.tool = &echo_tool};
  SkillCall call = {"1", "echo", "{}"};
  assert_int_equal(skill_gateway_call(gateway, &target, &call, on_done, NULL, NULL), SKILL_EEXISTS);
  skill_tool_call_finish(held[0], 0, "", 0);
  until(1);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(a_call_goes_through_its_states),
      T(what_cannot_be_read_is_rejected),
      T(a_schema_that_cannot_be_checked_rejects),
      T(an_unknown_tool_is_rejected_with_a_hint),
      T(two_layers_of_permission_hold_in_any_case_of_letters),
      T(no_spelling_gets_past_a_ban),
      T(a_denied_call_does_not_run),
      T(a_ban_holds_for_skillets_own_tools_and_an_allow_list_does_not),
      T(dangerous_calls_wait_for_a_decision),
      T(without_somebody_to_ask_what_would_wait_is_rejected),
      T(the_host_says_which_calls_wait),
      T(a_call_that_outlasts_its_time_is_an_error_and_its_late_result_is_dropped),
      T(an_abort_ends_a_call_at_once),
      T(a_call_that_is_aborted_while_it_is_told_of_does_not_run),
      T(freeing_with_calls_open_calls_nothing_back),
      T(only_parallel_tools_run_side_by_side),
      T(results_come_from_any_thread),
      T(the_same_failing_call_is_refused_after_three_times),
      T(the_log_has_the_arguments_once_and_why_a_call_failed),
      T(of_many_failing_calls_the_oldest_is_forgotten),
      T(long_results_are_cut_and_paged),
      T(a_tool_that_nothing_can_run_is_an_error),
      T(a_call_needs_all_its_parts),
      T(an_aborted_call_cannot_be_approved),
      T(a_call_that_waits_says_why),
      T(a_script_needs_the_folder_of_its_skill),
      T(limits_have_defaults),
      T(of_many_long_results_the_oldest_is_dropped),
      T(an_open_id_is_not_taken_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
