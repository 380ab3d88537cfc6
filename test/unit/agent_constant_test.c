/* SPDX-License-Identifier: MIT
 *
 * Tools that are called through a constant tool list: what is sent, what reaches the tool, and that a ban cannot be
 * bypassed this way.
 */
#include <stdio.h>
#include <string.h>

#include "agent/internal.h"
#include "agent/meta_definitions.h"
#include "lib/agents.h"
#include "lib/contains.h"
#include "skillet/sys/alloc.h"

static struct agents a;
static char peeked[256]; /* the arguments that peek received */
static struct skill__buf logged;

static void peek(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)user;
  size_t used = strlen(peeked);
  snprintf(peeked + used, sizeof peeked - used, "%s\n", arguments_json);
  skill_tool_call_finish(call, 0, "seen", 4);
}

static void on_log(const char *line, size_t length, void *user) {
  (void)user;
  skill__buf_add(&logged, line, length);
  skill__buf_char(&logged, '\n');
}

static int setup(void **state) {
  (void)state;
  agents_setup(&a);
  a.profile.offered = SKILL_TOOLS_CONSTANT;
  a.options.events.on_log = on_log;
  skill__buf_init(&logged, 1 << 20);
  peeked[0] = '\0';
  const SkillTool tool = {
      .name = "peek", .description = "Looks.", .input_schema = "{ \"type\" :\n \"object\" }", .call = peek};
  SkillTool tools[2] = {tool, tool};
  tools[0].flags = SKILL_TOOL_READ_ONLY;
  tools[1].name = "peek_and_burn";
  tools[1].flags = SKILL_TOOL_READ_ONLY | SKILL_TOOL_DANGEROUS;
  SkillDef def = {.metadata = {.name = "reader", .description = "Looks at birds.", .tools = tools, .tool_count = 2},
                  .body = "Look closely."};
  assert_int_equal(skill_registry_add(a.registry, &def, NULL, NULL), 0);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  agents_teardown(&a);
  skill__buf_fini(&logged);
  return 0;
}

/* The text of the i-th message. */
static const char *said(size_t index) {
  return skill_conversation_at(skill_agent_conversation(a.agent), index)->text;
}

#define THROUGH(class, name, arguments) CALL("tool_call_" class, "{\"name\":\"" name "\",\"arguments\":" arguments "}")
#define DONE "{\"text\":\"{{last}}\"}"

/* --- what is sent ------------------------------------------------------------------------------------------------- */

static void the_tool_list_never_changes(void **state) {
  (void)state;
  agents_open(&a, "{\"text\":\"1\"}," OPEN("calc") "," THROUGH(
                      "write", "add", "{\"a\":2,\"b\":3}") "," DONE "," OPEN("reader") ",{\"text\":\"3\"}");
  agents_turn(&a, "one");
  const SkillTool *tools = NULL;
  char names[1024] = "";
  size_t before = skill_agent_tools(a.agent, &tools);
  for (size_t i = 0; i < before; i++) strcat(strcat(names, tools[i].name), " ");
  assert_string_equal(names,
                      "skill_search skill_open skill_read skill_run tool_describe tool_call_read "
                      "tool_call_write tool_call_destructive result_read ");
  agents_turn(&a, "two");
  assert_string_equal(a.answer, "5");
  agents_turn(&a, "three");
  assert_int_equal(skill_agent_tools(a.agent, &tools), before);
  for (size_t i = 0; i < before; i++) {
    has(names, tools[i].name);
    assert_string_equal(tools[i].description,
                        skill__meta_definition((SkillMetaTool)a.agent->tools.entries[i].meta)->description);
  }
  /* Everything that was sent before is sent again unchanged. */
  assert_true(a.turn.prefix_tokens * 10 > a.turn.context_tokens * 8);
}

