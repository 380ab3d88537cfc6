/* SPDX-License-Identifier: MIT
 *
 * Reads YAML with libyaml, with limits on depth, nodes and what aliases repeat.
 */
#ifndef SKILL_DOCUMENT_YAML_H
#define SKILL_DOCUMENT_YAML_H

#include "document/value.h"

struct skill__yaml_error {
  unsigned line; /* 1-based, of the text given plus first_line - 1 */
  unsigned column;
  bool limit; /* a limit, not a syntax error */
  char message[160];
};

/* Reads exactly one document. `first_line` is the line of the file on which the text begins. 0; SKILL_EPARSE with
 * *error; SKILL_ENOMEM. *out is NULL for an empty document. */
int skill__yaml_read(struct skill__arena *arena, const char *text, size_t length, unsigned first_line,
                     struct skill__value **out, struct skill__yaml_error *error);

#endif
