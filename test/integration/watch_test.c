/* SPDX-License-Identifier: MIT
 *
 * The watcher on real folders. No test sleeps: each runs the loop until the expected change has arrived.
 */
#include <dirent.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/tmpdir.h"
#include "skillet/watch.h"

enum { PATIENCE_S = 30 };

struct place {
  char *dir;
  char root[600];
  SkillLoop *loop;
  SkillRegistry *registry;
  SkillSource *source;
  SkillWatcher *watcher;
  SkillWatcherOptions options;
  size_t syncs;
  char code[64]; /* a diagnostic of the last synchronisation */
  bool free_inside;
};

/* The file is complete or absent at any time: a watcher may look between any two steps. */
static void put(struct place *place, const char *path, const char *name, const char *description) {
  char text[512];
  char part[512];
  char from[1024];
  char to[1024];
  snprintf(text, sizeof text, "---\nname: %s\ndescription: %s\n---\nBody.\n", name, description);
  snprintf(part, sizeof part, "%s.part", path);
  tmpdir_write(place->dir, part, text);
  snprintf(from, sizeof from, "%s/%s", place->dir, part);
  snprintf(to, sizeof to, "%s/%s", place->dir, path);
  assert_int_equal(rename(from, to), 0);
}

static void on_sync(SkillWatcher *watcher, int status, const SkillSyncReport *report, void *user) {
  struct place *place = user;
  assert_int_equal(status, 0);
  place->syncs++;
  place->code[0] = '\0';
  if (report->diagnostic_count) snprintf(place->code, sizeof place->code, "%s", report->diagnostics[0].code);
  if (place->free_inside) {
    skill_watcher_free(watcher);
    place->watcher = NULL;
  }
}

static int setup(void **state) {
  struct place *place = calloc(1, sizeof *place);
  SkillDirectoryOptions options = SKILL_DIRECTORY_OPTIONS_INIT;
  SkillRegistryOptions registry = SKILL_REGISTRY_OPTIONS_INIT;
  SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
  assert_non_null(place);
  place->dir = tmpdir_make();
  snprintf(place->root, sizeof place->root, "%s/skills", place->dir);
  put(place, "skills/one/SKILL.md", "one", "The first.");
  ranker.table = "";
  registry.ranker = &ranker;
  options.path = place->root;
  assert_int_equal(skill_loop_new(NULL, &place->loop, NULL), 0);
  assert_int_equal(skill_registry_new(&registry, &place->registry, NULL), 0);
  assert_int_equal(skill_source_directory_new(&options, &place->source, NULL), 0);
  place->options = (SkillWatcherOptions)SKILL_WATCHER_OPTIONS_INIT;
  place->options.debounce_ms = 5;
  place->options.check_ms = 20;
  place->options.on_sync = on_sync;
  place->options.user = place;
  *state = place;
  return 0;
}

static int teardown(void **state) {
  struct place *place = *state;
  skill_watcher_free(place->watcher);
  skill_loop_free(place->loop);
  assert_int_equal(skill_registry_free(place->registry), 0);
  skill_source_free(place->source);
  tmpdir_remove(place->dir);
  free(place);
  return 0;
}

static void start(struct place *place) {
  assert_int_equal(
      skill_watcher_new(place->loop, place->registry, &place->source, 1, &place->options, &place->watcher, NULL), 0);
}

static const char *description_of(struct place *place, const char *name) {
  const Skill *skill = skill_registry_find(place->registry, name);
  return skill ? skill_metadata(skill)->description : "";
}

/* Runs the loop until the condition holds. Fails the test if it never does. */
#define RUN_UNTIL(place, condition)            \
  do {                                         \
    time_t end = time(NULL) + PATIENCE_S;      \
    while (!(condition)) {                     \
      assert_true(time(NULL) < end);           \
      skill_loop_run_once((place)->loop, 100); \
    }                                          \
  } while (0)

static bool has(struct place *place, const char *name) {
  return skill_registry_find(place->registry, name) != NULL;
}

