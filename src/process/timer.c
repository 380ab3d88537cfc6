/* SPDX-License-Identifier: MIT
 *
 * Timers and watched descriptors; see timer.h.
 */
#include "process/timer.h"

#include "util/alloc.h"

struct skill__timer {
  uv_timer_t uv;
  void (*fn)(void *arg);
  void *arg;
};

struct skill__watch {
  uv_poll_t uv;
  void (*fn)(void *arg);
  void *arg;
};

static void free_handle(uv_handle_t *handle) {
  skill__free(handle->data);
}

static void on_timer(uv_timer_t *uv) {
  struct skill__timer *timer = uv->data;
  timer->fn(timer->arg);
}

struct skill__timer *skill__timer_new(SkillLoop *loop, void (*fn)(void *arg), void *arg) {
  struct skill__timer *timer = skill__calloc(1, sizeof *timer);
  if (!timer) return NULL;
  (void)uv_timer_init(skill_loop_uv(loop), &timer->uv); /* cannot fail */
  timer->uv.data = timer;
  timer->fn = fn;
  timer->arg = arg;
  return timer;
}

void skill__timer_set(struct skill__timer *timer, int64_t ms) {
  if (ms < 0) {
    uv_timer_stop(&timer->uv);
    return;
  }
  uv_update_time(timer->uv.loop);
  uv_timer_start(&timer->uv, on_timer, (uint64_t)ms, 0);
}

void skill__timer_free(struct skill__timer *timer) {
  if (timer) uv_close((uv_handle_t *)&timer->uv, free_handle);
}

static void on_poll(uv_poll_t *uv, int status, int events) {
  struct skill__watch *watch = uv->data;
  (void)events;
  if (!status) watch->fn(watch->arg);
}

struct skill__watch *skill__watch_new(SkillLoop *loop, int fd, void (*fn)(void *arg), void *arg) {
  struct skill__watch *watch = skill__calloc(1, sizeof *watch);
  if (!watch) return NULL;
  if (uv_poll_init(skill_loop_uv(loop), &watch->uv, fd)) {
    skill__free(watch);
    return NULL;
  }
  watch->uv.data = watch;
  watch->fn = fn;
  watch->arg = arg;
  uv_unref((uv_handle_t *)&watch->uv);
  (void)uv_poll_start(&watch->uv, UV_READABLE, on_poll);
  return watch;
}

void skill__watch_free(struct skill__watch *watch) {
  if (watch) uv_close((uv_handle_t *)&watch->uv, free_handle);
}
