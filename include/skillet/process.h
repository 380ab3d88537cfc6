/* SPDX-License-Identifier: MIT
 *
 * Child processes: the scripts of skills, on the host's libuv loop.
 *
 * A child runs without a shell, in a session and process group of its own, at a working folder, with a clean
 * environment and with limits on time, output, memory, file size and processes. Only standard output, standard error
 * and the exit status come back; whatever is left of the group is killed when the child ends. Where bubblewrap works
 * the child sees a read-only file system, a private /tmp and no network; the result says whether it did.
 *
 * Threads: a process belongs to the thread of its loop. A start that fails never calls back; one that returns 0 calls
 * back exactly once, inside the loop, after which the process is gone.
 * Spawning is done as vfork does it, so its cost does not grow with the host's memory, and the end of a child is seen
 * through a pidfd: the host's SIGCHLD handling is neither needed nor touched (a host that reaps every child itself,
 * or ignores SIGCHLD, loses the exit status: the result says SKILL_EREMOTE).
 */
#ifndef SKILLET_PROCESS_H
#define SKILLET_PROCESS_H

#include "skillet/skill.h"

SKILL_BEGIN

struct uv_loop_s;
typedef struct SkillProcess SkillProcess; /* one running child; opaque */

#define SKILL_PROCESS_MAX_ARGUMENTS 4096          /* items of argv; refused above */
#define SKILL_PROCESS_MAX_BYTES (2 * 1024 * 1024) /* argv and environment together, bytes; refused above */
#define SKILL_PROCESS_MAX_INPUT (64 * 1024 * 1024)

typedef enum SkillSandbox {
  SKILL_SANDBOX_AUTO = 0, /* bubblewrap where it works, else without; the result says which */
  SKILL_SANDBOX_OFF,
  SKILL_SANDBOX_REQUIRED /* SKILL_EUNSUPPORTED where it does not work */
} SkillSandbox;

/* What one child may use. A member that is 0 means the default in brackets. */
typedef struct SkillProcessLimits {
  int64_t time_ms;       /* wall time [60,000]; SKILL_ETIMEDOUT */
  int64_t grace_ms;      /* between SIGTERM and SIGKILL [200] */
  size_t output_bytes;   /* kept of each stream [256 KiB]: its head and its tail; what lies between is counted */
  size_t flood_bytes;    /* written to one stream in all [64 MiB]; above it the child is ended: SKILL_ELIMIT */
  uint64_t memory_bytes; /* data of each process (RLIMIT_DATA), and resident memory of all [2 GiB]; SKILL_ELIMIT */
  uint64_t file_bytes;   /* of one file that it writes [256 MiB] */
  unsigned processes;    /* processes and threads at once [128]; SKILL_ELIMIT. By RLIMIT_NPROC (on top of what the
                            user already runs; the kernel exempts root) and by a watch every 50 ms */
  unsigned files;        /* open descriptors of each process [1,024] */
} SkillProcessLimits;

typedef struct SkillProcessOptions {
  size_t size;             /* sizeof(SkillProcessOptions) */
  const char *const *argv; /* NULL-terminated, copied; argv[0] without '/' is looked up in the child's PATH */
  const char *folder;      /* working folder; NULL: the host's. Readable in the sandbox wherever it lies */
  const char *input;       /* standard input, copied; NULL: the child reads end of file at once */
  size_t input_length;
  const char *const *env;      /* NULL-terminated "NAME=value" on top of the clean environment; may be NULL */
  const char *const *pass_env; /* NULL-terminated names taken over from the host's environment; may be NULL */
  SkillSandbox sandbox;
  bool network;                /* the sandbox leaves the network open */
  const char *const *writable; /* NULL-terminated folders that stay writable in the sandbox; may be NULL */
  SkillProcessLimits limits;
} SkillProcessOptions;

#define SKILL_PROCESS_OPTIONS_INIT                                                                   \
  {                                                                                                  \
    sizeof(SkillProcessOptions), NULL, NULL, NULL, 0, NULL, NULL, SKILL_SANDBOX_AUTO, false, NULL, { \
      0, 0, 0, 0, 0, 0, 0, 0                                                                         \
    }                                                                                                \
  }