static void an_opened_skill_describes_its_tools(void **state) {
  (void)state;
  agents_open(&a, OPEN("calc") "," OPEN("reader") "," OPEN("reader") "," DONE);
  agents_turn(&a, "go");
  has(said(2),
      "Tools, each called through the one that \"call\" names:\n"
      "{\"name\":\"add\",\"call\":\"tool_call_write\",\"description\":\"Adds two numbers.\",\"input_schema\":{");
  has(said(2), "{\"name\":\"wipe\",\"call\":\"tool_call_destructive\"");
  has(said(2), "Say the sum");
  has(said(4),
      "{\"name\":\"peek\",\"call\":\"tool_call_read\",\"description\":\"Looks.\","
      "\"input_schema\":{\"type\":\"object\"}}\n");
  has(said(4), "{\"name\":\"peek_and_burn\",\"call\":\"tool_call_destructive\"");
  has(a.answer, "open already");
  lacks(a.answer, "input_schema"); /* which is above, with the instructions */
}

static void a_tool_can_be_described_alone(void **state) {
  (void)state;
  agents_open(&a,
              CALL("tool_describe", "{\"name\":\"peek\"}") "," OPEN("reader") "," CALL(
                  "tool_describe", "{\"name\":\"peek\"}") "," CALL("tool_describe", "{\"name\":\"peeky\"}") "," DONE);
  agents_turn(&a, "go");
  has(said(2), "'peek' is a tool of the skill reader, which is not open: open it with skill_open");
  has(said(6), "{\"name\":\"peek\",\"call\":\"tool_call_read\"");
  has(a.answer, "There is no tool 'peeky'; did you mean peek");
}

static void what_the_host_activates_is_described_once(void **state) {
  (void)state;
  a.profile.preactivate = true;
  agents_open(&a,
              "{\"text\":\"1\",\"expect\":{\"any\":\"\\\"name\\\":\\\"add\\\",\\\"call\\\":\\\"tool_call_write\\\"\"}}"
              "," THROUGH("write", "add", "{\"a\":1,\"b\":1}") "," DONE);
  agents_turn(&a, "adds numbers for sums");
  assert_string_equal(a.answer, "1");
  SkillConversation *talk = skill_agent_conversation(a.agent);
  assert_string_equal(skill_conversation_at(talk, 0)->origin, "tools:calc");
  agents_turn(&a, "adds numbers for sums again");
  assert_string_equal(a.answer, "2");
  size_t described = 0;
  for (size_t i = 0; i < skill_conversation_count(talk); i++) {
    const char *origin = skill_conversation_at(talk, i)->origin;
    described += origin && strcmp(origin, "tools:calc") == 0;
  }
  assert_int_equal(described, 1);
}

static void a_skill_the_user_names_has_its_tools_described(void **state) {
  (void)state;
  agents_open(&a, THROUGH("write", "add", "{\"a\":1,\"b\":2}") "," DONE);
  agents_turn(&a, "use @calc");
  assert_string_equal(a.answer, "3");
  assert_string_equal(skill_conversation_at(skill_agent_conversation(a.agent), 1)->origin, "tools:calc");
}

static void own_tools_can_have_other_names(void **state) {
  (void)state;
  a.profile.names[SKILL_META_OPEN] = "open_skill";
  a.profile.names[SKILL_META_CALL_WRITE] = "do";
  agents_open(
      &a, CALL("open_skill", "{\"name\":\"calc\"}") "," CALL(
              "do", "{\"name\":\"add\",\"arguments\":{\"a\":1,\"b\":2}}") "," DONE
                                                                          ",{\"text\":\"x\",\"expect\":{\"tools\":["
                                                                          "\"open_skill\",\"do\",\"skill_search\"],"
                                                                          "\"not_tools\":[\"skill_open\"],"
                                                                          "\"any\":\"open it with "
                                                                          "open_skill\",\"never\":\"skill_open \"}}");
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "3");
  has(said(2), "\"call\":\"do\"");
  assert_string_equal(skill_conversation_at(skill_agent_conversation(a.agent), 2)->origin, "skill:calc");
  agents_turn(&a, "again");
  assert_string_equal(a.answer, "x");
}

