/* SPDX-License-Identifier: MIT
 *
 * Child processes: their results, what they do not inherit, and that every limit ends the whole group.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/sweep.h"
#include "lib/tmpdir.h"

/* ---- results
 * ------------------------------------------------------------------------------------------------------- */

static void output_error_and_exit_status_come_back(void **state) {
  (void)state;
  child_run_shell("echo out; echo err >&2; exit 3");
  assert_int_equal(child.status, 0);
  assert_int_equal(child.exit_code, 3);
  assert_string_equal(child.out, "out\n");
  assert_string_equal(child.err, "err\n");
  assert_false(child.sandboxed);
  assert_string_equal(child.sandbox, "no sandbox: it is switched off");
}

static void a_signal_is_told_apart_from_an_exit(void **state) {
  (void)state;
  child_run_shell("kill -ABRT $$");
  assert_int_equal(child.status, 0);
  assert_int_equal(child.exit_code, -1);
  assert_int_equal(child.signal, SIGABRT);
}

static void arguments_reach_the_program_without_a_shell(void **state) {
  (void)state;
  const char *argv[] = {"printf", "%s|", "a b", "$HOME", "`id`", "; rm -rf x", "\"'\\", "", NULL};
  SkillProcessOptions options = child_options(argv);
  child_run(&options);
  assert_string_equal(child.out, "a b|$HOME|`id`|; rm -rf x|\"'\\||");
}

static void input_is_read_to_its_end_and_no_input_is_end_of_file(void **state) {
  (void)state;
  const char *argv[] = {"cat", NULL};
  SkillProcessOptions options = child_options(argv);
  options.input = "one\0two";
  options.input_length = 7;
  child_run(&options);
  assert_int_equal(child.out_length, 7);
  child.calls = 0;
  options.input = NULL;
  child_run(&options);
  assert_int_equal(child.out_length, 0);
  assert_int_equal(child.exit_code, 0);
}

static void a_child_that_does_not_read_its_input_blocks_nobody(void **state) {
  (void)state;
  size_t size = 1024 * 1024;
  char *input = calloc(1, size);
  assert_non_null(input);
  const char *argv[] = {"true", NULL};
  SkillProcessOptions options = child_options(argv);
  options.input = input;
  options.input_length = size;
  child_run(&options);
  assert_int_equal(child.exit_code, 0);
  free(input);
}

static void too_much_output_keeps_head_and_tail_and_says_what_lacks(void **state) {
  (void)state;
  const char *argv[] = {"sh", "-c", "echo first; seq 1 20000; echo last", NULL};
  SkillProcessOptions options = child_options(argv);
  options.limits.output_bytes = 1000;
  child_run(&options);
  assert_int_equal(child.status, 0);
  assert_int_equal(child.out_total, 108894 + 11);
  assert_true(strncmp(child.out, "first\n1\n2\n", 10) == 0);
  assert_non_null(strstr(child.out, "\n[... 107905 bytes left out ...]\n"));
  assert_string_equal(child.out + child.out_length - 12, "\n20000\nlast\n");
}

static void what_a_background_child_would_write_later_is_not_waited_for(void **state) {
  (void)state;
  child_run_shell("sleep 100 & echo $!; exit 0");
  assert_int_equal(child.exit_code, 0);
  assert_true(child.elapsed_ms < 50000);
  assert_true(child_gone(atol(child.out)));
}

/* ---- what is not inherited
 * ----------------------------------------------------------------------------------------- */

static void no_descriptor_of_the_host_is_inherited(void **state) {
  (void)state;
  int leak = open("/dev/null", O_RDONLY); /* intentionally without O_CLOEXEC */
  assert_true(leak >= 0);
  child_run_shell("ls /proc/self/fd | tr '\\n' ' '");
  close(leak);
  assert_string_equal(child.out, "0 1 2 3 "); /* 3 is ls reading the folder */
}

static void the_environment_is_clean(void **state) {
  (void)state;
  setenv("SKILLET_TEST_SECRET", "key", 1);
  setenv("SKILLET_TEST_PASSED", "yes", 1);
  setenv("LANG", "C", 1);
  const char *argv[] = {"env", NULL};
  const char *pass[] = {"SKILLET_TEST_PASSED", NULL};
  const char *env[] = {"EXTRA=1", "LANG=C.UTF-8", NULL};
  SkillProcessOptions options = child_options(argv);
  options.pass_env = pass;
  options.env = env;
  child_run(&options);
  assert_null(strstr(child.out, "SECRET"));
  assert_non_null(strstr(child.out, "SKILLET_TEST_PASSED=yes\n"));
  assert_non_null(strstr(child.out, "EXTRA=1\n"));
  assert_non_null(strstr(child.out, "PATH="));
  assert_non_null(strstr(child.out, "LANG=C.UTF-8\n"));
  assert_null(strstr(child.out, "LANG=C\n"));
}

