/* SPDX-License-Identifier: MIT
 *
 * Which lines are keys, and where front matter begins and ends in texts that are too long for a case folder.
 */
#include <stdlib.h>
#include <string.h>

#include "document/frontmatter.h"
#include "lib/check.h"
#include "skillet/document.h"

static size_t key_of(const char *text) {
  const struct skill__line line = {.text = text, .length = strlen(text)};
  return skill__line_key(&line);
}

static void a_key_is_one_to_three_words_before_a_colon_and_a_blank(void **state) {
  (void)state;
  assert_int_equal(key_of("name:"), 4);
  assert_int_equal(key_of("name: x"), 4);
  assert_int_equal(key_of("name:\tx"), 4);
  assert_int_equal(key_of("name : x"), 4);
  assert_int_equal(key_of("a.b-c_d9: x"), 8);
  assert_int_equal(key_of("\xe5\x90\x8d: x"), 3);
  assert_int_equal(key_of("one two three: x"), 13);
  assert_int_equal(key_of("one two three four: x"), 0);
  assert_int_equal(key_of("name:x"), 0);
  assert_int_equal(key_of("name"), 0);
  assert_int_equal(key_of(""), 0);
  assert_int_equal(key_of(":"), 0);
  assert_int_equal(key_of(" name: x"), 0);
  assert_int_equal(key_of("- name: x"), 0);
  assert_int_equal(key_of(".name: x"), 0);
  assert_int_equal(key_of("http://x: y"), 0);
  char text[80];
  memset(text, 'k', sizeof text);
  strcpy(text + 63, ": x");
  assert_int_equal(key_of(text), 63);
  text[63] = 'k';
  strcpy(text + 64, ": x");
  assert_int_equal(key_of(text), 64);
  text[64] = 'k';
  strcpy(text + 65, ": x");
  assert_int_equal(key_of(text), 0);
}

static const char *code_of(const char *head, size_t filler, const char *tail) {
  static char code[64];
  SkillDocumentOptions options = {.size = sizeof options, .folder = "x"};
  char *text = malloc(strlen(head) + filler + strlen(tail) + 1);
  strcpy(text, head);
  for (size_t i = 0; i < filler; i++) text[strlen(head) + i] = i % 40 == 39 ? '\n' : 'a';
  strcpy(text + strlen(head) + filler, tail);
  SkillDocument *document = NULL;
  assert_int_equal(skill_document_parse(text, strlen(text), &options, &document, NULL), 0);
  const SkillDiagnostic *items = NULL;
  assert_int_equal(skill_document_diagnostics(document, &items), 1);
  strcpy(code, items[0].code);
  skill_document_free(document);
  free(text);
  return code;
}

static void front_matter_without_an_end_is_too_long_or_not_closed(void **state) {
  (void)state;
  static const char head[] = "---\nname: x\ndescription: y\n\n# Title\n\n";
  enum { LONG = 70 * 1024 };
  assert_string_equal(code_of(head, 400, "\n"), "fence-not-closed");
  assert_string_equal(code_of(head, LONG, "\n"), "frontmatter-size");
  assert_string_equal(code_of(head, LONG, "\n\n---\n\nText.\n"), "fence-not-closed");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_key_is_one_to_three_words_before_a_colon_and_a_blank),
      cmocka_unit_test(front_matter_without_an_end_is_too_long_or_not_closed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
