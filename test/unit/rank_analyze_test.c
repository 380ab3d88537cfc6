/* SPDX-License-Identifier: MIT
 *
 * The analyzer: the tokens of a text.
 */
#include "lib/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rank/text/analyze.h"
#include "rank/text/ascii_word.h"
#include "util/buf.h"

static int collect(void *user, const char *text, size_t length, unsigned flags) {
  struct skill__buf *buf = user;
  if (buf->length) skill__buf_char(buf, ' ');
  if (flags & SKILL__TOKEN_SINGLE) skill__buf_char(buf, '#');
  skill__buf_add(buf, text, length);
  return 0;
}

static void assert_tokens_of(const char *text, size_t length, const char *want) {
  struct skill__analyzer *analyzer = NULL;
  struct skill__buf buf;
  skill__buf_init(&buf, 1 << 20);
  assert_int_equal(skill__analyzer_new(&analyzer), 0);
  for (int round = 0; round < 2; round++) { /* the second round answers from the cache */
    skill__buf_clear(&buf);
    assert_int_equal(skill__analyze(analyzer, text, length, collect, &buf), 0);
    assert_string_equal(buf.data ? buf.data : "", want);
  }
  skill__buf_fini(&buf);
  skill__analyzer_free(analyzer);
}

static void assert_tokens(const char *text, const char *want) {
  assert_tokens_of(text, strlen(text), want);
}

static void words_are_folded_stemmed_and_freed_of_filler(void **state) {
  (void)state;
  assert_tokens("Could you please help me REVIEWING the Pull Requests?", "review pull request");
  assert_tokens("I don't want it", "");
  assert_tokens("R\xc3\xa9sum\xc3\xa9 formats", "resum format");
  assert_tokens("Re\xcc\x81sume\xcc\x81", "resum");
  assert_tokens("\xef\xbc\xa1\xef\xbc\xb0\xef\xbc\xa9 \xef\xac\x81le", "api file"); /* fullwidth API, fi ligature */
}

static void compounds_give_their_parts_and_the_joined_word(void **state) {
  (void)state;
  assert_tokens("code-review", "code review codereview");
  assert_tokens("code_review", "code review codereview");
  assert_tokens("CodeReview", "code review codereview");
  assert_tokens("getHTTPResponse", "http respons gethttprespons");
  assert_tokens("YouTube", "tube youtub");
  assert_tokens("PDFs and APIs", "pdf api");
  assert_tokens("a-b-c-word", "b c word");
}

static void signs_belong_to_the_names_of_languages(void **state) {
  (void)state;
  assert_tokens("C# or C++, not C", "c# c++ c");
  assert_tokens("Next.js app", "nextj js app");
  assert_tokens("issue #12", "issu 12");
}

static void scripts_without_blanks_become_pairs_and_single_characters(void **state) {
  (void)state;
  assert_tokens("\xe5\x86\x99\xe5\x91\xa8\xe6\x8a\xa5", /* 写周报 */
                "\xe5\x86\x99\xe5\x91\xa8 \xe5\x91\xa8\xe6\x8a\xa5 #\xe5\x86\x99 #\xe5\x91\xa8 #\xe6\x8a\xa5");
  assert_tokens("JWT\xe8\xae\xa4\xe8\xaf\x81",
                "jwt \xe8\xae\xa4\xe8\xaf\x81 #\xe8\xae\xa4 #\xe8\xaf\x81");                         /* JWT认证 */
  assert_tokens("\xe8\xaf\xb7\xe5\xb8\xae\xe6\x88\x91", "");                                         /* 请帮我 */
  assert_tokens("\xed\x9a\x8c\xec\x9d\x98", "\xed\x9a\x8c\xec\x9d\x98 #\xed\x9a\x8c #\xec\x9d\x98"); /* 회의 */
}

static void invalid_bytes_separate_words(void **state) {
  (void)state;
  assert_tokens_of(
      "pdf\xff\xfe"
      "form\0csv",
      14, "pdf form csv");
  assert_tokens("", "");
}

