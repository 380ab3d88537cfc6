/* SPDX-License-Identifier: MIT
 *
 * Resources: the path resolver, listing and paged reading, on files in memory; and one race on a real disk.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/place.h"
#include "lib/sweep.h"
#include "lib/tmpdir.h"
#include "skillet/sys/alloc.h"
#include "skillet/sys/fixture.h"
#include "source/media.h"
#include "source/resolve.h"

static const char skill_text[] = "---\nname: in\ndescription: Has files.\n---\nBody.\n";

static int setup(void **state) {
  place_set_up(state);
  struct place *place = *state;
  place_put(place, "skills/in/SKILL.md", skill_text);
  place_put(place, "skills/in/ok.md", "fine\n");
  place_put(place, "skills/in/scripts/run.sh", "echo right\n");
  place_put(place, "skills/in/references/my guide.md", "guide\n");
  place_put(place, "skills/other/SKILL.md", skill_text);
  place_put(place, "secret/.env", "TOKEN=1\n");
  return 0;
}

static SkillSource *source_of(struct place *place) {
  if (!place->source) assert_int_equal(skill_source_directory_new(&place->options, &place->source, NULL), 0);
  return place->source;
}

static int read_at(struct place *place, const char *path, uint64_t cursor, size_t max, SkillPage *page) {
  SkillSource *source = source_of(place);
  SkillError err = SKILL_ERROR_INIT;
  memset(page, 0, sizeof *page);
  int status = source->read(source, "skills/in/SKILL.md", path, cursor, max, page, &err);
  if (status) assert_true(err.message[0] != '\0');
  if (status) assert_null(page->data);
  return status;
}

static void expect_text(struct place *place, const char *path, const char *text) {
  SkillPage page;
  assert_int_equal(read_at(place, path, 0, 0, &page), 0);
  assert_string_equal(page.data, text);
  assert_true(page.text);
  skill_free(page.data);
}

static void expect_refused(struct place *place, const char *path, int code) {
  SkillPage page;
  assert_int_equal(read_at(place, path, 0, 0, &page), code);
}

/* --- the resolver ------------------------------------------------------------------------------------------------- */

static void paths_are_relative_to_the_skill(void **state) {
  struct place *place = *state;
  expect_text(place, "ok.md", "fine\n");
  expect_text(place, "./ok.md", "fine\n");
  expect_text(place, "./scripts//run.sh", "echo right\n");
  expect_text(place, "references/../scripts/run.sh", "echo right\n");
  expect_text(place, "references/my guide.md", "guide\n");
}

static void paths_that_leave_the_skill_are_denied(void **state) {
  struct place *place = *state;
  expect_refused(place, "../../secret/.env", SKILL_EDENIED);
  expect_refused(place, "../other/SKILL.md", SKILL_EDENIED);
  expect_refused(place, "/secret/.env", SKILL_EDENIED);
  expect_refused(place, "ok.md/../../../secret/.env", SKILL_EDENIED);
  expect_refused(place, "..\\..\\secret\\.env", SKILL_EDENIED);
  expect_refused(place, "..", SKILL_EDENIED);
}

static void what_is_no_file_is_refused(void **state) {
  struct place *place = *state;
  char *endless = malloc(SKILL_MAX_PATH + 10);
  assert_non_null(endless);
  memset(endless, 'a', SKILL_MAX_PATH + 9);
  endless[SKILL_MAX_PATH + 9] = '\0';
  skill_fixture_fifo(place->fixture, "skills/in/pipe");
  expect_refused(place, "", SKILL_EINVAL);
  expect_refused(place, ".", SKILL_EINVAL);
  expect_refused(place, "scripts", SKILL_EINVAL);
  expect_refused(place, "pipe", SKILL_EINVAL);
  expect_refused(place, "none.md", SKILL_ENOENT);
  expect_refused(place, "ok.md/below", SKILL_EINVAL);
  expect_refused(place, endless, SKILL_ELIMIT);
  free(endless);
}

