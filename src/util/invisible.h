/* SPDX-License-Identifier: MIT
 *
 * Characters that a model reads and a person does not see: zero-width characters, bidirectional controls, tags, and
 * control characters except line ends and tabs. For checks of files; prompts leave out more (context/clean.c).
 */
#ifndef SKILL_UTIL_INVISIBLE_H
#define SKILL_UTIL_INVISIBLE_H

#include <stddef.h>
#include <stdint.h>

/* Returns the number of such characters; *first (may be NULL) receives the first one, if any. A joiner between
 * characters beyond ASCII is ordinary text: emoji and some scripts need it. */
size_t skill__invisible_count(const char *text, size_t length, uint32_t *first);

#endif
