/* SPDX-License-Identifier: MIT
 *
 * Searches with conditions: skills that cannot be results must not take the place of those that can.
 */
#include "lib/check.h"

#include <stdio.h>
#include <string.h>

#include "skillet/rank.h"

enum { SKILLS = 400, LIMIT = 5 };

/* Skills "item-N"; the later ones fit "alpha" less, since they say more besides, and have the tag "rare". */
static SkillRanker *make_ranker(void) {
  static const char *tags[] = {"rare"};
  SkillRankerOptions options = SKILL_RANKER_OPTIONS_INIT;
  SkillRanker *ranker = NULL;
  options.table = "";
  assert_int_equal(skill_ranker_new(&options, &ranker, NULL), 0);
  for (size_t i = 0; i < SKILLS; i++) {
    char name[32];
    bool late = i >= SKILLS - LIMIT;
    snprintf(name, sizeof name, "item-%zu", i);
    SkillMetadata metadata = {
        .name = name,
        .description = late ? "Alpha with beta gamma delta epsilon zeta eta theta" : "Alpha alpha",
        .tags = {tags, late},
        .when_not_to_use = i == 0   ? "For omega"
                           : i == 1 ? "For psi"
                                    : NULL,
        .when_to_use = i == 1 ? "For omega" : NULL};
    assert_int_equal(skill_ranker_add(ranker, &metadata, NULL, 0, NULL), 0);
  }
  return ranker;
}

static void assert_found(SkillRanker *ranker, SkillQuery query, size_t count, unsigned least) {
  SkillRanking *ranking = NULL;
  query.floor = -1;
  query.limit = LIMIT;
  assert_int_equal(skill_ranker_query(ranker, &query, &ranking, NULL), 0);
  assert_int_equal(ranking->count, count);
  for (size_t i = 0; i < ranking->count; i++) {
    unsigned number = 0;
    assert_int_equal(sscanf(ranking->results[i]->name, "item-%u", &number), 1);
    assert_true(number >= least);
  }
  skill_ranking_free(ranking);
}

static bool only_late(const char *name, void *user) {
  unsigned number = 0;
  (void)user;
  return sscanf(name, "item-%u", &number) == 1 && number >= SKILLS - LIMIT;
}

static void hidden_skills_do_not_crowd_out_visible_ones(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker();
  assert_found(ranker, (SkillQuery){.size = sizeof(SkillQuery), .text = "alpha", .visible = only_late}, LIMIT,
               SKILLS - LIMIT);
  skill_ranker_free(ranker);
}

static void skills_that_a_filter_excludes_do_not_crowd_out_others(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker();
  assert_found(ranker, (SkillQuery){.size = sizeof(SkillQuery), .text = "alpha tag:rare", .grammar = true}, LIMIT,
               SKILLS - LIMIT);
  assert_found(ranker, (SkillQuery){.size = sizeof(SkillQuery), .text = "alpha +gamma", .grammar = true}, LIMIT,
               SKILLS - LIMIT);
  skill_ranker_free(ranker);
}

static void a_required_word_is_not_met_by_when_not_to_use(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker();
  assert_found(ranker, (SkillQuery){.size = sizeof(SkillQuery), .text = "alpha +omega", .grammar = true}, 1, 1);
  assert_found(ranker, (SkillQuery){.size = sizeof(SkillQuery), .text = "alpha +psi", .grammar = true}, 0, 0);
  assert_found(ranker, (SkillQuery){.size = sizeof(SkillQuery), .text = "alpha -omega", .grammar = true}, LIMIT, 0);
  skill_ranker_free(ranker);
}

static void the_selection_of_one_query_does_not_stay_for_the_next(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker();
  assert_found(ranker, (SkillQuery){.size = sizeof(SkillQuery), .text = "select:item-7", .grammar = true}, 1, 7);
  assert_found(ranker, (SkillQuery){.size = sizeof(SkillQuery), .text = "alpha"}, LIMIT, 0);
  skill_ranker_free(ranker);
}

