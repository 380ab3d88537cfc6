/* SPDX-License-Identifier: MIT
 *
 * util: buffer, UTF-8, JSON, errors.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "lib/check.h"
#include "util/alloc.h"
#include "util/arena.h"
#include "util/buf.h"
#include "util/invisible.h"
#include "util/json.h"
#include "util/json_out.h"
#include "util/number.h"
#include "util/user_path.h"
#include "util/utf8.h"

static void buffer_refuses_what_exceeds_its_ceiling_and_keeps_what_it_had(void **state) {
  (void)state;
  struct skill__buf buf;
  skill__buf_init(&buf, 5);
  skill__buf_text(&buf, "abc");
  skill__buf_text(&buf, "defg");
  assert_int_equal(skill__buf_status(&buf), SKILL_ELIMIT);
  assert_string_equal(buf.data, "abc");
  assert_null(skill__buf_take(&buf, NULL));
  skill__buf_fini(&buf);
}

static void buffer_escapes_json_and_mends_invalid_utf8(void **state) {
  (void)state;
  struct skill__buf buf;
  skill__buf_init(&buf, 1000);
  static const char text[] = "a\"\\\n\x01\xff\xe4\xb8\xad";
  skill__buf_json(&buf, text, sizeof text - 1);
  assert_string_equal(buf.data, "\"a\\\"\\\\\\n\\u0001\xef\xbf\xbd\xe4\xb8\xad\"");
  skill__buf_fini(&buf);
}

static void the_json_writer_puts_commas_between_members_and_items_only(void **state) {
  (void)state;
  struct skill__buf buf;
  skill__buf_init(&buf, 1000);
  skill__json_open(&buf, NULL, "{");
  skill__json_add_text(&buf, "name", "a\"b");
  skill__json_add_text(&buf, "none", NULL);
  skill__json_open(&buf, "list", "[{");
  SKILL__JSON_SIZES(&buf, {"l1", 1}, {"l2", SIZE_MAX});
  skill__json_close(&buf, "}");
  skill__json_open(&buf, NULL, "{");
  skill__json_close(&buf, "}]");
  skill__json_add_texts(&buf, "texts", (const char *const[]){"x", ","}, 2);
  SKILL__JSON_REALS(&buf, {"half", 0.5, 2}, {"one", 1, 0});
  skill__json_addf(&buf, "short", "%g", 0.25);
  skill__json_add_bool(&buf, "yes", true);
  skill__json_add_bytes(&buf, "two", "xyz", 2);
  skill__json_add_raw(&buf, "raw", "[]");
  skill__json_add_raw(&buf, "missing", NULL);
  skill__json_close(&buf, "}");
  assert_string_equal(buf.data,
                      "{\"name\":\"a\\\"b\",\"none\":null,\"list\":[{\"l1\":1,\"l2\":18446744073709551615},{}],"
                      "\"texts\":[\"x\",\",\"],\"half\":0.50,\"one\":1,\"short\":0.25,\"yes\":true,"
                      "\"two\":\"xy\",\"raw\":[],\"missing\":null}");
  skill__buf_fini(&buf);
}

static void the_json_writer_begins_a_document_after_a_line_end_and_keeps_the_first_failure(void **state) {
  (void)state;
  struct skill__buf buf;
  skill__buf_init(&buf, 12);
  skill__json_add_size(&buf, NULL, 1);
  skill__buf_char(&buf, '\n');
  skill__json_add_size(&buf, NULL, 2);
  assert_string_equal(buf.data, "1\n2");
  skill__json_add_text(&buf, "key", "a text above the ceiling");
  assert_int_equal(skill__buf_status(&buf), SKILL_ELIMIT);
  skill__json_close(&buf, "}");
  assert_int_equal(skill__buf_status(&buf), SKILL_ELIMIT);
  skill__buf_fini(&buf);
}

static void numbers_have_their_thousands_apart(void **state) {
  (void)state;
  char out[SKILL__NUMBER_SIZE];
  assert_string_equal(skill__number_text(out, 0), "0");
  assert_string_equal(skill__number_text(out, 999.4), "999");
  assert_string_equal(skill__number_text(out, 1234567), "1,234,567");
  assert_string_equal(skill__number_text(out, -1000), "-1,000");
  assert_string_equal(skill__number_text(out, -0.4), "0");
}

static void the_users_files_are_below_an_absolute_folder_only(void **state) {
  (void)state;
  char out[64];
  setenv("HOME", "/home/u", 1);
  setenv("SKILLET_TEST_FOLDER", "relative", 1);
  assert_true(skill__user_path("SKILLET_TEST_FOLDER", ".cache", "x", out, sizeof out));
  assert_string_equal(out, "/home/u/.cache/skillet/x");
  setenv("SKILLET_TEST_FOLDER", "/c", 1);
  assert_true(skill__user_path("SKILLET_TEST_FOLDER", ".cache", "x", out, sizeof out));
  assert_string_equal(out, "/c/skillet/x");
  assert_false(skill__user_path("SKILLET_TEST_FOLDER", ".cache", "x", out, 8));
  assert_string_equal(out, "");
}

static void utf8_knows_overlong_surrogate_and_cut_forms(void **state) {
  (void)state;
  assert_int_equal(skill__utf8_length("\xc0\x80", 2), 0);
  assert_int_equal(skill__utf8_length("\xed\xa0\x80", 3), 0);
  assert_int_equal(skill__utf8_length("\xe4\xb8", 2), 0);
  assert_int_equal(skill__utf8_length("\xf4\x90\x80\x80", 4), 0);
  assert_int_equal(skill__utf8_length("\xf0\x9f\x98\x80", 4), 4);
  for (uint32_t rune = 0; rune < 0x110000; rune += rune < 0x3000 ? 1 : 251) {
    if (rune >= 0xd800 && rune < 0xe000) continue;
    char out[4];
    uint32_t back = 0;
    size_t n = (size_t)utf8proc_encode_char((utf8proc_int32_t)rune, (utf8proc_uint8_t *)out);
    assert_int_equal(skill__utf8_decode(out, n, &back), n);
    assert_int_equal(back, rune);
  }
  assert_int_equal(skill__utf8_valid("plain ascii \xe4\xb8\xad\xff rest", 21), 15);
  assert_int_equal(skill__utf8_floor("a\xe4\xb8\xad", 3), 1);
  assert_int_equal(skill__utf8_columns("a\xe4\xb8\xad", 4), 3);
}

static void json_errors_carry_line_and_column(void **state) {
  (void)state;
  SkillError err = SKILL_ERROR_INIT;
  cJSON *value = NULL;
  const char *text = "{\n \"a\": 1,\n \"b\": }\n";
  assert_int_equal(skill__json_parse(text, strlen(text), "x.json", &value, &err), SKILL_EPARSE);
  assert_null(value);
  assert_int_equal(err.line, 3);
  assert_string_equal(err.file, "x.json");
  text = "{} {}";
  skill_error_clear(&err);
  assert_int_equal(skill__json_parse(text, strlen(text), NULL, &value, &err), SKILL_EPARSE);
  text = "{\"k\": [1, 2.5, true, null, \"s\"]}";
  assert_int_equal(skill__json_parse(text, strlen(text), NULL, &value, NULL), 0);
  struct skill__buf buf;
  skill__buf_init(&buf, 1000);
  skill__json_print(&buf, value);
  assert_string_equal(buf.data, "{\"k\":[1,2.5,true,null,\"s\"]}");
  skill__buf_fini(&buf);
  cJSON_Delete(value);
}

static void an_escaped_surrogate_alone_is_replaced(void **state) {
  (void)state;
  static const struct {
    const char *text, *value; /* of the member a */
  } cases[] = {
      {"{\"a\":\"x\\ud83dy\"}", "x\xef\xbf\xbdy"},
      {"{\"a\":\"\\uDE00\"}", "\xef\xbf\xbd"},
      {"{\"a\":\"\\ud83d\\ud83d\\ude00\"}", "\xef\xbf\xbd\xf0\x9f\x98\x80"},
      {"{\"a\":\"\\ud83d\\n\"}", "\xef\xbf\xbd\n"},
      {"{\"a\":\"\\ud83d\\u0041\\\\ud83d\"}", "\xef\xbf\xbd\x41\\ud83d"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cJSON *value = NULL;
    assert_int_equal(skill__json_parse(cases[i].text, strlen(cases[i].text), NULL, &value, NULL), 0);
    assert_string_equal(skill__json_string(value, "a"), cases[i].value);
    cJSON_Delete(value);
  }
  cJSON *value = NULL;
  SkillError err = SKILL_ERROR_INIT;
  const char *more = "[\"\\ud83d\"] x";
  assert_int_equal(skill__json_parse(more, strlen(more), NULL, &value, &err), SKILL_EPARSE);
  assert_non_null(strstr(err.message, "more text follows"));
}

