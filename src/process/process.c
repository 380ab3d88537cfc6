/* SPDX-License-Identifier: MIT
 *
 * SkillProcess: one child on a libuv loop; see <skillet/process.h>.
 *
 *   start     argv, environment, sandbox -> spawn -> poll handles on stdout, stderr and the pidfd, one timer
 *   running   output is captured; the timer checks the deadline, and every WATCH_MS the size of the group
 *   ending    after a limit or a cancel: SIGTERM to the group, SIGKILL after the grace period
 *   ended     the pidfd is readable: the rest of the group is killed, the pipes are emptied, the handles are closed,
 *             and after the last close the callback runs
 */
#include "skillet/process.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "process/capture.h"
#include "process/launch.h"
#include "process/proc_tasks.h"
#include "process/process.h"
#include "util/alloc.h"
#include "util/options.h"

#define READ_SIZE 32768
#define READS_PER_EVENT 16            /* then other work of the loop is served */
#define DRAIN_BYTES (2 * 1024 * 1024) /* read after the end; more than a pipe can hold */
#define WATCH_MS 50
#define REAP_MS 10 /* without a pidfd */

struct stream {
  uv_poll_t poll;
  int fd;
  bool polled; /* the handle exists */
  bool open;   /* its end was not reached */
  struct skill__capture capture;
};

struct SkillProcess {
  uv_loop_t *loop;
  SkillProcessCb cb;
  void *user;
  SkillProcessLimits limits;
  pid_t pid;
  int pidfd;
  uv_poll_t end;
  bool end_polled;
  uv_timer_t timer;
  struct stream stream[2];
  unsigned closing; /* handles that are being closed */
  uint64_t started_ns;
  uint64_t deadline_ms; /* by the loop's clock: of the time limit, or of SIGKILL once it is ending */
  unsigned ticks;
  unsigned machine_tasks; /* the minimum since the start */
  int status;             /* why it is ending; 0: running */
  const char *message;
  bool killed;
  bool ended;
  bool reaped;
  int wait_status;
  bool sandboxed;
  const char *sandbox;
};

/* ---- ending ---- */

static void release(SkillProcess *process) {
  for (int i = 0; i < 2; i++) {
    if (process->stream[i].fd >= 0) close(process->stream[i].fd);
    skill__capture_fini(&process->stream[i].capture);
  }
  if (process->pidfd >= 0) close(process->pidfd);
  skill__free(process);
}

static void report(SkillProcess *process) {
  SkillProcessResult result;
  memset(&result, 0, sizeof result);
  char *out = skill__capture_text(&process->stream[0].capture, &result.out_length);
  char *err = skill__capture_text(&process->stream[1].capture, &result.err_length);
  bool lost = !out || !err || process->stream[0].capture.status || process->stream[1].capture.status;
  result.status = process->status;
  result.message = process->message;
  if (!result.status && lost) {
    result.status = SKILL_ENOMEM;
    result.message = "out of memory for the output";
  } else if (!result.status && !process->reaped) {
    result.status = SKILL_EREMOTE;
    result.message = "the exit status was lost: other code in this program reaped the child";
  }
  bool exited = process->reaped && WIFEXITED(process->wait_status);
  result.exit_code = exited ? WEXITSTATUS(process->wait_status) : -1;
  result.signal = process->reaped && WIFSIGNALED(process->wait_status) ? WTERMSIG(process->wait_status) : 0;
  result.out = out ? out : "";
  result.err = err ? err : "";
  result.out_total = process->stream[0].capture.total;
  result.err_total = process->stream[1].capture.total;
  result.sandboxed = process->sandboxed;
  result.sandbox = process->sandbox;
  result.elapsed_ms = (int64_t)((uv_hrtime() - process->started_ns) / 1000000);
  process->cb(&result, process->user);
  skill__free(out);
  skill__free(err);
}

static void on_closed(uv_handle_t *handle) {
  SkillProcess *process = handle->data;
  if (--process->closing > 0) return;
  report(process);
  release(process);
}

static void close_handle(SkillProcess *process, uv_handle_t *handle) {
  process->closing++;
  uv_close(handle, on_closed);
}

/* The end of a stream; its handle is closed with the others. */
static void stop_stream(struct stream *stream) {
  if (stream->open && stream->polled) uv_poll_stop(&stream->poll);
  stream->open = false;
}

/* Signals the whole group. The leader is not reaped before `ended` is set, so its pid is still valid. */
static void signal_group(SkillProcess *process, int signal) {
  if (process->ended) return;
  kill(-process->pid, signal);
  skill__tasks_signal_strays(process->pid, signal);
}

