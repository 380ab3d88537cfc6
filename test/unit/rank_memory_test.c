/* SPDX-License-Identifier: MIT
 *
 * The ranker with every allocation failing in turn: it reports the failure and is unchanged.
 */
#include "lib/check.h"

#include <stdio.h>
#include <string.h>

#include "lib/sweep.h"
#include "lib/tmpdir.h"
#include "lib/units.h"
#include "skillet/rank.h"

static const SkillTool tools[] = {
    {.name = "read_mail", .description = "Reads mail"},
    {.name = "send_mail",
     .description = "Sends mail",
     .input_schema = "{\"properties\":{\"to\":{\"type\":\"string\",\"description\":\"address\"}}}"}};
static const char *const tags[] = {"office"};
static const SkillMetadata skills[] = {
    {.name = "mail", .description = "Mail and \xe5\x91\xa8\xe6\x8a\xa5", .tools = tools, .tool_count = 2},
    {.name = "pdf-filler", .description = "Fills forms", .tags = {tags, 1}, .when_not_to_use = "mail"},
    {.name = "units", .description = "Converts units"},
};

/* After a failure, with memory available again, the ranker must still work with `count` skills. */
static int still_works(SkillRanker *ranker, size_t count, int status) {
  sweep_relent();
  SkillRanking *ranking = NULL;
  SkillQuery query = {.size = sizeof(SkillQuery), .text = "mail forms units", .floor = -1};
  if (status == SKILL_ENOMEM && (skill_ranker_count(ranker) != count ||
                                 skill_ranker_query(ranker, &query, &ranking, NULL) || ranking->count != count))
    status = SKILL_EFAILED;
  skill_ranking_free(ranking);
  return status;
}

static int work(SkillRanker *ranker, size_t *count) {
  static const char body[] = "Fill every form.";
  SkillRanking *ranking = NULL;
  SkillRankSnapshot *snapshot = NULL;
  int status = 0;
  for (size_t i = 0; i < 3 && !status; i++) {
    status = skill_ranker_add(ranker, &skills[i], body, sizeof body - 1, NULL);
    *count += !status;
  }
  if (!status) status = skill_ranker_snapshot(ranker, &snapshot);
  SkillQuery query = {.size = sizeof(SkillQuery),
                      .text = "send mail. then fill +forms -zebra",
                      .grammar = true,
                      .explain = true,
                      .floor = -1};
  if (!status) status = skill_rank_query(snapshot, &query, &ranking, NULL);
  skill_ranking_free(ranking);
  skill_rank_snapshot_release(snapshot);
  if (!status) status = skill_ranker_remove(ranker, "units");
  if (!status) --*count;
  SkillRankChange changes[] = {{.remove = "mail", .metadata = &skills[2]}, {.metadata = &skills[0]}};
  if (!status) status = skill_ranker_update(ranker, changes, 2, NULL);
  if (!status) ++*count;
  return status;
}

static int scenario(void *user) {
  (void)user;
  SkillRankerOptions options = SKILL_RANKER_OPTIONS_INIT;
  SkillRanker *ranker = NULL;
  options.table = "";
  int status = skill_ranker_new(&options, &ranker, NULL);
  if (status) return ranker ? SKILL_EFAILED : status;
  size_t count = 0;
  status = work(ranker, &count);
  status = still_works(ranker, count, status);
  skill_ranker_free(ranker);
  return status;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  assert_true(sweep_run(scenario, NULL) > 50);
}

/* Enough skills for sketches and a second segment, and one skill with several tools. */
static int work_with_vectors(SkillRanker *ranker, size_t *count) {
  SkillRanking *ranking = NULL;
  int status = 0;
  for (size_t i = 0; i < UNITS && !status; i++) {
    char name[32], text[64];
    snprintf(name, sizeof name, "skill-%zu", i);
    snprintf(text, sizeof text, "converts unit%zu and unit%zu", i, i / 7);
    SkillMetadata metadata = {.name = name, .description = text};
    status = skill_ranker_add(ranker, &metadata, NULL, 0, NULL);
    *count += !status;
  }
  SkillQuery query = {.size = sizeof(SkillQuery), .text = "mail of unit77. and then convert unit11", .floor = -1};
  if (!status) status = skill_ranker_query(ranker, &query, &ranking, NULL);
  if (!status && !ranking->count) status = SKILL_EFAILED;
  skill_ranking_free(ranking);
  ranking = NULL;
  if (!status) status = skill_ranker_add(ranker, &skills[0], NULL, 0, NULL);
  if (!status) ++*count;
  if (!status && !skill_ranker_query(ranker, &query, &ranking, NULL)) skill_ranking_free(ranking);
  return status;
}

static int scenario_with_vectors(void *user) {
  SkillRankerOptions options = SKILL_RANKER_OPTIONS_INIT;
  SkillRanker *ranker = NULL;
  options.table = user;
  int status = skill_ranker_new(&options, &ranker, NULL);
  if (status) return ranker ? SKILL_EFAILED : status;
  size_t count = 0;
  status = work_with_vectors(ranker, &count);
  sweep_relent();
  if (skill_ranker_count(ranker) != count) status = SKILL_EFAILED;
  skill_ranker_free(ranker);
  return status;
}

static void every_allocation_may_fail_with_vectors(void **state) {
  (void)state;
  char *dir = tmpdir_make(), table[512];
  snprintf(table, sizeof table, "%s/units.skt", dir);
  units_write(dir);
  assert_true(sweep_run(scenario_with_vectors, table) > 50);
  tmpdir_remove(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail),
                                     cmocka_unit_test(every_allocation_may_fail_with_vectors)};
  return cmocka_run_group_tests_name("rank_memory", tests, NULL, NULL);
}
