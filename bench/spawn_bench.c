/* SPDX-License-Identifier: MIT
 *
 * The overhead of running a script: the time from skill_process_start to the callback, compared with posix_spawn + pipe
 * + read + wait for the same command, in turn, from a small parent and from one with 512 MB resident memory. The
 * sandbox is compared with posix_spawn of the same bubblewrap command line. Ratios are of medians; the goal is at most
 * 1.3.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "process/sandbox.h"
#include "skillet/process.h"

#define ROUNDS 400
#define RESIDENT (512u * 1024 * 1024)

extern char **environ;

static uv_loop_t loop;
static int answered;

static void die(const char *what) {
  fprintf(stderr, "spawn_bench: %s\n", what);
  exit(1);
}

static void on_result(const SkillProcessResult *result, void *user) {
  (void)user;
  if (result->status || result->exit_code || strcmp(result->out, "hi\n") != 0)
    die("the library's child answered wrongly");
  answered++;
}

static double library(char *const *argv, SkillSandbox sandbox) {
  SkillProcessOptions options = SKILL_PROCESS_OPTIONS_INIT;
  options.argv = (const char *const *)argv;
  options.sandbox = sandbox;
  options.folder = "/";
  uint64_t start = uv_hrtime();
  answered = 0;
  if (skill_process_start(&loop, &options, on_result, NULL, NULL, NULL) != 0) die("cannot start");
  uv_run(&loop, UV_RUN_DEFAULT);
  if (answered != 1) die("no callback");
  return (double)(uv_hrtime() - start) / 1000;
}

static double floor_of(char *const *argv) {
  uint64_t start = uv_hrtime();
  int fd[2];
  if (pipe2(fd, O_CLOEXEC) != 0) die("pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fd[1], 1);
  pid_t pid;
  if (posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) != 0) die("posix_spawn");
  posix_spawn_file_actions_destroy(&actions);
  close(fd[1]);
  char text[64];
  size_t length = 0;
  for (ssize_t got; (got = read(fd[0], text + length, sizeof text - 1 - length)) > 0;) length += (size_t)got;
  close(fd[0]);
  int status;
  if (waitpid(pid, &status, 0) != pid || status != 0) die("wait");
  text[length] = '\0';
  if (strcmp(text, "hi\n") != 0) die("the floor's child answered wrongly");
  return (double)(uv_hrtime() - start) / 1000;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static void compare(const char *label, char *const *command, char *const *floor_command, SkillSandbox sandbox,
                    int rounds) {
  static double mine[ROUNDS];
  static double theirs[ROUNDS];
  for (int i = 0; i < rounds; i++) {
    theirs[i] = floor_of(floor_command);
    mine[i] = library(command, sandbox);
  }
  qsort(mine, (size_t)rounds, sizeof *mine, ascending);
  qsort(theirs, (size_t)rounds, sizeof *theirs, ascending);
  int mid = rounds / 2;
  printf("%-28s library %7.0f us (min %6.0f)   floor %7.0f us (min %6.0f)   ratio %.2f (of minima %.2f)\n", label,
         mine[mid], mine[0], theirs[mid], theirs[0], mine[mid] / theirs[mid], mine[0] / theirs[0]);
}

int main(void) {
  char echo[] = "/bin/echo";
  char hi[] = "hi";
  char *command[] = {echo, hi, NULL};
  if (uv_loop_init(&loop) != 0) die("loop");
  compare("small parent", command, command, SKILL_SANDBOX_OFF, ROUNDS);
  const char *reason;
  if (skill_sandbox_works(&reason)) {
    struct skill__argv argv = {0};
    skill__argv_add(&argv, skill__sandbox_program(NULL));
    skill__sandbox_arguments(&argv, "/", NULL, false, getenv("HOME"));
    skill__argv_add(&argv, echo);
    skill__argv_add(&argv, hi);
    compare("sandboxed, small parent", command, argv.items, SKILL_SANDBOX_REQUIRED, ROUNDS / 8);
    skill__argv_fini(&argv);
  } else {
    printf("sandboxed: %s\n", reason);
  }
  char *memory = malloc(RESIDENT);
  if (!memory) die("memory");
  for (size_t i = 0; i < RESIDENT; i += 4096) memory[i] = (char)i;
  compare("512 MB resident parent", command, command, SKILL_SANDBOX_OFF, ROUNDS);
  free(memory);
  uv_loop_close(&loop);
  return 0;
}
