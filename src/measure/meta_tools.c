/* SPDX-License-Identifier: MIT
 *
 * Definitions of the meta-tools, for what they cost: the agent's own, so that what is priced is what is sent.
 */
#include "measure/meta_tools.h"

#include "agent/internal.h"

const SkillTool *skill__meta_tool(SkillMetaTool which) {
  return skill__meta_definition(which);
}
