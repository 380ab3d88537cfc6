/* SPDX-License-Identifier: MIT
 *
 * Forks and permissions: sub-agents, their limits, and known ways to bypass a ban.
 */
#include <stdio.h>
#include <string.h>

#include "agent/internal.h"
#include "lib/agents.h"
#include "lib/contains.h"
#include "skillet/sys/alloc.h"

static struct agents a;

/* --- forks -------------------------------------------------------------------------------------------------------- */

/* The turns of the script are used in the order of the requests, regardless of which agent sends them. */
static void a_fork_runs_apart_and_returns_its_answer_and_cost(void **state) {
  (void)state;
  agents_open(&a,
              "{\"calls\":[{\"name\":\"skill_open\",\"arguments\":{\"name\":\"helper\",\"args\":\"of June\"}}],"
              "\"usage\":{\"input_tokens\":100,\"output_tokens\":10}},"
              "{\"calls\":[{\"name\":\"add\",\"arguments\":{\"a\":3,\"b\":4}}],\"usage\":{\"input_tokens\":50,\"output_"
              "tokens\":5},"
              "\"expect\":{\"last\":\"Sum the accounts: of June\",\"tools\":\"add\",\"not_tools\":\"skill_search\","
              "\"never\":[\"available_skills\",\"the parent asks\",\"skill_search\"]}},"
              "{\"text\":\"June is {{last}}.\",\"usage\":{\"input_tokens\":60,\"output_tokens\":6}},"
              "{\"text\":\"Told: {{last}}\",\"usage\":{\"input_tokens\":200,\"output_tokens\":20}}");
  agents_turn(&a, "the parent asks");
  has(a.answer, "Told: [helper ran as a sub-agent: 2 requests, 1 calls, 121 tokens]\nJune is 7.");
  assert_int_equal(a.turn.requests, 4);
  assert_int_equal(a.turn.calls, 2);
  assert_int_equal(a.turn.forks, 1);
  assert_int_equal(a.turn.usage.input_tokens, 410);
  has(a.events.data, "forked:helper");
  /* The parent's conversation holds the call and its result, and nothing of the fork. */
  assert_int_equal(skill_conversation_count(skill_agent_conversation(a.agent)), 4);
  assert_null(a.agent->forks);
}

static void a_fork_with_history_knows_what_was_said(void **state) {
  (void)state;
  agents_open(
      &a,
      OPEN("historian") ",{\"text\":\"you said blue\",\"expect\":{\"any\":\"my colour is blue\"}},{\"text\":\"ok\"}");
  agents_turn(&a, "my colour is blue");
  assert_string_equal(a.answer, "ok");
  has(agents_last(&a, SKILL_ROLE_TOOL), "you said blue");
}

static void forks_nest_so_deep_and_no_deeper(void **state) {
  (void)state;
  agents_open(&a, OPEN("nested") "," OPEN("helper") ",{\"text\":\"sum done\",\"expect\":{\"not_tools\":\"skill_open\"}},{\"text\":\"nested done\"},"
                  "{\"text\":\"all done\"}");
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "all done");
  assert_int_equal(a.turn.forks, 2);
  has(agents_last(&a, SKILL_ROLE_TOOL), "nested done");
}

static void with_depth_one_a_fork_cannot_fork(void **state) {
  (void)state;
  a.profile.fork_depth = 1;
  agents_open(&a, OPEN("nested") "," OPEN("helper") ",{\"text\":\"I could not: {{last}}\"},{\"text\":\"{{last}}\"}");
  agents_turn(&a, "go");
  has(a.answer, "there is no tool 'skill_open'");
  assert_int_equal(a.turn.forks, 1);
}

static void a_fork_cannot_run_itself_again(void **state) {
  (void)state;
  a.profile.fork_depth = 8;
  agents_open(&a, OPEN("nested") "," OPEN("nested") ",{\"text\":\"{{last}}\"},{\"text\":\"{{last}}\"}");
  agents_turn(&a, "go");
  has(a.answer, "nested runs already");
  assert_int_equal(a.turn.forks, 1);
}

static void a_cycle_of_forks_is_refused(void **state) {
  (void)state;
  a.profile.fork_depth = 8;
  agents_open(&a, OPEN("nested") "," OPEN("helper") "," OPEN(
                      "nested") ",{\"text\":\"helper: {{last}}\"},{\"text\":\"{{last}}\"},{\"text\":\"{{last}}\"}");
  agents_turn(&a, "go");
  has(a.answer, "nested runs already");
  assert_int_equal(a.turn.forks, 2);
}

