/* SPDX-License-Identifier: MIT
 *
 * ProgressiveSkillLoader: one conversation's view of a registry. It ranks, activates, evicts and expires skills.
 *
 * Callbacks. A request that returns an error never calls back. One that returns 0 calls back exactly once, inside
 * skill_loader_step() (which skill_loader_wait() calls) and on its thread. A request is only recorded; ranking,
 * policies, inits and disposes run in the step as well. A callback may make and cancel requests and step other
 * loaders, but it must not step or wait on its own loader. Strings and arrays passed to a callback are borrowed until
 * it returns, unless its comment says otherwise.
 *
 * Room. At most max_active skills are initialising, active or being disposed at any time, and their tokens stay within
 * the budget if there is one. An activation evicts skills if it needs room; it fails if the skills of its own request
 * take all the room. Requests get room in the order in which they were made, and a skill that a request activated is
 * not evicted before its callback has run.
 *
 * Threads. A loader belongs to the thread of its registry. Only skill_completion_finish() and skill_tool_call_finish()
 * may be called on other threads.
 */
#ifndef SKILLET_LOADER_H
#define SKILLET_LOADER_H

#include "skillet/policy.h"
#include "skillet/registry.h"

SKILL_BEGIN

typedef struct ProgressiveSkillLoader ProgressiveSkillLoader;

typedef struct SkillLoaderOptions {
  size_t size;                   /* sizeof(SkillLoaderOptions) */
  size_t max_active;             /* [3] SIZE_MAX: no limit; 0: 3 */
  size_t top;                    /* [3] how many skills a query activates; 0: as many as max_active */
  int64_t activation_timeout_ms; /* [30 min] a skill expires when it has not been used for so long; 0: at once */
  int64_t init_timeout_ms;       /* [30 s] 0: none */
  int64_t dispose_timeout_ms;    /* [30 s] 0: none. Then the failure is reported and the skill's room is released */
  int64_t close_timeout_ms;      /* [30 s] how long closing waits for running tool calls; 0: without limit */
  int64_t backoff_ms;  /* [0] how long a skill is not retried after a failed init, doubled each time; 0: not at all */
  size_t token_budget; /* [0] tokens of all active skills; 0: no limit */
  const SkillPolicy *policy; /* borrowed until the loader is freed; NULL: relevance */
  SkillIo *io;               /* borrowed; NULL: the registry's */
  SkillEventCb on_event;     /* NULL: none */
  void *event_user;
  size_t (*l2_tokens)(const Skill *skill, void *user); /* NULL: estimated from the metadata */
  bool (*visible)(const char *name, void *user);       /* NULL: all; false: SKILL_EDENIED, not ranked */
  void *user;                                          /* passed to l2_tokens and visible */
} SkillLoaderOptions;

#define SKILL_LOADER_OPTIONS_INIT \
  { sizeof(SkillLoaderOptions), 3, 3, 1800000, 30000, 30000, 30000, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL }

typedef enum SkillState {
  SKILL_STATE_LISTED = 0,
  SKILL_STATE_INITIALISING,
  SKILL_STATE_ACTIVE,
  SKILL_STATE_DISPOSING
} SkillState;

/* Whether the conversation contains the skill's body. The context compiler reports which bodies it removed. */
typedef enum SkillBodyState { SKILL_BODY_ABSENT = 0, SKILL_BODY_IN_CONTEXT, SKILL_BODY_COMPACTED } SkillBodyState;

/* The result of an activation for one skill. */
typedef struct SkillActivationItem {
  const char *name;
  int status;             /* 0: active; else the reason: SKILL_EFULL, EFAILED, ETIMEDOUT, ECANCELED, EDENIED … */
  bool hit;               /* it was active before the request */
  double score;           /* 0: activated by name */
  const char *reason;     /* one clause; never NULL */
  const SkillTool *tools; /* its tools; NULL if it is not active */
  size_t tool_count;
  const void *reserved[4]; /* 0 */
} SkillActivationItem;