static void the_first_synchronisation_comes_by_itself(void **state) {
  struct place *place = *state;
  start(place);
  RUN_UNTIL(place, has(place, "one"));
  assert_int_equal(skill_watcher_folders(place->watcher, NULL), 2);
}

static void new_changed_and_removed_skills_are_seen(void **state) {
  struct place *place = *state;
  char path[700];
  start(place);
  RUN_UNTIL(place, has(place, "one"));
  put(place, "skills/cat/sub/two/SKILL.md", "two", "In a new category.");
  RUN_UNTIL(place, has(place, "two"));
  put(place, "skills/one/SKILL.md", "one", "Edited in place.");
  RUN_UNTIL(place, !strcmp(description_of(place, "one"), "Edited in place."));
  put(place, "skills/cat/sub/two/SKILL.md", "two", "Edited as well.");
  RUN_UNTIL(place, !strcmp(description_of(place, "two"), "Edited as well."));
  snprintf(path, sizeof path, "%s/one/SKILL.md", place->root);
  assert_int_equal(unlink(path), 0);
  RUN_UNTIL(place, !has(place, "one"));
}

static void a_link_set_to_another_target_is_seen(void **state) {
  struct place *place = *state;
  char link[700];
  put(place, "skills/store.txt", "ignored", "No skill by its name.");
  put(place, "skills/a/SKILL.md", "a", "Target a.");
  snprintf(link, sizeof link, "%s/l.md", place->root);
  assert_int_equal(symlink("store.txt", link), 0);
  start(place);
  RUN_UNTIL(place, has(place, "ignored"));
  assert_int_equal(unlink(link), 0);
  assert_int_equal(symlink("other.txt", link), 0);
  put(place, "skills/other.txt", "retargeted", "The new target.");
  RUN_UNTIL(place, has(place, "retargeted") && !has(place, "ignored"));
}

static void a_half_written_file_keeps_its_last_good_version(void **state) {
  struct place *place = *state;
  start(place);
  RUN_UNTIL(place, has(place, "one"));
  size_t before = place->syncs;
  tmpdir_write(place->dir, "skills/one/SKILL.md", "---\nname: one\ndescri");
  RUN_UNTIL(place, place->syncs > before && place->code[0]);
  assert_string_equal(description_of(place, "one"), "The first.");
  put(place, "skills/one/SKILL.md", "one", "Whole again.");
  RUN_UNTIL(place, !strcmp(description_of(place, "one"), "Whole again."));
}

static void a_root_that_vanishes_keeps_its_skills_and_says_so(void **state) {
  struct place *place = *state;
  char away[700];
  snprintf(away, sizeof away, "%s/away", place->dir);
  start(place);
  RUN_UNTIL(place, has(place, "one"));
  assert_int_equal(rename(place->root, away), 0);
  RUN_UNTIL(place, !strcmp(place->code, "root-vanished"));
  assert_true(has(place, "one"));
  put(place, "skills/new/SKILL.md", "new", "In a root made anew.");
  RUN_UNTIL(place, has(place, "new") && !has(place, "one"));
  put(place, "skills/new/SKILL.md", "new", "And watched again.");
  RUN_UNTIL(place, !strcmp(description_of(place, "new"), "And watched again."));
}

static void many_changes_at_once_are_few_synchronisations(void **state) {
  struct place *place = *state;
  char path[64];
  char name[32];
  start(place);
  RUN_UNTIL(place, has(place, "one"));
  size_t before = place->syncs;
  for (int i = 0; i < 50; i++) {
    snprintf(path, sizeof path, "skills/n%02d/SKILL.md", i);
    snprintf(name, sizeof name, "n%02d", i);
    put(place, path, name, "One of many.");
  }
  RUN_UNTIL(place, skill_registry_count(place->registry) == 51);
  assert_true(place->syncs - before <= 3);
}

static size_t open_descriptors(void) {
  DIR *dir = opendir("/proc/self/fd");
  size_t count = 0;
  assert_non_null(dir);
  while (readdir(dir)) count++;
  closedir(dir);
  return count;
}

