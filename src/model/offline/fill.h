/* SPDX-License-Identifier: MIT
 *
 * Arguments of a tool from the words of a request, by the tool's JSON Schema.
 */
#ifndef SKILL_MODEL_OFFLINE_FILL_H
#define SKILL_MODEL_OFFLINE_FILL_H

#include "skillet/error.h"

enum { SKILL__MAX_PROPERTIES = 48 }; /* properties of one tool that are looked at */

struct skill__fill {
  char *json;        /* owned (skill_free): the arguments, a JSON object; NULL where memory was out */
  char missing[400]; /* required properties that nothing in the request fits, "a, b"; "" where all are there */
  size_t taken;      /* properties whose value stands in the request */
  size_t defaults;   /* required ones that took the schema's default */
  size_t unused;     /* numbers, dates, quotations and files of the request that no property took */
};

/* Fills. A schema that is not one counts as an empty one. 0 or SKILL_ENOMEM. */
int skill__fill(const char *schema, const char *request, size_t length, struct skill__fill *out);

#endif
