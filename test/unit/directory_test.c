/* SPDX-License-Identifier: MIT
 *
 * The directory source, on files in memory: what is found, in which order, what is told of the rest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "lib/listing.h"
#include "lib/sweep.h"
#include "skillet/sys/alloc.h"
#include "skillet/sys/fixture.h"
#include "source/directory.h"

struct place {
  SkillFixture *fixture;
  SkillDirectoryOptions options;
  SkillSource *source;
};

#define SKILL_TEXT(name, description) "---\nname: " name "\ndescription: " description "\n---\n\nBody of " name ".\n"

static int setup(void **state) {
  struct place *place = calloc(1, sizeof *place);
  assert_non_null(place);
  assert_int_equal(skill_fixture_new(&place->fixture), 0);
  place->options = (SkillDirectoryOptions)SKILL_DIRECTORY_OPTIONS_INIT;
  place->options.path = "skills";
  place->options.io = skill_fixture_io(place->fixture);
  *state = place;
  return 0;
}

static int teardown(void **state) {
  struct place *place = *state;
  skill_source_free(place->source);
  assert_int_equal(skill_fixture_open_handles(place->fixture), 0);
  skill_fixture_free(place->fixture);
  free(place);
  return 0;
}

static void put(struct place *place, const char *path, const char *text) {
  assert_int_equal(skill_fixture_file(place->fixture, path, text), 0);
}

static void put_link(struct place *place, const char *path, const char *target) {
  assert_int_equal(skill_fixture_link(place->fixture, path, target), 0);
}

static void scan(struct place *place, struct listing *listing) {
  SkillError err = SKILL_ERROR_INIT;
  if (!place->source) assert_int_equal(skill_source_directory_new(&place->options, &place->source, &err), 0);
  listing_read(listing, place->source, 0);
}

/* Scans and compares the names, in order. */
static void expect_names(struct place *place, const char *names) {
  struct listing listing;
  char buffer[1024];
  scan(place, &listing);
  assert_string_equal(listing_names(&listing, buffer, sizeof buffer), names);
  listing_free(&listing);
}

/* --- what is found --------------------------------------------------------------------------------------------------
 */

static void finds_folders_categories_and_single_files(void **state) {
  struct place *place = *state;
  put(place, "skills/flat/SKILL.md", SKILL_TEXT("flat", "One."));
  put(place, "skills/media/video/cutter/SKILL.md", SKILL_TEXT("cutter", "Two."));
  put(place, "skills/media/README.md", SKILL_TEXT("readme", "No."));
  put(place, "skills/quick.md", SKILL_TEXT("quick", "Three."));
  put(place, "skills/notes.md", "# Notes\n\nJust notes.\n");
  expect_names(place, "cutter,flat,quick");
}

static void files_inside_a_skill_are_resources(void **state) {
  struct place *place = *state;
  put(place, "skills/knit/SKILL.md", SKILL_TEXT("knit", "Knits."));
  put(place, "skills/knit/examples.md", SKILL_TEXT("phantom", "No skill."));
  put(place, "skills/knit/inner/SKILL.md", SKILL_TEXT("inner", "No skill either."));
  place->options.lite = SKILL_LITE_ALL;
  expect_names(place, "knit");
}

static void a_survey_tells_what_in_the_folders_of_skills_is_not_read(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "skills/knit/SKILL.md", SKILL_TEXT("knit", "Knits."));
  put(place, "skills/knit/inner/SKILL.md", SKILL_TEXT("inner", "A resource."));
  put(place, "skills/both/SKILL.md", SKILL_TEXT("both", "Upper wins."));
  put(place, "skills/both/skill.md", SKILL_TEXT("both-low", "Lower loses."));
  scan(place, &listing);
  assert_int_equal(listing.note_count, 0);
  listing_free(&listing);
  skill_source_free(place->source);
  place->source = NULL;
  place->options.survey = true;
  scan(place, &listing);
  assert_int_equal(listing.count, 2);
  assert_int_equal(listing.note_count, 2);
  assert_true(listing_has(&listing, "nested-skill", "skills/knit"));
  assert_true(listing_has(&listing, "file-name-case", "skills/both/skill.md"));
  listing_free(&listing);
}

static void a_root_can_itself_be_a_skill(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "skills/SKILL.md", "---\ndescription: The root.\n---\nBody.\n");
  put(place, "skills/sub/SKILL.md", SKILL_TEXT("sub", "A resource."));
  scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_string_equal(listing.skills[0]->name, "skills");
  assert_string_equal(listing.skills[0]->path, "skills/SKILL.md");
  listing_free(&listing);
}

