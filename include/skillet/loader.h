/* SPDX-License-Identifier: MIT
 *
 * ProgressiveSkillLoader: one conversation's view of a registry. Ranks, activates, caches, evicts, expires.
 *
 * Asynchrony. A request that returns non-zero never calls back. One that returns 0 calls back exactly once, only
 * inside skill_loader_step() (skill_loader_wait() calls it), on the thread that called it. A request only takes note;
 * ranking, policies, inits and disposes run inside the step as well. New requests, cancels and other loaders' steps
 * are allowed in every callback, the loader's own step and wait are not.
 * Strings and arrays handed to a callback are borrowed until it returns unless said otherwise.
 *
 * Room. At most max_active skills are initialising, active or being disposed at any time, and with a token budget at
 * most so many tokens of them. An activation that needs room evicts; one whose own batch fills the room gives up.
 * Requests get room in the order in which they were made, and what one has activated stays until it was told.
 *
 * Threads. The loader belongs to the registry's thread. Only skill_completion_finish() and skill_tool_call_finish()
 * may be called from elsewhere.
 */
#ifndef SKILLET_LOADER_H
#define SKILLET_LOADER_H

#include "skillet/policy.h"
#include "skillet/registry.h"

SKILL_BEGIN

typedef struct ProgressiveSkillLoader ProgressiveSkillLoader;

typedef struct SkillLoaderOptions {
  size_t size;                   /* sizeof(SkillLoaderOptions) */
  size_t max_active;             /* default 3; 0 means the default, SIZE_MAX no limit */
  size_t top;                    /* how many skills a query activates, default 3; 0: as many as max_active */
  int64_t activation_timeout_ms; /* default 30 min; expires when now - last_use >= timeout, so 0 expires at once */
  int64_t init_timeout_ms;       /* default 30 s; 0: none */
  int64_t dispose_timeout_ms;    /* default 30 s; 0: none. After it the slot is given away and the failure reported */
  int64_t close_timeout_ms;      /* default 30 s; 0: none. How long closing waits for running tool calls */
  int64_t backoff_ms;            /* after a failed init: refuse retries for this long, doubled each time; 0: off */
  size_t token_budget;           /* tokens of active skills together; 0: no limit */
  const SkillPolicy *policy;     /* borrowed for the loader's life; NULL: relevance */
  SkillIo *io;                   /* borrowed; NULL: the registry's */
  SkillEventCb on_event;         /* NULL: none */
  void *event_user;
  size_t (*l2_tokens)(const Skill *skill, void *user); /* NULL: estimated from the metadata */
  bool (*visible)(const char *name, void *user);       /* NULL: all; false: SKILL_EDENIED, and not ranked */
  void *user;                                          /* handed to l2_tokens and visible */
} SkillLoaderOptions;

#define SKILL_LOADER_OPTIONS_INIT \
  { sizeof(SkillLoaderOptions), 3, 3, 1800000, 30000, 30000, 30000, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL }

typedef enum SkillState {
  SKILL_STATE_LISTED = 0,
  SKILL_STATE_INITIALISING,
  SKILL_STATE_ACTIVE,
  SKILL_STATE_DISPOSING
} SkillState;

/* Whether the conversation still holds the skill's body. The context compiler reports what it dropped. */
typedef enum SkillBodyState { SKILL_BODY_ABSENT = 0, SKILL_BODY_IN_CONTEXT, SKILL_BODY_COMPACTED } SkillBodyState;

/* What became of one skill of an activation. */
typedef struct SkillActivationItem {
  const char *name;
  int status;             /* 0: active now; else why not: SKILL_EFULL, EFAILED, ETIMEDOUT, ECANCELED, EDENIED … */
  bool hit;               /* it was active before */
  double score;           /* 0 when activated by name */
  const char *reason;     /* one clause; never NULL */
  const SkillTool *tools; /* the skill's tools now */
  size_t tool_count;
  const void *reserved[4]; /* 0 */
} SkillActivationItem;

