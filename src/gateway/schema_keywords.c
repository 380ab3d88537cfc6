/* SPDX-License-Identifier: MIT
 *
 * The keywords of JSON Schema: a table of names, each with the function that reads its value into a node and refuses
 * what the keyword does not allow.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/schema_compile.h"
#include "util/alloc.h"

/* ---- small readers ---- */

static int read_number(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                       struct skill__number *out) {
  if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble))
    return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a number");
  out->value = value->valuedouble;
  out->set = true;
  return 0;
}

static int read_size(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                     struct skill__size *out) {
  double number = cJSON_IsNumber(value) ? value->valuedouble : -1;
  if (!(number >= 0) || number > 1e15 || floor(number) != number) {
    return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a whole number of at least 0");
  }
  out->value = (size_t)number;
  out->set = true;
  return 0;
}

static int read_strings(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at) {
  if (!cJSON_IsArray(value)) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a list of strings");
  for (const cJSON *item = value->child; item; item = item->next) {
    if (!cJSON_IsString(item)) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a list of strings");
  }
  return 0;
}

static int read_pattern(struct skill__schema_compiler *c, const char *text, const struct skill__schema_step *at,
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

static int read_nodes(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                      struct skill__nodes *out) {
  int count = cJSON_IsArray(value) ? cJSON_GetArraySize(value) : 0;
  if (count == 0) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a list of at least one schema");
  /* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
  struct skill__node **items = skill__arena_alloc(&c->schema->arena, (size_t)count * sizeof *items);
  if (!items) return SKILL_ENOMEM;
  size_t i = 0;
  for (const cJSON *item = value->child; item; item = item->next) {
    char index[32];
    snprintf(index, sizeof index, "%zu", i);
    struct skill__schema_step step = {at, index};
    int rc = skill__schema_node(c, item, &step, &items[i++]);
    if (rc) return rc;
  }
  out->items = items;
  out->count = i;
  return 0;
}

/* An object of named schemas; `rule` fills in what each name means. */
static int read_rules(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                      struct skill__rules *out, bool patterns) {
  if (!cJSON_IsObject(value)) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be an object of schemas");
  size_t count = (size_t)cJSON_GetArraySize(value);
  struct skill__rule *items = skill__arena_alloc(&c->schema->arena, (count + out->count + 1) * sizeof *items);
  if (!items) return SKILL_ENOMEM;
  if (out->count) memcpy(items, out->items, out->count * sizeof *items);
  size_t n = out->count;
  for (const cJSON *item = value->child; item; item = item->next, n++) {
    struct skill__schema_step step = {at, item->string};
    items[n].name = item->string;
    int rc = patterns ? read_pattern(c, item->string, &step, &items[n].pattern) : 0;
    if (!rc && !patterns && cJSON_IsArray(item)) { /* a dependency on names */
      items[n].required = item;
      rc = read_strings(c, item, &step);
    } else if (!rc) {
      rc = skill__schema_node(c, item, &step, &items[n].node);
    }
    if (rc) return rc;
  }
  out->items = items;
  out->count = n;
  return 0;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct skill__rule *)a)->name, ((const struct skill__rule *)b)->name);
}

/* ---- keywords ---- */

static const char *const type_names[] = {"null", "boolean", "number", "integer", "string", "array", "object"};

static unsigned type_bit(const cJSON *value) {
  for (size_t i = 0; cJSON_IsString(value) && i < sizeof type_names / sizeof *type_names; i++) {
    if (strcmp(value->valuestring, type_names[i]) == 0) return 1u << i;
  }
  return 0;
}

static int read_type(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                     const struct skill__schema_step *at) {
  const cJSON *item = cJSON_IsArray(value) ? value->child : value;
  unsigned types = 0;
  for (; item; item = cJSON_IsArray(value) ? item->next : NULL) {
    unsigned bit = type_bit(item);
    if (!bit)
      return skill__schema_refuse(c, SKILL_EINVAL, at,
                                  "a type is null, boolean, number, integer, string, array or object");
    types |= bit;
  }
  if (!types) return skill__schema_refuse(c, SKILL_EINVAL, at, "it names no type");
  node->types = types;
  return 0;
}

static int read_enum(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                     const struct skill__schema_step *at) {
  if (!cJSON_IsArray(value)) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a list");
  node->options = value;
  return 0;
}

static int read_const(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                      const struct skill__schema_step *at) {
  (void)c;
  (void)at;
  node->constant = value;
  return 0;
}

static int read_multiple(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                         const struct skill__schema_step *at) {
  int rc = read_number(c, value, at, &node->multiple);
  if (!rc && !(node->multiple.value > 0)) rc = skill__schema_refuse(c, SKILL_EINVAL, at, "it must be greater than 0");
  return rc;
}

static int read_text_pattern(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                             const struct skill__schema_step *at) {
  if (!cJSON_IsString(value)) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a string");
  node->pattern_text = value->valuestring;
  return read_pattern(c, value->valuestring, at, &node->pattern);
}

static int read_format(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                       const struct skill__schema_step *at) {
  if (!cJSON_IsString(value)) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a string");
  bool annotation = false;
  node->format = skill__schema_format(value->valuestring, &annotation);
  node->format_name = value->valuestring;
  return node->format || annotation ? 0 : skill__schema_remark(c, at, "this format is not known");
}

static int read_items(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                      const struct skill__schema_step *at) {
  if (!cJSON_IsArray(value)) return skill__schema_node(c, value, at, &node->items);
  return cJSON_GetArraySize(value) ? read_nodes(c, value, at, &node->prefix) : 0;
}

static int read_unique(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                       const struct skill__schema_step *at) {
  if (!cJSON_IsBool(value)) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be true or false");
  node->unique = cJSON_IsTrue(value);
  return 0;
}

