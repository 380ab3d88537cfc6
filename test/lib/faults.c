/* SPDX-License-Identifier: MIT
 *
 * See faults.h. The counters are in shared memory: a sanitizer may turn vfork into fork, and the calls of the child
 * count too.
 */
#include "lib/faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "lib/check.h"

enum { SITES = 512, MOST_OF_ONE = 3 };

static struct shared {
  size_t made;
  size_t at; /* 0: none */
  enum fault fault;
  const char *met;
  struct {
    const void *at; /* a return address */
    unsigned calls;
  } sites[SITES];
} * shared;

static _Thread_local bool armed;

/* Only the first calls from each place in the code count, because loops would make a sweep endless. */
static bool counts(const void *site) {
  size_t i = (uintptr_t)site % SITES;
  while (shared->sites[i].at && shared->sites[i].at != site) i = (i + 1) % SITES;
  shared->sites[i].at = site;
  return ++shared->sites[i].calls <= MOST_OF_ONE;
}

/* Whether this call is the one that fails. */
static bool chosen(const char *name, const void *site) {
  if (!armed || !shared->at || !counts(site) || ++shared->made != shared->at) return false;
  shared->met = name;
  return true;
}

static bool refused(const char *name, int error, const void *site) {
  if (!armed || shared->fault != FAULT_ERROR || !chosen(name, site)) return false;
  errno = error;
  return true;
}

/* For calls that a signal may interrupt, or that may transfer less than requested. */
static bool refused_transfer(const char *name, int error, size_t *size, const void *site) {
  if (!armed || !chosen(name, site)) return false;
  if (shared->fault == FAULT_SHORT) {
    *size = *size ? 1 : 0;
    return false;
  }
  errno = shared->fault == FAULT_INTERRUPT ? EINTR : error;
  return true;
}

static void run_once(enum fault fault, size_t at, void (*body)(void *user), void *user) {
  *shared = (struct shared){.at = at, .fault = fault};
  armed = true;
  body(user);
  armed = false;
}

size_t faults_run(enum fault fault, void (*body)(void *user), void *user) {
  if (!shared) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
  }
  run_once(fault, 0, body, user);
  size_t count = 0;
  for (;;) {
    run_once(fault, count + 1, body, user);
    if (!shared->met) return count;
    count++;
  }
}

const char *faults_met(void) {
  return shared ? shared->met : NULL;
}

void faults_relent(void) {
  if (shared) shared->at = 0;
}

int faults_tear_down(void **state) {
  (void)state;
  if (armed) print_error("with call %zu (%s) failing\n", shared->at, shared->met ? shared->met : "none yet");
  armed = false;
  return 0;
}

/* ---- wrappers: the linker renames skillet's calls to these, and the C library's functions to __real_ ------------- */

#define HERE __builtin_return_address(0)

#define WRAP(type, name, parameters, arguments, error)                       \
  extern type __real_##name parameters;                                      \
  type __wrap_##name parameters;                                             \
  type __wrap_##name parameters {                                            \
    return refused(#name, error, HERE) ? (type)-1 : __real_##name arguments; \
  }

WRAP(int, pipe2, (int fd[2], int flags), (fd, flags), EMFILE)
WRAP(int, memfd_create, (const char *name, unsigned flags), (name, flags), EMFILE)
WRAP(int, dup2, (int from, int to), (from, to), EMFILE)
WRAP(off_t, lseek, (int fd, off_t offset, int whence), (fd, offset, whence), EIO)
WRAP(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options), ECHILD)
WRAP(pid_t, setsid, (void), (), EPERM)
WRAP(int, fchdir, (int fd), (fd), EACCES)
WRAP(int, setrlimit, (__rlimit_resource_t what, const struct rlimit *limit), (what, limit), EPERM)
WRAP(int, getrlimit, (__rlimit_resource_t what, struct rlimit *limit), (what, limit), EINVAL)
WRAP(int, execve, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp), EACCES)
WRAP(int, kill, (pid_t pid, int signal), (pid, signal), EPERM)
WRAP(int, stat, (const char *path, struct stat *info), (path, info), EIO)
WRAP(int, fstat, (int fd, struct stat *info), (fd, info), EIO)
WRAP(int, fstatat, (int dir, const char *path, struct stat *info, int flags), (dir, path, info, flags), EIO)
WRAP(int, access, (const char *path, int mode), (path, mode), EACCES)
WRAP(int, fsync, (int fd), (fd), EIO)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), EPERM)
WRAP(int, mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode), EACCES)
WRAP(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags), EACCES)
WRAP(int, renameat, (int from, const char *path, int to, const char *name), (from, path, to, name), EACCES)
WRAP(ssize_t, getdents64, (int fd, void *buffer, size_t size), (fd, buffer, size), EIO)
WRAP(int, ftruncate, (int fd, off_t length), (fd, length), EIO)
WRAP(ssize_t, readlinkat, (int dir, const char *path, char *buffer, size_t size), (dir, path, buffer, size), EIO)

