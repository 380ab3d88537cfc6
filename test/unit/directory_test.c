/* SPDX-License-Identifier: MIT
 *
 * The directory source with files in memory: what is found, in which order, what is reported about other files, and
 * links.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/place.h"
#include "source/directory.h"

/* --- what is found ------------------------------------------------------------------------------------------------ */

static void finds_folders_categories_and_single_files(void **state) {
  struct place *place = *state;
  place_put(place, "skills/flat/SKILL.md", SKILL_TEXT("flat", "One."));
  place_put(place, "skills/media/video/cutter/SKILL.md", SKILL_TEXT("cutter", "Two."));
  place_put(place, "skills/media/README.md", SKILL_TEXT("readme", "No."));
  place_put(place, "skills/quick.md", SKILL_TEXT("quick", "Three."));
  place_put(place, "skills/notes.md", "# Notes\n\nJust notes.\n");
  place_expect(place, "cutter,flat,quick");
}

static void files_inside_a_skill_are_resources(void **state) {
  struct place *place = *state;
  place_put(place, "skills/knit/SKILL.md", SKILL_TEXT("knit", "Knits."));
  place_put(place, "skills/knit/examples.md", SKILL_TEXT("phantom", "No skill."));
  place_put(place, "skills/knit/inner/SKILL.md", SKILL_TEXT("inner", "No skill either."));
  place->options.lite = SKILL_LITE_ALL;
  place_expect(place, "knit");
}

static void a_survey_tells_what_in_the_folders_of_skills_is_not_read(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/knit/SKILL.md", SKILL_TEXT("knit", "Knits."));
  place_put(place, "skills/knit/inner/SKILL.md", SKILL_TEXT("inner", "A resource."));
  place_put(place, "skills/both/SKILL.md", SKILL_TEXT("both", "Upper wins."));
  place_put(place, "skills/both/skill.md", SKILL_TEXT("both-low", "Lower loses."));
  place_scan(place, &listing);
  assert_int_equal(listing.note_count, 0);
  listing_free(&listing);
  skill_source_free(place->source);
  place->source = NULL;
  place->options.survey = true;
  place_scan(place, &listing);
  assert_int_equal(listing.count, 2);
  assert_int_equal(listing.note_count, 2);
  assert_true(listing_has(&listing, "nested-skill", "skills/knit"));
  assert_true(listing_has(&listing, "file-name-case", "skills/both/skill.md"));
  listing_free(&listing);
}

static void a_root_can_itself_be_a_skill(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/SKILL.md", "---\ndescription: The root.\n---\nBody.\n");
  place_put(place, "skills/sub/SKILL.md", SKILL_TEXT("sub", "A resource."));
  place_scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_string_equal(listing.skills[0]->name, "skills");
  assert_string_equal(listing.skills[0]->path, "skills/SKILL.md");
  listing_free(&listing);
}

static void a_single_file_can_be_a_root(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/one.md", "No front matter at all.\n");
  place_put(place, "skills/two.md", SKILL_TEXT("two", "Not asked for."));
  place->options.path = "skills/one.md";
  place_scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_string_equal(listing.skills[0]->name, "one");
  assert_string_equal(listing.skills[0]->path, "skills/one.md");
  listing_free(&listing);
}

static void lite_says_which_single_files_count(void **state) {
  struct place *place = *state;
  place_put(place, "skills/plain.md", "All body.\n");
  place_put(place, "skills/told.md", SKILL_TEXT("told", "Described."));
  place_put(place, "skills/dated.md", "---\ndate: 2020-01-01\n---\nA diary.\n");
  place_put(place, "skills/CHANGELOG.md", SKILL_TEXT("changelog", "A document."));
  place_put(place, "skills/README.zh.md", SKILL_TEXT("readme", "A document."));
  place_put(place, "skills/index.md", SKILL_TEXT("index", "A document."));
  place_put(place, "skills/.hidden.md", SKILL_TEXT("hidden", "A dot file."));
  place_expect(place, "told");
  skill_source_free(place->source);
  place->source = NULL;
  place->options.lite = SKILL_LITE_ALL;
  place_expect(place, "dated,plain,told");
  skill_source_free(place->source);
  place->source = NULL;
  place->options.lite = SKILL_LITE_OFF;
  place_expect(place, "");
}