static void names_that_cannot_be_used_are_refused(void **state) {
  (void)state;
  SkillError err = SKILL_ERROR_INIT;
  SkillAgent *agent = NULL;
  agents_open(&a, DONE);
  a.profile.names[SKILL_META_OPEN] = "open skill";
  assert_int_equal(skill_agent_new(&a.options, &agent, &err), SKILL_EINVAL);
  has(err.message, "skill_open cannot be named 'open skill'");
  skill_error_clear(&err);
  a.profile.names[SKILL_META_OPEN] = "skill_search";
  assert_int_equal(skill_agent_new(&a.options, &agent, &err), SKILL_EINVAL);
  has(err.message, "skill_search and skill_open cannot both be named");
}

/* --- what reaches the tool ---------------------------------------------------------------------------------------- */

static void arguments_reach_the_tool_as_they_were_written(void **state) {
  (void)state;
  agents_open(&a,
              OPEN("reader") "," CALL(
                  "tool_call_read",
                  "\"{ \\\"argum\\\\u0065nts\\\" : {\\\"id\\\": 12345678901234567890, \\\"s\\\":\\\"}\\\\\\\"{,\\\"}"
                  " , \\\"name\\\":\\\"peek\\\"}\"") "," CALL("tool_call_read", "{\"name\":\"peek\"}") "," DONE);
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "seen");
  assert_string_equal(peeked, "{\"id\": 12345678901234567890, \"s\":\"}\\\"{,\"}\n{}\n");
}

static void the_gateway_sees_the_tool_itself(void **state) {
  (void)state;
  agents_open(&a, OPEN("calc") "," THROUGH("write", "add", "{\"a\":2,\"b\":3}") "," DONE);
  agents_turn(&a, "go");
  has(a.states.data, "add:pending add:running add:success");
  lacks(a.states.data, "tool_call");
  has(logged.data, "\"tool\":\"add\",\"skill\":\"calc\",\"state\":\"pending\",\"arguments\":\"{\\\"a\\\":2");
  lacks(logged.data, "tool_call_write");
  /* The conversation holds the model's own text. */
  const SkillMessage *asking = skill_conversation_at(skill_agent_conversation(a.agent), 3);
  assert_string_equal(asking->calls[0].name, "tool_call_write");
}

static void arguments_are_checked_by_the_tools_own_schema(void **state) {
  (void)state;
  agents_open(&a, OPEN("calc") "," THROUGH("write", "add", "{\"a\":2}") "," DONE);
  agents_turn(&a, "go");
  has(a.answer, "the arguments do not fit");
  assert_int_equal(a.added, 0);
}

static void a_dangerous_tool_waits_for_approval(void **state) {
  (void)state;
  agents_open(&a, OPEN("calc") "," THROUGH("destructive", "wipe", "{}") "," DONE);
  assert_int_equal(agents_start(&a, "go"), 0);
  while (!a.approvals) skill_loop_run_once(a.loop, 1000);
  SkillCallInfo info;
  assert_true(skill_agent_awaiting(a.agent, 0, &info));
  assert_string_equal(info.tool, "wipe");
  assert_string_equal(info.skill, "calc");
  assert_true(info.dangerous);
  assert_int_equal(a.wiped, 0);
  assert_int_equal(skill_agent_decide(a.agent, a.approval_id, true, NULL), 0);
  agents_wait(&a, 1);
  assert_int_equal(a.wiped, 1);
}

static void the_same_failing_call_is_refused_whichever_way(void **state) {
  (void)state;
#define BAD THROUGH("write", "add", "{\"a\":1,\"b\":\"x\"}")
  agents_open(&a, OPEN("calc") "," BAD "," BAD "," BAD "," BAD "," DONE);
  agents_turn(&a, "go");
  assert_int_equal(a.added, 0);
  has(a.answer, "the arguments do not fit"); /* rejected calls did not run, so they are not failures */
}

static void the_tool_of_an_evicted_skill_wakes_it(void **state) {
  (void)state;
  a.loader.max_active = 1;
  agents_open(&a, OPEN("calc") "," OPEN("guide") "," THROUGH("write", "add", "{\"a\":1,\"b\":1}") "," DONE);
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "2");
  has(a.events.data, "evicted:calc");
}

