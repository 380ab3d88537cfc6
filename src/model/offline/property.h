/* SPDX-License-Identifier: MIT
 *
 * A property of a tool's schema: which values it may hold, and which words of a request point to it.
 */
#ifndef SKILL_MODEL_OFFLINE_PROPERTY_H
#define SKILL_MODEL_OFFLINE_PROPERTY_H

#include "model/offline/request.h"
#include "util/json.h"

enum skill__offline_type {
  SKILL__OFFLINE_STRING,
  SKILL__OFFLINE_NUMERIC,
  SKILL__OFFLINE_INTEGER,
  SKILL__OFFLINE_OTHER /* never filled from a request */
};

struct skill__offline_property {
  const char *name;
  char words[128];         /* the name in words: "hours per day" */
  const char *description; /* never NULL */
  const char *format;      /* never NULL */
  enum skill__offline_type type;
  const cJSON *values;   /* enum, or NULL */
  const cJSON *fallback; /* default, or NULL */
  bool required;
  bool prose; /* takes free text: text, query, content … */
  double minimum, maximum;
  const char *value; /* what was found, as JSON text, strings without quotes; NULL: nothing */
  size_t value_length;
};

/* Reads the properties in the schema's order; returns how many. They borrow from `schema`, which may be NULL. */
size_t skill__offline_properties(const cJSON *schema, struct skill__offline_property *properties, size_t room);

bool skill__offline_is_number(const struct skill__offline_property *property);

/* Whether its name is one of `names`, or begins with one of them as a word: "from" has "from unit". */
bool skill__offline_named(const struct skill__offline_property *property, const char *names);

/* Whether it may hold the value at all. */
bool skill__offline_accepts(const struct skill__offline_property *property, const struct skill__offline_value *value);

/* Whether it asks for this kind of value, by its format, name or description. */
bool skill__offline_wants(const struct skill__offline_property *property, enum skill__offline_kind kind);

/* Evidence that the number belongs to the property, from its unit or percent sign; 0: none. */
double skill__offline_evidence(const struct skill__offline_property *property,
                               const struct skill__offline_value *number);

#endif
