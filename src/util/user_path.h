/* SPDX-License-Identifier: MIT
 *
 * Files that the program keeps for its user.
 */
#ifndef SKILL_UTIL_USER_PATH_H
#define SKILL_UTIL_USER_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* Writes "$VARIABLE/skillet/LEAF", or "$HOME/BELOW_HOME/skillet/LEAF" if the variable is no absolute path. Returns
 * false, and writes "", if there is no such folder or the path does not fit. */
bool skill__user_path(const char *variable, const char *below_home, const char *leaf, char *out, size_t size);

#endif
