/* SPDX-License-Identifier: MIT
 *
 * From front matter text to a mapping, whatever state the text is in.
 */
#ifndef SKILL_DOCUMENT_RECOVER_H
#define SKILL_DOCUMENT_RECOVER_H

#include "document/diagnostic.h"
#include "document/value.h"

/* Reads front matter; tells what it assumed. *out is NULL where nothing usable is there. 0 or SKILL_ENOMEM. */
int skill__recover_read(struct skill__arena *arena, const char *head, size_t length, unsigned first_line,
                        struct skill__findings *findings, struct skill__value **out);

/* Appends the text that the ladder's mending rung would read: equal to `head` where that is valid YAML. 0;
 * SKILL_EPARSE where the whole cannot be mended, or only by a choice that is not ours (a merge conflict);
 * SKILL_ENOMEM. */
int skill__recover_mended(struct skill__arena *arena, const char *head, size_t length, struct skill__buf *out);

#endif
