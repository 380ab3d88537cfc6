/* SPDX-License-Identifier: MIT
 *
 * Names and texts against the public Agent Skills specification.
 */
#ifndef SKILL_DOCUMENT_VALIDATE_H
#define SKILL_DOCUMENT_VALIDATE_H

#include "document/fields.h"

enum { SKILL__SPEC_NAME = 64, SKILL__SPEC_DESCRIPTION = 1024, SKILL__SPEC_COMPATIBILITY = 500 }; /* characters */

/* Returns what is wrong with a name by the specification, or NULL: 1 to 64 characters after NFKC, lower-case letters
 * and digits of any script and single hyphens, none at either end. Static text. */
const char *skill__validate_name(const char *name);

/* Makes a text usable as a name for the registry: trimmed, without control characters and '/', at most
 * SKILL_MAX_NAME bytes, neither "." nor "..". NULL in *out where nothing is left. Tells what it changed.
 * 0 or SKILL_ENOMEM. */
int skill__validate_usable(struct skill__fields *fields, const char *name, const char **out);

/* Tells of invisible characters in a text (may be NULL); `what` names it. */
void skill__validate_visible(struct skill__fields *fields, const char *what, const char *text, struct skill__place at);

/* Tells what of the metadata departs from the specification. `folder` may be NULL. */
void skill__validate(struct skill__fields *fields, const char *folder);

#endif
