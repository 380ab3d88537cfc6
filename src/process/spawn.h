/* SPDX-License-Identifier: MIT
 *
 * Starts a program in its own session: no shell, only the three given descriptors are inherited, resource limits are
 * set before its first instruction. The child shares the parent's memory until exec (vfork), so the size of the parent
 * does not matter, and the code in the child makes only system calls.
 */
#ifndef SKILL_PROCESS_SPAWN_H
#define SKILL_PROCESS_SPAWN_H

#include <sys/types.h>

#include "skillet/error.h"

/* A file that was checked before the start. The caller keeps the file open until the start is complete, so that its
 * inode number cannot be reused. */
struct skill__expect {
  const char *path; /* below the working folder */
  uint64_t dev;
  uint64_t ino;
  bool run; /* the program itself: without a sandbox it is executed through the checked descriptor */
};

struct skill__spawn {
  const char *file; /* absolute, or relative to `cwd` */
  char *const *argv;
  char *const *envp;
  int cwd;               /* open folder; -1: the parent's */
  int fd[3];             /* become 0, 1, 2; all above 2 */
  bool leave_privileges; /* do not set no_new_privs: the program is bwrap, which may be set-user-ID */
  uint64_t memory_bytes; /* 0 of any: not limited */
  uint64_t file_bytes;
  uint64_t cpu_seconds;
  uint64_t processes; /* RLIMIT_NPROC */
  uint64_t files;
  const struct skill__expect *expect; /* checked shortly before exec; may be NULL */
};

/* Starts it. *pidfd becomes readable when it ends; -1: the kernel has no pidfds. Reap with waitpid(pid).
 * SKILL_ENOENT, SKILL_EDENIED (also: `expect` does not hold), SKILL_EIO, with the reason. */
int skill__spawn(const struct skill__spawn *spec, pid_t *pid, int *pidfd, SkillError *err);

/* A pipe with both ends above 2 and close-on-exec. */
int skill__spawn_pipe(int fd[2]);

/* /dev/null for reading and writing, above 2 and close-on-exec; -1 on failure. */
int skill__spawn_null(void);

#endif
