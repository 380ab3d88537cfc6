/* SPDX-License-Identifier: MIT
 *
 * Fields of a skill. Triggers are read with when_to_use, the category with the tags. Of a tool's input schema the
 * property names, and their descriptions and string enums, four levels deep. A schema that is no JSON adds nothing.
 * Fails only when memory is out.
 */
#include "rank/index/doc_fields.h"

#include <string.h>

#include "util/alloc.h"
#include "util/json.h"

enum { SCHEMA_DEPTH = 4, SCHEMA_ENUMS = 20, SCHEMA_BYTES = 1 << 20 };

struct reader {
  struct skill__index_fields *fields;
  struct skill__dict *dict;
  struct skill__analyzer *analyzer;
  SkillRankField field;
  const char *tag; /* that is being read */
  struct skill__tag_stem stem;
};

static int token(void *user, const char *text, size_t length, unsigned flags) {
  (void)flags;
  struct reader *reader = user;
  struct skill__ids *ids = &reader->fields->ids[reader->field];
  if (ids->count >= SKILL__DOC_MAX_TOKENS) return 1;
  uint32_t *memo = skill__analyzer_memo(reader->analyzer);
  uint32_t id = memo && *memo ? *memo - 1 : skill__dict_intern(reader->dict, text, length);
  if (memo && id != SKILL__DICT_NONE) *memo = id + 1;
  if (id == SKILL__DICT_NONE) return SKILL_ENOMEM;
  if (ids->count == ids->capacity && SKILL__GROW(ids->ids, ids->capacity, ids->count + 1)) return SKILL_ENOMEM;
  ids->ids[ids->count++] = id;
  return 0;
}

static int read_bytes(struct reader *reader, SkillRankField field, const char *text, size_t length) {
  if (!text || length == 0) return 0;
  reader->field = field;
  int status = skill__analyze(reader->analyzer, text, length, token, reader);
  return status < 0 ? status : 0;
}

static int read_text(struct reader *reader, SkillRankField field, const char *text) {
  return text ? read_bytes(reader, field, text, strlen(text)) : 0;
}

static int read_list(struct reader *reader, SkillRankField field, SkillStrings list) {
  int status = 0;
  for (size_t i = 0; i < list.count && !status; i++) status = read_text(reader, field, list.items[i]);
  return status;
}

/* The token, and how much of the tag at hand it begins with. */
static int tag_token(void *user, const char *text, size_t length, unsigned flags) {
  struct reader *reader = user;
  size_t place = reader->fields->ids[SKILL_RANK_TAGS].count, keep = 0;
  int status = token(user, text, length, flags);
  if (status || place > UINT8_MAX) return status;
  if (length > SKILL__TAG_KEEP_MOST) length = SKILL__TAG_KEEP_MOST;
  while (keep < length && reader->tag[keep] && skill__tag_lower(reader->tag[keep]) == text[keep]) keep++;
  if (keep >= SKILL__TAG_KEEP_LEAST && keep > reader->stem.keep)
    reader->stem = (struct skill__tag_stem){(uint8_t)keep, (uint8_t)place};
  return 0;
}

static int read_tags(struct reader *reader, SkillStrings tags) {
  struct skill__index_fields *fields = reader->fields;
  int status = SKILL__GROW(fields->tags, fields->tag_capacity, tags.count);
  reader->field = SKILL_RANK_TAGS;
  for (size_t i = 0; i < tags.count && status >= 0; i++) {
    reader->tag = tags.items[i] ? tags.items[i] : "";
    reader->stem = (struct skill__tag_stem){0, 0};
    if (*reader->tag) status = skill__analyze(reader->analyzer, reader->tag, strlen(reader->tag), tag_token, reader);
    fields->tags[i] = reader->stem;
  }
  return status < 0 ? status : 0;
}

static int read_schema(struct reader *reader, const cJSON *schema, int depth) {
  if (!cJSON_IsObject(schema) || depth >= SCHEMA_DEPTH) return 0;
  const cJSON *property = NULL;
  cJSON_ArrayForEach(property, cJSON_GetObjectItemCaseSensitive(schema, "properties")) {
    int status = read_text(reader, SKILL_RANK_PARAMS, property->string);
    if (!status) status = read_text(reader, SKILL_RANK_PARAM_TEXT, skill__json_string(property, "description"));
    const cJSON *value = NULL;
    int values = 0;
    cJSON_ArrayForEach(value, cJSON_GetObjectItemCaseSensitive(property, "enum")) {
      if (status || values++ == SCHEMA_ENUMS) break;
      status = read_text(reader, SKILL_RANK_PARAM_TEXT, cJSON_GetStringValue(value));
    }
    if (!status) status = read_schema(reader, property, depth + 1);
    if (!status) status = read_schema(reader, cJSON_GetObjectItemCaseSensitive(property, "items"), depth + 1);
    if (status) return status;
  }
  return 0;
}