static void a_single_file_can_be_a_root(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "skills/one.md", "No front matter at all.\n");
  put(place, "skills/two.md", SKILL_TEXT("two", "Not asked for."));
  place->options.path = "skills/one.md";
  scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_string_equal(listing.skills[0]->name, "one");
  assert_string_equal(listing.skills[0]->path, "skills/one.md");
  listing_free(&listing);
}

static void lite_says_which_single_files_count(void **state) {
  struct place *place = *state;
  put(place, "skills/plain.md", "All body.\n");
  put(place, "skills/told.md", SKILL_TEXT("told", "Described."));
  put(place, "skills/dated.md", "---\ndate: 2020-01-01\n---\nA diary.\n");
  put(place, "skills/CHANGELOG.md", SKILL_TEXT("changelog", "A document."));
  put(place, "skills/README.zh.md", SKILL_TEXT("readme", "A document."));
  put(place, "skills/index.md", SKILL_TEXT("index", "A document."));
  put(place, "skills/.hidden.md", SKILL_TEXT("hidden", "A dot file."));
  expect_names(place, "told");
  skill_source_free(place->source);
  place->source = NULL;
  place->options.lite = SKILL_LITE_ALL;
  expect_names(place, "dated,plain,told");
  skill_source_free(place->source);
  place->source = NULL;
  place->options.lite = SKILL_LITE_OFF;
  expect_names(place, "");
}

static void order_is_by_name_then_depth_then_path(void **state) {
  struct place *place = *state;
  struct listing listing;
  char buffer[256];
  put(place, "skills/zebra/SKILL.md", SKILL_TEXT("zebra", "Z."));
  put(place, "skills/\xc3\xa4pfel/SKILL.md", SKILL_TEXT("\xc3\xa4pfel", "A."));
  put(place, "skills/Apple/SKILL.md", SKILL_TEXT("Apple", "A."));
  put(place, "skills/a/b/demo/SKILL.md", SKILL_TEXT("demo", "Deep."));
  put(place, "skills/y/SKILL.md", SKILL_TEXT("demo", "Shallow, late."));
  put(place, "skills/x/SKILL.md", SKILL_TEXT("demo", "Shallow, early."));
  scan(place, &listing);
  assert_string_equal(listing_names(&listing, buffer, sizeof buffer), "Apple,demo,demo,demo,zebra,\xc3\xa4pfel");
  assert_string_equal(listing.skills[1]->path, "skills/x/SKILL.md");
  assert_string_equal(listing.skills[2]->path, "skills/y/SKILL.md");
  assert_string_equal(listing.skills[3]->path, "skills/a/b/demo/SKILL.md");
  listing_free(&listing);
}

static void another_spelling_of_the_file_is_read_with_a_warning(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "skills/low/skill.md", SKILL_TEXT("low", "Lower case."));
  put(place, "skills/both/SKILL.md", SKILL_TEXT("both", "Upper wins."));
  put(place, "skills/both/skill.md", SKILL_TEXT("both-low", "Lower loses."));
  scan(place, &listing);
  assert_int_equal(listing.count, 2);
  assert_string_equal(listing_find(&listing, "both")->description, "Upper wins.");
  assert_non_null(listing_find(&listing, "low"));
  assert_true(listing_has(&listing, "file-name-case", "skills/low/skill.md"));
  listing_free(&listing);
}

static void ignore_files_and_package_stores_are_left_out_and_told(void **state) {
  struct place *place = *state;
  struct listing listing;
  char buffer[256];
  put(place, "skills/.gitignore", "drafts/\n*.tmp.md\n!keep.tmp.md\n");
  put(place, "skills/drafts/a/SKILL.md", SKILL_TEXT("draft", "No."));
  put(place, "skills/x.tmp.md", SKILL_TEXT("x", "No."));
  put(place, "skills/keep.tmp.md", SKILL_TEXT("keep", "Yes."));
  put(place, "skills/node_modules/m/SKILL.md", SKILL_TEXT("module", "No."));
  put(place, "skills/.git/hooks/SKILL.md", SKILL_TEXT("hook", "No."));
  put(place, "skills/cat/.skilletignore", "/gone\n");
  put(place, "skills/cat/gone/SKILL.md", SKILL_TEXT("gone", "No."));
  put(place, "skills/cat/deep/gone/SKILL.md", SKILL_TEXT("not-gone", "The pattern is anchored."));
  scan(place, &listing);
  assert_string_equal(listing_names(&listing, buffer, sizeof buffer), "keep,not-gone");
  assert_true(listing_has(&listing, "ignored", "skills"));
  assert_true(listing_has(&listing, "ignored", "skills/cat"));
  listing_free(&listing);
}

