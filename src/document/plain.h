/* SPDX-License-Identifier: MIT
 *
 * A fast reader for the front matter that most skills have: "key: value" lines, lists and shallow mappings.
 *
 * It reads a strict subset of YAML and returns exactly what yaml.h returns for it, positions included. At the first
 * thing outside the subset it gives up, and libyaml reads the text. test/fuzz/plain_fuzz.c compares the two.
 */
#ifndef SKILL_DOCUMENT_PLAIN_H
#define SKILL_DOCUMENT_PLAIN_H

#include "document/value.h"

/* 1: read, *out is the mapping; 0: not in the subset; SKILL_ENOMEM. */
int skill__plain_read(struct skill__arena *arena, const char *text, size_t length, unsigned first_line,
                      struct skill__value **out);

#endif
