/* SPDX-License-Identifier: MIT
 *
 * The inside of a loader.
 *
 * An entry is what this conversation knows of one name; an item is one name of a request; requests are kept in the
 * order of their making. skill__loader_advance() moves everything as far as it goes: it takes in what happened to
 * holds, looks at deadlines, lets each request make progress, and runs the next dispose. Host callbacks run after it.
 *
 *   entry.c     entries, their states and lists           advance.c   the turning of the wheel
 *   request.c   requests and items: made, settled, told   room.c      who goes when there is no room
 *   query.c     ranking and policies                      step.c      step, fd, timeout, wait
 *   loader.c    making, closing, freeing, small answers   policy.c, policy_budget.c   the built-in policies
 */
#ifndef SKILL_LOADER_LOADER_INTERNAL_H
#define SKILL_LOADER_LOADER_INTERNAL_H

#include "skill/registry_internal.h"
#include "skillet/loader.h"

enum { SKILL__REASON_SIZE = 160 };

struct skill__request;
struct skill__entry;

/* Entries of one state, in order. */
struct skill__entries {
  struct skill__entry *first;
  struct skill__entry *last;
  size_t count;
};

/* What this conversation knows of one name. It exists while it holds state: see skill__entry_tidy(). */
struct skill__entry {
  UT_hash_handle hh; /* by name */
  char *name;        /* owned */
  struct skill__entry *previous;
  struct skill__entry *next; /* in the list of its state; active: least recently used first */
  ProgressiveSkillLoader *loader;
  SkillState state;
  SkillBodyState body;
  Skill *skill; /* holds a reference; NULL in the state LISTED */
  struct skill__hold hold;
  struct skill__entry *changed_next;
  const SkillTool *tools; /* borrowed from the skill while it is active */
  size_t tool_count;
  struct skill__item *items; /* of requests that were not told yet */
  size_t references;         /* items, and requests that evicted it */
  unsigned uses;             /* running tool calls */
  unsigned failures;         /* of init, in a row */
  bool changed;              /* in the loader's list of changed holds */
  bool pinned;
  bool abandoned;                /* initialising for nobody */
  bool forgotten;                /* being unregistered: goes as soon as no call uses it */
  struct skill__request *leaver; /* who waits for its dispose; may be NULL */
  uint64_t order;                /* of activation, for skill_loader_tools */
  int64_t activated_ms;
  int64_t last_use_ms;
  int64_t deadline_ms; /* of init or dispose; INT64_MAX: none */
  int64_t retry_ms;    /* back-off: not before */
  size_t l2_tokens;
  double last_score;
};

/* One name of a request. */
struct skill__item {
  struct skill__request *request;
  struct skill__entry *entry; /* NULL: there is no such skill */
  struct skill__item *next;   /* of the same entry */
  bool settled;
  bool waited; /* so finding it active is no hit */
  SkillActivationItem *result;
  char reason[SKILL__REASON_SIZE];
  char *unknown; /* the name, where there is no entry; owned */
};

enum skill__request_kind { SKILL__ACTIVATE, SKILL__DEACTIVATE, SKILL__CLEANUP, SKILL__CLOSE };

struct skill__request {
  struct skill__request *next;
  uint64_t id;
  enum skill__request_kind kind;
  SkillActivateCb activate_cb;
  SkillDoneCb done_cb;
  void *user;
  bool complete; /* only its callback is left */
  char *query;   /* to be ranked; NULL: by name, or done */
  size_t query_length;
  struct skill__item *items;
  SkillActivationItem *results; /* of the items */
  size_t count;
  size_t settled;
  struct skill__entry **evicted; /* hold references */
  const char **evicted_names;    /* of the same, for the callback */
  size_t evicted_count;
  size_t evicted_capacity;
  size_t outstanding; /* disposes that are awaited */
  int status;
  char message[SKILL__MESSAGE_SIZE]; /* of the failing dispose, or why a query chose nothing */
};

