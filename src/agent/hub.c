/* SPDX-License-Identifier: MIT
 *
 * Hubs: small lists of names. Looking up fails where a name is not there, and says which are.
 */
#include "skillet/hub.h"

#include <stdio.h>
#include <string.h>

#include "skillet/agent.h"
#include "util/alloc.h"

struct named {
  char *name;
  SkillModel *model;
  SkillProfile profile;
  char *system;
  char *names[SKILL_META_COUNT]; /* of the profile */
};

struct SkillModelHub {
  struct named *items;
  size_t count, capacity;
};

struct SkillAgentHub {
  struct named *items;
  size_t count, capacity;
};

static const struct named *find(const struct named *items, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(items[i].name, name) == 0) return &items[i];
  }
  return NULL;
}

static int missing(const struct named *items, size_t count, const char *what, const char *name, SkillError *err) {
  char there[200] = "";
  size_t used = 0;
  for (size_t i = 0; i < count && i < 3; i++) {
    int n = snprintf(there + used, sizeof there - used, "%s%.60s", i ? ", " : "; there are ", items[i].name);
    if (n > 0 && (size_t)n < sizeof there - used) used += (size_t)n;
  }
  if (!count) snprintf(there, sizeof there, "; none is configured");
  return skill_error_set(err, SKILL_ENOENT, "there is no %s '%.100s'%s", what, name, there);
}

static void free_texts(struct named *item) {
  skill__free(item->name);
  skill__free(item->system);
  for (size_t i = 0; i < SKILL_META_COUNT; i++) skill__free(item->names[i]);
}

static void free_items(struct named *items, size_t count) {
  for (size_t i = 0; i < count; i++) free_texts(&items[i]);
  skill__free(items);
}

/* Copies the texts of a profile; false: out of memory. */
static bool copy_texts(struct named *item, const SkillProfile *profile) {
  bool good = !profile->system || (item->system = skill__strdup(profile->system)) != NULL;
  item->profile.system = item->system;
  for (size_t i = 0; i < SKILL_META_COUNT && good; i++) {
    good = !profile->names[i] || (item->names[i] = skill__strdup(profile->names[i])) != NULL;
    item->profile.names[i] = item->names[i];
  }
  return good;
}

int skill_model_hub_new(SkillModelHub **out) {
  SkillModelHub *hub = skill__calloc(1, sizeof *hub);
  if (!hub) return SKILL_ENOMEM;
  *out = hub;
  return 0;
}

void skill_model_hub_free(SkillModelHub *hub) {
  if (!hub) return;
  free_items(hub->items, hub->count);
  skill__free(hub);
}

int skill_model_hub_add(SkillModelHub *hub, const char *name, SkillModel *model) {
  if (!name || !*name || !model) return SKILL_EINVAL;
  if (find(hub->items, hub->count, name)) return SKILL_EEXISTS;
  if (SKILL__GROW(hub->items, hub->capacity, hub->count + 1)) return SKILL_ENOMEM;
  struct named item = {.name = skill__strdup(name), .model = model};
  if (!item.name) return SKILL_ENOMEM;
  hub->items[hub->count++] = item;
  return 0;
}

int skill_model_hub_find(const SkillModelHub *hub, const char *name, SkillModel **out, SkillError *err) {
  const struct named *item = hub ? find(hub->items, hub->count, name) : NULL;
  if (!item) return missing(hub ? hub->items : NULL, hub ? hub->count : 0, "model", name, err);
  *out = item->model;
  return 0;
}

int skill_agent_hub_new(SkillAgentHub **out) {
  SkillAgentHub *hub = skill__calloc(1, sizeof *hub);
  if (!hub) return SKILL_ENOMEM;
  *out = hub;
  return 0;
}

void skill_agent_hub_free(SkillAgentHub *hub) {
  if (!hub) return;
  free_items(hub->items, hub->count);
  skill__free(hub);
}

int skill_agent_hub_add(SkillAgentHub *hub, const char *name, const SkillProfile *profile) {
  if (!name || !*name || !profile || profile->size != sizeof *profile) return SKILL_EINVAL;
  if (find(hub->items, hub->count, name)) return SKILL_EEXISTS;
  if (SKILL__GROW(hub->items, hub->capacity, hub->count + 1)) return SKILL_ENOMEM;
  struct named item = {.name = skill__strdup(name), .profile = *profile};
  if (!item.name || !copy_texts(&item, profile)) {
    free_texts(&item);
    return SKILL_ENOMEM;
  }
  hub->items[hub->count++] = item;
  return 0;
}

int skill_agent_hub_find(const SkillAgentHub *hub, const char *name, const SkillProfile **out, SkillError *err) {
  const struct named *item = hub ? find(hub->items, hub->count, name) : NULL;
  if (!item) return missing(hub ? hub->items : NULL, hub ? hub->count : 0, "agent", name, err);
  *out = &item->profile;
  return 0;
}
