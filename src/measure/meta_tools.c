/* SPDX-License-Identifier: MIT
 *
 * Definitions of the meta-tools: the agent's own, and the two that call tools without changing the tool list.
 */
#include "measure/meta_tools.h"

#include "agent/internal.h"

const SkillTool *skill__meta_tool(enum skill__meta_tool which) {
  static const char *const names[] = {[SKILL__META_SEARCH] = "skill_search",
                                      [SKILL__META_OPEN] = "skill_open",
                                      [SKILL__META_READ] = "skill_read",
                                      [SKILL__META_RUN] = "skill_run"};
  static const SkillTool describe = {
      .name = "tool_describe",
      .description = "Returns the input schema of a tool.",
      .input_schema = "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}"};
  static const SkillTool call = {
      .name = "tool_call",
      .description = "Calls a tool with arguments that fit its schema.",
      .input_schema =
          "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"arguments\":{\"type\":"
          "\"object\"}},\"required\":[\"name\",\"arguments\"]}"};
  if (which == SKILL__META_DESCRIBE) return &describe;
  if (which == SKILL__META_CALL) return &call;
  return skill__meta_definition(names[which]);
}