static void what_lies_too_deep_is_told(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "skills/a/b/near/SKILL.md", SKILL_TEXT("near", "Yes."));
  put(place, "skills/a/b/c/far/SKILL.md", SKILL_TEXT("far", "No."));
  place->options.max_depth = 3;
  scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_true(listing_has(&listing, "depth-limit", "skills"));
  listing_free(&listing);
}

static void skills_where_others_do_not_look_are_loaded_and_told_once(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "skills/1/2/3/4/5/six/SKILL.md", SKILL_TEXT("six", "Usual."));
  put(place, "skills/1/2/3/4/5/6/seven/SKILL.md", SKILL_TEXT("seven", "Deep."));
  put(place, "skills/1/2/3/4/5/6/7/eight/SKILL.md", SKILL_TEXT("eight", "Deeper."));
  scan(place, &listing);
  assert_int_equal(listing.count, 3);
  assert_true(listing_has(&listing, "deep-skill", "skills/1/2/3/4/5/6/7/eight/SKILL.md"));
  assert_int_equal(listing.note_count, 1);
  listing_free(&listing);
}

static void more_skills_than_allowed_are_told(void **state) {
  struct place *place = *state;
  struct listing listing;
  for (char c = 'a'; c < 'h'; c++) {
    char path[32];
    snprintf(path, sizeof path, "skills/%c/SKILL.md", c);
    put(place, path, "---\ndescription: Some.\n---\n");
  }
  place->options.max_skills = 3;
  scan(place, &listing);
  assert_true(listing.count < 7);
  assert_true(listing_has(&listing, "scan-limit", "skills/d"));
  listing_free(&listing);
}

/* --- links
 * ------------------------------------------------------------------------------------------------------------ */

static void a_root_that_is_a_link_is_resolved(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "store/oracle/SKILL.md", SKILL_TEXT("oracle", "Knows."));
  put_link(place, "skills", "store");
  scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_string_equal(listing.skills[0]->path, "skills/oracle/SKILL.md");
  assert_int_equal(listing.note_count, 0);
  listing_free(&listing);
}

static void cycles_end_and_each_skill_comes_once(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "skills/cat/foo/SKILL.md", SKILL_TEXT("foo", "Once."));
  put_link(place, "skills/cat/foo/foo", "../foo");
  put_link(place, "skills/cat/round", "../cat");
  put_link(place, "skills/self", "self");
  put_link(place, "skills/top", ".");
  scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_string_equal(listing.skills[0]->path, "skills/cat/foo/SKILL.md");
  assert_true(listing_has(&listing, "link-loop", "skills/self"));
  listing_free(&listing);
}

static void links_out_of_the_root_are_refused_unless_allowed(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "outside/spy/SKILL.md", SKILL_TEXT("spy", "Outside."));
  put(place, "skills/real/SKILL.md", SKILL_TEXT("real", "Inside."));
  put_link(place, "skills/spy", "../outside/spy");
  put_link(place, "skills/abs", "/outside/spy");
  put_link(place, "skills/file/SKILL.md", "../../outside/spy/SKILL.md");
  scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_true(listing_has(&listing, "link-outside", "skills/spy"));
  assert_true(listing_has(&listing, "link-outside", "skills/abs"));
  assert_true(listing_has(&listing, "link-outside", "skills/file/SKILL.md"));
  listing_free(&listing);
  skill_source_free(place->source);
  place->source = NULL;
  place->options.links = SKILL_LINKS_ANYWHERE;
  expect_names(place, "real,spy,spy");
}

static void links_within_the_root_are_followed_unless_never(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "skills/store/node_modules/tool/SKILL.md", SKILL_TEXT("tool", "In a package."));
  put_link(place, "skills/tool", "store/node_modules/tool");
  put_link(place, "skills/linked.md", "store/text.txt");
  put(place, "skills/store/text.txt", SKILL_TEXT("linked", "A single file."));
  expect_names(place, "linked,tool");
  skill_source_free(place->source);
  place->source = NULL;
  place->options.links = SKILL_LINKS_NEVER;
  scan(place, &listing);
  assert_int_equal(listing.count, 0);
  assert_true(listing_has(&listing, "link-not-followed", "skills/tool"));
  listing_free(&listing);
}

