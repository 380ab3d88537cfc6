/* SPDX-License-Identifier: MIT
 *
 * The agent: turns with and without tools, opening skills, limits, cancellation, approval, saving and resuming.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/internal.h"
#include "lib/agents.h"
#include "lib/contains.h"
#include "skillet/sys/alloc.h"

static struct agents a;

static void without_tools_a_turn_is_one_request_and_nothing_else(void **state) {
  (void)state;
  a.profile.tools = false;
  a.profile.max_iterations = 1;
  agents_open(
      &a, "{\"text\":\"Good morning.\",\"expect\":{\"not_tools\":[\"skill_open\"],\"never\":\"available_skills\"}}");
  agents_turn(&a, "say good morning");
  assert_int_equal(a.turn.end, SKILL_TURN_ANSWERED);
  assert_string_equal(a.answer, "Good morning.");
  assert_string_equal(a.streamed.data, "Good morning.");
  assert_int_equal(a.turn.requests, 1);
  assert_null(a.agent->gateway);
  assert_null(a.agent->loader);
  assert_int_equal(a.agent->tools.count, 0);
}

static void a_skill_is_opened_its_tool_called_and_the_result_answered(void **state) {
  (void)state;
  agents_open(&a, OPEN("calc") "," ADD("2", "3") ",{\"text\":\"It is {{last}}.\"}");
  agents_turn(&a, "what is 2 and 3?");
  assert_string_equal(a.answer, "It is 5.");
  assert_int_equal(a.turn.requests, 3);
  assert_int_equal(a.turn.calls, 2);
  assert_int_equal(a.added, 1);
  has(a.events.data, "activated:calc");
  has(a.events.data, "opened:calc");
  has(a.states.data, "add:pending add:running add:success");
  SkillConversation *talk = skill_agent_conversation(a.agent);
  assert_int_equal(skill_conversation_count(talk), 6);
  assert_string_equal(skill_conversation_at(talk, 2)->origin, "skill:calc");
  has(skill_conversation_at(talk, 2)->text, "Tools: add, wipe, hold");
  has(skill_conversation_at(talk, 2)->text, "Say the sum");
}

static void always_skills_and_the_list_are_in_the_system_text_and_bodies_are_not(void **state) {
  (void)state;
  agents_open(&a, "{\"text\":\"a\",\"expect\":{\"any\":[\"Always write short sentences.\",\"<available_skills>\",\"- calc: \"],"
                  "\"never\":[\"Begin with the oldest\",\"The manual body\",\"- manual\",\"- style\"],"
                  "\"tools\":[\"skill_search\",\"skill_open\"],\"not_tools\":[\"add\",\"skill_read\",\"skill_run\"]}}," OPEN("guide") ","
                  "{\"text\":\"b\",\"expect\":{\"last\":\"Begin with the oldest\"}}");
  agents_turn(&a, "hello");
  assert_int_equal(a.turn.status, 0);
  agents_turn(&a, "and now?");
  assert_string_equal(a.answer, "b");
}

static void a_body_can_go_into_a_message_of_its_own(void **state) {
  (void)state;
  a.profile.body = SKILL_BODY_IN_MESSAGE;
  agents_open(&a, OPEN("guide") ",{\"text\":\"b\",\"expect\":{\"last\":\"Begin with the oldest\"}}");
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "b");
  SkillConversation *talk = skill_agent_conversation(a.agent);
  assert_int_equal(skill_conversation_at(talk, 3)->role, SKILL_ROLE_USER);
  assert_string_equal(skill_conversation_at(talk, 3)->origin, "skill:guide");
}

static void opening_again_is_a_short_note_until_the_body_is_gone(void **state) {
  (void)state;
  agents_open(&a, OPEN("guide") "," OPEN("guide") ",{\"text\":\"1\",\"expect\":{\"last\":\"open already\"}}," OPEN(
                      "guide") ",{\"text\":\"2\",\"expect\":{\"last\":\"Begin with the oldest\"}}");
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "1");
  ProgressiveSkillLoader *loader = skill_agent_loader(a.agent);
  assert_int_equal(skill_loader_body_state(loader, "guide"), SKILL_BODY_IN_CONTEXT);
  SkillCompactOptions options = SKILL_COMPACT_OPTIONS_INIT;
  options.keep_tokens = 1;
  options.bodies_tokens = 1; /* nothing is left */
  options.loader = loader;
  SkillMessage next = {.role = SKILL_ROLE_USER, .text = "next", .text_length = 4};
  assert_int_equal(skill_conversation_add(skill_agent_conversation(a.agent), &next, NULL), 0);
  assert_int_equal(skill_context_compact(skill_agent_conversation(a.agent), &options, NULL, NULL), 0);
  assert_int_equal(skill_loader_body_state(loader, "guide"), SKILL_BODY_COMPACTED);
  agents_turn(&a, "again");
  assert_string_equal(a.answer, "2");
}

