/* SPDX-License-Identifier: MIT
 *
 * Names, descriptions and schemas of skillet's own tools, without an agent.
 */
#ifndef SKILL_AGENT_META_DEFINITIONS_H
#define SKILL_AGENT_META_DEFINITIONS_H

#include "skillet/agent.h"

/* The definition of one of skillet's own tools, with its default name; static. */
const SkillTool *skill__meta_definition(SkillMetaTool which);
/* The name that a profile gives it, or its default. */
const char *skill__meta_name_in(const char *const *names, SkillMetaTool which);
/* Whether the names of a profile can be used; if not, `err` names the first one that cannot. */
int skill__meta_check_names(const char *const *names, SkillError *err);
/* Names of SkillToolsOffered, in its order; NULL ends them. */
extern const char *const skill__tools_offered_names[];

#endif