static void dangling_links_are_told_and_stop_nothing(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "skills/live/SKILL.md", SKILL_TEXT("live", "Alive."));
  put_link(place, "skills/stale", "../gone/stale");
  put_link(place, "skills/half/SKILL.md", "nowhere.md");
  scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_true(listing_has(&listing, "dangling-link", "skills/stale"));
  assert_true(listing_has(&listing, "dangling-link", "skills/half/SKILL.md"));
  listing_free(&listing);
}

/* --- what cannot be read
 * ------------------------------------------------------------------------------------------------ */

static void unreadable_is_told_and_not_absent(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "skills/open/SKILL.md", SKILL_TEXT("open", "Readable."));
  put(place, "skills/shut/SKILL.md", SKILL_TEXT("shut", "Not."));
  put(place, "skills/locked/x/SKILL.md", SKILL_TEXT("x", "Not."));
  skill_fixture_deny(place->fixture, "skills/shut/SKILL.md", true);
  skill_fixture_deny(place->fixture, "skills/locked", true);
  scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_true(listing_has(&listing, "unreadable", "skills/shut/SKILL.md"));
  assert_true(listing_has(&listing, "unreadable", "skills/locked"));
  listing_free(&listing);
}

static void roots_that_cannot_be_listed_are_told(void **state) {
  struct place *place = *state;
  struct listing listing;
  scan(place, &listing);
  assert_true(listing_has(&listing, "root-missing", "skills"));
  listing_free(&listing);
  skill_fixture_folder(place->fixture, "skills");
  skill_fixture_deny(place->fixture, "skills", true);
  scan(place, &listing);
  assert_true(listing_has(&listing, "root-unreadable", "skills"));
  listing_free(&listing);
  skill_source_free(place->source);
  place->source = NULL;
  place->options.path = ".\\skills\\";
  scan(place, &listing);
  assert_true(listing_has(&listing, "root-separator", ".\\skills\\"));
  listing_free(&listing);
}

static void a_fifo_is_refused_and_does_not_hang(void **state) {
  struct place *place = *state;
  struct listing listing;
  assert_int_equal(skill_fixture_fifo(place->fixture, "skills/pipe/SKILL.md"), 0);
  scan(place, &listing);
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
  scan(place, &listing);
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
  put(place, "skills/long/SKILL.md", text);
  free(text);
  scan(place, &listing);
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
  put(place, "skills/open/SKILL.md", text);
  free(text);
  put(place, "skills/good/SKILL.md", SKILL_TEXT("good", "Fine."));
  scan(place, &listing);
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
  put(place, "skills/brief/SKILL.md", SKILL_TEXT("brief", "Gone."));
  put(place, "skills/other/SKILL.md", SKILL_TEXT("other", "Here."));
  skill_fixture_hook(place->fixture, vanish, NULL);
  scan(place, &listing);
  skill_fixture_hook(place->fixture, NULL, NULL);
  assert_int_equal(listing.count, 1);
  assert_int_equal(listing.note_count, 1);
  assert_string_equal(listing.notes[0].code, "vanished");
  listing_free(&listing);
}

static void any_failing_operation_leaves_the_scan_alive(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "skills/a/SKILL.md", SKILL_TEXT("a", "A."));
  put(place, "skills/b/SKILL.md", SKILL_TEXT("b", "B."));
  put(place, "skills/c.md", SKILL_TEXT("c", "C."));
  put_link(place, "skills/d", "a");
  for (size_t after = 0; after < 60; after++) {
    skill_fixture_fail(place->fixture, SKILL_FIXTURE_ANY, after, SKILL_EIO, false);
    scan(place, &listing);
    skill_fixture_fail(place->fixture, SKILL_FIXTURE_ANY, 0, 0, false);
    assert_true(listing.count == 3 || listing.note_count > 0);
    listing_free(&listing);
    skill_source_free(place->source);
    place->source = NULL;
    assert_int_equal(skill_fixture_open_handles(place->fixture), 0);
  }
}

/* --- what it costs ---------------------------------------------------------------------------------------------- */

enum { MANY = 50 };

static void make_many(struct place *place) {
  char path[64];
  char text[256];
  for (int i = 0; i < MANY; i++) {
    snprintf(path, sizeof path, "skills/s%02d/SKILL.md", i);
    snprintf(text, sizeof text, "---\nname: s%02d\ndescription: One of many.\n---\n", i);
    put(place, path, text);
    snprintf(path, sizeof path, "skills/s%02d/references/more.md", i);
    put(place, path, "More.\n");
  }
}