static void words_without_end_are_left_out(void **state) {
  (void)state;
  char text[5000];
  memset(text, 'x', sizeof text);
  assert_tokens_of(text, sizeof text, "");
}

static void tokens_keep_the_order_of_the_text(void **state) {
  (void)state;
  assert_tokens(
      "parser internationalizations C# caf\xc3\xa9 \xe5\x90\x88\xe5\x90\x8c next.js x_y parsers",
      "parser internation c# cafe \xe5\x90\x88\xe5\x90\x8c #\xe5\x90\x88 #\xe5\x90\x8c nextj js x y xy parser");
  assert_tokens("a. b.c API, MiXed end.", "b c api mi xed mix end");
}

struct remembering {
  struct skill__analyzer *analyzer;
  size_t tokens, remembered;
};

/* A value stored with a cached word must belong to that word. */
static int note(void *user, const char *text, size_t length, unsigned flags) {
  struct remembering *all = user;
  uint32_t *memo = skill__analyzer_memo(all->analyzer), code = 1;
  for (size_t i = 0; i < length; i++) code = code * 31 + (unsigned char)text[i];
  all->tokens++;
  if (!memo) return 0;
  if (*memo) assert_int_equal(*memo, code + flags);
  all->remembered += *memo != 0;
  *memo = code + flags;
  return 0;
}

static void a_note_stays_with_its_word_however_many_there_are(void **state) {
  (void)state;
  enum { WORDS = 60000 };
  struct remembering all = {NULL, 0, 0};
  char *text = malloc(WORDS * 16);
  size_t length = 0;
  assert_non_null(text);
  for (uint32_t i = 0; i < WORDS; i++) /* a few of them often, most of them once */
    length += (size_t)sprintf(text + length, "w%ux%u ", i % 3 ? i % 500 : i, i % 2);
  assert_int_equal(skill__analyzer_new(&all.analyzer), 0);
  for (int round = 0; round < 2; round++) {
    assert_int_equal(skill__analyze(all.analyzer, text, length, note, &all), 0);
    assert_int_equal(all.tokens, (round + 1) * WORDS);
  }
  assert_true(all.remembered > WORDS);
  skill__analyzer_trim(all.analyzer);
  all.remembered = 0;
  assert_int_equal(skill__analyze(all.analyzer, "w1x1 w2x0", 9, note, &all), 0);
  assert_int_equal(all.remembered, 0);
  skill__analyzer_free(all.analyzer);
  free(text);
}

static void a_word_ends_in_the_same_place_however_it_is_looked_for(void **state) {
  (void)state;
  static const char some[] = "aZ09zAm5xQ -_.#@[`{/:\xc3\xa9";
  uint32_t seed = 1;
  for (int round = 0; round < 20000; round++) {
    char text[40];
    size_t length = 1 + (size_t)round % sizeof text, kinds = round % 3 ? 10 : sizeof some - 1;
    for (size_t i = 0; i < length; i++) {
      seed = seed * 1664525u + 1013904223u;
      text[i] = some[(seed >> 16) % kinds];
    }
    struct skill__ascii_word word = skill__ascii_read(text, length), slow = {0, false, false};
    skill__ascii_rest(text, length, 0, &slow);
    assert_int_equal(word.length, slow.length);
    assert_int_equal(word.capitals, slow.capitals);
    assert_int_equal(word.others, slow.others);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_word_ends_in_the_same_place_however_it_is_looked_for),
      cmocka_unit_test(words_are_folded_stemmed_and_freed_of_filler),
      cmocka_unit_test(compounds_give_their_parts_and_the_joined_word),
      cmocka_unit_test(signs_belong_to_the_names_of_languages),
      cmocka_unit_test(scripts_without_blanks_become_pairs_and_single_characters),
      cmocka_unit_test(invalid_bytes_separate_words),
      cmocka_unit_test(words_without_end_are_left_out),
      cmocka_unit_test(tokens_keep_the_order_of_the_text),
      cmocka_unit_test(a_note_stays_with_its_word_however_many_there_are),
  };
  return cmocka_run_group_tests_name("rank_analyze", tests, NULL, NULL);
}
