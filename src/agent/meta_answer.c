/* SPDX-License-Identifier: MIT
 *
 * What the handlers of skillet's own tools share: arguments that are read, skills that are found or not, answers.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/internal.h"
#include "util/json.h"
#include "util/utf8.h"

void skill__meta_finish(SkillToolCall *call, int status, const char *format, ...) {
  char text[2048];
  va_list list;
  va_start(list, format);
  int n = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  size_t length = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : skill__utf8_floor(text, sizeof text - 1);
  skill_tool_call_finish(call, status, text, length);
}

/* In a text that C ends there, what follows would be lost without a word. */
static bool holds_nul(const char *json) {
  for (const char *at = json; (at = strchr(at, '\\')) != NULL && at[1]; at += 2) {
    if (strncmp(at, "\\u0000", 6) == 0) return true;
  }
  return false;
}

cJSON *skill__meta_arguments(SkillToolCall *call, const char *arguments_json) {
  cJSON *root = NULL;
  SkillError why = SKILL_ERROR_INIT;
  if (holds_nul(arguments_json)) {
    skill__meta_finish(call, SKILL_EINVAL, "the arguments hold a NUL character (\\u0000), which no name or text may");
    return NULL;
  }
  int status = skill__json_parse(arguments_json, strlen(arguments_json), "arguments", &root, &why);
  if (status) skill__meta_finish(call, status, "%s", why.message);
  return root;
}

void skill__agent_suggest(SkillAgent *agent, const char *name, char *buffer, size_t size) {
  const char *near[12];
  size_t count = agent->options.registry ? skill_registry_suggest(agent->options.registry, name, near, 12) : 0;
  size_t used = 0;
  size_t shown = 0;
  buffer[0] = '\0';
  for (size_t i = 0; i < count && shown < 3; i++) {
    Skill *skill = skill_registry_find(agent->options.registry, near[i]);
    if (!skill || !skill__agent_shows(agent, skill)) continue;
    int n = snprintf(buffer + used, size - used, "%s%s", shown ? ", " : "; did you mean ", near[i]);
    if (n < 0 || (size_t)n >= size - used) break;
    used += (size_t)n;
    shown++;
  }
  if (shown) snprintf(buffer + used, size - used, "?");
}

Skill *skill__meta_skill(SkillAgent *agent, SkillToolCall *call, const char *name) {
  Skill *skill = name ? skill_registry_find(agent->options.registry, name) : NULL;
  if (skill && skill__agent_shows(agent, skill)) return skill;
  char near[512];
  if (skill) {
    SkillEvent event = {
        .kind = SKILL_EVENT_DENIED, .skill = name, .reason = "its files are asked for though it may not be seen"};
    skill__agent_emit(agent, &event);
  }
  skill__agent_suggest(agent, name ? name : "", near, sizeof near);
  skill__meta_finish(call, SKILL_ENOENT, "There is no skill '%.200s'%s.", name ? name : "", near);
  return NULL;
}

bool skill__skill_folder(const Skill *skill, char *buffer, size_t size) {
  const char *path = skill_metadata(skill)->path;
  const char *slash = path ? strrchr(path, '/') : NULL;
  if (!slash || strncasecmp(slash + 1, "skill.md", 9) != 0) return false;
  char folder[SKILL_MAX_PATH];
  int n = snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
  if (n <= 0 || (size_t)n >= sizeof folder || size < SKILL_MAX_PATH) return false;
  return realpath(folder, buffer) != NULL;
}
