/* SPDX-License-Identifier: MIT
 *
 * Child processes with each system call of their start, run and end failing in turn, in the parent and in the child
 * before exec. In every case the end is reported once and correctly, no child and no descriptor is left, and the next
 * child runs.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/faults.h"
#include "lib/tmpdir.h"

static int tear_down(void **state) {
  faults_tear_down(state);
  return child_tear_down(state);
}

static size_t open_descriptors(void) {
  size_t count = 0;
  DIR *dir = opendir("/proc/self/fd");
  assert_non_null(dir);
  while (readdir(dir)) count++;
  closedir(dir);
  return count;
}

/* ---- scenarios --------------------------------------------------------------------------------------------------- */

struct scene {
  const char *script;
  int64_t time_ms; /* 0: the default */
  bool cancel;     /* after its first output */
  int status;      /* the result without a fault */
  int exit_code;
  int signal;
  const char *out;
  const char *err;
  size_t descriptors;
};

static int start(const struct scene *scene, SkillProcess **process, SkillError *err) {
  const char *argv[] = {"/bin/sh", "-c", scene->script, NULL};
  SkillProcessOptions options = SKILL_PROCESS_OPTIONS_INIT;
  options.argv = argv;
  options.sandbox = SKILL_SANDBOX_OFF;
  options.input = "from outside\n";
  options.input_length = 13;
  options.limits.grace_ms = 15;
  if (scene->time_ms) options.limits.time_ms = scene->time_ms;
  return skill_process_start(&child_loop, &options, child_note, NULL, process, err);
}

static void expect_clean(const struct scene *scene) {
  assert_int_equal(child.status, scene->status);
  /* On a slow machine the time may be over before the shell has set its trap. */
  if (scene->signal == SIGKILL && scene->time_ms && child.signal == SIGTERM) return;
  assert_int_equal(child.exit_code, scene->exit_code);
  assert_int_equal(child.signal, scene->signal);
  assert_string_equal(child.out, scene->out);
  assert_string_equal(child.err, scene->err);
}

/* No child is left, running or dead. The failed call may have been the one that reaps it. */
static void expect_nobody(bool reaped) {
  pid_t left = waitpid(-1, NULL, reaped ? WNOHANG : 0);
  assert_true(reaped ? left < 0 && errno == ECHILD : left > 0);
}

static void run(struct scene *scene) {
  SkillProcess *process = NULL;
  SkillError err = SKILL_ERROR_INIT;
  memset(&child, 0, sizeof child);
  int rc = start(scene, &process, &err);
  if (!rc && scene->cancel) {
    for (int i = 0; i < 5; i++) uv_run(&child_loop, UV_RUN_ONCE);
    if (!child.calls) skill_process_cancel(process);
  }
  uv_run(&child_loop, UV_RUN_DEFAULT);
  const char *met = faults_met();
  faults_relent();
  bool lost = met && strcmp(met, "waitpid") == 0;
  bool harder = met && strcmp(met, "kill") == 0; /* SIGTERM did not arrive, SIGKILL did */
  expect_nobody(!lost);
  if (rc) {
    assert_true(err.message[0]);
    assert_int_equal(child.calls, 0);
  } else {
    assert_int_equal(child.calls, 1);
    if (child.status == scene->status && !lost && !harder) expect_clean(scene);
    if (child.status != scene->status) assert_true(met && child.status && child.message[0]);
  }
  if (!met) assert_int_equal(rc, 0);
  if (scene->descriptors) assert_int_equal(open_descriptors(), scene->descriptors);
}

static void run_and_run_again(void *user) {
  struct scene *scene = user;
  run(scene);
  struct scene again = {.script = "echo again", .out = "again\n", .err = ""};
  memset(&child, 0, sizeof child);
  assert_int_equal(start(&again, NULL, NULL), 0);
  uv_run(&child_loop, UV_RUN_DEFAULT);
  expect_clean(&again);
  if (scene->descriptors) assert_int_equal(open_descriptors(), scene->descriptors);
}

static size_t sweep(struct scene scene) {
  run_and_run_again(&scene); /* descriptors that libuv opens once */
  scene.descriptors = open_descriptors();
  return faults_run(FAULT_ERROR, run_and_run_again, &scene);
}

static void a_script_that_ends_by_itself(void **state) {
  (void)state;
  assert_true(sweep((struct scene){
                  .script = "cat; echo oh >&2; exit 3", .exit_code = 3, .out = "from outside\n", .err = "oh\n"}) > 25);
}

