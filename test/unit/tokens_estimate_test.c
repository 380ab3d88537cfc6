/* SPDX-License-Identifier: MIT
 *
 * The token estimate, and the tokens of tools.
 */
#include <string.h>

#include "lib/check.h"
#include "tokens/tokens.h"
#include "util/utf8.h"

static size_t estimate(const char *text) {
  return skill_tokens_count(NULL, text, strlen(text));
}

static void the_estimate_says_that_it_is_one(void **state) {
  (void)state;
  SkillTokenizer *tokenizer = skill_tokenizer_estimate();
  assert_non_null(tokenizer);
  assert_false(tokenizer->exact);
  assert_true(tokenizer->threadsafe);
  assert_null(tokenizer->encode);
  assert_string_equal(tokenizer->name, "estimate");
  skill_tokenizer_free(tokenizer);
  assert_int_equal(estimate("one"), 1);
}

/* The count next to each text is that of o200k_base. */
static void ordinary_text_is_estimated_within_a_quarter(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t tokens;
  } cases[] = {
      {"The quick brown fox jumps over the lazy dog. It then goes home, and sleeps until the morning.", 21},
      {"static int count_words(const char *text, size_t length) { return text && length ? 1 : 0; }", 26},
      {"把会议记录整理成表格，并把结果发送给项目组的所有成员。", 18},
      {"{\"name\":\"send_mail\",\"description\":\"Sends a message to one address\",\"required\":[\"to\"]}", 21},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t got = estimate(cases[i].text);
    if (got * 4 < cases[i].tokens * 3 || got * 4 > cases[i].tokens * 5) {
      fail_msg("%s: estimated %zu, real %zu", cases[i].text, got, cases[i].tokens);
    }
  }
}

static void nothing_costs_nothing_and_anything_costs_at_least_one(void **state) {
  (void)state;
  assert_int_equal(skill_tokens_count(NULL, NULL, 0), 0);
  assert_int_equal(estimate(""), 0);
  assert_int_equal(estimate(" "), 1);
  assert_int_equal(estimate("a"), 1);
  assert_true(skill_tokens_count(NULL, "\xff\xfe\x00\x80", 4) >= 1);
}

static void a_longer_text_never_costs_less(void **state) {
  (void)state;
  static const char text[] =
      "Mixed: 中文, कोड, code_path(42); \xf0\x9f\x98\x80 \r\n\r\n    indented CamelCase \xff bytes";
  size_t last = 0;
  for (size_t i = 0; i < sizeof text; i++) {
    size_t now = skill_tokens_count(NULL, text, skill__utf8_floor(text, i));
    assert_true(now + 1 >= last);
    last = now;
  }
}

static void tool_json_is(const SkillTool *tool, const char *want) {
  struct skill__buf buf;
  skill__buf_init(&buf, 4096);
  skill__tokens_tool_json(&buf, tool);
  assert_int_equal(skill__buf_status(&buf), 0);
  assert_string_equal(buf.data, want);
  assert_int_equal(skill_tokens_tool(NULL, tool), skill_tokens_count(NULL, want, strlen(want)));
  skill__buf_fini(&buf);
}

static void a_tool_is_counted_by_its_compact_json(void **state) {
  (void)state;
  tool_json_is(&(SkillTool){.name = "go", .description = "Say \"hi\"", .input_schema = "{ \"a b\" : [ 1,\n 2 ] }"},
               "{\"name\":\"go\",\"description\":\"Say \\\"hi\\\"\",\"input_schema\":{\"a b\":[1,2]}}");
  tool_json_is(&(SkillTool){.name = "bare"}, "{\"name\":\"bare\",\"input_schema\":{}}");
  tool_json_is(&(SkillTool){.name = "q", .input_schema = "{\"x\\\" y\": \"\\\\\" }"},
               "{\"name\":\"q\",\"input_schema\":{\"x\\\" y\":\"\\\\\"}}");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_estimate_says_that_it_is_one),
      cmocka_unit_test(ordinary_text_is_estimated_within_a_quarter),
      cmocka_unit_test(nothing_costs_nothing_and_anything_costs_at_least_one),
      cmocka_unit_test(a_longer_text_never_costs_less),
      cmocka_unit_test(a_tool_is_counted_by_its_compact_json),
  };
  return cmocka_run_group_tests_name("tokens/estimate", tests, NULL, NULL);
}
