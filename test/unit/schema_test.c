/* SPDX-License-Identifier: MIT
 *
 * JSON Schema for tool arguments: valid values, messages for invalid ones, and schemas that are refused rather than
 * ignored.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/schema.h"
#include "lib/check.h"
#include "lib/sweep.h"

static struct skill__schema *compiled(const char *text) {
  struct skill__schema *schema = NULL;
  SkillError err = SKILL_ERROR_INIT;
  int rc = skill__schema_compile(text, strlen(text), "tool", true, &schema, &err);
  if (rc) print_error("%s\n", err.message);
  assert_int_equal(rc, 0);
  return schema;
}

static void fits(const char *schema_text, const char *value) {
  struct skill__schema *schema = compiled(schema_text);
  SkillError err = SKILL_ERROR_INIT;
  int rc = skill__schema_check_text(schema, value, strlen(value), NULL, &err);
  if (rc) fail_msg("%s against %s: %s", value, schema_text, err.message);
  skill__schema_free(schema);
}

static void misses(const char *schema_text, const char *value, int code, const char *message) {
  struct skill__schema *schema = compiled(schema_text);
  SkillError err = SKILL_ERROR_INIT;
  int rc = skill__schema_check_text(schema, value, strlen(value), NULL, &err);
  if (rc != code || strcmp(err.message, message) != 0) {
    fail_msg("%s against %s: %d \"%s\", not \"%s\"", value, schema_text, rc, err.message, message);
  }
  skill__schema_free(schema);
}

static void refused(const char *text, int code, const char *part) {
  struct skill__schema *schema = NULL;
  SkillError err = SKILL_ERROR_INIT;
  int rc = skill__schema_compile(text, strlen(text), "tool", true, &schema, &err);
  assert_null(schema);
  if (rc != code || !strstr(err.message, part)) fail_msg("%s: %d \"%s\" lacks \"%s\"", text, rc, err.message, part);
}

static void a_misfit_is_told_by_place_expectation_and_value(void **state) {
  (void)state;
  static const char schema[] =
      "{\"type\":\"object\",\"required\":[\"to\"],\"additionalProperties\":false,\"properties\":{"
      "\"to\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"a/"
      "b\":{\"type\":[\"integer\",\"null\"]}}}},"
      "\"mode\":{\"enum\":[\"fast\",\"safe\",3]},\"n\":{\"minimum\":1,\"exclusiveMaximum\":10,\"multipleOf\":0.5},"
      "\"s\":{\"type\":\"string\",\"minLength\":2,\"maxLength\":3,\"pattern\":\"^[a-z\\u4e2d]+$\"},\"k\":{\"const\":{"
      "\"x\":1}}}}";
  fits(schema,
       "{\"to\":[{\"a/b\":2.0},{\"a/b\":null}],\"mode\":3,\"n\":9.5,\"s\":\"a\xe4\xb8\xad\",\"k\":{\"x\":1.0}}");
  misses(schema, "[]", SKILL_EINVAL, "arguments: expected an object, got an array of 0");
  misses(schema, "{}", SKILL_EINVAL, "arguments: expected the property \"to\", which is missing");
  misses(schema, "{\"to\":[{},{\"a/b\":\"2\"}]}", SKILL_EINVAL,
         "at /to/1/a~1b: expected a whole number or null, got \"2\"");
  misses(schema, "{\"to\":[],\"mod\":1}", SKILL_EINVAL,
         "at /mod: expected no such property; known are k, mode, n, s, to");
  misses(schema, "{\"to\":[],\"mode\":\"slow\"}", SKILL_EINVAL,
         "at /mode: expected one of [\"fast\",\"safe\",3], got \"slow\"");
  misses(schema, "{\"to\":[],\"n\":0}", SKILL_EINVAL, "at /n: expected at least 1, got 0");
  misses(schema, "{\"to\":[],\"n\":10}", SKILL_EINVAL, "at /n: expected less than 10, got 10");
  misses(schema, "{\"to\":[],\"n\":1.2}", SKILL_EINVAL, "at /n: expected a multiple of 0.5, got 1.2");
  misses(schema, "{\"to\":[],\"s\":\"\xe4\xb8\xad\"}", SKILL_EINVAL,
         "at /s: expected a string with a length of at least 2, got \"\xe4\xb8\xad\"");
  misses(schema, "{\"to\":[],\"s\":\"aB\"}", SKILL_EINVAL,
         "at /s: expected a string that matches ^[a-z\xe4\xb8\xad]+$, got \"aB\"");
  misses(schema, "{\"to\":[],\"k\":{}}", SKILL_EINVAL, "at /k: expected {\"x\":1}, got an object");
}

static void nothing_is_coerced(void **state) {
  (void)state;
  misses("{\"type\":\"integer\"}", "\"3\"", SKILL_EINVAL, "arguments: expected a whole number, got \"3\"");
  misses("{\"type\":\"boolean\"}", "\"true\"", SKILL_EINVAL, "arguments: expected a boolean, got \"true\"");
  misses("{\"type\":\"boolean\"}", "1", SKILL_EINVAL, "arguments: expected a boolean, got 1");
  misses("{\"type\":\"string\"}", "null", SKILL_EINVAL, "arguments: expected a string, got null");
  misses("{\"type\":\"array\"}", "\"a\"", SKILL_EINVAL, "arguments: expected an array, got \"a\"");
  fits("{\"type\":\"integer\"}", "3.0"); /* one number in JSON */
}

