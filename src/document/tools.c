/* SPDX-License-Identifier: MIT
 *
 * Reads `tools:`: a list of mappings, one for each tool that a script of the skill implements.
 */
#include <stdio.h>
#include <string.h>

#include "document/fields.h"
#include "document/validate.h"
#include "document/yaml.h"
#include "util/json.h"

bool skill__fields_are_tools(const struct skill__value *value) {
  if (value->kind != SKILL__SEQUENCE || !value->first) return false;
  for (const struct skill__value *child = value->first; child; child = child->next) {
    if (child->kind == SKILL__MAPPING && skill__value_get(child, "name")) return true;
  }
  return false;
}

static const struct skill__value *any(const struct skill__value *mapping, const char *const *keys) {
  for (; *keys; keys++) {
    const struct skill__value *value = skill__value_get(mapping, *keys);
    if (value) return value;
  }
  return NULL;
}

static const char *const schema_keys[] = {"input_schema", "inputSchema", "input-schema", "parameters", NULL};
static const char *const command_keys[] = {"command", "script", "run", NULL};

static const struct {
  const char *key;
  unsigned flag;
} flag_keys[] = {{"read_only", SKILL_TOOL_READ_ONLY},      {"read-only", SKILL_TOOL_READ_ONLY},
                 {"readOnlyHint", SKILL_TOOL_READ_ONLY},   {"dangerous", SKILL_TOOL_DANGEROUS},
                 {"destructive", SKILL_TOOL_DANGEROUS},    {"destructiveHint", SKILL_TOOL_DANGEROUS},
                 {"parallel", SKILL_TOOL_PARALLEL},        {"idempotent", SKILL_TOOL_IDEMPOTENT},
                 {"idempotentHint", SKILL_TOOL_IDEMPOTENT}};

static unsigned flags_of(const struct skill__value *mapping) {
  unsigned flags = 0;
  for (size_t i = 0; i < sizeof flag_keys / sizeof flag_keys[0]; i++) {
    const struct skill__value *value = skill__value_get(mapping, flag_keys[i].key);
    if (value && skill__value_boolean(value) == 1) flags |= flag_keys[i].flag;
  }
  const struct skill__value *annotations = skill__value_get(mapping, "annotations");
  return annotations && annotations->kind == SKILL__MAPPING ? flags | flags_of(annotations) : flags;
}

static struct skill__place place_of(const struct skill__value *value) {
  return (struct skill__place){value->line, value->column};
}

static void invalid(struct skill__fields *f, const struct skill__value *at, const char *what) {
  skill__finding(f->findings, SKILL__TOOL_INVALID, at->line, at->column, "%s", what);
}

/* A text that is a JSON object. JSON is YAML except for escaped surrogates, which cJSON reads. libyaml is tried first,
 * since it reports when memory is out. */
static int schema_text(struct skill__fields *f, const struct skill__value *value, struct skill__buf *buf) {
  struct skill__yaml_error ignored;
  struct skill__value *root = NULL;
  int status = skill__yaml_read(f->arena, value->text, value->length, 1, &root, &ignored);
  if (!status && root && root->kind == SKILL__MAPPING && root->flow) {
    skill__value_json(buf, root, SKILL__JSON_SCHEMA);
  } else if (status != SKILL_ENOMEM) {
    cJSON *parsed = NULL;
    status = skill__json_parse(value->text, value->length, NULL, &parsed, NULL);
    if (!status && cJSON_IsObject(parsed)) skill__json_print(buf, parsed);
    cJSON_Delete(parsed);
  }
  return status == SKILL_ENOMEM ? status : 0;
}

/* The schema as a mapping, or as JSON text. */
static int schema_of(struct skill__fields *f, const struct skill__value *value, const char **out) {
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL__VALUE_JSON_BYTES);
  int status = 0;
  if (value->kind == SKILL__MAPPING) {
    skill__value_json(&buf, value, SKILL__JSON_SCHEMA);
  } else if (value->kind == SKILL__SCALAR) {
    status = schema_text(f, value, &buf);
  }
  if (skill__buf_status(&buf) == SKILL_ENOMEM) status = SKILL_ENOMEM;
  if (!status && buf.length && !skill__buf_status(&buf)) {
    *out = skill__arena_strndup(f->arena, buf.data, buf.length);
    if (!*out) status = SKILL_ENOMEM;
  } else if (!status && !skill__value_is_null(value)) {
    invalid(f, value, "input_schema is neither a mapping nor a JSON object: the tool accepts any arguments");
  }
  skill__buf_fini(&buf);
  return status;
}

static const char *text_of(struct skill__fields *f, const struct skill__value *value, int *status) {
  if (!value || skill__value_is_null(value)) return NULL;
  const char *text = skill__fields_text(f, value);
  if (!text) *status = SKILL_ENOMEM;
  return text && *text ? text : NULL;
}

/* A model sees the descriptions, also those of the parameters in the schema. */
static void check_visible(struct skill__fields *f, const struct skill__value *value, const SkillTool *tool) {
  const struct skill__value *description = skill__value_get(value, "description");
  const struct skill__value *schema = any(value, schema_keys);
  char what[100];
  snprintf(what, sizeof what, "description of the tool '%.40s'", tool->name);
  skill__validate_visible(f, what, tool->description, place_of(description ? description : value));
  snprintf(what, sizeof what, "schema of the tool '%.40s'", tool->name);
  skill__validate_visible(f, what, tool->input_schema, place_of(schema ? schema : value));
  skill__validate_visible(f, "name of a tool", tool->name, place_of(value));
}

/* 1: read; 0: ignored, with a finding; SKILL_ENOMEM. */
static int read_tool(struct skill__fields *f, const struct skill__value *value, SkillTool *tool) {
  int status = 0;
  memset(tool, 0, sizeof *tool);
  tool->name = text_of(f, skill__value_get(value, "name"), &status);
  tool->description = text_of(f, skill__value_get(value, "description"), &status);
  tool->command = text_of(f, any(value, command_keys), &status);
  tool->flags = flags_of(value);
  if (status) return status;
  if (!tool->name || strlen(tool->name) > SKILL_MAX_NAME) {
    invalid(f, value, "a tool without a usable name is ignored");
    return 0;
  }
  const struct skill__value *schema = any(value, schema_keys);
  if (schema) status = schema_of(f, schema, &tool->input_schema);
  if (status) return status;
  check_visible(f, value, tool);
  return 1;
}

static bool name_taken(const SkillTool *tools, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (!strcmp(tools[i].name, name)) return true;
  }
  return false;
}

int skill__fields_tools(struct skill__fields *f, const struct skill__value *value) {
  size_t room = value->count < SKILL__TOOLS_MAX ? value->count : SKILL__TOOLS_MAX;
  SkillTool *tools = skill__arena_alloc(f->arena, room * sizeof *tools);
  if (!tools) return SKILL_ENOMEM;
  size_t count = 0;
  for (const struct skill__value *child = value->first; child; child = child->next) {
    if (count == room) {
      invalid(f, child, "more than 256 tools: the others are ignored");
      break;
    }
    int taken = child->kind == SKILL__MAPPING ? read_tool(f, child, &tools[count]) : 0;
    if (taken < 0) return taken;
    if (child->kind != SKILL__MAPPING) invalid(f, child, "an item of tools: is not a mapping and is ignored");
    if (taken && name_taken(tools, count, tools[count].name)) {
      invalid(f, child, "two tools have the same name: the later one is ignored");
      taken = 0;
    }
    count += (size_t)taken;
  }
  f->metadata->tools = tools;
  f->metadata->tool_count = count;
  return f->findings->status;
}
