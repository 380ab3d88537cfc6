/* SPDX-License-Identifier: MIT
 *
 * skillet chat through a pipe, and skillet config check.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "lib/contains.h"
#include "lib/program.h"
#include "lib/tmpdir.h"

static char output[256 * 1024];
static char *dir;

static int setup(void **state) {
  (void)state;
  dir = tmpdir_make();
  return 0;
}

static int teardown(void **state) {
  (void)state;
  tmpdir_remove(dir);
  return 0;
}

/* `lines` are standard input. Neither the user's configuration nor that of the working folder is read. */
static int run(const char *lines, const char *arguments) {
  char command[4096];
  tmpdir_write(dir, "input", lines);
  snprintf(command, sizeof command, "cd %s && SKILLET_CONFIG=%s/config.yaml %s %s <input 2>&1", dir, dir,
           SKILLET_PROGRAM, arguments);
  return program_shell(command, output, sizeof output);
}

#define EXAMPLES SKILLET_SOURCE_DIR "/examples/skills"

static void a_conversation_goes_on_and_can_be_looked_at(void **state) {
  (void)state;
  assert_int_equal(
      run("convert 5 kg to pounds\n/skills\n/why\n/cost\n/save talk.json\n/nonsense\n/quit\n", "chat " EXAMPLES), 0);
  has(output, "11.02");
  has(output, "unit-converter, instructions in the context");
  has(output, "unit-converter  score");
  has(output, "with every skill in the context");
  has(output, "saved in talk.json");
  has(output, "there is no command /nonsense; /help lists them");
  has(output, "convert in name"); /* what /why prints about the converter */
  assert_int_equal(run("/load talk.json\nconvert 2 miles to km\n", "chat " EXAMPLES), 0);
  has(output, "8 messages");
  has(output, "3.21");
}

static void dangerous_calls_ask_first(void **state) {
  (void)state;
  tmpdir_write(dir, "out/keep.txt", "old");
  tmpdir_write(
      dir, "script.json",
      "{\"turns\":[{\"calls\":[{\"name\":\"file_write\",\"arguments\":{\"path\":\"keep.txt\",\"text\":\"new\"}}]},"
      "{\"text\":\"first: {{last}}\"},"
      "{\"calls\":[{\"name\":\"file_write\",\"arguments\":{\"path\":\"keep.txt\",\"text\":\"new\"}}]},{\"text\":"
      "\"second: {{last}}\"}]}");
  assert_int_equal(run("go\nn\ngo\ny\n", "chat --model script:script.json --write out " EXAMPLES), 0);
  has(output, "May file_write run with");
  has(output, "first: the user did not approve this call");
  has(output, "second: keep.txt is written: 3 bytes.");
}

static void unknown_commands_are_reported(void **state) {
  (void)state;
  assert_int_equal(run("/slills\n/c\n/zzzz\n/save\n/compact\n/sk\n/help\n/q\n/why\n", "chat " EXAMPLES), 0);
  has(output, "there is no command /slills; did you mean /skills?");
  has(output, "there is no command /c; /help lists them"); /* /cost or /compact */
  has(output, "there is no command /zzzz; /help lists them");
  has(output, "/save needs the name of a file");
  has(output, "\nthere was nothing to compact\n");
  has(output, "20 skills, 0 active");
  has(output, "/skills /why /cost /compact /save FILE /load FILE /quit\n");
}

static void a_skill_that_the_user_names_costs_its_tokens(void **state) {
  (void)state;
  assert_int_equal(run("@unit-converter what can it do\n", "chat " EXAMPLES), 0);
  has(output, "the user named it");
  lacks(output, "opened    unit-converter, 0 tokens");
}

/* The server chooses call ids. Two ids with a long common beginning must not be confused. */
static void an_answer_is_to_the_call_that_was_asked_about(void **state) {
  (void)state;
  char id[201];
  char script[2048];
  memset(id, 'i', sizeof id - 1);
  id[sizeof id - 1] = '\0';
  tmpdir_write(dir, "out/keep.txt", "old");
  snprintf(script, sizeof script,
           "{\"turns\":[{\"calls\":[{\"id\":\"%s\",\"name\":\"file_write\",\"arguments\":{\"path\":\"harmless.txt\","
           "\"text\":\"x\"}},{\"id\":\"%.127s\",\"name\":\"file_write\",\"arguments\":{\"path\":\"keep.txt\",\"text\":"
           "\"new\"}}]},{\"text\":\"done\"}]}",
           id, id);
  tmpdir_write(dir, "script.json", script);
  assert_int_equal(run("go\ny\nn\n", "chat --model script:script.json --write out " EXAMPLES), 0);
  has(output, "harmless.txt is written");
  lacks(output, "keep.txt is written");
  has(output, "the user did not approve this call");
}

