/* SPDX-License-Identifier: MIT
 *
 * The inside of a loader.
 *
 * An entry is what this conversation knows of one skill name. A request is one call of the host that has a callback;
 * an item is one skill name of a request. Requests are kept in the order in which they were made.
 *
 * Public functions only record what is to be done. skill__loader_advance(), which runs in a step, does it: it applies
 * what happened to holds, checks deadlines, advances the requests in order, and starts the next dispose. Host callbacks
 * run afterwards, so that none of this code is re-entered.
 *
 * Each file uses only those before it:
 *
 *   base.c      clock, events, options            query.c     ranking, and the policy's selection
 *   entry.c     entries, their states and lists   advance.c   one step of the state machine
 *   request.c   requests and items                loader.c    create, submit, cancel, close, free
 *   room.c      eviction                          active.c    operations on active skills
 *   policy.c, policy_budget.c  built-in policies  step.c      step, descriptor, time-out, wait
 */
#ifndef SKILL_LOADER_LOADER_INTERNAL_H
#define SKILL_LOADER_LOADER_INTERNAL_H

#include "loader/policy.h"
#include "skill/registry_internal.h"
#include "skillet/loader.h"

enum { SKILL__ITEM_REASON_SIZE = 160 }; /* bytes of an item's reason; a longer one is cut */

struct skill__loader_request;

/* The entries of one state, in order. */
struct skill__loader_list {
  struct skill__loader_entry *first;
  struct skill__loader_entry *last;
  size_t count;
};

/* An entry exists only while it holds state; see skill__loader_entry_tidy(). In the state LISTED it is in no list, has
 * no `skill`, and counts no tokens. */
struct skill__loader_entry {
  UT_hash_handle hh; /* by name */
  char *name;        /* owned */
  struct skill__loader_entry *previous;
  struct skill__loader_entry *next; /* in the list of its state; active: least recently used first */
  ProgressiveSkillLoader *loader;
  SkillState state;
  SkillBodyState body;
  Skill *skill; /* the definition that was activated, also after it was replaced; holds a reference */
  struct skill__hold hold;
  struct skill__loader_entry *changed_next;
  const SkillTool *tools; /* borrowed from the skill while it is active */
  size_t tool_count;
  struct skill__loader_item *items; /* of requests whose callback has not run */
  size_t references;                /* items, and requests that evicted it */
  unsigned uses;                    /* running tool calls */
  unsigned failures;                /* of init, in a row */
  bool changed;                     /* in the loader's list of changed holds */
  bool pinned;
  bool abandoned; /* initialising, and all who wanted it were canceled: dispose it after its init */
  bool forgotten; /* being unregistered: dispose it as soon as no tool call uses it */
  struct skill__loader_request *leaver; /* completes after its dispose; may be NULL */
  uint64_t order;                       /* of activation, for skill_loader_tools */
  int64_t activated_ms;
  int64_t last_use_ms;
  int64_t deadline_ms; /* of init or dispose; INT64_MAX: none */
  int64_t retry_ms;    /* back-off: no init before this time */
  size_t l2_tokens;    /* as counted when it was activated: the size that the budget is charged with */
  double last_score;
};

/* A settled item has its status. It can be reopened until the callback of its request runs, because a skill that
 * another request needs room for may be evicted in between. */
struct skill__loader_item {
  struct skill__loader_request *request;
  struct skill__loader_entry *entry; /* NULL: there is no such skill */
  struct skill__loader_item *next;   /* of the same entry */
  bool settled;
  bool waited; /* an init or dispose was awaited, so finding it active now is no hit */
  SkillActivationItem result;
  char reason[SKILL__ITEM_REASON_SIZE];
  char *unknown; /* the name, if there is no entry; owned */
};

enum skill__loader_request_kind { SKILL__ACTIVATE, SKILL__DEACTIVATE, SKILL__CLEANUP, SKILL__CLOSE };

struct skill__loader_request {
  struct skill__loader_request *next;
  uint64_t id; /* ascending in the order of submission */
  enum skill__loader_request_kind kind;
  SkillActivateCb activate_cb;
  SkillDoneCb done_cb;
  void *user;
  bool complete; /* only its callback is left */
  char *query;   /* still to be ranked; NULL: by name, or already ranked */
  size_t query_length;
  struct skill__loader_item *items;
  const SkillActivationItem **results; /* the results of the items, for the callback */
  size_t count;
  size_t settled;
  struct skill__loader_entry **evicted; /* to make room for its items; each holds a reference */
  size_t evicted_capacity;
  const char **evicted_names; /* of the same, for the callback */
  size_t names_capacity;
  size_t evicted_count;
  size_t outstanding; /* disposes that it waits for */
  int status;
  char message[SKILL__MESSAGE_SIZE]; /* of the first failing dispose, or why a query chose nothing */
};

