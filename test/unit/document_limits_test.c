/* SPDX-License-Identifier: MIT
 *
 * Document: the specification's rules for names, a failure of every allocation, and hostile input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "document/validate.h"
#include "lib/check.h"
#include "lib/sweep.h"
#include "skillet/document.h"

static void names_follow_the_specification_in_any_script(void **state) {
  (void)state;
  static const char *const good[] = {"a", "pdf-2", "数据-分析", "größe", "данные", "résumé-check", "ⅷ"};
  static const char *const bad[] = {"",    "-a",    "a-",     "a--b", "A",         "a_b",
                                    "a b", "Größe", "ДАННЫЕ", "a.b",  "ｐdｆ－Ａ", "😀"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) assert_null(skill__validate_name(good[i]));
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_non_null(skill__validate_name(bad[i]));
  char name[300];
  memset(name, 'a', sizeof name);
  name[64] = '\0';
  assert_null(skill__validate_name(name));
  name[64] = 'a';
  name[65] = '\0';
  assert_non_null(skill__validate_name(name));
  for (int i = 0; i < 64; i++) memcpy(name + 3 * i, "中", 4);
  assert_null(skill__validate_name(name)); /* 64 characters, 192 bytes */
  memset(name, 'a', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  assert_non_null(skill__validate_name(name));
  assert_null(skill__validate_name("e\xcc\x81t\xc3\xa9")); /* decomposed: equal after NFKC */
}

static const char *const texts[] = {
    "---\nname: sweep\ndescription: Reads.\ntags: a, b\nmetadata:\n  a: &x {b: [1, 2]}\n  c: *x\nwhenToUse: [now, "
    "then]\n"
    "tools:\n  - {name: t, description: d, command: c, input_schema: {type: object}}\n"
    "  - {name: u, input_schema: '{\"type\":\"object\"}'}\n---\nBody\n",
    "---\nname: sweep\ndescription: Mends: colons\n  over: lines\nhint: [a] [b]\nlicense: 'it's'\nmetadata: {a: b} c\n "
    "d: e\n"
    "<<<<<<< a\nx: 1\n=======\n>>>>>>> b\nbell: \x07\n---\nBody\n",
    "# Title\n\nText only, read from its first paragraph.\n",
    "---\nname: sweep\ndescription: \xd5\xfb\xc0\xed\xbb\xe1\xd2\xe9\n---\n\xd6\xd0\xce\xc4\n",
    "\xff\xfe-\0-\0-\0\n\0n\0:\0 \0x\0\n\0-\0-\0-\0\n\0",
};

static int parse_under_sweep(void *user) {
  size_t i = *(size_t *)user;
  size_t length = i == 4 ? 26 : strlen(texts[i]);
  SkillDocumentOptions options = {.size = sizeof options, .path = "s/SKILL.md", .folder = "sweep"};
  options.describe_from_body = true;
  SkillDocument *document = NULL;
  SkillError err = SKILL_ERROR_INIT;
  int status = skill_document_parse(texts[i], length, &options, &document, &err);
  if (status) {
    assert_int_equal(err.code, SKILL_ENOMEM);
    assert_null(document);
    return status;
  }
  assert_string_equal(skill_document_metadata(document)->name, "sweep");
  skill_document_free(document);
  return 0;
}

static void memory_may_run_out_at_every_allocation(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) assert_true(sweep_run(parse_under_sweep, &i) > 3);
}

/* --- hostile input ------------------------------------------------------------------------------------------------ */

static double seconds_to_parse(const char *text, size_t length) {
  SkillDocumentOptions options = {.size = sizeof options, .folder = "x", .describe_from_body = true};
  SkillDocument *document = NULL;
  struct timespec a;
  struct timespec b;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
  assert_int_equal(skill_document_parse(text, length, &options, &document, NULL), 0);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
  assert_true(skill_document_diagnostics(document, NULL) <= 110);
  skill_document_free(document);
  return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

/* Front matter of almost 64 KiB that repeats `unit`, then a body of 8 MB that repeats it too. */
static void hostile(const char *before, const char *unit) {
  size_t n = strlen(unit);
  size_t room = SKILL_MAX_FILE;
  char *text = malloc(room + 100);
  size_t at = (size_t)sprintf(text, "---\nname: x\n%s", before);
  while (at + n < SKILL_MAX_FRONTMATTER - 64) at += (size_t)sprintf(text + at, "%s", unit);
  at += (size_t)sprintf(text + at, "\n---\n");
  while (at + n < room) {
    memcpy(text + at, unit, n);
    at += n;
  }
  /* A generous limit, for sanitizers on a busy machine. Quadratic work on 64 KiB takes longer. */
  assert_true(seconds_to_parse(text, at) < 5);
  free(text);
}

static void what_is_made_to_hurt_ends_soon(void **state) {
  (void)state;
  static const struct {
    const char *before, *unit;
  } cases[] = {
      {"k: ", "["},           {"k: ", "{"},         {"", "- "},
      {"k: ", "{a: "},        {"k: ", "? "},        {"", "a: b: c\n"},
      {"", "a: [\n"},         {"", "a: 'x\n"},      {"", "a: \"x\n"},
      {"", "a: |x\n"},        {"", "a: &a *a\n"},   {"", "x\n"},
      {"d: |\n", "x\n"},      {"", "<<<<<<< a\n"},  {"", "\n\n# h\n"},
      {"tags: ", "a,"},       {"tags: ", "(,"},     {"tags: [", "@a, "},
      {"tags: '", "\"a "},    {"", "key: value\n"}, {"d: ", "\xff"},
      {"d: ", "\x07"},        {"d: ", "\xe4\xb8"},  {"", "-\n"},
      {"", "---x\n"},         {"", "k: {a: 'b}\n"}, {"", "\t\tk: v\n"},
      {"a: b\n", "  c: d\n"}, {"a: >\n", "\n \n"},  {"", "!!a !b &c d: e\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) hostile(cases[i].before, cases[i].unit);
}

static void front_matter_beyond_its_ceiling_is_told_and_its_beginning_read(void **state) {
  (void)state;
  char *text = malloc(300000);
  size_t at = (size_t)sprintf(text, "---\nname: big\ndescription: Still read.\n");
  while (at < 200000) at += (size_t)sprintf(text + at, "key%zu: value\n", at);
  sprintf(text + at, "---\nBody\n");
  SkillDocumentOptions options = {.size = sizeof options, .folder = "big"};
  for (int closed = 0; closed < 2; closed++) {
    SkillDocument *document = NULL;
    size_t length = closed ? strlen(text) : 70000;
    options.prefix_only = !closed;
    assert_int_equal(skill_document_parse(text, length, &options, &document, NULL), 0);
    const SkillDiagnostic *items = NULL;
    size_t count = skill_document_diagnostics(document, &items);
    bool reported = false;
    for (size_t i = 0; i < count; i++) reported |= !strcmp(items[i].code, "frontmatter-size");
    assert_true(reported);
    assert_string_equal(skill_document_metadata(document)->description, "Still read.");
    skill_document_free(document);
  }
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_follow_the_specification_in_any_script),
      cmocka_unit_test(memory_may_run_out_at_every_allocation),
      cmocka_unit_test(what_is_made_to_hurt_ends_soon),
      cmocka_unit_test(front_matter_beyond_its_ceiling_is_told_and_its_beginning_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