/* Beside what the root itself takes: to look at it, open it, read it to its end. */
static void a_skill_costs_one_open_and_one_read_and_then_one_look(void **state) {
  struct place *place = *state;
  struct listing listing;
  make_many(place);
  skill_fixture_reset_counts(place->fixture);
  scan(place, &listing);
  SkillFixtureCounts cold = skill_fixture_counts(place->fixture);
  listing_free(&listing);
  assert_int_equal(cold.calls[SKILL_FIXTURE_FILE_OPEN], MANY);
  assert_int_equal(cold.calls[SKILL_FIXTURE_FILE_READ], MANY);
  assert_int_equal(cold.calls[SKILL_FIXTURE_FILE_INFO], 0);
  assert_int_equal(cold.calls[SKILL_FIXTURE_DIR_OPEN], 1);
  assert_int_equal(cold.calls[SKILL_FIXTURE_DIR_NEXT], MANY + 1);
  assert_int_equal(cold.calls[SKILL_FIXTURE_STAT], 2);
  skill_fixture_reset_counts(place->fixture);
  scan(place, &listing);
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
  put(place, "skills/victim/SKILL.md", SKILL_TEXT("victim", "Inside."));
  put(place, "outside/SKILL.md", SKILL_TEXT("outside", "Outside."));
  skill_fixture_hook(place->fixture, swap_for_a_link, NULL);
  scan(place, &listing);
  skill_fixture_hook(place->fixture, NULL, NULL);
  assert_int_equal(listing.count, 0);
  listing_free(&listing);
}

/* --- scanning again
 * -------------------------------------------------------------------------------------------------------- */

static void a_second_scan_reads_only_what_changed(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "skills/a/SKILL.md", SKILL_TEXT("a", "Old."));
  put(place, "skills/b/SKILL.md", SKILL_TEXT("b", "Same."));
  put(place, "skills/notes.md", "# Ordinary notes, no skill\n");
  scan(place, &listing);
  listing_free(&listing);
  skill_fixture_reset_counts(place->fixture);
  scan(place, &listing);
  listing_free(&listing);
  assert_int_equal(skill_fixture_counts(place->fixture).bytes_read, 0);
  assert_int_equal(skill_fixture_counts(place->fixture).calls[SKILL_FIXTURE_FILE_OPEN], 0);
  put(place, "skills/a/SKILL.md", SKILL_TEXT("a", "New."));
  scan(place, &listing);
  assert_string_equal(listing_find(&listing, "a")->description, "New.");
  assert_int_equal(skill_fixture_counts(place->fixture).bytes_read, strlen(SKILL_TEXT("a", "New.")));
  listing_free(&listing);
}

static void additions_removals_and_renames_are_seen(void **state) {
  struct place *place = *state;
  put(place, "skills/a/SKILL.md", SKILL_TEXT("a", "A."));
  expect_names(place, "a");
  put(place, "skills/b/SKILL.md", SKILL_TEXT("b", "B."));
  expect_names(place, "a,b");
  assert_int_equal(skill_fixture_rename(place->fixture, "skills/a", "skills/z"), 0);
  put(place, "skills/z/SKILL.md", SKILL_TEXT("z", "Z."));
  expect_names(place, "b,z");
  skill_fixture_remove(place->fixture, "skills/b");
  skill_fixture_remove(place->fixture, "skills/z");
  expect_names(place, "");
}

static void a_root_that_vanishes_keeps_its_last_list(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "skills/stable/SKILL.md", SKILL_TEXT("stable", "Stays."));
  expect_names(place, "stable");
  skill_fixture_rename(place->fixture, "skills", "away");
  scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_true(listing_has(&listing, "root-vanished", "skills"));
  listing_free(&listing);
  skill_fixture_rename(place->fixture, "away", "skills");
  scan(place, &listing);
  assert_int_equal(listing.note_count, 0);
  listing_free(&listing);
  skill_fixture_remove(place->fixture, "skills/stable");
  expect_names(place, "");
}