static int read_required(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                         const struct skill__schema_step *at) {
  node->required = value;
  return read_strings(c, value, at);
}

static int read_properties(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                           const struct skill__schema_step *at) {
  for (const cJSON *item = cJSON_IsObject(value) ? value->child : NULL; item; item = item->next) {
    if (!cJSON_IsArray(item)) continue;
    struct skill__schema_step step = {at, item->string};
    return skill__schema_refuse(c, SKILL_EINVAL, &step, "a schema is an object, true or false");
  }
  int rc = read_rules(c, value, at, &node->properties, false);
  if (!rc) qsort(node->properties.items, node->properties.count, sizeof *node->properties.items, by_name);
  return rc;
}

static int read_patterns(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                         const struct skill__schema_step *at) {
  return read_rules(c, value, at, &node->patterns, true);
}

static int read_dependent(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                          const struct skill__schema_step *at) {
  return read_rules(c, value, at, &node->dependent, false);
}

/* Definitions are compiled so that a mistake in one is told, even where nothing refers to it. */
static int read_definitions(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                            const struct skill__schema_step *at) {
  (void)node;
  struct skill__rules rules = {NULL, 0};
  return read_rules(c, value, at, &rules, false);
}

static int read_nothing(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                        const struct skill__schema_step *at) {
  (void)c;
  (void)node;
  (void)value;
  (void)at;
  return 0;
}

static int read_id(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                   const struct skill__schema_step *at) {
  (void)node;
  if (!cJSON_IsString(value)) return skill__schema_refuse(c, SKILL_EINVAL, at, "it must be a string");
  bool root = at->up == NULL;
  return root || value->valuestring[0] == '#'
             ? 0
             : skill__schema_remark(c, at, "a document inside the document is not supported");
}

#define NUMBER(member)                                                                              \
  static int read_##member(struct skill__schema_compiler *c, struct skill__node *n, const cJSON *v, \
                           const struct skill__schema_step *at) {                                   \
    return read_number(c, v, at, &n->member);                                                       \
  }
#define SIZE(member)                                                                                \
  static int read_##member(struct skill__schema_compiler *c, struct skill__node *n, const cJSON *v, \
                           const struct skill__schema_step *at) {                                   \
    return read_size(c, v, at, &n->member);                                                         \
  }
#define NODE(member)                                                                                \
  static int read_##member(struct skill__schema_compiler *c, struct skill__node *n, const cJSON *v, \
                           const struct skill__schema_step *at) {                                   \
    return skill__schema_node(c, v, at, &n->member);                                                \
  }
#define NODES(member)                                                                               \
  static int read_##member(struct skill__schema_compiler *c, struct skill__node *n, const cJSON *v, \
                           const struct skill__schema_step *at) {                                   \
    return read_nodes(c, v, at, &n->member);                                                        \
  }
NUMBER(minimum)
NUMBER(maximum)
NUMBER(above)
NUMBER(below)
SIZE(min_length)
SIZE(max_length)
SIZE(min_items)
SIZE(max_items)
SIZE(min_properties)
SIZE(max_properties)
SIZE(min_contains)
SIZE(max_contains)
NODE(contains)
NODE(additional)
NODE(property_names)
NODE(not_node)
NODE(if_node)
NODE(then_node)
NODE(else_node)
NODES(prefix)
NODES(all)
NODES(any)
NODES(one)

struct keyword {
  const char *name;
  skill__schema_reader_fn read;
};

static const struct keyword keywords[] = {
    {"type", read_type},
    {"properties", read_properties},
    {"required", read_required},
    {"description", read_nothing},
    {"items", read_items},
    {"enum", read_enum},
    {"additionalProperties", read_additional},
    {"default", read_nothing},
    {"title", read_nothing},
    {"$ref", skill__schema_ref},
    {"anyOf", read_any},
    {"oneOf", read_one},
    {"allOf", read_all},
    {"not", read_not_node},
    {"if", read_if_node},
    {"then", read_then_node},
    {"else", read_else_node},
    {"const", read_const},
    {"minimum", read_minimum},
    {"maximum", read_maximum},
    {"exclusiveMinimum", read_above},
    {"exclusiveMaximum", read_below},
    {"multipleOf", read_multiple},
    {"minLength", read_min_length},
    {"maxLength", read_max_length},
    {"pattern", read_text_pattern},
    {"format", read_format},
    {"prefixItems", read_prefix},
    {"minItems", read_min_items},
    {"maxItems", read_max_items},
    {"uniqueItems", read_unique},
    {"contains", read_contains},
    {"minContains", read_min_contains},
    {"maxContains", read_max_contains},
    {"patternProperties", read_patterns},
    {"propertyNames", read_property_names},
    {"minProperties", read_min_properties},
    {"maxProperties", read_max_properties},
    {"dependentRequired", read_dependent},
    {"dependentSchemas", read_dependent},
    {"dependencies", read_dependent},
    {"$defs", read_definitions},
    {"definitions", read_definitions},
    {"$schema", read_nothing},
    {"$id", read_id},
    {"$anchor", read_nothing},
    {"$comment", read_nothing},
    {"examples", read_nothing},
    {"example", read_nothing},
    {"deprecated", read_nothing},
    {"readOnly", read_nothing},
    {"writeOnly", read_nothing},
    {"contentEncoding", read_nothing},
    {"contentMediaType", read_nothing},
    {"contentSchema", read_nothing},
};

skill__schema_reader_fn skill__schema_reader(const char *name) {
  if (strncmp(name, "x-", 2) == 0) return read_nothing;
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
    if (strcmp(keywords[i].name, name) == 0) return keywords[i].read;
  }
  return NULL;
}