static void arguments_are_put_into_the_body(void **state) {
  (void)state;
  agents_open(&a,
              "{\"calls\":[{\"name\":\"skill_open\",\"arguments\":{\"name\":\"calc\",\"args\":\"loudly\"}}]},"
              "{\"text\":\"ok\",\"expect\":{\"last\":\"Say the sum loudly.\"}}");
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "ok");
}

static void new_tools_are_appended_and_nothing_before_them_changes(void **state) {
  (void)state;
  agents_open(&a, "{\"text\":\"1\"}," OPEN("calc") ",{\"text\":\"2\"}," OPEN("guide") ",{\"text\":\"3\"}");
  agents_turn(&a, "one");
  const SkillTool *tools = NULL;
  size_t before = skill_agent_tools(a.agent, &tools);
  char *first = strdup(tools[0].name);
  agents_turn(&a, "two");
  size_t after = skill_agent_tools(a.agent, &tools);
  assert_int_equal(after, before + 3);
  assert_string_equal(tools[0].name, first);
  assert_string_equal(tools[before].name, "add");
  free(first);
  agents_turn(&a, "three");
  assert_true(a.turn.prefix_tokens * 10 > a.turn.context_tokens * 8); /* almost all of it is unchanged */
}

static void the_tool_of_an_evicted_skill_wakes_it(void **state) {
  (void)state;
  a.loader.max_active = 1;
  agents_open(&a, OPEN("calc") "," OPEN("guide") "," ADD("1", "1") ",{\"text\":\"{{last}}\"}");
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "2");
  has(a.events.data, "evicted:calc");
  assert_int_equal(skill_loader_state(skill_agent_loader(a.agent), "calc"), SKILL_STATE_ACTIVE);
}

static void a_miss_answers_with_at_most_three_suggestions(void **state) {
  (void)state;
  agents_open(&a, OPEN("clac") ",{\"calls\":[{\"name\":\"ad\",\"arguments\":{}}]},{\"text\":\"no\"}");
  agents_turn(&a, "go");
  SkillConversation *talk = skill_agent_conversation(a.agent);
  has(skill_conversation_at(talk, 2)->text, "did you mean calc");
  assert_true(skill_conversation_at(talk, 2)->error);
  has(skill_conversation_at(talk, 4)->text, "there is no tool 'ad'");
}

static void search_finds_skills_and_says_when_nothing_fits(void **state) {
  (void)state;
  agents_open(&a,
              "{\"calls\":[{\"name\":\"skill_search\",\"arguments\":{\"query\":\"museum painting\"}}]},"
              "{\"calls\":[{\"name\":\"skill_search\",\"arguments\":{\"query\":\"quantum chromodynamics "
              "\\\"\"}}]},{\"text\":\"x\"}");
  agents_turn(&a, "go");
  SkillConversation *talk = skill_agent_conversation(a.agent);
  has(skill_conversation_at(talk, 2)->text, "{\"results\":[{\"name\":\"guide\"");
  has(skill_conversation_at(talk, 4)->text, "{\"results\":[],\"reason\":\"");
}

