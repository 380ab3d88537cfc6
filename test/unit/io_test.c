/* SPDX-License-Identifier: MIT
 *
 * SkillIo: the tables of the operating system and of the in-memory file system make the same guarantees. Each test runs
 * on both.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/tmpdir.h"
#include "skillet/sys/fixture.h"
#include "util/io_posix.h"

struct world {
  SkillIo *io;
  SkillFixture *fixture; /* NULL: the real one */
  char *root;            /* NULL: the fixture */
  intptr_t top;          /* handle of the empty folder in which the test works */
};

static int real_world(void **state) {
  struct world *world = calloc(1, sizeof *world);
  assert_non_null(world);
  world->io = skill_io_posix();
  world->root = tmpdir_make();
  assert_int_equal(world->io->dir_open(world->io, SKILL_IO_CWD, world->root, 0, &world->top), 0);
  *state = world;
  return 0;
}

static int memory_world(void **state) {
  struct world *world = calloc(1, sizeof *world);
  assert_non_null(world);
  assert_int_equal(skill_fixture_new(&world->fixture), 0);
  assert_int_equal(skill_fixture_folder(world->fixture, "top"), 0);
  world->io = skill_fixture_io(world->fixture);
  assert_int_equal(world->io->dir_open(world->io, SKILL_IO_CWD, "top", 0, &world->top), 0);
  *state = world;
  return 0;
}

static int end_world(void **state) {
  struct world *world = *state;
  world->io->dir_close(world->io, world->top);
  if (world->fixture) assert_int_equal(skill_fixture_open_handles(world->fixture), 0);
  skill_fixture_free(world->fixture);
  tmpdir_remove(world->root);
  free(world);
  return 0;
}

static const char *path_in(const struct world *world, const char *path) {
  static char full[1024];
  snprintf(full, sizeof full, "%s/%s", world->root ? world->root : "/top", path);
  return full;
}

static void put(struct world *world, const char *path, const char *text) {
  assert_int_equal(world->io->file_write(world->io, world->top, path, text, strlen(text)), 0);
}

static void put_link(struct world *world, const char *path, const char *target) {
  if (world->fixture) {
    assert_int_equal(skill_fixture_link(world->fixture, path_in(world, path), target), 0);
  } else {
    assert_int_equal(symlink(target, path_in(world, path)), 0);
  }
}

static void put_fifo(struct world *world, const char *path) {
  if (world->fixture) {
    assert_int_equal(skill_fixture_fifo(world->fixture, path_in(world, path)), 0);
  } else {
    assert_int_equal(mkfifo(path_in(world, path), 0600), 0);
  }
}

static int open_file(struct world *world, const char *path, unsigned flags, intptr_t *file) {
  return world->io->file_open(world->io, world->top, path, flags, file, NULL);
}

static void a_written_file_is_read_back_in_pieces(void **state) {
  struct world *world = *state;
  SkillIo *io = world->io;
  intptr_t file;
  SkillFileInfo opened;
  SkillFileInfo reported;
  char text[16];
  size_t got;
  put(world, "a/b/c.txt", "hello, world");
  assert_int_equal(io->file_open(io, world->top, "a/b/c.txt", 0, &file, &opened), 0);
  assert_int_equal(io->file_info(io, file, &reported), 0);
  assert_int_equal(opened.size, 12);
  assert_int_equal(opened.ino, reported.ino);
  assert_int_equal(opened.mtime_ns, reported.mtime_ns);
  assert_int_equal(io->file_read(io, file, 7, text, sizeof text, &got), 0);
  assert_int_equal(got, 5);
  assert_memory_equal(text, "world", 5);
  assert_int_equal(io->file_read(io, file, 12, text, sizeof text, &got), 0);
  assert_int_equal(got, 0);
  assert_int_equal(io->file_read(io, file, 1000, text, sizeof text, &got), 0);
  assert_int_equal(got, 0);
  io->file_close(io, file);
}