static void arm(SkillProcess *process);

static void end(SkillProcess *process, int status, const char *message) {
  if (process->status) return;
  process->status = status;
  process->message = message;
  if (process->ended) return; /* reaped: its pid may belong to another process */
  signal_group(process, SIGTERM);
  process->deadline_ms = uv_now(process->loop) + (uint64_t)process->limits.grace_ms;
  arm(process);
}

/* Reads once; false: nothing more for now, or the stream has ended. */
static bool read_once(SkillProcess *process, struct stream *stream) {
  char buffer[READ_SIZE];
  ssize_t got;
  do got = read(stream->fd, buffer, sizeof buffer);
  while (got < 0 && errno == EINTR);
  if (got > 0) {
    skill__capture_add(&stream->capture, buffer, (size_t)got);
    if (stream->capture.total > process->limits.flood_bytes) {
      end(process, SKILL_ELIMIT, "it wrote more than its output limit allows");
    }
    return true;
  }
  if (got < 0 && errno == EAGAIN) return false;
  stop_stream(stream);
  if (got < 0) end(process, SKILL_EIO, "its output cannot be read");
  return false;
}

static void on_output(uv_poll_t *poll, int status, int events) {
  (void)status;
  (void)events;
  SkillProcess *process = poll->data;
  struct stream *stream = poll == &process->stream[0].poll ? &process->stream[0] : &process->stream[1];
  for (int i = 0; i < READS_PER_EVENT && read_once(process, stream); i++) continue;
}

/* Reads what is in the pipe, without waiting for other processes that still have its write end open. */
static void drain(SkillProcess *process, struct stream *stream) {
  for (size_t total = 0; stream->open && total < DRAIN_BYTES; total += READ_SIZE) {
    if (!read_once(process, stream)) break;
  }
}

static void finish(SkillProcess *process) {
  kill(-process->pid, SIGKILL); /* before reaping, while the pid cannot be reused */
  if (process->killed) skill__tasks_signal_strays(process->pid, SIGKILL);
  pid_t got;
  do got = waitpid(process->pid, &process->wait_status, 0);
  while (got < 0 && errno == EINTR);
  process->reaped = got == process->pid;
  process->closing = 1; /* so that the count reaches 0 only after the last close_handle() */
  process->ended = true;
  for (int i = 0; i < 2; i++) drain(process, &process->stream[i]);
  for (int i = 0; i < 2; i++) {
    if (process->stream[i].polled) close_handle(process, (uv_handle_t *)&process->stream[i].poll);
  }
  if (process->end_polled) close_handle(process, (uv_handle_t *)&process->end);
  close_handle(process, (uv_handle_t *)&process->timer);
  process->closing--;
}

static void on_end(uv_poll_t *poll, int status, int events) {
  (void)status;
  (void)events;
  SkillProcess *process = poll->data;
  if (!process->ended) finish(process);
}

static bool ended_unseen(SkillProcess *process) {
  siginfo_t info = {0};
  int failed = waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT);
  return failed || info.si_pid == process->pid;
}

/* ---- watching ---- */

/* The machine's task count is cheap; /proc is scanned only if that has grown enough, and once a second. */
static void watch(SkillProcess *process) {
  unsigned tasks = skill__tasks_of_machine();
  bool grown = tasks == 0 || tasks > process->machine_tasks + process->limits.processes;
  if (tasks && tasks < process->machine_tasks) process->machine_tasks = tasks;
  if (!grown && process->ticks % (1000 / WATCH_MS) != 0) return;
  struct skill__tasks group;
  if (!skill__tasks_scan(process->pid, &group)) return;
  if (group.tasks > process->limits.processes) {
    end(process, SKILL_ELIMIT, "it ran more processes than its limit allows");
    process->deadline_ms = uv_now(process->loop); /* no grace period for a fork bomb */
  } else if (group.resident > process->limits.memory_bytes) {
    end(process, SKILL_ELIMIT, "it used more memory than its limit allows");
  }
}

static void on_timer(uv_timer_t *timer) {
  SkillProcess *process = timer->data;
  if (process->ended) return;
  if (!process->end_polled && ended_unseen(process)) {
    finish(process);
    return;
  }
  process->ticks++;
  if (!process->status) watch(process);
  if (uv_now(process->loop) >= process->deadline_ms) {
    if (process->status) {
      process->killed = true;
      signal_group(process, SIGKILL);
      process->deadline_ms = uv_now(process->loop) + WATCH_MS; /* the scan may miss a process that forks */
    } else {
      end(process, SKILL_ETIMEDOUT, "it ran longer than its time limit");
    }
  }
  arm(process);
}