/* Segments number their skills from 0: "zulu" has the number of "item-0" in another segment. */
static void only_the_named_skill_comes_first(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker();
  SkillRankSnapshot *snapshot = NULL;
  SkillRanking *ranking = NULL;
  SkillMetadata metadata = {.name = "zulu", .description = "Another item"};
  assert_int_equal(skill_ranker_snapshot(ranker, &snapshot), 0);
  skill_rank_snapshot_release(snapshot);
  assert_int_equal(skill_ranker_add(ranker, &metadata, NULL, 0, NULL), 0);
  SkillQuery query = {.size = sizeof query, .text = "item-0", .floor = -1, .limit = SKILLS + 1, .exhaustive = true};
  assert_int_equal(skill_ranker_query(ranker, &query, &ranking, NULL), 0);
  assert_true(ranking->count > 1);
  assert_string_equal(ranking->results[0]->name, "item-0");
  for (size_t i = 0; i < ranking->count; i++) assert_int_equal(ranking->results[i]->fit >= 1, i == 0);
  skill_ranking_free(ranking);
  skill_ranker_free(ranker);
}

static void assert_each_once(SkillRanker *ranker, const char *text, const char *first) {
  SkillQuery query = {.size = sizeof query, .text = text, .floor = -1, .limit = LIMIT};
  SkillRanking *ranking = NULL;
  assert_int_equal(skill_ranker_query(ranker, &query, &ranking, NULL), 0);
  assert_int_equal(ranking->count, LIMIT);
  if (first) assert_string_equal(ranking->results[0]->name, first);
  for (size_t i = 0; i < ranking->count; i++)
    for (size_t k = 0; k < i; k++) assert_string_not_equal(ranking->results[k]->name, ranking->results[i]->name);
  skill_ranking_free(ranking);
}

/* By its words, by a name in the request, and by the beginning of its name. */
static void a_skill_that_is_found_in_two_ways_is_one_result(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker();
  assert_each_once(ranker, "alpha with item-399, please", "item-399");
  assert_each_once(ranker, "item", NULL);
  skill_ranker_free(ranker);
}

/* No skill has the word, so the names are searched for it. */
static void the_beginning_of_a_name_finds_that_skill_alone(void **state) {
  (void)state;
  SkillRanker *ranker = make_ranker();
  SkillMetadata metadata = {.name = "zebra-9", .description = "Stripes"};
  assert_int_equal(skill_ranker_add(ranker, &metadata, NULL, 0, NULL), 0);
  SkillQuery query = {.size = sizeof query, .text = "zeb", .floor = -1, .limit = LIMIT};
  SkillRanking *ranking = NULL;
  assert_int_equal(skill_ranker_query(ranker, &query, &ranking, NULL), 0);
  assert_int_equal(ranking->count, 1);
  assert_string_equal(ranking->results[0]->name, "zebra-9");
  skill_ranking_free(ranking);
  assert_int_equal(skill_ranker_remove(ranker, "zebra-9"), 0);
  assert_int_equal(skill_ranker_query(ranker, &query, &ranking, NULL), 0);
  assert_int_equal(ranking->count, 0);
  skill_ranking_free(ranking);
  skill_ranker_free(ranker);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hidden_skills_do_not_crowd_out_visible_ones),
      cmocka_unit_test(skills_that_a_filter_excludes_do_not_crowd_out_others),
      cmocka_unit_test(the_selection_of_one_query_does_not_stay_for_the_next),
      cmocka_unit_test(only_the_named_skill_comes_first),
      cmocka_unit_test(a_skill_that_is_found_in_two_ways_is_one_result),
      cmocka_unit_test(the_beginning_of_a_name_finds_that_skill_alone),
      cmocka_unit_test(a_required_word_is_not_met_by_when_not_to_use),
  };
  return cmocka_run_group_tests_name("rank_search", tests, NULL, NULL);
}
