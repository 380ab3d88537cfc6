/* SPDX-License-Identifier: MIT
 *
 * skill_registry_sync(): precedence, duplicates, reported changes, and that a failure changes nothing.
 */
#include <stdio.h>
#include <string.h>

#include "lib/check.h"
#include "lib/sweep.h"
#include "skillet/loader.h"
#include "skillet/source.h"
#include "skillet/sys/alloc.h"
#include "skillet/sys/fixture.h"

enum { ROOTS = 3 };

struct place {
  SkillFixture *fixture;
  SkillRegistry *registry;
  SkillSource *sources[ROOTS];
  size_t count;
  SkillSyncReport *report;
};

#define SKILL_TEXT(name, description) "---\nname: " name "\ndescription: " description "\n---\n\nBody of " name ".\n"

static void open_place(struct place *place, size_t roots) {
  static const char *const paths[ROOTS] = {"project/skills", "user/skills", "third/skills"};
  SkillRegistryOptions options = SKILL_REGISTRY_OPTIONS_INIT;
  SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
  memset(place, 0, sizeof *place);
  assert_int_equal(skill_fixture_new(&place->fixture), 0);
  ranker.table = "";
  options.ranker = &ranker;
  options.io = skill_fixture_io(place->fixture);
  assert_int_equal(skill_registry_new(&options, &place->registry, NULL), 0);
  for (; place->count < roots; place->count++) {
    SkillDirectoryOptions directory = SKILL_DIRECTORY_OPTIONS_INIT;
    directory.path = paths[place->count];
    directory.io = options.io;
    assert_int_equal(skill_source_directory_new(&directory, &place->sources[place->count], NULL), 0);
    skill_fixture_folder(place->fixture, directory.path);
  }
}

static void close_place(struct place *place) {
  skill_sync_report_free(place->report);
  assert_int_equal(skill_registry_free(place->registry), 0);
  for (size_t i = 0; i < place->count; i++) skill_source_free(place->sources[i]);
  assert_int_equal(skill_fixture_open_handles(place->fixture), 0);
  skill_fixture_free(place->fixture);
}

static void put(struct place *place, const char *path, const char *text) {
  assert_int_equal(skill_fixture_file(place->fixture, path, text), 0);
}

static const SkillSyncReport *synchronise(struct place *place, SkillDuplicates duplicates) {
  SkillError err = SKILL_ERROR_INIT;
  skill_sync_report_free(place->report);
  place->report = NULL;
  assert_int_equal(skill_registry_sync(place->registry, place->sources, place->count, duplicates, &place->report, &err),
                   0);
  return place->report;
}

static const char *description_of(struct place *place, const char *name) {
  const Skill *skill = skill_registry_find(place->registry, name);
  return skill ? skill_metadata(skill)->description : NULL;
}

static const SkillDiagnostic *find_note(const struct place *place, const char *code, const char *path) {
  for (size_t i = 0; i < place->report->diagnostic_count; i++) {
    const SkillDiagnostic *d = &place->report->diagnostics[i];
    if (!strcmp(d->code, code) && !strcmp(d->path, path)) return d;
  }
  return NULL;
}

static size_t matches(struct place *place, const char *text) {
  SkillRanking *ranking = NULL;
  SkillQuery query = {.size = sizeof(SkillQuery), .text = text, .floor = -1};
  assert_int_equal(skill_ranker_query(skill_registry_ranker(place->registry), &query, &ranking, NULL), 0);
  size_t count = ranking->matched;
  skill_ranking_free(ranking);
  return count;
}

/* --- duplicates --------------------------------------------------------------------------------------------------- */

static void put_twins(struct place *place) {
  put(place, "project/skills/handoff/SKILL.md", SKILL_TEXT("handoff", "Project version."));
  put(place, "user/skills/handoff/SKILL.md", SKILL_TEXT("handoff", "User version."));
  put(place, "user/skills/own/SKILL.md", SKILL_TEXT("own", "Only here."));
}