static bool no_memory;
static bool says_so;

static void *short_malloc(size_t size) {
  if (!no_memory) return malloc(size);
  if (says_so) errno = ENOMEM;
  return NULL;
}

/* cJSON returns NULL for both. */
static void want_of_memory_is_never_taken_for_bad_json(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool says_so;
    int status;
  } cases[] = {
      {"{\"a\":[1,2]}", false, SKILL_ENOMEM}, /* a host's hooks may not set errno: the JSON is valid nevertheless */
      {" [1] ", false, SKILL_ENOMEM},         {"{\"a\":[1,2]}", true, SKILL_ENOMEM},
      {"\"two\nlines\"", true, SKILL_ENOMEM}, /* cJSON accepts it, so it is not reported as the error */
      {"{\"a\" 1}", false, SKILL_EPARSE},     {"", true, SKILL_EPARSE},
  };
  cJSON_Hooks hooks = {short_malloc, free};
  cJSON_InitHooks(&hooks);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cJSON *value = NULL;
    SkillError err = SKILL_ERROR_INIT;
    no_memory = true;
    says_so = cases[i].says_so;
    assert_int_equal(skill__json_parse(cases[i].text, strlen(cases[i].text), NULL, &value, &err), cases[i].status);
    assert_null(value);
    assert_true(err.message[0]);
    no_memory = false;
    bool good = cases[i].status == SKILL_ENOMEM;
    assert_int_equal(skill__json_parse(cases[i].text, strlen(cases[i].text), NULL, &value, NULL),
                     good ? 0 : SKILL_EPARSE);
    cJSON_Delete(value);
  }
  cJSON_InitHooks(NULL);
}