static void put_links(struct place *place) {
  skill_fixture_link(place->fixture, "skills/in/out.env", "../../secret/.env");
  skill_fixture_link(place->fixture, "skills/in/abs.env", "/secret/.env");
  skill_fixture_link(place->fixture, "skills/in/outdir", "../../secret");
  skill_fixture_link(place->fixture, "skills/in/near.md", "references/../ok.md");
  skill_fixture_link(place->fixture, "skills/in/refs", "references");
  skill_fixture_link(place->fixture, "skills/in/sibling.md", "../other/SKILL.md");
  skill_fixture_link(place->fixture, "skills/in/loop", "loop");
}

static void links_are_followed_within_the_root_only(void **state) {
  struct place *place = *state;
  put_links(place);
  expect_refused(place, "out.env", SKILL_EDENIED);
  expect_refused(place, "abs.env", SKILL_EDENIED);
  expect_refused(place, "outdir/.env", SKILL_EDENIED);
  expect_refused(place, "loop", SKILL_ELIMIT);
  expect_text(place, "near.md", "fine\n");
  expect_text(place, "refs/my guide.md", "guide\n");
  expect_text(place, "sibling.md", skill_text);
}

static void links_never_or_anywhere_is_the_roots_choice(void **state) {
  struct place *place = *state;
  put_links(place);
  place->options.links = SKILL_LINKS_NEVER;
  expect_refused(place, "near.md", SKILL_EDENIED);
  expect_refused(place, "refs/my guide.md", SKILL_EDENIED);
  skill_source_free(place->source);
  place->source = NULL;
  place->options.links = SKILL_LINKS_ANYWHERE;
  expect_text(place, "out.env", "TOKEN=1\n");
  expect_text(place, "outdir/.env", "TOKEN=1\n");
}

static void a_chain_of_links_is_bounded(void **state) {
  struct place *place = *state;
  char path[64];
  char target[64];
  for (int i = 0; i < 20; i++) {
    snprintf(path, sizeof path, "skills/in/l%d", i);
    snprintf(target, sizeof target, "l%d", i + 1);
    skill_fixture_link(place->fixture, path, i == 19 ? "ok.md" : target);
  }
  expect_refused(place, "l0", SKILL_ELIMIT);
  expect_text(place, "l10", "fine\n");
}

/* --- paging ----------------------------------------------------------------------------------------------------- */

static void pages_end_on_character_boundaries_and_add_up(void **state) {
  struct place *place = *state;
  static const char text[] = "aé漢🧭 and the rest: 技能不多不少";
  char joined[sizeof text] = "";
  skill_fixture_file(place->fixture, "skills/in/text.txt", text);
  for (size_t max = 1; max < 12; max++) {
    uint64_t cursor = 0;
    joined[0] = '\0';
    do {
      SkillPage page;
      assert_int_equal(read_at(place, "text.txt", cursor, max, &page), 0);
      assert_true(page.text);
      assert_true(page.length > 0);
      assert_int_equal(page.total, strlen(text));
      assert_true(skill__media_is_text(page.data, page.length, true));
      strcat(joined, page.data);
      cursor = page.next;
      skill_free(page.data);
    } while (cursor);
    assert_string_equal(joined, text);
  }
}

static void a_cursor_inside_a_character_or_behind_the_end_is_refused(void **state) {
  struct place *place = *state;
  SkillPage page;
  skill_fixture_file(place->fixture, "skills/in/text.txt", "漢字");
  assert_int_equal(read_at(place, "text.txt", 1, 0, &page), SKILL_EINVAL);
  assert_int_equal(read_at(place, "text.txt", 7, 0, &page), SKILL_EINVAL);
  assert_int_equal(read_at(place, "text.txt", 6, 0, &page), 0);
  assert_int_equal(page.length, 0);
  assert_int_equal(page.next, 0);
  skill_free(page.data);
}

static void bytes_stay_bytes(void **state) {
  struct place *place = *state;
  static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
  SkillPage page;
  skill_fixture_bytes(place->fixture, "skills/in/assets/dot.png", png, sizeof png - 1);
  skill_fixture_bytes(place->fixture, "skills/in/assets/latin1.txt", "caf\xe9", 4);
  assert_int_equal(read_at(place, "assets/dot.png", 0, 0, &page), 0);
  assert_false(page.text);
  assert_int_equal(page.length, sizeof png - 1);
  assert_memory_equal(page.data, png, sizeof png - 1);
  assert_string_equal(page.type, "image/png");
  skill_free(page.data);
  assert_int_equal(read_at(place, "assets/latin1.txt", 0, 0, &page), 0);
  assert_false(page.text);
  assert_string_equal(page.type, "application/octet-stream");
  skill_free(page.data);
}

