/* SPDX-License-Identifier: MIT
 *
 * What the parts of the schema compiler share: schema.c walks the document, schema_keywords.c reads each keyword,
 * schema_ref.c finds what a reference names.
 */
#ifndef SKILL_GATEWAY_SCHEMA_COMPILE_H
#define SKILL_GATEWAY_SCHEMA_COMPILE_H

#include "gateway/schema_internal.h"

struct skill__schema_place;

/* A step on the way to the keyword in hand, for messages. */
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
  bool siblings_ignored; /* drafts up to 07: nothing beside $ref counts */
  SkillError *err;
};

/* Reads the value of one keyword into the node. */
typedef int (*skill__schema_reader_fn)(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                                       const struct skill__schema_step *at);

/* The node of a subschema, made or met again; SKILL_EINVAL, SKILL_EUNSUPPORTED, SKILL_ELIMIT, SKILL_ENOMEM. */
int skill__schema_node(struct skill__schema_compiler *c, const cJSON *value, const struct skill__schema_step *at,
                       struct skill__node **out);

/* The error `code` with the place and what is wrong there; returns the code. */
int skill__schema_refuse(struct skill__schema_compiler *c, int code, const struct skill__schema_step *at,
                         const char *what);

/* What is not checked: refused when strict, else the place is noted. */
int skill__schema_remark(struct skill__schema_compiler *c, const struct skill__schema_step *at, const char *what);

/* The keyword's reader; NULL: not supported. */
skill__schema_reader_fn skill__schema_reader(const char *keyword);

/* The reader of $ref: the node it names inside the document. */
int skill__schema_ref(struct skill__schema_compiler *c, struct skill__node *node, const cJSON *value,
                      const struct skill__schema_step *at);

#endif
