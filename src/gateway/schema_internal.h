/* SPDX-License-Identifier: MIT
 *
 * The compiled form of a schema, shared by the compiler and the checker.
 */
#ifndef SKILL_GATEWAY_SCHEMA_INTERNAL_H
#define SKILL_GATEWAY_SCHEMA_INTERNAL_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "gateway/schema.h"
#include "util/arena.h"
#include "util/buf.h"

/* Bits of skill__schema_node.types, in the order of the names in schema_keywords.c and schema_check.c. */
enum {
  SKILL__TYPE_NULL = 1,
  SKILL__TYPE_BOOLEAN = 2,
  SKILL__TYPE_NUMBER = 4,
  SKILL__TYPE_INTEGER = 8,
  SKILL__TYPE_STRING = 16,
  SKILL__TYPE_ARRAY = 32,
  SKILL__TYPE_OBJECT = 64
};

struct skill__schema_nodes {
  struct skill__schema_node **items;
  size_t count;
};

/* An entry of `properties` (by name), `patternProperties` (by pattern), or a dependency. */
struct skill__schema_rule {
  const char *name;
  pcre2_code *pattern;
  struct skill__schema_node *node;
  const cJSON *required; /* of a dependency: the names; then there is no node */
};

struct skill__schema_rules {
  struct skill__schema_rule *items;
  size_t count;
};

/* A limit for a number, or for a length or a count: those are at most 1e15, which a double holds exactly. */
struct skill__schema_bound {
  double value;
  bool set;
};

struct skill__schema_pattern {
  pcre2_code *code; /* NULL: none */
  const char *text;
};

/* A known format: a pattern or a function checks it; with neither it is an annotation. */
struct skill__schema_format_rule {
  const char *name;
  const char *pattern;
  bool (*check)(const char *text);
};

struct skill__schema_format {
  const struct skill__schema_format_rule *rule; /* NULL: none, or not known */
  pcre2_code *code;                             /* of the rule's pattern */
};

/* A subschema. A member that is zero means no requirement. Texts and values are borrowed from the document. */
struct skill__schema_node {
  bool refuses; /* the schema `false` */
  unsigned types;
  const cJSON *options; /* enum */
  const cJSON *constant;
  struct skill__schema_node *ref;
  struct skill__schema_bound minimum, maximum, above, below, multiple;
  struct skill__schema_bound min_length, max_length, min_items, max_items, min_properties, max_properties;
  struct skill__schema_bound min_contains, max_contains;
  struct skill__schema_pattern pattern;
  struct skill__schema_format format;
  struct skill__schema_nodes prefix; /* prefixItems, or items as an array */
  struct skill__schema_node *items;  /* of the rest */
  struct skill__schema_node *contains;
  bool unique;
  struct skill__schema_rules properties; /* sorted by name */
  struct skill__schema_rules patterns;
  struct skill__schema_rules dependent;
  struct skill__schema_node *additional;
  struct skill__schema_node *property_names;
  const cJSON *required;
  struct skill__schema_nodes all, any, one;
  struct skill__schema_node *not_node, *if_node, *then_node, *else_node;
};

struct skill__schema {
  cJSON *document;
  struct skill__arena arena; /* nodes, rules */
  struct skill__schema_node *root;
  pcre2_general_context *general;
  pcre2_compile_context *compile;
  pcre2_match_context *match;
  pcre2_match_data *data;
  pcre2_code **codes; /* all patterns: PCRE2 does not allocate from the arena, so they are freed one by one */
  size_t code_count;
  size_t code_capacity;
  char *name;
};

/* NULL: the format is not known. */
const struct skill__schema_format_rule *skill__schema_format(const char *name);

/* Adds "/key", escaped as in a JSON pointer. */
void skill__schema_pointer(struct skill__buf *buf, const char *key);

/* Takes one step; false: none is left. */
bool skill__schema_spend(size_t *steps);

/* Whether two JSON values are equal; each comparison takes a step. When none is left the answer is "not equal", and the
 * caller must look at *steps before it uses that answer. */
bool skill__schema_equal(const cJSON *a, const cJSON *b, size_t *steps);

#endif