static int read_parameters(struct reader *reader, const char *schema) {
  if (!schema || !strstr(schema, "properties")) return 0;
  size_t length = strlen(schema);
  cJSON *json = NULL;
  if (length > SCHEMA_BYTES) return 0;
  int status = skill__json_parse(schema, length, NULL, &json, NULL);
  if (status) return status == SKILL_ENOMEM ? status : 0;
  status = read_schema(reader, json, 0);
  cJSON_Delete(json);
  return status;
}

static void mark(const struct skill__index_fields *fields, uint32_t at[4]) {
  at[0] = (uint32_t)fields->ids[SKILL_RANK_TOOLS].count;
  at[1] = (uint32_t)fields->ids[SKILL_RANK_TOOL_TEXT].count;
  at[2] = (uint32_t)fields->ids[SKILL_RANK_PARAMS].count;
  at[3] = (uint32_t)fields->ids[SKILL_RANK_PARAM_TEXT].count;
}

/* The only tool of a skill often repeats the skill's name and description: that is not said twice. */
static int read_single(struct reader *reader, const SkillMetadata *metadata, const SkillTool *tool) {
  int status = 0;
  if (!tool->name || !strstr(metadata->name, tool->name)) status = read_text(reader, SKILL_RANK_TOOLS, tool->name);
  bool same = tool->description && metadata->description && strcmp(tool->description, metadata->description) == 0;
  if (!status && !same) status = read_text(reader, SKILL_RANK_TOOL_TEXT, tool->description);
  return status ? status : read_parameters(reader, tool->input_schema);
}

static int read_tools(struct reader *reader, const SkillMetadata *metadata) {
  struct skill__index_fields *fields = reader->fields;
  if (metadata->tool_count == 1) return read_single(reader, metadata, &metadata->tools[0]);
  for (size_t i = 0; i < metadata->tool_count && i < SKILL__DOC_MAX_TOOLS; i++) {
    const SkillTool *tool = &metadata->tools[i];
    if (SKILL__GROW(fields->tools, fields->tool_capacity, fields->tool_count + 1)) return SKILL_ENOMEM;
    struct skill__tool_range *range = &fields->tools[fields->tool_count++];
    range->name = tool->name ? tool->name : "";
    mark(fields, range->start);
    int status = read_text(reader, SKILL_RANK_TOOLS, tool->name);
    if (!status) status = read_text(reader, SKILL_RANK_TOOL_TEXT, tool->description);
    if (!status) status = read_parameters(reader, tool->input_schema);
    if (status) return status;
    mark(fields, range->end);
  }
  return 0;
}

int skill__index_fields_read(struct skill__index_fields *fields, struct skill__dict *dict,
                             struct skill__analyzer *analyzer, const SkillMetadata *metadata, const char *body,
                             size_t body_length) {
  struct reader reader = {.fields = fields, .dict = dict, .analyzer = analyzer};
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) fields->ids[f].count = 0;
  fields->tool_count = 0;
  int status = read_text(&reader, SKILL_RANK_NAME, metadata->name);
  if (!status) status = read_tags(&reader, metadata->tags);
  if (!status) status = read_text(&reader, SKILL_RANK_TAGS, metadata->category);
  if (!status) status = read_text(&reader, SKILL_RANK_DESCRIPTION, metadata->description);
  if (!status) status = read_text(&reader, SKILL_RANK_WHEN, metadata->when_to_use);
  if (!status) status = read_list(&reader, SKILL_RANK_WHEN, metadata->triggers);
  if (!status) status = read_text(&reader, SKILL_RANK_NOT_WHEN, metadata->when_not_to_use);
  if (!status) status = read_tools(&reader, metadata);
  if (!status) status = read_bytes(&reader, SKILL_RANK_BODY, body, body_length);
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) fields->length[f] = (uint32_t)fields->ids[f].count;
  return status;
}

void skill__index_fields_fini(struct skill__index_fields *fields) {
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) skill__free(fields->ids[f].ids);
  skill__free(fields->scratch.ids);
  skill__free(fields->tags);
  skill__free(fields->tools);
  memset(fields, 0, sizeof *fields);
}

void skill__index_fields_trim(struct skill__index_fields *fields) {
  enum { USUAL = 4096 };
  size_t held = fields->scratch.capacity + fields->tool_capacity + fields->tag_capacity;
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) held += fields->ids[f].capacity;
  if (held > USUAL) skill__index_fields_fini(fields);
}