#define WRAP_POINTER(type, name, parameters, arguments, error)           \
  extern type __real_##name parameters;                                  \
  type __wrap_##name parameters;                                         \
  type __wrap_##name parameters {                                        \
    return refused(#name, error, HERE) ? NULL : __real_##name arguments; \
  }

WRAP_POINTER(char *, realpath, (const char *path, char *out), (path, out), EACCES)
WRAP_POINTER(DIR *, opendir, (const char *path), (path), EMFILE)
WRAP_POINTER(DIR *, fdopendir, (int fd), (fd), EMFILE)
WRAP_POINTER(struct dirent *, readdir, (DIR * dir), (dir), EIO)

extern ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __wrap_read(int fd, void *buffer, size_t size);
ssize_t __wrap_read(int fd, void *buffer, size_t size) {
  return refused_transfer("read", EIO, &size, HERE) ? -1 : __real_read(fd, buffer, size);
}

extern ssize_t __real_pread(int fd, void *buffer, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset) {
  return refused_transfer("pread", EIO, &size, HERE) ? -1 : __real_pread(fd, buffer, size, offset);
}

extern ssize_t __real_write(int fd, const void *buffer, size_t size);
ssize_t __wrap_write(int fd, const void *buffer, size_t size);
ssize_t __wrap_write(int fd, const void *buffer, size_t size) {
  return refused_transfer("write", ENOSPC, &size, HERE) ? -1 : __real_write(fd, buffer, size);
}

extern pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options) {
  size_t size = 0;
  bool no = armed && shared->fault != FAULT_SHORT && refused_transfer("waitpid", ECHILD, &size, HERE);
  return no ? -1 : __real_waitpid(pid, status, options);
}

extern int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  return refused("open", EMFILE, HERE) ? -1 : __real_open(path, flags, mode);
}

extern int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  return refused("openat", EMFILE, HERE) ? -1 : __real_openat(dir, path, flags, mode);
}

extern int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  long value = va_arg(list, long); /* missing for some commands, and not used then */
  va_end(list);
  return refused("fcntl", EMFILE, HERE) ? -1 : __real_fcntl(fd, command, value);
}

extern int __real_prctl(int option, ...);
int __wrap_prctl(int option, ...);
int __wrap_prctl(int option, ...) {
  va_list list;
  va_start(list, option);
  unsigned long a = va_arg(list, unsigned long);
  unsigned long b = va_arg(list, unsigned long);
  unsigned long c = va_arg(list, unsigned long);
  unsigned long d = va_arg(list, unsigned long);
  va_end(list);
  return refused("prctl", EINVAL, HERE) ? -1 : __real_prctl(option, a, b, c, d);
}

extern long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...) {
  long a[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  return refused("syscall", ENOSYS, HERE) ? -1 : __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

extern int __real_uv_poll_init(uv_loop_t *loop, uv_poll_t *poll, int fd);
int __wrap_uv_poll_init(uv_loop_t *loop, uv_poll_t *poll, int fd);
int __wrap_uv_poll_init(uv_loop_t *loop, uv_poll_t *poll, int fd) {
  return refused("uv_poll_init", ENOSPC, HERE) ? UV_ENOSPC : __real_uv_poll_init(loop, poll, fd);
}

/* vfork returns twice into its caller's frame, so a wrapper must have left that frame before the second return. */
#if defined(__x86_64__) || defined(__aarch64__)
int faults_refuse_vfork(void);
int faults_refuse_vfork(void) {
  return refused("vfork", EAGAIN, (const void *)shared);
}
#endif
#if defined(__x86_64__)
__asm__(
    ".text\n.globl __wrap_vfork\n.type __wrap_vfork,@function\n__wrap_vfork:\n"
    "  endbr64\n  sub $8,%rsp\n  call faults_refuse_vfork@PLT\n  add $8,%rsp\n  test %eax,%eax\n  jnz 1f\n"
    "  jmp __real_vfork@PLT\n1:\n  mov $-1,%eax\n  ret\n.size __wrap_vfork,.-__wrap_vfork\n");
#elif defined(__aarch64__)
__asm__(
    ".text\n.globl __wrap_vfork\n.type __wrap_vfork,%function\n__wrap_vfork:\n"
    "  stp x29,x30,[sp,#-16]!\n  bl faults_refuse_vfork\n  ldp x29,x30,[sp],#16\n  cbnz w0,1f\n"
    "  b __real_vfork\n1:\n  mov w0,#-1\n  ret\n.size __wrap_vfork,.-__wrap_vfork\n");
#endif
