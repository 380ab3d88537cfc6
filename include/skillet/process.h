/* SPDX-License-Identifier: MIT
 *
 * Child processes, such as the scripts of skills, on the host's libuv loop.
 *
 * A child runs without a shell, in its own session and process group, in a working folder, with a clean environment
 * and with limits on time, output, memory, file size and processes. Only standard output, standard error and the exit
 * status are returned; what is left of the group is killed when the child ends. If bubblewrap works, the child sees a
 * read-only file system, a private /tmp and no network; the result says whether it did.
 *
 * Threads. A process belongs to the thread of its loop. A start that fails never calls back. One that returns 0 calls
 * back exactly once, inside the loop, and then the process no longer exists. Spawning works like vfork, so its cost
 * does not depend on the host's memory. The end of a child is observed through a pidfd, so the host's SIGCHLD handling
 * is neither needed nor changed. If the host reaps every child or ignores SIGCHLD, the exit status is lost, and the
 * result is SKILL_EREMOTE.
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
  SKILL_SANDBOX_AUTO = 0, /* bubblewrap if it works, else no sandbox; the result says which */
  SKILL_SANDBOX_OFF,
  SKILL_SANDBOX_REQUIRED /* SKILL_EUNSUPPORTED if it does not work */
} SkillSandbox;

/* What one child may use. 0 means the default in brackets. The struct is the last member of SkillProcessOptions, so
 * both can grow. */
typedef struct SkillProcessLimits {
  int64_t time_ms;       /* wall time [60,000]; SKILL_ETIMEDOUT */
  int64_t grace_ms;      /* between SIGTERM and SIGKILL [200] */
  size_t output_bytes;   /* [256 KiB] kept of each stream: its beginning and its end; the bytes between are counted */
  size_t flood_bytes;    /* [64 MiB] written to one stream; above it the child is killed: SKILL_ELIMIT */
  uint64_t memory_bytes; /* [2 GiB] data of each process (RLIMIT_DATA), and resident memory of all; SKILL_ELIMIT */
  uint64_t file_bytes;   /* [256 MiB] of one file that it writes */
  unsigned processes;    /* processes and threads at once [128]; SKILL_ELIMIT. By RLIMIT_NPROC (on top of what the
                            user already runs; the kernel exempts root) and by a watch every 50 ms */
  unsigned files;        /* [1,024] open descriptors of each process */
} SkillProcessLimits;

typedef struct SkillProcessOptions {
  size_t size;             /* sizeof(SkillProcessOptions) */
  const char *const *argv; /* NULL-terminated, copied; argv[0] without '/' is looked up in the child's PATH */
  const char *folder;      /* working folder; NULL: the host's. Always readable in the sandbox */
  const char *input;       /* standard input, copied; NULL: end of file at once */
  size_t input_length;
  const char *const *env;      /* NULL-terminated "NAME=value", added to the clean environment; may be NULL */
  const char *const *pass_env; /* NULL-terminated names that are copied from the host's environment; may be NULL */
  SkillSandbox sandbox;
  bool network;                /* allow the network in the sandbox */
  const char *const *writable; /* NULL-terminated folders that are writable in the sandbox; may be NULL */
  SkillProcessLimits limits;
} SkillProcessOptions;

#define SKILL_PROCESS_OPTIONS_INIT                                                                   \
  {                                                                                                  \
    sizeof(SkillProcessOptions), NULL, NULL, NULL, 0, NULL, NULL, SKILL_SANDBOX_AUTO, false, NULL, { \
      0, 0, 0, 0, 0, 0, 0, 0                                                                         \
    }                                                                                                \
  }

