/* SPDX-License-Identifier: MIT
 *
 * The one rule for names of tools that providers accept.
 */
#ifndef SKILL_MODEL_TOOL_NAME_H
#define SKILL_MODEL_TOOL_NAME_H

#include <stdbool.h>

#define SKILL__TOOL_NAME 65 /* bytes of an accepted name, with the NUL */

/* Providers accept 1 to 64 letters, digits, '_' and '-'. Other ASCII characters become '_', characters beyond ASCII are
 * dropped. A name that is cut, empty or lost a character ends with a hash of the whole name, so that two names stay
 * different; if `distinct`, so does a name in which a character became '_'. A caller that knows the names in use can
 * do without. The same name always gives the same result. */
void skill__tool_name_fit(const char *name, bool distinct, char out[SKILL__TOOL_NAME]);

#endif