static void a_script_that_a_signal_ends(void **state) {
  (void)state;
  assert_true(sweep((struct scene){
                  .script = "echo x; kill -9 $$", .exit_code = -1, .signal = 9, .out = "x\n", .err = ""}) > 25);
}

static void a_script_that_runs_too_long_and_ignores_sigterm(void **state) {
  (void)state;
  assert_true(sweep((struct scene){.script = "trap '' TERM; echo x; while :; do sleep 1; done",
                                   .time_ms = 25,
                                   .status = SKILL_ETIMEDOUT,
                                   .exit_code = -1,
                                   .signal = 9,
                                   .out = "x\n",
                                   .err = ""}) > 25);
}

static void a_script_that_is_canceled(void **state) {
  (void)state;
  assert_true(sweep((struct scene){.script = "echo x; exec sleep 5",
                                   .cancel = true,
                                   .status = SKILL_ECANCELED,
                                   .exit_code = -1,
                                   .signal = 15,
                                   .out = "x\n",
                                   .err = ""}) > 25);
}

/* ---- not a fault
 * --------------------------------------------------------------------------------------------------- */

static void run_exactly(void *user) {
  struct scene *scene = user;
  memset(&child, 0, sizeof child);
  assert_int_equal(start(scene, NULL, NULL), 0);
  uv_run(&child_loop, UV_RUN_DEFAULT);
  expect_clean(scene);
}

static void an_interrupted_call_is_made_again_and_a_short_one_goes_on(void **state) {
  (void)state;
  struct scene scene = {.script = "cat; echo oh >&2; exit 3", .exit_code = 3, .out = "from outside\n", .err = "oh\n"};
  assert_true(faults_run(FAULT_INTERRUPT, run_exactly, &scene) > 3);
  assert_true(faults_run(FAULT_SHORT, run_exactly, &scene) > 3);
}

/* ---- a skill's script -------------------------------------------------------------------------------------------- */

static char folder[512];

static void run_script(void *user) {
  struct scene *scene = user;
  SkillError err = SKILL_ERROR_INIT;
  SkillScript script = SKILL_SCRIPT_INIT;
  SkillProcessOptions options = SKILL_PROCESS_OPTIONS_INIT;
  options.sandbox = SKILL_SANDBOX_OFF;
  script.folder = folder;
  script.command = "scripts/say.sh";
  script.arguments_json = "[\"hello\"]";
  for (int i = 0; i < 2; i++) {
    memset(&child, 0, sizeof child);
    int rc = skill_script_start(&child_loop, &script, &options, child_note, NULL, NULL, &err);
    uv_run(&child_loop, UV_RUN_DEFAULT);
    assert_int_equal(child.calls, rc ? 0 : 1);
    if (rc) assert_true(err.message[0]);
    if (!rc && !child.status) expect_clean(scene);
    if (rc || child.status) assert_true(faults_met() && i == 0);
    if (child.status == SKILL_EREMOTE) waitpid(-1, NULL, 0);
    faults_relent();
  }
  if (scene->descriptors) assert_int_equal(open_descriptors(), scene->descriptors);
}

static void a_script_of_a_skill(void **state) {
  (void)state;
  char *dir = tmpdir_make();
  char path[600];
  assert_non_null(realpath(dir, folder));
  snprintf(path, sizeof path, "%s/scripts", folder);
  assert_int_equal(mkdir(path, 0700), 0);
  snprintf(path, sizeof path, "%s/scripts/say.sh", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("#!/bin/sh\necho \"$1\"\n", file);
  fclose(file);
  struct scene scene = {.script = "", .out = "hello\n", .err = ""};
  run_script(&scene);
  scene.descriptors = open_descriptors();
  assert_true(faults_run(FAULT_ERROR, run_script, &scene) > 30);
  tmpdir_remove(dir);
}

#define T(name) cmocka_unit_test_setup_teardown(name, child_set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(a_script_that_ends_by_itself),
      T(a_script_that_a_signal_ends),
      T(a_script_that_runs_too_long_and_ignores_sigterm),
      T(a_script_that_is_canceled),
      T(an_interrupted_call_is_made_again_and_a_short_one_goes_on),
      T(a_script_of_a_skill),
  };
  return cmocka_run_group_tests_name("process_fault", tests, NULL, NULL);
}
