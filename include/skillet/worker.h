/* SPDX-License-Identifier: MIT
 *
 * SkillWorker: an agent on a thread of its own, for user interfaces that must never wait.
 *
 * Orders go to the worker from any thread and return at once; what happens comes back as news in a queue that the host
 * empties whenever it likes. `wake` tells that there is something, so that the host can post to its own loop.
 */
#ifndef SKILLET_WORKER_H
#define SKILLET_WORKER_H

#include "skillet/agent.h"

SKILL_BEGIN

typedef struct SkillWorker SkillWorker;

typedef enum SkillNewsKind {
  SKILL_NEWS_DELTA = 0, /* text: more of the answer */
  SKILL_NEWS_CALL,      /* a call changed its state: id, name, state, text (the result at its end) */
  SKILL_NEWS_APPROVAL,  /* a call waits: id, name, text (its arguments); answer with skill_worker_decide */
  SKILL_NEWS_EVENT,     /* text: a SkillEvent as JSON */
  SKILL_NEWS_TURN       /* a turn has ended: turn, text (the answer, or what went wrong) */
} SkillNewsKind;

/* One piece of news, in one block. */
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
  /* Makes the agent with what it needs (registry, model …) on the worker's thread, with that loop and these events. */
  int (*make)(SkillLoop *loop, const SkillAgentEvents *events, void *user, SkillAgent **out, SkillError *err);
  /* Frees the agent and all that `make` made, on the same thread. */
  void (*unmake)(SkillAgent *agent, void *user);
  void (*wake)(void *user); /* there is news; the worker's thread; may be NULL */
  void *user;
} SkillWorkerOptions;

#define SKILL_WORKER_OPTIONS_INIT \
  { sizeof(SkillWorkerOptions), NULL, NULL, NULL, NULL }

/* Starts the thread and waits until the agent is made. SKILL_EINVAL, SKILL_ENOMEM, SKILL_EIO, or what `make` returned.
 * Owned: release with skill_worker_stop. */
SKILL_API int skill_worker_start(const SkillWorkerOptions *options, SkillWorker **out, SkillError *err);

/* Cancels what runs, ends the thread, waits for it, and frees. News that was not taken is dropped. NULL is ignored. */
SKILL_API void skill_worker_stop(SkillWorker *worker);

/* Orders; any thread, never waiting. A turn that cannot begin is told as SKILL_NEWS_TURN. SKILL_ENOMEM: not ordered. */
SKILL_API int skill_worker_turn(SkillWorker *worker, const char *text);
SKILL_API int skill_worker_cancel(SkillWorker *worker);
SKILL_API int skill_worker_decide(SkillWorker *worker, const char *call_id, bool approve, const char *reason);

/* Runs `fn` with the agent on the worker's thread, e.g. to save the conversation. SKILL_EINVAL, SKILL_ENOMEM: it will
 * not run. */
SKILL_API int skill_worker_do(SkillWorker *worker, void (*fn)(SkillAgent *agent, void *user), void *user);

/* The oldest news, or NULL; any one thread. Owned: release with skill_free. */
SKILL_API SkillNews *skill_worker_next(SkillWorker *worker);

SKILL_END

#endif
