/* SPDX-License-Identifier: MIT
 *
 * Catalogues: JSON lines, recorded tools/list, and built-in skills.
 */
#include <stdio.h>
#include <string.h>

#include "lib/check.h"
#include "lib/listing.h"
#include "lib/sweep.h"
#include "skillet/sys/alloc.h"
#include "skillet/sys/fixture.h"

static SkillSource *open_text(const char *path, const char *text) {
  SkillSource *source = NULL;
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(skill_source_catalog_new(path, NULL, text, strlen(text), &source, &err), 0);
  return source;
}

static void each_line_is_a_skill_with_tools(void **state) {
  (void)state;
  struct listing listing;
  SkillSource *source = open_text(
      "catalog/skills.jsonl",
      "{\"name\":\"one\",\"description\":\"First.\",\"tags\":[\"a\",\"b\"],\"tools\":[{\"name\":\"t\",\"description\":"
      "\"Does.\",\"input_schema\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\"}}}}]}\n"
      "\n"
      "{\"name\":\"two\",\"description\":\"\",\"tools\":[{\"name\":\"u\"},{\"name\":\"v\"}],\"mode\":\"always\"}\r\n");
  listing_read(&listing, source, 0);
  assert_int_equal(listing.count, 2);
  const SkillMetadata *one = listing_find(&listing, "one");
  assert_string_equal(one->path, "catalog/skills.jsonl:1");
  assert_int_equal(one->tags.count, 2);
  assert_int_equal(one->tool_count, 1);
  assert_string_equal(one->tools[0].input_schema, "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\"}}}");
  const SkillMetadata *two = listing_find(&listing, "two");
  assert_string_equal(two->path, "catalog/skills.jsonl:3");
  assert_string_equal(two->description, "Tools: u, v");
  assert_true(two->description_derived);
  assert_int_equal(two->mode, SKILL_MODE_ALWAYS);
  assert_int_equal(listing.note_count, 0);
  listing_free(&listing);
  skill_source_free(source);
}

static void a_bad_line_is_told_and_the_others_stay(void **state) {
  (void)state;
  struct listing listing;
  SkillSource *source = open_text("skills.jsonl",
                                  "{\"name\":\"one\",\"description\":\"First.\"}\n"
                                  "{\"name\":\"broken\",\"description\":\n"
                                  "[1,2]\n"
                                  "{\"description\":\"No name.\"}\n"
                                  "{\"name\":\"five\",\"description\":\"Fifth.\"}");
  listing_read(&listing, source, 0);
  assert_int_equal(listing.count, 2);
  assert_int_equal(listing.note_count, 3);
  for (size_t i = 0; i < 3; i++) assert_string_equal(listing.notes[i].code, "json-line");
  assert_string_equal(listing_find(&listing, "five")->path, "skills.jsonl:5");
  listing_free(&listing);
  skill_source_free(source);
}

static void invisible_characters_of_skills_and_tools_are_told(void **state) {
  (void)state;
  struct listing listing;
  SkillSource *source = open_text(
      "skills.jsonl",
      "{\"name\":\"one\",\"description\":\"Plain, \\u00e9 and "
      "\\u4e2d.\",\"tools\":[{\"name\":\"t\",\"description\":\"Adds.\"}]}\n"
      "{\"name\":\"two\",\"description\":\"A\\u200b.\",\"tools\":[{\"name\":\"t\",\"description\":\"Does\\u202e it.\","
      "\"input_schema\":{\"properties\":{\"x\":{\"description\":\"\\udb40\\udc41\"}}}}]}\n");
  listing_read(&listing, source, 0);
  assert_int_equal(listing.note_count, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_string_equal(listing.notes[i].code, "invisible-character");
    assert_string_equal(listing.notes[i].path, "skills.jsonl:2");
  }
  assert_non_null(
      strstr(listing.notes[0].message, "description of the tool 't' has 1 invisible character, first U+202E"));
  assert_non_null(strstr(listing.notes[1].message, "schema of the tool 't' has 1 invisible character, first U+E0041"));
  assert_non_null(strstr(listing.notes[2].message, "description of the skill 'two' has 1"));
  listing_free(&listing);
  skill_source_free(source);
}

static void expect_tool_list(const char *text) {
  struct listing listing;
  SkillSource *source = open_text("recorded/files.json", text);
  listing_read(&listing, source, SKILL_LIST_BODY);
  assert_int_equal(listing.count, 1);
  assert_string_equal(listing.skills[0]->name, "files");
  assert_int_equal(listing.skills[0]->tool_count, 2);
  assert_string_equal(listing.skills[0]->tools[0].name, "read_file");
  assert_string_equal(listing.skills[0]->tools[0].input_schema, "{\"type\":\"object\"}");
  assert_int_equal(listing.skills[0]->tools[0].flags, SKILL_TOOL_READ_ONLY | SKILL_TOOL_IDEMPOTENT);
  assert_int_equal(listing.skills[0]->tools[1].flags, SKILL_TOOL_DANGEROUS);
  listing_free(&listing);
  skill_source_free(source);
}

