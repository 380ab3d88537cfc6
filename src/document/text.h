/* SPDX-License-Identifier: MIT
 *
 * Converts a file's bytes to UTF-8 with LF line ends and without NUL.
 */
#ifndef SKILL_DOCUMENT_TEXT_H
#define SKILL_DOCUMENT_TEXT_H

#include "document/diagnostic.h"

/* Converts, and adds a finding for each assumption. `prefix`: the bytes may end in the middle of a character, which is
 * dropped. *out is owned: skill__free; a NUL follows its *out_length bytes. 0 or SKILL_ENOMEM. */
int skill__text_convert(const char *bytes, size_t length, bool prefix, struct skill__findings *findings, char **out,
                        size_t *out_length);

#endif
