/* SPDX-License-Identifier: MIT
 *
 * Cases in which a skill, a model's answer or bad timing must do no harm: a turn ends while skills are still starting,
 * what a sub-agent can reach, and what a change of conversation leaves behind.
 */
#include <stdio.h>
#include <string.h>

#include "agent/internal.h"
#include "lib/agents.h"
#include "lib/contains.h"
#include "skillet/sys/alloc.h"

static struct agents a;
static SkillCompletion *starting; /* of a skill whose init is pending */
static int inits;
static int launched;

static int setup(void **state) {
  agents_setup(*state);
  starting = NULL;
  inits = launched = 0;
  return 0;
}

static void start_late(Skill *skill, SkillCompletion *completion, void *user) {
  (void)skill;
  (void)user;
  inits++;
  starting = completion;
}

static void launch(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json;
  (void)user;
  launched++;
  skill_tool_call_finish(call, 0, "launched", 8);
}

static void add_skill(SkillMetadata metadata, const char *body, SkillInitCb init) {
  SkillDef def = {.metadata = metadata, .body = body, .init = init};
  assert_int_equal(skill_registry_add(a.registry, &def, NULL, NULL), 0);
}

static void add_late(SkillContext context) {
  static const SkillTool tool = {.name = "launch", .description = "Launches.", .call = launch};
  add_skill((SkillMetadata){.name = "late", .context = context, .tools = &tool, .tool_count = 1}, "The late body.",
            start_late);
}

static void until_started(int count) {
  for (int i = 0; i < 1000 && inits < count; i++) skill_loop_run_once(a.loop, 1000);
  assert_int_equal(inits, count);
}

/* Finishes the init and runs everything that follows from it. */
static void end_init(void) {
  skill_completion_finish(starting, 0, NULL);
  starting = NULL;
  for (int i = 0; i < 20; i++) skill_loop_run_once(a.loop, 0);
}

static void cancel(int turns) {
  assert_int_equal(skill_agent_cancel(a.agent), 0);
  agents_wait(&a, turns);
  assert_int_equal(a.turn.end, SKILL_TURN_CANCELED);
}

/* --- timing ------------------------------------------------------------------------------------------------------- */

static void a_fork_whose_skill_still_starts_does_not_run_after_a_cancel(void **state) {
  (void)state;
  add_late(SKILL_CONTEXT_FORK);
  agents_open(&a, OPEN("late") ",{\"text\":\"next\"},{\"text\":\"never\"}");
  assert_int_equal(agents_start(&a, "go"), 0);
  until_started(1);
  cancel(1);
  end_init();
  assert_null(a.agent->forks);
  agents_turn(&a, "and now?");
  assert_string_equal(a.answer, "next");
  assert_int_equal(a.turn.requests, 1);
}

static void an_agent_can_be_freed_while_the_skill_of_a_fork_starts(void **state) {
  (void)state;
  add_late(SKILL_CONTEXT_FORK);
  a.loader.init_timeout_ms = 1; /* the fixture's clock does not move: the close waits for the completion */
  agents_open(&a, OPEN("late"));
  assert_int_equal(agents_start(&a, "go"), 0);
  until_started(1);
  skill_completion_finish(starting, 0, NULL);
  skill_agent_free(a.agent);
  a.agent = NULL;
  assert_int_equal(a.turns, 0);
}

static void a_skill_that_was_opened_for_nobody_is_opened_in_full_later(void **state) {
  (void)state;
  add_late(SKILL_CONTEXT_INLINE);
  agents_open(&a, OPEN("late") "," OPEN("late") ",{\"text\":\"ok\",\"expect\":{\"last\":\"The late body.\"}}");
  assert_int_equal(agents_start(&a, "go"), 0);
  until_started(1);
  cancel(1);
  end_init();
  assert_int_equal(agents_start(&a, "again"), 0);
  for (int i = 0; i < 1000 && a.turns < 2 && !starting; i++) skill_loop_run_once(a.loop, 10);
  if (starting) end_init();
  agents_wait(&a, 2);
  assert_string_equal(a.answer, "ok");
}