static void unreadable_arguments_are_refused(void **state) {
  (void)state;
  misses("true", "{\"a\":1,\"b\":{\"c\":1,\"c\":2}}", SKILL_EPARSE, "arguments: the key \"c\" occurs twice");
  misses("true", "[1e999]", SKILL_EPARSE, "arguments: a number is out of range");
  misses("true", "{\"a\":1} x", SKILL_EPARSE, "not valid JSON here: more text follows the value");
  misses("true", "", SKILL_EPARSE, "not valid JSON here: the text is empty");
}

static void newer_and_older_drafts_both_have_tuples(void **state) {
  (void)state;
  static const char new_form[] = "{\"prefixItems\":[{\"type\":\"string\"},{\"type\":\"number\"}],\"items\":false}";
  static const char old_form[] = "{\"items\":[{\"type\":\"string\"},{\"type\":\"number\"}],\"additionalItems\":false}";
  fits(new_form, "[\"a\",1]");
  fits(old_form, "[\"a\",1]");
  misses(new_form, "[\"a\",1,2]", SKILL_EINVAL, "at /2: expected nothing here, got 2");
  misses(old_form, "[\"a\",1,2]", SKILL_EINVAL, "at /2: expected nothing here, got 2");
  misses(old_form, "[1]", SKILL_EINVAL, "at /0: expected a string, got 1");
}

static void arrays_and_objects_have_bounds(void **state) {
  (void)state;
  misses("{\"minItems\":1}", "[]", SKILL_EINVAL, "arguments: expected items, at least 1, got an array of 0");
  misses("{\"uniqueItems\":true}", "[1,{\"a\":[2]},{\"a\":[2]}]", SKILL_EINVAL,
         "arguments: expected no item twice, got an object");
  misses("{\"contains\":{\"type\":\"null\"},\"minContains\":2}", "[null,1]", SKILL_EINVAL,
         "arguments: expected fitting items, at least 2, got an array of 2");
  misses("{\"contains\":{\"type\":\"null\"},\"maxContains\":1}", "[null,null]", SKILL_EINVAL,
         "arguments: expected fitting items, at most 1, got an array of 2");
  misses("{\"maxProperties\":1}", "{\"a\":1,\"b\":2}", SKILL_EINVAL,
         "arguments: expected properties, at most 1, got an object");
  misses("{\"patternProperties\":{\"^n_\":{\"type\":\"number\"}},\"additionalProperties\":false}", "{\"n_a\":\"x\"}",
         SKILL_EINVAL, "at /n_a: expected a number, got \"x\"");
  misses("{\"propertyNames\":{\"maxLength\":2}}", "{\"abc\":1}", SKILL_EINVAL,
         "at /abc: expected a string with a length of at most 2, got \"abc\"");
  misses("{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}", SKILL_EINVAL,
         "arguments: expected the property \"b\", which is missing");
  misses("{\"dependentSchemas\":{\"a\":{\"required\":[\"c\"]}}}", "{\"a\":1}", SKILL_EINVAL,
         "arguments: expected the property \"c\", which is missing");
}

