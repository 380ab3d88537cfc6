/* SPDX-License-Identifier: MIT
 *
 * What the handlers of skillet's own tools share: reading arguments, finding the skill that a call names, answering.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/meta_tools.h"
#include "util/json.h"
#include "util/utf8.h"

#define NUMBER_MOST 1e15 /* larger numbers are cut to this: no text is so long */

void skill__meta_finish(SkillToolCall *call, int status, const char *format, ...) {
  char text[2048];
  va_list list;
  va_start(list, format);
  int n = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  size_t length = n < 0 ? 0 : (size_t)n;
  if (length >= sizeof text) length = skill__utf8_floor(text, sizeof text - 1);
  skill_tool_call_finish(call, status, text, length);
}

void skill__meta_finish_buf(SkillToolCall *call, struct skill__buf *buf) {
  int status = skill__buf_status(buf);
  if (status) skill__meta_finish(call, status, "%s", skill_strerror(status));
  if (!status) skill_tool_call_finish(call, 0, buf->data ? buf->data : "", buf->length);
  skill__buf_fini(buf);
}

size_t skill__meta_number(const cJSON *arguments, const char *key, size_t otherwise) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(arguments, key);
  if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0)) return otherwise;
  return item->valuedouble < NUMBER_MOST ? (size_t)item->valuedouble : (size_t)NUMBER_MOST;
}

const char *skill__meta_string(const cJSON *arguments, const char *key) {
  const char *text = skill__json_string(arguments, key);
  return text ? text : "";
}

/* "; did you mean a, b or c?", or "" if no name is near. */
static void suggest(SkillAgent *agent, const char *name, char *buffer, size_t size) {
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

Skill *skill__meta_skill(SkillAgent *agent, SkillToolCall *call, const char *name, const char *denied) {
  Skill *skill = skill_registry_find(agent->options.registry, name);
  if (skill && skill__agent_shows(agent, skill)) return skill;
  char near[512];
  SkillEvent event = {.kind = SKILL_EVENT_DENIED, .skill = name, .reason = denied};
  if (skill) skill__agent_emit(agent, &event);
  suggest(agent, name, near, sizeof near);
  skill__meta_finish(call, SKILL_ENOENT, "There is no skill '%.200s'%s.", name, near);
  return NULL;
}

bool skill__skill_folder(const Skill *skill, char *buffer) {
  const char *path = skill_metadata(skill)->path;
  const char *slash = path ? strrchr(path, '/') : NULL;
  if (!slash || strncasecmp(slash + 1, "skill.md", 9) != 0) return false;
  char folder[SKILL_MAX_PATH];
  int n = snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
  if (n <= 0 || (size_t)n >= sizeof folder) return false;
  return realpath(folder, buffer) != NULL;
}
