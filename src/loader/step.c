/* SPDX-License-Identifier: MIT
 *
 * The loader's side of an event loop: step, descriptor and time-out, and a blocking wait made of the three.
 */
#include <errno.h>
#include <poll.h>

#include "loader/loader_internal.h"

static struct skill__loader_request *complete_up_to(ProgressiveSkillLoader *loader, uint64_t last) {
  for (struct skill__loader_request *request = loader->requests; request && request->id <= last;
       request = request->next) {
    if (request->complete) return request;
  }
  return NULL;
}

/* Requests that callbacks make are delivered by the next step, so that a step always ends. Between two callbacks the
 * state machine runs, because a delivered request no longer keeps its skills. A callback may free the loader once it is
 * closed: nothing of it is used after skill__loader_destroy(). */
int skill_loader_step(ProgressiveSkillLoader *loader) {
  int callbacks = 0;
  SkillRegistry *registry = loader->registry;
  if (loader->stepping || loader->closed) return loader->stepping ? SKILL_EBUSY : 0;
  loader->stepping = true;
  uint64_t last = loader->next_id;
  skill__registry_pump(registry);
  skill__loader_advance(loader);
  for (struct skill__loader_request *request; (request = complete_up_to(loader, last)); callbacks++) {
    skill__loader_request_deliver(loader, request);
    if (loader->closed) break;
    skill__loader_advance(loader);
  }
  loader->stepping = false;
  if (!loader->closed && complete_up_to(loader, UINT64_MAX)) loader->watcher.due = true;
  skill__registry_rewake(registry);
  if (loader->free_after_step && !loader->waiting) skill__loader_destroy(loader);
  return callbacks + skill__registry_deliver(registry);
}

int skill_loader_fd(const ProgressiveSkillLoader *loader) {
  return loader->fd;
}

static int64_t sooner(int64_t deadline, const struct skill__loader_entry *entry) {
  return entry && entry->deadline_ms < deadline ? entry->deadline_ms : deadline;
}

/* Deadlines exist only for inits, for the dispose that runs, and for a close that waits for tool calls. Other disposes
 * have not started. */
int skill_loader_timeout_ms(const ProgressiveSkillLoader *loader) {
  if (loader->watcher.due || skill__registry_due(loader->registry)) return 0;
  int64_t deadline = INT64_MAX;
  for (const struct skill__loader_entry *entry = loader->starting.first; entry; entry = entry->next) {
    deadline = sooner(deadline, entry);
  }
  if (loader->closing && loader->active.count && loader->close_deadline_ms < deadline) {
    deadline = loader->close_deadline_ms;
  }
  if (loader->dispose_running) deadline = sooner(deadline, loader->disposing.first);
  if (deadline == INT64_MAX) return -1;
  int64_t left = deadline - skill__loader_now(loader);
  if (left < 0) left = 0;
  return left > INT32_MAX ? INT32_MAX : (int)left;
}

static bool pending(const ProgressiveSkillLoader *loader) {
  return loader->requests || loader->starting.count || loader->disposing.count || loader->watcher.due ||
         skill__registry_due(loader->registry);
}

/* The host's clock, even if the loader's is virtual: while this thread blocks, no code advances a virtual clock. */
static int64_t real_ms(void) {
  SkillIo *io = skill_io_posix();
  return io->now_ms(io);
}

static int wait_for(ProgressiveSkillLoader *loader, int timeout_ms) {
  int64_t end = timeout_ms < 0 ? INT64_MAX : real_ms() + timeout_ms;
  for (;;) {
    int status = skill_loader_step(loader);
    if (status < 0) return status;
    if (!pending(loader)) return 0;
    int64_t left = end == INT64_MAX ? -1 : end - real_ms();
    if (end != INT64_MAX && left <= 0) return SKILL_ETIMEDOUT;
    int wait = skill_loader_timeout_ms(loader);
    if (left >= 0 && (wait < 0 || left < wait)) wait = left > INT32_MAX ? INT32_MAX : (int)left;
    struct pollfd fd = {loader->fd, POLLIN, 0};
    if (poll(&fd, 1, wait) < 0 && errno != EINTR) return SKILL_EIO;
  }
}

int skill_loader_wait(ProgressiveSkillLoader *loader, int timeout_ms) {
  if (loader->stepping) return SKILL_EBUSY;
  loader->waiting = true;
  int status = wait_for(loader, timeout_ms);
  loader->waiting = false;
  if (loader->free_after_step) skill__loader_destroy(loader);
  return status;
}