static void order_is_by_name_then_depth_then_path(void **state) {
  struct place *place = *state;
  struct listing listing;
  char buffer[256];
  place_put(place, "skills/zebra/SKILL.md", SKILL_TEXT("zebra", "Z."));
  place_put(place, "skills/\xc3\xa4pfel/SKILL.md", SKILL_TEXT("\xc3\xa4pfel", "A."));
  place_put(place, "skills/Apple/SKILL.md", SKILL_TEXT("Apple", "A."));
  place_put(place, "skills/a/b/demo/SKILL.md", SKILL_TEXT("demo", "Deep."));
  place_put(place, "skills/y/SKILL.md", SKILL_TEXT("demo", "Shallow, late."));
  place_put(place, "skills/x/SKILL.md", SKILL_TEXT("demo", "Shallow, early."));
  place_scan(place, &listing);
  assert_string_equal(listing_names(&listing, buffer, sizeof buffer), "Apple,demo,demo,demo,zebra,\xc3\xa4pfel");
  assert_string_equal(listing.skills[1]->path, "skills/x/SKILL.md");
  assert_string_equal(listing.skills[2]->path, "skills/y/SKILL.md");
  assert_string_equal(listing.skills[3]->path, "skills/a/b/demo/SKILL.md");
  listing_free(&listing);
}

static void another_spelling_of_the_file_is_read_with_a_warning(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/low/skill.md", SKILL_TEXT("low", "Lower case."));
  place_put(place, "skills/both/SKILL.md", SKILL_TEXT("both", "Upper wins."));
  place_put(place, "skills/both/skill.md", SKILL_TEXT("both-low", "Lower loses."));
  place_scan(place, &listing);
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
  place_put(place, "skills/.gitignore", "drafts/\n*.tmp.md\n!keep.tmp.md\n");
  place_put(place, "skills/drafts/a/SKILL.md", SKILL_TEXT("draft", "No."));
  place_put(place, "skills/x.tmp.md", SKILL_TEXT("x", "No."));
  place_put(place, "skills/keep.tmp.md", SKILL_TEXT("keep", "Yes."));
  place_put(place, "skills/node_modules/m/SKILL.md", SKILL_TEXT("module", "No."));
  place_put(place, "skills/.git/hooks/SKILL.md", SKILL_TEXT("hook", "No."));
  place_put(place, "skills/cat/.skilletignore", "/gone\n");
  place_put(place, "skills/cat/gone/SKILL.md", SKILL_TEXT("gone", "No."));
  place_put(place, "skills/cat/deep/gone/SKILL.md", SKILL_TEXT("not-gone", "The pattern is anchored."));
  place_scan(place, &listing);
  assert_string_equal(listing_names(&listing, buffer, sizeof buffer), "keep,not-gone");
  assert_true(listing_has(&listing, "ignored", "skills"));
  assert_true(listing_has(&listing, "ignored", "skills/cat"));
  listing_free(&listing);
}

static void what_lies_too_deep_is_told(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/a/b/near/SKILL.md", SKILL_TEXT("near", "Yes."));
  place_put(place, "skills/a/b/c/far/SKILL.md", SKILL_TEXT("far", "No."));
  place->options.max_depth = 3;
  place_scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_true(listing_has(&listing, "depth-limit", "skills"));
  listing_free(&listing);
}

static void skills_where_others_do_not_look_are_loaded_and_told_once(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/1/2/3/4/5/six/SKILL.md", SKILL_TEXT("six", "Usual."));
  place_put(place, "skills/1/2/3/4/5/6/seven/SKILL.md", SKILL_TEXT("seven", "Deep."));
  place_put(place, "skills/1/2/3/4/5/6/7/eight/SKILL.md", SKILL_TEXT("eight", "Deeper."));
  place_scan(place, &listing);
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
    place_put(place, path, "---\ndescription: Some.\n---\n");
  }
  place->options.max_skills = 3;
  place_scan(place, &listing);
  assert_true(listing.count < 7);
  assert_true(listing_has(&listing, "scan-limit", "skills/d"));
  listing_free(&listing);
}

/* --- links ------------------------------------------------------------------------------------------------------ */

static void a_root_that_is_a_link_is_resolved(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "store/oracle/SKILL.md", SKILL_TEXT("oracle", "Knows."));
  place_link(place, "skills", "store");
  place_scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_string_equal(listing.skills[0]->path, "skills/oracle/SKILL.md");
  assert_int_equal(listing.note_count, 0);
  listing_free(&listing);
}