static void requests_are_ranked_and_what_the_policy_selects_is_active(void **state) {
  (void)state;
  a.profile.preactivate = true;
  agents_open(&a, ADD("20", "22") ",{\"text\":\"{{last}}\",\"expect\":{\"tools\":\"add\"}}");
  agents_turn(&a, "I need sums of numbers");
  assert_string_equal(a.answer, "42");
  has(a.events.data, "ranked:");
  char *why = NULL;
  assert_int_equal(skill_agent_why(a.agent, &why), 0);
  has(why, "calc  score");
  skill_free(why);
}

static void why_tells_what_the_model_searched_for(void **state) {
  (void)state;
  agents_open(&a,
              "{\"calls\":[{\"name\":\"skill_search\",\"arguments\":{\"query\":\"museums of painting\"}},"
              "{\"name\":\"skill_search\",\"arguments\":{\"query\":\"zzyzx\"}}]},{\"text\":\"a\"},{\"text\":\"b\"}");
  char *why = NULL;
  agents_turn(&a, "go");
  assert_int_equal(skill_agent_why(a.agent, &why), 0);
  has(why, "searched for \"museums of painting\"\n  guide  score ");
  has(why, "searched for \"zzyzx\"\n  nothing: ");
  skill_free(why);
  agents_turn(&a, "again"); /* only of the last request */
  assert_int_equal(skill_agent_why(a.agent, &why), 0);
  assert_string_equal(why, "no request was ranked yet\n");
  skill_free(why);
}

static void limits_end_a_turn_and_leave_it_valid(void **state) {
  (void)state;
  a.profile.max_iterations = 3;
  a.profile.max_calls = 2;
  agents_open(&a, OPEN("calc") "," ADD("1", "1") "," ADD("2", "2") "," ADD("3", "3"));
  agents_turn(&a, "go");
  assert_int_equal(a.turn.end, SKILL_TURN_LIMIT);
  has(a.error, "3 requests");
  assert_int_equal(a.added, 1); /* the third call exceeded the limit */
  has(agents_last(&a, SKILL_ROLE_TOOL), "no more tool calls");
  assert_int_equal(skill_conversation_open_calls(skill_agent_conversation(a.agent)), 0);
}

static void a_budget_of_tokens_and_time_holds(void **state) {
  (void)state;
  a.profile.total_tokens = 10;
  agents_open(&a, OPEN("calc") ",{\"text\":\"never\"},{\"text\":\"never\"}");
  agents_turn(&a, "go");
  assert_int_equal(a.turn.end, SKILL_TURN_LIMIT);
  has(a.error, "budget of 10 tokens");
}

static void a_turn_that_takes_too_long_ends(void **state) {
  (void)state;
  a.profile.total_ms = 20;
  agents_open(&a, "{\"hang\":true},{\"text\":\"fine\"}");
  agents_turn(&a, "go");
  assert_int_equal(a.turn.end, SKILL_TURN_LIMIT);
  assert_int_equal(a.turn.status, SKILL_ETIMEDOUT);
  has(a.error, "the time for this turn");
  agents_turn(&a, "again");
  assert_string_equal(a.answer, "fine");
}

static void a_failing_model_ends_the_turn_and_the_next_one_works(void **state) {
  (void)state;
  agents_open(&a, "{\"error\":{\"code\":\"SKILL_EREMOTE\",\"message\":\"503 overloaded\"}},{\"text\":\"back\"}");
  agents_turn(&a, "one");
  assert_int_equal(a.turn.end, SKILL_TURN_FAILED);
  assert_int_equal(a.turn.status, SKILL_EREMOTE);
  has(a.error, "503 overloaded");
  agents_turn(&a, "two");
  assert_string_equal(a.answer, "back");
  agents_turn(&a, "three"); /* the script has no more turns: refused before the start */
  assert_int_equal(a.turn.end, SKILL_TURN_FAILED);
}