static void the_scanner_finds_where_a_value_ends(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t length;
  } cases[] = {{"{\"a\":[1,-2.5e+3,\"\\u00e4\"]} and more", 26},
               {" true!", 5},
               {"[]x", 2},
               {"007", 1},
               {"-", 0},
               {"{\"a\":}", 0},
               {"[1,]", 0},
               {"\"cut", 0},
               {"\"\x01\"", 0},
               {"\"\\x\"", 0},
               {"", 0},
               {"  ", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(skill__json_scan(cases[i].text, strlen(cases[i].text)), cases[i].length);
  }
  char deep[2 * SKILL__JSON_NESTING + 2];
  memset(deep, '[', sizeof deep / 2);
  memset(deep + sizeof deep / 2, ']', sizeof deep / 2);
  assert_int_equal(skill__json_scan(deep, sizeof deep), 0);
  assert_int_equal(skill__json_scan(deep + 1, sizeof deep - 2), sizeof deep - 2);
}

static void first_writer_of_an_error_wins(void **state) {
  (void)state;
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(skill_error_set(&err, SKILL_ENOENT, "first %d", 1), SKILL_ENOENT);
  assert_int_equal(skill_error_set(&err, SKILL_EIO, "second"), SKILL_EIO);
  assert_string_equal(err.message, "first 1");
  assert_int_equal(err.code, SKILL_ENOENT);
  assert_string_equal(skill_errname(SKILL_ENOENT), "SKILL_ENOENT");
}

static void arena_gives_aligned_zeroed_memory_of_any_size(void **state) {
  (void)state;
  struct skill__arena arena = {0};
  for (size_t size = 0; size < 20000; size = size * 2 + 1) {
    unsigned char *p = skill__arena_alloc(&arena, size);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % 16, 0);
    for (size_t i = 0; i < size; i++) assert_int_equal(p[i], 0);
    memset(p, 0xff, size);
  }
  assert_string_equal(skill__arena_strdup(&arena, "abc"), "abc");
  skill__arena_fini(&arena);
}

