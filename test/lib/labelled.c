/* SPDX-License-Identifier: MIT
 *
 * See labelled.h.
 */
#include "lib/labelled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "util/json.h"

static const char *string(struct labelled *set, const cJSON *object, const char *key) {
  const char *text = skill__json_string(object, key);
  return text ? skill__arena_strdup(&set->arena, text) : NULL;
}

static const char *schema(struct labelled *set, const cJSON *object) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, "input_schema");
  char *text = value && !cJSON_IsString(value) ? cJSON_PrintUnformatted(value) : NULL;
  const char *copy = text ? skill__arena_strdup(&set->arena, text) : string(set, object, "input_schema");
  cJSON_free(text);
  return copy;
}

static void take_skill(struct labelled *set, const cJSON *json) {
  const cJSON *tags = cJSON_GetObjectItemCaseSensitive(json, "tags"), *tag = NULL;
  const cJSON *tools = cJSON_GetObjectItemCaseSensitive(json, "tools"), *tool = NULL;
  const char **names = skill__arena_alloc(&set->arena, ((size_t)cJSON_GetArraySize(tags) + 1) * sizeof *names);
  SkillTool *list = skill__arena_alloc(&set->arena, ((size_t)cJSON_GetArraySize(tools) + 1) * sizeof *list);
  struct reference_skill skill = {{.name = string(set, json, "name")}, string(set, json, "body")};
  skill.metadata.description = string(set, json, "description");
  cJSON_ArrayForEach(tag, tags) if (cJSON_IsString(tag)) names[skill.metadata.tags.count++] =
      skill__arena_strdup(&set->arena, tag->valuestring);
  cJSON_ArrayForEach(tool, tools) list[skill.metadata.tool_count++] =
      (SkillTool){.name = string(set, tool, "name"),
                  .description = string(set, tool, "description"),
                  .input_schema = schema(set, tool)};
  skill.metadata.tags.items = names;
  skill.metadata.tools = list;
  set->skills = realloc(set->skills, (set->skill_count + 1) * sizeof *set->skills);
  set->skills[set->skill_count++] = skill;
}

static void take_query(struct labelled *set, const cJSON *json) {
  set->queries = realloc(set->queries, (set->query_count + 1) * sizeof *set->queries);
  set->queries[set->query_count++] = string(set, json, "query");
}

static bool read_lines(struct labelled *set, const char *folder, const char *name,
                       void take(struct labelled *set, const cJSON *json)) {
  char path[4096], *line = NULL;
  size_t room = 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  while (getline(&line, &room, file) > 0) {
    cJSON *json = cJSON_Parse(line);
    assert_non_null(json);
    take(set, json);
    cJSON_Delete(json);
  }
  free(line);
  fclose(file);
  return true;
}

bool labelled_read(struct labelled *set, const char *folder) {
  memset(set, 0, sizeof *set);
  if (!read_lines(set, folder, "skills.jsonl", take_skill)) return false;
  return read_lines(set, folder, "queries.dev.jsonl", take_query) ||
         read_lines(set, folder, "queries.jsonl", take_query);
}

void labelled_free(struct labelled *set) {
  skill__arena_fini(&set->arena);
  free(set->skills);
  free(set->queries);
}
