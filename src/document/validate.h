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
 * SKILL_MAX_NAME bytes, neither "." nor "..". *out is NULL if nothing is left. Adds a finding if it changed the text.
 * 0 or SKILL_ENOMEM. */
int skill__validate_usable(struct skill__fields *fields, const char *name, const char **out);

/* Adds a finding if a text (may be NULL) has invisible characters; `what` names the text. */
void skill__validate_visible(struct skill__fields *fields, const char *what, const char *text, struct skill__place at);

/* Adds a finding for each violation of the specification. `folder` may be NULL. */
void skill__validate(struct skill__fields *fields, const char *folder);

#endif