static void what_is_asked_about_cannot_write_over_the_question(void **state) {
  (void)state;
  tmpdir_write(dir, "out/keep.txt", "old");
  tmpdir_write(
      dir, "script.json",
      "{\"turns\":[{\"calls\":[{\"name\":\"file_write\",\"arguments\":\"{\\\"path\\\":\\\"keep.txt\\\",\\\"text\\\":"
      "\\\"a\\u001b[2K\\u001b[1A\\u202eb\\\"}\"}]},{\"text\":\"done\"}]}");
  assert_int_equal(run("go\nn\n", "chat --model script:script.json --write out " EXAMPLES), 0);
  assert_null(strchr(output, '\033'));
  lacks(output, "\xE2\x80\xAE");
  has(output, "May file_write run with");
}

static void the_configuration_holds(void **state) {
  (void)state;
  tmpdir_write(dir, "config.yaml", "skills: [" EXAMPLES "]\ndisabled_skills: [Unit-Converter]\nlog: log.jsonl\n");
  assert_int_equal(run("convert 5 kg to pounds\n", "chat"), 0);
  lacks(output, "unit-converter");
  assert_int_equal(run("", "config check"), 0);
  has(output, "disabled_skills  Unit-Converter");
  tmpdir_write(dir, "config.yaml", "retrieve: [.]\ntools_offered: constant\ntool_names: {skill_open: unfold}\n");
  assert_int_equal(run("", "config check"), 0);
  has(output, "retrieve         ");
  has(output, "tools_offered    constant");
  has(output, "tool_names       skill_open: unfold");
  tmpdir_write(dir, "config.yaml", "skils: [x]\n");
  assert_int_equal(run("", "config check"), 1);
  has(output, "config.yaml:1:1: there is no key skils; did you mean skills?");
  assert_int_equal(run("x\n", "chat " EXAMPLES), 3);
  assert_int_equal(run("", "config"), 2);
  assert_int_equal(run("", "config check nowhere.yaml"), 3);
}

static void a_ban_with_a_typing_error_is_reported(void **state) {
  (void)state;
  tmpdir_write(dir, "config.yaml",
               "skills: [" EXAMPLES
               "]\ndisabled_skills: [unit-convertr, UNIT-CONVERTER, pdf-*, not-here-today]\n"
               "disabled_tools: [plan_weke, add, convert_units]\nassistant: me\n"
               "assistants: {me: {skills: {weekly-plan: {enabled: false}, weekly-plam: {enabled: false}}}}\n");
  assert_int_equal(run("/skills\n", "chat"), 0);
  has(output, "skillet chat: disabled_skills: there is no skill 'unit-convertr' here; did you mean unit-converter?");
  has(output, "disabled_tools: there is no tool 'plan_weke' here; did you mean plan_week?");
  has(output, "skills of the assistant: there is no skill 'weekly-plam' here; did you mean weekly-plan?");
  lacks(output, "UNIT-CONVERTER' here");
  lacks(output, "pdf-*");
  lacks(output, "not-here-today");
  lacks(output, "convert_units");
  assert_int_equal(run("", "chat --assistant mee"), 2);
  has(output, "there is no assistant 'mee' in the configuration; did you mean me?");
}

static void a_folder_is_checked_as_the_project_that_it_is(void **state) {
  (void)state;
  tmpdir_write(dir, "config.yaml", "disabled_skills: [mine]\n");
  tmpdir_write(dir, "project/.skillet/config.yaml", "disabled_skills: [its]\n");
  assert_int_equal(run("", "config check project"), 0);
  has(output, "project/.skillet/config.yaml");
  has(output, "disabled_skills  mine, its");
  tmpdir_write(dir, "project/.skillet/config.yaml", "models: {m: {provider: 'openai:m', key_command: x}}\n");
  assert_int_equal(run("", "config check project"), 1);
  has(output, "a project's file cannot give a model's key_command");
  tmpdir_write(dir, "project/.skillet/config.yaml", "disabled_tools: [\"a\\e[2Jb\"]\nassistants: {\"c\\e[31m\": {}}\n");
  assert_int_equal(run("", "config check project"), 0);
  has(output, "disabled_tools   a [2Jb");
  lacks(output, "\033");
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(a_conversation_goes_on_and_can_be_looked_at),
      T(unknown_commands_are_reported),
      T(a_skill_that_the_user_names_costs_its_tokens),
      T(dangerous_calls_ask_first),
      T(an_answer_is_to_the_call_that_was_asked_about),
      T(what_is_asked_about_cannot_write_over_the_question),
      T(the_configuration_holds),
      T(a_ban_with_a_typing_error_is_reported),
      T(a_folder_is_checked_as_the_project_that_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