typedef struct SkillActivation {
  int status; /* 0: at least one item is active, or none was wanted; else the first failure */
  const SkillActivationItem *const *items; /* in the order wanted */
  size_t count;
  const char *const *evicted; /* who left to make room, in order */
  size_t evicted_count;
  const char *reason; /* for a query that chose nothing: why */
} SkillActivation;

typedef void (*SkillActivateCb)(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user);
/* Deactivation, clean-up, close. `status` is 0 or what the first failing dispose reported. */
typedef void (*SkillDoneCb)(ProgressiveSkillLoader *loader, int status, const char *message, void *user);

/* Makes a loader on `registry`, which must outlive it; `options` (copied) may be NULL. Owned: release with
 * skill_loader_free after close. SKILL_EINVAL (options, a policy without `select`), SKILL_ENOMEM, SKILL_ELIMIT (no
 * descriptor left). */
SKILL_API int skill_loader_new(SkillRegistry *registry, const SkillLoaderOptions *options, ProgressiveSkillLoader **out,
                               SkillError *err);

/* Starts closing: cancels what is pending, waits for running tool calls, disposes everything, then calls `cb` (may be
 * NULL) in a step, after all other callbacks. Calls that outlast `close_timeout_ms` are not waited for any longer:
 * their skills are disposed under them, `deactivated` says so, and the callback's status is SKILL_ETIMEDOUT; the host
 * tells such calls to stop. Further requests return SKILL_ECLOSED. SKILL_ECLOSED when already closing. Cannot fail
 * otherwise. */
SKILL_API int skill_loader_close(ProgressiveSkillLoader *loader, SkillDoneCb cb, void *user);

/* Frees a closed loader, from its close callback on; SKILL_EBUSY before that, and nothing is freed. NULL is ignored.
 * Never-activated loaders need a close as well. */
SKILL_API int skill_loader_free(ProgressiveSkillLoader *loader);

/* Ranks without activating; owned: release with skill_ranking_free. Emits `ranked` for each of the best ten, `count`
 * being its place, or once with the reason where nothing fits. Errors as skill_ranker_query. */
SKILL_API int skill_loader_rank(ProgressiveSkillLoader *loader, const SkillQuery *query, SkillRanking **out,
                                SkillError *err);

/* Activates one skill by name. `request` (may be NULL) receives the number that cancels it. A name that is active goes
 * on with the definition that it was activated with, also where that was replaced meanwhile.
 * SKILL_ENOENT (the message suggests near names), SKILL_EDENIED, SKILL_ECLOSED, SKILL_ENOMEM: no callback. */
SKILL_API int skill_loader_activate(ProgressiveSkillLoader *loader, const char *name, SkillActivateCb cb, void *user,
                                    uint64_t *request, SkillError *err);

/* Activates several; their inits run side by side. Names that do not exist become items with SKILL_ENOENT, a name
 * that comes twice is activated once and told twice. When there are more than fit, the earlier ones stay and each of
 * the others says why it did not. Afterwards the last is the most recently used. */
SKILL_API int skill_loader_activate_many(ProgressiveSkillLoader *loader, const char *const *names, size_t count,
                                         SkillActivateCb cb, void *user, uint64_t *request, SkillError *err);

/* Ranks `text` (copied; its first SKILL_MAX_QUERY bytes) and activates what the policy selects. A ranking or a policy
 * that fails is told to `cb`. SKILL_ECLOSED, SKILL_EINVAL, SKILL_ENOMEM: no callback. */
SKILL_API int skill_loader_activate_query(ProgressiveSkillLoader *loader, const char *text, SkillActivateCb cb,
                                          void *user, uint64_t *request, SkillError *err);

/* Synchronous hit: when `name` is active, refreshes its recency and copies its tools (at most `room`) to `tools`;
 * returns 1 and stores their number. 0: it is not active, and nothing changed. Allocates nothing. */
SKILL_API int skill_loader_touch(ProgressiveSkillLoader *loader, const char *name, SkillTool *tools, size_t room,
                                 size_t *count);