static void the_earlier_root_wins_and_the_loser_is_told(void **state) {
  (void)state;
  struct place place;
  open_place(&place, 2);
  put_twins(&place);
  const SkillSyncReport *report = synchronise(&place, SKILL_DUPLICATES_FIRST);
  assert_string_equal(description_of(&place, "handoff"), "Project version.");
  assert_string_equal(description_of(&place, "own"), "Only here.");
  assert_int_equal(report->listed, 3);
  assert_int_equal(report->added, 2);
  assert_int_equal(report->shadowed, 1);
  assert_int_equal(find_note(&place, "shadowed", "user/skills/handoff/SKILL.md")->level, SKILL_LEVEL_INFO);
  close_place(&place);
}

static void last_lets_the_later_root_win(void **state) {
  (void)state;
  struct place place;
  open_place(&place, 2);
  put_twins(&place);
  synchronise(&place, SKILL_DUPLICATES_LAST);
  assert_string_equal(description_of(&place, "handoff"), "User version.");
  assert_non_null(find_note(&place, "shadowed", "project/skills/handoff/SKILL.md"));
  close_place(&place);
}

static void error_loads_neither(void **state) {
  (void)state;
  struct place place;
  open_place(&place, 2);
  put_twins(&place);
  synchronise(&place, SKILL_DUPLICATES_ERROR);
  assert_null(description_of(&place, "handoff"));
  assert_int_equal(skill_registry_count(place.registry), 1);
  assert_int_equal(find_note(&place, "duplicate-name", "project/skills/handoff/SKILL.md")->level, SKILL_LEVEL_ERROR);
  assert_non_null(find_note(&place, "duplicate-name", "user/skills/handoff/SKILL.md"));
  close_place(&place);
}

static void namespace_loads_both_under_the_shortest_unique_label(void **state) {
  (void)state;
  struct place place;
  open_place(&place, 2);
  put_twins(&place);
  synchronise(&place, SKILL_DUPLICATES_NAMESPACE);
  assert_null(description_of(&place, "handoff"));
  assert_string_equal(description_of(&place, "handoff@project:skills"), "Project version.");
  assert_string_equal(description_of(&place, "handoff@user:skills"), "User version.");
  assert_string_equal(description_of(&place, "own"), "Only here.");
  char *body = NULL;
  size_t length = 0;
  const Skill *skill = skill_registry_find(place.registry, "handoff@user:skills");
  assert_int_equal(skill_body(skill, &body, &length, NULL), 0);
  assert_non_null(strstr(body, "Body of handoff."));
  skill_free(body);
  close_place(&place);
}

static void a_namespaced_name_that_is_taken_outright_is_told(void **state) {
  (void)state;
  struct place place;
  open_place(&place, 2);
  put_twins(&place);
  put(&place, "project/skills/x/SKILL.md", SKILL_TEXT("handoff@user:skills", "Outright."));
  synchronise(&place, SKILL_DUPLICATES_NAMESPACE);
  assert_int_equal(skill_registry_count(place.registry), 3);
  assert_int_equal(place.report->shadowed, 1);
  close_place(&place);
}

static void within_a_root_the_shallower_then_the_first_path_wins(void **state) {
  (void)state;
  struct place place;
  open_place(&place, 1);
  put(&place, "project/skills/cat/demo/SKILL.md", SKILL_TEXT("demo", "Deeper."));
  put(&place, "project/skills/zz/SKILL.md", SKILL_TEXT("demo", "Shallower."));
  put(&place, "project/skills/one/SKILL.md", SKILL_TEXT("twin", "First."));
  put(&place, "project/skills/two/SKILL.md", SKILL_TEXT("twin", "Second."));
  synchronise(&place, SKILL_DUPLICATES_LAST);
  assert_string_equal(description_of(&place, "demo"), "Shallower.");
  assert_string_equal(description_of(&place, "twin"), "First.");
  assert_int_equal(find_note(&place, "shadowed", "project/skills/two/SKILL.md")->level, SKILL_LEVEL_WARNING);
  close_place(&place);
}

