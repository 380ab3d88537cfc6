/* SPDX-License-Identifier: MIT
 *
 * The gateway: the states of a call, time-outs, aborts, order, guards and paging.
 */
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "lib/check.h"
#include "lib/gateway_stage.h"

static uv_thread_t thread;
static void finish_there(void *arg) {
  skill_tool_call_finish(arg, 0, "from afar", 9);
}
static void elsewhere(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json;
  (void)user;
  assert_int_equal(uv_thread_create(&thread, finish_there, call), 0);
}

static void a_call_goes_through_its_states(void **state) {
  (void)state;
  gate_open();
  gate_ask("1", &gate_echo, "{\"a\":1}");
  assert_int_equal(gate.done, 0); /* never before a call of step */
  gate_until(1);
  assert_string_equal(gate.text, "{\"a\":1}");
  assert_int_equal(gate.last.state, SKILL_CALL_SUCCESS);
  assert_string_equal(gate.trail.data, "1:pending 1:running 1:success");
  assert_non_null(strstr(gate.logged.data, "\"tool\":\"echo\",\"state\":\"pending\",\"arguments\":\"{\\\"a\\\":1}\""));
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
  gate_open();
  for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++) {
    gate_ask("x", &gate_strict, bad[i]);
    gate_until(i + 1);
    assert_int_equal(gate.last.state, SKILL_CALL_REJECTED);
    assert_true(gate.last.length > 10);
  }
  assert_int_equal(gate.calls, 0);
  gate_ask("x", &gate_strict, "{\"size\":3}");
  gate_until((int)(sizeof bad / sizeof *bad) + 1);
  assert_int_equal(gate.last.state, SKILL_CALL_SUCCESS);
}

static void a_schema_that_cannot_be_checked_rejects(void **state) {
  (void)state;
  SkillTool tool = {.name = "odd", .call = gate_echo_handler, .input_schema = "{\"type\":"};
  SkillTool outside = {
      .name = "odd", .call = gate_echo_handler, .input_schema = "{\"$ref\":\"https://example.org/schema\"}"};
  gate_open();
  gate_ask("1", &tool, "{}");
  gate_ask("2", &outside, "{}");
  gate_until(2);
  assert_int_equal(gate.calls, 0);
  assert_int_equal(gate.last.state, SKILL_CALL_REJECTED);
}

static void a_call_that_outlasts_its_time_is_an_error_and_its_late_result_is_dropped(void **state) {
  (void)state;
  gate.options.call_timeout_ms = 5000;
  gate_open();
  gate_ask("1", &gate_hold, "{}");
  skill_fixture_advance(gate.fixture, 4999);
  skill_gateway_tick(gate.gateway);
  skill_loop_step(gate.loop);
  assert_int_equal(gate.done, 0);
  skill_fixture_advance(gate.fixture, 1);
  skill_gateway_tick(gate.gateway);
  gate_until(1);
  assert_int_equal(gate.last.status, SKILL_ETIMEDOUT);
  assert_true(skill_tool_call_canceled(gate.held[0]));
  skill_tool_call_finish(gate.held[0], 0, "late", 4);
  skill_loop_step(gate.loop);
  assert_int_equal(gate.done, 1);
}

static void an_abort_ends_a_call_at_once(void **state) {
  (void)state;
  gate_open();
  gate_ask("1", &gate_hold, "{}");
  gate_ask("2", &gate_hold, "{}"); /* waits for the first */
  assert_int_equal(gate.calls, 1);
  assert_int_equal(skill_gateway_abort(gate.gateway, "1", "enough"), 1);
  gate_until(1);
  assert_int_equal(gate.last.state, SKILL_CALL_ABORTED);
  assert_string_equal(gate.text, "enough");
  assert_int_equal(gate.calls, 2); /* the next one runs */
  skill_tool_call_finish(gate.held[1], 0, "2", 1);
  gate_until(2);
  skill_tool_call_finish(gate.held[0], 0, "1", 1);
  skill_loop_step(gate.loop);
  assert_int_equal(gate.done, 2);
}

