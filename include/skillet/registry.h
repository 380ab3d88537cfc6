/* SPDX-License-Identifier: MIT
 *
 * SkillRegistry: every skill known to the process, by name.
 *
 * A registry and all loaders on it belong to one thread. Iteration order is registration order. Names are compared
 * byte for byte.
 */
#ifndef SKILLET_REGISTRY_H
#define SKILLET_REGISTRY_H

#include "skillet/event.h"
#include "skillet/io.h"
#include "skillet/rank.h"
#include "skillet/skill.h"

SKILL_BEGIN

typedef struct SkillRegistry SkillRegistry;
typedef struct SkillSource SkillSource;

typedef struct SkillRegistryOptions {
  size_t size;                      /* sizeof(SkillRegistryOptions) */
  const SkillRankerOptions *ranker; /* copied; NULL: defaults */
  SkillIo *io;                      /* borrowed for the registry's life; NULL: skill_io_posix() */
  SkillEventCb on_event;            /* NULL: none */
  void *event_user;
} SkillRegistryOptions;

#define SKILL_REGISTRY_OPTIONS_INIT \
  { sizeof(SkillRegistryOptions), NULL, NULL, NULL, NULL }

/* Called once when a removal has ended. `status` is 0, or what the failing dispose reported; the skill is gone
 * either way. `message` is borrowed until the callback returns, may be NULL. */
typedef void (*SkillRemoveCb)(SkillRegistry *registry, const char *name, int status, const char *message, void *user);

/* Makes an empty registry; owned: release with skill_registry_free. `options` may be NULL. SKILL_EINVAL (options),
 * SKILL_ENOMEM, SKILL_ELIMIT (no descriptor left). */
SKILL_API int skill_registry_new(const SkillRegistryOptions *options, SkillRegistry **out, SkillError *err);

/* Frees the registry. All its loaders must have been closed and freed before: SKILL_EBUSY otherwise, and nothing is
 * freed. NULL is ignored. */
SKILL_API int skill_registry_free(SkillRegistry *registry);

/* Registers a skill; `def` is copied. SKILL_EEXISTS, SKILL_EINVAL (name), SKILL_ELIMIT, SKILL_ENOMEM: nothing
 * changed. `out` (may be NULL) receives the skill, borrowed until it is unregistered. */
SKILL_API int skill_registry_add(SkillRegistry *registry, const SkillDef *def, Skill **out, SkillError *err);

/* Unregisters: deactivates the skill in every loader, awaits the dispose, removes it, then calls `cb` (may be NULL)
 * inside skill_registry_step() or a loader's step. From this call on the skill can neither be found nor activated.
 * SKILL_ENOENT, SKILL_EBUSY (already being removed), SKILL_ENOMEM: no callback. */
SKILL_API int skill_registry_remove(SkillRegistry *registry, const char *name, SkillRemoveCb cb, void *user,
                                    SkillError *err);

/* Delivers removals that are due, also when no loader exists. Returns how many callbacks ran, or SKILL_EBUSY when
 * called from a callback. */
SKILL_API int skill_registry_step(SkillRegistry *registry);

/* The skill of that name, or NULL; borrowed until it is unregistered. */
SKILL_API Skill *skill_registry_find(const SkillRegistry *registry, const char *name);

/* Up to `limit` (at most 3 are useful) names near `name`, best first; borrowed until the registry changes. */
SKILL_API size_t skill_registry_suggest(SkillRegistry *registry, const char *name, const char **names, size_t limit);

/* How many skills are registered. */
SKILL_API size_t skill_registry_count(const SkillRegistry *registry);

/* The next skill in registration order; NULL starts, NULL ends. Adding during iteration is allowed, removing is not. */
SKILL_API Skill *skill_registry_next(const SkillRegistry *registry, const Skill *after);

/* The index of the registry's skills; borrowed for the registry's life. Where its options leave bodies out it is built
 * when it is first asked, which then takes the time and the memory (SKILL_ENOMEM from the query or snapshot). */
SKILL_API SkillRanker *skill_registry_ranker(SkillRegistry *registry);

SKILL_END

#endif