struct ProgressiveSkillLoader {
  struct skill__watcher watcher; /* first: the registry knows no more of it */
  SkillRegistry *registry;
  SkillIo *io;
  SkillLoaderOptions options;
  struct skill__entry *entries; /* by name */
  struct skill__entries starting;
  struct skill__entries active;
  struct skill__entries disposing; /* the first one is being disposed */
  bool dispose_running;
  struct skill__entry *changed;    /* holds that something happened to */
  struct skill__request *requests; /* oldest first, all that were not told */
  uint64_t next_id;
  uint64_t next_order;
  size_t tokens; /* of all entries that are not listed */
  int fd;
  bool stepping;
  bool closing;
  int64_t close_deadline_ms; /* closing: when running tool calls are no longer waited for */
  bool closed;
  bool waiting;                         /* in skill_loader_wait */
  bool free_after_step;                 /* the close callback freed it */
  struct skill__request *close_request; /* made with the loader, so that closing can't fail */
};

/* entry.c */
struct skill__entry *skill__entry_find(const ProgressiveSkillLoader *loader, const char *name);
int skill__entry_get(ProgressiveSkillLoader *loader, const char *name, struct skill__entry **out); /* makes it */
void skill__entry_release(struct skill__entry *entry); /* drops a reference */
void skill__entries_free(ProgressiveSkillLoader *loader);
void skill__entry_tidy(struct skill__entry *entry);        /* frees one that says nothing */
bool skill__state_follows(SkillState from, SkillState to); /* the table of allowed moves */
void skill__entry_move(struct skill__entry *entry, SkillState state);
void skill__entry_touch(ProgressiveSkillLoader *loader, struct skill__entry *entry, int64_t now_ms);
/* Starts the way out; `why` is for the event. `leaver` may be NULL. */
void skill__entry_leave(struct skill__entry *entry, SkillEventKind kind, const char *why,
                        struct skill__request *leaver);
bool skill__entry_open_items(const struct skill__entry *entry); /* someone waits for it */

/* request.c */
struct skill__request *skill__request_new(enum skill__request_kind kind);
void skill__request_free(struct skill__request *request);
void skill__request_submit(ProgressiveSkillLoader *loader, struct skill__request *request);
int skill__request_room(struct skill__request *request, size_t count);
/* Fills the next of the items there is room for. A name that nobody knows becomes an item settled with `status`. */
int skill__request_add(ProgressiveSkillLoader *loader, struct skill__request *request, const char *name, double score,
                       int status, const char *why);
int skill__request_evicted(struct skill__request *request, struct skill__entry *entry);
void skill__item_settle(ProgressiveSkillLoader *loader, struct skill__item *item, int status, const char *reason);
void skill__item_reopen(struct skill__item *item);
void skill__request_deliver(ProgressiveSkillLoader *loader, struct skill__request *request); /* and frees it */
void skill__request_cancel(ProgressiveSkillLoader *loader, struct skill__request *request, const char *why);

/* advance.c */
void skill__loader_advance(ProgressiveSkillLoader *loader);

/* room.c: 0 there is room; 1 wait; SKILL_EFULL with the reason; other codes. */
int skill__room_make(ProgressiveSkillLoader *loader, struct skill__item *item, size_t tokens, char *reason,
                     size_t size);

/* query.c: ranks, asks the policy, makes the items. */
int skill__query_prepare(ProgressiveSkillLoader *loader, struct skill__request *request);

/* base.c */
int64_t skill__loader_now(const ProgressiveSkillLoader *loader);
/* So many milliseconds from now; for ever where it is not positive. */
int64_t skill__loader_after(const ProgressiveSkillLoader *loader, int64_t ms);
void skill__loader_due(ProgressiveSkillLoader *loader);
void skill__loader_emit(ProgressiveSkillLoader *loader, SkillEvent event);
size_t skill__loader_l2_tokens(const ProgressiveSkillLoader *loader, const Skill *skill);
bool skill__loader_visible(const ProgressiveSkillLoader *loader, const char *name);

/* loader.c */
void skill__loader_destroy(ProgressiveSkillLoader *loader);

/* policy.c: recognised by the loader, which then needs no list of residents. */
int skill__policy_lru(const SkillPolicy *policy, const SkillVictimInput *input, size_t *victim);
/* policy_budget.c */
int skill__policy_budget_select(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen,
                                size_t *count);

#endif
