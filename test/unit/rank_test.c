/* SPDX-License-Identifier: MIT
 *
 * The ranker: results, their order, explanations, and changes when skills are added and removed.
 */
#include "lib/check.h"

#include <stdio.h>
#include <string.h>

#include "skillet/rank.h"

static SkillRanker *make_ranker(SkillScorer scorer) {
  SkillRankerOptions options = SKILL_RANKER_OPTIONS_INIT;
  SkillRanker *ranker = NULL;
  options.scorer = scorer;
  options.table = "";
  assert_int_equal(skill_ranker_new(&options, &ranker, NULL), 0);
  return ranker;
}

static void add(SkillRanker *ranker, const char *name, const char *description) {
  SkillMetadata metadata = {.name = name, .description = description};
  assert_int_equal(skill_ranker_add(ranker, &metadata, NULL, 0, NULL), 0);
}

static SkillRanking *ask(SkillRanker *ranker, const char *text) {
  SkillQuery query = {.size = sizeof(SkillQuery), .text = text, .floor = -1, .explain = true};
  SkillRanking *ranking = NULL;
  assert_int_equal(skill_ranker_query(ranker, &query, &ranking, NULL), 0);
  return ranking;
}

static void assert_order(SkillRanker *ranker, const char *text, const char *want) {
  SkillRanking *ranking = ask(ranker, text);
  char got[512] = "";
  for (size_t i = 0; i < ranking->count; i++)
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? " " : "", ranking->results[i]->name);
  assert_string_equal(got, want);
  skill_ranking_free(ranking);
}

static void additive_counts_each_distinct_term_once_per_field(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_ADDITIVE);
  const char *tags[] = {"pdf", "form"};
  SkillMetadata metadata = {
      .name = "pdf-filler", .description = "Fills pdf forms, many pdf forms", .when_to_use = "pdf", .tags = {tags, 2}};
  assert_int_equal(skill_ranker_add(ranker, &metadata, "pdf form", 8, NULL), 0);
  SkillRanking *ranking = ask(ranker, "pdf PDF form, please");
  assert_int_equal(ranking->count, 1);
  /* pdf: name 2, tag 1, description 0.5; form: tag 1, description 0.5 */
  assert_true(ranking->results[0]->score == 5.0);
  assert_int_equal(ranking->results[0]->term_count, 5);
  assert_string_equal(ranking->scorer, "additive");
  skill_ranking_free(ranking);
  skill_ranker_free(ranker);
}

static void the_exact_name_comes_first_whatever_its_case(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  add(ranker, "jscpd", "");
  add(ranker, "duplicates", "jscpd jscpd jscpd finds copies with jscpd");
  add(ranker, "jscpd-report", "jscpd jscpd report");
  assert_order(ranker, "  JSCPD ", "jscpd jscpd-report duplicates");
  skill_ranker_free(ranker);
}

static void names_said_in_a_long_request_come_first(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  add(ranker, "trace_path", "Traces.");
  add(ranker, "query_graph", "Queries.");
  add(ranker, "paths", "trace path query graph trace path query graph nodes");
  assert_order(ranker, "nodes: query_graph, trace_path.", "query_graph trace_path paths");
  skill_ranker_free(ranker);
}

static void ties_break_by_name(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  add(ranker, "c", "convert units");
  add(ranker, "a", "convert units");
  add(ranker, "b", "convert units");
  assert_order(ranker, "units convert", "a b c");
  skill_ranker_free(ranker);
}

static void the_body_is_searched_too(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  SkillMetadata metadata = {.name = "plan", .description = "Plans a week"};
  assert_int_equal(skill_ranker_add(ranker, &metadata, "Ask for the zugzwang first.", 27, NULL), 0);
  add(ranker, "other", "Plans a week");
  assert_order(ranker, "zugzwang", "plan");
  skill_ranker_free(ranker);
}

/* A body that holds the whole request outweighs a description with two of its words; a body with two of them does
 * not. */