static size_t unseen(const char *text, uint32_t *first) {
  return skill__invisible_count(text, strlen(text), first);
}

static void invisible_characters_are_found_wherever_they_are(void **state) {
  (void)state;
  uint32_t first = 7;
  assert_int_equal(unseen("", &first), 0);
  assert_int_equal(unseen("A long line of plain ASCII, with\ttabs and\nlines.", &first), 0);
  assert_int_equal(unseen("\xe4\xb8\xad\xe6\x96\x87 and \xf0\x9f\x98\x80 show", &first), 0);
  assert_int_equal(first, 7);
  for (size_t pad = 0; pad < 20; pad++) { /* at every position in a word of eight bytes */
    char text[64];
    snprintf(text, sizeof text, "%.*s\xe2\x80\xae%.*s\xe2\x80\x8b", (int)pad, "abcdefghijklmnopqrst", (int)(20 - pad),
             "abcdefghijklmnopqrst");
    assert_int_equal(unseen(text, &first), 2);
    assert_int_equal(first, 0x202e);
  }
  assert_int_equal(unseen("a \x1b[31m b \x7f c \xc2\x9b", &first), 3);
  assert_int_equal(first, 0x1b);
  assert_int_equal(unseen("\xe4\xb8\xad \x07", &first), 1);
  assert_int_equal(first, 7);
  assert_int_equal(unseen("soft\xc2\xadhyphen", &first), 1);
  assert_int_equal(unseen("tag\xf3\xa0\x81\x81", NULL), 1);
  assert_int_equal(unseen("\xff\xe2\x80\xff\xe2\x80\x8b", NULL), 1); /* invalid UTF-8 hides nothing */
}

static void a_joiner_is_ordinary_only_between_what_it_joins(void **state) {
  (void)state;
  assert_int_equal(unseen("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", NULL), 0);
  assert_int_equal(unseen("a\xe2\x80\x8d"
                          "b",
                          NULL),
                   1);
  assert_int_equal(unseen("\xe2\x80\x8d", NULL), 1);
  assert_int_equal(unseen("\xe4\xb8\xad\xe2\x80\x8d", NULL), 1);
  assert_int_equal(unseen("\xe4\xb8\xad\xe2\x80\x8c\xe2\x80\x8d\xe4\xb8\xad", NULL), 1);
}

static void ascii_runs_end_at_the_first_other_byte(void **state) {
  (void)state;
  static const char text[] = "0123456789abcdef\x80";
  for (size_t from = 0; from <= 16; from++) assert_int_equal(skill__utf8_ascii(text + from, 17 - from), 16 - from);
  assert_int_equal(skill__utf8_ascii(text, 5), 5);
  assert_int_equal(skill__utf8_ascii(text, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(invisible_characters_are_found_wherever_they_are),
      cmocka_unit_test(a_joiner_is_ordinary_only_between_what_it_joins),
      cmocka_unit_test(ascii_runs_end_at_the_first_other_byte),
      cmocka_unit_test(buffer_refuses_what_exceeds_its_ceiling_and_keeps_what_it_had),
      cmocka_unit_test(buffer_escapes_json_and_mends_invalid_utf8),
      cmocka_unit_test(numbers_have_their_thousands_apart),
      cmocka_unit_test(the_users_files_are_below_an_absolute_folder_only),
      cmocka_unit_test(the_json_writer_puts_commas_between_members_and_items_only),
      cmocka_unit_test(the_json_writer_begins_a_document_after_a_line_end_and_keeps_the_first_failure),
      cmocka_unit_test(utf8_knows_overlong_surrogate_and_cut_forms),
      cmocka_unit_test(json_errors_carry_line_and_column),
      cmocka_unit_test(an_escaped_surrogate_alone_is_replaced),
      cmocka_unit_test(want_of_memory_is_never_taken_for_bad_json),
      cmocka_unit_test(the_scanner_finds_where_a_value_ends),
      cmocka_unit_test(first_writer_of_an_error_wins),
      cmocka_unit_test(arena_gives_aligned_zeroed_memory_of_any_size),
  };
  return cmocka_run_group_tests_name("util", tests, NULL, NULL);
}