/* The state callback may abort the call immediately. */
static const char *abort_at;

static void abort_when_told(const SkillCallInfo *call, void *user) {
  gate_state(call, user);
  if (strcmp(skill_call_state_name(call->state), abort_at) == 0) skill_gateway_abort(gate.gateway, call->id, "stop");
}

static void a_call_that_is_aborted_while_it_is_told_of_does_not_run(void **state) {
  (void)state;
  static const char *const states[] = {"pending", "awaiting", "running"};
  static const SkillTool *const tools[] = {&gate_echo, &gate_danger, &gate_echo};
  gate.options.on_state = abort_when_told;
  gate_open();
  for (int i = 0; i < 3; i++) {
    abort_at = states[i];
    gate_ask("1", tools[i], "{}");
    gate_until(i + 1);
    assert_int_equal(gate.last.state, SKILL_CALL_ABORTED);
    assert_string_equal(gate.text, "stop");
  }
  assert_int_equal(gate.calls, 0);
}

static void freeing_with_calls_open_calls_nothing_back(void **state) {
  (void)state;
  gate_open();
  gate_ask("1", &gate_hold, "{}");
  gate_ask("2", &gate_danger, "{}");
  skill_gateway_free(gate.gateway);
  gate.gateway = NULL;
  assert_true(skill_tool_call_canceled(gate.held[0]));
  skill_tool_call_finish(gate.held[0], 0, "late", 4);
  skill_loop_step(gate.loop);
  assert_int_equal(gate.done, 0);
}

static void only_parallel_tools_run_side_by_side(void **state) {
  (void)state;
  gate_open();
  gate_ask("1", &gate_beside, "{}");
  gate_ask("2", &gate_beside, "{}");
  gate_ask("3", &gate_hold, "{}");
  gate_ask("4", &gate_beside, "{}");
  assert_int_equal(gate.calls, 2);
  skill_tool_call_finish(gate.held[1], 0, "2", 1);
  gate_until(1);
  assert_int_equal(gate.calls, 2);
  skill_tool_call_finish(gate.held[0], 0, "1", 1);
  gate_until(2);
  assert_int_equal(gate.calls, 3);
  skill_tool_call_finish(gate.held[2], 0, "3", 1);
  gate_until(3);
  assert_int_equal(gate.calls, 4);
  skill_tool_call_finish(gate.held[3], 0, "4", 1);
  gate_until(4);
  assert_string_equal(gate.id, "4");
}

static void results_come_from_any_thread(void **state) {
  (void)state;
  SkillTool tool = {.name = "far", .call = elsewhere};
  gate_open();
  gate_ask("1", &tool, "{}");
  gate_until(1);
  assert_string_equal(gate.text, "from afar");
  uv_thread_join(&thread);
}

static void the_same_failing_call_is_refused_after_three_times(void **state) {
  (void)state;
  gate_open();
  for (int i = 0; i < 5; i++) {
    gate_ask("1", &gate_fail, "{\"a\":1}");
    gate_until(i + 1);
  }
  assert_int_equal(gate.calls, 3);
  assert_int_equal(gate.last.state, SKILL_CALL_REJECTED);
  assert_non_null(strstr(gate.text, "3 times"));
  gate_ask("1", &gate_fail, "{\"a\":2}"); /* a different call is not affected */
  gate_until(6);
  assert_int_equal(gate.calls, 4);
}

static void the_log_has_the_arguments_once_and_why_a_call_failed(void **state) {
  (void)state;
  gate_open();
  gate_ask("1", &gate_fail, "{}");
  gate_until(1);
  assert_non_null(strstr(gate.logged.data, "\"state\":\"pending\",\"arguments\":\"{}\"}"));
  assert_non_null(strstr(gate.logged.data,
                         "\"state\":\"error\",\"reason\":\"the skill or tool reported a failure\","
                         "\"status\":\"SKILL_EFAILED\""));
}

