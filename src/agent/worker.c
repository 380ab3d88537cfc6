/* SPDX-License-Identifier: MIT
 *
 * The worker: a thread with a loop and an agent. Orders arrive as posts to the loop, news goes into a queue. Fails if
 * the thread or the agent cannot be made. News is dropped when memory is out, except the end of a turn, which is
 * allocated before the turn starts.
 */
#include "skillet/worker.h"

#include <string.h>

#include "process/loop.h"
#include "util/alloc.h"
#include "util/options.h"

struct news {
  SkillNews out; /* first: handed out */
  struct news *next;
};

struct SkillWorker {
  SkillWorkerOptions options;
  SkillLoop *loop;
  SkillAgent *agent;
  uv_thread_t thread;
  uv_sem_t ready;
  uv_mutex_t lock; /* over head and tail */
  struct news *head, *tail;
  struct news *spare; /* reserved for the end of the running turn */
  struct skill__post stop;
  bool stopping; /* used by the worker's thread only */
  int status;
  SkillError error;
};

enum order_kind { ORDER_TURN, ORDER_CANCEL, ORDER_DECIDE, ORDER_DO };

struct order {
  SkillWorker *worker;
  enum order_kind kind;
  bool approve;
  void (*fn)(SkillAgent *agent, void *user);
  void *user;
  char *text; /* NULL: none; with `more` behind it */
  char *more;
};

/* --- news -------------------------------------------------------------------------------------------------------- */

static struct news *make_news(SkillNewsKind kind, const char *text, size_t length, const char *id, const char *name) {
  size_t id_size = id ? strlen(id) + 1 : 0;
  size_t name_size = name ? strlen(name) + 1 : 0;
  struct news *news = skill__calloc(1, sizeof *news + length + 1 + id_size + name_size);
  if (!news) return NULL;
  char *at = (char *)(news + 1);
  news->out.kind = kind;
  news->out.length = length;
  if (length) memcpy(at, text, length);
  news->out.text = at;
  at += length + 1;
  if (id) news->out.id = memcpy(at, id, id_size);
  if (name) news->out.name = memcpy(at + id_size, name, name_size);
  return news;
}

static void publish(SkillWorker *worker, struct news *news) {
  if (!news) return;
  uv_mutex_lock(&worker->lock);
  if (worker->tail) worker->tail->next = news;
  if (!worker->tail) worker->head = news;
  worker->tail = news;
  uv_mutex_unlock(&worker->lock);
  if (worker->options.wake) worker->options.wake(worker->options.user);
}

static void on_delta(const SkillDelta *delta, void *user) {
  if (delta->kind != SKILL_DELTA_TEXT) return;
  publish(user, make_news(SKILL_NEWS_DELTA, delta->text, delta->length, NULL, NULL));
}

static void on_call(const SkillCallInfo *call, void *user) {
  struct news *news = make_news(SKILL_NEWS_CALL, call->text, call->length, call->id, call->tool);
  if (news) news->out.state = call->state;
  publish(user, news);
}

static void on_approval(const SkillCallInfo *call, void *user) {
  publish(user, make_news(SKILL_NEWS_APPROVAL, call->arguments, strlen(call->arguments), call->id, call->tool));
}

static void on_event(const SkillEvent *event, void *user) {
  char text[2048];
  size_t length = skill_event_json(event, text, sizeof text);
  if (length < sizeof text) publish(user, make_news(SKILL_NEWS_EVENT, text, length, NULL, NULL));
}

static void on_turn(SkillAgent *agent, const SkillTurn *turn, void *user) {
  SkillWorker *worker = user;
  const char *text = turn->status ? turn->error->message : turn->answer;
  struct news *news = make_news(SKILL_NEWS_TURN, text, turn->status ? strlen(text) : turn->answer_length, NULL, NULL);
  (void)agent;
  if (news) skill__free(worker->spare);
  if (!news) news = worker->spare;
  worker->spare = NULL;
  news->out.turn = *turn;
  news->out.turn.answer = NULL;
  news->out.turn.error = NULL;
  publish(worker, news);
}

SkillNews *skill_worker_next(SkillWorker *worker) {
  uv_mutex_lock(&worker->lock);
  struct news *news = worker->head;
  if (news) worker->head = news->next;
  if (!worker->head) worker->tail = NULL;
  uv_mutex_unlock(&worker->lock);
  return news ? &news->out : NULL;
}

/* --- orders ----------------------------------------------------------------------------------------------------- */

static void begin_turn(SkillWorker *worker, const char *text) {
  SkillError why = SKILL_ERROR_INIT;
  SkillTurn turn = {.end = SKILL_TURN_FAILED};
  bool busy = skill_agent_busy(worker->agent);
  if (!worker->spare) worker->spare = make_news(SKILL_NEWS_TURN, "", 0, NULL, NULL);
  turn.status = worker->spare ? skill_agent_turn(worker->agent, text, 0, on_turn, worker, &why) : SKILL_ENOMEM;
  if (!turn.status) return;
  struct news *news = make_news(SKILL_NEWS_TURN, why.message, strlen(why.message), NULL, NULL);
  if (!news && !busy) { /* the spare belongs to the running turn */
    news = worker->spare;
    worker->spare = NULL;
  }
  if (news) news->out.turn = turn;
  publish(worker, news);
}

