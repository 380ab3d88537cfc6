/* SPDX-License-Identifier: MIT
 *
 * vfork, limits, exec; see spawn.h. posix_spawn cannot set resource limits, and limits set from outside after the start
 * would come too late; so these steps are done here. A close-on-exec pipe returns the step that failed and its errno,
 * which also works if a sanitizer turns vfork into fork.
 */
#include "process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/io_posix.h"

enum step { STEP_NONE, STEP_SESSION, STEP_DESCRIPTORS, STEP_FOLDER, STEP_EXPECT, STEP_LIMITS, STEP_EXEC };

struct failure {
  int step;
  int error;
};

static int above_stdio(int fd) {
  if (fd < 0 || fd > 2) return fd;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  close(fd);
  return moved;
}

int skill__spawn_pipe(int fd[2]) {
  int made[2];
  if (pipe2(made, O_CLOEXEC) != 0) return SKILL_EIO;
  made[0] = above_stdio(made[0]);
  made[1] = above_stdio(made[1]);
  if (made[0] < 0 || made[1] < 0) {
    if (made[0] >= 0) close(made[0]);
    if (made[1] >= 0) close(made[1]);
    return SKILL_EIO;
  }
  fd[0] = made[0];
  fd[1] = made[1];
  return 0;
}

int skill__spawn_null(void) {
  return above_stdio(open("/dev/null", O_RDWR | O_CLOEXEC));
}

/* ---- the child's half: system calls only ---- */

static void reset_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  for (int sig = 1; sig < NSIG; sig++) sigaction(sig, &action, NULL);
}

/* Marks every descriptor above 2 close-on-exec. */
static void close_inherited(void) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 3U, UINT_MAX, 4U /* CLOSE_RANGE_CLOEXEC */) == 0) return;
#endif
  struct rlimit limit;
  int top = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536;
  for (int fd = 3; fd < top; fd++) {
    int flags = fcntl(fd, F_GETFD);
    if (flags >= 0) fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
  }
}

static int limit_to(int resource, uint64_t value) {
  struct rlimit limit;
  if (value == 0) return 0;
  if (getrlimit((__rlimit_resource_t)resource, &limit) != 0) return -1;
  if (limit.rlim_max != RLIM_INFINITY && value > limit.rlim_max) value = limit.rlim_max;
  limit.rlim_cur = limit.rlim_max = (rlim_t)value;
  return setrlimit((__rlimit_resource_t)resource, &limit);
}

static int set_limits(const struct skill__spawn *spec) {
  struct rlimit none = {0, 0};
  return setrlimit(RLIMIT_CORE, &none) || limit_to(RLIMIT_DATA, spec->memory_bytes) ||
         limit_to(RLIMIT_FSIZE, spec->file_bytes) || limit_to(RLIMIT_CPU, spec->cpu_seconds) ||
         limit_to(RLIMIT_NPROC, spec->processes) || limit_to(RLIMIT_NOFILE, spec->files);
}

static int descriptors(const struct skill__spawn *spec) {
  for (int i = 0; i < 3; i++) {
    if (dup2(spec->fd[i], i) < 0) return -1;
  }
  close_inherited();
  return 0;
}

/* Opens the expected file; -1 with errno if another file is at its path now. */
static int open_expected(const struct skill__expect *expect) {
  struct stat info;
  int fd = open(expect->path, O_PATH | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &info) != 0) return -1;
  if ((uint64_t)info.st_dev == expect->dev && (uint64_t)info.st_ino == expect->ino) return fd;
  errno = ESTALE;
  return -1;
}

static void execute(const struct skill__spawn *spec, int fd) {
  if (fd >= 0 && spec->expect->run && !spec->leave_privileges) {
    syscall(SYS_execveat, fd, "", spec->argv, spec->envp, AT_EMPTY_PATH);
  } else {
    execve(spec->file, spec->argv, spec->envp);
  }
}

__attribute__((noinline, noreturn)) static void child(const struct skill__spawn *spec, int report) {
  struct failure failure = {STEP_SESSION, 0};
  sigset_t none;
  int expected = -1;
  if (setsid() < 0) goto out;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  reset_signals();
  failure.step = STEP_DESCRIPTORS;
  if (descriptors(spec) != 0) goto out;
  failure.step = STEP_FOLDER;
  if (spec->cwd >= 0 && fchdir(spec->cwd) != 0) goto out;
  failure.step = STEP_EXPECT;
  if (spec->expect && (expected = open_expected(spec->expect)) < 0) goto out;
  failure.step = STEP_LIMITS;
  if (set_limits(spec) != 0) goto out;
  if (!spec->leave_privileges && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) goto out;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  failure.step = STEP_EXEC;
  execute(spec, expected);
out:
  failure.error = errno;
  while (write(report, &failure, sizeof failure) < 0 && errno == EINTR) continue;
  _exit(127);
}

/* ---- the parent's half ---- */

/* Signals are blocked: a handler of the host must not run in the child, which shares the host's memory. */
__attribute__((noinline)) static pid_t start(const struct skill__spawn *spec, int report) {
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pid_t pid = vfork();
  /* The child makes only system calls, in its own stack frame, then exec or _exit. */
  if (pid == 0) child(spec, report); /* NOLINT(clang-analyzer-unix.Vfork) */
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  errno = error;
  return pid;
}

static int explain(const struct failure *failure, const char *file, SkillError *err) {
  static const char *const what[] = {"cannot be started",
                                     "a new session is refused",
                                     "its descriptors cannot be set",
                                     "its folder cannot be entered",
                                     "the script was replaced while it was started",
                                     "its limits cannot be set",
                                     "cannot be executed"};
  if (failure->error == ESTALE) return skill_error_set(err, SKILL_EDENIED, "%s", what[failure->step]);
  char text[128];
  const char *reason = strerror_r(failure->error, text, sizeof text);
  return skill_error_set(err, skill__io_status(failure->error), "%s: %s: %s", file, what[failure->step], reason);
}

int skill__spawn(const struct skill__spawn *spec, pid_t *pid, int *pidfd, SkillError *err) {
  struct failure failure = {STEP_NONE, 0};
  int report[2];
  if (skill__spawn_pipe(report) != 0) {
    failure.error = errno;
    return explain(&failure, spec->file, err);
  }
  pid_t started = start(spec, report[1]);
  if (started < 0) failure.error = errno;
  close(report[1]);
  ssize_t got = 0;
  if (started > 0) {
    do got = read(report[0], &failure, sizeof failure);
    while (got < 0 && errno == EINTR);
  }
  close(report[0]);
  if (started < 0) return explain(&failure, spec->file, err);
  if (got == (ssize_t)sizeof failure) {
    while (waitpid(started, NULL, 0) < 0 && errno == EINTR) continue;
    return explain(&failure, spec->file, err);
  }
  *pid = started;
  *pidfd = -1;
#ifdef SYS_pidfd_open
  *pidfd = (int)syscall(SYS_pidfd_open, started, 0U); /* always close-on-exec */
#endif
  return 0;
}
