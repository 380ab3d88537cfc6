/* SPDX-License-Identifier: MIT
 *
 * Copies of metadata, rules for names, events as JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "lib/sweep.h"
#include "skillet/event.h"
#include "skillet/skill.h"

static SkillMetadata full(void) {
  static const char *const tags[] = {"a", "bb"};
  static const char *const paths[] = {"src/**"};
  static const SkillTool tools[] = {
      {.name = "t1", .description = "d1", .input_schema = "{}", .flags = SKILL_TOOL_DANGEROUS, .command = "c"},
      {.name = "t2"},
  };
  static const SkillField extra[] = {{"k", "[1]"}, {"l", "\"x\""}};
  return (SkillMetadata){
      .name = "name",
      .description = "description",
      .version = "1.0",
      .argument_hint = "<file>",
      .path = "p/SKILL.md",
      .tags = {tags, 2},
      .paths = {paths, 1},
      .tools = tools,
      .tool_count = 2,
      .extra = extra,
      .extra_count = 2,
      .mode = SKILL_MODE_ALWAYS,
      .unlisted = true,
  };
}

static void a_copy_shares_nothing_with_what_it_was_made_from(void **state) {
  (void)state;
  SkillMetadata from = full();
  char *name = strdup("changing");
  const char *tags[] = {name};
  SkillMetadata *copy = NULL;
  from.name = name;
  from.tags = (SkillStrings){tags, 1};
  assert_int_equal(skill_metadata_copy(&from, &copy), 0);
  memset(name, 'x', 8);
  tags[0] = NULL;
  assert_string_equal(copy->name, "changing");
  assert_string_equal(copy->tags.items[0], "changing");
  assert_string_equal(copy->argument_hint, "<file>");
  assert_string_equal(copy->tools[0].command, "c");
  assert_int_equal(copy->tools[0].flags, SKILL_TOOL_DANGEROUS);
  assert_null(copy->tools[1].description);
  assert_string_equal(copy->extra[1].json, "\"x\"");
  assert_int_equal(copy->mode, SKILL_MODE_ALWAYS);
  assert_true(copy->unlisted);
  assert_null(copy->license);
  assert_int_equal(copy->triggers.count, 0);
  skill_metadata_free(copy);
  free(name);
}

static void a_copy_is_one_block(void **state) {
  (void)state;
  SkillMetadata from = full();
  SkillMetadata *copy = NULL;
  sweep_count_begin();
  int rc = skill_metadata_copy(&from, &copy);
  size_t count = sweep_count();
  if (!rc) skill_metadata_free(copy);
  sweep_count_end();
  assert_int_equal(rc, 0);
  assert_int_equal(count, 1);
}

static int copy_and_free(void *user) {
  SkillMetadata from = full();
  SkillMetadata *copy = user;
  int rc = skill_metadata_copy(&from, &copy);
  if (rc) assert_ptr_equal(copy, user);
  if (!rc) skill_metadata_free(copy);
  return rc;
}

static void a_copy_that_finds_no_memory_leaves_its_output_alone(void **state) {
  SkillMetadata other;
  (void)state;
  assert_int_equal(sweep_run(copy_and_free, &other), 1);
}

static void names_are_checked_byte_by_byte(void **state) {
  (void)state;
  char longest[SKILL_MAX_NAME + 2];
  SkillError err = SKILL_ERROR_INIT;
  memset(longest, 'n', sizeof longest);
  assert_int_equal(skill_name_check("pdf-ratio", 9, NULL), 0);
  assert_int_equal(skill_name_check("\xe5\x91\xa8\xe8\xae\xa1\xe5\x88\x92", 9, NULL), 0);
  assert_int_equal(skill_name_check("Title Case", 10, NULL), 0);
  assert_int_equal(skill_name_check("...", 3, NULL), 0);
  assert_int_equal(skill_name_check(longest, SKILL_MAX_NAME, NULL), 0);
  assert_int_equal(skill_name_check(longest, SKILL_MAX_NAME + 1, NULL), SKILL_ELIMIT);
  assert_int_equal(skill_name_check("", 0, NULL), SKILL_EINVAL);
  assert_int_equal(skill_name_check(NULL, 0, NULL), SKILL_EINVAL);
  assert_int_equal(skill_name_check(".", 1, NULL), SKILL_EINVAL);
  assert_int_equal(skill_name_check("..", 2, NULL), SKILL_EINVAL);
  assert_int_equal(skill_name_check("a/b", 3, NULL), SKILL_EINVAL);
  assert_int_equal(skill_name_check("a\0b", 3, NULL), SKILL_EINVAL);
  assert_int_equal(skill_name_check("a\nb", 3, NULL), SKILL_EINVAL);
  assert_int_equal(skill_name_check("a\xc2\x85", 3, NULL), SKILL_EINVAL);
  assert_int_equal(skill_name_check("ab\xff", 3, &err), SKILL_EINVAL);
  assert_non_null(strstr(err.message, "byte 3"));
}

static void an_event_is_one_json_object_without_unused_fields(void **state) {
  (void)state;
  char text[256];
  SkillEvent event = {.kind = SKILL_EVENT_EVICTED, .time_ms = 12, .skill = "a\"b\n\xff", .score = 0.5, .count = 3};
  const char *expected =
      "{\"event\":\"evicted\",\"time_ms\":12,\"skill\":\"a\\\"b\\u000a\xef\xbf\xbd\",\"score\":0.5,\"count\":3}";
  assert_int_equal(skill_event_json(&event, text, sizeof text), strlen(expected));
  assert_string_equal(text, expected);
}

static void an_event_that_does_not_fit_tells_the_length_it_needs(void **state) {
  (void)state;
  char text[8];
  SkillEvent event = {.kind = SKILL_EVENT_HIT, .skill = "x"};
  size_t need = skill_event_json(&event, NULL, 0);
  assert_int_equal(skill_event_json(&event, text, sizeof text), need);
  assert_string_equal(text, "{\"event");
}

static void every_kind_of_event_has_a_name(void **state) {
  (void)state;
  assert_string_equal(skill_event_name(SKILL_EVENT_DISCOVERED), "discovered");
  for (int i = 0; i <= SKILL_EVENT_DEGRADED; i++)
    assert_string_not_equal(skill_event_name((SkillEventKind)i), "unknown");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_copy_shares_nothing_with_what_it_was_made_from),
      cmocka_unit_test(a_copy_is_one_block),
      cmocka_unit_test(a_copy_that_finds_no_memory_leaves_its_output_alone),
      cmocka_unit_test(names_are_checked_byte_by_byte),
      cmocka_unit_test(an_event_is_one_json_object_without_unused_fields),
      cmocka_unit_test(an_event_that_does_not_fit_tells_the_length_it_needs),
      cmocka_unit_test(every_kind_of_event_has_a_name),
  };
  return cmocka_run_group_tests_name("metadata", tests, NULL, NULL);
}
