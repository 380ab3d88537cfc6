/* SPDX-License-Identifier: MIT
 *
 * Preparation of a child; see launch.h. Standard input is a memory file: nothing has to be written while the child
 * runs, a child that does not read blocks nothing, and the host gets no SIGPIPE.
 */
#include "process/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/proc_tasks.h"
#include "process/sandbox.h"
#include "util/io_posix.h"

void skill__launch_defaults(SkillProcessLimits *limits) {
  if (limits->time_ms <= 0) limits->time_ms = 60000;
  if (limits->grace_ms <= 0) limits->grace_ms = 200;
  if (!limits->output_bytes) limits->output_bytes = 256 * 1024;
  if (!limits->flood_bytes) limits->flood_bytes = 64 * 1024 * 1024;
  if (!limits->memory_bytes) limits->memory_bytes = (uint64_t)2 * 1024 * 1024 * 1024;
  if (!limits->file_bytes) limits->file_bytes = 256 * 1024 * 1024;
  if (!limits->processes) limits->processes = 128;
  if (!limits->files) limits->files = 1024;
}

void skill__launch_fini(struct skill__launch *launch) {
  int fds[] = {launch->cwd, launch->input, launch->writer[0], launch->writer[1], launch->reader[0], launch->reader[1]};
  for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
    if (fds[i] >= 0) close(fds[i]);
  }
  skill__argv_fini(&launch->argv);
  skill__argv_fini(&launch->env);
}

static int prepare_input(struct skill__launch *launch, const SkillProcessOptions *options, SkillError *err) {
  if (!options->input || !options->input_length) {
    launch->input = skill__spawn_null();
    return launch->input >= 0 ? 0 : skill_error_set(err, SKILL_EIO, "/dev/null: %s", strerror(errno));
  }
  if (options->input_length > SKILL_PROCESS_MAX_INPUT) {
    return skill_error_set(err, SKILL_ELIMIT, "standard input of %zu bytes is more than %d", options->input_length,
                           SKILL_PROCESS_MAX_INPUT);
  }
  launch->input = memfd_create("skillet-input", MFD_CLOEXEC);
  if (launch->input >= 0 && launch->input <= 2) {
    int low = launch->input;
    launch->input = fcntl(low, F_DUPFD_CLOEXEC, 3);
    close(low);
  }
  bool written = launch->input >= 0 && skill__io_write(launch->input, options->input, options->input_length) == 0;
  if (!written || lseek(launch->input, 0, SEEK_SET) != 0) {
    return skill_error_set(err, SKILL_EIO, "standard input cannot be prepared: %s", strerror(errno));
  }
  return 0;
}