static void a_folder_lists_each_entry_once_with_its_kind(void **state) {
  struct world *world = *state;
  SkillIo *io = world->io;
  intptr_t dir;
  SkillDirEntry entry;
  unsigned seen = 0;
  put(world, "d/file", "x");
  put(world, "d/folder/file", "x");
  put_link(world, "d/link", "file");
  put_fifo(world, "d/fifo");
  assert_int_equal(io->dir_open(io, world->top, "d", 0, &dir), 0);
  while (io->dir_next(io, dir, &entry) == 1) {
    static const char *const names[] = {"file", "folder", "link", "fifo"};
    static const SkillFileKind kinds[] = {SKILL_FILE_REGULAR, SKILL_FILE_FOLDER, SKILL_FILE_LINK, SKILL_FILE_OTHER};
    for (unsigned i = 0; i < 4; i++) {
      if (strcmp(entry.name, names[i])) continue;
      assert_int_equal(seen & 1u << i, 0);
      assert_int_equal(entry.kind, kinds[i]);
      seen |= 1u << i;
    }
  }
  assert_int_equal(seen, 15);
  assert_int_equal(io->dir_next(io, dir, &entry), 0);
  io->dir_close(io, dir);
}

static void a_listing_of_many_entries_is_complete(void **state) {
  struct world *world = *state;
  SkillIo *io = world->io;
  char name[200];
  bool seen[400] = {false};
  for (unsigned i = 0; i < 400; i++) {
    snprintf(name, sizeof name, "many/%03u-%0150d", i, 0);
    intptr_t unused;
    put(world, name, "");
    assert_int_equal(open_file(world, "many", 0, &unused), SKILL_EINVAL);
  }
  intptr_t dir;
  SkillDirEntry entry;
  size_t count = 0;
  assert_int_equal(io->dir_open(io, world->top, "many", 0, &dir), 0);
  for (; io->dir_next(io, dir, &entry) == 1; count++) seen[strtoul(entry.name, NULL, 10)] = true;
  io->dir_close(io, dir);
  assert_int_equal(count, 400);
  for (unsigned i = 0; i < 400; i++) assert_true(seen[i]);
}

static void a_link_is_followed_only_when_asked(void **state) {
  struct world *world = *state;
  SkillIo *io = world->io;
  intptr_t handle;
  SkillFileInfo info;
  char target[32];
  put(world, "real/file", "x");
  put_link(world, "file-link", "real/file");
  put_link(world, "folder-link", "real");
  assert_int_equal(open_file(world, "file-link", 0, &handle), SKILL_EDENIED);
  assert_int_equal(io->dir_open(io, world->top, "folder-link", 0, &handle), SKILL_EDENIED);
  assert_int_equal(open_file(world, "file-link", SKILL_IO_FOLLOW, &handle), 0);
  io->file_close(io, handle);
  assert_int_equal(io->dir_open(io, world->top, "folder-link", SKILL_IO_FOLLOW, &handle), 0);
  io->dir_close(io, handle);
  assert_int_equal(io->stat(io, world->top, "file-link", 0, &info), 0);
  assert_int_equal(info.kind, SKILL_FILE_LINK);
  assert_int_equal(io->stat(io, world->top, "file-link", SKILL_IO_FOLLOW, &info), 0);
  assert_int_equal(info.kind, SKILL_FILE_REGULAR);
  assert_int_equal(io->link_read(io, world->top, "file-link", target, sizeof target), 0);
  assert_string_equal(target, "real/file");
  assert_int_equal(io->link_read(io, world->top, "file-link", target, 9), SKILL_ELIMIT);
  assert_int_equal(io->link_read(io, world->top, "real/file", target, sizeof target), SKILL_EINVAL);
}

