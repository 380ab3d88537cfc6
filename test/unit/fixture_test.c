/* SPDX-License-Identifier: MIT
 *
 * The fixture itself: clock, faults, hooks, counters, and changes during a read.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "lib/sweep.h"
#include "skillet/sys/fixture.h"

static int set_up(void **state) {
  SkillFixture *fixture = NULL;
  assert_int_equal(skill_fixture_new(&fixture), 0);
  *state = fixture;
  return 0;
}

static int tear_down(void **state) {
  skill_fixture_free(*state);
  return 0;
}

static int stat_path(SkillFixture *fixture, const char *path, SkillFileInfo *info) {
  SkillIo *io = skill_fixture_io(fixture);
  return io->stat(io, SKILL_IO_CWD, path, 0, info);
}

static void the_clock_moves_only_when_told_and_never_back(void **state) {
  SkillFixture *fixture = *state;
  SkillIo *io = skill_fixture_io(fixture);
  assert_int_equal(io->now_ms(io), 0);
  skill_fixture_advance(fixture, 1500);
  skill_fixture_advance(fixture, -1000);
  assert_int_equal(io->now_ms(io), 1500);
  skill_fixture_advance(fixture, INT64_MAX);
  assert_true(io->now_ms(io) == INT64_MAX);
}

static void a_fault_strikes_after_its_countdown_once_or_for_good(void **state) {
  SkillFixture *fixture = *state;
  SkillFileInfo info;
  assert_int_equal(skill_fixture_file(fixture, "f", "x"), 0);
  skill_fixture_fail(fixture, SKILL_FIXTURE_STAT, 2, SKILL_EIO, false);
  assert_int_equal(stat_path(fixture, "f", &info), 0);
  assert_int_equal(stat_path(fixture, "f", &info), 0);
  assert_int_equal(stat_path(fixture, "f", &info), SKILL_EIO);
  assert_int_equal(stat_path(fixture, "f", &info), 0);
  skill_fixture_fail(fixture, SKILL_FIXTURE_ANY, 0, SKILL_EDENIED, true);
  assert_int_equal(stat_path(fixture, "f", &info), SKILL_EDENIED);
  assert_int_equal(stat_path(fixture, "f", &info), SKILL_EDENIED);
  skill_fixture_fail(fixture, SKILL_FIXTURE_ANY, 0, 0, false);
  assert_int_equal(stat_path(fixture, "f", &info), 0);
}

static void calls_and_bytes_are_counted(void **state) {
  SkillFixture *fixture = *state;
  SkillIo *io = skill_fixture_io(fixture);
  intptr_t file;
  char buffer[8];
  size_t got;
  assert_int_equal(skill_fixture_file(fixture, "f", "12345"), 0);
  assert_int_equal(io->file_open(io, SKILL_IO_CWD, "f", 0, &file, NULL), 0);
  assert_int_equal(skill_fixture_open_handles(fixture), 1);
  assert_int_equal(io->file_read(io, file, 0, buffer, sizeof buffer, &got), 0);
  io->file_close(io, file);
  assert_int_equal(io->file_write(io, SKILL_IO_CWD, "g", "123", 3), 0);
  SkillFixtureCounts counts = skill_fixture_counts(fixture);
  assert_int_equal(counts.calls[SKILL_FIXTURE_FILE_OPEN], 1);
  assert_int_equal(counts.calls[SKILL_FIXTURE_FILE_READ], 1);
  assert_int_equal(counts.bytes_read, 5);
  assert_int_equal(counts.bytes_written, 3);
  assert_int_equal(skill_fixture_open_handles(fixture), 0);
  skill_fixture_reset_counts(fixture);
  assert_int_equal(skill_fixture_counts(fixture).bytes_read, 0);
}

static void vanish(SkillFixture *fixture, SkillFixtureOp op, const char *path, void *user) {
  (void)path;
  if (op == SKILL_FIXTURE_DIR_NEXT && ++*(int *)user == 2) skill_fixture_remove(fixture, "d");
}

static void a_folder_may_vanish_while_it_is_read(void **state) {
  SkillFixture *fixture = *state;
  SkillIo *io = skill_fixture_io(fixture);
  SkillDirEntry entry;
  intptr_t dir;
  int calls = 0;
  assert_int_equal(skill_fixture_file(fixture, "d/a", "x"), 0);
  assert_int_equal(skill_fixture_file(fixture, "d/b", "x"), 0);
  skill_fixture_hook(fixture, vanish, &calls);
  assert_int_equal(io->dir_open(io, SKILL_IO_CWD, "d", 0, &dir), 0);
  assert_int_equal(io->dir_next(io, dir, &entry), 1);
  assert_int_equal(io->dir_next(io, dir, &entry), 0);
  intptr_t file;
  assert_int_equal(io->file_open(io, dir, "a", 0, &file, NULL), SKILL_ENOENT);
  io->dir_close(io, dir);
}

static void an_edit_in_place_keeps_the_folders_time_and_a_write_does_not(void **state) {
  SkillFixture *fixture = *state;
  SkillIo *io = skill_fixture_io(fixture);
  SkillFileInfo folder;
  SkillFileInfo file;
  SkillFileInfo after;
  assert_int_equal(skill_fixture_file(fixture, "d/f", "one"), 0);
  assert_int_equal(stat_path(fixture, "d", &folder), 0);
  assert_int_equal(stat_path(fixture, "d/f", &file), 0);
  assert_int_equal(skill_fixture_file(fixture, "d/f", "two"), 0);
  assert_int_equal(stat_path(fixture, "d", &after), 0);
  assert_true(after.mtime_ns == folder.mtime_ns);
  assert_int_equal(stat_path(fixture, "d/f", &after), 0);
  assert_true(after.mtime_ns > file.mtime_ns && after.ino == file.ino);
  assert_int_equal(io->file_write(io, SKILL_IO_CWD, "d/f", "three", 5), 0);
  assert_int_equal(stat_path(fixture, "d", &after), 0);
  assert_true(after.mtime_ns > folder.mtime_ns);
}

static void a_file_can_be_huge_without_taking_memory(void **state) {
  SkillFixture *fixture = *state;
  SkillIo *io = skill_fixture_io(fixture);
  SkillFileInfo info;
  intptr_t file;
  char buffer[4] = "abc";
  size_t got;
  assert_int_equal(skill_fixture_bytes(fixture, "SKILL.md", NULL, UINT64_C(1) << 40), 0);
  assert_int_equal(io->file_open(io, SKILL_IO_CWD, "SKILL.md", 0, &file, &info), 0);
  assert_true(info.size == UINT64_C(1) << 40);
  assert_int_equal(io->file_read(io, file, (UINT64_C(1) << 40) - 2, buffer, 4, &got), 0);
  assert_int_equal(got, 2);
  assert_int_equal(buffer[0], 0);
  io->file_close(io, file);
}

static void what_is_denied_cannot_be_opened_or_entered(void **state) {
  SkillFixture *fixture = *state;
  SkillIo *io = skill_fixture_io(fixture);
  SkillFileInfo info;
  intptr_t handle;
  assert_int_equal(skill_fixture_file(fixture, "d/f", "x"), 0);
  assert_int_equal(skill_fixture_deny(fixture, "d", true), 0);
  assert_int_equal(io->dir_open(io, SKILL_IO_CWD, "d", 0, &handle), SKILL_EDENIED);
  assert_int_equal(stat_path(fixture, "d/f", &info), SKILL_EDENIED);
  assert_int_equal(skill_fixture_deny(fixture, "d", false), 0);
  assert_int_equal(stat_path(fixture, "d/f", &info), 0);
  assert_int_equal(skill_fixture_deny(fixture, "absent", true), SKILL_ENOENT);
}

static void renaming_moves_all_below_and_replaces_what_was_there(void **state) {
  SkillFixture *fixture = *state;
  SkillFileInfo info;
  assert_int_equal(skill_fixture_file(fixture, "a/deep/f", "new"), 0);
  assert_int_equal(skill_fixture_file(fixture, "b/old", "old"), 0);
  assert_int_equal(skill_fixture_rename(fixture, "a", "b"), 0);
  assert_string_equal(skill_fixture_read(fixture, "b/deep/f", NULL), "new");
  assert_int_equal(stat_path(fixture, "b/old", &info), SKILL_ENOENT);
  assert_int_equal(stat_path(fixture, "a", &info), SKILL_ENOENT);
  assert_int_equal(skill_fixture_rename(fixture, "b", "b/deep/x"), SKILL_EINVAL);
  assert_int_equal(skill_fixture_rename(fixture, "absent", "c"), SKILL_ENOENT);
}

static int build_and_list(void *user) {
  SkillFixture *fixture = NULL;
  (void)user;
  int rc = skill_fixture_new(&fixture);
  if (rc) return rc;
  rc = skill_fixture_file(fixture, "a/b/c", "text");
  if (!rc) rc = skill_fixture_file(fixture, "a/b/c", "other text");
  if (!rc) rc = skill_fixture_link(fixture, "a/l", "b/c");
  if (!rc) rc = skill_fixture_rename(fixture, "a/b", "d");
  SkillIo *io = skill_fixture_io(fixture);
  intptr_t dir = -5;
  if (!rc) rc = io->dir_open(io, SKILL_IO_CWD, "d", 0, &dir);
  SkillDirEntry entry;
  if (!rc) rc = io->dir_next(io, dir, &entry) == 1 ? 0 : SKILL_ENOMEM;
  if (!rc) rc = io->file_write(io, dir, "new/file", "x", 1);
  if (dir >= 0) io->dir_close(io, dir);
  skill_fixture_free(fixture);
  return rc;
}

static void the_fixture_itself_survives_lack_of_memory(void **state) {
  (void)state;
  assert_true(sweep_run(build_and_list, NULL) > 15);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_clock_moves_only_when_told_and_never_back),
      TEST(a_fault_strikes_after_its_countdown_once_or_for_good),
      TEST(calls_and_bytes_are_counted),
      TEST(a_folder_may_vanish_while_it_is_read),
      TEST(an_edit_in_place_keeps_the_folders_time_and_a_write_does_not),
      TEST(a_file_can_be_huge_without_taking_memory),
      TEST(what_is_denied_cannot_be_opened_or_entered),
      TEST(renaming_moves_all_below_and_replaces_what_was_there),
      cmocka_unit_test(the_fixture_itself_survives_lack_of_memory),
  };
  return cmocka_run_group_tests_name("fixture", tests, NULL, NULL);
}
