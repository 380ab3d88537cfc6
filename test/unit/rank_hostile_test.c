/* SPDX-License-Identifier: MIT
 *
 * Hostile or very large input: results stay valid and the work is bounded.
 */
#include "lib/check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "skillet/rank.h"

static SkillRanker *make_ranker(void) {
  SkillRankerOptions options = SKILL_RANKER_OPTIONS_INIT;
  SkillRanker *ranker = NULL;
  options.table = "";
  assert_int_equal(skill_ranker_new(&options, &ranker, NULL), 0);
  return ranker;
}

static void add(SkillRanker *ranker, const char *name, const char *description) {
  SkillMetadata metadata = {.name = name, .description = description};
  assert_int_equal(skill_ranker_add(ranker, &metadata, NULL, 0, NULL), 0);
}

static SkillRanking *ask(const SkillRankSnapshot *snapshot, const char *text, size_t length) {
  SkillQuery query = {
      .size = sizeof(SkillQuery), .text = text, .length = length, .floor = -1, .limit = 3, .explain = true};
  SkillRanking *ranking = NULL;
  assert_int_equal(skill_rank_query(snapshot, &query, &ranking, NULL), 0);
  return ranking;
}

static SkillRanking *ask_ranker(SkillRanker *ranker, const char *text, size_t length) {
  SkillRankSnapshot *snapshot = NULL;
  assert_int_equal(skill_ranker_snapshot(ranker, &snapshot), 0);
  SkillRanking *ranking = ask(snapshot, text, length);
  skill_rank_snapshot_release(snapshot);
  return ranking;
}

static char *repeat(const char *text, size_t bytes) {
  size_t length = strlen(text);
  char *out = malloc(bytes + 1);
  assert_non_null(out);
  for (size_t i = 0; i < bytes; i++) out[i] = text[i % length];
  out[bytes] = '\0';
  return out;
}

static void stuffing_a_description_with_a_word_does_not_win(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker();
  char *stuffed = repeat("invoice pdf mail flight review ", 20000), *megabyte = repeat("pdf invoice ", 1 << 20);
  add(ranker, "stuffed", stuffed);
  add(ranker, "megabyte", megabyte);
  add(ranker, "invoice-reader", "Reads an invoice from a pdf");
  add(ranker, "other", "Books a flight");
  SkillRanking *ranking = ask_ranker(ranker, "read this pdf invoice", 0);
  assert_string_equal(ranking->results[0]->name, "invoice-reader");
  skill_ranking_free(ranking);
  free(stuffed);
  free(megabyte);
  skill_ranker_free(ranker);
}

static void a_query_of_100_kilobytes_and_10000_terms_is_answered(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker();
  add(ranker, "pdf", "Fills pdf forms");
  for (int i = 0; i < 200; i++) {
    char name[32], text[64];
    snprintf(name, sizeof name, "s%d", i);
    snprintf(text, sizeof text, "word%d word%d pdf", i, i + 1);
    add(ranker, name, text);
  }
  size_t room = 200000, length = 0;
  char *query = malloc(room);
  assert_non_null(query);
  length += (size_t)snprintf(query, room, "fill pdf forms ");
  for (int i = 0; i < 10000; i++) length += (size_t)snprintf(query + length, room - length, "word%d. ", i * 7);
  SkillRanking *ranking = ask_ranker(ranker, query, length);
  assert_int_equal(ranking->count, 3);
  skill_ranking_free(ranking);
  free(query);
  skill_ranker_free(ranker);
}

static void invalid_utf8_anywhere_is_text_with_gaps(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker();
  add(ranker, "a\xff\xfe",
      "pdf\xc3"
      "forms \xe5\x86");
  add(ranker, "b", "mail");
  SkillRanking *ranking = ask_ranker(ranker, "\x80\xbfpdf\xf0\x9f\xff", 0);
  assert_int_equal(ranking->count, 1);
  assert_string_equal(ranking->results[0]->name, "a\xff\xfe");
  skill_ranking_free(ranking);
  skill_ranker_free(ranker);
}

static void schemas_that_are_no_json_or_very_deep_add_what_they_can(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker();
  char deep[4096] = "";
  for (int i = 0; i < 60; i++) strcat(deep, "{\"properties\":{\"depth\":");
  const SkillTool tools[] = {{.name = "one", .input_schema = "{\"properties\":"},
                             {.name = "two", .input_schema = deep},
                             {.name = "three", .input_schema = "{\"properties\":{\"q\":{\"enum\":[1,null,\"zug\"]}}}"}};
  SkillMetadata metadata = {.name = "t", .description = "d", .tools = tools, .tool_count = 3};
  assert_int_equal(skill_ranker_add(ranker, &metadata, NULL, 0, NULL), 0);
  SkillRanking *ranking = ask_ranker(ranker, "zug", 0);
  assert_int_equal(ranking->count, 1);
  skill_ranking_free(ranking);
  skill_ranker_free(ranker);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

enum { THREADS = 4, QUERIES = 60, CHANGES = 120 };

static void *read_snapshot(void *user) {
  SkillRankSnapshot *snapshot = user;
  for (int i = 0; i < QUERIES; i++) {
    SkillRanking *ranking = ask(snapshot, i % 2 ? "convert units of length" : "newly added words", 0);
    if (ranking->count == 0 || strcmp(ranking->results[0]->name, "units")) abort();
    skill_ranking_free(ranking);
  }
  skill_rank_snapshot_release(snapshot);
  return NULL;
}

static void many_threads_read_a_snapshot_while_the_writer_writes(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker();
  pthread_t threads[THREADS];
  add(ranker, "units", "Convert units of length, words newly added");
  for (int i = 0; i < 50; i++) {
    char name[32];
    snprintf(name, sizeof name, "first%d", i);
    add(ranker, name, "something else");
  }
  for (size_t i = 0; i < THREADS; i++) {
    SkillRankSnapshot *snapshot = NULL;
    assert_int_equal(skill_ranker_snapshot(ranker, &snapshot), 0);
    assert_int_equal(pthread_create(&threads[i], NULL, read_snapshot, snapshot), 0);
  }
  for (int i = 0; i < CHANGES; i++) {
    char name[32], text[64];
    snprintf(name, sizeof name, "later%d", i);
    snprintf(text, sizeof text, "newly%d added%d words units", i, i);
    add(ranker, name, text);
    if (i % 3 == 0) assert_int_equal(skill_ranker_remove(ranker, name), 0);
    skill_ranking_free(ask_ranker(ranker, "units", 0));
  }
  for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  skill_ranker_free(ranker);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stuffing_a_description_with_a_word_does_not_win),
      cmocka_unit_test(a_query_of_100_kilobytes_and_10000_terms_is_answered),
      cmocka_unit_test(invalid_utf8_anywhere_is_text_with_gaps),
      cmocka_unit_test(schemas_that_are_no_json_or_very_deep_add_what_they_can),
      cmocka_unit_test(many_threads_read_a_snapshot_while_the_writer_writes),
  };
  return cmocka_run_group_tests_name("rank_hostile", tests, NULL, NULL);
}
