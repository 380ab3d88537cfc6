/* SPDX-License-Identifier: MIT
 *
 * The keywords of JSON Schema: a table of names, each with the function that reads its value into a member of the node
 * and refuses what the keyword does not allow. A malformed schema must not make a check weaker than its author meant.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/schema_compile.h"
#include "util/alloc.h"

/* What a reader works on. */
struct reading {
  struct skill__schema_compiler *c;
  const cJSON *value;
  const struct skill__schema_step *at;
  void *member; /* of the node, as the table says */
};

static int invalid(const struct reading *r, const char *what) {
  return skill__schema_refuse(r->c, SKILL_EINVAL, r->at, what);
}

static int read_number(const struct reading *r) {
  if (!cJSON_IsNumber(r->value) || !isfinite(r->value->valuedouble)) return invalid(r, "it must be a number");
  *(struct skill__schema_bound *)r->member = (struct skill__schema_bound){r->value->valuedouble, true};
  return 0;
}

static int read_positive(const struct reading *r) {
  if (cJSON_IsNumber(r->value) && !(r->value->valuedouble > 0)) return invalid(r, "it must be greater than 0");
  return read_number(r);
}

static int read_size(const struct reading *r) {
  double number = cJSON_IsNumber(r->value) ? r->value->valuedouble : -1;
  if (!(number >= 0) || number > 1e15 || floor(number) != number) {
    return invalid(r, "it must be a whole number of at least 0");
  }
  return read_number(r);
}

static int read_value(const struct reading *r) {
  *(const cJSON **)r->member = r->value;
  return 0;
}

static int read_list(const struct reading *r) {
  return cJSON_IsArray(r->value) ? read_value(r) : invalid(r, "it must be a list");
}

static int read_strings(const struct reading *r) {
  bool fits = cJSON_IsArray(r->value);
  for (const cJSON *item = fits ? r->value->child : NULL; item; item = item->next) fits = fits && cJSON_IsString(item);
  return fits ? read_value(r) : invalid(r, "it must be a list of strings");
}

static int read_bool(const struct reading *r) {
  if (!cJSON_IsBool(r->value)) return invalid(r, "it must be true or false");
  *(bool *)r->member = cJSON_IsTrue(r->value);
  return 0;
}

static int read_node(const struct reading *r) {
  return skill__schema_node(r->c, r->value, r->at, r->member);
}

static int read_ref(const struct reading *r) {
  return skill__schema_ref(r->c, r->value, r->at, r->member);
}

