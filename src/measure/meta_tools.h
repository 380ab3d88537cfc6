/* SPDX-License-Identifier: MIT
 *
 * The meta-tools as the model sees them, for what they cost: their definitions go with every request.
 */
#ifndef SKILL_MEASURE_META_TOOLS_H
#define SKILL_MEASURE_META_TOOLS_H

#include "skillet/skill.h"

enum skill__meta_tool {
  SKILL__META_SEARCH,
  SKILL__META_OPEN,
  SKILL__META_READ,
  SKILL__META_RUN,
  SKILL__META_DESCRIBE,
  SKILL__META_CALL,
  SKILL__META_COUNT
};

/* Static, never NULL. */
const SkillTool *skill__meta_tool(enum skill__meta_tool which);

#endif
