/* SPDX-License-Identifier: MIT
 *
 * The index file: the same results after opening, and a damaged file is rejected.
 */
#include "lib/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/tmpdir.h"
#include "lib/units.h"
#include "skillet/rank.h"

static SkillRankerOptions options;

static SkillRanker *filled_with(const char *table) {
  SkillRanker *ranker = NULL;
  static const SkillTool tools[] = {{.name = "read", .description = "Reads mail"}, {.name = "send"}};
  SkillMetadata mail = {.name = "mail", .description = "Mail", .tools = tools, .tool_count = 2};
  options = (SkillRankerOptions)SKILL_RANKER_OPTIONS_INIT;
  options.table = table;
  assert_int_equal(skill_ranker_new(&options, &ranker, NULL), 0);
  assert_int_equal(skill_ranker_add(ranker, &mail, NULL, 0, NULL), 0);
  for (int i = 0; i < 300; i++) {
    char name[32], text[64];
    snprintf(name, sizeof name, "skill-%d", i);
    snprintf(text, sizeof text, "converts unit%d and unit%d", i, i / 7);
    SkillMetadata metadata = {.name = name, .description = text, .unlisted = i == 5};
    assert_int_equal(skill_ranker_add(ranker, &metadata, "body words", 10, NULL), 0);
    if (i == 200) assert_int_equal(skill_ranker_remove(ranker, "skill-14"), 0);
  }
  return ranker;
}

static SkillRanker *filled(void) {
  return filled_with("");
}

static void answer(SkillRanker *ranker, const char *text, char *out, size_t room) {
  SkillQuery query = {.size = sizeof(SkillQuery), .text = text, .floor = -1};
  SkillRanking *ranking = NULL;
  assert_int_equal(skill_ranker_query(ranker, &query, &ranking, NULL), 0);
  out[0] = '\0';
  for (size_t i = 0; i < ranking->count; i++)
    snprintf(out + strlen(out), room - strlen(out), "%s %.9g, ", ranking->results[i]->name, ranking->results[i]->score);
  skill_ranking_free(ranking);
}

static void an_opened_index_answers_as_the_saved_one_and_can_be_changed(void **state) {
  (void)state;
  char *dir = tmpdir_make(), path[512], before[4096], after[4096];
  snprintf(path, sizeof path, "%s/index", dir);
  SkillRanker *ranker = filled(), *opened = NULL;
  answer(ranker, "convert unit2 and read mail", before, sizeof before);
  assert_int_equal(skill_ranker_save(ranker, path, 7, NULL), 0);
  assert_int_equal(skill_ranker_open(&options, path, 7, &opened, NULL), 0);
  assert_int_equal(skill_ranker_count(opened), skill_ranker_count(ranker));
  answer(opened, "convert unit2 and read mail", after, sizeof after);
  assert_string_equal(before, after);
  SkillMetadata more = {.name = "later", .description = "unit2 zug"};
  SkillRanker *both[] = {ranker, opened};
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(skill_ranker_add(both[i], &more, NULL, 0, NULL), 0);
    assert_int_equal(skill_ranker_remove(both[i], "skill-2"), 0);
    assert_int_equal(skill_ranker_remove(both[i], "skill-14"), SKILL_ENOENT);
  }
  answer(ranker, "unit2 zug", before, sizeof before);
  answer(opened, "unit2 zug", after, sizeof after);
  assert_string_equal(before, after);
  skill_ranker_free(ranker);
  skill_ranker_free(opened);
  tmpdir_remove(dir);
}