static void a_body_that_holds_all_of_a_request_comes_before_descriptions_that_hold_some(void **state) {
  (void)state;
  static const char *const bodies[] = {"Rotate the signing keys of webhooks after an incident. Then write to owners.",
                                       "Owners rotate on Fridays. An incident is written down."};
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  SkillMetadata all = {.name = "plan", .description = "Plans a week"}, some = {.name = "week", .description = "Weeks"};
  assert_int_equal(skill_ranker_add(ranker, &all, bodies[0], strlen(bodies[0]), NULL), 0);
  assert_int_equal(skill_ranker_add(ranker, &some, bodies[1], strlen(bodies[1]), NULL), 0);
  add(ranker, "keys", "Makes keys for locks");
  add(ranker, "webhooks", "Lists webhooks and their calls");
  for (int exhaustive = 0; exhaustive < 2; exhaustive++) {
    SkillQuery query = {.size = sizeof(SkillQuery),
                        .text = "rotate signing keys of webhooks after an incident",
                        .floor = -1,
                        .explain = true,
                        .exhaustive = exhaustive};
    SkillRanking *ranking = NULL;
    assert_int_equal(skill_ranker_query(ranker, &query, &ranking, NULL), 0);
    assert_string_equal(ranking->results[0]->name, "plan");
    assert_string_equal(ranking->results[ranking->count - 1]->name, "week");
    for (size_t i = 0; i < ranking->count; i++) {
      double sum = 0;
      for (size_t t = 0; t < ranking->results[i]->term_count; t++) sum += ranking->results[i]->terms[t]->score;
      assert_float_equal(sum, ranking->results[i]->score, 1e-4);
    }
    skill_ranking_free(ranking);
  }
  skill_ranker_free(ranker);
}

static void what_a_skill_is_not_for_counts_against_it(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  SkillMetadata a = {.name = "a", .description = "Edits images", .when_not_to_use = "vector images"};
  SkillMetadata b = {.name = "b", .description = "Edits images"};
  assert_int_equal(skill_ranker_add(ranker, &a, NULL, 0, NULL), 0);
  assert_int_equal(skill_ranker_add(ranker, &b, NULL, 0, NULL), 0);
  assert_order(ranker, "edit images", "b a");
  skill_ranker_free(ranker);
}

static void a_group_scores_by_its_best_tool(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  const SkillTool tools[] = {{.name = "read_mail", .description = "Reads mail"},
                             {.name = "book_flight",
                              .description = "Books a flight between airports",
                              .input_schema = "{\"type\":\"object\",\"properties\":{\"airport\":{\"type\":\"string\","
                                              "\"description\":\"IATA code\",\"enum\":[\"heathrow\"]}}}"}};
  SkillMetadata office = {.name = "office", .description = "Office work", .tools = tools, .tool_count = 2};
  assert_int_equal(skill_ranker_add(ranker, &office, NULL, 0, NULL), 0);
  add(ranker, "travel", "Travel guides");
  SkillRanking *ranking = ask(ranker, "flight to heathrow");
  assert_int_equal(ranking->count, 1);
  bool tool = false, enumerated = false;
  for (size_t i = 0; i < ranking->results[0]->term_count; i++) {
    const SkillRankTerm *term = ranking->results[0]->terms[i];
    tool |= strcmp(term->field, "tool") == 0 && strcmp(term->term, "book_flight") == 0;
    enumerated |= strcmp(term->field, "parameter_descriptions") == 0;
  }
  assert_true(tool && enumerated);
  skill_ranking_free(ranking);
  skill_ranker_free(ranker);
}

static void an_explanation_adds_up_to_the_score(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  add(ranker, "code-review", "Reviews a pull request and its code");
  add(ranker, "notes", "Release notes of a request");
  SkillRanking *ranking = ask(ranker, "please review this pull request");
  assert_string_equal(ranking->results[0]->name, "code-review");
  for (size_t i = 0; i < ranking->count; i++) {
    double sum = 0;
    for (size_t t = 0; t < ranking->results[i]->term_count; t++) sum += ranking->results[i]->terms[t]->score;
    assert_float_equal(sum, ranking->results[i]->score, 1e-4);
  }
  skill_ranking_free(ranking);
  skill_ranker_free(ranker);
}

static void nothing_relevant_is_an_answer_with_a_reason(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  SkillRanking *ranking = ask(ranker, "anything");
  assert_int_equal(ranking->count, 0);
  assert_string_equal(ranking->reason, "there are no skills");
  skill_ranking_free(ranking);
  add(ranker, "pdf", "Fills forms");
  ranking = ask(ranker, "bake sourdough");
  assert_int_equal(ranking->count, 0);
  assert_string_equal(ranking->reason, "no skill has: bake, sourdough");
  skill_ranking_free(ranking);
  ranking = ask(ranker, "could you please");
  assert_string_equal(ranking->reason, "the query has no word to search for");
  skill_ranking_free(ranking);
  skill_ranker_free(ranker);
}