static void one_file_through_two_roots_is_one_skill_without_a_word(void **state) {
  (void)state;
  struct place place;
  open_place(&place, 2);
  put(&place, "project/skills/a/SKILL.md", SKILL_TEXT("a", "Once."));
  skill_fixture_remove(place.fixture, "user/skills");
  skill_fixture_link(place.fixture, "user/skills", "../project/skills");
  synchronise(&place, SKILL_DUPLICATES_ERROR);
  assert_int_equal(skill_registry_count(place.registry), 1);
  assert_string_equal(skill_metadata(skill_registry_find(place.registry, "a"))->path, "project/skills/a/SKILL.md");
  assert_int_equal(place.report->diagnostic_count, 0);
  assert_int_equal(place.report->shadowed, 0);
  close_place(&place);
}

static void skills_of_the_host_are_left_alone_and_win(void **state) {
  (void)state;
  struct place place;
  open_place(&place, 2);
  put_twins(&place);
  const SkillDef def = {.metadata = {.name = "handoff", .description = "The host's."}};
  assert_int_equal(skill_registry_add(place.registry, &def, NULL, NULL), 0);
  synchronise(&place, SKILL_DUPLICATES_FIRST);
  assert_string_equal(description_of(&place, "handoff"), "The host's.");
  assert_non_null(find_note(&place, "shadowed", "project/skills/handoff/SKILL.md"));
  assert_int_equal(place.report->shadowed, 2);
  close_place(&place);
}

static void names_that_cannot_be_registered_are_mended_and_told(void **state) {
  (void)state;
  struct place place;
  SkillSource *catalog = NULL;
  static const char lines[] = "{\"name\":\"GET /me\\u0007\",\"description\":\"An endpoint.\"}\n";
  open_place(&place, 0);
  assert_int_equal(skill_source_catalog_new("api.jsonl", NULL, lines, sizeof lines - 1, &catalog, NULL), 0);
  place.sources[place.count++] = catalog;
  synchronise(&place, SKILL_DUPLICATES_FIRST);
  assert_string_equal(description_of(&place, "GET _me_"), "An endpoint.");
  assert_non_null(find_note(&place, "name-mended", "api.jsonl:1"));
  close_place(&place);
}

/* --- what changed ----------------------------------------------------------------------------------------------- */

static void a_second_synchronisation_changes_what_changed(void **state) {
  (void)state;
  struct place place;
  open_place(&place, 1);
  put(&place, "project/skills/a/SKILL.md", SKILL_TEXT("a", "Walks dogs."));
  put(&place, "project/skills/b/SKILL.md", SKILL_TEXT("b", "Feeds cats."));
  put(&place, "project/skills/c/SKILL.md", SKILL_TEXT("c", "Paints doors."));
  synchronise(&place, SKILL_DUPLICATES_FIRST);
  const Skill *kept = skill_registry_find(place.registry, "b");
  put(&place, "project/skills/a/SKILL.md", SKILL_TEXT("a", "Mends bicycles."));
  skill_fixture_remove(place.fixture, "project/skills/c");
  put(&place, "project/skills/d/SKILL.md", SKILL_TEXT("d", "Bakes bread."));
  skill_fixture_reset_counts(place.fixture);
  const SkillSyncReport *report = synchronise(&place, SKILL_DUPLICATES_FIRST);
  assert_int_equal(report->added, 1);
  assert_int_equal(report->changed, 1);
  assert_int_equal(report->removed, 1);
  assert_int_equal(report->unchanged, 1);
  assert_ptr_equal(skill_registry_find(place.registry, "b"), kept);
  assert_null(description_of(&place, "c"));
  assert_int_equal(matches(&place, "bicycles"), 1);
  assert_int_equal(matches(&place, "dogs"), 0);
  assert_int_equal(matches(&place, "doors"), 0);
  assert_int_equal(matches(&place, "bread"), 1);
  close_place(&place);
}

static void nothing_changed_reads_nothing(void **state) {
  (void)state;
  struct place place;
  open_place(&place, 1);
  put(&place, "project/skills/a/SKILL.md", SKILL_TEXT("a", "A."));
  put(&place, "project/skills/b.md", SKILL_TEXT("b", "B."));
  synchronise(&place, SKILL_DUPLICATES_FIRST);
  skill_fixture_reset_counts(place.fixture);
  const SkillSyncReport *report = synchronise(&place, SKILL_DUPLICATES_FIRST);
  assert_int_equal(report->unchanged, 2);
  assert_int_equal(report->added + report->changed + report->removed, 0);
  assert_int_equal(skill_fixture_counts(place.fixture).bytes_read, 0);
  close_place(&place);
}

