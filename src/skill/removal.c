/* SPDX-License-Identifier: MIT
 *
 * Removing a skill, and what the registry does in a step. A removal takes the skill out of table and index at once. It
 * ends when no loader holds the skill any more and its dispose has ended; a failing dispose is reported, and does not
 * undo the removal.
 */
#include <stdio.h>
#include <string.h>

#include "rank/lazy_fill.h"
#include "skill/registry_state.h"

static bool same_name(const Skill *skill, const char *name) {
  return !strcmp(skill->metadata->name, name);
}

bool skill__registry_removing(const SkillRegistry *registry, const char *name) {
  for (const struct skill__removal *removal = registry->removals; removal; removal = removal->next) {
    if (same_name(removal->skill, name)) return true;
  }
  return false;
}

static void append(SkillRegistry *registry, struct skill__removal *removal) {
  struct skill__removal **link = &registry->removals;
  while (*link) link = &(*link)->next;
  *link = removal;
}

int skill_registry_remove(SkillRegistry *registry, const char *name, SkillRemoveCb cb, void *user, SkillError *err) {
  Skill *skill = skill_registry_find(registry, name);
  if (!skill) {
    if (name && skill__registry_removing(registry, name)) {
      return skill_error_set(err, SKILL_EBUSY, "the skill \"%s\" is already being removed", name);
    }
    return skill_error_set(err, SKILL_ENOENT, "there is no skill \"%s\" to remove", name ? name : "");
  }
  struct skill__removal *removal = skill__calloc(1, sizeof *removal);
  if (!removal) return skill_error_set(err, SKILL_ENOMEM, "no memory to remove \"%s\"", name);
  int status = skill__ranker_is_lazy(registry->ranker) ? 0 : skill_ranker_remove(registry->ranker, name);
  if (status) {
    skill__free(removal);
    return skill_error_set(err, status, "\"%s\" cannot be taken out of the index: %s", name, skill_strerror(status));
  }
  skill__registry_unlist(registry, skill);
  removal->skill = skill; /* with the registry's reference */
  removal->cb = cb;
  removal->user = user;
  append(registry, removal);
  name = skill->metadata->name;
  for (struct skill__watcher *watcher = registry->watchers; watcher; watcher = watcher->next) {
    watcher->forget(watcher, name);
  }
  skill__registry_emit(registry, (SkillEvent){.kind = SKILL_EVENT_UNREGISTERED, .skill = name, .reason = "removed"});
  return 0;
}

void skill__registry_disposed(Skill *skill, int status, const char *message) {
  if (!status) return;
  for (struct skill__removal *removal = skill->registry->removals; removal; removal = removal->next) {
    if (!same_name(removal->skill, skill->metadata->name) || removal->status) continue;
    removal->status = status;
    snprintf(removal->message, sizeof removal->message, "%s", message ? message : "");
  }
}

static bool held(const SkillRegistry *registry, const struct skill__removal *removal) {
  const char *name = removal->skill->metadata->name;
  if (!skill__life_idle(removal->skill)) return true;
  for (const struct skill__watcher *watcher = registry->watchers; watcher; watcher = watcher->next) {
    if (watcher->holds(watcher, name)) return true;
  }
  return false;
}

static struct skill__removal **ended(SkillRegistry *registry) {
  struct skill__removal **link = &registry->removals;
  while (*link && held(registry, *link)) link = &(*link)->next;
  return link;
}

bool skill__registry_due(const SkillRegistry *registry) {
  for (const struct skill__removal *removal = registry->removals; removal; removal = removal->next) {
    if (!held(registry, removal)) return true;
  }
  return false;
}

int skill__registry_deliver(SkillRegistry *registry) {
  int delivered = 0;
  if (registry->delivering) return 0;
  registry->delivering = true;
  for (struct skill__removal **link; *(link = ended(registry)); delivered++) {
    struct skill__removal *removal = *link;
    *link = removal->next;
    if (removal->cb) {
      removal->cb(registry, removal->skill->metadata->name, removal->status,
                  removal->message[0] ? removal->message : NULL, removal->user);
    }
    skill__skill_release(removal->skill);
    skill__free(removal);
  }
  registry->delivering = false;
  return delivered;
}

void skill__registry_pump(SkillRegistry *registry) {
  if (registry->pumping) return;
  registry->pumping = true;
  for (SkillCompletion *list; (list = skill__mailbox_drain(registry->mailbox));) {
    while (list) {
      SkillCompletion *next = list->next;
      skill__life_finished(list);
      list = next;
    }
  }
  registry->pumping = false;
}

void skill__registry_rewake(SkillRegistry *registry) {
  const struct skill__watcher *watcher = registry->watchers;
  while (watcher && !watcher->due) watcher = watcher->next;
  if (watcher) skill__mailbox_wake(registry->mailbox);
}

int skill_registry_step(SkillRegistry *registry) {
  if (registry->delivering || registry->pumping) return SKILL_EBUSY;
  skill__registry_pump(registry);
  skill__registry_rewake(registry);
  return skill__registry_deliver(registry);
}

void skill__registry_watch(SkillRegistry *registry, struct skill__watcher *watcher) {
  watcher->next = registry->watchers;
  registry->watchers = watcher;
}

void skill__registry_unwatch(SkillRegistry *registry, struct skill__watcher *watcher) {
  struct skill__watcher **link = &registry->watchers;
  while (*link != watcher) link = &(*link)->next;
  *link = watcher->next;
}
