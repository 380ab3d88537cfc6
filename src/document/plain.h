/* SPDX-License-Identifier: MIT
 *
 * A scanner for the front matter that nearly every skill has: "key: value" lines, lists and shallow mappings.
 *
 * It reads a strict subset of YAML and gives exactly what yaml.h gives for it, positions included; at the first thing
 * it is not sure about it says so, and libyaml reads the text. test/fuzz/plain_fuzz.c compares the two.
 */
#ifndef SKILL_DOCUMENT_PLAIN_H
#define SKILL_DOCUMENT_PLAIN_H

#include "document/value.h"

/* 1: read, *out is the mapping; 0: not in the subset; SKILL_ENOMEM. */
int skill__plain_read(struct skill__arena *arena, const char *text, size_t length, unsigned first_line,
                      struct skill__value **out);

#endif
