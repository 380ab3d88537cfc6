/* SPDX-License-Identifier: MIT
 *
 * How tools come into the table: skillet's own, under the agent's names for them, and those of skills. Fails for want
 * of memory only.
 */
#include "agent/internal.h"

int skill__agent_offer_meta(SkillAgent *agent, SkillMetaTool which, SkillToolHandler handler) {
  const struct skill__tool_role role = {.meta = (int)which};
  SkillTool own = *skill__meta_definition(which);
  own.name = skill__meta_name(agent, which);
  own.call = handler;
  own.user = agent;
  return skill__tools_add(&agent->tools, &own, &role, agent->tokenizer);
}

int skill__agent_offer_tools(SkillAgent *agent, const char *skill, const SkillTool *tools, size_t count, bool asleep) {
  int status = 0;
  for (size_t i = 0; i < count && !status; i++) {
    if (!tools[i].call && (!tools[i].command || !agent->profile.scripts)) continue; /* nothing here could run it */
    struct skill__tool_role role = {.skill = skill, .meta = SKILL__NO_META, .asleep = asleep};
    role.deferred = agent->deferring && !agent->fork_skill;
    role.hidden = agent->profile.offered == SKILL_TOOLS_CONSTANT ||
                  !skill__agent_permits(agent, tools[i].name, skill, NULL); /* a call of it is still answered by why */
    status = skill__tools_add(&agent->tools, &tools[i], &role, agent->tokenizer);
  }
  return status;
}

int skill__agent_offer_skill(SkillAgent *agent, const char *skill, const SkillTool *tools, size_t count) {
  return skill__agent_offer_tools(agent, skill, tools, count, false);
}