/* The result. Everything is borrowed until the callback returns. */
typedef struct SkillProcessResult {
  int status;          /* 0: it ended, see exit_code and signal; SKILL_ETIMEDOUT, SKILL_ELIMIT, SKILL_ECANCELED: it was
                          killed; SKILL_EREMOTE: its status was lost */
  const char *message; /* one clause about a status that is not 0; else NULL */
  int exit_code;       /* 0 to 255; -1: it did not exit */
  int signal;          /* that killed it; 0: none */
  const char *out;     /* the kept part of standard output; NUL-terminated, may contain NUL bytes */
  size_t out_length;
  uint64_t out_total; /* bytes written; if some were dropped, a line in `out` says how many */
  const char *err;    /* the same for standard error */
  size_t err_length;
  uint64_t err_total;
  bool sandboxed;
  const char *sandbox; /* one clause: how it was confined, or why it was not; never NULL */
  int64_t elapsed_ms;
} SkillProcessResult;

typedef void (*SkillProcessCb)(const SkillProcessResult *result, void *user);

/* Starts a child. `out` (may be NULL) receives the process, borrowed until its callback has run. SKILL_EINVAL
 * (options), SKILL_ELIMIT (too many arguments or descriptors), SKILL_ENOENT (no such program or folder), SKILL_EDENIED
 * (not executable), SKILL_EUNSUPPORTED (sandbox required), SKILL_ENOMEM, SKILL_EIO. */
SKILL_API int skill_process_start(struct uv_loop_s *loop, const SkillProcessOptions *options, SkillProcessCb cb,
                                  void *user, SkillProcess **out, SkillError *err);

/* Kills the child's group; the callback still runs, once, with SKILL_ECANCELED unless the child had already ended. */
SKILL_API void skill_process_cancel(SkillProcess *process);

/* Returns the child's process id, for logs. */
SKILL_API int skill_process_pid(const SkillProcess *process);

/* Returns whether the sandbox works: bubblewrap is installed and the kernel permits it. Tested once in the life of the
 * host process, for at most two seconds. `reason` (may be NULL) receives one static clause. Any thread. */
SKILL_API bool skill_sandbox_works(const char **reason);

/* A script of a folder skill, or one of its typed tools. */
typedef struct SkillScript {
  size_t size;                /* sizeof(SkillScript) */
  const char *folder;         /* the skill's folder, absolute */
  const char *skill;          /* its name, for the environment (SKILL_NAME); may be NULL */
  const char *command;        /* path below the folder, followed by fixed arguments separated by blanks */
  const char *input_schema;   /* how arguments become a command line (docs/scripts.md); may be NULL */
  const char *arguments_json; /* an object that matches the schema, or an array of strings; NULL: none */
} SkillScript;

#define SKILL_SCRIPT_INIT \
  { sizeof(SkillScript), NULL, NULL, NULL, NULL, NULL }

/* Starts a script. Finds it below the folder by the rules of resources (no "..", no link that leads out, regular files
 * only) and its interpreter by the first line or the extension, and makes a command line from the arguments. `options`
 * (may be NULL) gives limits, environment and sandbox; its argv, folder and input are ignored. The environment contains
 * SKILL_DIR and SKILL_NAME. Errors as skill_process_start; SKILL_EDENIED: the path leads out of the folder, or the file
 * was replaced during the start; SKILL_EINVAL: not a regular file; SKILL_EPARSE: arguments or schema;
 * SKILL_EUNSUPPORTED: no interpreter is known for this file. */
SKILL_API int skill_script_start(struct uv_loop_s *loop, const SkillScript *script, const SkillProcessOptions *options,
                                 SkillProcessCb cb, void *user, SkillProcess **out, SkillError *err);

/* Makes the text that a model gets: standard output; if the child failed or wrote to standard error, also that,
 * labelled, with the exit status. Invalid UTF-8 and NUL become U+FFFD. Owned: release with skill_free. `status`
 * receives 0, SKILL_EFAILED if the exit code was not 0, or the status of the result. */
SKILL_API int skill_process_result_text(const SkillProcessResult *result, char **text, size_t *length, int *status);

SKILL_END

#endif