static void one_purse_for_the_whole_tree(void **state) {
  (void)state;
  a.profile.total_tokens = 130;
  agents_open(
      &a,
      "{\"calls\":[{\"name\":\"skill_open\",\"arguments\":{\"name\":\"helper\"}}],\"usage\":{\"input_tokens\":100}},"
      "{\"calls\":[{\"name\":\"add\",\"arguments\":{\"a\":1,\"b\":1}}],\"usage\":{\"input_tokens\":40}},"
      "{\"text\":\"never reached\"}");
  agents_turn(&a, "go");
  assert_int_equal(a.turn.end, SKILL_TURN_LIMIT);
  has(agents_last(&a, SKILL_ROLE_TOOL), "did not finish: the budget of 130 tokens");
  assert_int_equal(a.turn.requests, 2);
}

static void calls_of_forks_count_as_well(void **state) {
  (void)state;
  a.profile.max_calls = 2;
  agents_open(&a,
              OPEN("helper") "," ADD("1", "1") "," ADD("2", "2") ",{\"text\":\"{{last}}\"},{\"text\":\"{{last}}\"}");
  agents_turn(&a, "go");
  assert_int_equal(a.added, 1);
  has(a.answer, "no more tool calls");
}

static void what_a_hub_lacks_is_named_with_the_skill_that_asked(void **state) {
  (void)state;
  SkillModelHub *models = NULL;
  assert_int_equal(skill_model_hub_new(&models), 0);
  a.options.models = models;
  agents_open(&a, OPEN("picky") "," OPEN("staffed") "," OPEN(
                      "inline-model") ",{\"text\":\"x\",\"expect\":{\"last\":\"Inline.\"}}");
  SkillModel *small = a.model;
  assert_int_equal(skill_model_hub_add(models, "small", small), 0);
  assert_int_equal(skill_model_hub_add(models, "small", small), SKILL_EEXISTS);
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "x"); /* the model of an inline skill is not looked up */
  SkillConversation *talk = skill_agent_conversation(a.agent);
  const char *picky = skill_conversation_at(talk, 2)->text;
  has(picky, "picky");
  has(picky, "skills/picky/SKILL.md");
  has(picky, "model: vendor.model-v9[1m]");
  has(picky, "there are small");
  has(skill_conversation_at(talk, 4)->text, "staffed");
  has(skill_conversation_at(talk, 4)->text, "agent: Explore");
  skill_agent_free(a.agent);
  a.agent = NULL;
  skill_model_hub_free(models);
}

static void an_agent_of_the_hub_gives_the_fork_its_profile(void **state) {
  (void)state;
  SkillAgentHub *agents = NULL;
  SkillProfile explorer = SKILL_PROFILE_INIT;
  explorer.system = "You explore.";
  assert_int_equal(skill_agent_hub_new(&agents), 0);
  assert_int_equal(skill_agent_hub_add(agents, "Explore", &explorer), 0);
  a.options.agents = agents;
  agents_open(&a,
              OPEN("staffed") ",{\"text\":\"found\",\"expect\":{\"any\":\"You explore.\"}},{\"text\":\"{{last}}\"}");
  agents_turn(&a, "go");
  has(a.answer, "found");
  skill_agent_free(a.agent);
  a.agent = NULL;
  skill_agent_hub_free(agents);
}

static void canceling_the_parent_ends_the_fork(void **state) {
  (void)state;
  agents_open(&a, OPEN("helper") ",{\"hang\":true},{\"text\":\"fine\"}");
  assert_int_equal(agents_start(&a, "go"), 0);
  while (!a.agent->forks || a.agent->forks->state != SKILL__AGENT_MODEL) skill_loop_run_once(a.loop, 1000);
  assert_int_equal(skill_agent_cancel(a.agent), 0);
  agents_wait(&a, 1);
  assert_int_equal(a.turn.end, SKILL_TURN_CANCELED);
  assert_int_equal(skill_conversation_open_calls(skill_agent_conversation(a.agent)), 0);
  agents_turn(&a, "again");
  assert_string_equal(a.answer, "fine");
}

