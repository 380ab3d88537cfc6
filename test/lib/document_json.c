/* SPDX-License-Identifier: MIT
 *
 * See document_json.h.
 */
#include "lib/document_json.h"

#include <stdio.h>

static void add_text(cJSON *object, const char *key, const char *text) {
  if (text) cJSON_AddStringToObject(object, key, text);
}

static void add_list(cJSON *object, const char *key, const SkillStrings *list) {
  if (!list->count) return;
  cJSON *array = cJSON_AddArrayToObject(object, key);
  for (size_t i = 0; i < list->count; i++) cJSON_AddItemToArray(array, cJSON_CreateString(list->items[i]));
}

static void add_flag(cJSON *object, const char *key, bool flag) {
  if (flag) cJSON_AddTrueToObject(object, key);
}

static void add_tools(cJSON *object, const SkillMetadata *m) {
  if (!m->tool_count) return;
  cJSON *array = cJSON_AddArrayToObject(object, "tools");
  for (size_t i = 0; i < m->tool_count; i++) {
    cJSON *tool = cJSON_CreateObject();
    cJSON_AddItemToArray(array, tool);
    add_text(tool, "name", m->tools[i].name);
    add_text(tool, "description", m->tools[i].description);
    add_text(tool, "command", m->tools[i].command);
    if (m->tools[i].input_schema) cJSON_AddItemToObject(tool, "input_schema", cJSON_Parse(m->tools[i].input_schema));
    if (m->tools[i].flags) cJSON_AddNumberToObject(tool, "flags", m->tools[i].flags);
  }
}

static void add_extra(cJSON *object, const SkillMetadata *m) {
  if (!m->extra_count) return;
  cJSON *array = cJSON_AddArrayToObject(object, "extra"); /* an array, because the order matters */
  for (size_t i = 0; i < m->extra_count; i++) {
    cJSON *pair = cJSON_CreateObject();
    cJSON_AddItemToArray(array, pair);
    cJSON_AddItemToObject(pair, m->extra[i].key, cJSON_Parse(m->extra[i].json));
  }
}

static void add_findings(cJSON *object, const SkillDocument *document) {
  const SkillDiagnostic *items = NULL;
  size_t count = skill_document_diagnostics(document, &items);
  cJSON *array = cJSON_AddArrayToObject(object, "findings");
  for (size_t i = 0; i < count; i++) {
    char text[128];
    snprintf(text, sizeof text, "%s %s %u:%u", items[i].code, skill_level_name(items[i].level), items[i].line,
             items[i].column);
    cJSON_AddItemToArray(array, cJSON_CreateString(text));
  }
}

cJSON *document_json(const SkillDocument *document) {
  const SkillMetadata *m = skill_document_metadata(document);
  cJSON *object = cJSON_CreateObject();
  const struct {
    const char *key;
    const char *text;
  } texts[] = {{"name", m->name},
               {"description", m->description},
               {"version", m->version},
               {"license", m->license},
               {"compatibility", m->compatibility},
               {"category", m->category},
               {"id", m->id},
               {"when_to_use", m->when_to_use},
               {"when_not_to_use", m->when_not_to_use},
               {"agent", m->agent},
               {"model", m->model},
               {"argument-hint", m->argument_hint}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) add_text(object, texts[i].key, texts[i].text);
  add_list(object, "tags", &m->tags);
  add_list(object, "triggers", &m->triggers);
  add_list(object, "allowed-tools", &m->allowed_tools);
  add_list(object, "disallowed-tools", &m->disallowed_tools);
  add_list(object, "paths", &m->paths);
  add_list(object, "arguments", &m->arguments);
  add_tools(object, m);
  add_extra(object, m);
  add_flag(object, "always", m->mode == SKILL_MODE_ALWAYS);
  add_flag(object, "fork", m->context == SKILL_CONTEXT_FORK);
  add_flag(object, "fork_with_context", m->context == SKILL_CONTEXT_FORK_WITH_HISTORY);
  add_flag(object, "disable-model-invocation", m->disable_model_invocation);
  add_flag(object, "not_user_invocable", m->not_user_invocable);
  add_flag(object, "derived", m->description_derived);
  add_flag(object, "unlisted", m->unlisted);
  add_text(object, "body", skill_document_body(document, NULL));
  add_findings(object, document);
  return object;
}