static void an_edit_that_keeps_the_folders_time_is_seen(void **state) {
  (void)state;
  struct place place;
  open_place(&place, 1);
  put(&place, "project/skills/ed/SKILL.md", SKILL_TEXT("ed", "Old text."));
  synchronise(&place, SKILL_DUPLICATES_FIRST);
  put(&place, "project/skills/ed/SKILL.md", SKILL_TEXT("ed", "New text."));
  synchronise(&place, SKILL_DUPLICATES_FIRST);
  assert_string_equal(description_of(&place, "ed"), "New text.");
  close_place(&place);
}

static void an_edited_body_is_ranked_anew(void **state) {
  (void)state;
  struct place place;
  open_place(&place, 1);
  put(&place, "project/skills/a/SKILL.md", "---\nname: a\ndescription: Same.\n---\nzeppelin\n");
  synchronise(&place, SKILL_DUPLICATES_FIRST);
  assert_int_equal(matches(&place, "zeppelin"), 1);
  put(&place, "project/skills/a/SKILL.md", "---\nname: a\ndescription: Same.\n---\nsubmarine\n");
  synchronise(&place, SKILL_DUPLICATES_FIRST);
  assert_int_equal(matches(&place, "zeppelin"), 0);
  assert_int_equal(matches(&place, "submarine"), 1);
  close_place(&place);
}

static void a_root_that_vanishes_keeps_its_skills(void **state) {
  (void)state;
  struct place place;
  open_place(&place, 2);
  put_twins(&place);
  synchronise(&place, SKILL_DUPLICATES_FIRST);
  skill_fixture_rename(place.fixture, "project/skills", "project/away");
  synchronise(&place, SKILL_DUPLICATES_FIRST);
  assert_string_equal(description_of(&place, "handoff"), "Project version.");
  assert_non_null(find_note(&place, "root-vanished", "project/skills"));
  close_place(&place);
}

static int fail_list(SkillSource *source, unsigned flags, SkillListCb cb, void *user, SkillError *err) {
  static const SkillMetadata one = {.name = "remote", .description = "From afar.", .path = "r", .source = "far"};
  bool *down = source->impl;
  (void)flags;
  if (*down) return skill_error_set(err, SKILL_EREMOTE, "the server does not answer");
  return cb(&one, NULL, 0, NULL, 0, user);
}

static void a_source_that_fails_keeps_its_last_skills(void **state) {
  (void)state;
  struct place place;
  bool down = false;
  SkillSource far = {.version = SKILL_SOURCE_VERSION, .label = "far", .impl = &down, .list = fail_list};
  open_place(&place, 1);
  put(&place, "project/skills/a/SKILL.md", SKILL_TEXT("a", "A."));
  place.sources[place.count++] = &far;
  synchronise(&place, SKILL_DUPLICATES_FIRST);
  down = true;
  skill_fixture_remove(place.fixture, "project/skills/a");
  synchronise(&place, SKILL_DUPLICATES_FIRST);
  assert_string_equal(description_of(&place, "remote"), "From afar.");
  assert_null(description_of(&place, "a"));
  assert_non_null(strstr(find_note(&place, "source-failed", "far")->message, "the server does not answer"));
  close_place(&place);
}