typedef struct SkillActivation {
  int status; /* 0: at least one skill is active, or none was requested; else the first failure */
  const SkillActivationItem *const *items; /* in the order of the request */
  size_t count;
  const char *const *evicted; /* names of skills that were evicted to make room, in order */
  size_t evicted_count;
  const char *reason; /* why a query selected nothing; else NULL */
} SkillActivation;

typedef void (*SkillActivateCb)(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user);
/* Reports the end of a deactivation, a clean-up or a close. `status` is 0 or what the first failing dispose
 * reported. */
typedef void (*SkillDoneCb)(ProgressiveSkillLoader *loader, int status, const char *message, void *user);

/* Makes a loader on `registry`, which must outlive it. `options` is copied and may be NULL. Owned: release with
 * skill_loader_free after it was closed. SKILL_EINVAL (options, a policy without `select`), SKILL_ENOMEM, SKILL_ELIMIT
 * (no free descriptor). */
SKILL_API int skill_loader_new(SkillRegistry *registry, const SkillLoaderOptions *options, ProgressiveSkillLoader **out,
                               SkillError *err);

/* Starts closing: cancels pending requests, waits for running tool calls, disposes all skills, and then calls `cb` (may
 * be NULL) in a step, after all other callbacks. Tool calls that run longer than `close_timeout_ms` are not waited for:
 * their skills are disposed while they run, a `deactivated` event says so, and the status of the callback is
 * SKILL_ETIMEDOUT; the host must stop such calls. Later requests return SKILL_ECLOSED. SKILL_ECLOSED: already closing.
 * There is no other failure. */
SKILL_API int skill_loader_close(ProgressiveSkillLoader *loader, SkillDoneCb cb, void *user);

/* Frees a closed loader; allowed from its close callback on. SKILL_EBUSY: it is not closed, and nothing is freed. NULL
 * is ignored. A loader that never activated a skill must be closed, too. */
SKILL_API int skill_loader_free(ProgressiveSkillLoader *loader);

/* Ranks without activating. Owned: release with skill_ranking_free. Emits a `ranked` event for each of the best ten,
 * with its place in `count`, or one event with the reason if there is no result. Errors as skill_ranker_query. */
SKILL_API int skill_loader_rank(ProgressiveSkillLoader *loader, const SkillQuery *query, SkillRanking **out,
                                SkillError *err);

/* Activates one skill by name. `request` (may be NULL) receives the number for skill_loader_cancel. If the skill is
 * active, it keeps the definition that it was activated with, even if the registry has a newer one. SKILL_ENOENT (the
 * message suggests similar names), SKILL_EDENIED, SKILL_ECLOSED, SKILL_ENOMEM: no callback. */
SKILL_API int skill_loader_activate(ProgressiveSkillLoader *loader, const char *name, SkillActivateCb cb, void *user,
                                    uint64_t *request, SkillError *err);

/* Activates several skills; their inits run at the same time. A name that does not exist becomes an item with
 * SKILL_ENOENT. A name that occurs twice is activated once and reported twice. If not all fit, the earlier ones stay
 * active, and the items of the others give the reason. The last one is the most recently used. Errors as
 * skill_loader_activate. */
SKILL_API int skill_loader_activate_many(ProgressiveSkillLoader *loader, const char *const *names, size_t count,
                                         SkillActivateCb cb, void *user, uint64_t *request, SkillError *err);

/* Ranks `text` (copied; its first SKILL_MAX_QUERY bytes) and activates what the policy selects. A failure of the
 * ranking or the policy is reported to `cb`. SKILL_ECLOSED, SKILL_EINVAL, SKILL_ENOMEM: no callback. */
SKILL_API int skill_loader_activate_query(ProgressiveSkillLoader *loader, const char *text, SkillActivateCb cb,
                                          void *user, uint64_t *request, SkillError *err);

/* If `name` is active, marks it as the most recently used, copies at most `room` of its tools to `tools`, stores their
 * number in *count, and returns 1. Returns 0 if it is not active. Allocates nothing. */
SKILL_API int skill_loader_touch(ProgressiveSkillLoader *loader, const char *name, SkillTool *tools, size_t room,
                                 size_t *count);

/* Cancels a request: its callback still runs, once, with SKILL_ECANCELED for skills that were not active yet. An init
 * that no other request waits for continues until it ends, and the skill is then disposed. SKILL_ENOENT: no such
 * request is pending. */