static void assert_reason(SkillRanker *ranker, const char *text, const char *want) {
  SkillRanking *ranking = ask(ranker, text);
  assert_string_equal(ranking->reason, want);
  skill_ranking_free(ranking);
}

static void conditions_that_no_skill_meets_are_the_reason(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  add(ranker, "pdf", "Fills forms");
  static const struct {
    const char *text;
    const char *reason;
  } cases[] = {
      {"tag:nope", "no skill meets the conditions of the search"},
      {"+pdf forms tag:nope", "no skill meets the conditions of the search"},
      {"+zebra", "no skill meets the conditions of the search; no skill has: zebra"},
      {"select:pfd,doc", "no skill is called pfd, doc"},
      {"select:pdf", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    SkillQuery query = {.size = sizeof(SkillQuery), .text = cases[i].text, .grammar = true};
    SkillRanking *ranking = NULL;
    assert_int_equal(skill_ranker_query(ranker, &query, &ranking, NULL), 0);
    assert_string_equal(ranking->reason, cases[i].reason);
    skill_ranking_free(ranking);
  }
  skill_ranker_free(ranker);
}

static void the_best_skill_below_the_floor_is_the_reason(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  SkillRanking *ranking = NULL;
  add(ranker, "far", "Fills forms of all kinds in many ways and many words");
  add(ranker, "near", "Fills forms");
  add(ranker, "other", "Sends letters");
  SkillQuery query = {.size = sizeof query, .text = "forms zebra", .floor = .99};
  assert_int_equal(skill_ranker_query(ranker, &query, &ranking, NULL), 0);
  assert_int_equal(ranking->count, 0);
  assert_non_null(strstr(ranking->reason, "the nearest skill, near, fits"));
  skill_ranking_free(ranking);
  skill_ranker_free(ranker);
}

/* Neither stems nor pairs of characters from two adjacent words. */
static void words_that_no_skill_has_are_told_as_they_were_written(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  add(ranker, "code-review", "Reviews a pull request");
  add(ranker, "会议纪要", "整理会议内容，写出会议纪要");
  add(ranker, "議事録", "会議の議事録を作成する");
  add(ranker, "회의록", "회의 내용으로 회의록을 작성한다");
  assert_reason(ranker, "reviewing Schedules, schedule and code-golfing", "no skill has: Schedules, golfing");
  assert_reason(ranker, "整理会议", "");
  assert_reason(ranker, "帮我整理量子会议", "no skill has: 量子");
  assert_reason(ranker, "鲸", "no skill has: 鲸");
  assert_reason(ranker, "整理量会", "no skill has: 量会");
  assert_reason(ranker, "회의록뷁", "");
  assert_reason(ranker, "ぬ", "no skill matches"); /* one character is a word in Chinese only */
  assert_reason(ranker, "議事録と量子力学をまとめて", "no skill has: 量子力学");
  assert_reason(ranker, "おにぎり", "no skill has: おにぎり");
  assert_reason(ranker, "양자역학 회의록 작성 해 줘", "no skill has: 양자역학");
  assert_reason(ranker, "a1 b2 c3 d4 e5 f6 g7 code", "no skill has: a1, b2, c3, d4, e5 and 2 more");
  skill_ranker_free(ranker);
}

static void a_snapshot_does_not_see_later_changes(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  SkillRankSnapshot *snapshot = NULL;
  add(ranker, "one", "convert units");
  assert_int_equal(skill_ranker_snapshot(ranker, &snapshot), 0);
  add(ranker, "two", "convert units");
  assert_int_equal(skill_ranker_remove(ranker, "one"), 0);
  SkillQuery query = {.size = sizeof(SkillQuery), .text = "units", .floor = -1};
  SkillRanking *ranking = NULL;
  assert_int_equal(skill_rank_query(snapshot, &query, &ranking, NULL), 0);
  assert_int_equal(ranking->count, 1);
  assert_string_equal(ranking->results[0]->name, "one");
  skill_ranking_free(ranking);
  assert_order(ranker, "units", "two");
  skill_ranker_free(ranker);
  skill_rank_snapshot_release(snapshot);
}

static void a_name_is_taken_once(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  add(ranker, "a", "x");
  SkillMetadata again = {.name = "a", .description = "y"}, other = {.name = "A", .description = "y"};
  assert_int_equal(skill_ranker_add(ranker, &again, NULL, 0, NULL), SKILL_EEXISTS);
  assert_int_equal(skill_ranker_add(ranker, &other, NULL, 0, NULL), 0); /* names are compared byte for byte */
  assert_int_equal(skill_ranker_remove(ranker, "b"), SKILL_ENOENT);
  assert_int_equal(skill_ranker_remove(ranker, "a"), 0);
  assert_int_equal(skill_ranker_remove(ranker, "a"), SKILL_ENOENT);
  assert_int_equal(skill_ranker_add(ranker, &again, NULL, 0, NULL), 0);
  assert_int_equal(skill_ranker_count(ranker), 2);
  skill_ranker_free(ranker);
}

/* Adds numbered skills one at a time, with queries in between so that segments are created and merged. */
static void scores_do_not_depend_on_the_order_of_changes(void **state) {
  (void)state;
  SkillRanker *grown = make_ranker(SKILL_SCORER_BM25F), *fresh = make_ranker(SKILL_SCORER_BM25F);
  static const char *const words[] = {"mail", "unit", "chart", "flight", "image", "query", "table", "road"};
  char name[32], text[64];
  for (int i = 0; i < 200; i++) {
    snprintf(name, sizeof name, "s%03d", i);
    snprintf(text, sizeof text, "%s %s %s", words[i % 8], words[i / 8 % 8], words[i * 7 % 8]);
    add(grown, name, text);
    if (i % 3 == 0) assert_order(grown, "zebra", "");
    if (i % 5 == 0) assert_int_equal(skill_ranker_remove(grown, name), 0);
    if (i % 5) add(fresh, name, text);
  }
  SkillRanking *a = ask(grown, "mail a chart of the flight"), *b = ask(fresh, "mail a chart of the flight");
  assert_int_equal(a->count, 10);
  assert_int_equal(a->matched, b->matched);
  for (size_t i = 0; i < a->count; i++) {
    assert_string_equal(a->results[i]->name, b->results[i]->name);
    assert_true(a->results[i]->score == b->results[i]->score);
  }
  skill_ranking_free(a);
  skill_ranking_free(b);
  skill_ranker_free(grown);
  skill_ranker_free(fresh);
}

static void assert_grammar(SkillRanker *ranker, const char *text, const char *want) {
  SkillQuery query = {.size = sizeof(SkillQuery), .text = text, .floor = -1, .grammar = true};
  SkillRanking *ranking = NULL;
  char got[512] = "";
  assert_int_equal(skill_ranker_query(ranker, &query, &ranking, NULL), 0);
  for (size_t i = 0; i < ranking->count; i++)
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? " " : "", ranking->results[i]->name);
  assert_string_equal(got, want);
  skill_ranking_free(ranking);
}

