/* SPDX-License-Identifier: MIT
 *
 * skillet list and skillet show, run like a user runs them.
 */
#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/contains.h"
#include "lib/program.h"
#include "lib/tmpdir.h"

static char output[200000];

/* Runs `skillet ARGUMENTS` in test/data/source and returns its status. `output` receives stdout. */
static int skillet(const char *arguments) {
  char command[2000];
  snprintf(command, sizeof command, "cd %s/source && HOME=/nonexistent SKILLET_SKILLS= %s %s 2>/dev/null",
           SKILLET_TEST_DATA, SKILLET_PROGRAM, arguments);
  return program_shell(command, output, sizeof output);
}

/* The same with --json. Owned: cJSON_Delete. */
static cJSON *skillet_json(const char *arguments, int status) {
  assert_int_equal(skillet(arguments), status);
  cJSON *value = cJSON_Parse(output);
  assert_non_null(value);
  return value;
}

static const cJSON *get(const cJSON *object, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *text_of(const cJSON *object, const char *key) {
  const cJSON *value = get(object, key);
  return cJSON_IsString(value) ? value->valuestring : "(none)";
}

static const cJSON *find_skill(const cJSON *document, const char *name) {
  const cJSON *skill;
  cJSON_ArrayForEach(skill, get(document, "skills")) {
    if (!strcmp(text_of(skill, "name"), name)) return skill;
  }
  return NULL;
}

static bool has_note(const cJSON *document, const char *code, const char *path) {
  const cJSON *note;
  cJSON_ArrayForEach(note, get(document, "diagnostics")) {
    if (!strcmp(text_of(note, "code"), code) && !strcmp(text_of(note, "path"), path)) return true;
  }
  return false;
}

/* --- list --------------------------------------------------------------------------------------------------------- */

static void list_json_has_the_promised_members(void **state) {
  (void)state;
  cJSON *document = skillet_json("list --json tree", 0);
  const cJSON *report = find_skill(document, "report");
  assert_int_equal(cJSON_GetArraySize(get(document, "skills")), 4);
  assert_string_equal(text_of(report, "description"), "Writes a short report from a table of figures.");
  assert_string_equal(text_of(report, "source"), "tree");
  assert_string_equal(text_of(report, "path"), "tree/Report/SKILL.md");
  assert_string_equal(text_of(report, "mode"), "lazy");
  assert_string_equal(text_of(report, "version"), "1.10");
  assert_int_equal(cJSON_GetArraySize(get(report, "tags")), 2);
  assert_int_equal(cJSON_GetArraySize(get(report, "tools")), 0);
  assert_string_equal(text_of(get(report, "metadata"), "author"), "the tests");
  assert_string_equal(cJSON_GetArrayItem(get(get(report, "metadata"), "allowed-tools"), 1)->valuestring, "Bash(ls *)");
  assert_string_equal(text_of(find_skill(document, "cutter"), "mode"), "always");
  assert_true(has_note(document, "file-name-case", "tree/low/skill.md"));
  assert_null(find_skill(document, "quiet"));
  assert_true(has_note(document, "description-missing", "tree/quiet/SKILL.md"));
  cJSON_Delete(document);
}

static void all_lists_skills_without_a_description_too(void **state) {
  (void)state;
  cJSON *document = skillet_json("list --json --all tree", 0);
  assert_non_null(find_skill(document, "quiet"));
  cJSON_Delete(document);
}

static void the_text_counts(void **state) {
  (void)state;
  assert_int_equal(skillet("list tree"), 0);
  has(output, "cutter");
  has(output, "always  Cuts videos at scene changes.");
  has(output, "4 skills, 1 of them always on; 1 without a description");
}

static void what_does_not_go_to_a_terminal_is_whole(void **state) {
  (void)state;
  static const char name[] = "a-name-that-is-longer-than-the-columns-which-a-terminal-has";
  static const char text[] =
      "One sentence that goes on for more than eighty columns, so that a terminal has to cut it.";
  char *dir = tmpdir_make();
  char path[200];
  char file[400];
  snprintf(path, sizeof path, "x/%s/SKILL.md", name);
  snprintf(file, sizeof file, "---\nname: %s\ndescription: %s\nmy_own_long_key: [a, b]\nother: 'c: d'\n---\nBody.\n",
           name, text);
  tmpdir_write(dir, path, file);
  char arguments[600];
  char expected[400];
  snprintf(arguments, sizeof arguments, "list -q %s/x", dir);
  snprintf(expected, sizeof expected, "%s  %s\n", name, text);
  assert_int_equal(skillet(arguments), 0);
  assert_string_equal(output, expected);
  snprintf(arguments, sizeof arguments, "find sentence %s/x", dir);
  assert_int_equal(skillet(arguments), 0);
  has(output, expected);
  snprintf(arguments, sizeof arguments, "show %s %s/x", name, dir);
  assert_int_equal(skillet(arguments), 0);
  has(output, "\nmy_own_long_key a, b\nother        c: d\n");
  tmpdir_remove(dir);
}

static void every_kind_of_word_is_understood(void **state) {
  (void)state;
  cJSON *document = skillet_json("list --json tree/quick-sum.md skills.jsonl recorded second/report/SKILL.md", 0);
  assert_int_equal(cJSON_GetArraySize(get(document, "skills")), 4);
  assert_string_equal(text_of(find_skill(document, "Quick sum"), "path"), "tree/quick-sum.md");
  assert_string_equal(text_of(find_skill(document, "weather"), "path"), "skills.jsonl:1");
  assert_string_equal(cJSON_GetArrayItem(get(find_skill(document, "files"), "tools"), 0)->valuestring, "read_file");
  assert_string_equal(text_of(find_skill(document, "report"), "description"), "The second report.");
  assert_true(has_note(document, "json-line", "skills.jsonl"));
  cJSON_Delete(document);
}

static void a_word_that_cannot_be_read_does_not_hide_the_others(void **state) {
  (void)state;
  cJSON *document = skillet_json("list --json recorded/package.json missing tree", 0);
  assert_int_equal(cJSON_GetArraySize(get(document, "skills")), 4);
  assert_true(has_note(document, "input-unreadable", "recorded/package.json"));
  assert_true(has_note(document, "root-missing", "missing"));
  cJSON_Delete(document);
  document = skillet_json("list --json missing", 3);
  assert_true(has_note(document, "root-missing", "missing"));
  cJSON_Delete(document);
}

static void duplicates_follow_the_policy(void **state) {
  (void)state;
  cJSON *document = skillet_json("list --json tree second", 0);
  assert_string_equal(text_of(find_skill(document, "report"), "source"), "tree");
  assert_true(has_note(document, "shadowed", "second/report/SKILL.md"));
  cJSON_Delete(document);
  document = skillet_json("list --json --duplicates namespace tree second", 0);
  assert_non_null(find_skill(document, "report@tree"));
  assert_string_equal(text_of(find_skill(document, "report@second"), "description"), "The second report.");
  cJSON_Delete(document);
}

static void the_usual_places_are_found_without_words(void **state) {
  (void)state;
  char *dir = tmpdir_make();
  char command[1000];
  tmpdir_write(dir, "here/.claude/skills/a/SKILL.md", "---\nname: a\ndescription: Project.\n---\n");
  tmpdir_write(dir, "home/.agents/skills/b/SKILL.md", "---\nname: b\ndescription: User.\n---\n");
  snprintf(command, sizeof command, "cd %s/here && HOME=%s/home SKILLET_SKILLS= %s list -q", dir, dir, SKILLET_PROGRAM);
  assert_int_equal(program_shell(command, output, sizeof output), 0);
  has(output, "a  Project.\n");
  has(output, "b  User.\n");
  tmpdir_remove(dir);
}

static void no_shell_is_needed_for_home_and_variables(void **state) {
  (void)state;
  char *dir = tmpdir_make();
  char command[2000];
  tmpdir_write(dir, "home/mine/a/SKILL.md", "---\nname: a\ndescription: Home.\n---\n");
  tmpdir_write(dir, "$PLACE/b/SKILL.md", "---\nname: b\ndescription: Literal.\n---\n");
  tmpdir_write(dir, "place/c/SKILL.md", "---\nname: c\ndescription: Variable.\n---\n");
  snprintf(command, sizeof command,
           "cd %s && export HOME=%s/home PLACE=%s/place && unset NO_PLACE &&"
           "SKILLET_SKILLS='~/mine:$NO_PLACE/x' %s list -q --json &&"
           "%s list -q '$PLACE' '${PLACE}' && cd place && %s list -q '$PLACE'",
           dir, dir, dir, SKILLET_PROGRAM, SKILLET_PROGRAM, SKILLET_PROGRAM);
  assert_int_equal(program_shell(command, output, sizeof output), 0);
  has(output, "\"name\":\"a\"");
  has(output, "the variable NO_PLACE is not set");
  has(output, "b  Literal.\nc  Variable.\nc  Variable.\n");
  tmpdir_remove(dir);
}

/* Runs `skillet ARGUMENTS` with a terminal as its output. `output` receives what it printed. */
static void skillet_on_terminal(const char *arguments) {
  char redirected[1000];
  int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  assert_true(terminal >= 0);
  assert_int_equal(grantpt(terminal), 0);
  assert_int_equal(unlockpt(terminal), 0);
  int held = open(ptsname(terminal), O_RDWR | O_NOCTTY); /* the output is lost when the last descriptor closes */
  snprintf(redirected, sizeof redirected, "%s >%s", arguments, ptsname(terminal));
  skillet(redirected);
  ssize_t got = read(terminal, output, sizeof output - 1);
  output[got > 0 ? got : 0] = '\0';
  close(held);
  close(terminal);
}

static void a_terminal_is_sent_no_control_characters_of_models(void **state) {
  (void)state;
  char *dir = tmpdir_make();
  char arguments[600];
  tmpdir_write(dir, "script.json", "{\"turns\":[{\"text\":\"one\\u001b]0;two\\u202ethree\"}]}");
  snprintf(arguments, sizeof arguments, "run hello tree --model script:%s/script.json", dir);
  skillet_on_terminal(arguments);
  has(output, "one ]0;two");
  lacks(output, "\033]");
  lacks(output, "\xE2\x80\xAE");
  tmpdir_remove(dir);
}

static void a_terminal_is_sent_no_control_characters_of_files(void **state) {
  (void)state;
  char *dir = tmpdir_make();
  char arguments[600];
  tmpdir_write(dir, "x/a/SKILL.md", "---\nname: a\ndescription: x: \033]0;red\n---\nb\033]0;ody\ttab\n");
  snprintf(arguments, sizeof arguments, "show a %s/x", dir);
  skillet_on_terminal(arguments);
  has(output, "b ]0;ody\ttab");
  lacks(output, "\033]");
  snprintf(arguments, sizeof arguments, "check --fix %s/x", dir);
  skillet_on_terminal(arguments);
  has(output, "+description: 'x:  ]0;red'");
  lacks(output, "\033]");
  snprintf(arguments, sizeof arguments, "show a %s/x", dir);
  assert_int_equal(skillet(arguments), 0);
  has(output, "b\033]0;ody\ttab\n"); /* otherwise a body is unchanged */
  tmpdir_remove(dir);
}

static void wrong_use_is_reported(void **state) {
  (void)state;
  assert_int_equal(skillet("list --lite some tree"), 2);
  assert_int_equal(skillet("list --no-such-option"), 2);
  assert_int_equal(skillet("list"), 3); /* none of the usual places exists */
  assert_int_equal(skillet("show"), 2);
  assert_int_equal(skillet("list --help"), 0);
}

/* --- show ------------------------------------------------------------------------------------------------------- */

static void show_json_has_body_and_resources(void **state) {
  (void)state;
  cJSON *document = skillet_json("show --json report tree", 0);
  assert_non_null(strstr(text_of(document, "body"), "# Report"));
  assert_null(strstr(text_of(document, "body"), "description:"));
  const cJSON *file = cJSON_GetArrayItem(get(document, "resources"), 0);
  assert_string_equal(text_of(file, "path"), "references/style.md");
  assert_string_equal(text_of(file, "type"), "text/markdown");
  assert_int_equal(get(file, "size")->valueint, 36);
  cJSON_Delete(document);
}

static void show_json_has_the_tools_whole(void **state) {
  (void)state;
  cJSON *document = skillet_json("show --json files recorded", 0);
  const cJSON *tool = cJSON_GetArrayItem(get(document, "tool_definitions"), 0);
  assert_string_equal(text_of(tool, "name"), "read_file");
  assert_true(text_of(tool, "description")[0] != '\0');
  assert_string_equal(text_of(get(tool, "input_schema"), "type"), "object");
  assert_true(cJSON_IsNull(get(tool, "command")));
  cJSON_Delete(document);
}

static void show_reads_files_by_page(void **state) {
  (void)state;
  assert_int_equal(skillet("show report --read references/style.md tree"), 0);
  assert_string_equal(output, "# Style\n\nShort sentences. 短句。\n");
  cJSON *page = skillet_json("show report --json --read references/style.md --cursor 26 --max 4 tree", 0);
  assert_string_equal(text_of(page, "data"), "短");
  assert_int_equal(get(page, "next")->valueint, 29);
  assert_int_equal(get(page, "total")->valueint, 36);
  cJSON_Delete(page);
  assert_int_equal(skillet("show report --read ../../notes.md tree"), 3);
  assert_int_equal(skillet("show report --read references/none.md tree"), 1);
}

static void a_miss_suggests_near_names_and_never_opens_a_path(void **state) {
  (void)state;
  cJSON *document = skillet_json("show --json reprot tree", 1);
  assert_string_equal(cJSON_GetArrayItem(get(document, "suggestions"), 0)->valuestring, "report");
  cJSON_Delete(document);
  assert_int_equal(skillet("show --json ../source/second tree"), 1);
  assert_int_equal(skillet("show --json /etc/passwd tree"), 1);
}

static void a_shadowed_skill_is_reached_by_its_path(void **state) {
  (void)state;
  cJSON *document = skillet_json("show --json second/report/SKILL.md tree second", 0);
  assert_string_equal(text_of(document, "description"), "The second report.");
  assert_non_null(strstr(text_of(document, "body"), "Other."));
  cJSON_Delete(document);
}

static void built_in_skills_can_be_shown(void **state) {
  (void)state;
  assert_int_equal(skillet("show skill-creator tree"), 0);
  has(output, "# Writing a skill");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(list_json_has_the_promised_members),
      cmocka_unit_test(all_lists_skills_without_a_description_too),
      cmocka_unit_test(the_text_counts),
      cmocka_unit_test(what_does_not_go_to_a_terminal_is_whole),
      cmocka_unit_test(every_kind_of_word_is_understood),
      cmocka_unit_test(a_word_that_cannot_be_read_does_not_hide_the_others),
      cmocka_unit_test(duplicates_follow_the_policy),
      cmocka_unit_test(the_usual_places_are_found_without_words),
      cmocka_unit_test(no_shell_is_needed_for_home_and_variables),
      cmocka_unit_test(a_terminal_is_sent_no_control_characters_of_files),
      cmocka_unit_test(a_terminal_is_sent_no_control_characters_of_models),
      cmocka_unit_test(wrong_use_is_reported),
      cmocka_unit_test(show_json_has_body_and_resources),
      cmocka_unit_test(show_json_has_the_tools_whole),
      cmocka_unit_test(show_reads_files_by_page),
      cmocka_unit_test(a_miss_suggests_near_names_and_never_opens_a_path),
      cmocka_unit_test(a_shadowed_skill_is_reached_by_its_path),
      cmocka_unit_test(built_in_skills_can_be_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