static void broken_arguments_and_repeated_ids_are_survived(void **state) {
  (void)state;
  agents_open(&a, OPEN("calc") ",{\"calls\":[{\"id\":\"x\",\"name\":\"add\",\"arguments\":\"{\\\"a\\\":1,\"},"
                  "{\"id\":\"x\",\"name\":\"add\",\"arguments\":{\"a\":1,\"b\":1}}]},"
                  "{\"calls\":[{\"id\":\"x\",\"name\":\"add\",\"arguments\":{\"a\":2,\"b\":2}}]},{\"text\":\"{{last}}\"}");
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "4");
  assert_int_equal(a.added, 2);
  char *text = NULL;
  size_t length = 0;
  assert_int_equal(skill_conversation_save(skill_agent_conversation(a.agent), &text, &length, NULL), 0);
  SkillConversation *again = NULL;
  assert_int_equal(skill_conversation_load(text, length, &again, NULL), 0); /* so it is valid */
  skill_conversation_free(again);
  skill_free(text);
}

/* --- cancelling --------------------------------------------------------------------------------------------------- */

static void canceling_while_the_model_thinks_leaves_a_valid_conversation(void **state) {
  (void)state;
  agents_open(&a, "{\"hang\":true},{\"text\":\"fine\"}");
  assert_int_equal(agents_start(&a, "go"), 0);
  for (int i = 0; i < 5; i++) skill_loop_step(a.loop);
  assert_true(skill_agent_busy(a.agent));
  assert_int_equal(agents_start(&a, "too early"), SKILL_EBUSY);
  assert_int_equal(skill_agent_cancel(a.agent), 0);
  agents_wait(&a, 1);
  assert_int_equal(a.turn.end, SKILL_TURN_CANCELED);
  assert_int_equal(skill_agent_cancel(a.agent), SKILL_ENOENT);
  agents_turn(&a, "again");
  assert_string_equal(a.answer, "fine");
}

static void canceling_while_a_tool_runs_answers_its_call(void **state) {
  (void)state;
  agents_open(&a, OPEN("calc") ",{\"calls\":[{\"name\":\"hold\",\"arguments\":{}},{\"name\":\"add\",\"arguments\":{\"a\":1,\"b\":1}}]},"
                  "{\"text\":\"fine\"}");
  assert_int_equal(agents_start(&a, "go"), 0);
  while (!a.held) skill_loop_run_once(a.loop, 1000);
  assert_int_equal(skill_agent_cancel(a.agent), 0);
  agents_wait(&a, 1);
  assert_int_equal(a.turn.end, SKILL_TURN_CANCELED);
  assert_true(skill_tool_call_canceled(a.holding));
  SkillConversation *talk = skill_agent_conversation(a.agent);
  assert_int_equal(skill_conversation_open_calls(talk), 0);
  assert_int_equal(a.added, 0);
  skill_tool_call_finish(a.holding, 0, "late", 4);
  a.holding = NULL;
  agents_turn(&a, "again");
  assert_string_equal(a.answer, "fine");
}

/* --- approval ----------------------------------------------------------------------------------------------------- */

static void an_approved_call_runs_and_a_refused_one_does_not(void **state) {
  (void)state;
  agents_open(&a, OPEN("calc") ",{\"calls\":[{\"name\":\"wipe\",\"arguments\":{}}]},{\"calls\":[{\"name\":\"wipe\",\"arguments\":{\"x\":1}}]},"
                  "{\"text\":\"done\"}");
  assert_int_equal(agents_start(&a, "go"), 0);
  while (a.approvals < 1) skill_loop_run_once(a.loop, 1000);
  SkillCallInfo info;
  assert_true(skill_agent_awaiting(a.agent, 0, &info));
  assert_false(skill_agent_awaiting(a.agent, 1, &info));
  assert_int_equal(skill_agent_decide(a.agent, a.approval_id, false, "no"), 0);
  while (a.approvals < 2) skill_loop_run_once(a.loop, 1000);
  assert_int_equal(a.wiped, 0);
  assert_int_equal(skill_agent_decide(a.agent, a.approval_id, true, NULL), 0);
  agents_wait(&a, 1);
  assert_string_equal(a.answer, "done");
  assert_int_equal(a.wiped, 1);
}