static void the_search_grammar_narrows_what_words_rank(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  const char *office[] = {"Office"};
  SkillMetadata a = {.name = "a", .description = "merge pdf files", .tags = {office, 1}, .source = "home"};
  SkillMetadata b = {.name = "b", .description = "files: pdf or excel, merge them", .source = "work"};
  SkillMetadata c = {.name = "c", .description = "split pdf files", .tags = {office, 1}};
  assert_int_equal(skill_ranker_add(ranker, &a, NULL, 0, NULL), 0);
  assert_int_equal(skill_ranker_add(ranker, &b, NULL, 0, NULL), 0);
  assert_int_equal(skill_ranker_add(ranker, &c, NULL, 0, NULL), 0);
  assert_grammar(ranker, "pdf +merge", "a b");
  assert_grammar(ranker, "pdf -excel", "a c");
  assert_grammar(ranker, "\"pdf files\"", "a c");
  assert_grammar(ranker, "pdf -\"pdf files\"", "b");
  assert_grammar(ranker, "tag:office", "a c");
  assert_grammar(ranker, "pdf -tag:OFFICE", "b");
  assert_grammar(ranker, "source:work", "b");
  assert_grammar(ranker, "select:C,a,nothing", "c a");
  assert_grammar(ranker, "pdf +sourdough", "");
  assert_grammar(ranker, "pdf -sourdough - merge", "a b c");
  SkillError err = SKILL_ERROR_INIT;
  SkillRanking *ranking = NULL;
  SkillQuery open = {.size = sizeof(SkillQuery), .text = "pdf \"merge", .grammar = true};
  assert_int_equal(skill_ranker_query(ranker, &open, &ranking, &err), SKILL_EINVAL);
  assert_string_equal(err.message, "query, character 5: this quote is not closed");
  assert_null(ranking);
  skill_ranker_free(ranker);
}

