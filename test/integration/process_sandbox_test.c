/* SPDX-License-Identifier: MIT
 *
 * Child processes in the sandbox: what is denied, what stays available, and that limits apply to every process in it.
 * Skipped if bubblewrap does not work.
 */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/tmpdir.h"

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
  SkillProcessOptions options = child_options(argv);
  options.folder = dir;
  options.sandbox = SKILL_SANDBOX_REQUIRED;
  child_run(&options);
  assert_true(child.sandboxed);
  assert_int_equal(child.status, 0);
  int entries = -1;
  int interfaces = -1;
  int processes = -1;
  int got = sscanf(child.out, "text\ndenied\ndenied\n%d\ny\n%d\n%d", &entries, &interfaces, &processes);
  if (got != 3) print_error("%s", child.out);
  assert_int_equal(got, 3);
  assert_true(entries <= 1);       /* empty, or the path to the skill's folder */
  assert_int_equal(interfaces, 1); /* its own loopback */
  assert_true(processes < 8);      /* its own */
  assert_int_not_equal(access("/etc/skillet-x", F_OK), 0);
  tmpdir_remove(dir);
}

/* As an ordinary user this always held; root keeps its capabilities in bubblewrap unless they are dropped. */
static void the_sandbox_takes_every_capability(void **state) {
  (void)state;
  need_sandbox();
  char *dir = tmpdir_make();
  const char *script =
      "grep CapEff /proc/self/status; mount -o remount,bind,rw / 2>/dev/null && echo remounted;"
      "mknod m c 1 3 2>/dev/null && echo made;"
      "test -e /proc/sys/kernel/core_pattern && (: >>/proc/sys/kernel/core_pattern) 2>/dev/null && "
      "echo opened; echo end";
  const char *argv[] = {"sh", "-c", script, NULL};
  SkillProcessOptions options = child_options(argv);
  options.folder = dir;
  options.sandbox = SKILL_SANDBOX_REQUIRED;
  child_run(&options);
  assert_string_equal(child.out, "CapEff:\t0000000000000000\nend\n");
  tmpdir_remove(dir);
}

static void a_writable_folder_stays_writable_in_the_sandbox(void **state) {
  (void)state;
  need_sandbox();
  char *dir = tmpdir_make();
  char *work = tmpdir_make();
  const char *argv[] = {"sh", "-c", "echo made > \"$0/file\" && cat \"$0/file\"", work, NULL};
  const char *writable[] = {work, NULL};
  SkillProcessOptions options = child_options(argv);
  options.folder = dir;
  options.sandbox = SKILL_SANDBOX_AUTO;
  options.writable = writable;
  child_run(&options);
  assert_string_equal(child.out, "made\n");
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
  SkillProcessOptions options = child_options(argv);
  options.folder = home;
  options.sandbox = SKILL_SANDBOX_REQUIRED;
  options.env = env;
  child_run(&options);
  assert_string_equal(child.out, "public");
  tmpdir_remove(home);
}

/* The home folder of the account is found without HOME, and with a different HOME. */
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
  SkillProcessOptions options = child_options(argv);
  options.folder = "/";
  options.sandbox = SKILL_SANDBOX_REQUIRED;
  options.env = env;
  child_run(&options);
  assert_string_equal(child.out, "");
}

static void a_time_limit_ends_what_left_the_group_in_the_sandbox(void **state) {
  (void)state;
  need_sandbox();
  const char *argv[] = {"sh", "-c", "setsid sleep 98.7654 & sleep 98", NULL};
  SkillProcessOptions options = child_options(argv);
  options.folder = "/";
  options.sandbox = SKILL_SANDBOX_REQUIRED;
  options.limits.time_ms = 300;
  SkillProcess *process;
  assert_int_equal(skill_process_start(&child_loop, &options, child_note, NULL, &process, NULL), 0);
  pid_t pid = skill_process_pid(process);
  uv_run(&child_loop, UV_RUN_DEFAULT);
  assert_int_equal(child.status, SKILL_ETIMEDOUT);
  assert_true(child_session_gone(pid));
  child.calls = 0;
  int left = 1;
  for (int i = 0; i < 100 && left; i++) {
    child_run_shell("grep -lxz 98[.]7654 /proc/[0-9]*/cmdline 2>/dev/null | wc -l");
    left = atoi(child.out);
    child.calls = 0;
  }
  assert_int_equal(left, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CHILD_TEST(the_sandbox_denies_writing_and_the_network),
      CHILD_TEST(the_sandbox_takes_every_capability),
      CHILD_TEST(a_writable_folder_stays_writable_in_the_sandbox),
      CHILD_TEST(credentials_are_hidden_in_the_sandbox),
      CHILD_TEST(credentials_are_hidden_whatever_home_says),
      CHILD_TEST(a_time_limit_ends_what_left_the_group_in_the_sandbox),
  };
  return cmocka_run_group_tests_name("process_sandbox", tests, NULL, NULL);
}
