/* SPDX-License-Identifier: MIT
 *
 * Puts tools into the table: skillet's own, under the agent's names for them, and those of skills. Fails only when
 * memory is out.
 */
#include <string.h>

#include "agent/meta_tools.h"
#include "util/json.h"

/* C ends a text at a NUL character, and what follows would be lost silently. */
static bool has_nul(const char *json) {
  for (const char *at = json; (at = strchr(at, '\\')) != NULL && at[1]; at += 2) {
    if (strncmp(at, "\\u0000", 6) == 0) return true;
  }
  return false;
}

/* The handler of all own tools in the table: parses the arguments for the tool's own handler. */
static void call_own(SkillToolCall *call, const char *arguments_json, void *user) {
  const struct skill__agent_own_tool *own = user;
  cJSON *root = NULL;
  SkillError why = SKILL_ERROR_INIT;
  if (has_nul(arguments_json)) {
    skill__meta_finish(call, SKILL_EINVAL, "the arguments hold a NUL character (\\u0000), which no name or text may");
    return;
  }
  int status = skill__json_parse(arguments_json, strlen(arguments_json), "arguments", &root, &why);
  if (status) {
    skill__meta_finish(call, status, "%s", why.message);
    return;
  }
  own->handler(own->agent, call, root);
  cJSON_Delete(root);
}

int skill__agent_offer_own(SkillAgent *agent, size_t slot, const SkillTool *tool, int meta,
                           skill__own_handler handler) {
  const struct skill__tool_role role = {.meta = meta};
  SkillTool own = *tool;
  agent->own_tools[slot] = (struct skill__agent_own_tool){agent, handler};
  own.call = call_own;
  own.user = &agent->own_tools[slot];
  return skill__tools_add(&agent->tools, &own, &role, agent->tokenizer);
}

int skill__agent_offer_meta(SkillAgent *agent, SkillMetaTool which, skill__own_handler handler) {
  SkillTool tool = *skill__meta_definition(which);
  tool.name = skill__meta_name(agent, which);
  return skill__agent_offer_own(agent, which, &tool, (int)which, handler);
}

static int offer_tools(SkillAgent *agent, const char *skill, const SkillTool *tools, size_t count, bool asleep) {
  int status = 0;
  for (size_t i = 0; i < count && !status; i++) {
    if (!tools[i].call && (!tools[i].command || !agent->profile.scripts)) continue; /* nothing here could run it */
    struct skill__tool_role role = {.skill = skill, .meta = SKILL__NO_META, .asleep = asleep};
    role.deferred = agent->deferring && !agent->fork_skill;
    role.hidden = agent->profile.offered == SKILL_TOOLS_CONSTANT ||
                  !skill__agent_permits(agent, tools[i].name, skill, NULL); /* a call of it gets the reason */
    status = skill__tools_add(&agent->tools, &tools[i], &role, agent->tokenizer);
  }
  return status;
}

int skill__agent_offer_skill(SkillAgent *agent, const char *skill, const SkillTool *tools, size_t count) {
  return offer_tools(agent, skill, tools, count, false);
}

int skill__agent_offer_asleep(SkillAgent *agent, const char *skill, const SkillTool *tools, size_t count) {
  return offer_tools(agent, skill, tools, count, true);
}