static void failing(const char *id, int number) {
  char arguments[32];
  int before = gate.done;
  snprintf(arguments, sizeof arguments, "{\"n\":%d}", number);
  gate_ask(id, &gate_fail, arguments);
  gate_until(before + 1);
}

static void of_many_failing_calls_the_oldest_is_forgotten(void **state) {
  (void)state;
  gate.options.same_failures = 2;
  gate_open();
  for (int i = 0; i <= 32; i++) failing("x", i); /* one more than are remembered */
  assert_int_equal(gate.calls, 33);
  failing("y", 32);
  failing("y", 32); /* the third time: refused */
  assert_int_equal(gate.last.state, SKILL_CALL_REJECTED);
  failing("v", 2); /* the oldest that is remembered but one */
  failing("v", 2);
  assert_int_equal(gate.last.state, SKILL_CALL_REJECTED);
  assert_int_equal(gate.calls, 35);
  failing("z", 0);
  failing("z", 0); /* its first failure was forgotten */
  assert_int_equal(gate.last.state, SKILL_CALL_ERROR);
  assert_int_equal(gate.calls, 37);
}

static void long_results_are_cut_and_paged(void **state) {
  (void)state;
  char arguments[3000] = "{\"t\":\"";
  size_t length = strlen(arguments);
  while (length < 2500) arguments[length] = (char)('a' + length % 26), length++;
  memcpy(arguments + length, "\"}", 3);
  gate.options.result_bytes = 1000;
  gate.options.page_tool = "result_read";
  gate_open();
  gate_ask("1", &gate_echo, arguments);
  gate_until(1);
  assert_int_equal(gate.last.whole, length + 2);
  assert_true(gate.last.length < 1200);
  assert_non_null(strstr(gate.text, "result_read {\"id\":\"1\",\"cursor\":1000}"));
  struct skill__buf whole;
  skill__buf_init(&whole, 10000);
  skill__buf_add(&whole, gate.text, 1000);
  for (uint64_t cursor = 1000; cursor;) {
    const char *text = NULL;
    size_t n = 0;
    assert_int_equal(skill_gateway_page(gate.gateway, "1", cursor, &text, &n, &cursor), 0);
    skill__buf_add(&whole, text, n);
  }
  assert_string_equal(whole.data, arguments);
  skill__buf_fini(&whole);
  const char *text;
  size_t n;
  uint64_t next;
  assert_int_equal(skill_gateway_page(gate.gateway, "2", 0, &text, &n, &next), SKILL_ENOENT);
  assert_int_equal(skill_gateway_page(gate.gateway, "1", 99999, &text, &n, &next), SKILL_EINVAL);
}

static void a_tool_that_nothing_can_run_is_an_error(void **state) {
  (void)state;
  SkillTool tool = {.name = "listed"};
  gate_open();
  gate_ask("1", &tool, "{}");
  gate_until(1);
  assert_int_equal(gate.last.status, SKILL_EUNSUPPORTED);
}

static void a_call_needs_all_its_parts(void **state) {
  (void)state;
  gate_open();
  SkillTarget target = {.tool = &gate_echo};
  SkillCall whole = {"1", "echo", "{}"};
  SkillCall nameless = {"1", NULL, "{}"};
  SkillCall without_id = {NULL, "echo", "{}"};
  assert_int_equal(skill_gateway_call(gate.gateway, &target, NULL, gate_done, NULL, NULL), SKILL_EINVAL);
  assert_int_equal(skill_gateway_call(gate.gateway, &target, &nameless, gate_done, NULL, NULL), SKILL_EINVAL);
  assert_int_equal(skill_gateway_call(gate.gateway, &target, &without_id, gate_done, NULL, NULL), SKILL_EINVAL);
  assert_int_equal(skill_gateway_call(gate.gateway, &target, &whole, NULL, NULL, NULL), SKILL_EINVAL);
  assert_int_equal(skill_gateway_call(gate.gateway, NULL, &whole, gate_done, NULL, NULL), SKILL_EINVAL);
  assert_int_equal(gate.calls, 0);
}