static void nobody_to_ask_means_no(void **state) {
  (void)state;
  a.options.events.on_approval = NULL;
  agents_open(&a, OPEN("calc") ",{\"calls\":[{\"name\":\"wipe\",\"arguments\":{}}]},{\"text\":\"done\"}");
  agents_turn(&a, "go");
  assert_int_equal(a.wiped, 0);
  has(agents_last(&a, SKILL_ROLE_TOOL), "no user is present to give it");
}

static void a_conversation_that_waits_can_be_saved_loaded_and_resumed(void **state) {
  (void)state;
  agents_open(&a, OPEN("calc") ",{\"calls\":[{\"name\":\"add\",\"arguments\":{\"a\":1,\"b\":2}},{\"name\":\"wipe\",\"arguments\":{}}]},"
                  "{\"text\":\"all done\"}");
  assert_int_equal(agents_start(&a, "go"), 0);
  while (a.approvals < 1) skill_loop_run_once(a.loop, 1000);
  while (!strstr(a.states.data, "add:success")) skill_loop_run_once(a.loop, 1000);
  char *text = NULL;
  size_t length = 0;
  assert_int_equal(skill_conversation_save(skill_agent_conversation(a.agent), &text, &length, NULL), 0);
  skill_agent_free(a.agent); /* the process stops here */
  SkillConversation *talk = NULL;
  assert_int_equal(skill_conversation_load(text, length, &talk, NULL), 0);
  skill_free(text);
  assert_int_equal(skill_conversation_open_calls(talk), 1);
  assert_int_equal(skill_agent_new(&a.options, &a.agent, NULL), 0);
  assert_int_equal(skill_agent_set_conversation(a.agent, talk), 0);
  assert_int_equal(skill_agent_resume(a.agent, agents_on_turn, &a, NULL), 0);
  while (a.approvals < 2) skill_loop_run_once(a.loop, 1000);
  assert_int_equal(a.wiped, 0);
  assert_int_equal(skill_agent_decide(a.agent, a.approval_id, true, NULL), 0);
  agents_wait(&a, 1);
  assert_string_equal(a.answer, "all done");
  assert_int_equal(a.wiped, 1);
  assert_int_equal(a.added, 1); /* a call that had its result did not run again */
  assert_int_equal(skill_agent_resume(a.agent, agents_on_turn, &a, NULL), SKILL_ENOENT);
}

/* --- mentions ----------------------------------------------------------------------------------------------------- */

