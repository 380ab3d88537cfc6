/* SPDX-License-Identifier: MIT
 *
 * SkillWorker: an agent on its own thread, for user interfaces that must never wait.
 *
 * Commands can be sent from any thread and return at once. Results are put in a queue, from which the host takes them
 * at any time. `wake` reports that the queue is not empty, so that the host can wake its own loop.
 */
#ifndef SKILLET_WORKER_H
#define SKILLET_WORKER_H

#include "skillet/agent.h"

SKILL_BEGIN

typedef struct SkillWorker SkillWorker;

typedef enum SkillNewsKind {
  SKILL_NEWS_DELTA = 0, /* text: more of the answer */
  SKILL_NEWS_CALL,      /* a call changed its state: id, name, state, text (the result when it has ended) */
  SKILL_NEWS_APPROVAL,  /* a call awaits approval: id, name, text (its arguments); see skill_worker_decide */
  SKILL_NEWS_EVENT,     /* text: a SkillEvent as JSON */
  SKILL_NEWS_TURN       /* a turn has ended: turn, text (the answer or the error) */
} SkillNewsKind;

/* One item of the queue, in one block. */
typedef struct SkillNews {
  SkillNewsKind kind;
  const char *text; /* NUL-terminated */
  size_t length;
  const char *id;
  const char *name;
  SkillCallState state;
  SkillTurn turn; /* its pointers are NULL */
} SkillNews;

typedef struct SkillWorkerOptions {
  size_t size; /* sizeof(SkillWorkerOptions) */
  /* Makes the agent and what it needs (registry, model …) on the worker's thread, with that loop and these events. */
  int (*make)(SkillLoop *loop, const SkillAgentEvents *events, void *user, SkillAgent **out, SkillError *err);
  /* Frees the agent and everything that `make` made, on the same thread. */
  void (*unmake)(SkillAgent *agent, void *user);
  void (*wake)(void *user); /* the queue is not empty; runs on the worker's thread; may be NULL */
  void *user;
} SkillWorkerOptions;

#define SKILL_WORKER_OPTIONS_INIT \
  { sizeof(SkillWorkerOptions), NULL, NULL, NULL, NULL }

/* Starts the thread and waits until the agent is made. Owned: release with skill_worker_stop. SKILL_EINVAL,
 * SKILL_ENOMEM, SKILL_EIO, or what `make` returned. */
SKILL_API int skill_worker_start(const SkillWorkerOptions *options, SkillWorker **out, SkillError *err);

/* Cancels what is running, ends the thread, waits for it, and frees. The remaining items of the queue are freed. NULL
 * is ignored. */
SKILL_API void skill_worker_stop(SkillWorker *worker);

/* Commands; any thread; never wait. A turn that cannot start is reported as SKILL_NEWS_TURN. SKILL_ENOMEM: the command
 * was not sent. */
SKILL_API int skill_worker_turn(SkillWorker *worker, const char *text);
SKILL_API int skill_worker_cancel(SkillWorker *worker);
SKILL_API int skill_worker_decide(SkillWorker *worker, const char *call_id, bool approve, const char *reason);

/* Runs `fn` with the agent on the worker's thread, e.g. to save the conversation. SKILL_EINVAL, SKILL_ENOMEM: it will
 * not run. */
SKILL_API int skill_worker_do(SkillWorker *worker, void (*fn)(SkillAgent *agent, void *user), void *user);

/* Returns the oldest item of the queue, or NULL; on one thread at a time. Owned: release with skill_free. */
SKILL_API SkillNews *skill_worker_next(SkillWorker *worker);

SKILL_END

#endif
