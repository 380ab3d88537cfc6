/* SPDX-License-Identifier: MIT
 *
 * Labelled sets from JSON lines. A line that is no JSON object of the expected kind ends the reading with its place.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/eval/eval.h"
#include "util/alloc.h"
#include "util/json.h"

typedef int line_fn(struct eval_set *set, cJSON *json, bool flat);

/* Reads one line without its end; false at the end of the file. A line beyond the ceiling leaves the buffer failed. */
static bool next_line(FILE *file, struct skill__buf *line) {
  char chunk[8192];
  skill__buf_clear(line);
  while (fgets(chunk, sizeof chunk, file)) {
    size_t length = strlen(chunk);
    bool last = length && chunk[length - 1] == '\n';
    skill__buf_add(line, chunk, last ? length - 1 : length);
    if (last) return true;
  }
  return line->length > 0 || line->status;
}

static line_fn take_skill;

static int read_lines(struct eval_set *set, const char *path, line_fn *fn, bool flat, SkillError *err) {
  FILE *file = fopen(path, "rb");
  if (!file) return skill_error_set_at(err, SKILL_EIO, path, 0, 0, "cannot be read: %s", strerror(errno));
  struct skill__buf line;
  skill__buf_init(&line, EVAL_LINE_MAX);
  int status = 0;
  for (unsigned number = 1; !status && next_line(file, &line); number++) {
    cJSON *json = NULL;
    if (!line.status && (line.length == 0 || strspn(line.data, " \t\r") == line.length)) continue;
    int parsed = line.status ? line.status : skill__json_parse(line.data, line.length, path, &json, NULL);
    if (parsed == SKILL_ENOMEM) {
      status = skill_error_set_at(err, parsed, path, number, 1, "out of memory");
      break;
    }
    if (parsed || !cJSON_IsObject(json)) {
      cJSON_Delete(json);
      status = skill_error_set_at(err, SKILL_EPARSE, path, number, 1, "is not a JSON object on one line");
      break;
    }
    status = fn(set, json, flat);
    if (status == SKILL_EINVAL)
      status = skill_error_set_at(err, SKILL_EPARSE, path, number, 1, "lacks a text \"%s\"",
                                  fn == take_skill ? "name" : "query");
    else if (status)
      skill_error_set_at(err, status, path, number, 1, "%s", skill_strerror(status));
  }
  skill__buf_fini(&line);
  fclose(file);
  return status;
}

static int take_skill(struct eval_set *set, cJSON *json, bool flat) {
  (void)flat;
  if (!skill__json_string(json, "name") || SKILL__GROW(set->skills, set->skill_capacity, set->skill_count + 1)) {
    cJSON_Delete(json);
    return SKILL_EINVAL;
  }
  set->skills[set->skill_count++] = json;
  return 0;
}

/* --- queries ------------------------------------------------------------------------------------------------------ */

static int take_names(struct eval_set *set, const cJSON *array, SkillStrings *out) {
  int count = cJSON_IsString(array) ? 1 : cJSON_GetArraySize(array);
  const char **names = skill__arena_alloc(&set->arena, ((size_t)count + 1) * sizeof *names);
  if (!names) return SKILL_ENOMEM;
  out->items = names;
  out->count = 0;
  for (int i = 0; i < count; i++) {
    const char *name = cJSON_GetStringValue(cJSON_IsString(array) ? array : cJSON_GetArrayItem(array, i));
    bool seen = name == NULL;
    for (size_t j = 0; j < out->count && !seen; j++) seen = strcmp(names[j], name) == 0;
    if (seen) continue;
    names[out->count] = skill__arena_strdup(&set->arena, name);
    if (!names[out->count++]) return SKILL_ENOMEM;
  }
  return 0;
}

static int take_groups(struct eval_set *set, const cJSON *json, bool flat, struct eval_query *query) {
  const cJSON *groups = flat ? NULL : cJSON_GetObjectItemCaseSensitive(json, "relevant_groups");
  const cJSON *list = cJSON_IsArray(groups) ? groups : cJSON_GetObjectItemCaseSensitive(json, "relevant");
  int count = cJSON_GetArraySize(list);
  query->groups = skill__arena_alloc(&set->arena, ((size_t)count + 1) * sizeof *query->groups);
  if (!query->groups) return SKILL_ENOMEM;
  SkillStrings whole = {NULL, 0};
  if (!cJSON_IsArray(groups)) { /* names once each, every one a group of its own */
    int status = take_names(set, list, &whole);
    for (size_t i = 0; i < whole.count && !status; i++)
      query->groups[query->group_count++] = (SkillStrings){whole.items + i, 1};
    return status;
  }
  for (int i = 0; i < count; i++) {
    int status = take_names(set, cJSON_GetArrayItem(list, i), &query->groups[query->group_count]);
    if (status) return status;
    query->group_count += query->groups[query->group_count].count > 0;
  }
  return 0;
}

static int read_query(struct eval_set *set, cJSON *json, bool flat, struct eval_query *query) {
  memset(query, 0, sizeof *query);
  const char *id = skill__json_string(json, "id");
  query->id = skill__arena_strdup(&set->arena, id ? id : "");
  const char *text = skill__json_string(json, "query");
  query->text = skill__arena_strdup(&set->arena, text);
  int status = text ? 0 : SKILL_EINVAL;
  if (!status && (!query->text || !query->id)) status = SKILL_ENOMEM;
  if (!status) status = take_groups(set, json, flat, query);
  cJSON_Delete(json);
  return status;
}

static int take_unanswerable(struct eval_set *set, cJSON *json, bool flat) {
  if (SKILL__GROW(set->queries, set->query_capacity, set->all_count + 1)) {
    cJSON_Delete(json);
    return SKILL_ENOMEM;
  }
  int status = read_query(set, json, flat, &set->queries[set->all_count]);
  if (!status) set->queries[set->all_count++].group_count = 0;
  return status;
}

