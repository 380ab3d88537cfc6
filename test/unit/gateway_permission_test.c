/* SPDX-License-Identifier: MIT
 *
 * Who may call what: unknown tools, permissions, bans, approval.
 */
#include <stdio.h>
#include <string.h>

#include "lib/check.h"
#include "lib/gateway_stage.h"

static void an_unknown_tool_is_rejected_with_a_hint(void **state) {
  (void)state;
  gate_open();
  SkillTarget target = {.hint = "did you mean echo"};
  SkillCall call = {"1", "ecko", "{}"};
  assert_int_equal(skill_gateway_call(gate.gateway, &target, &call, gate_done, NULL, NULL), 0);
  gate_until(1);
  assert_int_equal(gate.last.status, SKILL_ENOENT);
  assert_non_null(strstr(gate.text, "ecko"));
  assert_non_null(strstr(gate.text, "did you mean echo"));
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
  gate.options.permissions = &p;
  gate_open();
  gate_ask_as("1", &gate_echo, "secret", "{}");
  gate_ask_as("2", &gate_echo, "SECRET", "{}");
  gate_until(2);
  assert_int_equal(gate.calls, 0);
  assert_int_equal(gate.last.status, SKILL_EDENIED);
  assert_string_equal(gate.trail.data, "1:pending 2:pending 1:rejected 2:rejected");
}

static void a_ban_holds_for_skillets_own_tools_and_an_allow_list_does_not(void **state) {
  (void)state;
  const char *disabled[] = {"Erase"};
  SkillPermissions p = SKILL_PERMISSIONS_INIT;
  p.disabled_tools = (SkillStrings){disabled, 1};
  p.allowed_tools_set = true;
  gate.options.permissions = &p;
  gate.options.approval = SKILL_APPROVAL_NONE;
  gate_open();
  SkillTarget target = {.tool = &gate_danger, .own = true};
  SkillCall call = {"1", "erase", "{}"};
  assert_int_equal(skill_gateway_call(gate.gateway, &target, &call, gate_done, NULL, NULL), 0);
  gate_until(1);
  assert_int_equal(gate.last.status, SKILL_EDENIED);
  target.tool = &gate_echo;
  call.name = "echo";
  assert_int_equal(skill_gateway_call(gate.gateway, &target, &call, gate_done, NULL, NULL), 0);
  gate_until(2);
  assert_int_equal(gate.last.state, SKILL_CALL_SUCCESS);
}

static void dangerous_calls_wait_for_a_decision(void **state) {
  (void)state;
  gate_open();
  gate_ask("1", &gate_danger, "{}");
  gate_ask("2", &gate_danger, "{}");
  skill_loop_step(gate.loop);
  assert_int_equal(gate.calls, 0);
  SkillCallInfo info;
  assert_true(skill_gateway_open(gate.gateway, 0, &info));
  assert_int_equal(info.state, SKILL_CALL_AWAITING);
  assert_true(info.dangerous);
  assert_int_equal(skill_gateway_decide(gate.gateway, "9", true, NULL), SKILL_ENOENT);
  assert_int_equal(skill_gateway_decide(gate.gateway, "1", false, "not today"), 0);
  gate_until(1);
  assert_int_equal(gate.last.state, SKILL_CALL_REJECTED);
  assert_non_null(strstr(gate.text, "not today"));
  assert_int_equal(skill_gateway_decide(gate.gateway, "1", true, NULL), SKILL_ENOENT); /* too late */
  assert_int_equal(skill_gateway_decide(gate.gateway, "2", true, NULL), 0);
  gate_until(2);
  assert_int_equal(gate.last.state, SKILL_CALL_SUCCESS);
  assert_int_equal(gate.calls, 1);
}

static void without_somebody_to_ask_what_would_wait_is_rejected(void **state) {
  (void)state;
  gate.options.nobody_decides = true;
  gate_open();
  gate_ask("1", &gate_danger, "{}");
  gate_until(1);
  assert_int_equal(gate.last.status, SKILL_EDENIED);
  assert_int_equal(gate.calls, 0);
}

static void the_host_says_which_calls_wait(void **state) {
  (void)state;
  gate.options.approval = SKILL_APPROVAL_ALL;
  gate_open();
  gate_ask("read", &gate_echo, "{}"); /* marked read-only */
  gate_ask("fail", &gate_fail, "{}");
  gate_until(1);
  SkillCallInfo info;
  assert_true(skill_gateway_open(gate.gateway, 0, &info));
  assert_string_equal(info.id, "fail");
  assert_int_equal(skill_gateway_abort(gate.gateway, NULL, NULL), 1);
  gate_until(2);
  skill_gateway_free(gate.gateway);
  gate.options.approval = SKILL_APPROVAL_NONE;
  gate_open();
  gate_ask("1", &gate_danger, "{}");
  gate_until(3);
  assert_int_equal(gate.last.state, SKILL_CALL_SUCCESS);
}

static void an_aborted_call_cannot_be_approved(void **state) {
  (void)state;
  gate_open();
  gate_ask("1", &gate_danger, "{}");
  assert_int_equal(skill_gateway_abort(gate.gateway, "1", NULL), 1);
  assert_int_equal(skill_gateway_decide(gate.gateway, "1", true, NULL), SKILL_ENOENT);
  assert_int_equal(skill_gateway_abort(gate.gateway, "1", NULL), 0);
  gate_until(1);
  assert_int_equal(gate.last.state, SKILL_CALL_ABORTED);
  assert_int_equal(gate.calls, 0);
}

static void a_call_that_waits_says_why(void **state) {
  (void)state;
  gate.options.approval = SKILL_APPROVAL_ALL;
  gate_open();
  gate_ask("1", &gate_hold, "{}");
  assert_non_null(strstr(gate.logged.data, "\"reason\":\"the tool may change something\""));
  gate_ask("2", &gate_danger, "{}");
  assert_non_null(strstr(gate.logged.data, "\"reason\":\"the tool is marked dangerous\""));
  assert_int_equal(skill_gateway_abort(gate.gateway, NULL, NULL), 2);
  gate_until(2);
}

#define T(name) cmocka_unit_test_setup_teardown(name, gate_setup, gate_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(an_unknown_tool_is_rejected_with_a_hint),
      T(two_layers_of_permission_hold_in_any_case_of_letters),
      T(no_spelling_gets_past_a_ban),
      T(a_denied_call_does_not_run),
      T(a_ban_holds_for_skillets_own_tools_and_an_allow_list_does_not),
      T(dangerous_calls_wait_for_a_decision),
      T(without_somebody_to_ask_what_would_wait_is_rejected),
      T(the_host_says_which_calls_wait),
      T(an_aborted_call_cannot_be_approved),
      T(a_call_that_waits_says_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