static void a_fork_has_them_too(void **state) {
  (void)state;
  agents_open(&a, OPEN("helper") ","
              "{\"calls\":[{\"name\":\"tool_call_write\",\"arguments\":{\"name\":\"add\",\"arguments\":{\"a\":3,\"b\":4}}}],"
              "\"expect\":{\"any\":\"\\\"name\\\":\\\"add\\\",\\\"call\\\":\\\"tool_call_write\\\"\",\"not_tools\":\"add\"}},"
              DONE "," DONE);
  agents_turn(&a, "go");
  has(a.answer, "7");
  assert_int_equal(a.turn.forks, 1);
}

static void a_saved_conversation_goes_on(void **state) {
  (void)state;
  agents_open(&a, OPEN("calc") ",{\"text\":\"saved\"}," THROUGH("write", "add", "{\"a\":4,\"b\":4}") "," DONE);
  agents_turn(&a, "go");
  char *text = NULL;
  size_t length = 0;
  SkillConversation *loaded = NULL;
  assert_int_equal(skill_conversation_save(skill_agent_conversation(a.agent), &text, &length, NULL), 0);
  assert_int_equal(skill_conversation_load(text, length, &loaded, NULL), 0);
  skill_free(text);
  skill_agent_free(a.agent);
  a.agent = NULL;
  assert_int_equal(skill_agent_new(&a.options, &a.agent, NULL), 0);
  assert_int_equal(skill_agent_set_conversation(a.agent, loaded), 0);
  agents_turn(&a, "go on");
  assert_string_equal(a.answer, "8");
}

/* --- what is refused ---------------------------------------------------------------------------------------------- */

static void a_tool_called_through_the_wrong_one_is_refused(void **state) {
  (void)state;
  agents_open(
      &a,
      OPEN("calc") "," OPEN("reader") "," THROUGH("read", "wipe", "{}") "," THROUGH("write", "wipe", "{}") "," THROUGH(
          "read", "add", "{\"a\":1,\"b\":1}") "," THROUGH("destructive", "peek",
                                                          "{}") "," THROUGH("read", "peek_and_burn", "{}") "," DONE);
  agents_turn(&a, "go");
  has(said(6), "wipe: it is marked dangerous; call it with tool_call_destructive");
  has(said(8), "wipe: it is marked dangerous; call it with tool_call_destructive");
  has(said(10), "add: it may change something; call it with tool_call_write");
  has(said(12), "peek: it only reads; call it with tool_call_read");
  has(said(14), "peek_and_burn: it is marked dangerous");
  assert_int_equal(a.wiped + a.added + a.approvals, 0);
  assert_string_equal(peeked, "");
  has(a.events.data, "denied:calc");
  has(logged.data, "\"tool\":\"wipe\",\"skill\":\"calc\",\"state\":\"rejected\"");
}

static void a_tool_that_is_not_in_the_list_is_not_called_by_its_name(void **state) {
  (void)state;
  agents_open(&a, OPEN("calc") "," CALL("add", "{\"a\":1,\"b\":1}") "," DONE);
  agents_turn(&a, "go");
  has(a.answer, "call it with tool_call_write");
  assert_int_equal(a.added, 0);
}

static void own_tools_are_not_called_through_them(void **state) {
  (void)state;
  agents_open(&a, THROUGH("read", "skill_open", "{\"name\":\"guide\"}") "," THROUGH(
                      "read", "tool_call_destructive", "{\"name\":\"wipe\"}") "," THROUGH("read", "tool_call_read",
                                                                                          "{}") "," DONE);
  agents_turn(&a, "go");
  has(said(2), "call it by its own name, not through tool_call_read");
  has(said(4), "call it by its own name");
  has(a.answer, "call it by its own name");
  assert_int_equal(a.wiped, 0);
}

static const char *banned_skills[] = {"CALC"};
static const char *banned_tools[] = {"Peek"};
static SkillPermissions permissions;