static void freeing_the_parent_frees_a_running_fork(void **state) {
  (void)state;
  agents_open(&a, OPEN("helper") ",{\"hang\":true}");
  assert_int_equal(agents_start(&a, "go"), 0);
  while (!a.agent->forks || a.agent->forks->state != SKILL__AGENT_MODEL) skill_loop_run_once(a.loop, 1000);
  skill_agent_free(a.agent);
  a.agent = NULL;
  assert_int_equal(a.turns, 0);
}

static void a_forks_dangerous_call_asks_the_same_user(void **state) {
  (void)state;
  SkillTool host = {.name = "launch", .flags = SKILL_TOOL_DANGEROUS};
  a.options.tools = &host;
  a.options.tool_count = 1;
  agents_open(&a, OPEN("helper") ",{\"calls\":[{\"name\":\"launch\",\"arguments\":{}}]},{\"text\":\"{{last}}\"},{\"text\":\"{{last}}\"}");
  assert_int_equal(agents_start(&a, "go"), 0);
  while (!a.approvals) skill_loop_run_once(a.loop, 1000);
  SkillCallInfo info;
  assert_true(skill_agent_awaiting(a.agent, 0, &info));
  assert_string_equal(info.id, a.approval_id);
  assert_int_equal(skill_agent_decide(a.agent, a.approval_id, false, "not from a fork"), 0);
  agents_wait(&a, 1);
  has(a.answer, "not from a fork");
}

/* --- permissions ------------------------------------------------------------------------------------------------ */

static const char *banned[] = {"Secret", "HELPER"};
static SkillPermissions permissions;

static void ban(void) {
  permissions = (SkillPermissions)SKILL_PERMISSIONS_INIT;
  permissions.disabled_skills = (SkillStrings){banned, 2};
  a.options.permissions = &permissions;
}

static void a_denied_skill_is_nowhere(void **state) {
  (void)state;
  ban();
  agents_open(&a,
              "{\"calls\":[{\"name\":\"skill_search\",\"arguments\":{\"query\":\"secret recipes of sums\"}}],"
              "\"expect\":{\"never\":[\"- secret\",\"- helper\"]}},"
              "{\"calls\":[{\"name\":\"skill_search\",\"arguments\":{\"query\":\"select:secret,helper\"}}]}," OPEN("secret") ","
              OPEN("SECRET") "," OPEN("helper") ",{\"text\":\"done\",\"expect\":{\"never\":\"The secret body\"}}");
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "done");
  assert_int_equal(a.turn.forks, 0);
  SkillConversation *talk = skill_agent_conversation(a.agent);
  lacks(skill_conversation_at(talk, 2)->text, "\"secret\"");
  lacks(skill_conversation_at(talk, 4)->text, "\"secret\"");
  has(skill_conversation_at(talk, 6)->text, "There is no skill 'secret'");
  lacks(skill_conversation_at(talk, 8)->text, "did you mean secret");
  has(skill_conversation_at(talk, 10)->text, "There is no skill 'helper'");
  has(a.events.data, "denied:secret");
}

static void a_denied_skills_files_scripts_and_mentions_are_denied_too(void **state) {
  (void)state;
  ban();
  agents_open(&a,
              "{\"calls\":[{\"name\":\"skill_read\",\"arguments\":{\"name\":\"secret\",\"path\":\"a.md\"}},"
              "{\"name\":\"skill_run\",\"arguments\":{\"name\":\"secret\",\"script\":\"scripts/a.sh\"}}]},"
              "{\"text\":\"done\",\"expect\":{\"never\":\"The secret body\"}}");
  agents_turn(&a, "read @secret and @SECRET");
  assert_string_equal(a.answer, "done");
}

static void two_names_in_one_call_are_not_taken(void **state) {
  (void)state;
  ban();
  agents_open(&a,
              "{\"calls\":[{\"name\":\"skill_open\",\"arguments\":\"{\\\"name\\\":\\\"guide\\\",\\\"name\\\":"
              "\\\"secret\\\"}\"},"
              "{\"name\":\"skill_open\",\"arguments\":\"{\\\"name\\\":\\\"guide\\\",\\\"id\\\":\\\"secret\\\"}\"},"
              "{\"name\":\"skill_open\",\"arguments\":\"{\\\"name\\\":\\\"guide\\\"\"}]},"
              "{\"text\":\"done\",\"expect\":{\"never\":[\"The secret body\",\"Begin with the oldest\"]}}");
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "done");
}