static bool not_b(const char *name, void *user) {
  ++*(size_t *)user;
  return strcmp(name, "b") != 0;
}

static void a_host_hides_skills_and_pages_through_the_rest(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  size_t asked = 0;
  SkillMetadata hidden = {.name = "d", .description = "unit", .unlisted = true};
  add(ranker, "a", "unit");
  add(ranker, "b", "unit");
  add(ranker, "c", "unit");
  assert_int_equal(skill_ranker_add(ranker, &hidden, NULL, 0, NULL), 0);
  SkillQuery query = {.size = sizeof(SkillQuery),
                      .text = "units",
                      .floor = -1,
                      .limit = 1,
                      .offset = 1,
                      .visible = not_b,
                      .user = &asked};
  SkillRanking *ranking = NULL;
  assert_int_equal(skill_ranker_query(ranker, &query, &ranking, NULL), 0);
  assert_int_equal(ranking->count, 1);
  assert_string_equal(ranking->results[0]->name, "c");
  assert_int_equal(ranking->matched, 2);
  assert_true(asked > 0);
  skill_ranking_free(ranking);
  query = (SkillQuery){.size = sizeof(SkillQuery), .text = "units", .floor = -1, .include_unlisted = true};
  assert_int_equal(skill_ranker_query(ranker, &query, &ranking, NULL), 0);
  assert_int_equal(ranking->count, 4);
  skill_ranking_free(ranking);
  skill_ranker_free(ranker);
}

static void near_names_are_suggested(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker(SKILL_SCORER_BM25F);
  SkillRankSnapshot *snapshot = NULL;
  const char *names[3];
  add(ranker, "code-review", "");
  add(ranker, "code-reviewer", "");
  add(ranker, "weather", "");
  assert_int_equal(skill_ranker_snapshot(ranker, &snapshot), 0);
  assert_int_equal(skill_rank_suggest(snapshot, "Code_Reveiw", names, 3), 2);
  assert_string_equal(names[0], "code-review");
  assert_int_equal(skill_rank_suggest(snapshot, "zzz", names, 3), 0);
  skill_rank_snapshot_release(snapshot);
  skill_ranker_free(ranker);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(additive_counts_each_distinct_term_once_per_field),
      cmocka_unit_test(the_exact_name_comes_first_whatever_its_case),
      cmocka_unit_test(names_said_in_a_long_request_come_first),
      cmocka_unit_test(ties_break_by_name),
      cmocka_unit_test(the_body_is_searched_too),
      cmocka_unit_test(a_body_that_holds_all_of_a_request_comes_before_descriptions_that_hold_some),
      cmocka_unit_test(what_a_skill_is_not_for_counts_against_it),
      cmocka_unit_test(a_group_scores_by_its_best_tool),
      cmocka_unit_test(an_explanation_adds_up_to_the_score),
      cmocka_unit_test(nothing_relevant_is_an_answer_with_a_reason),
      cmocka_unit_test(conditions_that_no_skill_meets_are_the_reason),
      cmocka_unit_test(words_that_no_skill_has_are_told_as_they_were_written),
      cmocka_unit_test(a_snapshot_does_not_see_later_changes),
      cmocka_unit_test(a_name_is_taken_once),
      cmocka_unit_test(scores_do_not_depend_on_the_order_of_changes),
      cmocka_unit_test(the_best_skill_below_the_floor_is_the_reason),
      cmocka_unit_test(the_search_grammar_narrows_what_words_rank),
      cmocka_unit_test(a_host_hides_skills_and_pages_through_the_rest),
      cmocka_unit_test(near_names_are_suggested),
  };
  return cmocka_run_group_tests_name("rank", tests, NULL, NULL);
}