static void alternatives_say_what_the_first_lacks(void **state) {
  (void)state;
  misses("{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "5", SKILL_EINVAL,
         "arguments: expected one of 2 alternatives (of the first, arguments: expected a string, got 5)");
  misses("{\"oneOf\":[{\"minimum\":1},{\"maximum\":9}]}", "5", SKILL_EINVAL,
         "arguments: expected exactly one of several alternatives, but more fit, got 5");
  misses("{\"not\":{\"const\":1}}", "1", SKILL_EINVAL,
         "arguments: expected something that the schema's \"not\" does not cover, got 1");
  misses("{\"if\":{\"required\":[\"a\"]},\"then\":{\"required\":[\"b\"]},\"else\":{\"required\":[\"c\"]}}", "{\"a\":1}",
         SKILL_EINVAL, "arguments: expected the property \"b\", which is missing");
}

static void references_may_go_in_circles_but_not_for_ever(void **state) {
  (void)state;
  static const char tree[] =
      "{\"$ref\":\"#/$defs/"
      "node\",\"$defs\":{\"node\":{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
      "\"value\":{\"type\":\"number\"},\"next\":{\"$ref\":\"#/$defs/node\"}}}}}";
  fits(tree, "{\"value\":1,\"next\":{\"next\":{\"value\":2}}}");
  misses(tree, "{\"next\":{\"next\":{\"value\":\"x\"}}}", SKILL_EINVAL,
         "at /next/next/value: expected a number, got \"x\"");
  misses("{\"$ref\":\"#\"}", "1", SKILL_ELIMIT,
         "arguments: checking them takes more depth than allowed; simplify the schema");
  misses("{\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}", "1", SKILL_ELIMIT,
         "arguments: checking them takes more depth than allowed; simplify the schema");
  fits("{\"$defs\":{\"a\":{\"$anchor\":\"here\",\"type\":\"number\"}},\"$ref\":\"#here\"}", "1");
}

static void a_reference_finds_exactly_what_it_names(void **state) {
  (void)state;
  static const char anchors[] =
      "{\"$defs\":{\"a\":{\"$anchor\":\"one\",\"type\":\"string\"},\"b\":{\"$anchor\":\"two\",\"type\":\"number\"},"
      "\"c\":{\"$id\":\"#old\",\"type\":\"null\"}},\"properties\":{\"x\":{\"$ref\":\"#two\"},\"y\":{\"$ref\":\"#old\"}}"
      "}";
  fits(anchors, "{\"x\":1,\"y\":null}");
  misses(anchors, "{\"x\":\"a\"}", SKILL_EINVAL, "at /x: expected a number, got \"a\"");
  misses(anchors, "{\"y\":1}", SKILL_EINVAL, "at /y: expected null, got 1");
  static const char escaped[] =
      "{\"$defs\":{\"a "
      "b\":{\"type\":\"number\"},\"\u00e9\":{\"type\":\"null\"},\"~/\":{\"type\":\"string\"}},\"properties\":{"
      "\"x\":{\"$ref\":\"#/$defs/a%20b\"},\"y\":{\"$ref\":\"#/$defs/%c3%A9\"},\"z\":{\"$ref\":\"#/$defs/~0~1\"}}}";
  fits(escaped, "{\"x\":1,\"y\":null,\"z\":\"\"}");
  misses(escaped, "{\"x\":null}", SKILL_EINVAL, "at /x: expected a number, got null");
  fits("{\"prefixItems\":[{\"type\":\"number\"},{\"$ref\":\"#/prefixItems/0\"}]}", "[1,2]");
  refused("{\"$ref\":1}", SKILL_EINVAL, "/$ref: it must be a string");
  refused("{\"$ref\":\"#/$defs\"}", SKILL_EINVAL, "has no target");
  refused("{\"prefixItems\":[true],\"$ref\":\"#/prefixItems/-4294967296\"}", SKILL_EINVAL, "has no target");
  refused("{\"prefixItems\":[true],\"$ref\":\"#/prefixItems/1\"}", SKILL_EINVAL, "has no target");
  refused("{\"prefixItems\":[true],\"$ref\":\"#/prefixItems/x\"}", SKILL_EINVAL, "has no target");
}

