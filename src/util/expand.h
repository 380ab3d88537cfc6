/* SPDX-License-Identifier: MIT
 *
 * "~" and variables in paths that a person configured. The environment is the caller's, since the core has none.
 */
#ifndef SKILL_UTIL_EXPAND_H
#define SKILL_UTIL_EXPAND_H

#include "skillet/error.h"

/* The value of a variable, borrowed until the next call; NULL: not set. */
typedef const char *(*skill__variable_fn)(const char *name);

/* Rewrites `text` into `out` (`size` bytes), once: what a variable holds is not looked into.
 *
 *   ~ and ~/ at the beginning   $HOME
 *   $NAME, ${NAME}              the variable; a name is letters, digits and _, not beginning with a digit
 *   $$                          one $
 *
 * Anything else is unchanged, for example "~name" and "a$"; "./~" and "$$NAME" write the others literally.
 * SKILL_EINVAL: a variable is not set or is empty, or "${" is not closed; SKILL_ELIMIT: the path is too long. */
int skill__expand(const char *text, skill__variable_fn variable, char *out, size_t size, SkillError *err);

/* Whether skill__expand would change it. */
bool skill__expandable(const char *text);

#endif
