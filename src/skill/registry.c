/* SPDX-License-Identifier: MIT
 *
 * The registry: a uthash table by name, a list in registration order, and the index beside it. Every change is made
 * completely or not at all.
 */
#include <string.h>

#include "rank/lazy_fill.h"
#include "skill/registry_state.h"
#include "util/near.h"
#include "util/options.h"

static void link_last(SkillRegistry *registry, Skill *skill) {
  skill->previous = registry->last;
  skill->next = NULL;
  *(registry->last ? &registry->last->next : &registry->first) = skill;
  registry->last = skill;
}

static void link_instead(SkillRegistry *registry, Skill *skill, Skill *old) {
  skill->previous = old->previous;
  skill->next = old->next;
  *(old->previous ? &old->previous->next : &registry->first) = skill;
  *(old->next ? &old->next->previous : &registry->last) = skill;
  old->previous = old->next = NULL;
}

static void unlink_skill(SkillRegistry *registry, Skill *skill) {
  *(skill->previous ? &skill->previous->next : &registry->first) = skill->next;
  *(skill->next ? &skill->next->previous : &registry->last) = skill->previous;
  skill->previous = skill->next = NULL;
}

static Skill *lookup(const SkillRegistry *registry, const char *name) {
  Skill *skill = NULL;
  HASH_FIND(hh, registry->skills, name, strlen(name), skill);
  return skill;
}

static int insert(SkillRegistry *registry, Skill *skill) {
  bool ok;
  SKILL__HASH_ADD(registry->skills, skill, skill->metadata->name, strlen(skill->metadata->name), ok);
  return ok ? 0 : SKILL_ENOMEM;
}

static void take_out(SkillRegistry *registry, Skill *skill) {
  if (registry->skills) HASH_DEL(registry->skills, skill);
}

void skill__registry_unlist(SkillRegistry *registry, Skill *skill) {
  take_out(registry, skill);
  unlink_skill(registry, skill);
  skill->listed = false;
  registry->count--;
}

static void list(SkillRegistry *registry, Skill *skill, Skill *old) {
  skill->registry = registry;
  skill->listed = true;
  if (old) {
    link_instead(registry, skill, old);
  } else {
    link_last(registry, skill);
    registry->count++;
  }
}

void skill__registry_emit(SkillRegistry *registry, SkillEvent event) {
  if (!registry->on_event) return;
  event.time_ms = registry->io->now_ms(registry->io);
  registry->on_event(&event, registry->event_user);
}

static void emit_listed(SkillRegistry *registry, SkillEventKind kind, const Skill *skill, const char *reason) {
  const SkillMetadata *metadata = skill->metadata;
  skill__registry_emit(
      registry, (SkillEvent){.kind = kind, .skill = metadata->name, .source = metadata->source, .reason = reason});
}

/* Without bodies the registry has all that the index needs, so the index can be built at its first use. */
static int fill_index(SkillRanker *ranker, void *user, SkillError *err) {
  const SkillRegistry *registry = user;
  SkillRankChange *changes = skill__calloc(registry->count + 1, sizeof *changes);
  size_t count = 0;
  if (!changes) return skill_error_set(err, SKILL_ENOMEM, "no memory to index %zu skills", registry->count);
  for (const Skill *skill = registry->first; skill; skill = skill->next) changes[count++].metadata = skill->metadata;
  int status = skill_ranker_update(ranker, changes, count, err);
  skill__free(changes);
  return status;
}

static size_t listed_count(void *user) {
  return skill_registry_count(user);
}

int skill_registry_new(const SkillRegistryOptions *options, SkillRegistry **out, SkillError *err) {
  SkillRegistryOptions given = SKILL_REGISTRY_OPTIONS_INIT;
  SkillRankerOptions ranking = SKILL_RANKER_OPTIONS_INIT;
  int status = SKILL__OPTIONS(SkillRegistryOptions, &given, options, err);
  if (!status) status = SKILL__OPTIONS(SkillRankerOptions, &ranking, given.ranker, err);
  if (status) return status;
  SkillRegistry *registry = skill__calloc(1, sizeof *registry);
  if (!registry) return skill_error_set(err, SKILL_ENOMEM, "no memory for a registry");
  registry->io = given.io ? given.io : skill_io_posix();
  registry->ignore_body = ranking.ignore_body;
  registry->on_event = given.on_event;
  registry->event_user = given.event_user;
  status = skill_ranker_new(&ranking, &registry->ranker, err);
  if (!status && registry->ignore_body) {
    skill__ranker_fill_lazily(registry->ranker, (struct skill__lazy_fill){fill_index, listed_count, registry});
  }
  if (!status) status = skill__mailbox_new(&registry->mailbox);
  if (status) {
    skill_ranker_free(registry->ranker);
    skill__free(registry);
    return skill_error_set(err, status, "no registry: %s", skill_strerror(status));
  }
  *out = registry;
  return 0;
}

int skill_registry_free(SkillRegistry *registry) {
  if (!registry) return 0;
  if (registry->watchers || registry->delivering || registry->pumping) return SKILL_EBUSY;
  while (registry->removals) {
    struct skill__removal *removal = registry->removals;
    registry->removals = removal->next;
    skill__skill_release(removal->skill);
    skill__free(removal);
  }
  while (registry->first) {
    Skill *skill = registry->first;
    skill__registry_unlist(registry, skill);
    skill__skill_release(skill);
  }
  skill__mailbox_close(registry->mailbox);
  skill_ranker_free(registry->ranker);
  skill__free(registry);
  return 0;
}