static void a_denied_skills_tools_are_nowhere(void **state) {
  (void)state;
  permissions = (SkillPermissions)SKILL_PERMISSIONS_INIT;
  permissions.disabled_skills = (SkillStrings){banned_skills, 1};
  a.options.permissions = &permissions;
  agents_open(&a, OPEN("calc") "," CALL("tool_describe", "{\"name\":\"add\"}") "," THROUGH(
                      "write", "add", "{\"a\":1,\"b\":1}") "," THROUGH("write", "ADD", "{\"a\":1,\"b\":1}") "," DONE);
  agents_turn(&a, "@calc go");
  has(said(2), "There is no skill 'calc'");
  has(said(4), "a tool of the skill helper"); /* which also has a tool of that name */
  lacks(said(4), "calc");
  has(said(6), "there is no tool 'add'");
  has(a.answer, "there is no tool 'ADD'");
  assert_int_equal(a.added, 0);
}

static void a_disabled_tool_is_described_nowhere_and_not_called(void **state) {
  (void)state;
  permissions = (SkillPermissions)SKILL_PERMISSIONS_INIT;
  permissions.disabled_tools = (SkillStrings){banned_tools, 1};
  a.options.permissions = &permissions;
  agents_open(
      &a, CALL("tool_describe", "{\"name\":\"peek\"}") "," OPEN("reader") "," CALL(
              "tool_describe", "{\"name\":\"peek\"}") "," THROUGH("read", "peek", "{}") "," THROUGH("read", "peekaboo",
                                                                                                    "{}") "," DONE);
  agents_turn(&a, "go");
  lacks(said(2), "reader");
  lacks(said(4), "\"peek\"");
  has(said(4), "peek_and_burn");
  has(said(6), "There is no tool 'peek'");
  has(said(8), "peek is not allowed: the tool is disabled");
  lacks(a.answer, "did you mean peek,");
  lacks(a.answer, "did you mean peek?");
  assert_string_equal(peeked, "");
}

static void two_names_in_one_call_are_not_taken(void **state) {
  (void)state;
  agents_open(&a, OPEN("calc") "," OPEN("reader") ","
              CALL("tool_call_read", "\"{\\\"name\\\":\\\"peek\\\",\\\"name\\\":\\\"wipe\\\"}\"") ","
              CALL("tool_call_read", "\"{\\\"name\\\":\\\"peek\\\",\\\"n\\\\u0061me\\\":\\\"wipe\\\"}\"") ","
              CALL("tool_call_read", "{\"name\":\"peek\",\"tool\":\"wipe\"}") ","
              CALL("tool_call_read", "\"{\\\"name\\\":\\\"peek\\\"\"") "," CALL("tool_call_read", "[\"peek\"]") ","
              CALL("tool_call_read", "{\"name\":\"peek\",\"arguments\":\"{}\"}") "," CALL("tool_call_read", "{}") "," DONE);
  agents_turn(&a, "go");
  assert_int_equal(a.turn.status, 0);
  for (size_t i = 6; i <= 18; i += 2) has(said(i), "the arguments ");
  assert_string_equal(peeked, "");
  assert_int_equal(a.wiped, 0);
}

static void the_ceiling_of_an_opened_skill_holds(void **state) {
  (void)state;
  agents_open(&a, OPEN("calc") "," OPEN("strict") "," THROUGH("write", "hold", "{}") "," THROUGH(
                      "write", "add", "{\"a\":1,\"b\":1}") "," DONE);
  agents_turn(&a, "go");
  has(said(6), "hold: not among the allowed-tools of the opened skill");
  assert_string_equal(a.answer, "2");
  assert_int_equal(a.held, 0);
}

static void forks_have_their_parents_permissions(void **state) {
  (void)state;
  static const char *no_add[] = {"Add"};
  permissions = (SkillPermissions)SKILL_PERMISSIONS_INIT;
  permissions.disabled_tools = (SkillStrings){no_add, 1};
  a.options.permissions = &permissions;
  agents_open(&a, OPEN("helper") "," THROUGH("write", "add", "{\"a\":1,\"b\":1}") "," DONE "," DONE);
  agents_turn(&a, "go");
  has(a.answer, "the tool is disabled");
  assert_int_equal(a.added, 0);
}

