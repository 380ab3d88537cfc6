/* SPDX-License-Identifier: MIT
 *
 * Listing a directory source again: the cost, what is kept, and that bodies are read from the current file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/place.h"
#include "skillet/sys/alloc.h"
#include "source/directory.h"

/* --- cost ------------------------------------------------------------------------------------------------------- */

enum { MANY = 50 };

static void make_many(struct place *place) {
  char path[64];
  char text[256];
  for (int i = 0; i < MANY; i++) {
    snprintf(path, sizeof path, "skills/s%02d/SKILL.md", i);
    snprintf(text, sizeof text, "---\nname: s%02d\ndescription: One of many.\n---\n", i);
    place_put(place, path, text);
    snprintf(path, sizeof path, "skills/s%02d/references/more.md", i);
    place_put(place, path, "More.\n");
  }
}

/* Not counting the operations for the root itself: stat, open, and read to its end. */
static void a_skill_costs_one_open_and_one_read_and_then_one_look(void **state) {
  struct place *place = *state;
  struct listing listing;
  make_many(place);
  skill_fixture_reset_counts(place->fixture);
  place_scan(place, &listing);
  SkillFixtureCounts cold = skill_fixture_counts(place->fixture);
  listing_free(&listing);
  assert_int_equal(cold.calls[SKILL_FIXTURE_FILE_OPEN], MANY);
  assert_int_equal(cold.calls[SKILL_FIXTURE_FILE_READ], MANY);
  assert_int_equal(cold.calls[SKILL_FIXTURE_FILE_INFO], 0);
  assert_int_equal(cold.calls[SKILL_FIXTURE_DIR_OPEN], 1);
  assert_int_equal(cold.calls[SKILL_FIXTURE_DIR_NEXT], MANY + 1);
  assert_int_equal(cold.calls[SKILL_FIXTURE_STAT], 2);
  skill_fixture_reset_counts(place->fixture);
  place_scan(place, &listing);
  SkillFixtureCounts warm = skill_fixture_counts(place->fixture);
  listing_free(&listing);
  assert_int_equal(warm.calls[SKILL_FIXTURE_FILE_OPEN], 0);
  assert_int_equal(warm.calls[SKILL_FIXTURE_DIR_OPEN], 1);
  assert_int_equal(warm.calls[SKILL_FIXTURE_STAT], MANY + 2);
}

static void swap_for_a_link(SkillFixture *fixture, SkillFixtureOp op, const char *path, void *user) {
  (void)user;
  if (op != SKILL_FIXTURE_FILE_OPEN || !path || !strstr(path, "victim")) return;
  skill_fixture_remove(fixture, "skills/victim");
  skill_fixture_link(fixture, "skills/victim", "../outside");
}

static void a_folder_swapped_for_a_link_while_it_is_listed_leads_nowhere(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/victim/SKILL.md", SKILL_TEXT("victim", "Inside."));
  place_put(place, "outside/SKILL.md", SKILL_TEXT("outside", "Outside."));
  skill_fixture_hook(place->fixture, swap_for_a_link, NULL);
  place_scan(place, &listing);
  skill_fixture_hook(place->fixture, NULL, NULL);
  assert_int_equal(listing.count, 0);
  listing_free(&listing);
}

/* --- scanning again --------------------------------------------------------------------------------------------- */

static void a_second_scan_reads_only_what_changed(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/a/SKILL.md", SKILL_TEXT("a", "Old."));
  place_put(place, "skills/b/SKILL.md", SKILL_TEXT("b", "Same."));
  place_put(place, "skills/notes.md", "# Ordinary notes, no skill\n");
  place_scan(place, &listing);
  listing_free(&listing);
  skill_fixture_reset_counts(place->fixture);
  place_scan(place, &listing);
  listing_free(&listing);
  assert_int_equal(skill_fixture_counts(place->fixture).bytes_read, 0);
  assert_int_equal(skill_fixture_counts(place->fixture).calls[SKILL_FIXTURE_FILE_OPEN], 0);
  place_put(place, "skills/a/SKILL.md", SKILL_TEXT("a", "New."));
  place_scan(place, &listing);
  assert_string_equal(listing_find(&listing, "a")->description, "New.");
  assert_int_equal(skill_fixture_counts(place->fixture).bytes_read, strlen(SKILL_TEXT("a", "New.")));
  listing_free(&listing);
}

static void additions_removals_and_renames_are_seen(void **state) {
  struct place *place = *state;
  place_put(place, "skills/a/SKILL.md", SKILL_TEXT("a", "A."));
  place_expect(place, "a");
  place_put(place, "skills/b/SKILL.md", SKILL_TEXT("b", "B."));
  place_expect(place, "a,b");
  assert_int_equal(skill_fixture_rename(place->fixture, "skills/a", "skills/z"), 0);
  place_put(place, "skills/z/SKILL.md", SKILL_TEXT("z", "Z."));
  place_expect(place, "b,z");
  skill_fixture_remove(place->fixture, "skills/b");
  skill_fixture_remove(place->fixture, "skills/z");
  place_expect(place, "");
}