static int name_taken(const SkillRegistry *registry, const char *name, SkillError *err) {
  if (skill__registry_removing(registry, name)) {
    return skill_error_set(err, SKILL_EBUSY, "the skill \"%s\" is being removed; add it after the removal's callback",
                           name);
  }
  const Skill *there = lookup(registry, name);
  if (!there || there->leaving) return 0;
  return skill_error_set(err, SKILL_EEXISTS, "there is already a skill \"%s\"%s%s", name,
                         there->metadata->path ? ", from " : "", there->metadata->path ? there->metadata->path : "");
}

int skill_registry_add(SkillRegistry *registry, const SkillDef *def, Skill **out, SkillError *err) {
  Skill *skill = NULL;
  int status = skill__skill_new(def, NULL, &skill, err);
  if (status) return status;
  struct skill__change change = {NULL, skill, def->body, skill->body_length};
  status = skill__registry_apply(registry, &change, 1, err);
  if (status) {
    skill__skill_release(skill);
    return status;
  }
  if (out) *out = skill;
  return 0;
}

/* Adds the fresh skills to the table beside the old ones: adding can fail, and removing cannot. */
static int insert_fresh(SkillRegistry *registry, const struct skill__change *changes, size_t count, size_t *inserted,
                        SkillError *err) {
  for (size_t i = 0; i < count; i++) {
    Skill *fresh = changes[i].fresh;
    int status = fresh ? name_taken(registry, fresh->metadata->name, err) : 0;
    if (!status && fresh) status = insert(registry, fresh);
    if (status) return skill_error_set(err, status, "no memory to register \"%s\"", fresh->metadata->name);
    *inserted = i + 1;
  }
  return 0;
}

static int update_index(SkillRegistry *registry, const struct skill__change *changes, size_t count, SkillError *err) {
  if (skill__ranker_is_lazy(registry->ranker)) return 0;
  if (count > SIZE_MAX / sizeof(SkillRankChange)) return SKILL_ENOMEM;
  SkillRankChange one;
  SkillRankChange *wanted = count == 1 ? &one : skill__malloc(count * sizeof *wanted);
  if (!wanted) return skill_error_set(err, SKILL_ENOMEM, "no memory to index %zu skills", count);
  for (size_t i = 0; i < count; i++) {
    const struct skill__change *change = &changes[i];
    wanted[i] = (SkillRankChange){change->old ? change->old->metadata->name : NULL,
                                  change->fresh ? change->fresh->metadata : NULL, change->body, change->body_length};
  }
  int status = skill_ranker_update(registry->ranker, wanted, count, err);
  if (wanted != &one) skill__free(wanted);
  return status;
}

static void commit(SkillRegistry *registry, const struct skill__change *change) {
  Skill *old = change->old;
  Skill *fresh = change->fresh;
  if (fresh) list(registry, fresh, old);
  if (old && fresh) {
    take_out(registry, old);
    old->listed = false;
  } else if (old) {
    skill__registry_unlist(registry, old);
  }
}

static void report(SkillRegistry *registry, const struct skill__change *change) {
  Skill *old = change->old;
  Skill *fresh = change->fresh;
  const char *why = fresh ? "replaced by a new definition" : "gone from its source";
  if (old) emit_listed(registry, SKILL_EVENT_UNREGISTERED, old, why);
  if (fresh) emit_listed(registry, SKILL_EVENT_REGISTERED, fresh, old ? "a new definition" : NULL);
  skill__skill_release(old);
}

int skill__registry_apply(SkillRegistry *registry, const struct skill__change *changes, size_t count, SkillError *err) {
  size_t inserted = 0;
  for (size_t i = 0; i < count; i++) {
    if (changes[i].old) changes[i].old->leaving = true;
  }
  int status = insert_fresh(registry, changes, count, &inserted, err);
  if (!status) status = update_index(registry, changes, count, err);
  for (size_t i = 0; i < count; i++) {
    if (changes[i].old) changes[i].old->leaving = false;
    if (status && i < inserted && changes[i].fresh) take_out(registry, changes[i].fresh);
  }
  if (status) return status;
  for (size_t i = 0; i < count; i++) commit(registry, &changes[i]);
  for (size_t i = 0; i < count; i++)
    report(registry, &changes[i]); /* after all commits: a listener may look up any of them */
  return 0;
}

Skill *skill_registry_find(const SkillRegistry *registry, const char *name) {
  return name ? lookup(registry, name) : NULL;
}

size_t skill_registry_suggest(SkillRegistry *registry, const char *name, const char **names, size_t limit) {
  struct skill__near near;
  if (!name) return 0;
  skill__near_begin(&near, name, limit);
  for (const Skill *skill = registry->first; skill; skill = skill->next) {
    skill__near_offer(&near, skill->metadata->name);
  }
  memcpy(names, near.names, near.count * sizeof *names);
  return near.count;
}

size_t skill_registry_count(const SkillRegistry *registry) {
  return registry->count;
}

Skill *skill_registry_next(const SkillRegistry *registry, const Skill *after) {
  return after ? after->next : registry->first;
}

SkillRanker *skill_registry_ranker(SkillRegistry *registry) {
  return registry->ranker;
}

bool skill__registry_wants_body(const SkillRegistry *registry) {
  return !registry->ignore_body;
}

SkillIo *skill__registry_io(const SkillRegistry *registry) {
  return registry->io;
}

struct skill__mailbox *skill__registry_mailbox(const SkillRegistry *registry) {
  return registry->mailbox;
}
