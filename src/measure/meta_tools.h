/* SPDX-License-Identifier: MIT
 *
 * The meta-tools as the model sees them, for what they cost: their definitions go with every request.
 */
#ifndef SKILL_MEASURE_META_TOOLS_H
#define SKILL_MEASURE_META_TOOLS_H

#include "skillet/agent.h"

/* The definition that an agent sends; static, never NULL. */
const SkillTool *skill__meta_tool(SkillMetaTool which);

#endif
