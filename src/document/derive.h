/* SPDX-License-Identifier: MIT
 *
 * Title and description from the body, for files whose front matter has none.
 */
#ifndef SKILL_DOCUMENT_DERIVE_H
#define SKILL_DOCUMENT_DERIVE_H

#include "document/fields.h"

enum { SKILL__DERIVED_MAX = 1024 }; /* bytes of a derived description; cut above, at a word */

/* The text of the first heading; *out is NULL if there is none. 0 or SKILL_ENOMEM. */
int skill__derive_title(struct skill__arena *arena, const char *body, size_t length, const char **out);
/* The first paragraph of prose as one line: no heading, list marker, quote mark, table, code or HTML comment; a
 * heading if the body has no prose. *out is NULL if there is neither. 0 or SKILL_ENOMEM. */
int skill__derive_description(struct skill__arena *arena, const char *body, size_t length, const char **out);

#endif