static void a_call_whose_skill_is_woken_does_not_run_after_a_cancel(void **state) {
  (void)state;
  add_late(SKILL_CONTEXT_INLINE);
  agents_open(&a, OPEN("late") ",{\"text\":\"open\"},{\"calls\":[{\"name\":\"launch\",\"arguments\":{}}]}");
  assert_int_equal(agents_start(&a, "go"), 0);
  until_started(1);
  end_init();
  agents_wait(&a, 1);
  ProgressiveSkillLoader *loader = skill_agent_loader(a.agent);
  assert_int_equal(skill_loader_deactivate(loader, "late", NULL, NULL, NULL), 0);
  for (int i = 0; i < 20; i++) skill_loop_run_once(a.loop, 0);
  assert_int_equal(agents_start(&a, "launch"), 0);
  until_started(2);
  assert_int_equal(skill_agent_cancel(a.agent), 0);
  end_init();
  agents_wait(&a, 2);
  assert_int_equal(a.turn.end, SKILL_TURN_CANCELED);
  assert_int_equal(launched, 0);
}

/* --- sub-agents --------------------------------------------------------------------------------------------------- */

static void what_a_forks_body_mentions_is_not_attached(void **state) {
  (void)state;
  const char *roots[] = {"/data", NULL};
  add_skill((SkillMetadata){.name = "snoop", .context = SKILL_CONTEXT_FORK}, "Tell of @plan.md and @manual.", NULL);
  assert_int_equal(skill_fixture_file(a.fixture, "/data/plan.md", "hidden plan"), 0);
  a.options.roots = roots;
  agents_open(&a, OPEN("snoop") ",{\"text\":\"told\",\"expect\":{\"any\":\"Tell of @plan.md\",\"never\":[\"hidden plan\","
                                "\"The manual body\"]}},{\"text\":\"{{last}}\"}");
  agents_turn(&a, "go");
  has(a.answer, "told");
}

static void a_hosts_tool_is_forbidden_to_a_fork_by_its_own_name(void **state) {
  (void)state;
  static const char *const banned[] = {"launch now"};
  SkillTool host = {.name = "launch now", .call = launch};
  SkillPermissions permissions = SKILL_PERMISSIONS_INIT;
  permissions.disabled_tools = (SkillStrings){banned, 1};
  a.options.permissions = &permissions;
  a.options.tools = &host;
  a.options.tool_count = 1;
  agents_open(&a, OPEN("helper") ",{\"calls\":[{\"name\":\"launch_now\",\"arguments\":{}}]},{\"text\":\"{{last}}\"},"
                                 "{\"text\":\"{{last}}\"}");
  agents_turn(&a, "go");
  has(a.answer, "the tool is disabled");
  assert_int_equal(launched, 0);
}

static void a_profile_that_a_skill_names_is_no_laxer_than_the_one_above(void **state) {
  (void)state;
  SkillAgentHub *agents = NULL;
  SkillProfile lax = SKILL_PROFILE_INIT;
  SkillTool host = {.name = "launch", .call = launch, .flags = SKILL_TOOL_DANGEROUS};
  lax.approval = SKILL_APPROVAL_NONE;
  assert_int_equal(skill_agent_hub_new(&agents), 0);
  assert_int_equal(skill_agent_hub_add(agents, "Explore", &lax), 0);
  a.options.agents = agents;
  a.options.tools = &host;
  a.options.tool_count = 1;
  agents_open(&a, OPEN("staffed") ",{\"calls\":[{\"name\":\"launch\",\"arguments\":{}}]},{\"text\":\"{{last}}\"},"
                                  "{\"text\":\"{{last}}\"}");
  assert_int_equal(agents_start(&a, "go"), 0);
  for (int i = 0; i < 1000 && !a.approvals && !a.turns; i++) skill_loop_run_once(a.loop, 1000);
  assert_int_equal(a.approvals, 1);
  assert_int_equal(skill_agent_decide(a.agent, a.approval_id, false, NULL), 0);
  agents_wait(&a, 1);
  assert_int_equal(launched, 0);
  skill_agent_free(a.agent);
  a.agent = NULL;
  skill_agent_hub_free(agents);
}

/* --- conversations ------------------------------------------------------------------------------------------------ */