static void files_above_the_ceiling_are_refused(void **state) {
  struct place *place = *state;
  SkillPage page;
  skill_fixture_bytes(place->fixture, "skills/in/big.bin", NULL, (uint64_t)SKILL_MAX_RESOURCE + 1);
  assert_int_equal(read_at(place, "big.bin", 0, 0, &page), SKILL_ELIMIT);
}

/* --- listing ---------------------------------------------------------------------------------------------------- */

static int note_resource(const SkillResource *resource, void *user) {
  char *list = user;
  size_t used = strlen(list);
  snprintf(list + used, 1024 - used, "%s:%llu:%s;", resource->path, (unsigned long long)resource->size, resource->type);
  return 0;
}

static void resources_are_listed_by_path_with_size_and_type(void **state) {
  struct place *place = *state;
  char list[1024] = "";
  skill_fixture_bytes(place->fixture, "skills/in/assets/dot.png", "\x89PNG\0", 5);
  skill_fixture_file(place->fixture, "skills/in/.git/config", "x");
  skill_fixture_fifo(place->fixture, "skills/in/pipe");
  skill_fixture_link(place->fixture, "skills/in/link.md", "ok.md");
  skill_fixture_link(place->fixture, "skills/in/out.env", "../../secret/.env");
  SkillSource *source = source_of(place);
  assert_int_equal(source->resources(source, "skills/in/SKILL.md", note_resource, list, NULL), 0);
  assert_string_equal(list,
                      "assets/dot.png:5:image/png;link.md:5:text/markdown;ok.md:5:text/markdown;"
                      "references/my guide.md:6:text/markdown;scripts/run.sh:11:text/x-shellscript;");
}

static void single_files_have_no_resources(void **state) {
  struct place *place = *state;
  char list[1024] = "";
  SkillPage page = {0};
  skill_fixture_file(place->fixture, "skills/lite.md", "---\nname: lite\ndescription: Alone.\n---\n");
  SkillSource *source = source_of(place);
  assert_int_equal(source->resources(source, "skills/lite.md", note_resource, list, NULL), 0);
  assert_string_equal(list, "");
  assert_int_equal(source->read(source, "skills/lite.md", "in/ok.md", 0, 0, &page, NULL), SKILL_ENOENT);
}

/* --- media types ------------------------------------------------------------------------------------------------ */

static void content_decides_what_is_text(void **state) {
  (void)state;
  assert_true(skill__media_is_text("", 0, true));
  assert_true(skill__media_is_text("h\xc3\xa9", 3, true));
  assert_false(skill__media_is_text("h\xc3", 2, true));
  assert_true(skill__media_is_text("h\xc3", 2, false));
  assert_true(skill__media_is_text("\xf0\x9f\xa7", 3, false));
  assert_false(skill__media_is_text("\xf0\x9f\x41", 3, false));
  assert_false(skill__media_is_text("a\0b", 3, true));
  assert_string_equal(skill__media_type("a/b.MD", true), "text/markdown");
  assert_string_equal(skill__media_type("Makefile", true), "text/plain");
  assert_string_equal(skill__media_type("x.png", true), "text/plain");
  assert_string_equal(skill__media_type("dir.md/x", false), "application/octet-stream");
}

/* --- the race --------------------------------------------------------------------------------------------------- */

struct race {
  char *dir;
  atomic_bool stop;
  atomic_size_t swaps;
};

/* Exchanges the folder skills/in/data and a link to the outside as fast as possible. */
static void *swap(void *user) {
  struct race *race = user;
  char data[600];
  char real[600];
  char fake[600];
  snprintf(data, sizeof data, "%s/skills/in/data", race->dir);
  snprintf(real, sizeof real, "%s/skills/in/real", race->dir);
  snprintf(fake, sizeof fake, "%s/skills/in/fake", race->dir);
  while (!atomic_load(&race->stop)) {
    rename(data, real);
    rename(fake, data);
    rename(data, fake);
    rename(real, data);
    atomic_fetch_add(&race->swaps, 1);
  }
  return NULL;
}

