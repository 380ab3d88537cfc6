/* SPDX-License-Identifier: MIT
 *
 * Decoding an encoded skill gives its tags, which are stored as first parts of tokens, and its other parts.
 */
#include "lib/check.h"

#include <stdio.h>
#include <string.h>

#include "rank/index/doc.h"
#include "rank/index/doc_fields.h"

struct coder {
  struct skill__dict *dict;
  struct skill__analyzer *analyzer;
  struct skill__index_fields fields;
  struct skill__buf buf;
};

static void coder_init(struct coder *coder) {
  memset(coder, 0, sizeof *coder);
  skill__buf_init(&coder->buf, 1 << 20);
  assert_int_equal(skill__dict_new(NULL, &coder->dict), 0);
  assert_int_equal(skill__analyzer_new(&coder->analyzer), 0);
}

static void coder_fini(struct coder *coder) {
  skill__index_fields_fini(&coder->fields);
  skill__analyzer_free(coder->analyzer);
  skill__dict_free(coder->dict);
  skill__buf_fini(&coder->buf);
}

static struct skill__doc encode(struct coder *coder, const SkillMetadata *metadata) {
  struct skill__doc doc;
  skill__buf_clear(&coder->buf);
  assert_int_equal(skill__doc_encode(&coder->buf, coder->dict, coder->analyzer, &coder->fields, metadata, NULL, 0), 0);
  skill__doc_decode((const uint8_t *)coder->buf.data, &doc);
  return doc;
}

static bool tagged(const struct coder *coder, const struct skill__doc *doc, const char *tag) {
  return skill__doc_has_tag(doc, coder->dict, tag, strlen(tag));
}

static void every_tag_is_found_whatever_its_case_and_nothing_else(void **state) {
  (void)state;
  static char lengthy[400];
  memset(lengthy, 'x', sizeof lengthy - 1);
  const char *const tags[] = {"Processing",
                              "the",
                              "C++",
                              "machine-learning",
                              "happy",
                              "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
                              lengthy,
                              "",
                              "files",
                              "processing of everything",
                              "R\xc3\xa9sum\xc3\xa9",
                              "PDF",
                              NULL};
  enum { TAGS = sizeof tags / sizeof *tags };
  static const char *const others[] = {"process", "processings", "machine", "machin",   "happ",
                                       "happi",   "file",        "c",       "learning", "processing of everythin"};
  struct coder coder;
  coder_init(&coder);
  SkillMetadata metadata = {.name = "a", .description = "about files", .tags = {tags, TAGS}, .source = "here"};
  struct skill__doc doc = encode(&coder, &metadata);
  for (size_t i = 0; i + 1 < TAGS; i++) assert_true(tagged(&coder, &doc, tags[i]));
  assert_true(tagged(&coder, &doc, "pROCESSING") && tagged(&coder, &doc, "pdf") && tagged(&coder, &doc, "FILES"));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_false(tagged(&coder, &doc, others[i]));
  assert_string_equal(doc.name, "a");
  assert_string_equal(doc.source, "here");
  assert_int_equal(doc.length[SKILL_RANK_DESCRIPTION], 1);
  coder_fini(&coder);
}

static void more_tags_than_a_place_reaches_are_kept_as_they_are(void **state) {
  (void)state;
  enum { TAGS = 300 };
  static char texts[TAGS][16];
  const char *tags[TAGS];
  struct coder coder;
  coder_init(&coder);
  for (size_t i = 0; i < TAGS; i++) {
    snprintf(texts[i], sizeof texts[i], "Tag%zuing", i);
    tags[i] = texts[i];
  }
  SkillMetadata metadata = {.name = "a", .tags = {tags, TAGS}};
  struct skill__doc doc = encode(&coder, &metadata);
  for (size_t i = 0; i < TAGS; i++) assert_true(tagged(&coder, &doc, texts[i]));
  assert_false(tagged(&coder, &doc, "tag300ing"));
  coder_fini(&coder);
}

static void a_skill_without_source_tags_and_tools_has_none(void **state) {
  (void)state;
  struct coder coder;
  coder_init(&coder);
  SkillMetadata metadata = {.name = "bare", .unlisted = true};
  struct skill__doc doc = encode(&coder, &metadata);
  assert_string_equal(doc.name, "bare");
  assert_null(doc.source);
  assert_int_equal(doc.tool_count, 0);
  assert_true(doc.flags & SKILL__DOC_UNLISTED);
  assert_false(tagged(&coder, &doc, ""));
  coder_fini(&coder);
}

static void a_dictionary_keeps_its_tokens_while_it_grows_and_is_trimmed(void **state) {
  (void)state;
  enum { TOKENS = 7000 };
  struct skill__dict *dict = NULL;
  char text[256];
  assert_int_equal(skill__dict_new(NULL, &dict), 0);
  for (uint32_t i = 0; i < TOKENS; i++) {
    int length = snprintf(text, sizeof text, "%u%.*s", i, (int)(i % 40), "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    assert_int_equal(skill__dict_intern(dict, text, (size_t)length), i);
    if (i % 3000 == 0) skill__dict_trim(dict);
  }
  size_t bytes = skill__dict_bytes(dict);
  skill__dict_trim(dict);
  assert_true(skill__dict_bytes(dict) < bytes);
  for (uint32_t i = 0; i < TOKENS; i++) {
    int length = snprintf(text, sizeof text, "%u%.*s", i, (int)(i % 40), "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    assert_int_equal(skill__dict_find(dict, text, (size_t)length), i);
  }
  assert_int_equal(skill__dict_find(dict, "strange", 7), SKILL__DICT_NONE);
  skill__dict_free(dict);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_tag_is_found_whatever_its_case_and_nothing_else),
      cmocka_unit_test(more_tags_than_a_place_reaches_are_kept_as_they_are),
      cmocka_unit_test(a_dictionary_keeps_its_tokens_while_it_grows_and_is_trimmed),
      cmocka_unit_test(a_skill_without_source_tags_and_tools_has_none),
  };
  return cmocka_run_group_tests_name("rank_doc", tests, NULL, NULL);
}