static void arm(SkillProcess *process) {
  uint64_t now = uv_now(process->loop);
  uint64_t wait = process->deadline_ms > now ? process->deadline_ms - now : 0;
  uint64_t most = !process->end_polled ? REAP_MS : WATCH_MS;
  uv_timer_start(&process->timer, on_timer, wait < most ? wait : most, 0);
}

/* ---- starting ---- */

static bool poll_on(SkillProcess *process, uv_poll_t *poll, int fd, uv_poll_cb cb) {
  if (uv_poll_init(process->loop, poll, fd) != 0) return false;
  poll->data = process;
  uv_poll_start(poll, UV_READABLE, cb); /* cannot fail on a new handle */
  return true;
}

/* A handle can fail only if memory or epoll's capacity is exhausted: the child is then ended as by a limit, and the
 * timer detects its end. */
static void attach(SkillProcess *process) {
  uv_update_time(process->loop);
  uv_timer_init(process->loop, &process->timer);
  process->timer.data = process;
  process->deadline_ms = uv_now(process->loop) + (uint64_t)process->limits.time_ms;
  process->machine_tasks = skill__tasks_of_machine();
  bool all = true;
  for (int i = 0; i < 2; i++) {
    struct stream *stream = &process->stream[i];
    stream->open = true;
    stream->polled = poll_on(process, &stream->poll, stream->fd, on_output);
    all = all && stream->polled;
  }
  process->end_polled = process->pidfd >= 0 && poll_on(process, &process->end, process->pidfd, on_end);
  all = all && (process->end_polled || process->pidfd < 0);
  arm(process);
  if (!all) end(process, SKILL_EIO, "the event loop takes no more descriptors");
}

static void take(SkillProcess *process, struct skill__launch *launch) {
  process->sandboxed = launch->sandboxed;
  process->sandbox = launch->sandbox;
  for (int i = 0; i < 2; i++) {
    process->stream[i].fd = launch->reader[i];
    launch->reader[i] = -1;
  }
}

static int check(struct uv_loop_s *loop, const SkillProcessOptions *options, SkillProcessCb cb, SkillError *err) {
  if (!loop || !cb || !options->argv || !options->argv[0]) {
    return skill_error_set(err, SKILL_EINVAL, "a process needs a loop, a callback and a command");
  }
  return 0;
}

int skill__process_start(struct uv_loop_s *loop, const SkillProcessOptions *options, const struct skill__expect *expect,
                         SkillProcessCb cb, void *user, SkillProcess **out, SkillError *err) {
  int status = check(loop, options, cb, err);
  if (status) return status;
  SkillProcess *process = skill__calloc(1, sizeof *process);
  if (!process) return SKILL_ENOMEM;
  struct skill__launch launch;
  process->loop = loop;
  process->cb = cb;
  process->user = user;
  process->limits = options->limits;
  skill__launch_defaults(&process->limits);
  process->pidfd = process->stream[0].fd = process->stream[1].fd = -1;
  for (int i = 0; i < 2; i++) skill__capture_init(&process->stream[i].capture, process->limits.output_bytes);
  status = skill__launch_prepare(&launch, options, &process->limits, err);
  launch.spec.expect = expect;
  process->started_ns = uv_hrtime();
  if (!status) status = skill__spawn(&launch.spec, &process->pid, &process->pidfd, err);
  if (!status) take(process, &launch);
  skill__launch_fini(&launch);
  if (status) {
    release(process);
    return status;
  }
  attach(process);
  if (out) *out = process;
  return 0;
}

int skill_process_start(struct uv_loop_s *loop, const SkillProcessOptions *options, SkillProcessCb cb, void *user,
                        SkillProcess **out, SkillError *err) {
  SkillProcessOptions given = SKILL_PROCESS_OPTIONS_INIT;
  int status = SKILL__OPTIONS(SkillProcessOptions, &given, options, err);
  return status ? status : skill__process_start(loop, &given, NULL, cb, user, out, err);
}

void skill_process_cancel(SkillProcess *process) {
  if (process && !process->ended) end(process, SKILL_ECANCELED, "it was canceled");
}

int skill_process_pid(const SkillProcess *process) {
  return process ? (int)process->pid : -1;
}
