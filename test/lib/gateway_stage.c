/* SPDX-License-Identifier: MIT
 *
 * See gateway_stage.h.
 */
#include "lib/gateway_stage.h"

#include <stdio.h>
#include <string.h>

#include "lib/check.h"

struct gate gate;

void gate_state(const SkillCallInfo *call, void *user) {
  (void)user;
  skill__buf_printf(&gate.trail, "%s%s:%s", gate.trail.length ? " " : "", call->id, skill_call_state_name(call->state));
}

static void on_log(const char *line, size_t length, void *user) {
  (void)user;
  skill__buf_add(&gate.logged, line, length);
  skill__buf_char(&gate.logged, '\n');
}

void gate_done(const SkillCallInfo *call, void *user) {
  (void)user;
  gate.last = *call;
  snprintf(gate.id, sizeof gate.id, "%s", call->id);
  snprintf(gate.text, sizeof gate.text, "%.*s", (int)call->length, call->text);
  gate.done++;
}

void gate_echo_handler(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)user;
  gate.calls++;
  skill_tool_call_finish(call, 0, arguments_json, strlen(arguments_json));
}

static void fails(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json;
  (void)user;
  gate.calls++;
  skill_tool_call_finish(call, SKILL_EFAILED, "no luck", 7);
}

static void hold(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json;
  (void)user;
  gate.calls++;
  gate.held[gate.held_count++] = call;
}

static const char size_schema[] =
    "{\"type\":\"object\",\"properties\":{\"size\":{\"type\":\"integer\",\"minimum\":1}},\"required\":[\"size\"],"
    "\"additionalProperties\":false}";

const SkillTool gate_echo = {.name = "echo", .call = gate_echo_handler, .flags = SKILL_TOOL_READ_ONLY};
const SkillTool gate_strict = {.name = "strict", .call = gate_echo_handler, .input_schema = size_schema};
const SkillTool gate_danger = {.name = "erase", .call = gate_echo_handler, .flags = SKILL_TOOL_DANGEROUS};
const SkillTool gate_fail = {.name = "fail", .call = fails};
const SkillTool gate_hold = {.name = "hold", .call = hold};
const SkillTool gate_beside = {.name = "beside", .call = hold, .flags = SKILL_TOOL_PARALLEL};

int gate_setup(void **state) {
  (void)state;
  memset(&gate, 0, sizeof gate);
  skill__buf_init(&gate.trail, 65536);
  skill__buf_init(&gate.logged, 65536);
  assert_int_equal(skill_loop_new(NULL, &gate.loop, NULL), 0);
  assert_int_equal(skill_fixture_new(&gate.fixture), 0);
  gate.options = (SkillGatewayOptions)SKILL_GATEWAY_OPTIONS_INIT;
  gate.options.loop = gate.loop;
  gate.options.io = skill_fixture_io(gate.fixture);
  gate.options.on_state = gate_state;
  gate.options.on_log = on_log;
  return 0;
}

void gate_open(void) {
  assert_int_equal(skill_gateway_new(&gate.options, &gate.gateway, NULL), 0);
}

int gate_teardown(void **state) {
  (void)state;
  skill_gateway_free(gate.gateway);
  gate.gateway = NULL;
  skill_loop_free(gate.loop);
  skill_fixture_free(gate.fixture);
  skill__buf_fini(&gate.trail);
  skill__buf_fini(&gate.logged);
  return 0;
}

void gate_ask_as(const char *id, const SkillTool *tool, const char *skill, const char *arguments) {
  SkillTarget target = {.tool = tool, .skill = skill};
  SkillCall call = {id, tool ? tool->name : "nobody", arguments};
  assert_int_equal(skill_gateway_call(gate.gateway, &target, &call, gate_done, NULL, NULL), 0);
}

void gate_ask(const char *id, const SkillTool *tool, const char *arguments) {
  gate_ask_as(id, tool, NULL, arguments);
}

void gate_until(int count) {
  for (int i = 0; i < 1000 && gate.done < count; i++) skill_loop_run_once(gate.loop, 1000);
  assert_int_equal(gate.done, count);
}