static void a_half_written_file_keeps_its_last_good_version(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "skills/a/SKILL.md", SKILL_TEXT("a", "Good."));
  expect_names(place, "a");
  put(place, "skills/a/SKILL.md", "");
  scan(place, &listing);
  assert_string_equal(listing_find(&listing, "a")->description, "Good.");
  assert_true(listing_has(&listing, "kept-last-good", "skills/a/SKILL.md"));
  listing_free(&listing);
  scan(place, &listing);
  assert_true(listing_has(&listing, "kept-last-good", "skills/a/SKILL.md"));
  listing_free(&listing);
  put(place, "skills/a/SKILL.md", SKILL_TEXT("a", "Better."));
  scan(place, &listing);
  assert_string_equal(listing_find(&listing, "a")->description, "Better.");
  assert_int_equal(listing.note_count, 0);
  listing_free(&listing);
}

static void what_became_unreadable_keeps_its_last_version(void **state) {
  struct place *place = *state;
  struct listing listing;
  put(place, "skills/cat/a/SKILL.md", SKILL_TEXT("a", "A."));
  put(place, "skills/b/SKILL.md", SKILL_TEXT("b", "B."));
  expect_names(place, "a,b");
  skill_fixture_deny(place->fixture, "skills/cat", true);
  scan(place, &listing);
  assert_int_equal(listing.count, 2);
  assert_true(listing_has(&listing, "unreadable", "skills/cat"));
  listing_free(&listing);
}

/* --- bodies
 * ------------------------------------------------------------------------------------------------------------------ */

static void bodies_come_from_the_file_as_it_is_now(void **state) {
  struct place *place = *state;
  struct listing listing;
  char *body = NULL;
  size_t length = 0;
  SkillError err = SKILL_ERROR_INIT;
  put(place, "skills/a/SKILL.md", SKILL_TEXT("a", "A."));
  scan(place, &listing);
  listing_free(&listing);
  put(place, "skills/a/SKILL.md", "---\nname: a\ndescription: A.\n---\nChanged.\n");
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
  put(place, "skills/long/SKILL.md", text);
  free(text);
  SkillError err = SKILL_ERROR_INIT;
  assert_int_equal(skill_source_directory_new(&place->options, &place->source, &err), 0);
  listing_read(&listing, place->source, SKILL_LIST_BODY);
  assert_int_equal(listing.count, 1);
  assert_int_equal(strlen(listing.bodies[0]), 8000 * 3);
  listing_free(&listing);
}

/* --- memory
 * -------------------------------------------------------------------------------------------------------------------
 */

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

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(finds_folders_categories_and_single_files),
      TEST(files_inside_a_skill_are_resources),
      TEST(a_survey_tells_what_in_the_folders_of_skills_is_not_read),
      TEST(a_skill_costs_one_open_and_one_read_and_then_one_look),
      TEST(a_folder_swapped_for_a_link_while_it_is_listed_leads_nowhere),
      TEST(a_root_can_itself_be_a_skill),
      TEST(a_single_file_can_be_a_root),
      TEST(lite_says_which_single_files_count),
      TEST(order_is_by_name_then_depth_then_path),
      TEST(another_spelling_of_the_file_is_read_with_a_warning),
      TEST(ignore_files_and_package_stores_are_left_out_and_told),
      TEST(what_lies_too_deep_is_told),
      TEST(skills_where_others_do_not_look_are_loaded_and_told_once),
      TEST(more_skills_than_allowed_are_told),
      TEST(a_root_that_is_a_link_is_resolved),
      TEST(cycles_end_and_each_skill_comes_once),
      TEST(links_out_of_the_root_are_refused_unless_allowed),
      TEST(links_within_the_root_are_followed_unless_never),
      TEST(dangling_links_are_told_and_stop_nothing),
      TEST(unreadable_is_told_and_not_absent),
      TEST(roots_that_cannot_be_listed_are_told),
      TEST(a_fifo_is_refused_and_does_not_hang),
      TEST(a_huge_file_is_listed_by_its_beginning_only),
      TEST(front_matter_longer_than_a_page_is_read_as_far_as_it_goes),
      TEST(front_matter_never_closed_is_bounded),
      TEST(a_folder_that_vanishes_while_it_is_read_stops_nothing),
      TEST(any_failing_operation_leaves_the_scan_alive),
      TEST(a_second_scan_reads_only_what_changed),
      TEST(additions_removals_and_renames_are_seen),
      TEST(a_root_that_vanishes_keeps_its_last_list),
      TEST(a_half_written_file_keeps_its_last_good_version),
      TEST(what_became_unreadable_keeps_its_last_version),
      TEST(bodies_come_from_the_file_as_it_is_now),
      TEST(a_listing_hands_out_8000_characters_of_each_body),
      cmocka_unit_test(memory_failures_leave_the_source_usable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
