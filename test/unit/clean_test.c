/* SPDX-License-Identifier: MIT
 *
 * Removal of invisible characters from the texts of tools, and that the agent's model gets the cleaned texts.
 */
#include <stdlib.h>
#include <string.h>

#include "context/tool_text.h"
#include "lib/agents.h"
#include "lib/contains.h"
#include "lib/sweep.h"

static struct agents a;

static void expect_text(const char *text, const char *want) {
  struct skill__buf room;
  assert_string_equal(skill__clean_text(text, &room), want);
  skill__buf_fini(&room);
}

static void expect_schema(const char *schema, const char *want) {
  struct skill__buf room;
  assert_string_equal(skill__clean_schema(schema, &room), want);
  skill__buf_fini(&room);
}

static void a_description_keeps_its_lines_and_loses_what_does_not_show(void **state) {
  (void)state;
  struct skill__buf room;
  expect_text("Adds.\n\n\t- two numbers\n", "Adds.\n\n\t- two numbers\n");
  expect_text("\xe4\xb8\xad\xe6\x96\x87\xe3\x80\x82", "\xe4\xb8\xad\xe6\x96\x87\xe3\x80\x82");
  expect_text(
      "A\xe2\x80\x8b"
      "dds\xe2\x80\xae \xf3\xa0\x81\x81it\x1b[2J\x07.",
      "Adds it[2J.");
  expect_text("\xe2\x80\x8b", "");
  expect_text("", "");
  expect_text(
      "a\xff"
      "b",
      "a\xef\xbf\xbd"
      "b");
  assert_null(skill__clean_text(NULL, &room));
  skill__buf_fini(&room);
}

static void of_a_schema_only_prose_is_touched(void **state) {
  (void)state;
  static const char plain[] = "{ \"type\": \"object\" }";
  struct skill__buf room;
  assert_ptr_equal(skill__clean_schema(plain, &room), plain);
  assert_null(skill__clean_schema(NULL, &room));
  expect_schema("{\"title\":\"\xe4\xb8\xad\", \"a\": 1}", "{\"title\":\"\xe4\xb8\xad\", \"a\": 1}");
  expect_schema(
      "{\"properties\":{\"x\":{\"title\":\"X\\u200b\",\"description\":\"The \xe2\x80\xae"
      "first\"}}}",
      "{\"properties\":{\"x\":{\"title\":\"X\",\"description\":\"The first\"}}}");
  /* a property of that name, and values that a call must contain */
  expect_schema("{\"properties\":{\"description\":{\"enum\":[\"\\u200b\"],\"description\":\"\\u200bd\"}}}",
                "{\"properties\":{\"description\":{\"enum\":[\"\xe2\x80\x8b\"],\"description\":\"d\"}}}");
  expect_schema("{\"default\":{\"description\":\"\\u200b\"}}", "{\"default\":{\"description\":\"\\u200b\"}}");
  expect_schema("{\"description\":\"\\u200b\"", "{\"description\":\"\\u200b\""); /* not JSON */
}

static void answer(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json, (void)user;
  skill_tool_call_finish(call, 0, "seen", 4);
}

static void a_model_is_sent_tools_without_it(void **state) {
  (void)state;
  const SkillTool tool = {.name = "odd",
                          .description = "Looks\xe2\x80\xae up.",
                          .input_schema =
                              "{\"type\":\"object\",\"properties\":{\"q\":{\"type\":\"string\","
                              "\"description\":\"The\\u200b word\"}}}",
                          .flags = SKILL_TOOL_READ_ONLY,
                          .call = answer};
  SkillDef def = {.metadata = {.name = "odd-skill", .description = "d", .tools = &tool, .tool_count = 1},
                  .body = "Use it."};
  const SkillTool *tools = NULL;
  const SkillTool *found = NULL;
  agents_setup(&a);
  assert_int_equal(skill_registry_add(a.registry, &def, NULL, NULL), 0);
  agents_open(&a, "{\"calls\":[{\"name\":\"skill_open\",\"arguments\":{\"name\":\"odd-skill\"}}]},{\"text\":\"done\"}");
  agents_turn(&a, "go");
  size_t count = skill_agent_tools(a.agent, &tools);
  for (size_t i = 0; i < count; i++) found = strcmp(tools[i].name, "odd") == 0 ? &tools[i] : found;
  assert_non_null(found);
  assert_string_equal(found->description, "Looks up.");
  has(found->input_schema, "\"description\":\"The word\"");
  agents_teardown(&a);
}

static int clean_both(void *user) {
  struct skill__buf text;
  struct skill__buf schema;
  (void)user;
  const char *one = skill__clean_text("Looks\xe2\x80\xae up.", &text);
  const char *two = skill__clean_schema("{\"description\":\"The\\u200b word\"}", &schema);
  int status = one && two ? 0 : SKILL_ENOMEM;
  assert_int_equal(one == NULL, skill__buf_status(&text) != 0);
  assert_int_equal(two == NULL, skill__buf_status(&schema) != 0);
  skill__buf_fini(&text);
  skill__buf_fini(&schema);
  return status;
}

static void want_of_memory_is_told(void **state) {
  (void)state;
  assert_true(sweep_run(clean_both, NULL) > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_description_keeps_its_lines_and_loses_what_does_not_show),
      cmocka_unit_test(of_a_schema_only_prose_is_touched),
      cmocka_unit_test(a_model_is_sent_tools_without_it),
      cmocka_unit_test(want_of_memory_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