static void an_active_skill_goes_on_with_its_old_definition(void **state) {
  (void)state;
  struct place place;
  ProgressiveSkillLoader *loader = NULL;
  SkillLoaderOptions options = SKILL_LOADER_OPTIONS_INIT;
  open_place(&place, 1);
  put(&place, "project/skills/a/SKILL.md", SKILL_TEXT("a", "Old."));
  synchronise(&place, SKILL_DUPLICATES_FIRST);
  assert_int_equal(skill_loader_new(place.registry, &options, &loader, NULL), 0);
  assert_int_equal(skill_loader_activate(loader, "a", NULL, NULL, NULL, NULL), 0);
  while (skill_loader_state(loader, "a") != SKILL_STATE_ACTIVE) skill_loader_step(loader);
  skill_fixture_remove(place.fixture, "project/skills/a");
  synchronise(&place, SKILL_DUPLICATES_FIRST);
  assert_null(skill_registry_find(place.registry, "a"));
  assert_int_equal(skill_loader_active_count(loader), 1);
  assert_int_equal(skill_loader_close(loader, NULL, NULL), 0);
  while (skill_loader_free(loader) == SKILL_EBUSY) skill_loader_step(loader);
  close_place(&place);
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

static int count_step(struct place *place, size_t *count) {
  *count = skill_registry_count(place->registry);
  return skill_registry_sync(place->registry, place->sources, place->count, SKILL_DUPLICATES_NAMESPACE, NULL, NULL);
}

static int open_small(struct place *place) {
  SkillDirectoryOptions directory = SKILL_DIRECTORY_OPTIONS_INIT;
  SkillRegistryOptions options = SKILL_REGISTRY_OPTIONS_INIT;
  SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
  ranker.table = "";
  options.ranker = &ranker;
  int status = skill_fixture_new(&place->fixture);
  if (status) return status;
  options.io = directory.io = skill_fixture_io(place->fixture);
  directory.path = "p";
  status = skill_fixture_file(place->fixture, "p/a/SKILL.md", SKILL_TEXT("a", "A."));
  if (!status) status = skill_fixture_file(place->fixture, "u/a.md", SKILL_TEXT("a", "A too."));
  if (!status) status = skill_registry_new(&options, &place->registry, NULL);
  if (!status) status = skill_source_directory_new(&directory, &place->sources[place->count], NULL);
  if (!status) place->count++;
  directory.path = "u";
  if (!status) status = skill_source_directory_new(&directory, &place->sources[place->count], NULL);
  if (!status) place->count++;
  return status;
}

static int sync_under_pressure(void *user) {
  struct place place = {0};
  size_t before = 0;
  (void)user;
  int status = open_small(&place);
  if (!status) {
    status = count_step(&place, &before);
    assert_int_equal(skill_registry_count(place.registry), status ? before : 2);
  }
  if (!status) {
    status = skill_fixture_file(place.fixture, "p/a/SKILL.md", SKILL_TEXT("b", "Now B."));
    if (!status) status = count_step(&place, &before);
    if (status && before) assert_non_null(skill_registry_find(place.registry, "a@p"));
    if (!status) assert_non_null(skill_registry_find(place.registry, "b"));
  }
  if (status && place.count == 2) {
    sweep_relent();
    assert_int_equal(count_step(&place, &before), 0);
    assert_int_equal(skill_registry_count(place.registry), 2);
  }
  skill_registry_free(place.registry);
  for (size_t i = 0; i < place.count; i++) skill_source_free(place.sources[i]);
  skill_fixture_free(place.fixture);
  return status;
}

static void memory_failures_change_nothing(void **state) {
  (void)state;
  assert_true(sweep_run(sync_under_pressure, NULL) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_earlier_root_wins_and_the_loser_is_told),
      cmocka_unit_test(last_lets_the_later_root_win),
      cmocka_unit_test(error_loads_neither),
      cmocka_unit_test(namespace_loads_both_under_the_shortest_unique_label),
      cmocka_unit_test(a_namespaced_name_that_is_taken_outright_is_told),
      cmocka_unit_test(within_a_root_the_shallower_then_the_first_path_wins),
      cmocka_unit_test(one_file_through_two_roots_is_one_skill_without_a_word),
      cmocka_unit_test(skills_of_the_host_are_left_alone_and_win),
      cmocka_unit_test(names_that_cannot_be_registered_are_mended_and_told),
      cmocka_unit_test(a_second_synchronisation_changes_what_changed),
      cmocka_unit_test(nothing_changed_reads_nothing),
      cmocka_unit_test(an_edit_that_keeps_the_folders_time_is_seen),
      cmocka_unit_test(an_edited_body_is_ranked_anew),
      cmocka_unit_test(a_root_that_vanishes_keeps_its_skills),
      cmocka_unit_test(a_source_that_fails_keeps_its_last_skills),
      cmocka_unit_test(an_active_skill_goes_on_with_its_old_definition),
      cmocka_unit_test(memory_failures_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