static void a_root_that_vanishes_keeps_its_last_list(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/stable/SKILL.md", SKILL_TEXT("stable", "Stays."));
  place_expect(place, "stable");
  skill_fixture_rename(place->fixture, "skills", "away");
  place_scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_true(listing_has(&listing, "root-vanished", "skills"));
  listing_free(&listing);
  skill_fixture_rename(place->fixture, "away", "skills");
  place_scan(place, &listing);
  assert_int_equal(listing.note_count, 0);
  listing_free(&listing);
  skill_fixture_remove(place->fixture, "skills/stable");
  place_expect(place, "");
}

static void a_half_written_file_keeps_its_last_good_version(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/a/SKILL.md", SKILL_TEXT("a", "Good."));
  place_expect(place, "a");
  place_put(place, "skills/a/SKILL.md", "");
  place_scan(place, &listing);
  assert_string_equal(listing_find(&listing, "a")->description, "Good.");
  assert_true(listing_has(&listing, "kept-last-good", "skills/a/SKILL.md"));
  listing_free(&listing);
  place_scan(place, &listing);
  assert_true(listing_has(&listing, "kept-last-good", "skills/a/SKILL.md"));
  listing_free(&listing);
  place_put(place, "skills/a/SKILL.md", SKILL_TEXT("a", "Better."));
  place_scan(place, &listing);
  assert_string_equal(listing_find(&listing, "a")->description, "Better.");
  assert_int_equal(listing.note_count, 0);
  listing_free(&listing);
}

static void what_became_unreadable_keeps_its_last_version(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/cat/a/SKILL.md", SKILL_TEXT("a", "A."));
  place_put(place, "skills/b/SKILL.md", SKILL_TEXT("b", "B."));
  place_expect(place, "a,b");
  skill_fixture_deny(place->fixture, "skills/cat", true);
  place_scan(place, &listing);
  assert_int_equal(listing.count, 2);
  assert_true(listing_has(&listing, "unreadable", "skills/cat"));
  listing_free(&listing);
}

/* --- bodies ----------------------------------------------------------------------------------------------------- */

static void bodies_come_from_the_file_as_it_is_now(void **state) {
  struct place *place = *state;
  struct listing listing;
  char *body = NULL;
  size_t length = 0;
  SkillError err = SKILL_ERROR_INIT;
  place_put(place, "skills/a/SKILL.md", SKILL_TEXT("a", "A."));
  place_scan(place, &listing);
  listing_free(&listing);
  place_put(place, "skills/a/SKILL.md", "---\nname: a\ndescription: A.\n---\nChanged.\n");
  assert_int_equal(place->source->body(place->source, "skills/a/SKILL.md", &body, &length, &err), 0);
  assert_int_equal(length, strlen(body));
  assert_non_null(strstr(body, "Changed."));
  skill_free(body);
  assert_int_equal(place->source->body(place->source, "skills/b/SKILL.md", &body, &length, &err), SKILL_ENOENT);
}

static void a_listing_hands_out_8000_characters_of_each_body(void **state) {
  struct place *place = *state;
  struct listing listing;
  char *text = malloc(64 * 1024);
  assert_non_null(text);
  size_t used = (size_t)sprintf(text, "---\nname: long\ndescription: Long.\n---\n");
  for (int i = 0; i < 9000; i++) used += (size_t)sprintf(text + used, "\xe6\x8a\x80");
  place_put(place, "skills/long/SKILL.md", text);
  free(text);
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(skill_source_directory_new(&place->options, &place->source, &err), 0);
  listing_read(&listing, place->source, SKILL_LIST_BODY);
  assert_int_equal(listing.count, 1);
  assert_int_equal(strlen(listing.bodies[0]), 8000 * 3);
  listing_free(&listing);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      PLACE_TEST(a_skill_costs_one_open_and_one_read_and_then_one_look),
      PLACE_TEST(a_folder_swapped_for_a_link_while_it_is_listed_leads_nowhere),
      PLACE_TEST(a_second_scan_reads_only_what_changed),
      PLACE_TEST(additions_removals_and_renames_are_seen),
      PLACE_TEST(a_root_that_vanishes_keeps_its_last_list),
      PLACE_TEST(a_half_written_file_keeps_its_last_good_version),
      PLACE_TEST(what_became_unreadable_keeps_its_last_version),
      PLACE_TEST(bodies_come_from_the_file_as_it_is_now),
      PLACE_TEST(a_listing_hands_out_8000_characters_of_each_body),
  };
  return cmocka_run_group_tests_name("directory_again", tests, NULL, NULL);
}