static void descriptors_do_not_grow_with_folders(void **state) {
  struct place *place = *state;
  char path[64];
  char name[32];
  bool complete = false;
  start(place);
  RUN_UNTIL(place, skill_watcher_folders(place->watcher, NULL) == 2);
  size_t before = open_descriptors();
  for (int i = 0; i < 200; i++) {
    snprintf(path, sizeof path, "skills/n%03d/SKILL.md", i);
    snprintf(name, sizeof name, "n%03d", i);
    put(place, path, name, "One of many.");
  }
  RUN_UNTIL(place, skill_watcher_folders(place->watcher, &complete) == 202);
  assert_true(complete);
  assert_int_equal(open_descriptors(), before);
}

static void beyond_the_limit_the_rescan_finds_changes(void **state) {
  struct place *place = *state;
  bool complete = true;
  put(place, "skills/two/SKILL.md", "two", "Not watched.");
  put(place, "skills/three/SKILL.md", "three", "Not watched.");
  place->options.max_folders = 2;
  place->options.rescan_ms = 100;
  start(place);
  RUN_UNTIL(place, has(place, "two") && has(place, "three"));
  assert_int_equal(skill_watcher_folders(place->watcher, &complete), 2);
  assert_false(complete);
  put(place, "skills/two/SKILL.md", "two", "Found by the rescan.");
  put(place, "skills/three/SKILL.md", "three", "Found by the rescan.");
  RUN_UNTIL(place, !strcmp(description_of(place, "two"), "Found by the rescan.") &&
                       !strcmp(description_of(place, "three"), "Found by the rescan."));
}

static void a_touch_synchronises(void **state) {
  struct place *place = *state;
  start(place);
  RUN_UNTIL(place, has(place, "one") && place->syncs >= 2); /* the second synchronisation follows the new watches */
  size_t before = place->syncs;
  skill_watcher_touch(place->watcher);
  RUN_UNTIL(place, place->syncs > before);
}

static void it_may_be_freed_inside_its_callback(void **state) {
  struct place *place = *state;
  place->free_inside = true;
  start(place);
  RUN_UNTIL(place, !place->watcher);
  assert_int_equal(place->syncs, 1);
}

/* --- the program ------------------------------------------------------------------------------------------------ */

static void expect_line(FILE *from, const char *begin) {
  char line[1000];
  do {
    assert_non_null(fgets(line, sizeof line, from));
  } while (strncmp(line, begin, strlen(begin)) != 0);
}

static void list_watch_tells_what_changes(void **state) {
  extern char **environ;
  struct place *place = *state;
  int ends[2];
  pid_t pid;
  posix_spawn_file_actions_t actions;
  char program[] = SKILLET_PROGRAM;
  char command[] = "list";
  char option[] = "--watch";
  char *argv[] = {program, command, option, place->root, NULL};
  assert_int_equal(pipe(ends), 0);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  assert_int_equal(posix_spawn(&pid, SKILLET_PROGRAM, &actions, NULL, argv, environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  FILE *from = fdopen(ends[0], "r");
  assert_non_null(from);
  alarm(60); /* fails the test if the line never arrives */
  expect_line(from, "1 skill");
  put(place, "skills/two/SKILL.md", "two", "Came later.");
  expect_line(from, "+ two  Came later.");
  put(place, "skills/two/SKILL.md", "two", "Changed.");
  expect_line(from, "~ two  Changed.");
  kill(pid, SIGTERM);
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  fclose(from);
  alarm(0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_first_synchronisation_comes_by_itself),
      TEST(new_changed_and_removed_skills_are_seen),
      TEST(a_link_set_to_another_target_is_seen),
      TEST(a_half_written_file_keeps_its_last_good_version),
      TEST(a_root_that_vanishes_keeps_its_skills_and_says_so),
      TEST(many_changes_at_once_are_few_synchronisations),
      TEST(descriptors_do_not_grow_with_folders),
      TEST(beyond_the_limit_the_rescan_finds_changes),
      TEST(a_touch_synchronises),
      TEST(it_may_be_freed_inside_its_callback),
      TEST(list_watch_tells_what_changes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
