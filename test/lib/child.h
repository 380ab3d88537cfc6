/* SPDX-License-Identifier: MIT
 *
 * Runs one child process at a time on its own loop and records the result.
 */
#ifndef TEST_LIB_CHILD_H
#define TEST_LIB_CHILD_H

#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

#include "lib/check.h"
#include "skillet/process.h"

#define CHILD_TEST(name) cmocka_unit_test_setup_teardown(name, child_set_up, child_tear_down)

struct child {
  int calls;
  int status;
  int exit_code;
  int signal;
  bool sandboxed;
  char sandbox[200];
  char message[200];
  char out[65536];
  char err[8192];
  size_t out_length;
  uint64_t out_total;
  int64_t elapsed_ms;
};

extern struct child child; /* of the process that ended last */
extern uv_loop_t child_loop;

int child_set_up(void **state);
int child_tear_down(void **state); /* fails if a handle is still open */

/* A SkillProcessCb that fills `child`. */
void child_note(const SkillProcessResult *result, void *user);

/* Options for running a command without a sandbox. */
SkillProcessOptions child_options(const char *const *argv);

/* Runs a command, or a line of sh, until it ends. */
void child_run(const SkillProcessOptions *options);
void child_run_shell(const char *script);

/* Returns whether a killed process, or every process of a session, has gone. Waits briefly, because the kernel needs a
 * moment. */
bool child_gone(long pid);
bool child_session_gone(pid_t session);

#endif
