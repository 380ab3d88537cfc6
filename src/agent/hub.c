/* SPDX-License-Identifier: MIT
 *
 * Hubs: short lists of models or profiles by name. A lookup fails if the name is unknown, and the error lists what
 * exists.
 */
#include "skillet/hub.h"

#include <stdio.h>
#include <string.h>

#include "skillet/agent.h"
#include "util/alloc.h"
#include "util/options.h"

struct named {
  char *name;
  SkillModel *model;
  SkillProfile profile;
  char *system;
  char *names[SKILL_META_COUNT]; /* of the profile */
};

struct hub {
  struct named *items;
  size_t count, capacity;
};

struct SkillModelHub {
  struct hub hub;
};

struct SkillAgentHub {
  struct hub hub;
};

static const struct named *lookup(const struct hub *hub, const char *name) {
  for (size_t i = 0; i < hub->count; i++) {
    if (strcmp(hub->items[i].name, name) == 0) return &hub->items[i];
  }
  return NULL;
}

/* The entry; NULL sets the error. `hub` may be NULL. */
static const struct named *find(const struct hub *hub, const char *what, const char *name, SkillError *err) {
  const struct named *item = hub ? lookup(hub, name) : NULL;
  char list[200] = "; none is configured";
  size_t used = 0;
  if (item) return item;
  for (size_t i = 0; hub && i < hub->count && i < 3; i++) {
    int n = snprintf(list + used, sizeof list - used, "%s%.60s", i ? ", " : "; there are ", hub->items[i].name);
    if (n > 0 && (size_t)n < sizeof list - used) used += (size_t)n;
  }
  skill_error_set(err, SKILL_ENOENT, "there is no %s '%.100s'%s", what, name, list);
  return NULL;
}

static void free_item(struct named *item) {
  skill__free(item->name);
  skill__free(item->system);
  for (size_t i = 0; i < SKILL_META_COUNT; i++) skill__free(item->names[i]);
}

static void free_items(struct hub *hub) {
  for (size_t i = 0; i < hub->count; i++) free_item(&hub->items[i]);
  skill__free(hub->items);
}

/* Copies the texts of a profile. */
static int copy_texts(struct named *item, const SkillProfile *profile) {
  item->profile.system = item->system = skill__strdup(profile->system);
  if (profile->system && !item->system) return SKILL_ENOMEM;
  for (size_t i = 0; i < SKILL_META_COUNT; i++) {
    item->profile.names[i] = item->names[i] = skill__strdup(profile->names[i]);
    if (profile->names[i] && !item->names[i]) return SKILL_ENOMEM;
  }
  return 0;
}

/* Adds an entry; `profile` may be NULL. */
static int add(struct hub *hub, const char *name, SkillModel *model, const SkillProfile *profile) {
  if (lookup(hub, name)) return SKILL_EEXISTS;
  if (SKILL__GROW(hub->items, hub->capacity, hub->count + 1)) return SKILL_ENOMEM;
  struct named item = {.name = skill__strdup(name), .model = model};
  if (profile) item.profile = *profile;
  int status = item.name ? 0 : SKILL_ENOMEM;
  if (!status && profile) status = copy_texts(&item, profile);
  if (status) free_item(&item);
  if (!status) hub->items[hub->count++] = item;
  return status;
}

int skill_model_hub_new(SkillModelHub **out) {
  SkillModelHub *made = skill__calloc(1, sizeof *made);
  if (made) *out = made;
  return made ? 0 : SKILL_ENOMEM;
}

void skill_model_hub_free(SkillModelHub *models) {
  if (models) free_items(&models->hub);
  skill__free(models);
}

int skill_model_hub_add(SkillModelHub *models, const char *name, SkillModel *model) {
  return name && *name && model ? add(&models->hub, name, model, NULL) : SKILL_EINVAL;
}

int skill_model_hub_find(const SkillModelHub *models, const char *name, SkillModel **out, SkillError *err) {
  const struct named *item = find(models ? &models->hub : NULL, "model", name, err);
  if (item) *out = item->model;
  return item ? 0 : SKILL_ENOENT;
}

int skill_agent_hub_new(SkillAgentHub **out) {
  SkillAgentHub *made = skill__calloc(1, sizeof *made);
  if (made) *out = made;
  return made ? 0 : SKILL_ENOMEM;
}

void skill_agent_hub_free(SkillAgentHub *agents) {
  if (agents) free_items(&agents->hub);
  skill__free(agents);
}

int skill_agent_hub_add(SkillAgentHub *agents, const char *name, const SkillProfile *profile) {
  SkillProfile given = SKILL_PROFILE_INIT;
  if (!name || !*name || !profile || SKILL__OPTIONS(SkillProfile, &given, profile, NULL)) return SKILL_EINVAL;
  return add(&agents->hub, name, NULL, &given);
}

int skill_agent_hub_find(const SkillAgentHub *agents, const char *name, const SkillProfile **out, SkillError *err) {
  const struct named *item = find(agents ? &agents->hub : NULL, "agent", name, err);
  if (item) *out = &item->profile;
  return item ? 0 : SKILL_ENOENT;
}
