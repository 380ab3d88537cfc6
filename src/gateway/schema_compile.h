/* SPDX-License-Identifier: MIT
 *
 * What the parts of the schema compiler share: schema.c walks the document, schema_keywords.c reads each keyword,
 * schema_ref.c finds the target of a reference. They call each other, as a schema contains schemas.
 */
#ifndef SKILL_GATEWAY_SCHEMA_COMPILE_H
#define SKILL_GATEWAY_SCHEMA_COMPILE_H

#include "gateway/schema_internal.h"

struct skill__schema_place;

/* The path to the value that is being read, from the inside to the root; for messages. */
struct skill__schema_step {
  const struct skill__schema_step *up;
  const char *key;
};

struct skill__schema_compiler {
  struct skill__schema *schema;
  struct skill__schema_place *places;
  size_t nodes;
  size_t depth;
  bool strict;
  bool siblings_ignored; /* drafts up to 07: the keywords beside $ref have no effect */
  SkillError *err;
};

/* The node of a subschema, created or found. SKILL_EINVAL, SKILL_EUNSUPPORTED, SKILL_ELIMIT, SKILL_ENOMEM. */
int skill__schema_node(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                       struct skill__schema_node **out);

/* Reads the value of the keyword at->key into the node. */
int skill__schema_keyword(struct skill__schema_compiler *c, struct skill__schema_node *node, const cJSON *value,
                          const struct skill__schema_step *at);

/* Sets the error `status` with the place and what is wrong there; returns the status. */
int skill__schema_refuse(struct skill__schema_compiler *c, int status, const struct skill__schema_step *at,
                         const char *what);

/* For what is not checked: SKILL_EUNSUPPORTED in strict mode, else 0. */
int skill__schema_unsupported(struct skill__schema_compiler *c, const struct skill__schema_step *at, const char *what);

/* Reads a $ref into *member, a struct skill__schema_node *: the node it names, inside the document. */
int skill__schema_ref(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                      void *member);

#endif