struct ProgressiveSkillLoader {
  struct skill__watcher watcher; /* first: the registry knows the loader only as a watcher */
  SkillRegistry *registry;
  SkillIo *io;
  SkillLoaderOptions options;
  struct skill__loader_entry *entries; /* by name */
  struct skill__loader_list starting;
  struct skill__loader_list active;
  struct skill__loader_list disposing; /* one dispose at a time: that of the first */
  bool dispose_running;
  struct skill__loader_entry *changed;    /* whose holds changed since the last advance, newest first */
  struct skill__loader_request *requests; /* oldest first; those whose callback has not run */
  uint64_t next_id;
  uint64_t next_order;
  size_t tokens; /* of all entries that are not listed */
  int fd;
  bool stepping;
  bool closing;
  int64_t close_deadline_ms; /* closing: after it running tool calls are no longer awaited */
  bool closed;
  bool waiting;                                /* in skill_loader_wait */
  bool free_after_step;                        /* a callback freed the loader while it was stepping */
  struct skill__loader_request *close_request; /* made with the loader, so that closing cannot fail */
};

/* base.c */
int64_t skill__loader_now(const ProgressiveSkillLoader *loader);
/* The time `ms` milliseconds from now; INT64_MAX (never) if `ms` is not positive. */
int64_t skill__loader_after(const ProgressiveSkillLoader *loader, int64_t ms);
/* The next step has something to do; wakes pollers unless a step is running. */
void skill__loader_due(ProgressiveSkillLoader *loader);
/* Passes the event, with the time added, to the host. */
void skill__loader_emit(ProgressiveSkillLoader *loader, SkillEvent event);
size_t skill__loader_l2_tokens(const ProgressiveSkillLoader *loader, const Skill *skill);
bool skill__loader_visible(const ProgressiveSkillLoader *loader, const char *name);

/* entry.c: only skill__loader_entry_get() can fail (SKILL_ENOMEM); it creates the entry if there is none. */
struct skill__loader_entry *skill__loader_entry_find(const ProgressiveSkillLoader *loader, const char *name);
int skill__loader_entry_get(ProgressiveSkillLoader *loader, const char *name, struct skill__loader_entry **out);
void skill__loader_entry_release(struct skill__loader_entry *entry); /* drops a reference */
void skill__loader_entries_free(ProgressiveSkillLoader *loader);
/* Frees an entry that holds no state worth keeping. */
void skill__loader_entry_tidy(struct skill__loader_entry *entry);
bool skill__loader_state_follows(SkillState from, SkillState to); /* the allowed changes of state */
void skill__loader_entry_move(struct skill__loader_entry *entry, SkillState state);
/* Makes an active entry the most recently used one. */
void skill__loader_entry_touch(struct skill__loader_entry *entry, int64_t now_ms);
/* Moves an active entry to DISPOSING; `why` is for the event. `leaver`, which may be NULL, waits for the dispose. */
void skill__loader_entry_leave(struct skill__loader_entry *entry, SkillEventKind kind, const char *why,
                               struct skill__loader_request *leaver);
/* Whether an unsettled item waits for it. */
bool skill__loader_entry_wanted(const struct skill__loader_entry *entry);

/* request.c */
struct skill__loader_request *skill__loader_request_new(enum skill__loader_request_kind kind);
void skill__loader_request_free(struct skill__loader_request *request); /* NULL is ignored */
void skill__loader_request_submit(ProgressiveSkillLoader *loader, struct skill__loader_request *request);
/* Makes room for `count` items; once for each request. SKILL_ENOMEM. */
int skill__loader_request_room(struct skill__loader_request *request, size_t count);
/* Adds the next item. With `status` it needs no entry and is settled at once, for the reason `why`. SKILL_ENOMEM. */
int skill__loader_request_add(ProgressiveSkillLoader *loader, struct skill__loader_request *request, const char *name,
                              double score, int status, const char *why);
/* Records that the entry was evicted for this request. SKILL_ENOMEM. */
int skill__loader_request_evicted(struct skill__loader_request *request, struct skill__loader_entry *entry);
void skill__loader_item_settle(ProgressiveSkillLoader *loader, struct skill__loader_item *item, int status,
                               const char *reason);
void skill__loader_item_reopen(struct skill__loader_item *item);
/* Runs the callback of a complete request and frees it. */
void skill__loader_request_deliver(ProgressiveSkillLoader *loader, struct skill__loader_request *request);
void skill__loader_request_cancel(ProgressiveSkillLoader *loader, struct skill__loader_request *request,
                                  const char *why);

/* room.c: makes room for the item's skill of `tokens` tokens. 0: there is room now; 1: wait, something will change;
 * a negative code, SKILL_EFULL above all: there will be none, for the reason written. */
int skill__loader_make_room(ProgressiveSkillLoader *loader, struct skill__loader_item *item, size_t tokens,
                            char *reason, size_t size);

/* query.c: ranks the request's query, lets the policy select, and adds the items. The query is consumed. SKILL_ENOMEM,
 * or the failure of the ranker or the policy, with a message in the request. */
int skill__loader_prepare_query(ProgressiveSkillLoader *loader, struct skill__loader_request *request);

/* advance.c: runs the state machine until nothing changes without outside action. */
void skill__loader_advance(ProgressiveSkillLoader *loader);

/* loader.c */
void skill__loader_destroy(ProgressiveSkillLoader *loader);

#endif
