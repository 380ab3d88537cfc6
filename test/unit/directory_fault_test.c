/* SPDX-License-Identifier: MIT
 *
 * The directory source with files that cannot be read, are too large or disappear, or without enough memory: it reports
 * the problem and continues.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/place.h"
#include "lib/sweep.h"
#include "skillet/sys/alloc.h"
#include "source/directory.h"

/* --- what cannot be read ---------------------------------------------------------------------------------------- */

static void unreadable_is_told_and_not_absent(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/open/SKILL.md", SKILL_TEXT("open", "Readable."));
  place_put(place, "skills/shut/SKILL.md", SKILL_TEXT("shut", "Not."));
  place_put(place, "skills/locked/x/SKILL.md", SKILL_TEXT("x", "Not."));
  skill_fixture_deny(place->fixture, "skills/shut/SKILL.md", true);
  skill_fixture_deny(place->fixture, "skills/locked", true);
  place_scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_true(listing_has(&listing, "unreadable", "skills/shut/SKILL.md"));
  assert_true(listing_has(&listing, "unreadable", "skills/locked"));
  listing_free(&listing);
}

static void roots_that_cannot_be_listed_are_told(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_scan(place, &listing);
  assert_true(listing_has(&listing, "root-missing", "skills"));
  listing_free(&listing);
  skill_fixture_folder(place->fixture, "skills");
  skill_fixture_deny(place->fixture, "skills", true);
  place_scan(place, &listing);
  assert_true(listing_has(&listing, "root-unreadable", "skills"));
  listing_free(&listing);
  skill_source_free(place->source);
  place->source = NULL;
  place->options.path = ".\\skills\\";
  place_scan(place, &listing);
  assert_true(listing_has(&listing, "root-separator", ".\\skills\\"));
  listing_free(&listing);
}

static void a_fifo_is_refused_and_does_not_hang(void **state) {
  struct place *place = *state;
  struct listing listing;
  assert_int_equal(skill_fixture_fifo(place->fixture, "skills/pipe/SKILL.md"), 0);
  place_scan(place, &listing);
  assert_int_equal(listing.count, 0);
  assert_true(listing_has(&listing, "not-regular", "skills/pipe/SKILL.md"));
  listing_free(&listing);
}

static void a_huge_file_is_listed_by_its_beginning_only(void **state) {
  struct place *place = *state;
  struct listing listing;
  size_t head = strlen(SKILL_TEXT("huge", "Large."));
  char *text = calloc(1, SKILL_MAX_FILE + 100);
  assert_non_null(text);
  memset(text, 'x', SKILL_MAX_FILE + 100);
  memcpy(text, SKILL_TEXT("huge", "Large."), head);
  assert_int_equal(skill_fixture_bytes(place->fixture, "skills/huge/SKILL.md", text, SKILL_MAX_FILE + 100), 0);
  free(text);
  assert_int_equal(skill_fixture_bytes(place->fixture, "skills/zeros/SKILL.md", NULL, 100 * 1024 * 1024), 0);
  place_scan(place, &listing);
  assert_non_null(listing_find(&listing, "huge"));
  assert_true(listing_has(&listing, "too-large", "skills/huge/SKILL.md"));
  assert_true(listing_has(&listing, "too-large", "skills/zeros/SKILL.md"));
  assert_true(skill_fixture_counts(place->fixture).bytes_read <= 2 * 4096);
  char *body = NULL;
  size_t length = 0;
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(place->source->body(place->source, "skills/huge/SKILL.md", &body, &length, &err), SKILL_ELIMIT);
  assert_null(body);
  listing_free(&listing);
}

static void front_matter_longer_than_a_page_is_read_as_far_as_it_goes(void **state) {
  struct place *place = *state;
  struct listing listing;
  char *text = malloc(200 * 1024);
  assert_non_null(text);
  size_t used = (size_t)sprintf(text, "---\nname: long\nnote: |\n");
  while (used < 6000) used += (size_t)sprintf(text + used, "  a line of a long note\n");
  used += (size_t)sprintf(text + used, "description: At the end.\n---\n");
  while (used < 180 * 1024) used += (size_t)sprintf(text + used, "body body body body\n");
  place_put(place, "skills/long/SKILL.md", text);
  free(text);
  place_scan(place, &listing);
  assert_string_equal(listing_find(&listing, "long")->description, "At the end.");
  assert_int_equal(skill_fixture_counts(place->fixture).bytes_read, 8192);
  listing_free(&listing);
}

static void front_matter_never_closed_is_bounded(void **state) {
  struct place *place = *state;
  struct listing listing;
  char *text = malloc(300 * 1024);
  assert_non_null(text);
  size_t used = (size_t)sprintf(text, "---\nname: open\ndescription: Never closed.\n");
  while (used < 290 * 1024) used += (size_t)sprintf(text + used, "key%zu: value\n", used);
  place_put(place, "skills/open/SKILL.md", text);
  free(text);
  place_put(place, "skills/good/SKILL.md", SKILL_TEXT("good", "Fine."));
  place_scan(place, &listing);
  assert_non_null(listing_find(&listing, "good"));
  assert_true(listing.note_count > 0);
  assert_true(skill_fixture_counts(place->fixture).bytes_read <= 128 * 1024);
  listing_free(&listing);
}

