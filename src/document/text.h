/* SPDX-License-Identifier: MIT
 *
 * A file's bytes -> UTF-8 with LF line ends and without NUL.
 */
#ifndef SKILL_DOCUMENT_TEXT_H
#define SKILL_DOCUMENT_TEXT_H

#include "document/diagnostic.h"

/* Converts; tells what it assumed. `prefix`: the bytes may end in the middle of a character, which is cut off.
 * *out is owned: skill__free; NUL-terminated beyond *out_length. 0 or SKILL_ENOMEM. */
int skill__text_convert(const char *bytes, size_t length, bool prefix, struct skill__findings *findings, char **out,
                        size_t *out_length);

#endif