/* What came back. Everything is borrowed until the callback returns. */
typedef struct SkillProcessResult {
  int status; /* 0: it ended by itself, see exit_code and signal; SKILL_ETIMEDOUT, SKILL_ELIMIT, SKILL_ECANCELED:
                 it was ended; SKILL_EREMOTE: its status was lost */
  const char *message; /* one clause about a status that is not 0; else NULL */
  int exit_code;       /* 0 to 255; -1 where it did not exit by itself */
  int signal;          /* that ended it; 0: none */
  const char *out;     /* standard output: what was kept of it; NUL-terminated, may hold NUL bytes */
  size_t out_length;
  uint64_t out_total; /* bytes it wrote; more than the limit kept: a line in the middle of `out` says how many lack */
  const char *err;    /* standard error, in the same way */
  size_t err_length;
  uint64_t err_total;
  bool sandboxed;
  const char *sandbox; /* one clause: how it was confined, or why not; never NULL */
  int64_t elapsed_ms;
} SkillProcessResult;

typedef void (*SkillProcessCb)(const SkillProcessResult *result, void *user);

/* Starts a child. `out` (may be NULL) receives the process, borrowed until its callback has run.
 * SKILL_EINVAL (options), SKILL_ELIMIT (too many arguments), SKILL_ENOENT (no such program or folder), SKILL_EDENIED
 * (not executable), SKILL_EUNSUPPORTED (sandbox required), SKILL_ENOMEM, SKILL_EIO. */
SKILL_API int skill_process_start(struct uv_loop_s *loop, const SkillProcessOptions *options, SkillProcessCb cb,
                                  void *user, SkillProcess **out, SkillError *err);

/* Ends the child's group; the callback still comes, once, with SKILL_ECANCELED unless the child had ended before. */
SKILL_API void skill_process_cancel(SkillProcess *process);

/* The child's process id, for logs. */
SKILL_API int skill_process_pid(const SkillProcess *process);

/* Whether the sandbox works here: bubblewrap is installed and the kernel lets it. Tried once in the life of the
 * process, for at most two seconds. `reason` (may be NULL) receives one clause; static. Any thread. */
SKILL_API bool skill_sandbox_works(const char **reason);

/* A script of a folder skill, or one of its typed tools. */
typedef struct SkillScript {
  size_t size;                /* sizeof(SkillScript) */
  const char *folder;         /* the skill's folder, absolute */
  const char *skill;          /* its name, for the environment (SKILL_NAME); may be NULL */
  const char *command;        /* path below the folder, then fixed arguments separated by blanks */
  const char *input_schema;   /* says how arguments become a command line (docs/scripts.md); may be NULL */
  const char *arguments_json; /* an object by the schema, or an array of strings taken as they are; NULL: none */
} SkillScript;

#define SKILL_SCRIPT_INIT \
  { sizeof(SkillScript), NULL, NULL, NULL, NULL, NULL }

/* Starts a script: finds it below the folder by the rules of resources (no "..", no link that leads out, regular files
 * only), its interpreter by the first line or the extension, and turns the arguments into a command line.
 * `options` (may be NULL) gives limits, environment and sandbox; its argv, folder and input are not looked at.
 * The environment has SKILL_DIR and SKILL_NAME. Errors as skill_process_start; SKILL_EDENIED: the path leads out of
 * the folder, or another file took its place while it was started; SKILL_EINVAL: not a regular file; SKILL_EPARSE:
 * arguments or schema; SKILL_EUNSUPPORTED: nothing says how to run this file. */
SKILL_API int skill_script_start(struct uv_loop_s *loop, const SkillScript *script, const SkillProcessOptions *options,
                                 SkillProcessCb cb, void *user, SkillProcess **out, SkillError *err);

/* What a model is told of a result: standard output; where the child failed or wrote to standard error, that too,
 * labelled, with the exit status. Invalid UTF-8 and NUL become U+FFFD. Owned: release with skill_free.
 * `status` receives 0, or SKILL_EFAILED where the exit code was not 0, or the result's own status. */
SKILL_API int skill_process_result_text(const SkillProcessResult *result, char **text, size_t *length, int *status);

SKILL_END

#endif