static void another_conversation_knows_nothing_of_the_one_before(void **state) {
  (void)state;
  SkillConversation *other = NULL;
  a.profile.result_bytes = 256;
  char body[2048];
  memset(body, 'x', sizeof body - 1);
  body[sizeof body - 1] = '\0';
  add_skill((SkillMetadata){.name = "long"}, body, NULL);
  agents_open(&a,
              "{\"calls\":[{\"id\":\"first\",\"name\":\"skill_open\",\"arguments\":{\"name\":\"long\"}},"
              "{\"name\":\"skill_open\",\"arguments\":{\"name\":\"strict\"}}]},{\"text\":\"1\"},"
              "{\"calls\":[{\"name\":\"result_read\",\"arguments\":{\"id\":\"first\",\"cursor\":0}}]},"
              "{\"text\":\"2\",\"expect\":{\"last\":\"No result is kept\"}}," OPEN("strict") ","
              "{\"text\":\"3\",\"expect\":{\"last\":\"Only add may be called.\"}}");
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "1");
  assert_non_null(a.agent->opened_last);
  assert_int_equal(skill_conversation_new(&other), 0);
  assert_int_equal(skill_agent_set_conversation(a.agent, other), 0);
  assert_null(a.agent->opened_last);
  agents_turn(&a, "what was said?");
  assert_string_equal(a.answer, "2");
  agents_turn(&a, "open it");
  assert_string_equal(a.answer, "3");
}

static void ids_that_a_server_chose_to_collide_stay_apart(void **state) {
  (void)state;
  agents_open(&a,
              "{\"calls\":[{\"id\":\"x_1\",\"name\":\"skill_open\",\"arguments\":{\"name\":\"guide\"}},"
              "{\"id\":\"x\",\"name\":\"skill_open\",\"arguments\":{\"name\":\"calc\"}},"
              "{\"id\":\"x\",\"name\":\"skill_open\",\"arguments\":{\"name\":\"strict\"}}]},{\"text\":\"ok\"}");
  agents_turn(&a, "go");
  const SkillMessage *asking = skill_conversation_at(skill_agent_conversation(a.agent), 1);
  assert_int_equal(asking->call_count, 3);
  assert_string_not_equal(asking->calls[0].id, asking->calls[2].id);
  assert_string_not_equal(asking->calls[1].id, asking->calls[2].id);
  has(agents_last(&a, SKILL_ROLE_TOOL), "Only add may be called.");
}

static void a_text_that_would_be_cut_at_a_nul_is_refused(void **state) {
  (void)state;
  const char *roots[] = {"/out", NULL};
  assert_int_equal(skill_fixture_folder(a.fixture, "/out"), 0);
  a.options.roots = a.options.writable = roots;
  a.profile.approval = SKILL_APPROVAL_NONE;
  agents_open(&a,
              "{\"calls\":[{\"name\":\"file_write\",\"arguments\":\"{\\\"path\\\":\\\"a\\\",\\\"text\\\":"
              "\\\"kept\\\\u0000lost\\\"}\"}]},{\"text\":\"{{last}}\"},"
              "{\"calls\":[{\"name\":\"file_write\",\"arguments\":\"{\\\"path\\\":\\\"a\\\",\\\"text\\\":"
              "\\\"kept\\\\\\\\u0000 too\\\"}\"}]},{\"text\":\"{{last}}\"}");
  agents_turn(&a, "go");
  has(a.answer, "hold a NUL");
  assert_null(skill_fixture_read(a.fixture, "/out/a", NULL));
  agents_turn(&a, "go on");
  assert_string_equal(skill_fixture_read(a.fixture, "/out/a", NULL), "kept\\u0000 too");
}

#define T(name) AGENTS_TEST(name, setup, &a)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(a_fork_whose_skill_still_starts_does_not_run_after_a_cancel),
      T(an_agent_can_be_freed_while_the_skill_of_a_fork_starts),
      T(a_skill_that_was_opened_for_nobody_is_opened_in_full_later),
      T(a_call_whose_skill_is_woken_does_not_run_after_a_cancel),
      T(what_a_forks_body_mentions_is_not_attached),
      T(a_hosts_tool_is_forbidden_to_a_fork_by_its_own_name),
      T(a_profile_that_a_skill_names_is_no_laxer_than_the_one_above),
      T(another_conversation_knows_nothing_of_the_one_before),
      T(a_text_that_would_be_cut_at_a_nul_is_refused),
      T(ids_that_a_server_chose_to_collide_stay_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