static void a_folder_swapped_for_a_link_never_leads_outside(void **state) {
  (void)state;
  struct race race = {.dir = tmpdir_make()};
  char root[600];
  char path[700];
  char link[700];
  size_t asked = 0;
  pthread_t thread;
  tmpdir_write(race.dir, "skills/in/SKILL.md", skill_text);
  tmpdir_write(race.dir, "skills/in/data/file.txt", "inside");
  tmpdir_write(race.dir, "outside/file.txt", "SECRET");
  snprintf(root, sizeof root, "%s/skills", race.dir);
  snprintf(path, sizeof path, "%s/in/SKILL.md", root);
  snprintf(link, sizeof link, "%s/in/fake", root);
  assert_int_equal(symlink("../../outside", link), 0);
  SkillDirectoryOptions options = SKILL_DIRECTORY_OPTIONS_INIT;
  SkillSource *source = NULL;
  options.path = root;
  assert_int_equal(skill_source_directory_new(&options, &source, NULL), 0);
  assert_int_equal(pthread_create(&thread, NULL, swap, &race), 0);
  for (; asked < 3000 || (atomic_load(&race.swaps) < 1000 && asked < 200000); asked++) {
    SkillPage page = {0};
    int status = source->read(source, path, "data/file.txt", 0, 0, &page, NULL);
    if (!status) assert_string_equal(page.data, "inside");
    if (status) assert_true(status == SKILL_EDENIED || status == SKILL_ENOENT || status == SKILL_EINVAL);
    skill_free(page.data);
  }
  atomic_store(&race.stop, true);
  pthread_join(thread, NULL);
  SkillPage page = {0}; /* the folder is back in its place; how often the race happened depends on the machine */
  assert_int_equal(source->read(source, path, "data/file.txt", 0, 0, &page, NULL), 0);
  assert_string_equal(page.data, "inside");
  skill_free(page.data);
  skill_source_free(source);
  tmpdir_remove(race.dir);
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

static int read_under_pressure(void *user) {
  SkillFixture *fixture = NULL;
  SkillPage page = {0};
  SkillDirectoryOptions options = SKILL_DIRECTORY_OPTIONS_INIT;
  SkillSource *source = NULL;
  char list[1024] = "";
  (void)user;
  int status = skill_fixture_new(&fixture);
  if (!status) status = skill_fixture_file(fixture, "skills/in/SKILL.md", skill_text);
  if (!status) status = skill_fixture_file(fixture, "skills/in/a/b.txt", "text");
  if (!status) status = skill_fixture_link(fixture, "skills/in/l.txt", "a/b.txt");
  options.path = "skills";
  if (fixture) options.io = skill_fixture_io(fixture);
  if (!status) status = skill_source_directory_new(&options, &source, NULL);
  if (!status) status = source->read(source, "skills/in/SKILL.md", "l.txt", 0, 0, &page, NULL);
  if (!status) status = source->resources(source, "skills/in/SKILL.md", note_resource, list, NULL);
  if (!status) assert_string_equal(list, "a/b.txt:4:text/plain;l.txt:4:text/plain;");
  skill_free(page.data);
  skill_source_free(source);
  if (fixture) assert_int_equal(skill_fixture_open_handles(fixture), 0);
  skill_fixture_free(fixture);
  return status;
}

static void memory_failures_leak_nothing(void **state) {
  (void)state;
  assert_true(sweep_run(read_under_pressure, NULL) > 10);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, place_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(paths_are_relative_to_the_skill),
      TEST(paths_that_leave_the_skill_are_denied),
      TEST(what_is_no_file_is_refused),
      TEST(links_are_followed_within_the_root_only),
      TEST(links_never_or_anywhere_is_the_roots_choice),
      TEST(a_chain_of_links_is_bounded),
      TEST(pages_end_on_character_boundaries_and_add_up),
      TEST(a_cursor_inside_a_character_or_behind_the_end_is_refused),
      TEST(bytes_stay_bytes),
      TEST(files_above_the_ceiling_are_refused),
      TEST(resources_are_listed_by_path_with_size_and_type),
      TEST(single_files_have_no_resources),
      cmocka_unit_test(content_decides_what_is_text),
      cmocka_unit_test(a_folder_swapped_for_a_link_never_leads_outside),
      cmocka_unit_test(memory_failures_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
