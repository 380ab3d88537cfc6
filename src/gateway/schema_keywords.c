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

/* ---- readers: `member` points to the member of the node that the table names ---- */

static int read_number(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                       void *member) {
  if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble)) {
    return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a number");
  }
  *(struct skill__schema_bound *)member = (struct skill__schema_bound){value->valuedouble, true};
  return 0;
}

static int read_positive(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                         void *member) {
  if (cJSON_IsNumber(value) && !(value->valuedouble > 0)) {
    return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be greater than 0");
  }
  return read_number(c, value, at, member);
}

static int read_size(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                     void *member) {
  double number = cJSON_IsNumber(value) ? value->valuedouble : -1;
  if (!(number >= 0) || number > 1e15 || floor(number) != number) {
    return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a whole number of at least 0");
  }
  *(struct skill__schema_bound *)member = (struct skill__schema_bound){number, true};
  return 0;
}

static int read_value(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                      void *member) {
  (void)c;
  (void)at;
  *(const cJSON **)member = value;
  return 0;
}

static int read_list(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                     void *member) {
  if (!cJSON_IsArray(value)) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a list");
  return read_value(c, value, at, member);
}

static int read_strings(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                        void *member) {
  bool fits = cJSON_IsArray(value);
  for (const cJSON *item = fits ? value->child : NULL; item; item = item->next) fits = fits && cJSON_IsString(item);
  if (!fits) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a list of strings");
  return read_value(c, value, at, member);
}

static int read_bool(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                     void *member) {
  if (!cJSON_IsBool(value)) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be true or false");
  *(bool *)member = cJSON_IsTrue(value);
  return 0;
}

static int read_node(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                     void *member) {
  return skill__schema_node(c, value, at, member);
}

static int read_nodes(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                      void *member) {
  struct skill__schema_nodes *out = member;
  int count = cJSON_IsArray(value) ? cJSON_GetArraySize(value) : 0;
  if (count == 0) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a list of at least one schema");
  /* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
  struct skill__schema_node **items = skill__arena_alloc(&c->schema->arena, (size_t)count * sizeof *items);
  if (!items) return SKILL_ENOMEM;
  size_t i = 0;
  for (const cJSON *item = value->child; item; item = item->next) {
    char index[32];
    snprintf(index, sizeof index, "%zu", i);
    struct skill__schema_step step = {at, index};
    int status = skill__schema_node(c, item, &step, &items[i++]);
    if (status) return status;
  }
  *out = (struct skill__schema_nodes){items, i};
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

static int read_pattern(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                        void *member) {
  struct skill__schema_pattern *pattern = member;
  if (!cJSON_IsString(value)) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a string");
  pattern->text = value->valuestring;
  return compile_pattern(c, pattern->text, at, &pattern->code);
}

static int read_format(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                       void *member) {
  struct skill__schema_format *format = member;
  bool annotation = false;
  if (!cJSON_IsString(value)) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a string");
  format->name = value->valuestring;
  format->check = skill__schema_format(format->name, &annotation);
  return format->check || annotation ? 0 : skill__schema_unsupported(c, at, "this format is not known");
}

static const char *const type_names[] = {"null", "boolean", "number", "integer", "string", "array", "object"};

static unsigned type_bit(const cJSON *value) {
  for (size_t i = 0; cJSON_IsString(value) && i < sizeof type_names / sizeof *type_names; i++) {
    if (strcmp(value->valuestring, type_names[i]) == 0) return 1u << i;
  }
  return 0;
}

static int read_type(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                     void *member) {
  bool list = cJSON_IsArray(value);
  unsigned types = 0;
  for (const cJSON *item = list ? value->child : value; item; item = list ? item->next : NULL) {
    unsigned bit = type_bit(item);
    if (!bit) {
      return skill__schema_refuse(c, SKILL_EINVAL, at,
                                  "a type is null, boolean, number, integer, string, array or object");
    }
    types |= bit;
  }
  if (!types) return skill__schema_refuse(c, SKILL_EINVAL, at, "it names no type");
  *(unsigned *)member = types;
  return 0;
}

/* `items` is one schema or, in older drafts, a list of schemas for the first items. `member` is the node. */
static int read_items(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                      void *member) {
  struct skill__schema_node *node = member;
  if (!cJSON_IsArray(value)) return skill__schema_node(c, value, at, &node->items);
  return cJSON_GetArraySize(value) ? read_nodes(c, value, at, &node->prefix) : 0;
}

/* ---- objects of named schemas ---- */

enum rule_kind { NAMED, PATTERN, DEPENDENT };

static int read_rule(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                     enum rule_kind kind, struct skill__schema_rule *rule) {
  rule->name = value->string;
  if (kind == DEPENDENT && cJSON_IsArray(value)) return read_strings(c, value, at, &rule->required);
  int status = kind == PATTERN ? compile_pattern(c, rule->name, at, &rule->pattern) : 0;
  return status ? status : skill__schema_node(c, value, at, &rule->node);
}

/* Appends to the rules: three keywords of different drafts define dependencies. */
static int read_rules(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                      enum rule_kind kind, struct skill__schema_rules *out) {
  if (!cJSON_IsObject(value)) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be an object of schemas");
  size_t count = (size_t)cJSON_GetArraySize(value);
  struct skill__schema_rule *items = skill__arena_alloc(&c->schema->arena, (count + out->count + 1) * sizeof *items);
  if (!items) return SKILL_ENOMEM;
  if (out->count) memcpy(items, out->items, out->count * sizeof *items);
  size_t n = out->count;
  for (const cJSON *item = value->child; item; item = item->next) {
    struct skill__schema_step step = {at, item->string};
    int status = read_rule(c, item, &step, kind, &items[n++]);
    if (status) return status;
  }
  *out = (struct skill__schema_rules){items, n};
  return 0;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct skill__schema_rule *)a)->name, ((const struct skill__schema_rule *)b)->name);
}

static int read_properties(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                           void *member) {
  struct skill__schema_rules *rules = member;
  int status = read_rules(c, value, at, NAMED, rules);
  if (!status) qsort(rules->items, rules->count, sizeof *rules->items, by_name);
  return status;
}

static int read_patterns(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                         void *member) {
  return read_rules(c, value, at, PATTERN, member);
}

static int read_dependent(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                          void *member) {
  return read_rules(c, value, at, DEPENDENT, member);
}

/* Definitions are compiled to report a mistake in one that no reference uses. */
static int read_definitions(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                            void *member) {
  (void)member;
  struct skill__schema_rules rules = {NULL, 0};
  return read_rules(c, value, at, DEPENDENT, &rules);
}

/* The $id of the root is the base of references. Another one would start a document of its own. */
static int read_id(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                   void *member) {
  (void)member;
  if (!cJSON_IsString(value)) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a string");
  if (!at->up || value->valuestring[0] == '#') return 0;
  return skill__schema_unsupported(c, at, "a document inside the document is not supported");
}

/* ---- the table ---- */

struct keyword {
  const char *name;
  int (*read)(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at, void *member);
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
    {"$ref", skill__schema_ref, MEMBER(ref)},
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
    if (strcmp(keywords[i].name, at->key) == 0)
      return keywords[i].read(c, value, at, (char *)node + keywords[i].member);
  }
  return skill__schema_unsupported(c, at, "this keyword is not supported");
}