static void cycles_end_and_each_skill_comes_once(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/cat/foo/SKILL.md", SKILL_TEXT("foo", "Once."));
  place_link(place, "skills/cat/foo/foo", "../foo");
  place_link(place, "skills/cat/round", "../cat");
  place_link(place, "skills/self", "self");
  place_link(place, "skills/top", ".");
  place_scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_string_equal(listing.skills[0]->path, "skills/cat/foo/SKILL.md");
  assert_true(listing_has(&listing, "link-loop", "skills/self"));
  listing_free(&listing);
}

static void links_out_of_the_root_are_refused_unless_allowed(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "outside/spy/SKILL.md", SKILL_TEXT("spy", "Outside."));
  place_put(place, "skills/real/SKILL.md", SKILL_TEXT("real", "Inside."));
  place_link(place, "skills/spy", "../outside/spy");
  place_link(place, "skills/abs", "/outside/spy");
  place_link(place, "skills/file/SKILL.md", "../../outside/spy/SKILL.md");
  place_scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_true(listing_has(&listing, "link-outside", "skills/spy"));
  assert_true(listing_has(&listing, "link-outside", "skills/abs"));
  assert_true(listing_has(&listing, "link-outside", "skills/file/SKILL.md"));
  listing_free(&listing);
  skill_source_free(place->source);
  place->source = NULL;
  place->options.links = SKILL_LINKS_ANYWHERE;
  place_expect(place, "real,spy,spy");
}

static void links_within_the_root_are_followed_unless_never(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/store/node_modules/tool/SKILL.md", SKILL_TEXT("tool", "In a package."));
  place_link(place, "skills/tool", "store/node_modules/tool");
  place_link(place, "skills/linked.md", "store/text.txt");
  place_put(place, "skills/store/text.txt", SKILL_TEXT("linked", "A single file."));
  place_expect(place, "linked,tool");
  skill_source_free(place->source);
  place->source = NULL;
  place->options.links = SKILL_LINKS_NEVER;
  place_scan(place, &listing);
  assert_int_equal(listing.count, 0);
  assert_true(listing_has(&listing, "link-not-followed", "skills/tool"));
  listing_free(&listing);
}

static void dangling_links_are_told_and_stop_nothing(void **state) {
  struct place *place = *state;
  struct listing listing;
  place_put(place, "skills/live/SKILL.md", SKILL_TEXT("live", "Alive."));
  place_link(place, "skills/stale", "../gone/stale");
  place_link(place, "skills/half/SKILL.md", "nowhere.md");
  place_scan(place, &listing);
  assert_int_equal(listing.count, 1);
  assert_true(listing_has(&listing, "dangling-link", "skills/stale"));
  assert_true(listing_has(&listing, "dangling-link", "skills/half/SKILL.md"));
  listing_free(&listing);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      PLACE_TEST(finds_folders_categories_and_single_files),
      PLACE_TEST(files_inside_a_skill_are_resources),
      PLACE_TEST(a_survey_tells_what_in_the_folders_of_skills_is_not_read),
      PLACE_TEST(a_root_can_itself_be_a_skill),
      PLACE_TEST(a_single_file_can_be_a_root),
      PLACE_TEST(lite_says_which_single_files_count),
      PLACE_TEST(order_is_by_name_then_depth_then_path),
      PLACE_TEST(another_spelling_of_the_file_is_read_with_a_warning),
      PLACE_TEST(ignore_files_and_package_stores_are_left_out_and_told),
      PLACE_TEST(what_lies_too_deep_is_told),
      PLACE_TEST(skills_where_others_do_not_look_are_loaded_and_told_once),
      PLACE_TEST(more_skills_than_allowed_are_told),
      PLACE_TEST(a_root_that_is_a_link_is_resolved),
      PLACE_TEST(cycles_end_and_each_skill_comes_once),
      PLACE_TEST(links_out_of_the_root_are_refused_unless_allowed),
      PLACE_TEST(links_within_the_root_are_followed_unless_never),
      PLACE_TEST(dangling_links_are_told_and_stop_nothing),
  };
  return cmocka_run_group_tests_name("directory", tests, NULL, NULL);
}
