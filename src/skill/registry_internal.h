/* SPDX-License-Identifier: MIT
 *
 * The inside of skills and registry, for the loader and for skill_registry_sync().
 *
 * A Skill is one definition with a count of references: the registry holds one, and each loader, request and pending
 * completion that uses it one more. Replacing a definition puts another Skill under the name; holders of the old one
 * keep using it. Everything here belongs to the registry's thread unless stated otherwise.
 */
#ifndef SKILL_SKILL_REGISTRY_INTERNAL_H
#define SKILL_SKILL_REGISTRY_INTERNAL_H

#include <stdatomic.h>

#include "skill/life.h"
#include "skillet/registry.h"
#include "util/hash.h"

struct Skill {
  atomic_size_t references; /* the last one may be dropped by a completion on another thread */
  SkillMetadata *metadata;  /* owned */
  char *body;               /* of a skill defined in C; owned; NULL: none, or ask the source */
  size_t body_length;       /* of the whole body, or of what the index was given of it */
  SkillInitCb init;
  SkillDisposeCb dispose;
  SkillToolsCb tools;
  void *user;
  SkillSource *source; /* NULL: defined in C; metadata->path identifies the skill in it */
  uint64_t stamp;      /* the source's own: tells whether the definition changed */
  SkillRegistry *registry;
  bool listed;     /* in the registry under its name */
  bool leaving;    /* during a batch: will not be listed after it */
  bool mark;       /* during a synchronisation: a source still lists it */
  Skill *previous; /* in registration order */
  Skill *next;
  UT_hash_handle hh; /* by name */
  struct skill__life life;
};

/* Makes a definition that is in no registry; `def` is copied. `source` NULL: defined in C. With a source the body is
 * not kept, only its length. Owned: release with skill__skill_release. SKILL_EINVAL, SKILL_ELIMIT (name),
 * SKILL_ENOMEM. */
int skill__skill_new(const SkillDef *def, SkillSource *source, Skill **out, SkillError *err);
Skill *skill__skill_retain(Skill *skill);
void skill__skill_release(Skill *skill); /* any thread; NULL is ignored */

/* One change of a batch. `old` alone: removed; `fresh` alone: added at the end; both (of one name): replaced in its
 * place. A removed skill is not deactivated: loaders that use it keep it. */
struct skill__change {
  Skill *old;       /* listed now; borrowed */
  Skill *fresh;     /* taken on success */
  const char *body; /* for the index of `fresh`; borrowed; may be NULL */
  size_t body_length;
};

/* Makes all changes at once, in the table and in the index, or none. Emits `registered` and `unregistered`.
 * SKILL_EEXISTS (a fresh name is taken, or twice in the batch), SKILL_EBUSY (a fresh name is just being removed),
 * SKILL_ENOMEM: nothing changed and nothing taken. */
int skill__registry_apply(SkillRegistry *registry, const struct skill__change *changes, size_t count, SkillError *err);

/* Passes the event, with the time added, to the host. */
void skill__registry_emit(SkillRegistry *registry, SkillEvent event);

SkillIo *skill__registry_io(const SkillRegistry *registry);
bool skill__registry_removing(const SkillRegistry *registry, const char *name); /* a skill of that name */
bool skill__registry_wants_body(const SkillRegistry *registry);                 /* the index takes bodies */
struct skill__mailbox *skill__registry_mailbox(const SkillRegistry *registry);

/* A loader, as the registry sees it. */
struct skill__watcher {
  struct skill__watcher *next;
  bool due; /* its step has something to do, and pollers were woken for it */
  /* A skill of that name is being removed: let it go as soon as no tool call uses it. */
  void (*forget)(struct skill__watcher *watcher, const char *name);
  bool (*holds)(const struct skill__watcher *watcher, const char *name); /* in any state but listed */
};
void skill__registry_watch(SkillRegistry *registry, struct skill__watcher *watcher);
void skill__registry_unwatch(SkillRegistry *registry, struct skill__watcher *watcher);

/* Takes in all completions. Calls no host callback but may begin inits and disposes. */
void skill__registry_pump(SkillRegistry *registry);

/* Wakes the pollers again if a loader is still due: the pump cleared the descriptor that had woken them. */
void skill__registry_rewake(SkillRegistry *registry);

/* Calls back for the removals that have ended; returns how many. */
int skill__registry_deliver(SkillRegistry *registry);

/* Whether a finished removal still has its callback pending. */
bool skill__registry_due(const SkillRegistry *registry);

/* A dispose has ended; a removal of the skill reports its failure. */
void skill__registry_disposed(Skill *skill, int status, const char *message);

#endif