static void a_call_that_may_have_run_waits_after_a_restart(void **state) {
  (void)state;
  static const char saved[] =
      "{\"version\":1,\"messages\":[{\"role\":\"user\",\"text\":\"go\"},{\"role\":\"assistant\",\"calls\":[{\"id\":"
      "\"c1\","
      "\"name\":\"tool_call_write\",\"arguments\":\"{\\\"name\\\":\\\"add\\\",\\\"arguments\\\":{\\\"a\\\":1,\\\"b\\\":"
      "5}}\"}]}]}";
  SkillConversation *loaded = NULL;
  SkillError err = SKILL_ERROR_INIT;
  agents_open(&a, DONE);
  if (skill_conversation_load(saved, strlen(saved), &loaded, &err)) fail_msg("%s", err.message);
  assert_int_equal(skill_agent_set_conversation(a.agent, loaded), 0);
  assert_int_equal(skill_agent_resume(a.agent, agents_on_turn, &a, NULL), 0);
  while (!a.approvals) skill_loop_run_once(a.loop, 1000);
  assert_int_equal(a.added, 0);
  assert_int_equal(skill_agent_decide(a.agent, a.approval_id, true, NULL), 0);
  agents_wait(&a, 1);
  assert_string_equal(a.answer, "6");
}

/* --- left to the provider's search -------------------------------------------------------------------------------- */

static void more_tools_than_a_provider_searches_are_left_out_and_told(void **state) {
  (void)state;
  enum { SKILLS = 95, TOOLS = 100 };
  static SkillTool many[TOOLS];
  static char names[TOOLS][16];
  for (int i = 0; i < SKILLS; i++) {
    char name[32];
    snprintf(name, sizeof name, "many-%02d", i);
    for (int k = 0; k < TOOLS; k++) {
      snprintf(names[k], sizeof names[k], "t%02d_%02d", i, k);
      many[k] = (SkillTool){.name = names[k], .description = "One of many.", .call = peek};
    }
    SkillDef def = {.metadata = {.name = name, .description = "Many.", .tools = many, .tool_count = TOOLS},
                    .body = "x"};
    assert_int_equal(skill_registry_add(a.registry, &def, NULL, NULL), 0);
  }
  a.profile.offered = SKILL_TOOLS_DEFERRED;
  agents_open(&a, CALL("t00_99", "{}") "," DONE);
  a.model->flags |= SKILL_MODEL_TOOL_SEARCH;
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "seen");
  has(a.events.data, "activated:many-00");
  has(a.events.data, "degraded:");
  const SkillTool *tools = NULL;
  size_t count = skill_agent_tools(a.agent, &tools);
  assert_true(count > 8800 && count <= 9000);
  assert_true(a.agent->tools.deferred_from < 10);
  assert_true(a.turn.context_tokens < 5000); /* deferred tools cost no tokens */
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(the_tool_list_never_changes),
      T(an_opened_skill_describes_its_tools),
      T(a_tool_can_be_described_alone),
      T(what_the_host_activates_is_described_once),
      T(a_skill_the_user_names_has_its_tools_described),
      T(own_tools_can_have_other_names),
      T(names_that_cannot_be_used_are_refused),
      T(arguments_reach_the_tool_as_they_were_written),
      T(the_gateway_sees_the_tool_itself),
      T(arguments_are_checked_by_the_tools_own_schema),
      T(a_dangerous_tool_waits_for_approval),
      T(the_same_failing_call_is_refused_whichever_way),
      T(the_tool_of_an_evicted_skill_wakes_it),
      T(a_fork_has_them_too),
      T(a_saved_conversation_goes_on),
      T(a_tool_called_through_the_wrong_one_is_refused),
      T(a_tool_that_is_not_in_the_list_is_not_called_by_its_name),
      T(own_tools_are_not_called_through_them),
      T(a_denied_skills_tools_are_nowhere),
      T(a_disabled_tool_is_described_nowhere_and_not_called),
      T(two_names_in_one_call_are_not_taken),
      T(the_ceiling_of_an_opened_skill_holds),
      T(forks_have_their_parents_permissions),
      T(a_call_that_may_have_run_waits_after_a_restart),
      T(more_tools_than_a_provider_searches_are_left_out_and_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