#define TOOLS                                                                                              \
  "[{\"name\":\"read_file\",\"inputSchema\":{\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":true," \
  "\"idempotentHint\":true}},\n{\"name\":\"remove\",\"annotations\":{\"destructiveHint\":true}}]"

static void a_tools_list_is_one_skill_named_after_its_file(void **state) {
  (void)state;
  expect_tool_list("{\"tools\":" TOOLS "}");
  expect_tool_list(TOOLS);
  expect_tool_list("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":" TOOLS "}}");
}

static void server_and_instructions_are_used(void **state) {
  (void)state;
  struct listing listing;
  SkillSource *source = open_text("a/files.json",
                                  "{\"server\":{\"name\":\"fs\",\"title\":\"File server\",\"version\":\"2.0\"},"
                                  "\"instructions\":\"Read first.\",\"tools\":" TOOLS "}");
  listing_read(&listing, source, SKILL_LIST_BODY);
  assert_string_equal(listing.skills[0]->description, "File server - tools: read_file, remove");
  assert_string_equal(listing.skills[0]->version, "2.0");
  assert_string_equal(listing.bodies[0], "Read first.");
  listing_free(&listing);
  skill_source_free(source);
}

static void other_json_is_refused_with_the_place(void **state) {
  (void)state;
  SkillSource *source = NULL;
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(skill_source_catalog_new("p.json", NULL, "{\"a\":1}", 7, &source, &err), SKILL_EPARSE);
  assert_string_equal(err.file, "p.json");
  skill_error_clear(&err);
  assert_int_equal(skill_source_catalog_new("p.json", NULL, "{\"tools\":\n  [oops]}", 18, &source, &err), SKILL_EPARSE);
  assert_int_equal(err.line, 2);
  assert_null(source);
}

/* --- built-in skills ---------------------------------------------------------------------------------------------- */

static void the_creators_tool_exists_where_it_can_write(void **state) {
  (void)state;
  struct listing listing;
  SkillSource *source = NULL;
  assert_int_equal(skill_source_builtin_new(NULL, &source, NULL), 0);
  listing_read(&listing, source, SKILL_LIST_BODY);
  assert_int_equal(listing.count, 2);
  assert_int_equal(listing_find(&listing, "output-format")->mode, SKILL_MODE_ALWAYS);
  assert_int_equal(listing_find(&listing, "skill-creator")->mode, SKILL_MODE_LAZY);
  assert_int_equal(listing_find(&listing, "skill-creator")->tool_count, 0);
  assert_non_null(listing.bodies[0]);
  listing_free(&listing);
  skill_source_free(source);
}

struct outcome {
  int status;
  char text[2048];
  int calls;
};

static void take_outcome(SkillToolCall *call, int status, const char *text, size_t length, void *user) {
  struct outcome *outcome = user;
  (void)call;
  outcome->status = status;
  snprintf(outcome->text, sizeof outcome->text, "%.*s", (int)length, text);
  outcome->calls++;
}

static struct outcome create(SkillFixture *fixture, const char *arguments) {
  struct listing listing;
  struct outcome outcome = {0};
  SkillBuiltinOptions options = SKILL_BUILTIN_OPTIONS_INIT;
  SkillSource *source = NULL;
  options.folder = "skills";
  options.io = skill_fixture_io(fixture);
  assert_int_equal(skill_source_builtin_new(&options, &source, NULL), 0);
  listing_read(&listing, source, 0);
  const SkillTool *tool = &listing_find(&listing, "skill-creator")->tools[0];
  assert_string_equal(tool->name, "create_skill");
  assert_true(tool->flags & SKILL_TOOL_DANGEROUS);
  assert_int_equal(skill_tool_call_start(tool, arguments, take_outcome, &outcome, NULL, NULL), 0);
  assert_int_equal(outcome.calls, 1);
  listing_free(&listing);
  skill_source_free(source);
  return outcome;
}

