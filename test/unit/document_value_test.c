/* SPDX-License-Identifier: MIT
 *
 * Values: which texts readers of YAML take for something else, values as JSON, and texts as lists.
 */
#include <string.h>

#include "document/fields.h"
#include "document/yaml.h"
#include "lib/check.h"
#include "util/buf.h"

static struct skill__value plain(const char *text) {
  return (struct skill__value){.kind = SKILL__SCALAR, .plain = true, .text = text, .length = strlen(text)};
}

static void texts_that_readers_take_for_something_else(void **state) {
  (void)state;
  static const char *const typed[] = {"",
                                      "~",
                                      "null",
                                      "Null",
                                      "true",
                                      "No",
                                      "on",
                                      "OFF",
                                      "0",
                                      "1",
                                      "-1",
                                      "+1",
                                      "1_000",
                                      "0x1F",
                                      "0o17",
                                      "0b1",
                                      "-0xff",
                                      ".inf",
                                      "-.INF",
                                      ".nan",
                                      "1.5",
                                      ".5",
                                      "1.",
                                      "1e3",
                                      "1E-3",
                                      "1.5e+3",
                                      "12:30",
                                      "1:20:30.5",
                                      "2024-05-01",
                                      "2024-5-1",
                                      "2024-05-01T10:00",
                                      "2024-05-01 10:00",
                                      "2024-05-01t1"};
  static const char *const texts[] = {
      "a",   "x0",  "0x",   "0xg",   "o17",        "1e",          "1e+",         "e3",          ".",           "-",
      "+",   "_",   "12:",  "12:a",  ":30",        "2024-05",     "24-05-01",    "2024-05-01x", "2024-05-011", "1.2.3",
      "--1", "nul", "yess", "truer", "2024/05/01", "20245-01-01", "2024-005-01", "1,5",         "..inf"};
  for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
    struct skill__value value = plain(typed[i]);
    if (!skill__value_is_typed(&value)) fail_msg("'%s' is a text", typed[i]);
    value.plain = false;
    assert_false(skill__value_is_typed(&value));
  }
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct skill__value value = plain(texts[i]);
    if (skill__value_is_typed(&value)) fail_msg("'%s' is no text", texts[i]);
  }
  char longest[66] = "";
  memset(longest, '1', 64);
  struct skill__value value = plain(longest);
  assert_true(skill__value_is_typed(&value));
  longest[64] = '1';
  value = plain(longest);
  assert_false(skill__value_is_typed(&value));
}

static void json_is(const char *yaml, enum skill__json_types types, const char *want) {
  struct skill__arena arena = {0};
  struct skill__value *root = NULL;
  struct skill__yaml_error error;
  struct skill__buf buf;
  skill__buf_init(&buf, 1 << 20);
  assert_int_equal(skill__yaml_read(&arena, yaml, strlen(yaml), 1, &root, &error), 0);
  skill__value_json(&buf, root, types);
  assert_int_equal(buf.length, strlen(want));
  assert_memory_equal(buf.data, want, buf.length);
  skill__buf_fini(&buf);
  skill__arena_fini(&arena);
}

static void values_become_json(void **state) {
  (void)state;
  static const char numbers[] =
      "[5, 0.5, -7, 0, 1.10, 007, -0, 1e3, 1., .5, 1.5e-3, 123456789012345, 1234567890123456]";
  json_is(numbers, SKILL__JSON_EXACT,
          "[5,0.5,-7,0,\"1.10\",\"007\",\"-0\",\"1e3\",\"1.\",\".5\",\"1.5e-3\",123456789012345,\"1234567890123456\"]");
  json_is(numbers, SKILL__JSON_SCHEMA,
          "[5,0.5,-7,0,1.10,\"007\",-0,1e3,\"1.\",\".5\",1.5e-3,123456789012345,1234567890123456]");
  json_is("[5, true, ~, null, x]", SKILL__JSON_TEXT, "[\"5\",\"true\",null,null,\"x\"]");
  json_is("[true, false, yes, null, '5', \"true\", 1e, 1e+, 1.x]", SKILL__JSON_SCHEMA,
          "[true,false,\"yes\",null,\"5\",\"true\",\"1e\",\"1e+\",\"1.x\"]");
  json_is("[0.12345678901234567890123456789012345678901234567890123456789012]", SKILL__JSON_SCHEMA,
          "[0.12345678901234567890123456789012345678901234567890123456789012]");
  json_is("[0.123456789012345678901234567890123456789012345678901234567890123]", SKILL__JSON_SCHEMA,
          "[\"0.123456789012345678901234567890123456789012345678901234567890123\"]");
  json_is("{a: {}, b: [], ? [c, 1] : d}", SKILL__JSON_EXACT, "{\"a\":{},\"b\":[],\"[\\\"c\\\",\\\"1\\\"]\":\"d\"}");
}

static void splits(const char *text, enum skill__split split, const char *want) {
  struct skill__arena arena = {0};
  SkillStrings list = {NULL, 0};
  char got[400] = "";
  assert_int_equal(skill__fields_split(&arena, text, split, &list), 0);
  for (size_t i = 0; i < list.count; i++) {
    strcat(got, list.items[i]);
    strcat(got, "|");
  }
  assert_string_equal(got, want);
  skill__arena_fini(&arena);
}

static void texts_split_into_lists(void **state) {
  (void)state;
  splits("a b\tc", SKILL__SPLIT_WORDS, "a|b|c|");
  splits("a b, c", SKILL__SPLIT_WORDS, "a b|c|");
  splits("a b, c", SKILL__SPLIT_PHRASES, "a b|c|");
  splits(" a ; b\n c ,, ", SKILL__SPLIT_PHRASES, "a|b|c|");
  splits("\xe4\xb8\x80\xef\xbc\x8c\xe4\xba\x8c\xe3\x80\x81\xe4\xb8\x89", SKILL__SPLIT_WORDS,
         "\xe4\xb8\x80|\xe4\xba\x8c|\xe4\xb8\x89|");
  splits("Read Bash(git log *) Edit", SKILL__SPLIT_WORDS, "Read|Bash(git log *)|Edit|");
  splits("Bash(a, b), f[c, d], {e, f}", SKILL__SPLIT_WORDS, "Bash(a, b)|f[c, d]|{e, f}|");
  splits("f(a (b, c), d), e", SKILL__SPLIT_PHRASES, "f(a (b, c), d)|e|");
  splits("f(a, b", SKILL__SPLIT_PHRASES, "f(a|b|");
  splits("a), b", SKILL__SPLIT_PHRASES, "a)|b|");
  splits("['b, c',\"d\", a]", SKILL__SPLIT_WORDS, "b, c|d|a|");
  splits("'a b' c", SKILL__SPLIT_WORDS, "a b|c|");
  splits("it's 'a", SKILL__SPLIT_WORDS, "it's|'a|");
  splits("[a] [b]", SKILL__SPLIT_WORDS, "a] [b|");
  splits("", SKILL__SPLIT_WORDS, "");
  splits(" , ;", SKILL__SPLIT_PHRASES, "");
  splits("[", SKILL__SPLIT_PHRASES, "[|");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_that_readers_take_for_something_else),
      cmocka_unit_test(values_become_json),
      cmocka_unit_test(texts_split_into_lists),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