static void values_are_equal_as_json_and_not_as_text(void **state) {
  (void)state;
  fits("{\"type\":\"boolean\"}", "true");
  misses("{\"type\":\"boolean\"}", "1", SKILL_EINVAL, "arguments: expected a boolean, got 1");
  fits("{\"const\":[1,{\"a\":null,\"b\":\"x\"}]}", "[1.0,{\"b\":\"x\",\"a\":null}]");
  misses("{\"const\":[1]}", "[1,2]", SKILL_EINVAL, "arguments: expected [1], got an array of 2");
  misses("{\"const\":[1,2]}", "[1]", SKILL_EINVAL, "arguments: expected [1,2], got an array of 1");
  misses("{\"const\":{\"a\":1}}", "{\"a\":1,\"b\":2}", SKILL_EINVAL, "arguments: expected {\"a\":1}, got an object");
  misses("{\"const\":{\"a\":1}}", "{\"b\":1}", SKILL_EINVAL, "arguments: expected {\"a\":1}, got an object");
  misses("{\"const\":1}", "\"1\"", SKILL_EINVAL, "arguments: expected 1, got \"1\"");
  misses("{\"const\":\"1\"}", "1", SKILL_EINVAL, "arguments: expected \"1\", got 1");
  misses("{\"const\":[]}", "{}", SKILL_EINVAL, "arguments: expected [], got an object");
  misses("{\"const\":null}", "false", SKILL_EINVAL, "arguments: expected null, got false");
  misses("{\"const\":true}", "false", SKILL_EINVAL, "arguments: expected true, got false");
}