SKILL_API int skill_loader_cancel(ProgressiveSkillLoader *loader, uint64_t request);

/* Disposes one active skill. SKILL_ENOENT: it is not active. SKILL_EBUSY: one of its tool calls is running.
 * SKILL_ECLOSED, SKILL_ENOMEM. After an error there is no callback. */
SKILL_API int skill_loader_deactivate(ProgressiveSkillLoader *loader, const char *name, SkillDoneCb cb, void *user,
                                      SkillError *err);

/* Excludes an active skill from eviction and expiry, or ends that. SKILL_ENOENT: not active. */
SKILL_API int skill_loader_pin(ProgressiveSkillLoader *loader, const char *name, bool pinned);

/* Marks the beginning and the end of a tool call of the skill, which is neither evicted nor expired in between. Calls
 * nest. SKILL_ENOENT: not active. */
SKILL_API int skill_loader_use(ProgressiveSkillLoader *loader, const char *name);
SKILL_API int skill_loader_unuse(ProgressiveSkillLoader *loader, const char *name);

/* Disposes the skills that have not been used for activation_timeout_ms, then calls `cb` (may be NULL). `expired`
 * (may be NULL) receives their number. Skills expire only here; there is no timer. SKILL_ECLOSED, SKILL_ENOMEM: no
 * callback. */
SKILL_API int skill_loader_cleanup_expired(ProgressiveSkillLoader *loader, SkillDoneCb cb, void *user, size_t *expired);

/* Returns the skill's state in this loader; LISTED for an unknown name. */
SKILL_API SkillState skill_loader_state(const ProgressiveSkillLoader *loader, const char *name);
/* Returns the number of active skills, without those that are initialising or being disposed. */
SKILL_API size_t skill_loader_active_count(const ProgressiveSkillLoader *loader);

/* Returns the name of the i-th active skill, most recently used first, or NULL. Borrowed until the loader changes. */
SKILL_API const char *skill_loader_active_name(const ProgressiveSkillLoader *loader, size_t index);

/* Returns whether the conversation contains the skill's body; ABSENT for an unknown name. */
SKILL_API SkillBodyState skill_loader_body_state(const ProgressiveSkillLoader *loader, const char *name);
/* Records whether the conversation contains the skill's body. SKILL_ENOENT: the registry has no such skill.
 * SKILL_ENOMEM. */
SKILL_API int skill_loader_set_body_state(ProgressiveSkillLoader *loader, const char *name, SkillBodyState state);

/* Stores the tools of all active skills in the order of activation, in an array that is owned: release with skill_free.
 * Its strings are borrowed until their skill is disposed. SKILL_ENOMEM. */
SKILL_API int skill_loader_tools(ProgressiveSkillLoader *loader, SkillTool **tools, size_t *count);

/* Returns the loader's registry; borrowed. */
SKILL_API SkillRegistry *skill_loader_registry(const ProgressiveSkillLoader *loader);

/* Performs all work that is due and runs callbacks; never blocks. Returns the number of callbacks, or SKILL_EBUSY if
 * called from one of them. */
SKILL_API int skill_loader_step(ProgressiveSkillLoader *loader);

/* Returns a descriptor that becomes readable when a step of any loader of the registry has work to do. The host polls
 * it and must not read it. It belongs to the loader. */
SKILL_API int skill_loader_fd(const ProgressiveSkillLoader *loader);

/* Returns after how many milliseconds of the loader's clock a step has work to do even if the descriptor is not
 * readable: 0 now, -1 never. Any call on the loader may change it; call it before each poll. */
SKILL_API int skill_loader_timeout_ms(const ProgressiveSkillLoader *loader);

/* Steps until no request is pending and no skill is initialising or being disposed, for at most `timeout_ms` of real
 * time (-1: without limit). Returns 0, SKILL_ETIMEDOUT, or SKILL_EBUSY if called from a callback. A virtual clock does
 * not advance meanwhile. */
SKILL_API int skill_loader_wait(ProgressiveSkillLoader *loader, int timeout_ms);

SKILL_END

#endif