static int read_nodes(const struct reading *r) {
  int count = cJSON_IsArray(r->value) ? cJSON_GetArraySize(r->value) : 0;
  if (count == 0) return invalid(r, "it must be a list of at least one schema");
  /* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
  struct skill__schema_node **items = skill__arena_alloc(&r->c->schema->arena, (size_t)count * sizeof *items);
  if (!items) return SKILL_ENOMEM;
  size_t i = 0;
  for (const cJSON *item = r->value->child; item; item = item->next) {
    char index[32];
    snprintf(index, sizeof index, "%zu", i);
    struct skill__schema_step step = {r->at, index};
    int status = skill__schema_node(r->c, item, &step, &items[i++]);
    if (status) return status;
  }
  *(struct skill__schema_nodes *)r->member = (struct skill__schema_nodes){items, i};
  return 0;
}

/* The options make PCRE2 read a pattern as ECMA 262 does, as far as it can. */
static int compile_pattern(struct skill__schema_compiler *c, const char *text, const struct skill__schema_step *at,
                           pcre2_code **out) {
  struct skill__schema *schema = c->schema;
  /* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
  if (SKILL__GROW(schema->codes, schema->code_capacity, schema->code_count + 1)) return SKILL_ENOMEM;
  uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS |
                     PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C;
  int error;
  PCRE2_SIZE offset;
  pcre2_code *code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options, &error, &offset, schema->compile);
  if (!code) {
    if (error == PCRE2_ERROR_HEAP_FAILED) return SKILL_ENOMEM;
    char why[200];
    char message[300];
    pcre2_get_error_message(error, (PCRE2_UCHAR *)why, sizeof why);
    snprintf(message, sizeof message, "the pattern is wrong at byte %zu: %s", (size_t)offset, why);
    return skill__schema_refuse(c, SKILL_EINVAL, at, message);
  }
  schema->codes[schema->code_count++] = code;
  *out = code;
  return 0;
}

static int read_pattern(const struct reading *r) {
  struct skill__schema_pattern *pattern = r->member;
  if (!cJSON_IsString(r->value)) return invalid(r, "it must be a string");
  pattern->text = r->value->valuestring;
  return compile_pattern(r->c, pattern->text, r->at, &pattern->code);
}

static int read_format(const struct reading *r) {
  struct skill__schema_format *format = r->member;
  if (!cJSON_IsString(r->value)) return invalid(r, "it must be a string");
  format->rule = skill__schema_format(r->value->valuestring);
  if (!format->rule) return skill__schema_unsupported(r->c, r->at, "this format is not known");
  return format->rule->pattern ? compile_pattern(r->c, format->rule->pattern, r->at, &format->code) : 0;
}

static const char *const type_names[] = {"null", "boolean", "number", "integer", "string", "array", "object"};

static unsigned type_bit(const cJSON *value) {
  for (size_t i = 0; cJSON_IsString(value) && i < sizeof type_names / sizeof *type_names; i++) {
    if (strcmp(value->valuestring, type_names[i]) == 0) return 1u << i;
  }
  return 0;
}

static int read_type(const struct reading *r) {
  bool list = cJSON_IsArray(r->value);
  unsigned types = 0;
  for (const cJSON *item = list ? r->value->child : r->value; item; item = list ? item->next : NULL) {
    unsigned bit = type_bit(item);
    if (!bit) return invalid(r, "a type is null, boolean, number, integer, string, array or object");
    types |= bit;
  }
  if (!types) return invalid(r, "it names no type");
  *(unsigned *)r->member = types;
  return 0;
}

/* `items` is one schema or, in older drafts, a list of schemas for the first items. `member` is the node. */
static int read_items(const struct reading *r) {
  struct skill__schema_node *node = r->member;
  if (!cJSON_IsArray(r->value)) return skill__schema_node(r->c, r->value, r->at, &node->items);
  struct reading prefix = {r->c, r->value, r->at, &node->prefix};
  return cJSON_GetArraySize(r->value) ? read_nodes(&prefix) : 0;
}

/* ---- objects of named schemas ---- */

enum rule_kind { NAMED, PATTERN, DEPENDENT };

static int read_rule(const struct reading *r, enum rule_kind kind, struct skill__schema_rule *rule) {
  rule->name = r->value->string;
  if (kind == DEPENDENT && cJSON_IsArray(r->value)) {
    return read_strings(&(struct reading){r->c, r->value, r->at, &rule->required});
  }
  int status = kind == PATTERN ? compile_pattern(r->c, rule->name, r->at, &rule->pattern) : 0;
  return status ? status : skill__schema_node(r->c, r->value, r->at, &rule->node);
}

/* Appends to the rules: three keywords of different drafts define dependencies. */
static int read_rules(const struct reading *r, enum rule_kind kind, struct skill__schema_rules *out) {
  if (!cJSON_IsObject(r->value)) return invalid(r, "it must be an object of schemas");
  size_t n = out->count;
  size_t count = n + (size_t)cJSON_GetArraySize(r->value);
  struct skill__schema_rule *items = skill__arena_alloc(&r->c->schema->arena, (count + 1) * sizeof *items);
  if (!items) return SKILL_ENOMEM;
  if (n) memcpy(items, out->items, n * sizeof *items);
  for (const cJSON *item = r->value->child; item; item = item->next) {
    struct skill__schema_step step = {r->at, item->string};
    int status = read_rule(&(struct reading){r->c, item, &step, NULL}, kind, &items[n++]);
    if (status) return status;
  }
  *out = (struct skill__schema_rules){items, n};
  return 0;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct skill__schema_rule *)a)->name, ((const struct skill__schema_rule *)b)->name);
}

static int read_properties(const struct reading *r) {
  struct skill__schema_rules *rules = r->member;
  int status = read_rules(r, NAMED, rules);
  if (!status) qsort(rules->items, rules->count, sizeof *rules->items, by_name);
  return status;
}

static int read_patterns(const struct reading *r) {
  return read_rules(r, PATTERN, r->member);
}

