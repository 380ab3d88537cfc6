/* SPDX-License-Identifier: MIT
 *
 * Child processes: what comes back, what does not get in, and that every limit ends the whole group.
 */
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "lib/check.h"
#include "lib/sweep.h"
#include "lib/tmpdir.h"
#include "process/group.h"
#include "skillet/process.h"

/* ---- fixture ---- */

struct outcome {
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

static struct outcome outcome;
static uv_loop_t loop;

static void note(const SkillProcessResult *result, void *user) {
  (void)user;
  outcome.calls++;
  outcome.status = result->status;
  outcome.exit_code = result->exit_code;
  outcome.signal = result->signal;
  outcome.sandboxed = result->sandboxed;
  outcome.out_length = result->out_length;
  outcome.out_total = result->out_total;
  outcome.elapsed_ms = result->elapsed_ms;
  snprintf(outcome.sandbox, sizeof outcome.sandbox, "%s", result->sandbox);
  snprintf(outcome.message, sizeof outcome.message, "%s", result->message ? result->message : "");
  snprintf(outcome.out, sizeof outcome.out, "%s", result->out);
  snprintf(outcome.err, sizeof outcome.err, "%s", result->err);
}

static int set_up(void **state) {
  (void)state;
  memset(&outcome, 0, sizeof outcome);
  return uv_loop_init(&loop);
}

static int tear_down(void **state) {
  (void)state;
  uv_run(&loop, UV_RUN_DEFAULT);
  return uv_loop_close(&loop); /* not 0 where a handle was left */
}

static void run(const SkillProcessOptions *options) {
  SkillError err = SKILL_ERROR_INIT;
  int rc = skill_process_start(&loop, options, note, NULL, NULL, &err);
  if (rc) print_error("%s\n", err.message);
  assert_int_equal(rc, 0);
  assert_int_equal(outcome.calls, 0);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(outcome.calls, 1);
}

static SkillProcessOptions plain(const char *const *argv) {
  SkillProcessOptions options = SKILL_PROCESS_OPTIONS_INIT;
  options.argv = argv;
  options.sandbox = SKILL_SANDBOX_OFF;
  return options;
}

static void run_shell(const char *script) {
  const char *argv[] = {"sh", "-c", script, NULL};
  SkillProcessOptions options = plain(argv);
  run(&options);
}

/* Whether a killed process has gone; the kernel needs a moment. */
static bool gone(long pid) {
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

static bool session_gone(pid_t session) {
  struct skill__group group = {1, 0};
  for (int i = 0; i < 5000 && group.tasks; i++) {
    if (!skill__group_scan(session, &group)) return false;
    if (group.tasks) uv_sleep(1);
  }
  return group.tasks == 0;
}

/* ---- what comes back ---- */

static void output_error_and_exit_status_come_back(void **state) {
  (void)state;
  run_shell("echo out; echo err >&2; exit 3");
  assert_int_equal(outcome.status, 0);
  assert_int_equal(outcome.exit_code, 3);
  assert_string_equal(outcome.out, "out\n");
  assert_string_equal(outcome.err, "err\n");
  assert_false(outcome.sandboxed);
  assert_string_equal(outcome.sandbox, "no sandbox: it is switched off");
}

static void a_signal_is_told_apart_from_an_exit(void **state) {
  (void)state;
  run_shell("kill -ABRT $$");
  assert_int_equal(outcome.status, 0);
  assert_int_equal(outcome.exit_code, -1);
  assert_int_equal(outcome.signal, SIGABRT);
}

static void arguments_reach_the_program_without_a_shell(void **state) {
  (void)state;
  const char *argv[] = {"printf", "%s|", "a b", "$HOME", "`id`", "; rm -rf x", "\"'\\", "", NULL};
  SkillProcessOptions options = plain(argv);
  run(&options);
  assert_string_equal(outcome.out, "a b|$HOME|`id`|; rm -rf x|\"'\\||");
}

static void input_is_read_to_its_end_and_no_input_is_end_of_file(void **state) {
  (void)state;
  const char *argv[] = {"cat", NULL};
  SkillProcessOptions options = plain(argv);
  options.input = "one\0two";
  options.input_length = 7;
  run(&options);
  assert_int_equal(outcome.out_length, 7);
  outcome.calls = 0;
  options.input = NULL;
  run(&options);
  assert_int_equal(outcome.out_length, 0);
  assert_int_equal(outcome.exit_code, 0);
}

static void a_child_that_does_not_read_its_input_blocks_nobody(void **state) {
  (void)state;
  size_t size = 1024 * 1024;
  char *input = calloc(1, size);
  assert_non_null(input);
  const char *argv[] = {"true", NULL};
  SkillProcessOptions options = plain(argv);
  options.input = input;
  options.input_length = size;
  run(&options);
  assert_int_equal(outcome.exit_code, 0);
  free(input);
}

static void too_much_output_keeps_head_and_tail_and_says_what_lacks(void **state) {
  (void)state;
  const char *argv[] = {"sh", "-c", "echo first; seq 1 20000; echo last", NULL};
  SkillProcessOptions options = plain(argv);
  options.limits.output_bytes = 1000;
  run(&options);
  assert_int_equal(outcome.status, 0);
  assert_int_equal(outcome.out_total, 108894 + 11);
  assert_true(strncmp(outcome.out, "first\n1\n2\n", 10) == 0);
  assert_non_null(strstr(outcome.out, "\n[... 107905 bytes left out ...]\n"));
  assert_string_equal(outcome.out + outcome.out_length - 12, "\n20000\nlast\n");
}

static void what_a_background_child_would_write_later_is_not_waited_for(void **state) {
  (void)state;
  run_shell("sleep 100 & echo $!; exit 0");
  assert_int_equal(outcome.exit_code, 0);
  assert_true(outcome.elapsed_ms < 50000);
  assert_true(gone(atol(outcome.out)));
}

/* ---- what does not get in ---- */

static void no_descriptor_of_the_host_is_inherited(void **state) {
  (void)state;
  int leak = open("/dev/null", O_RDONLY); /* on purpose without O_CLOEXEC */
  assert_true(leak >= 0);
  run_shell("ls /proc/self/fd | tr '\\n' ' '");
  close(leak);
  assert_string_equal(outcome.out, "0 1 2 3 "); /* 3 is ls reading the folder */
}

static void the_environment_is_clean(void **state) {
  (void)state;
  setenv("SKILLET_TEST_SECRET", "key", 1);
  setenv("SKILLET_TEST_PASSED", "yes", 1);
  setenv("LANG", "C", 1);
  const char *argv[] = {"env", NULL};
  const char *pass[] = {"SKILLET_TEST_PASSED", NULL};
  const char *env[] = {"EXTRA=1", "LANG=C.UTF-8", NULL};
  SkillProcessOptions options = plain(argv);
  options.pass_env = pass;
  options.env = env;
  run(&options);
  assert_null(strstr(outcome.out, "SECRET"));
  assert_non_null(strstr(outcome.out, "SKILLET_TEST_PASSED=yes\n"));
  assert_non_null(strstr(outcome.out, "EXTRA=1\n"));
  assert_non_null(strstr(outcome.out, "PATH="));
  assert_non_null(strstr(outcome.out, "LANG=C.UTF-8\n"));
  assert_null(strstr(outcome.out, "LANG=C\n"));
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
  SkillProcessOptions options = plain(argv);
  run(&options);
  signal(SIGPIPE, before);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  assert_non_null(strstr(outcome.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"));
}

static void it_runs_in_its_folder_and_without_new_privileges(void **state) {
  (void)state;
  char *dir = tmpdir_make();
  tmpdir_write(dir, "here", "x");
  const char *argv[] = {"sh", "-c", "cat here; grep NoNewPrivs /proc/self/status; ulimit -c", NULL};
  SkillProcessOptions options = plain(argv);
  options.folder = dir;
  run(&options);
  assert_string_equal(outcome.out, "xNoNewPrivs:\t1\n0\n");
  tmpdir_remove(dir);
}

/* ---- limits ---- */

static void the_time_limit_ends_the_whole_group(void **state) {
  (void)state;
  const char *script = "trap '' TERM; sleep 100 & echo $!; (trap '' TERM; sleep 100) & echo $!; wait; wait";
  const char *argv[] = {"sh", "-c", script, NULL};
  SkillProcessOptions options = plain(argv);
  options.limits.time_ms = 300;
  options.limits.grace_ms = 50;
  run(&options);
  assert_int_equal(outcome.status, SKILL_ETIMEDOUT);
  assert_string_equal(outcome.message, "it ran longer than its time limit");
  char *next;
  long first = strtol(outcome.out, &next, 10);
  long second = strtol(next, NULL, 10);
  assert_true(first > 0 && second > 0);
  assert_true(gone(first));
  assert_true(gone(second));
}

static void a_child_that_obeys_sigterm_ends_within_the_grace(void **state) {
  (void)state;
  const char *argv[] = {"sh", "-c", "trap 'echo bye; exit 7' TERM; while :; do sleep 0.01; done", NULL};
  SkillProcessOptions options = plain(argv);
  options.limits.time_ms = 200;
  options.limits.grace_ms = 20000;
  run(&options);
  assert_int_equal(outcome.status, SKILL_ETIMEDOUT);
  assert_int_equal(outcome.exit_code, 7);
  assert_string_equal(outcome.out, "bye\n");
}

static void a_flood_of_output_ends_the_child(void **state) {
  (void)state;
  const char *argv[] = {"yes", NULL};
  SkillProcessOptions options = plain(argv);
  options.limits.flood_bytes = 1024 * 1024;
  options.limits.output_bytes = 1000;
  run(&options);
  assert_int_equal(outcome.status, SKILL_ELIMIT);
  assert_true(outcome.out_total > 1024 * 1024);
  assert_non_null(strstr(outcome.out, "bytes left out"));
}

static void a_fork_bomb_is_ended(void **state) {
  (void)state;
  const char *argv[] = {"sh", "-c", "i=0; while [ $i -lt 300 ]; do sleep 100 & i=$((i+1)); done; wait", NULL};
  SkillProcessOptions options = plain(argv);
  options.limits.processes = 20;
  options.limits.time_ms = 20000;
  SkillProcess *process;
  assert_int_equal(skill_process_start(&loop, &options, note, NULL, &process, NULL), 0);
  pid_t pid = skill_process_pid(process);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_true(session_gone(pid));
  if (outcome.status == 0) {
    assert_non_null(strstr(outcome.err, "fork")); /* RLIMIT_NPROC was faster than the watch */
  } else {
    assert_int_equal(outcome.status, SKILL_ELIMIT);
    assert_string_equal(outcome.message, "it ran more processes than its limit allows");
  }
}

static void memory_beyond_the_limit_cannot_be_had(void **state) {
  (void)state;
  const char *argv[] = {"sh", "-c", "head -c 300000000 /dev/zero | tail -c 300000000 | wc -c", NULL};
  SkillProcessOptions options = plain(argv);
  options.limits.memory_bytes = 64 * 1024 * 1024;
  run(&options);
  assert_null(strstr(outcome.out, "300000000"));
}

static void a_cancel_ends_it_and_calls_back_once(void **state) {
  (void)state;
  const char *argv[] = {"sleep", "100", NULL};
  SkillProcessOptions options = plain(argv);
  SkillProcess *process;
  assert_int_equal(skill_process_start(&loop, &options, note, NULL, &process, NULL), 0);
  assert_true(skill_process_pid(process) > 0);
  skill_process_cancel(process);
  skill_process_cancel(process);
  assert_int_equal(outcome.calls, 0);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(outcome.calls, 1);
  assert_int_equal(outcome.status, SKILL_ECANCELED);
  assert_int_equal(outcome.signal, SIGTERM);
}

/* ---- sandbox ---- */

static void need_sandbox(void) {
  const char *reason;
  if (skill_sandbox_works(&reason)) return;
  print_message("skipped: %s\n", reason);
  skip();
}

static void the_sandbox_denies_writing_and_the_network(void **state) {
  (void)state;
  need_sandbox();
  char *dir = tmpdir_make();
  tmpdir_write(dir, "in", "text\n");
  const char *script =
      "cat in; (echo x > out) || echo denied; (echo x > /etc/skillet-x) || echo denied; ls -d /tmp/* | wc -l;"
      "echo y > /tmp/y && cat /tmp/y; grep -c : /proc/net/dev; ls -d /proc/[0-9]* | wc -l";
  const char *argv[] = {"sh", "-c", script, NULL};
  SkillProcessOptions options = plain(argv);
  options.folder = dir;
  options.sandbox = SKILL_SANDBOX_REQUIRED;
  run(&options);
  assert_true(outcome.sandboxed);
  assert_int_equal(outcome.status, 0);
  int entries = -1;
  int interfaces = -1;
  int processes = -1;
  int got = sscanf(outcome.out, "text\ndenied\ndenied\n%d\ny\n%d\n%d", &entries, &interfaces, &processes);
  if (got != 3) print_error("%s", outcome.out);
  assert_int_equal(got, 3);
  assert_true(entries <= 1);       /* nothing, or the way to the skill's folder */
  assert_int_equal(interfaces, 1); /* its own loopback */
  assert_true(processes < 8);      /* its own */
  assert_int_not_equal(access("/etc/skillet-x", F_OK), 0);
  tmpdir_remove(dir);
}

static void a_writable_folder_stays_writable_in_the_sandbox(void **state) {
  (void)state;
  need_sandbox();
  char *dir = tmpdir_make();
  char *work = tmpdir_make();
  const char *argv[] = {"sh", "-c", "echo made > \"$0/file\" && cat \"$0/file\"", work, NULL};
  const char *writable[] = {work, NULL};
  SkillProcessOptions options = plain(argv);
  options.folder = dir;
  options.sandbox = SKILL_SANDBOX_AUTO;
  options.writable = writable;
  run(&options);
  assert_string_equal(outcome.out, "made\n");
  tmpdir_remove(dir);
  tmpdir_remove(work);
}

static void credentials_are_hidden_in_the_sandbox(void **state) {
  (void)state;
  need_sandbox();
  char *home = tmpdir_make();
  char line[5000];
  tmpdir_write(home, ".ssh/id", "private");
  tmpdir_write(home, ".netrc", "private");
  tmpdir_write(home, "notes", "public");
  snprintf(line, sizeof line, "HOME=%s", home);
  const char *argv[] = {"sh", "-c", "cat .ssh/id .netrc notes", NULL};
  const char *env[] = {line, NULL};
  SkillProcessOptions options = plain(argv);
  options.folder = home;
  options.sandbox = SKILL_SANDBOX_REQUIRED;
  options.env = env;
  run(&options);
  assert_string_equal(outcome.out, "public");
  tmpdir_remove(home);
}

/* The account's home is found without HOME, and with another one. */
static void credentials_are_hidden_whatever_home_says(void **state) {
  (void)state;
  need_sandbox();
  struct stat info;
  const struct passwd *me = getpwuid(geteuid());
  char path[5000];
  snprintf(path, sizeof path, "%s/.bash_history", me ? me->pw_dir : "");
  if (!me || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
    snprintf(path, sizeof path, "%s/.ssh", me ? me->pw_dir : "");
    if (stat(path, &info) != 0) skip();
  }
  const char *argv[] = {"sh", "-c", "test -d \"$0\" && ls -A \"$0\" || cat \"$0\"", path, NULL};
  const char *env[] = {"HOME=/nowhere", NULL};
  SkillProcessOptions options = plain(argv);
  options.folder = "/";
  options.sandbox = SKILL_SANDBOX_REQUIRED;
  options.env = env;
  run(&options);
  assert_string_equal(outcome.out, "");
}

static void a_time_limit_ends_what_left_the_group_in_the_sandbox(void **state) {
  (void)state;
  need_sandbox();
  const char *argv[] = {"sh", "-c", "setsid sleep 98.7654 & sleep 98", NULL};
  SkillProcessOptions options = plain(argv);
  options.folder = "/";
  options.sandbox = SKILL_SANDBOX_REQUIRED;
  options.limits.time_ms = 300;
  SkillProcess *process;
  assert_int_equal(skill_process_start(&loop, &options, note, NULL, &process, NULL), 0);
  pid_t pid = skill_process_pid(process);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(outcome.status, SKILL_ETIMEDOUT);
  assert_true(session_gone(pid));
  outcome.calls = 0;
  int left = 1;
  for (int i = 0; i < 100 && left; i++) {
    run_shell("grep -lxz 98[.]7654 /proc/[0-9]*/cmdline 2>/dev/null | wc -l");
    left = atoi(outcome.out);
    outcome.calls = 0;
  }
  assert_int_equal(left, 0);
}

/* ---- errors ---- */

static void expect_error(const SkillProcessOptions *options, int code, const char *part) {
  SkillError err = SKILL_ERROR_INIT;
  SkillProcess *process = NULL;
  assert_int_equal(skill_process_start(&loop, options, note, NULL, &process, &err), code);
  assert_null(process);
  if (!strstr(err.message, part)) fail_msg("\"%s\" lacks \"%s\"", err.message, part);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(outcome.calls, 0);
}

static void a_start_that_fails_says_why_and_never_calls_back(void **state) {
  (void)state;
  const char *missing[] = {"no-such-program-of-skillet", NULL};
  SkillProcessOptions options = plain(missing);
  expect_error(&options, SKILL_ENOENT, "no program no-such-program-of-skillet is found");
  const char *folder[] = {"true", NULL};
  options = plain(folder);
  options.folder = "/no/such/folder";
  expect_error(&options, SKILL_ENOENT, "/no/such/folder");
  const char *text[] = {"/etc/passwd", NULL};
  options = plain(text);
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
  SkillProcessOptions options = plain(argv);
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
  SkillProcessOptions options = plain(argv);
  expect_error(&options, SKILL_ELIMIT, "arguments");
  big[200 * 1024] = '\0'; /* Linux takes at most 128 KiB in one */
  expect_error(&options, SKILL_ELIMIT, "cannot be executed");
  free(big);
}

/* ---- out of memory ---- */

static int start_and_run(void *user) {
  (void)user;
  outcome.calls = 0;
  const char *argv[] = {"true", "x", NULL};
  SkillProcessOptions options = plain(argv);
  SkillProcess *process = NULL;
  int rc = skill_process_start(&loop, &options, note, NULL, &process, NULL);
  if (rc) assert_null(process);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(outcome.calls, rc ? 0 : 1);
  return rc ? rc : outcome.status;
}

static void every_failed_allocation_is_survived(void **state) {
  (void)state;
  start_and_run(NULL); /* libuv's own first allocations */
  assert_true(sweep_run(start_and_run, NULL) > 3);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(output_error_and_exit_status_come_back),
      T(a_signal_is_told_apart_from_an_exit),
      T(arguments_reach_the_program_without_a_shell),
      T(input_is_read_to_its_end_and_no_input_is_end_of_file),
      T(a_child_that_does_not_read_its_input_blocks_nobody),
      T(too_much_output_keeps_head_and_tail_and_says_what_lacks),
      T(what_a_background_child_would_write_later_is_not_waited_for),
      T(no_descriptor_of_the_host_is_inherited),
      T(the_environment_is_clean),
      T(signals_are_as_a_program_expects_them),
      T(it_runs_in_its_folder_and_without_new_privileges),
      T(the_time_limit_ends_the_whole_group),
      T(a_child_that_obeys_sigterm_ends_within_the_grace),
      T(a_flood_of_output_ends_the_child),
      T(a_fork_bomb_is_ended),
      T(memory_beyond_the_limit_cannot_be_had),
      T(a_cancel_ends_it_and_calls_back_once),
      T(the_sandbox_denies_writing_and_the_network),
      T(a_writable_folder_stays_writable_in_the_sandbox),
      T(credentials_are_hidden_in_the_sandbox),
      T(credentials_are_hidden_whatever_home_says),
      T(a_time_limit_ends_what_left_the_group_in_the_sandbox),
      T(a_start_that_fails_says_why_and_never_calls_back),
      T(a_file_that_cannot_be_executed_is_told_at_the_start),
      T(too_long_a_command_line_is_refused),
      T(every_failed_allocation_is_survived),
  };
  return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
