/* SPDX-License-Identifier: MIT
 *
 * Reads front matter into a mapping, also if it is not valid YAML.
 */
#ifndef SKILL_DOCUMENT_RECOVER_H
#define SKILL_DOCUMENT_RECOVER_H

#include "document/diagnostic.h"
#include "document/value.h"

/* Reads front matter and adds a finding for each assumption. *out is NULL if nothing is usable. 0 or SKILL_ENOMEM. */
int skill__recover_read(struct skill__arena *arena, const char *head, size_t length, unsigned first_line,
                        struct skill__findings *findings, struct skill__value **out);

/* Appends the front matter as valid YAML: unchanged if it is valid, else with its lines corrected. 0; SKILL_EPARSE: it
 * cannot be corrected, or only by a choice of its author (a merge conflict); SKILL_ENOMEM. */
int skill__recover_mended(struct skill__arena *arena, const char *head, size_t length, struct skill__buf *out);

#endif
