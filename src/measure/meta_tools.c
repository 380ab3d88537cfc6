/* SPDX-License-Identifier: MIT
 *
 * Definitions of the meta-tools; see meta_tools.h.
 */
#include "measure/meta_tools.h"

static const SkillTool tools[SKILL__META_COUNT] = {
    [SKILL__META_SEARCH] =
        {.name = "skill_search",
         .description =
             "Finds skills and tools by what they do. Ask in plain words, or with +required, -excluded, tag:x "
             "or select:a,b. Returns names and descriptions, best first.",
         .input_schema = "{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\"},\"limit\":{\"type\":"
                         "\"integer\"},\"cursor\":{\"type\":\"string\"}},\"required\":[\"query\"]}"},
    [SKILL__META_OPEN] = {.name = "skill_open",
                          .description = "Opens a skill: returns its instructions and makes its tools available.",
                          .input_schema =
                              "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"args\":{\"type\":"
                              "\"string\"}},\"required\":[\"name\"]}"},
    [SKILL__META_READ] = {.name = "skill_read",
                          .description = "Reads a file of an opened skill, page by page.",
                          .input_schema =
                              "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"path\":{\"type\":"
                              "\"string\"},\"cursor\":{\"type\":\"string\"}},\"required\":[\"name\",\"path\"]}"},
    [SKILL__META_RUN] = {.name = "skill_run",
                         .description = "Runs a script of an opened skill and returns what it printed.",
                         .input_schema =
                             "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"script\":{\"type\":"
                             "\"string\"},\"args\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},\"required\":"
                             "[\"name\",\"script\"]}"},
    [SKILL__META_DESCRIBE] =
        {.name = "tool_describe",
         .description = "Returns the input schema of a tool.",
         .input_schema =
             "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}"},
    [SKILL__META_CALL] =
        {.name = "tool_call",
         .description = "Calls a tool with arguments that fit its schema.",
         .input_schema = "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"arguments\":{\"type\":"
                         "\"object\"}},\"required\":[\"name\",\"arguments\"]}"},
};

const SkillTool *skill__meta_tool(enum skill__meta_tool which) {
  return &tools[which];
}