static void vectors_and_sketches_are_saved_with_the_index(void **state) {
  (void)state;
  char *dir = tmpdir_make(), path[512], table[512], before[4096], after[4096];
  snprintf(path, sizeof path, "%s/index", dir);
  snprintf(table, sizeof table, "%s/units.skt", dir);
  units_write(dir);
  SkillRanker *ranker = filled_with(table), *opened = NULL;
  assert_non_null(strstr(skill_ranker_note(ranker), "300 tokens"));
  answer(ranker, "unit77. and then unit11 converts", before, sizeof before);
  assert_non_null(strstr(before, "skill-77 "));
  /* A second segment: it holds few of all tokens, and the first one holds most of them. */
  SkillMetadata more = {.name = "later", .description = "zug of unit77 and unit299"};
  assert_int_equal(skill_ranker_add(ranker, &more, NULL, 0, NULL), 0);
  answer(ranker, "zug. unit77 and unit299", before, sizeof before);
  assert_memory_equal(before, "later ", 6);
  assert_int_equal(skill_ranker_save(ranker, path, 7, NULL), 0);
  assert_int_equal(skill_ranker_open(&options, path, 7, &opened, NULL), 0);
  answer(opened, "zug. unit77 and unit299", after, sizeof after);
  assert_string_equal(before, after);
  skill_ranker_free(ranker);
  skill_ranker_free(opened);
  options.table = "";
  assert_int_equal(skill_ranker_open(&options, path, 7, &opened, NULL), SKILL_EPARSE);
  tmpdir_remove(dir);
}

/* In a folder that others can write to, a symbolic link may already exist at a predictable temporary name. */
static void nothing_is_written_through_a_link_that_waits_beside_the_file(void **state) {
  (void)state;
  char *dir = tmpdir_make(), path[512], beside[600], victim[512];
  struct stat info;
  snprintf(path, sizeof path, "%s/index", dir);
  snprintf(victim, sizeof victim, "%s/victim", dir);
  snprintf(beside, sizeof beside, "%s.%ld.new", path, (long)getpid());
  tmpdir_write(dir, "victim", "precious");
  assert_int_equal(symlink(victim, beside), 0);
  SkillRanker *ranker = filled();
  assert_int_equal(skill_ranker_save(ranker, path, 7, NULL), 0);
  assert_int_equal(stat(victim, &info), 0);
  assert_int_equal(info.st_size, 8);
  skill_ranker_free(ranker);
  tmpdir_remove(dir);
}

static void what_is_not_whole_or_not_meant_is_refused(void **state) {
  (void)state;
  char *dir = tmpdir_make(), path[512];
  snprintf(path, sizeof path, "%s/index", dir);
  SkillRanker *ranker = filled(), *opened = NULL;
  assert_int_equal(skill_ranker_open(&options, path, 7, &opened, NULL), SKILL_ENOENT);
  assert_int_equal(skill_ranker_save(ranker, path, 7, NULL), 0);
  assert_int_equal(skill_ranker_open(&options, path, 8, &opened, NULL), SKILL_EPARSE);
  SkillRankerOptions other = options;
  other.k1 = 2;
  assert_int_equal(skill_ranker_open(&other, path, 7, &opened, NULL), SKILL_EPARSE);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  static unsigned char bytes[1 << 20];
  size_t length = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  for (size_t at = 0; at < length; at += 1 + length / 97) {
    bytes[at] ^= 0x10;
    tmpdir_write_bytes(dir, "index", bytes, length);
    assert_int_equal(skill_ranker_open(&options, path, 7, &opened, NULL), SKILL_EPARSE);
    bytes[at] ^= 0x10;
  }
  for (size_t cut = 1; cut < length; cut += 1 + length / 31) {
    tmpdir_write_bytes(dir, "index", bytes, cut);
    assert_int_equal(skill_ranker_open(&options, path, 7, &opened, NULL), SKILL_EPARSE);
  }
  assert_null(opened);
  skill_ranker_free(ranker);
  tmpdir_remove(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_opened_index_answers_as_the_saved_one_and_can_be_changed),
      cmocka_unit_test(vectors_and_sketches_are_saved_with_the_index),
      cmocka_unit_test(nothing_is_written_through_a_link_that_waits_beside_the_file),
      cmocka_unit_test(what_is_not_whole_or_not_meant_is_refused),
  };
  return cmocka_run_group_tests_name("rank_store", tests, NULL, NULL);
}
