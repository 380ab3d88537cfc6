/* SPDX-License-Identifier: MIT
 *
 * Hubs: models and agent profiles by name, for skills that say `model:` or `agent:`.
 *
 * A name that a hub lacks is an error that says so; nothing falls back in silence.
 */
#ifndef SKILLET_HUB_H
#define SKILLET_HUB_H

#include "skillet/model.h"

SKILL_BEGIN

struct SkillProfile;

typedef struct SkillModelHub SkillModelHub;
typedef struct SkillAgentHub SkillAgentHub;

/* Makes an empty hub. Owned: release with skill_model_hub_free, which leaves the models alone. SKILL_ENOMEM. */
SKILL_API int skill_model_hub_new(SkillModelHub **out);
SKILL_API void skill_model_hub_free(SkillModelHub *hub);

/* Adds a model, borrowed for the hub's life; the name is copied. SKILL_EEXISTS, SKILL_EINVAL (no name or model),
 * SKILL_ENOMEM. */
SKILL_API int skill_model_hub_add(SkillModelHub *hub, const char *name, SkillModel *model);

/* The model of that exact name. SKILL_ENOENT: `err` names up to three of those there are. `hub` may be NULL. */
SKILL_API int skill_model_hub_find(const SkillModelHub *hub, const char *name, SkillModel **out, SkillError *err);

/* Makes an empty hub. Owned: release with skill_agent_hub_free. SKILL_ENOMEM. */
SKILL_API int skill_agent_hub_new(SkillAgentHub **out);
SKILL_API void skill_agent_hub_free(SkillAgentHub *hub);

/* Adds a profile under a name; copied, but for the model in it, which is borrowed for the hub's life. Errors as
 * skill_model_hub_add. */
SKILL_API int skill_agent_hub_add(SkillAgentHub *hub, const char *name, const struct SkillProfile *profile);

/* The profile of that exact name; borrowed until the hub is freed. SKILL_ENOENT as above. */
SKILL_API int skill_agent_hub_find(const SkillAgentHub *hub, const char *name, const struct SkillProfile **out,
                                   SkillError *err);

SKILL_END

#endif