static int prepare_folder(struct skill__launch *launch, const SkillProcessOptions *options, SkillError *err) {
  const char *folder = options->folder ? options->folder : ".";
  if (realpath(folder, launch->folder)) launch->cwd = open(launch->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (launch->cwd < 0) {
    return skill_error_set(err, errno == EACCES ? SKILL_EDENIED : SKILL_ENOENT, "the working folder %s: %s", folder,
                           strerror(errno));
  }
  return 0;
}

/* A relative path of a program is relative to the child's working folder, not to the host's. */
static int find_program(struct skill__launch *launch, const SkillProcessOptions *options, char *found,
                        SkillError *err) {
  const char *name = options->argv[0];
  char path[2 * SKILL_MAX_PATH];
  bool below = strchr(name, '/') && name[0] != '/';
  int length = snprintf(path, sizeof path, "%s%s%s", below ? launch->folder : "", below ? "/" : "", name);
  int status = length < 0 || (size_t)length >= sizeof path
                   ? SKILL_ELIMIT
                   : skill__path_find(path, skill__environ_get(&launch->env, "PATH"), found, SKILL_MAX_PATH);
  if (status == SKILL_ENOENT)
    return skill_error_set(err, status, "no program %s is found; install it or set PATH", name);
  if (status == SKILL_EDENIED) return skill_error_set(err, status, "%s is not an executable file", name);
  return status ? skill_error_set(err, status, "the path of %.100s is too long", name) : 0;
}

static int prepare_argv(struct skill__launch *launch, const SkillProcessOptions *options, SkillError *err) {
  const char *wrapper = NULL;
  launch->sandbox = "no sandbox: it is switched off";
  if (options->sandbox != SKILL_SANDBOX_OFF) wrapper = skill__sandbox_program(&launch->sandbox);
  if (options->sandbox == SKILL_SANDBOX_REQUIRED && !wrapper) {
    return skill_error_set(err, SKILL_EUNSUPPORTED, "%s, but a sandbox is required", launch->sandbox);
  }
  launch->sandboxed = wrapper != NULL;
  char found[SKILL_MAX_PATH];
  int status = find_program(launch, options, found, err);
  if (status) return status;
  snprintf(launch->program, sizeof launch->program, "%s", wrapper ? wrapper : found);
  if (wrapper) {
    skill__argv_add(&launch->argv, wrapper);
    skill__sandbox_arguments(&launch->argv, launch->folder, options->writable, options->network,
                             skill__environ_get(&launch->env, "HOME"));
    skill__argv_add(&launch->argv, found);
  } else {
    skill__argv_add(&launch->argv, options->argv[0]);
  }
  skill__argv_all(&launch->argv, options->argv + 1);
  if (launch->argv.status == SKILL_ELIMIT || launch->env.status == SKILL_ELIMIT) {
    return skill_error_set(err, SKILL_ELIMIT, "more than %d arguments or %d bytes of them", SKILL_PROCESS_MAX_ARGUMENTS,
                           SKILL_PROCESS_MAX_BYTES);
  }
  return launch->argv.status ? launch->argv.status : launch->env.status;
}

static void prepare_spec(struct skill__launch *launch, const SkillProcessLimits *limits) {
  unsigned mine = skill__tasks_of_user();
  struct skill__spawn spec = {
      .file = launch->program,
      .argv = launch->argv.items,
      .envp = launch->env.items,
      .cwd = launch->cwd,
      .fd = {launch->input, launch->writer[0], launch->writer[1]},
      .leave_privileges = launch->sandboxed,
      .memory_bytes = limits->memory_bytes,
      .file_bytes = limits->file_bytes,
      .cpu_seconds = (uint64_t)limits->time_ms / 1000 * 16 + 16, /* a backstop if the host's loop is blocked */
      .processes = mine ? (uint64_t)mine + limits->processes + 32 : 0,
      .files = limits->files,
  };
  launch->spec = spec;
}

static int prepare_output(struct skill__launch *launch, SkillError *err) {
  for (int i = 0; i < 2; i++) {
    int fd[2];
    if (skill__spawn_pipe(fd) != 0) return skill_error_set(err, SKILL_EIO, "no pipe: %s", strerror(errno));
    launch->reader[i] = fd[0];
    launch->writer[i] = fd[1];
    if (fcntl(fd[0], F_SETFL, O_NONBLOCK) != 0) return skill_error_set(err, SKILL_EIO, "no pipe: %s", strerror(errno));
  }
  return 0;
}

int skill__launch_prepare(struct skill__launch *launch, const SkillProcessOptions *options,
                          const SkillProcessLimits *limits, SkillError *err) {
  memset(launch, 0, sizeof *launch);
  launch->cwd = launch->input = -1;
  launch->writer[0] = launch->writer[1] = launch->reader[0] = launch->reader[1] = -1;
  skill__environ_clean(&launch->env, options->pass_env, options->env);
  int status = prepare_folder(launch, options, err);
  if (!status) status = prepare_argv(launch, options, err);
  if (!status) status = prepare_input(launch, options, err);
  if (!status) status = prepare_output(launch, err);
  if (!status) prepare_spec(launch, limits);
  return status;
}
