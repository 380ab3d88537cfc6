/* SPDX-License-Identifier: MIT
 *
 * Names, descriptions, schemas and flags of skillet's own tools. They are sent with every request, so they are short.
 */
#include <stdio.h>
#include <string.h>

#include "agent/internal.h"
#include "agent/meta_definitions.h"

#define SCHEMA(properties, required) \
  "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "],\"additionalProperties\":false}"
#define READS (SKILL_TOOL_READ_ONLY | SKILL_TOOL_PARALLEL | SKILL_TOOL_IDEMPOTENT)
#define CALL_SCHEMA                                                                                              \
  SCHEMA(                                                                                                        \
      "\"name\":{\"type\":\"string\"},\"arguments\":{\"type\":\"object\",\"description\":\"As its input_schema " \
      "says\"}",                                                                                                 \
      "\"name\"")

static const SkillTool definitions[SKILL_META_COUNT] = {
    [SKILL_META_SEARCH] =
        {.name = "skill_search",
         .description = "Finds skills for a task by what they do. Returns names to open.",
         .input_schema = SCHEMA(
             "\"query\":{\"type\":\"string\",\"description\":\"The task in words; +word requires one, "
             "select:a,b names skills\"},\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":50},"
             "\"cursor\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"From an earlier answer, to go on\"}",
             "\"query\""),
         .flags = READS},
    [SKILL_META_OPEN] = {.name = "skill_open",
                         .description = "Opens a skill: returns its instructions and makes its tools available.",
                         .input_schema = SCHEMA(
                             "\"name\":{\"type\":\"string\"},\"args\":{\"type\":\"string\",\"description\":\"What "
                             "the instructions are to be filled with, if they take arguments\"}",
                             "\"name\""),
                         .flags = READS}, /* a slow start does not delay other calls */
    [SKILL_META_READ] =
        {.name = "skill_read",
         .description = "Reads a file that belongs to a skill, in pages.",
         .input_schema =
             SCHEMA("\"name\":{\"type\":\"string\",\"description\":\"The skill\"},\"path\":{\"type\":\"string\","
                    "\"description\":\"As skill_open lists it\"},\"cursor\":{\"type\":\"integer\",\"minimum\":0}",
                    "\"name\",\"path\""),
         .flags = READS},
    [SKILL_META_RUN] =
        {.name = "skill_run",
         .description = "Runs a script of a skill in the skill's folder and returns what it prints.",
         .input_schema =
             SCHEMA("\"name\":{\"type\":\"string\",\"description\":\"The skill\"},\"script\":{\"type\":\"string\"},"
                    "\"args\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}",
                    "\"name\",\"script\"")},
    [SKILL_META_DESCRIBE] = {.name = "tool_describe",
                             .description = "Returns a tool's description, input schema and how to call it.",
                             .input_schema = SCHEMA("\"name\":{\"type\":\"string\"}", "\"name\""),
                             .flags = READS},
    [SKILL_META_CALL_READ] = {.name = "tool_call_read",
                              .description = "Calls a skill's tool that only reads.",
                              .input_schema = CALL_SCHEMA,
                              .flags = READS},
    [SKILL_META_CALL_WRITE] = {.name = "tool_call_write",
                               .description = "Calls a skill's tool that may change something.",
                               .input_schema = CALL_SCHEMA},
    [SKILL_META_CALL_DESTRUCTIVE] = {.name = "tool_call_destructive",
                                     .description = "Calls a skill's tool that is marked dangerous.",
                                     .input_schema = CALL_SCHEMA,
                                     .flags = SKILL_TOOL_DANGEROUS},
    [SKILL_META_PAGE] = {.name = "result_read",
                         .description = "Reads on in a tool's result that was cut.",
                         .input_schema = SCHEMA("\"id\":{\"type\":\"string\"},\"cursor\":{\"type\":\"integer\","
                                                "\"minimum\":0}",
                                                "\"id\",\"cursor\""),
                         .flags = READS},
};

const SkillTool *skill__meta_definition(SkillMetaTool which) {
  return &definitions[which];
}

const char *skill_meta_tool_name(SkillMetaTool which) {
  return (unsigned)which < SKILL_META_COUNT ? definitions[which].name : "?";
}

const char *skill__meta_name_in(const char *const *names, SkillMetaTool which) {
  return names[which] ? names[which] : definitions[which].name;
}

const char *skill__meta_name(const SkillAgent *agent, SkillMetaTool which) {
  return skill__meta_name_in(agent->profile.names, which);
}

const char *const skill__tools_offered_names[] = {"direct", "constant", "deferred", NULL};

bool skill_tools_offered_find(const char *name, SkillToolsOffered *out) {
  for (size_t i = 0; skill__tools_offered_names[i]; i++) {
    if (strcmp(name, skill__tools_offered_names[i]) != 0) continue;
    *out = (SkillToolsOffered)i;
    return true;
  }
  return false;
}

/* --- names of a profile ---------------------------------------------------------------------------------------- */

static bool is_tool_name(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  size_t length = strlen(name);
  return length > 0 && length <= 64 && strspn(name, letters) == length;
}

int skill__meta_check_names(const char *const *names, SkillError *err) {
  for (size_t i = 0; i < SKILL_META_COUNT; i++) {
    const char *name = skill__meta_name_in(names, (SkillMetaTool)i);
    if (!is_tool_name(name)) {
      return skill_error_set(err, SKILL_EINVAL, "%s cannot be named '%.80s': 1 to 64 of A-Z a-z 0-9 _ - are needed",
                             definitions[i].name, name);
    }
    for (size_t k = 0; k < i; k++) {
      const char *other = skill__meta_name_in(names, (SkillMetaTool)k);
      if (strcmp(name, other) != 0) continue;
      return skill_error_set(err, SKILL_EINVAL, "%s and %s cannot both be named '%s'", definitions[k].name,
                             definitions[i].name, name);
    }
  }
  return 0;
}