static void vanish(SkillFixture *fixture, SkillFixtureOp op, const char *path, void *user) {
  (void)user;
  if ((op == SKILL_FIXTURE_DIR_OPEN || op == SKILL_FIXTURE_FILE_OPEN) && path && strstr(path, "brief")) {
    skill_fixture_remove(fixture, "skills/brief");
  }
}

static void a_folder_that_vanishes_while_it_is_read_stops_nothing(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/brief/SKILL.md", SKILL_TEXT("brief", "Gone."));
  place_put(place, "skills/other/SKILL.md", SKILL_TEXT("other", "Here."));
  skill_fixture_hook(place->fixture, vanish, NULL);
  place_scan(place, &listing);
  skill_fixture_hook(place->fixture, NULL, NULL);
  assert_int_equal(listing.count, 1);
  assert_int_equal(listing.note_count, 1);
  assert_string_equal(listing.notes[0].code, "vanished");
  listing_free(&listing);
}

static void any_failing_operation_leaves_the_scan_alive(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/a/SKILL.md", SKILL_TEXT("a", "A."));
  place_put(place, "skills/b/SKILL.md", SKILL_TEXT("b", "B."));
  place_put(place, "skills/c.md", SKILL_TEXT("c", "C."));
  place_link(place, "skills/d", "a");
  for (size_t after = 0; after < 60; after++) {
    skill_fixture_fail(place->fixture, SKILL_FIXTURE_ANY, after, SKILL_EIO, false);
    place_scan(place, &listing);
    skill_fixture_fail(place->fixture, SKILL_FIXTURE_ANY, 0, 0, false);
    assert_true(listing.count == 3 || listing.note_count > 0);
    listing_free(&listing);
    skill_source_free(place->source);
    place->source = NULL;
    assert_int_equal(skill_fixture_open_handles(place->fixture), 0);
  }
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

static int count_skill(const SkillMetadata *metadata, const char *body, size_t body_length,
                       const SkillDiagnostic *diagnostics, size_t diagnostic_count, void *user) {
  (void)body;
  (void)body_length;
  (void)diagnostics;
  (void)diagnostic_count;
  *(size_t *)user += metadata != NULL;
  return 0;
}

static int fill(SkillFixture *fixture) {
  int status = skill_fixture_file(fixture, "skills/a/SKILL.md", SKILL_TEXT("a", "A."));
  if (!status) status = skill_fixture_file(fixture, "skills/cat/b/skill.md", SKILL_TEXT("b", "B."));
  if (!status) status = skill_fixture_file(fixture, "skills/c.md", SKILL_TEXT("c", "C."));
  if (!status) status = skill_fixture_file(fixture, "skills/.gitignore", "x\n");
  if (!status) status = skill_fixture_link(fixture, "skills/d", "a");
  if (!status) status = skill_fixture_link(fixture, "skills/e", "gone");
  return status;
}

static int list_twice(SkillFixture *fixture) {
  SkillDirectoryOptions options = SKILL_DIRECTORY_OPTIONS_INIT;
  SkillSource *source = NULL;
  size_t count = 0;
  options.path = "skills";
  options.io = skill_fixture_io(fixture);
  int status = skill_source_directory_new(&options, &source, NULL);
  if (status) {
    assert_null(source);
    return status;
  }
  status = source->list(source, SKILL_LIST_BODY, count_skill, &count, NULL);
  if (status) {
    sweep_relent();
    count = 0;
    assert_int_equal(source->list(source, SKILL_LIST_BODY, count_skill, &count, NULL), 0);
  }
  assert_int_equal(count, 3);
  skill_source_free(source);
  assert_int_equal(skill_fixture_open_handles(fixture), 0);
  return status;
}

static int list_under_pressure(void *user) {
  SkillFixture *fixture = NULL;
  (void)user;
  int status = skill_fixture_new(&fixture);
  if (!status) status = fill(fixture);
  if (!status) status = list_twice(fixture);
  skill_fixture_free(fixture);
  return status;
}

static void memory_failures_leave_the_source_usable(void **state) {
  (void)state;
  assert_true(sweep_run(list_under_pressure, NULL) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      PLACE_TEST(unreadable_is_told_and_not_absent),
      PLACE_TEST(roots_that_cannot_be_listed_are_told),
      PLACE_TEST(a_fifo_is_refused_and_does_not_hang),
      PLACE_TEST(a_huge_file_is_listed_by_its_beginning_only),
      PLACE_TEST(front_matter_longer_than_a_page_is_read_as_far_as_it_goes),
      PLACE_TEST(front_matter_never_closed_is_bounded),
      PLACE_TEST(a_folder_that_vanishes_while_it_is_read_stops_nothing),
      PLACE_TEST(any_failing_operation_leaves_the_scan_alive),
      cmocka_unit_test(memory_failures_leave_the_source_usable),
  };
  return cmocka_run_group_tests_name("directory_fault", tests, NULL, NULL);
}