/* Cancels a request: its callback still comes, once, with SKILL_ECANCELED for what was not active yet. An init that
 * nobody else waits for is let run out, then disposed. SKILL_ENOENT: there is no such pending request. */
SKILL_API int skill_loader_cancel(ProgressiveSkillLoader *loader, uint64_t request);

/* Disposes one active skill. SKILL_ENOENT: not active; SKILL_EBUSY: a tool call of it is running. */
SKILL_API int skill_loader_deactivate(ProgressiveSkillLoader *loader, const char *name, SkillDoneCb cb, void *user,
                                      SkillError *err);

/* Keeps an active skill from being evicted or expired, or lifts that. SKILL_ENOENT: not active. */
SKILL_API int skill_loader_pin(ProgressiveSkillLoader *loader, const char *name, bool pinned);

/* A tool call of `name` begins or ends: in between it is neither evicted nor expired. Calls nest. SKILL_ENOENT. */
SKILL_API int skill_loader_use(ProgressiveSkillLoader *loader, const char *name);
SKILL_API int skill_loader_unuse(ProgressiveSkillLoader *loader, const char *name);

/* Disposes what has not been used for activation_timeout_ms; then calls `cb` (may be NULL). `expired` (may be NULL)
 * receives how many were found. There is no hidden timer: expiry happens here and nowhere else.
 * SKILL_ECLOSED, SKILL_ENOMEM: no callback. */
SKILL_API int skill_loader_cleanup_expired(ProgressiveSkillLoader *loader, SkillDoneCb cb, void *user, size_t *expired);

/* What the skill is in this loader; a name that is not known is LISTED too. */
SKILL_API SkillState skill_loader_state(const ProgressiveSkillLoader *loader, const char *name);
/* How many skills are active; those that are initialising or being disposed are not. */
SKILL_API size_t skill_loader_active_count(const ProgressiveSkillLoader *loader);

/* The name of the i-th active skill, most recently used first, or NULL; borrowed until the loader changes. */
SKILL_API const char *skill_loader_active_name(const ProgressiveSkillLoader *loader, size_t index);

/* What the conversation holds of the skill's body; ABSENT for a name that is not known. */
SKILL_API SkillBodyState skill_loader_body_state(const ProgressiveSkillLoader *loader, const char *name);
/* Set by whoever compiles the context. SKILL_ENOENT: no such skill in the registry; SKILL_ENOMEM. */
SKILL_API int skill_loader_set_body_state(ProgressiveSkillLoader *loader, const char *name, SkillBodyState state);

/* The tools of all active skills as the caller's own array (the strings are borrowed until their skill leaves), in
 * order of activation; owned: release with skill_free. SKILL_ENOMEM. */
SKILL_API int skill_loader_tools(ProgressiveSkillLoader *loader, SkillTool **tools, size_t *count);

/* The registry that it was made on; borrowed. */
SKILL_API SkillRegistry *skill_loader_registry(const ProgressiveSkillLoader *loader);

/* Does what is due and runs callbacks; never blocks. Returns how many callbacks ran, or SKILL_EBUSY when called from
 * one of them. */
SKILL_API int skill_loader_step(ProgressiveSkillLoader *loader);

/* A descriptor that becomes readable when a step of any loader of the registry has something to do; for poll, never to
 * be read by the host; the loader's own until it is freed. */
SKILL_API int skill_loader_fd(const ProgressiveSkillLoader *loader);

/* Milliseconds of the loader's clock until a step has something to do even without the descriptor: 0 now, -1 never.
 * Changes with every call on the loader; ask before each poll. */
SKILL_API int skill_loader_timeout_ms(const ProgressiveSkillLoader *loader);

/* Steps until no request is pending and nothing initialises or is disposed, at most `timeout_ms` (-1: no bound) of
 * real time. 0, SKILL_ETIMEDOUT, or SKILL_EBUSY in a callback. A virtual clock does not move while it waits. */
SKILL_API int skill_loader_wait(ProgressiveSkillLoader *loader, int timeout_ms);

SKILL_END

#endif