static void signals_are_as_a_program_expects_them(void **state) {
  (void)state;
  sigset_t block;
  sigset_t old;
  sigemptyset(&block);
  sigaddset(&block, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &block, &old);
  void (*before)(int) = signal(SIGPIPE, SIG_IGN);
  const char *argv[] = {"grep", "-E", "Sig(Blk|Ign|Cgt)", "/proc/self/status", NULL};
  SkillProcessOptions options = child_options(argv);
  child_run(&options);
  signal(SIGPIPE, before);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  assert_non_null(strstr(child.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"));
}

static void it_runs_in_its_folder_and_without_new_privileges(void **state) {
  (void)state;
  char *dir = tmpdir_make();
  tmpdir_write(dir, "here", "x");
  const char *argv[] = {"sh", "-c", "cat here; grep NoNewPrivs /proc/self/status; ulimit -c", NULL};
  SkillProcessOptions options = child_options(argv);
  options.folder = dir;
  child_run(&options);
  assert_string_equal(child.out, "xNoNewPrivs:\t1\n0\n");
  tmpdir_remove(dir);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static void the_time_limit_ends_the_whole_group(void **state) {
  (void)state;
  const char *script = "trap '' TERM; sleep 100 & echo $!; (trap '' TERM; sleep 100) & echo $!; wait; wait";
  const char *argv[] = {"sh", "-c", script, NULL};
  SkillProcessOptions options = child_options(argv);
  options.limits.time_ms = 300;
  options.limits.grace_ms = 50;
  child_run(&options);
  assert_int_equal(child.status, SKILL_ETIMEDOUT);
  assert_string_equal(child.message, "it ran longer than its time limit");
  char *next;
  long first = strtol(child.out, &next, 10);
  long second = strtol(next, NULL, 10);
  assert_true(first > 0 && second > 0);
  assert_true(child_gone(first));
  assert_true(child_gone(second));
}

static void a_child_that_obeys_sigterm_ends_within_the_grace(void **state) {
  (void)state;
  const char *argv[] = {"sh", "-c", "trap 'echo bye; exit 7' TERM; while :; do sleep 0.01; done", NULL};
  SkillProcessOptions options = child_options(argv);
  options.limits.time_ms = 200;
  options.limits.grace_ms = 20000;
  child_run(&options);
  assert_int_equal(child.status, SKILL_ETIMEDOUT);
  assert_int_equal(child.exit_code, 7);
  assert_string_equal(child.out, "bye\n");
}

static void a_flood_of_output_ends_the_child(void **state) {
  (void)state;
  const char *argv[] = {"yes", NULL};
  SkillProcessOptions options = child_options(argv);
  options.limits.flood_bytes = 1024 * 1024;
  options.limits.output_bytes = 1000;
  child_run(&options);
  assert_int_equal(child.status, SKILL_ELIMIT);
  assert_true(child.out_total > 1024 * 1024);
  assert_non_null(strstr(child.out, "bytes left out"));
}

static void a_fork_bomb_is_ended(void **state) {
  (void)state;
  const char *argv[] = {"sh", "-c", "i=0; while [ $i -lt 300 ]; do sleep 100 & i=$((i+1)); done; wait", NULL};
  SkillProcessOptions options = child_options(argv);
  options.limits.processes = 20;
  options.limits.time_ms = 20000;
  SkillProcess *process;
  assert_int_equal(skill_process_start(&child_loop, &options, child_note, NULL, &process, NULL), 0);
  pid_t pid = skill_process_pid(process);
  uv_run(&child_loop, UV_RUN_DEFAULT);
  assert_true(child_session_gone(pid));
  if (child.status == 0) {
    assert_non_null(strstr(child.err, "fork")); /* RLIMIT_NPROC was reached before the watch noticed */
  } else {
    assert_int_equal(child.status, SKILL_ELIMIT);
    assert_string_equal(child.message, "it ran more processes than its limit allows");
  }
}

static void memory_beyond_the_limit_cannot_be_had(void **state) {
  (void)state;
  const char *argv[] = {"sh", "-c", "head -c 300000000 /dev/zero | tail -c 300000000 | wc -c", NULL};
  SkillProcessOptions options = child_options(argv);
  options.limits.memory_bytes = 64 * 1024 * 1024;
  child_run(&options);
  assert_null(strstr(child.out, "300000000"));
}

static void a_cancel_ends_it_and_calls_back_once(void **state) {
  (void)state;
  const char *argv[] = {"sleep", "100", NULL};
  SkillProcessOptions options = child_options(argv);
  SkillProcess *process;
  assert_int_equal(skill_process_start(&child_loop, &options, child_note, NULL, &process, NULL), 0);
  assert_true(skill_process_pid(process) > 0);
  skill_process_cancel(process);
  skill_process_cancel(process);
  assert_int_equal(child.calls, 0);
  uv_run(&child_loop, UV_RUN_DEFAULT);
  assert_int_equal(child.calls, 1);
  assert_int_equal(child.status, SKILL_ECANCELED);
  assert_int_equal(child.signal, SIGTERM);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static void expect_error(const SkillProcessOptions *options, int code, const char *part) {
  SkillError err = SKILL_ERROR_INIT;
  SkillProcess *process = NULL;
  assert_int_equal(skill_process_start(&child_loop, options, child_note, NULL, &process, &err), code);
  assert_null(process);
  if (!strstr(err.message, part)) fail_msg("\"%s\" lacks \"%s\"", err.message, part);
  uv_run(&child_loop, UV_RUN_DEFAULT);
  assert_int_equal(child.calls, 0);
}

static void a_start_that_fails_says_why_and_never_calls_back(void **state) {
  (void)state;
  const char *missing[] = {"no-such-program-of-skillet", NULL};
  SkillProcessOptions options = child_options(missing);
  expect_error(&options, SKILL_ENOENT, "no program no-such-program-of-skillet is found");
  const char *folder[] = {"true", NULL};
  options = child_options(folder);
  options.folder = "/no/such/folder";
  expect_error(&options, SKILL_ENOENT, "/no/such/folder");
  const char *text[] = {"/etc/passwd", NULL};
  options = child_options(text);
  expect_error(&options, SKILL_EDENIED, "/etc/passwd is not an executable file");
  options.argv = NULL;
  expect_error(&options, SKILL_EINVAL, "command");
}

static void a_file_that_cannot_be_executed_is_told_at_the_start(void **state) {
  (void)state;
  char *dir = tmpdir_make();
  char path[5000];
  tmpdir_write(dir, "broken", "#!/no/such/interpreter\n");
  snprintf(path, sizeof path, "%s/broken", dir);
  assert_int_equal(chmod(path, 0755), 0);
  const char *argv[] = {path, NULL};
  SkillProcessOptions options = child_options(argv);
  expect_error(&options, SKILL_ENOENT, "cannot be executed");
  tmpdir_remove(dir);
}

static void too_long_a_command_line_is_refused(void **state) {
  (void)state;
  size_t size = SKILL_PROCESS_MAX_BYTES;
  char *big = malloc(size + 1);
  assert_non_null(big);
  memset(big, 'a', size);
  big[size] = '\0';
  const char *argv[] = {"true", big, NULL};
  SkillProcessOptions options = child_options(argv);
  expect_error(&options, SKILL_ELIMIT, "arguments");
  big[200 * 1024] = '\0'; /* Linux accepts at most 128 KiB in one argument */
  expect_error(&options, SKILL_ELIMIT, "cannot be executed");
  free(big);
}

/* ---- out of memory ----------------------------------------------------------------------------------------------- */

static int start_and_run(void *user) {
  (void)user;
  child.calls = 0;
  const char *argv[] = {"true", "x", NULL};
  SkillProcessOptions options = child_options(argv);
  SkillProcess *process = NULL;
  int rc = skill_process_start(&child_loop, &options, child_note, NULL, &process, NULL);
  if (rc) assert_null(process);
  uv_run(&child_loop, UV_RUN_DEFAULT);
  assert_int_equal(child.calls, rc ? 0 : 1);
  return rc ? rc : child.status;
}

static void every_failed_allocation_is_survived(void **state) {
  (void)state;
  start_and_run(NULL); /* the first allocations of libuv itself */
  assert_true(sweep_run(start_and_run, NULL) > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CHILD_TEST(output_error_and_exit_status_come_back),
      CHILD_TEST(a_signal_is_told_apart_from_an_exit),
      CHILD_TEST(arguments_reach_the_program_without_a_shell),
      CHILD_TEST(input_is_read_to_its_end_and_no_input_is_end_of_file),
      CHILD_TEST(a_child_that_does_not_read_its_input_blocks_nobody),
      CHILD_TEST(too_much_output_keeps_head_and_tail_and_says_what_lacks),
      CHILD_TEST(what_a_background_child_would_write_later_is_not_waited_for),
      CHILD_TEST(no_descriptor_of_the_host_is_inherited),
      CHILD_TEST(the_environment_is_clean),
      CHILD_TEST(signals_are_as_a_program_expects_them),
      CHILD_TEST(it_runs_in_its_folder_and_without_new_privileges),
      CHILD_TEST(the_time_limit_ends_the_whole_group),
      CHILD_TEST(a_child_that_obeys_sigterm_ends_within_the_grace),
      CHILD_TEST(a_flood_of_output_ends_the_child),
      CHILD_TEST(a_fork_bomb_is_ended),
      CHILD_TEST(memory_beyond_the_limit_cannot_be_had),
      CHILD_TEST(a_cancel_ends_it_and_calls_back_once),
      CHILD_TEST(a_start_that_fails_says_why_and_never_calls_back),
      CHILD_TEST(a_file_that_cannot_be_executed_is_told_at_the_start),
      CHILD_TEST(too_long_a_command_line_is_refused),
      CHILD_TEST(every_failed_allocation_is_survived),
  };
  return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