static void a_script_needs_the_folder_of_its_skill(void **state) {
  (void)state;
  static const SkillTool script = {.name = "script", .command = "run.sh"};
  gate_open();
  gate_ask("1", &script, "{}");
  gate_until(1);
  assert_int_equal(gate.last.status, SKILL_EUNSUPPORTED);
  assert_non_null(strstr(gate.text, "it has no handler and no command"));
}

static void limits_have_defaults(void **state) {
  (void)state;
  char arguments[33000] = "{\"t\":\"";
  memset(arguments + 6, 'a', 32768 - 8);
  memcpy(arguments + 32768 - 2, "\"}", 3);
  gate_open();
  gate_ask("1", &gate_echo, arguments);
  gate_until(1);
  assert_int_equal(gate.last.length, 32768);
  memcpy(arguments + 32768 - 2, "a\"}", 4);
  gate_ask("2", &gate_echo, arguments);
  gate_until(2);
  assert_int_equal(gate.last.whole, 32769);
  const char *text;
  size_t n;
  uint64_t next;
  assert_int_equal(skill_gateway_page(gate.gateway, "1", 0, &text, &n, &next), SKILL_ENOENT);
  assert_int_equal(skill_gateway_page(gate.gateway, "2", 0, &text, &n, &next), 0);
  gate_ask("3", &gate_hold, "{}");
  skill_fixture_advance(gate.fixture, 119999);
  skill_gateway_tick(gate.gateway);
  skill_loop_step(gate.loop);
  assert_int_equal(gate.done, 2);
  skill_fixture_advance(gate.fixture, 1);
  skill_gateway_tick(gate.gateway);
  gate_until(3);
  assert_int_equal(gate.last.status, SKILL_ETIMEDOUT);
  skill_tool_call_finish(gate.held[0], 0, "", 0);
}

/* Room for 16 results: the 17th replaces the first. */
static void of_many_long_results_the_oldest_is_dropped(void **state) {
  (void)state;
  const char *text;
  size_t n;
  uint64_t next;
  gate.options.result_bytes = 8;
  gate_open();
  for (int i = 0; i < 17; i++) {
    char id[8];
    snprintf(id, sizeof id, "%d", i);
    gate_ask(id, &gate_echo, "{\"text\":\"long\"}");
    gate_until(i + 1);
    assert_int_equal(skill_gateway_page(gate.gateway, id, 0, &text, &n, &next), 0);
  }
  assert_int_equal(skill_gateway_page(gate.gateway, "0", 0, &text, &n, &next), SKILL_ENOENT);
  assert_int_equal(skill_gateway_page(gate.gateway, "1", 0, &text, &n, &next), 0);
  assert_int_equal(n, 15);
  assert_int_equal(next, 0);
  assert_int_equal(skill_gateway_page(gate.gateway, "1", 15, &text, &n, &next), 0);
  assert_int_equal(n, 0);
  assert_int_equal(skill_gateway_page(gate.gateway, "1", 16, &text, &n, &next), SKILL_EINVAL);
}

static void an_open_id_is_not_taken_twice(void **state) {
  (void)state;
  gate_open();
  gate_ask("1", &gate_hold, "{}");
  SkillTarget target = {.tool = &gate_echo};
  SkillCall call = {"1", "echo", "{}"};
  assert_int_equal(skill_gateway_call(gate.gateway, &target, &call, gate_done, NULL, NULL), SKILL_EEXISTS);
  skill_tool_call_finish(gate.held[0], 0, "", 0);
  gate_until(1);
}

#define T(name) cmocka_unit_test_setup_teardown(name, gate_setup, gate_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(a_call_goes_through_its_states),
      T(what_cannot_be_read_is_rejected),
      T(a_schema_that_cannot_be_checked_rejects),
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
      T(a_script_needs_the_folder_of_its_skill),
      T(limits_have_defaults),
      T(of_many_long_results_the_oldest_is_dropped),
      T(an_open_id_is_not_taken_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