static int take_query(struct eval_set *set, cJSON *json, bool flat) {
  struct eval_query query;
  int status = read_query(set, json, flat, &query);
  if (status || query.group_count == 0) return status;
  if (SKILL__GROW(set->queries, set->query_capacity, set->all_count + 1)) return SKILL_ENOMEM;
  set->queries[set->all_count++] = query;
  set->query_count = set->all_count;
  return 0;
}

int eval_set_read(struct eval_set *set, const char *label, const char *skills, const char *queries,
                  const char *unanswerable, bool flat, SkillError *err) {
  memset(set, 0, sizeof *set);
  set->label = skill__arena_strdup(&set->arena, label);
  int status = set->label ? 0 : SKILL_ENOMEM;
  if (!status) status = read_lines(set, skills, take_skill, flat, err);
  if (!status) status = read_lines(set, queries, take_query, flat, err);
  if (!status && unanswerable) status = read_lines(set, unanswerable, take_unanswerable, flat, err);
  if (!status && set->query_count == 0)
    status = skill_error_set_at(err, SKILL_EPARSE, queries, 0, 0, "has no query with relevant skills");
  if (status) eval_set_free(set);
  return status;
}

int eval_set_read_folder(struct eval_set *set, const char *folder, bool flat, SkillError *err) {
  char skills[SKILL_MAX_PATH], queries[SKILL_MAX_PATH], unanswerable[SKILL_MAX_PATH];
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/') length--;
  if (length > SKILL_MAX_PATH - 64) return skill_error_set(err, SKILL_ELIMIT, "the path is too long");
  snprintf(skills, sizeof skills, "%.*s/skills.jsonl", (int)length, folder);
  snprintf(queries, sizeof queries, "%.*s/queries.dev.jsonl", (int)length, folder);
  if (access(queries, R_OK)) snprintf(queries, sizeof queries, "%.*s/queries.jsonl", (int)length, folder);
  snprintf(unanswerable, sizeof unanswerable, "%.*s/queries.unanswerable.jsonl", (int)length, folder);
  const char *label = folder + length;
  while (label > folder && label[-1] != '/') label--;
  char name[256];
  snprintf(name, sizeof name, "%.*s", (int)(folder + length - label), label);
  return eval_set_read(set, name, skills, queries, access(unanswerable, R_OK) ? NULL : unanswerable, flat, err);
}

void eval_set_free(struct eval_set *set) {
  for (size_t i = 0; i < set->skill_count; i++) cJSON_Delete(set->skills[i]);
  skill__free(set->skills);
  skill__free(set->queries);
  skill__arena_fini(&set->arena);
  memset(set, 0, sizeof *set);
}

/* --- skills ------------------------------------------------------------------------------------------------------- */

static const char *print_schema(struct skill__arena *arena, const cJSON *schema) {
  char *text = cJSON_IsObject(schema) ? cJSON_PrintUnformatted(schema) : NULL;
  const char *copy = skill__arena_strdup(arena, text);
  cJSON_free(text);
  return copy;
}

static int take_tools(struct skill__arena *arena, const cJSON *list, SkillMetadata *metadata) {
  size_t count = (size_t)cJSON_GetArraySize(list);
  SkillTool *tools = skill__arena_alloc(arena, (count + 1) * sizeof *tools);
  if (!tools) return SKILL_ENOMEM;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, list) {
    SkillTool *tool = &tools[metadata->tool_count++];
    tool->name = skill__json_string(item, "name");
    tool->description = skill__json_string(item, "description");
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(item, "input_schema");
    tool->input_schema = print_schema(arena, schema);
    if (!tool->input_schema && cJSON_IsObject(schema)) return SKILL_ENOMEM;
  }
  metadata->tools = tools;
  return 0;
}

static int index_skill(SkillRanker *ranker, SkillDense *dense, const cJSON *json, struct eval_skill *cost,
                       SkillError *err) {
  struct skill__arena arena = {NULL};
  const cJSON *tags = cJSON_GetObjectItemCaseSensitive(json, "tags"), *tag = NULL;
  const char **names = skill__arena_alloc(&arena, ((size_t)cJSON_GetArraySize(tags) + 1) * sizeof *names);
  SkillMetadata metadata = {.name = skill__json_string(json, "name"),
                            .description = skill__json_string(json, "description")};
  const char *body = skill__json_string(json, "body");
  int status = names ? take_tools(&arena, cJSON_GetObjectItemCaseSensitive(json, "tools"), &metadata) : SKILL_ENOMEM;
  if (!status) {
    cJSON_ArrayForEach(tag, tags) if (cJSON_IsString(tag)) names[metadata.tags.count++] = tag->valuestring;
    metadata.tags.items = names;
    status = skill_ranker_add(ranker, &metadata, body, body ? strlen(body) : 0, err);
    if (!status && dense) status = skill_dense_add(dense, &metadata, err);
  }
  if (!status && cost) {
    cost->name = metadata.name;
    cost->tokens =
        metadata.description ? skill_tokens_count(NULL, metadata.description, strlen(metadata.description)) : 0;
    for (size_t i = 0; i < metadata.tool_count; i++) cost->tokens += skill_tokens_tool(NULL, &metadata.tools[i]);
  }
  skill__arena_fini(&arena);
  return status;
}

int eval_set_index(const struct eval_set *set, SkillRanker *ranker, SkillDense *dense, struct eval_skill *costs,
                   SkillError *err) {
  for (size_t i = 0; i < set->skill_count; i++) {
    int status = index_skill(ranker, dense, set->skills[i], costs ? &costs[i] : NULL, err);
    if (status) return status;
  }
  return 0;
}
