/* SPDX-License-Identifier: MIT
 *
 * Arguments of a tool from the words of a request, by the tool's JSON Schema.
 */
#ifndef SKILL_MODEL_OFFLINE_FILL_H
#define SKILL_MODEL_OFFLINE_FILL_H

struct skill__offline_fill {
  char *json;        /* owned (skill_free): the arguments, a JSON object */
  char missing[400]; /* required properties without a value, "a, b"; "" if there is none */
  double score;      /* how much of the request the arguments use; compares the tools of a skill */
};

/* Fills. Text that is no schema counts as an empty schema. 0 or SKILL_ENOMEM. */
int skill__offline_fill(const char *schema, const char *request, struct skill__offline_fill *out);

#endif
