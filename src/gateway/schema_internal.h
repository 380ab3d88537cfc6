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

enum {
  SKILL__TYPE_NULL = 1,
  SKILL__TYPE_BOOLEAN = 2,
  SKILL__TYPE_NUMBER = 4,
  SKILL__TYPE_INTEGER = 8,
  SKILL__TYPE_STRING = 16,
  SKILL__TYPE_ARRAY = 32,
  SKILL__TYPE_OBJECT = 64
};

struct skill__node;

struct skill__nodes {
  struct skill__node **items;
  size_t count;
};

/* A property of `properties` (by name), `patternProperties` (by pattern), or a dependency. */
struct skill__rule {
  const char *name;
  pcre2_code *pattern;
  struct skill__node *node;
  const cJSON *required; /* dependentRequired */
};

struct skill__rules {
  struct skill__rule *items;
  size_t count;
};

struct skill__number {
  double value;
  bool set;
};

struct skill__size {
  size_t value;
  bool set;
};

typedef bool (*skill__format_fn)(const char *text, size_t length);

/* A subschema. Members that are zero ask nothing. */
struct skill__node {
  bool refuses; /* the schema `false` */
  unsigned types;
  const cJSON *options; /* enum */
  const cJSON *constant;
  struct skill__node *ref;
  struct skill__number minimum, maximum, above, below, multiple;
  struct skill__size min_length, max_length, min_items, max_items, min_properties, max_properties;
  struct skill__size min_contains, max_contains;
  pcre2_code *pattern;
  const char *pattern_text;
  skill__format_fn format;
  const char *format_name;
  struct skill__nodes prefix; /* prefixItems, or items as an array */
  struct skill__node *items;  /* of the rest */
  struct skill__node *contains;
  bool unique;
  struct skill__rules properties; /* sorted by name */
  struct skill__rules patterns;
  struct skill__rules dependent;
  struct skill__node *additional;
  struct skill__node *property_names;
  const cJSON *required;
  struct skill__nodes all, any, one;
  struct skill__node *not_node, *if_node, *then_node, *else_node;
};

struct skill__schema {
  cJSON *document;
  struct skill__arena arena;
  struct skill__node *root;
  pcre2_general_context *general;
  pcre2_compile_context *compile;
  pcre2_match_context *match;
  pcre2_match_data *data;
  pcre2_code **codes; /* every pattern, for the release */
  size_t code_count;
  size_t code_capacity;
  struct skill__buf note;
  char *name;
};

/* The checker of a format; NULL: unknown. *annotation: known, but says nothing that can be checked. */
skill__format_fn skill__schema_format(const char *name, bool *annotation);

/* Adds "/key", escaped as in a JSON pointer. */
void skill__schema_pointer(struct skill__buf *buf, const char *key);

/* Takes one step; false: none is left. */
bool skill__schema_spend(size_t *steps);

/* Whether two JSON values are equal; counts down *steps. */
bool skill__schema_equal(const cJSON *a, const cJSON *b, size_t *steps);

#endif
