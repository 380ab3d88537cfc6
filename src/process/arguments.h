/* SPDX-License-Identifier: MIT
 *
 * The arguments of a tool call (JSON) as a command line and standard input; docs/scripts.md is the reference.
 */
#ifndef SKILL_PROCESS_ARGUMENTS_H
#define SKILL_PROCESS_ARGUMENTS_H

#include "process/environ.h"
#include "util/buf.h"

/* Appends the arguments of `json` (an object, an array of positional values, or NULL) to `argv`, by `schema` (JSON
 * text, may be NULL). Values for standard input are written to `input`, and *has_input is set if there are any.
 * SKILL_EPARSE (not JSON, neither object nor array, a duplicate key), SKILL_EINVAL (a value that cannot be on a command
 * line), SKILL_ELIMIT, SKILL_ENOMEM. */
int skill__arguments_map(const char *json, const char *schema, struct skill__argv *argv, struct skill__buf *input,
                         bool *has_input, SkillError *err);

#endif