static void carry_out(void *arg) {
  struct order *order = arg;
  SkillWorker *worker = order->worker;
  switch (order->kind) {
    case ORDER_TURN:
      begin_turn(worker, order->text);
      break;
    case ORDER_CANCEL:
      (void)skill_agent_cancel(worker->agent);
      break;
    case ORDER_DECIDE:
      (void)skill_agent_decide(worker->agent, order->text, order->approve, order->more);
      break;
    case ORDER_DO:
      order->fn(worker->agent, order->user);
      break;
  }
  skill__free(order);
}

static int give(SkillWorker *worker, struct order order, const char *text, const char *more) {
  size_t text_size = text ? strlen(text) + 1 : 0;
  size_t more_size = more ? strlen(more) + 1 : 0;
  struct order *copy = skill__malloc(sizeof *copy + text_size + more_size);
  if (!copy) return SKILL_ENOMEM;
  *copy = order;
  copy->worker = worker;
  copy->text = text ? memcpy(copy + 1, text, text_size) : NULL;
  copy->more = more ? memcpy((char *)(copy + 1) + text_size, more, more_size) : NULL;
  int status = skill_loop_post(worker->loop, carry_out, copy);
  if (status) skill__free(copy);
  return status;
}

int skill_worker_turn(SkillWorker *worker, const char *text) {
  return text ? give(worker, (struct order){.kind = ORDER_TURN}, text, NULL) : SKILL_EINVAL;
}

int skill_worker_cancel(SkillWorker *worker) {
  return give(worker, (struct order){.kind = ORDER_CANCEL}, NULL, NULL);
}

int skill_worker_decide(SkillWorker *worker, const char *call_id, bool approve, const char *reason) {
  if (!call_id) return SKILL_EINVAL;
  return give(worker, (struct order){.kind = ORDER_DECIDE, .approve = approve}, call_id, reason);
}

int skill_worker_do(SkillWorker *worker, void (*fn)(SkillAgent *agent, void *user), void *user) {
  return fn ? give(worker, (struct order){.kind = ORDER_DO, .fn = fn, .user = user}, NULL, NULL) : SKILL_EINVAL;
}

/* --- the thread ------------------------------------------------------------------------------------------------- */

static void run(void *arg) {
  SkillWorker *worker = arg;
  SkillAgentEvents events = {.on_event = on_event, .on_delta = on_delta, .on_call = on_call, .user = worker};
  events.on_approval = on_approval;
  worker->status = skill_loop_new(NULL, &worker->loop, &worker->error);
  if (!worker->status) {
    worker->status = worker->options.make(worker->loop, &events, worker->options.user, &worker->agent, &worker->error);
  }
  bool made = !worker->status;
  uv_sem_post(&worker->ready);
  while (made && !worker->stopping) (void)skill_loop_run_once(worker->loop, -1);
  if (made) worker->options.unmake(worker->agent, worker->options.user);
  skill_loop_free(worker->loop);
}

static void on_stop(struct skill__post *post) {
  SkillWorker *worker = (SkillWorker *)(void *)((char *)post - offsetof(SkillWorker, stop));
  worker->stopping = true;
}

static void free_worker(SkillWorker *worker) {
  for (SkillNews *news; (news = skill_worker_next(worker)) != NULL;) skill_free(news);
  skill__free(worker->spare);
  uv_sem_destroy(&worker->ready);
  uv_mutex_destroy(&worker->lock);
  skill__free(worker);
}

int skill_worker_start(const SkillWorkerOptions *options, SkillWorker **out, SkillError *err) {
  SkillWorkerOptions given = SKILL_WORKER_OPTIONS_INIT;
  int status = SKILL__OPTIONS(SkillWorkerOptions, &given, options, err);
  if (status) return status;
  if (!given.make || !given.unmake) return skill_error_set(err, SKILL_EINVAL, "a worker needs make and unmake");
  SkillWorker *worker = skill__calloc(1, sizeof *worker);
  if (!worker) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  worker->options = given;
  if (uv_mutex_init(&worker->lock)) goto no_lock;
  if (uv_sem_init(&worker->ready, 0)) goto no_sem;
  if (uv_thread_create(&worker->thread, run, worker)) goto no_thread;
  uv_sem_wait(&worker->ready);
  if (!worker->status) {
    *out = worker;
    return 0;
  }
  uv_thread_join(&worker->thread);
  status = skill_error_set(err, worker->status, "%s", worker->error.message);
  free_worker(worker);
  return status;

no_thread:
  uv_sem_destroy(&worker->ready);
no_sem:
  uv_mutex_destroy(&worker->lock);
no_lock:
  skill__free(worker);
  return skill_error_set(err, SKILL_EIO, "no thread can be started");
}

void skill_worker_stop(SkillWorker *worker) {
  if (!worker) return;
  worker->stop.fn = on_stop;
  skill__loop_post(worker->loop, &worker->stop); /* after all orders; needs no memory */
  uv_thread_join(&worker->thread);
  free_worker(worker);
}