static void beneath_no_component_may_be_a_link_or_lead_out(void **state) {
  struct world *world = *state;
  SkillIo *io = world->io;
  SkillFileInfo info;
  intptr_t handle;
  put(world, "real/deep/file", "text");
  put_link(world, "folder-link", "real");
  put_link(world, "real/deep/file-link", "file");
  assert_int_equal(open_file(world, "folder-link/deep/file", 0, &handle), 0);
  io->file_close(io, handle);
  assert_int_equal(io->file_open(io, world->top, "real/deep/file", SKILL_IO_BENEATH, &handle, &info), 0);
  assert_int_equal(info.size, 4);
  io->file_close(io, handle);
  static const char *const denied[] = {"folder-link/deep/file", "real/deep/file-link", "real/../../x", "/etc/passwd"};
  for (size_t i = 0; i < sizeof denied / sizeof *denied; i++) {
    assert_int_equal(open_file(world, denied[i], SKILL_IO_BENEATH, &handle), SKILL_EDENIED);
  }
  assert_int_equal(open_file(world, "real/none", SKILL_IO_BENEATH, &handle), SKILL_ENOENT);
  assert_int_equal(open_file(world, "real/deep/file/x", SKILL_IO_BENEATH, &handle), SKILL_ENOENT);
  assert_int_equal(open_file(world, "real/deep", SKILL_IO_BENEATH, &handle), SKILL_EINVAL);
}

static void the_steps_of_older_kernels_give_the_same(void **state) {
  struct world *world = *state;
  int fd = -1;
  put(world, "real/deep/file", "text");
  put_link(world, "folder-link", "real");
  put_link(world, "real/deep/file-link", "file");
  int at = open(world->root, O_RDONLY | O_DIRECTORY);
  assert_int_equal(skill__io_open_steps(at, "real/deep/file", O_RDONLY, &fd), 0);
  close(fd);
  static const char *const denied[] = {"folder-link/deep/file", "real/deep/file-link", "real/../../x", "/etc/passwd",
                                       "real/./deep/file"};
  for (size_t i = 0; i < sizeof denied / sizeof *denied; i++) {
    assert_int_equal(skill__io_open_steps(at, denied[i], O_RDONLY, &fd), SKILL_EDENIED);
  }
  assert_int_equal(skill__io_open_steps(at, "real/none", O_RDONLY, &fd), SKILL_ENOENT);
  close(at);
}

static void a_circle_of_links_and_a_dangling_one_are_told_apart(void **state) {
  struct world *world = *state;
  intptr_t handle;
  SkillFileInfo info;
  put_link(world, "one", "two");
  put_link(world, "two", "one");
  put_link(world, "nowhere", "absent");
  assert_int_equal(open_file(world, "one", SKILL_IO_FOLLOW, &handle), SKILL_EINVAL);
  assert_int_equal(world->io->stat(world->io, world->top, "one", SKILL_IO_FOLLOW, &info), SKILL_EINVAL);
  assert_int_equal(world->io->dir_open(world->io, world->top, "one", SKILL_IO_FOLLOW, &handle), SKILL_EINVAL);
  assert_int_equal(open_file(world, "nowhere", SKILL_IO_FOLLOW, &handle), SKILL_ENOENT);
}

static void what_is_no_regular_file_is_refused_without_waiting(void **state) {
  struct world *world = *state;
  intptr_t handle;
  put_fifo(world, "SKILL.md");
  put(world, "plain", "x");
  assert_int_equal(open_file(world, "SKILL.md", 0, &handle), SKILL_EINVAL);
  assert_int_equal(open_file(world, ".", 0, &handle), SKILL_EINVAL);
  assert_int_equal(open_file(world, "absent", 0, &handle), SKILL_ENOENT);
  assert_int_equal(open_file(world, "plain/below", 0, &handle), SKILL_ENOENT);
  assert_int_equal(world->io->dir_open(world->io, world->top, "plain", 0, &handle), SKILL_EINVAL);
  assert_int_equal(world->io->dir_open(world->io, world->top, "absent", 0, &handle), SKILL_ENOENT);
}