static int read_dependent(const struct reading *r) {
  return read_rules(r, DEPENDENT, r->member);
}

/* Definitions are compiled to report a mistake in one that no reference uses. */
static int read_definitions(const struct reading *r) {
  struct skill__schema_rules rules = {NULL, 0};
  return read_rules(r, DEPENDENT, &rules);
}

/* The $id of the root is the base of references. Another one would start a document of its own. */
static int read_id(const struct reading *r) {
  if (!cJSON_IsString(r->value)) return invalid(r, "it must be a string");
  if (!r->at->up || r->value->valuestring[0] == '#') return 0;
  return skill__schema_unsupported(r->c, r->at, "a document inside the document is not supported");
}

/* ---- the table ---- */

struct keyword {
  const char *name;
  int (*read)(const struct reading *r);
  size_t member;
};

#define MEMBER(name) offsetof(struct skill__schema_node, name)

/* The most frequent ones of tool schemas come first. */
static const struct keyword keywords[] = {
    {"type", read_type, MEMBER(types)},
    {"properties", read_properties, MEMBER(properties)},
    {"required", read_strings, MEMBER(required)},
    {"items", read_items, 0},
    {"enum", read_list, MEMBER(options)},
    {"additionalProperties", read_node, MEMBER(additional)},
    {"$ref", read_ref, MEMBER(ref)},
    {"anyOf", read_nodes, MEMBER(any)},
    {"oneOf", read_nodes, MEMBER(one)},
    {"allOf", read_nodes, MEMBER(all)},
    {"not", read_node, MEMBER(not_node)},
    {"if", read_node, MEMBER(if_node)},
    {"then", read_node, MEMBER(then_node)},
    {"else", read_node, MEMBER(else_node)},
    {"const", read_value, MEMBER(constant)},
    {"minimum", read_number, MEMBER(minimum)},
    {"maximum", read_number, MEMBER(maximum)},
    {"exclusiveMinimum", read_number, MEMBER(above)},
    {"exclusiveMaximum", read_number, MEMBER(below)},
    {"multipleOf", read_positive, MEMBER(multiple)},
    {"minLength", read_size, MEMBER(min_length)},
    {"maxLength", read_size, MEMBER(max_length)},
    {"pattern", read_pattern, MEMBER(pattern)},
    {"format", read_format, MEMBER(format)},
    {"prefixItems", read_nodes, MEMBER(prefix)},
    {"minItems", read_size, MEMBER(min_items)},
    {"maxItems", read_size, MEMBER(max_items)},
    {"uniqueItems", read_bool, MEMBER(unique)},
    {"contains", read_node, MEMBER(contains)},
    {"minContains", read_size, MEMBER(min_contains)},
    {"maxContains", read_size, MEMBER(max_contains)},
    {"patternProperties", read_patterns, MEMBER(patterns)},
    {"propertyNames", read_node, MEMBER(property_names)},
    {"minProperties", read_size, MEMBER(min_properties)},
    {"maxProperties", read_size, MEMBER(max_properties)},
    {"dependentRequired", read_dependent, MEMBER(dependent)},
    {"dependentSchemas", read_dependent, MEMBER(dependent)},
    {"dependencies", read_dependent, MEMBER(dependent)},
    {"$defs", read_definitions, 0},
    {"definitions", read_definitions, 0},
    {"$id", read_id, 0},
};

/* These say nothing about a value. */
static const char *const annotations[] = {
    "description", "default",    "title",    "$schema",   "$anchor",         "$comment",         "examples",
    "example",     "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType", "contentSchema",
};

int skill__schema_keyword(struct skill__schema_compiler *c, struct skill__schema_node *node, const cJSON *value,
                          const struct skill__schema_step *at) {
  if (strncmp(at->key, "x-", 2) == 0) return 0;
  for (size_t i = 0; i < sizeof annotations / sizeof *annotations; i++) {
    if (strcmp(annotations[i], at->key) == 0) return 0;
  }
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
    if (strcmp(keywords[i].name, at->key) != 0) continue;
    return keywords[i].read(&(struct reading){c, value, at, (char *)node + keywords[i].member});
  }
  return skill__schema_unsupported(c, at, "this keyword is not supported");
}