static void a_created_skill_is_found_by_the_next_scan(void **state) {
  (void)state;
  struct listing listing;
  SkillFixture *fixture = NULL;
  SkillSource *source = NULL;
  SkillDirectoryOptions options = SKILL_DIRECTORY_OPTIONS_INIT;
  assert_int_equal(skill_fixture_new(&fixture), 0);
  skill_fixture_folder(fixture, "skills");
  options.path = "skills";
  options.io = skill_fixture_io(fixture);
  assert_int_equal(skill_source_directory_new(&options, &source, NULL), 0);
  listing_read(&listing, source, 0);
  assert_int_equal(listing.count, 0);
  listing_free(&listing);
  struct outcome outcome = create(fixture,
                                  "{\"name\":\"tide-table\",\"description\":\"Reads: \\\"tides\\\".\\n潮汐\","
                                  "\"body\":\"# Tides\",\"tags\":[\"sea\"],\"mode\":\"always\"}");
  assert_int_equal(outcome.status, 0);
  assert_non_null(strstr(outcome.text, "skills/tide-table/SKILL.md"));
  listing_read(&listing, source, SKILL_LIST_BODY);
  const SkillMetadata *found = listing_find(&listing, "tide-table");
  assert_string_equal(found->description, "Reads: \"tides\".\n潮汐");
  assert_int_equal(found->mode, SKILL_MODE_ALWAYS);
  assert_string_equal(found->tags.items[0], "sea");
  assert_non_null(strstr(listing.bodies[0], "# Tides"));
  listing_free(&listing);
  skill_source_free(source);
  skill_fixture_free(fixture);
}

static void the_creator_refuses_what_it_must_not_write(void **state) {
  (void)state;
  static const struct {
    const char *arguments;
    int status;
  } cases[] = {
      {"{\"name\":\"../evil\",\"description\":\"d\",\"body\":\"b\"}", SKILL_EINVAL},
      {"{\"name\":\".hidden\",\"description\":\"d\",\"body\":\"b\"}", SKILL_EINVAL},
      {"{\"name\":\"Upper Case\",\"description\":\"d\",\"body\":\"b\"}", SKILL_EINVAL},
      {"{\"name\":\"a--b\",\"description\":\"d\",\"body\":\"b\"}", SKILL_EINVAL},
      {"{\"description\":\"d\",\"body\":\"b\"}", SKILL_EINVAL},
      {"{\"name\":\"a\",\"body\":\"b\"}", SKILL_EINVAL},
      {"{\"name\":\"a\",\"description\":\"d\",\"body\":\"\"}", SKILL_EINVAL},
      {"{\"name\":\"a\",\"description\":\"d\",\"body\":\"---\\nname: b\\n---\"}", SKILL_EINVAL},
      {"{\"name\":\"there\",\"description\":\"d\",\"body\":\"b\"}", SKILL_EEXISTS},
      {"{\"name\":\"away\",\"description\":\"d\",\"body\":\"b\"}", SKILL_EDENIED},
      {"not json", SKILL_EPARSE},
      {"{\"name\":\"there\",\"description\":\"d\",\"body\":\"b\",\"overwrite\":true}", 0},
      {"{\"name\":\"lite\",\"description\":\"d\",\"body\":\"b\",\"form\":\"single\"}", 0},
  };
  SkillFixture *fixture = NULL;
  assert_int_equal(skill_fixture_new(&fixture), 0);
  skill_fixture_file(fixture, "skills/there/SKILL.md", "old");
  skill_fixture_folder(fixture, "outside");
  skill_fixture_link(fixture, "skills/away", "../outside");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct outcome outcome = create(fixture, cases[i].arguments);
    assert_int_equal(outcome.status, cases[i].status);
    assert_true(outcome.text[0] != '\0');
  }
  assert_null(skill_fixture_read(fixture, "outside/SKILL.md", NULL));
  assert_non_null(skill_fixture_read(fixture, "skills/lite.md", NULL));
  skill_fixture_free(fixture);
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

static int read_under_pressure(void *user) {
  static const char lines[] =
      "{\"name\":\"one\",\"description\":\"First.\",\"tags\":[\"a\"],\"tools\":[{\"name\":\"t\",\"input_schema\":{}}]}"
      "\n"
      "{\"name\":\"two\",\"tools\":[{\"name\":\"u\"}]}\nbroken\n";
  SkillSource *source = NULL;
  (void)user;
  int status = skill_source_catalog_new("skills.jsonl", NULL, lines, sizeof lines - 1, &source, NULL);
  if (status) assert_null(source);
  skill_source_free(source);
  return status;
}

static void memory_failures_leak_nothing(void **state) {
  (void)state;
  assert_true(sweep_run(read_under_pressure, NULL) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_line_is_a_skill_with_tools),
      cmocka_unit_test(a_bad_line_is_told_and_the_others_stay),
      cmocka_unit_test(invisible_characters_of_skills_and_tools_are_told),
      cmocka_unit_test(a_tools_list_is_one_skill_named_after_its_file),
      cmocka_unit_test(server_and_instructions_are_used),
      cmocka_unit_test(other_json_is_refused_with_the_place),
      cmocka_unit_test(the_creators_tool_exists_where_it_can_write),
      cmocka_unit_test(a_created_skill_is_found_by_the_next_scan),
      cmocka_unit_test(the_creator_refuses_what_it_must_not_write),
      cmocka_unit_test(memory_failures_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