static void writing_replaces_a_whole_file_and_leaves_nothing_beside_it(void **state) {
  struct world *world = *state;
  SkillIo *io = world->io;
  SkillFileInfo before;
  SkillFileInfo after;
  intptr_t old;
  char text[8];
  size_t got;
  put(world, "w/file", "old");
  assert_int_equal(io->stat(io, world->top, "w/file", 0, &before), 0);
  assert_int_equal(open_file(world, "w/file", 0, &old), 0);
  put(world, "w/file", "newer");
  assert_int_equal(io->file_read(io, old, 0, text, sizeof text, &got), 0);
  assert_int_equal(got, 3);
  assert_memory_equal(text, "old", 3);
  io->file_close(io, old);
  assert_int_equal(io->stat(io, world->top, "w/file", 0, &after), 0);
  assert_int_equal(after.size, 5);
  assert_true(after.mtime_ns != before.mtime_ns || after.ino != before.ino);
  intptr_t dir;
  SkillDirEntry entry;
  assert_int_equal(io->dir_open(io, world->top, "w", 0, &dir), 0);
  assert_int_equal(io->dir_next(io, dir, &entry), 1);
  assert_string_equal(entry.name, "file");
  assert_int_equal(io->dir_next(io, dir, &entry), 0);
  io->dir_close(io, dir);
  assert_int_equal(io->file_write(io, world->top, "w", "x", 1), SKILL_EINVAL);
}

static void random_bytes_differ(void **state) {
  struct world *world = *state;
  unsigned char a[16];
  unsigned char b[16];
  assert_int_equal(world->io->random(world->io, a, sizeof a), 0);
  assert_int_equal(world->io->random(world->io, b, sizeof b), 0);
  assert_memory_not_equal(a, b, sizeof a);
}

static void an_edited_script_stays_executable(void **state) {
  struct world *world = *state;
  struct stat st;
  put(world, "run.sh", "#!/bin/sh\n");
  assert_int_equal(chmod(path_in(world, "run.sh"), 0755), 0);
  put(world, "run.sh", "#!/bin/sh\nexit 1\n");
  assert_int_equal(stat(path_in(world, "run.sh"), &st), 0);
  assert_int_equal(st.st_mode & 0777, 0755);
}

/* A rewritten file is not setuid any more, and a private file stays private throughout. */
static void a_replaced_file_stays_private_and_does_not_stay_setuid(void **state) {
  struct world *world = *state;
  struct stat st;
  mode_t before = umask(0);
  put(world, "secret", "x");
  assert_int_equal(chmod(path_in(world, "secret"), 04700), 0);
  put(world, "secret", "y");
  umask(before);
  assert_int_equal(stat(path_in(world, "secret"), &st), 0);
  assert_int_equal(st.st_mode & 07777, 0700);
}

#define ON(world, test) \
  { #test "/" #world, test, world##_world, end_world, NULL }
#define BOTH(test) ON(real, test), ON(memory, test)

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH(a_written_file_is_read_back_in_pieces),
      BOTH(a_folder_lists_each_entry_once_with_its_kind),
      BOTH(a_listing_of_many_entries_is_complete),
      BOTH(a_link_is_followed_only_when_asked),
      BOTH(beneath_no_component_may_be_a_link_or_lead_out),
      ON(real, the_steps_of_older_kernels_give_the_same),
      BOTH(a_circle_of_links_and_a_dangling_one_are_told_apart),
      BOTH(what_is_no_regular_file_is_refused_without_waiting),
      BOTH(writing_replaces_a_whole_file_and_leaves_nothing_beside_it),
      BOTH(random_bytes_differ),
      ON(real, an_edited_script_stays_executable),
      ON(real, a_replaced_file_stays_private_and_does_not_stay_setuid),
  };
  return cmocka_run_group_tests_name("io", tests, NULL, NULL);
}