static void what_the_user_names_goes_with_the_request(void **state) {
  (void)state;
  const char *roots[] = {"/data", NULL};
  assert_int_equal(skill_fixture_file(a.fixture, "/data/notes/plan.md", "Buy bread on Monday."), 0);
  assert_int_equal(skill_fixture_file(a.fixture, "/etc/passwd", "root"), 0);
  a.options.roots = roots;
  agents_open(
      &a, "{\"text\":\"ok\",\"expect\":{\"any\":[\"Buy bread on Monday.\",\"The manual body.\"],\"never\":\"root\"}}");
  agents_turn(&a, "see @notes/plan.md, @manual, me@example.org and @../etc/passwd.");
  assert_string_equal(a.answer, "ok");
  SkillConversation *talk = skill_agent_conversation(a.agent);
  assert_string_equal(skill_conversation_at(talk, 0)->origin, "mention:notes/plan.md");
  assert_string_equal(skill_conversation_at(talk, 1)->origin, "mention:manual");
  assert_string_equal(skill_conversation_at(talk, 2)->origin, "mention:../etc/passwd");
  has(skill_conversation_at(talk, 2)->text, "was named, but cannot be read");
  assert_null(skill_conversation_at(talk, 3)->origin);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static void file_tools_stay_below_their_roots(void **state) {
  (void)state;
  const char *roots[] = {"/data", "/out", NULL};
  const char *writable[] = {"/out", NULL};
  skill_fixture_file(a.fixture, "/data/a.txt", "first line\nneedle here\n");
  skill_fixture_file(a.fixture, "/secret.txt", "hidden");
  skill_fixture_link(a.fixture, "/data/link.txt", "/secret.txt");
  skill_fixture_folder(a.fixture, "/out");
  a.options.roots = roots;
  a.options.writable = writable;
  a.profile.approval = SKILL_APPROVAL_NONE;
  agents_open(&a,
              "{\"calls\":[{\"name\":\"file_read\",\"arguments\":{\"path\":\"a.txt\"}},"
              "{\"name\":\"file_read\",\"arguments\":{\"path\":\"../secret.txt\"}},"
              "{\"name\":\"file_read\",\"arguments\":{\"path\":\"/secret.txt\"}},"
              "{\"name\":\"file_read\",\"arguments\":{\"path\":\"link.txt\"}},"
              "{\"name\":\"file_list\",\"arguments\":{\"path\":\"/data\"}},"
              "{\"name\":\"file_search\",\"arguments\":{\"text\":\"NEEDLE\"}},"
              "{\"name\":\"file_write\",\"arguments\":{\"path\":\"/out/b.txt\",\"text\":\"written\"}},"
              "{\"name\":\"file_write\",\"arguments\":{\"path\":\"/data/c.txt\",\"text\":\"no\"}}]},{\"text\":\"x\"}");
  agents_turn(&a, "go");
  SkillConversation *talk = skill_agent_conversation(a.agent);
  char all[8192] = "";
  for (size_t i = 0; i < skill_conversation_count(talk); i++) {
    const SkillMessage *message = skill_conversation_at(talk, i);
    if (message->role == SKILL_ROLE_TOOL)
      snprintf(all + strlen(all), sizeof all - strlen(all), "%s=%s|", message->name, message->text);
  }
  has(all, "file_read=first line");
  lacks(all, "hidden");
  has(all, "file_list=a.txt  23");
  has(all, "a.txt:2: needle here");
  has(all, "/out/b.txt is written: 7 bytes.");
  has(all, "nothing may be written there");
  assert_non_null(skill_fixture_read(a.fixture, "/out/b.txt", NULL));
  assert_null(skill_fixture_read(a.fixture, "/data/c.txt", NULL));
  assert_int_equal(skill_fixture_open_handles(a.fixture), 0);
}

static void a_path_below_the_root_of_all_is_not_taken_for_a_relative_one(void **state) {
  (void)state;
  const char *roots[] = {"/out", NULL};
  skill_fixture_folder(a.fixture, "/out");
  a.options.roots = a.options.writable = roots;
  a.profile.approval = SKILL_APPROVAL_NONE;
  agents_open(&a,
              "{\"calls\":[{\"name\":\"file_write\",\"arguments\":{\"path\":\"/passwd\",\"text\":\"x\"}}]},"
              "{\"text\":\"{{last}}\"}");
  agents_turn(&a, "go");
  has(a.answer, "not below a folder that is granted");
  assert_null(skill_fixture_read(a.fixture, "/out/passwd", NULL));
}

/* A text that almost matches at every position takes no longer than any other. */
static void searching_for_a_long_text_takes_no_longer(void **state) {
  (void)state;
  const char *roots[] = {"/data", NULL};
  size_t size = (size_t)3 << 20;
  char *text = malloc(size + 1);
  assert_non_null(text);
  memset(text, 'a', size);
  text[size] = '\0';
  memcpy(text + size - 20, "\nfirst\nA NEEDLE\nno", 19);
  assert_int_equal(skill_fixture_file(a.fixture, "/data/a.txt", text), 0);
  a.options.roots = roots;
  static char turns[1 << 16];
  int n = snprintf(turns, sizeof turns, "{\"calls\":[{\"name\":\"file_search\",\"arguments\":{\"text\":\"");
  memset(turns + n, 'a', 60000);
  snprintf(turns + n + 60000, sizeof turns - (size_t)n - 60000,
           "b\"}},{\"name\":\"file_search\",\"arguments\":{\"text\":\"a needle\"}}]},{\"text\":\"{{last}}\"}");
  agents_open(&a, turns);
  agents_turn(&a, "go");
  assert_string_equal(a.answer, "a.txt:3: A NEEDLE\n");
  free(text);
}

static void what_does_not_show_in_a_description_is_not_found_by_search_either(void **state) {
  (void)state;
  SkillDef def = {.metadata = {.name = "plumbing",
                               .description = "Mends pipes.\xF3\xA0\x81\xA9\xF3\xA0\x81\xA7\xE2\x80\x8B Fast."}};
  assert_int_equal(skill_registry_add(a.registry, &def, NULL, NULL), 0);
  agents_open(&a,
              "{\"calls\":[{\"name\":\"skill_search\",\"arguments\":{\"query\":\"mends pipes\",\"cursor\":1e300}},"
              "{\"name\":\"skill_search\",\"arguments\":{\"query\":\"mends pipes\"}}]},{\"text\":\"{{last}}\"}");
  agents_turn(&a, "go");
  has(a.answer, "\"description\":\"Mends pipes. Fast.\"");
}

static void a_blocking_run_returns_the_answer(void **state) {
  (void)state;
  agents_open(&a, "{\"text\":\"hi\"},{\"error\":{\"code\":\"SKILL_EIO\"}}");
  char *answer = NULL;
  SkillTurn turn;
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(skill_agent_run(a.agent, "hello", &answer, &turn, &err), 0);
  assert_string_equal(answer, "hi");
  assert_int_equal(turn.requests, 1);
  skill_free(answer);
  assert_int_equal(skill_agent_run(a.agent, "hello", &answer, NULL, &err), SKILL_EIO);
  has(err.message, "script");
}

#define T(name) AGENTS_TEST(name, agents_begin, &a)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(without_tools_a_turn_is_one_request_and_nothing_else),
      T(a_skill_is_opened_its_tool_called_and_the_result_answered),
      T(always_skills_and_the_list_are_in_the_system_text_and_bodies_are_not),
      T(a_body_can_go_into_a_message_of_its_own),
      T(opening_again_is_a_short_note_until_the_body_is_gone),
      T(arguments_are_put_into_the_body),
      T(new_tools_are_appended_and_nothing_before_them_changes),
      T(the_tool_of_an_evicted_skill_wakes_it),
      T(a_miss_answers_with_at_most_three_suggestions),
      T(search_finds_skills_and_says_when_nothing_fits),
      T(requests_are_ranked_and_what_the_policy_selects_is_active),
      T(why_tells_what_the_model_searched_for),
      T(limits_end_a_turn_and_leave_it_valid),
      T(a_budget_of_tokens_and_time_holds),
      T(a_turn_that_takes_too_long_ends),
      T(a_failing_model_ends_the_turn_and_the_next_one_works),
      T(broken_arguments_and_repeated_ids_are_survived),
      T(canceling_while_the_model_thinks_leaves_a_valid_conversation),
      T(canceling_while_a_tool_runs_answers_its_call),
      T(an_approved_call_runs_and_a_refused_one_does_not),
      T(nobody_to_ask_means_no),
      T(a_conversation_that_waits_can_be_saved_loaded_and_resumed),
      T(what_the_user_names_goes_with_the_request),
      T(file_tools_stay_below_their_roots),
      T(a_path_below_the_root_of_all_is_not_taken_for_a_relative_one),
      T(searching_for_a_long_text_takes_no_longer),
      T(what_does_not_show_in_a_description_is_not_found_by_search_either),
      T(a_blocking_run_returns_the_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
