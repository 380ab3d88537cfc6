/* SPDX-License-Identifier: MIT
 *
 * SkillRegistry: all skills of the process, by name.
 *
 * A registry and all its loaders belong to one thread. Iteration follows the order of registration. Names are compared
 * byte by byte.
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

/* Reports the end of a removal, once. `status` is 0 or what the first failing dispose reported; the skill is removed in
 * both cases. `name` and `message` (may be NULL) are borrowed until the callback returns. */
typedef void (*SkillRemoveCb)(SkillRegistry *registry, const char *name, int status, const char *message, void *user);

/* Makes an empty registry. Owned: release with skill_registry_free. `options` may be NULL. SKILL_EINVAL (options),
 * SKILL_ENOMEM, SKILL_ELIMIT (no free descriptor). */
SKILL_API int skill_registry_new(const SkillRegistryOptions *options, SkillRegistry **out, SkillError *err);

/* Frees the registry. SKILL_EBUSY: loaders exist, or a callback of the registry is running; then nothing is freed. NULL
 * is ignored. */
SKILL_API int skill_registry_free(SkillRegistry *registry);

/* Registers a skill; `def` is copied. `out` (may be NULL) receives the skill, borrowed until it is unregistered.
 * SKILL_EEXISTS, SKILL_EINVAL (name), SKILL_ELIMIT, SKILL_ENOMEM. */
SKILL_API int skill_registry_add(SkillRegistry *registry, const SkillDef *def, Skill **out, SkillError *err);

/* Unregisters a skill: deactivates it in every loader, waits for its disposes, removes it, and then calls `cb` (may be
 * NULL) in a step of the registry or of a loader. From this call on the skill can neither be found nor activated.
 * SKILL_ENOENT, SKILL_EBUSY (already being removed), SKILL_ENOMEM: `cb` is not called. */
SKILL_API int skill_registry_remove(SkillRegistry *registry, const char *name, SkillRemoveCb cb, void *user,
                                    SkillError *err);

/* Calls the callbacks of finished removals; needed only if the registry has no loader. Returns the number of callbacks,
 * or SKILL_EBUSY if called from a callback. */
SKILL_API int skill_registry_step(SkillRegistry *registry);

/* Returns the skill of that name, or NULL; borrowed until it is unregistered. */
SKILL_API Skill *skill_registry_find(const SkillRegistry *registry, const char *name);

/* Stores up to `limit` names that are similar to `name`, best first, and returns their number. Borrowed until the
 * registry changes. */
SKILL_API size_t skill_registry_suggest(SkillRegistry *registry, const char *name, const char **names, size_t limit);

/* Returns the number of registered skills. */
SKILL_API size_t skill_registry_count(const SkillRegistry *registry);

/* Returns the skill after `after` in the order of registration, the first one for NULL, and NULL at the end. Skills may
 * be added during an iteration, not removed. */
SKILL_API Skill *skill_registry_next(const SkillRegistry *registry, const Skill *after);

/* Returns the index of the registry's skills; borrowed until the registry is freed. If the options exclude bodies, the
 * index is built by the first query or snapshot, which takes the time and can fail with SKILL_ENOMEM. */
SKILL_API SkillRanker *skill_registry_ranker(SkillRegistry *registry);

SKILL_END

#endif