static void bounds_are_inclusive(void **state) {
  (void)state;
  static const struct {
    const char *schema, *low, *least, *most, *high;
  } cases[] = {
      {"{\"minimum\":2,\"maximum\":3}", "1", "2", "3", "4"},
      {"{\"exclusiveMinimum\":1,\"exclusiveMaximum\":4}", "1", "2", "3", "4"},
      {"{\"minLength\":1,\"maxLength\":2}", "\"\"", "\"a\"", "\"ab\"", "\"abc\""},
      {"{\"minItems\":1,\"maxItems\":2}", "[]", "[1]", "[1,2]", "[1,2,3]"},
      {"{\"contains\":{\"const\":1}}", "[2]", "[1,2]", "[1,1]", "[]"},
      {"{\"contains\":{\"const\":1},\"minContains\":2,\"maxContains\":3}", "[1,2]", "[1,1]", "[1,1,1]", "[1,1,1,1]"},
      {"{\"minProperties\":1,\"maxProperties\":2}", "{}", "{\"a\":1}", "{\"a\":1,\"b\":1}",
       "{\"a\":1,\"b\":1,\"c\":1}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct skill__schema *schema = compiled(cases[i].schema);
    assert_int_equal(skill__schema_check_text(schema, cases[i].low, strlen(cases[i].low), NULL, NULL), SKILL_EINVAL);
    assert_int_equal(skill__schema_check_text(schema, cases[i].least, strlen(cases[i].least), NULL, NULL), 0);
    assert_int_equal(skill__schema_check_text(schema, cases[i].most, strlen(cases[i].most), NULL, NULL), 0);
    assert_int_equal(skill__schema_check_text(schema, cases[i].high, strlen(cases[i].high), NULL, NULL), SKILL_EINVAL);
    skill__schema_free(schema);
  }
  skill__schema_free(compiled("{\"minLength\":1e15}"));
  refused("{\"minLength\":1.5e15}", SKILL_EINVAL, "/minLength");
  refused("{\"minItems\":1.5}", SKILL_EINVAL, "/minItems");
  refused("{\"multipleOf\":0}", SKILL_EINVAL, "/multipleOf: it must be greater than 0");
  refused("{\"multipleOf\":\"1\"}", SKILL_EINVAL, "/multipleOf: it must be a number");
}

static void a_pattern_cannot_stop_the_host(void **state) {
  (void)state;
  misses("{\"pattern\":\"^(a+)+$\"}", "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"", SKILL_ELIMIT,
         "arguments: checking them takes more pattern matching than allowed; simplify the schema");
  misses("{\"not\":{\"pattern\":\"^(a+)+$\"}}", "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"", SKILL_ELIMIT,
         "arguments: checking them takes more pattern matching than allowed; simplify the schema");
  refused("{\"pattern\":\"a(\"}", SKILL_EINVAL, "/pattern: the pattern is wrong at byte 2");
}

static void too_many_steps_are_refused_and_never_accepted(void **state) {
  (void)state;
  static const char wide[] =
      "{\"items\":{\"anyOf\":[false,false,false,false,false,false,false,false,{\"uniqueItems\":true}]}}";
  size_t size = 1 << 20;
  char *value = malloc(size);
  assert_non_null(value);
  size_t n = (size_t)snprintf(value, size, "[[");
  for (int i = 0; i < 3000; i++) n += (size_t)snprintf(value + n, size - n, "%s%d", i ? "," : "", i);
  snprintf(value + n, size - n, "]]");
  misses(wide, value, SKILL_ELIMIT, "arguments: checking them takes more steps than allowed; simplify the schema");
  free(value);
}

static void what_is_not_supported_is_refused_in_strict_mode_and_else_ignored(void **state) {
  (void)state;
  static const char schema_text[] =
      "{\"properties\":{\"a\":{\"unevaluatedItems\":false,\"x-position\":1},\"b\":{\"format\":\"phone\",\"nullable\":"
      "true}}}";
  refused(schema_text, SKILL_EUNSUPPORTED,
          "tool: schema at /properties/a/unevaluatedItems: this keyword is not supported");
  refused("{\"$ref\":\"http://example.com/x.json\"}", SKILL_EUNSUPPORTED, "leaves the document");
  struct skill__schema *schema = NULL;
  assert_int_equal(skill__schema_compile(schema_text, strlen(schema_text), "tool", false, &schema, NULL), 0);
  skill__schema_free(schema);
  skill__schema_free(compiled("{\"type\":\"object\",\"x-flag\":\"-n\",\"title\":\"t\"}"));
}

static void a_schema_that_is_none_says_where(void **state) {
  (void)state;
  refused("{\"type\":\"text\"}", SKILL_EINVAL, "tool: schema at /type: a type is");
  refused("{\"properties\":{\"a\":3}}", SKILL_EINVAL, "at /properties/a: a schema is an object, true or false");
  refused("{\"properties\":{\"a\":[\"b\"]}}", SKILL_EINVAL, "at /properties/a");
  refused("{\"required\":\"a\"}", SKILL_EINVAL, "at /required: it must be a list of strings");
  refused("{\"minLength\":-1}", SKILL_EINVAL, "at /minLength");
  refused("{\"exclusiveMinimum\":true}", SKILL_EINVAL, "at /exclusiveMinimum: it must be a number");
  refused("{\"anyOf\":[]}", SKILL_EINVAL, "at /anyOf");
  refused("{\"$ref\":\"#/$defs/none\"}", SKILL_EINVAL, "has no target");
  refused("{\"$defs\":{\"a\":{\"type\":1}}}", SKILL_EINVAL, "at /$defs/a/type");
  refused("[]", SKILL_EINVAL, "at its root");
  refused("{", SKILL_EPARSE, "not valid JSON");
}

static void deep_schemas_are_refused(void **state) {
  (void)state;
  char text[8192] = "";
  for (int i = 0; i < 300; i++) strcat(text, "{\"not\":");
  strcat(text, "true");
  for (int i = 0; i < 300; i++) strcat(text, "}");
  refused(text, SKILL_ELIMIT, "nested too deeply");
}

static void formats_are_checked(void **state) {
  (void)state;
  static const char *const good[][2] = {
      {"date", "2024-02-29"},
      {"time", "23:59:60.5Z"},
      {"date-time", "2024-01-01T00:00:00+08:00"},
      {"email", "a.b+c@example.com"},
      {"hostname", "a-b.example"},
      {"ipv4", "127.0.0.1"},
      {"ipv6", "::1"},
      {"uuid", "123e4567-e89b-12d3-a456-426614174000"},
      {"uri", "https://example.com/?q=\xe4\xb8\xad#x"},
      {"int64", "anything"},
      {"date", "2000-02-29"},
      {"date", "2023-02-28"},
      {"date", "2023-10-31"},
      {"date", "2023-11-30"},
      {"time", "00:00:00z"},
      {"time", "09:59:00-23:59"},
      {"email", "~@x"},
      {"hostname", "A1.z9"},
      {"uri", "z+1.-:x"},
  };
  static const char *const bad[][2] = {
      {"date", "2023-02-29"},
      {"time", "24:00:00Z"},
      {"date-time", "2024-01-01 00:00:00"},
      {"email", "a@b@c"},
      {"hostname", "-a.com"},
      {"ipv4", "127.0.0.256"},
      {"ipv6", "1:2"},
      {"uuid", "123"},
      {"uri", "example.com"},
      {"uri", "http://a b"},
      {"date", "1900-02-29"},
      {"date", "2023-04-31"},
      {"date", "2023-10-32"},
      {"date", "2023-00-01"},
      {"date", "2023-13-01"},
      {"date", "2023-01-00"},
      {"time", "00:60:00Z"},
      {"time", "00:00:61Z"},
      {"time", "00:00:00.Z"},
      {"time", "00:00:00"},
      {"time", "00:00:00+24:00"},
      {"email", ".a@x"},
      {"email", "a.@x"},
      {"email", "a..b@x"},
      {"hostname", "a-"},
      {"hostname", "a..b"},
      {"hostname", ""},
      {"uri", "1a:x"},
      {"uri", "a:"},
      {"ipv6", "::g"},
      {"uuid", "123e4567-e89b-12d3-a456-42661417400g"},
  };
  char schema[100];
  char value[100];
  char message[300];
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    snprintf(schema, sizeof schema, "{\"format\":\"%s\"}", good[i][0]);
    snprintf(value, sizeof value, "\"%s\"", good[i][1]);
    fits(schema, value);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(schema, sizeof schema, "{\"format\":\"%s\"}", bad[i][0]);
    snprintf(value, sizeof value, "\"%s\"", bad[i][1]);
    snprintf(message, sizeof message, "arguments: expected a string of the format %s, got %s", bad[i][0], value);
    misses(schema, value, SKILL_EINVAL, message);
  }
}

