/* SPDX-License-Identifier: MIT
 *
 * SkillLoop over libuv: one async handle wakes the loop for posts from any thread. Only skill_loop_new can fail.
 */
#include "process/loop.h"

#include <string.h>

#include "util/alloc.h"

struct SkillLoop {
  uv_loop_t *uv;
  uv_loop_t own_uv;
  uv_async_t async;
  uv_timer_t bound; /* ends a run_once */
  uv_mutex_t lock;  /* protects head and tail */
  struct skill__post *head;
  struct skill__post *tail;
  size_t holds;
  unsigned open_handles; /* that skill_loop_free waits for */
  bool own;
  bool fresh;   /* libuv has not registered the async handle with the kernel yet */
  bool running; /* inside uv_run */
  bool timed_out;
};

struct call_post {
  struct skill__post post;
  void (*fn)(void *arg);
  void *arg;
};

/* Posts are taken one at a time, so that one of them can remove another. */
static struct skill__post *take_one(SkillLoop *loop) {
  uv_mutex_lock(&loop->lock);
  struct skill__post *post = loop->head;
  if (post) {
    loop->head = post->next;
    if (!loop->head) loop->tail = NULL;
  }
  uv_mutex_unlock(&loop->lock);
  return post;
}

static void on_async(uv_async_t *async) {
  SkillLoop *loop = async->data;
  enum { MOST = 1024 }; /* then timers and descriptors are served */
  bool was_running = loop->running;
  loop->running = true;
  for (int i = 0; i < MOST; i++) {
    struct skill__post *post = take_one(loop);
    if (!post) {
      loop->running = was_running;
      return;
    }
    post->fn(post);
  }
  loop->running = was_running;
  uv_async_send(async);
}

int skill_loop_new(struct uv_loop_s *uv, SkillLoop **out, SkillError *err) {
  if (!out) return skill_error_set(err, SKILL_EINVAL, "skill_loop_new needs a place for the loop");
  SkillLoop *loop = skill__calloc(1, sizeof *loop);
  if (!loop) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  int status = uv_mutex_init(&loop->lock);
  if (status) goto no_lock;
  loop->own = !uv;
  loop->uv = uv ? uv : &loop->own_uv;
  if (loop->own && (status = uv_loop_init(&loop->own_uv)) != 0) goto no_uv;
  if ((status = uv_async_init(loop->uv, &loop->async, on_async)) != 0) goto no_async;
  loop->async.data = loop;
  uv_unref((uv_handle_t *)&loop->async);
  (void)uv_timer_init(loop->uv, &loop->bound); /* cannot fail */
  loop->bound.data = loop;
  uv_unref((uv_handle_t *)&loop->bound);
  loop->fresh = true;
  *out = loop;
  return 0;

no_async:
  if (loop->own) uv_loop_close(&loop->own_uv);
no_uv:
  uv_mutex_destroy(&loop->lock);
no_lock:
  skill__free(loop);
  return skill_error_set(err, status == UV_ENOMEM ? SKILL_ENOMEM : SKILL_EIO, "no event loop: %s", uv_strerror(status));
}

static void on_closed(uv_handle_t *handle) {
  SkillLoop *loop = handle->data;
  if (--loop->open_handles == 0 && !loop->own) {
    uv_mutex_destroy(&loop->lock);
    skill__free(loop);
  }
}

static void drop_call(struct skill__post *post) {
  skill__free((struct call_post *)(void *)post);
}

static void run_call(struct skill__post *post) {
  struct call_post call = *(struct call_post *)(void *)post;
  drop_call(post);
  call.fn(call.arg);
}

void skill_loop_free(SkillLoop *loop) {
  if (!loop) return;
  /* The library's posts must run, since they free memory; the host's are dropped. */
  for (struct skill__post *post; (post = take_one(loop)) != NULL;) {
    if (post->fn == run_call) {
      drop_call(post);
    } else {
      post->fn(post);
    }
  }
  loop->open_handles = 2;
  uv_close((uv_handle_t *)&loop->async, on_closed);
  uv_close((uv_handle_t *)&loop->bound, on_closed);
  if (!loop->own) return; /* the last handle frees it */
  while (loop->open_handles || uv_loop_alive(loop->uv)) uv_run(loop->uv, UV_RUN_DEFAULT);
  uv_loop_close(loop->uv);
  uv_mutex_destroy(&loop->lock);
  skill__free(loop);
}

struct uv_loop_s *skill_loop_uv(const SkillLoop *loop) {
  return loop->uv;
}

int skill_loop_fd(const SkillLoop *loop) {
  return uv_backend_fd(loop->uv);
}

int skill_loop_timeout_ms(const SkillLoop *loop) {
  if (loop->fresh) return 0;
  if (!uv_loop_alive(loop->uv)) return -1;
  uv_update_time(loop->uv);
  return uv_backend_timeout(loop->uv);
}

int skill_loop_step(SkillLoop *loop) {
  if (loop->running) return SKILL_EBUSY;
  loop->running = true;
  loop->fresh = false;
  uv_run(loop->uv, UV_RUN_NOWAIT);
  loop->running = false;
  return 0;
}

static void on_bound(uv_timer_t *timer) {
  ((SkillLoop *)timer->data)->timed_out = true;
}

int skill_loop_run_once(SkillLoop *loop, int timeout_ms) {
  if (loop->running) return SKILL_EBUSY;
  if (timeout_ms == 0) return skill_loop_step(loop);
  loop->running = true;
  loop->fresh = false;
  loop->timed_out = false;
  skill__loop_hold(loop); /* a post from another thread counts as work */
  uv_update_time(loop->uv);
  if (timeout_ms > 0) uv_timer_start(&loop->bound, on_bound, (uint64_t)timeout_ms, 0);
  uv_run(loop->uv, UV_RUN_ONCE);
  uv_timer_stop(&loop->bound);
  skill__loop_release(loop);
  loop->running = false;
  return loop->timed_out ? SKILL_ETIMEDOUT : 0;
}

void skill__loop_post(SkillLoop *loop, struct skill__post *post) {
  post->next = NULL;
  uv_mutex_lock(&loop->lock);
  bool first = !loop->head;
  if (loop->tail) loop->tail->next = post;
  if (first) loop->head = post;
  loop->tail = post;
  /* Inside the lock: code that frees the loop after running the post takes the lock first. */
  if (first) uv_async_send(&loop->async);
  uv_mutex_unlock(&loop->lock);
}

bool skill__loop_unpost(SkillLoop *loop, struct skill__post *post) {
  bool found = false;
  uv_mutex_lock(&loop->lock);
  struct skill__post *before = NULL;
  for (struct skill__post *p = loop->head; p && !found; before = p, p = p->next) {
    if (p != post) continue;
    found = true;
    if (before) before->next = p->next;
    if (!before) loop->head = p->next;
    if (loop->tail == p) loop->tail = before;
  }
  uv_mutex_unlock(&loop->lock);
  return found;
}

int skill_loop_post(SkillLoop *loop, void (*fn)(void *arg), void *arg) {
  struct call_post *call = skill__malloc(sizeof *call);
  if (!call) return SKILL_ENOMEM;
  *call = (struct call_post){.post = {NULL, run_call}, .fn = fn, .arg = arg};
  skill__loop_post(loop, &call->post);
  return 0;
}

void skill__loop_hold(SkillLoop *loop) {
  if (loop->holds++ == 0) uv_ref((uv_handle_t *)&loop->async);
}

void skill__loop_release(SkillLoop *loop) {
  if (--loop->holds == 0) uv_unref((uv_handle_t *)&loop->async);
}
