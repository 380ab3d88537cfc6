/* SPDX-License-Identifier: MIT
 *
 * A property of a tool's schema, seen from the side of a request: what may it hold, and which words point to it.
 */
#ifndef SKILL_MODEL_OFFLINE_PROPERTY_H
#define SKILL_MODEL_OFFLINE_PROPERTY_H

#include "model/offline/entity.h"
#include "util/json.h"

enum skill__property_type {
  SKILL__TYPE_STRING,
  SKILL__TYPE_NUMBER,
  SKILL__TYPE_INTEGER,
  SKILL__TYPE_BOOLEAN,
  SKILL__TYPE_ARRAY,
  SKILL__TYPE_OBJECT
};

enum skill__property_role { SKILL__ROLE_NONE, SKILL__ROLE_FROM, SKILL__ROLE_TO };

struct skill__property {
  const char *name;
  char words[128];         /* the name in words, lower case: "hours per day" */
  const char *description; /* never NULL */
  const char *format;      /* never NULL */
  enum skill__property_type type;
  enum skill__property_role role;
  const cJSON *values; /* enum, or NULL */
  const cJSON *fallback;
  bool has_default;
  bool required;
  bool whole;        /* takes free text: text, query, content … */
  bool items_number; /* arrays of numbers */
  double minimum, maximum;
  /* what was found */
  const char *value; /* text as it goes into the JSON; strings are quoted then */
  size_t value_length;
  double number;
  const struct skill__entity *list[SKILL__MAX_ENTITIES];
  size_t list_count;
  bool from_request;
};

/* Reads the properties in the schema's order; returns how many. They borrow from `schema`, which may be NULL. */
size_t skill__properties_read(const cJSON *schema, struct skill__property *properties, size_t room);

/* Whether the property may hold the entity's value at all. */
bool skill__property_accepts(const struct skill__property *property, const struct skill__entity *entity);

/* Whether it asks for that kind of thing, by its format, name or description. */
bool skill__property_wants(const struct skill__property *property, enum skill__entity_kind kind);

/* How much speaks for this number here; 0: nothing. `text` is the request. */
double skill__property_number_score(const struct skill__property *property, const struct skill__entity *number,
                                    const char *text);

#endif