/* cJSON does not distinguish invalid JSON from a failed allocation. */
static int unread(int rc) {
  return rc == SKILL_EPARSE && sweep_failed() ? SKILL_ENOMEM : rc;
}

static int compile_and_check(void *user) {
  (void)user;
  static const char text[] =
      "{\"type\":\"object\",\"properties\":{\"a\":{\"anyOf\":[{\"pattern\":\"^x\"},{\"$ref\":\"#/$defs/d\"}]}},"
      "\"patternProperties\":{\"^p\":{\"enum\":[1,2]}},\"unknown\":1,\"$defs\":{\"d\":{\"type\":\"number\"}}}";
  struct skill__schema *schema = NULL;
  int rc = skill__schema_compile(text, strlen(text), "tool", false, &schema, NULL);
  if (rc) assert_null(schema);
  if (rc) return unread(rc);
  static const char value[] = "{\"a\":\"xy\",\"p1\":2}";
  rc = skill__schema_check_text(schema, value, strlen(value), NULL, NULL);
  skill__schema_free(schema);
  return unread(rc);
}

static void every_failed_allocation_is_survived(void **state) {
  (void)state;
  assert_true(sweep_run(compile_and_check, NULL) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_misfit_is_told_by_place_expectation_and_value),
      cmocka_unit_test(nothing_is_coerced),
      cmocka_unit_test(unreadable_arguments_are_refused),
      cmocka_unit_test(newer_and_older_drafts_both_have_tuples),
      cmocka_unit_test(arrays_and_objects_have_bounds),
      cmocka_unit_test(alternatives_say_what_the_first_lacks),
      cmocka_unit_test(references_may_go_in_circles_but_not_for_ever),
      cmocka_unit_test(a_pattern_cannot_stop_the_host),
      cmocka_unit_test(too_many_steps_are_refused_and_never_accepted),
      cmocka_unit_test(what_is_not_supported_is_refused_in_strict_mode_and_else_ignored),
      cmocka_unit_test(a_schema_that_is_none_says_where),
      cmocka_unit_test(deep_schemas_are_refused),
      cmocka_unit_test(a_reference_finds_exactly_what_it_names),
      cmocka_unit_test(bounds_are_inclusive),
      cmocka_unit_test(values_are_equal_as_json_and_not_as_text),
      cmocka_unit_test(formats_are_checked),
      cmocka_unit_test(every_failed_allocation_is_survived),
  };
  return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
