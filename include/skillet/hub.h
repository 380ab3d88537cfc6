/* SPDX-License-Identifier: MIT
 *
 * Hubs: models and agent profiles by name, for skills with `model:` or `agent:`.
 *
 * An unknown name is an error; there is no silent default.
 */
#ifndef SKILLET_HUB_H
#define SKILLET_HUB_H

#include "skillet/model.h"

SKILL_BEGIN

struct SkillProfile;

typedef struct SkillModelHub SkillModelHub;
typedef struct SkillAgentHub SkillAgentHub;

/* Makes an empty hub. Owned: release with skill_model_hub_free, which does not free the models. SKILL_ENOMEM. */
SKILL_API int skill_model_hub_new(SkillModelHub **out);
SKILL_API void skill_model_hub_free(SkillModelHub *hub);

/* Adds a model, borrowed until the hub is freed; the name is copied. SKILL_EEXISTS, SKILL_EINVAL (no name or model),
 * SKILL_ENOMEM. */
SKILL_API int skill_model_hub_add(SkillModelHub *hub, const char *name, SkillModel *model);

/* Returns the model of exactly that name. `hub` may be NULL. SKILL_ENOENT: `err` lists up to three existing names. */
SKILL_API int skill_model_hub_find(const SkillModelHub *hub, const char *name, SkillModel **out, SkillError *err);

/* Makes an empty hub. Owned: release with skill_agent_hub_free. SKILL_ENOMEM. */
SKILL_API int skill_agent_hub_new(SkillAgentHub **out);
SKILL_API void skill_agent_hub_free(SkillAgentHub *hub);

/* Adds a profile; it is copied, except its model, which is borrowed until the hub is freed. Errors as
 * skill_model_hub_add. */
SKILL_API int skill_agent_hub_add(SkillAgentHub *hub, const char *name, const struct SkillProfile *profile);

/* Returns the profile of exactly that name; borrowed until the hub is freed. SKILL_ENOENT as skill_model_hub_find. */
SKILL_API int skill_agent_hub_find(const SkillAgentHub *hub, const char *name, const struct SkillProfile **out,
                                   SkillError *err);

SKILL_END

#endif
