/* SPDX-License-Identifier: MIT
 *
 * See child.h.
 */
#include "lib/child.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "process/proc_tasks.h"

struct child child;
uv_loop_t child_loop;

void child_note(const SkillProcessResult *result, void *user) {
  (void)user;
  child.calls++;
  child.status = result->status;
  child.exit_code = result->exit_code;
  child.signal = result->signal;
  child.sandboxed = result->sandboxed;
  child.out_length = result->out_length;
  child.out_total = result->out_total;
  child.elapsed_ms = result->elapsed_ms;
  snprintf(child.sandbox, sizeof child.sandbox, "%s", result->sandbox);
  snprintf(child.message, sizeof child.message, "%s", result->message ? result->message : "");
  snprintf(child.out, sizeof child.out, "%s", result->out);
  snprintf(child.err, sizeof child.err, "%s", result->err);
}

int child_set_up(void **state) {
  (void)state;
  memset(&child, 0, sizeof child);
  return uv_loop_init(&child_loop);
}

int child_tear_down(void **state) {
  (void)state;
  uv_run(&child_loop, UV_RUN_DEFAULT);
  return uv_loop_close(&child_loop); /* not 0 if a handle is still open */
}

void child_run(const SkillProcessOptions *options) {
  SkillError err = SKILL_ERROR_INIT;
  int rc = skill_process_start(&child_loop, options, child_note, NULL, NULL, &err);
  if (rc) print_error("%s\n", err.message);
  assert_int_equal(rc, 0);
  assert_int_equal(child.calls, 0);
  uv_run(&child_loop, UV_RUN_DEFAULT);
  assert_int_equal(child.calls, 1);
}

SkillProcessOptions child_options(const char *const *argv) {
  SkillProcessOptions options = SKILL_PROCESS_OPTIONS_INIT;
  options.argv = argv;
  options.sandbox = SKILL_SANDBOX_OFF;
  return options;
}

void child_run_shell(const char *script) {
  const char *argv[] = {"sh", "-c", script, NULL};
  SkillProcessOptions options = child_options(argv);
  child_run(&options);
}

bool child_gone(long pid) {
  for (int i = 0; i < 5000; i++) {
    if (kill((pid_t)pid, 0) != 0) return true;
    char path[64];
    char text[256] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file) return true;
    size_t got = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    const char *name_end = got ? strrchr(text, ')') : NULL;
    if (name_end && name_end[2] == 'Z') return true;
    uv_sleep(1);
  }
  return false;
}

bool child_session_gone(pid_t session) {
  struct skill__tasks group = {1, 0};
  for (int i = 0; i < 5000 && group.tasks; i++) {
    if (!skill__tasks_scan(session, &group)) return false;
    if (group.tasks) uv_sleep(1);
  }
  return group.tasks == 0;
}