static void forks_have_their_parents_permissions(void **state) {
  (void)state;
  static const char *no_add[] = {"Add"};
  permissions = (SkillPermissions)SKILL_PERMISSIONS_INIT;
  permissions.disabled_tools = (SkillStrings){no_add, 1};
  a.options.permissions = &permissions;
  agents_open(&a, OPEN("helper") "," ADD("1", "1") ",{\"text\":\"{{last}}\"},{\"text\":\"{{last}}\"}");
  agents_turn(&a, "go");
  has(a.answer, "the tool is disabled");
  assert_int_equal(a.added, 0);
}

static void an_allow_list_of_skills_leaves_the_others_out(void **state) {
  (void)state;
  static const char *only[] = {"guide"};
  permissions = (SkillPermissions)SKILL_PERMISSIONS_INIT;
  permissions.allowed_skills = (SkillStrings){only, 1};
  permissions.allowed_skills_set = true;
  a.options.permissions = &permissions;
  agents_open(&a, OPEN("calc") "," OPEN("guide") ",{\"text\":\"done\",\"expect\":{\"last\":\"Begin with the oldest\",\"never\":\"Always write short\"}}");
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "done");
}

static void allowed_tools_are_a_ceiling(void **state) {
  (void)state;
  agents_open(&a, OPEN("calc") "," OPEN("strict") ",{\"calls\":[{\"name\":\"hold\",\"arguments\":{}},{\"name\":\"add\",\"arguments\":{\"a\":1,\"b\":1}}]},"
                  "{\"text\":\"{{last}}\"}");
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "2");
  assert_int_equal(a.held, 0);
  SkillConversation *talk = skill_agent_conversation(a.agent);
  has(skill_conversation_at(talk, 6)->text, "allowed-tools of the opened skill");
}

static void or_a_grant(void **state) {
  (void)state;
  a.profile.allowed = SKILL_ALLOWED_GRANT;
  a.profile.approval = SKILL_APPROVAL_ALL;
  agents_open(&a, OPEN("calc") "," OPEN("strict") "," ADD("1", "1") ",{\"text\":\"{{last}}\"}");
  agents_turn(&a, "go"); /* add is granted: there is no question */
  assert_string_equal(a.answer, "2");
  assert_int_equal(a.approvals, 0);
}

static void an_assistant_can_make_a_skill_always_on(void **state) {
  (void)state;
  static SkillPreference own[] = {{.skill = "guide", .mode_set = true, .mode = SKILL_MODE_ALWAYS},
                                  {.skill = "style", .mode_set = true, .mode = SKILL_MODE_LAZY}};
  permissions = (SkillPermissions)SKILL_PERMISSIONS_INIT;
  permissions.preferences = own;
  permissions.preference_count = 2;
  a.options.permissions = &permissions;
  agents_open(&a,
              "{\"text\":\"ok\",\"expect\":{\"any\":[\"Begin with the oldest\",\"- style\"],\"never\":[\"- "
              "guide\",\"Always write short\"]}}");
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "ok");
}

#define T(name) AGENTS_TEST(name, agents_begin, &a)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(a_fork_runs_apart_and_returns_its_answer_and_cost),
      T(a_fork_with_history_knows_what_was_said),
      T(forks_nest_so_deep_and_no_deeper),
      T(with_depth_one_a_fork_cannot_fork),
      T(a_fork_cannot_run_itself_again),
      T(a_cycle_of_forks_is_refused),
      T(one_purse_for_the_whole_tree),
      T(calls_of_forks_count_as_well),
      T(what_a_hub_lacks_is_named_with_the_skill_that_asked),
      T(an_agent_of_the_hub_gives_the_fork_its_profile),
      T(canceling_the_parent_ends_the_fork),
      T(freeing_the_parent_frees_a_running_fork),
      T(a_forks_dangerous_call_asks_the_same_user),
      T(a_denied_skill_is_nowhere),
      T(a_denied_skills_files_scripts_and_mentions_are_denied_too),
      T(two_names_in_one_call_are_not_taken),
      T(forks_have_their_parents_permissions),
      T(an_allow_list_of_skills_leaves_the_others_out),
      T(allowed_tools_are_a_ceiling),
      T(or_a_grant),
      T(an_assistant_can_make_a_skill_always_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
