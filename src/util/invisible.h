/* SPDX-License-Identifier: MIT
 *
 * Characters that a reader does not see and a model does: zero-width ones, bidirectional controls, tags, and control
 * characters but for line ends and tabs. Who checks
 * files for them asks here; who leaves them out of a prompt leaves out more (context/clean.c).
 */
#ifndef SKILL_UTIL_INVISIBLE_H
#define SKILL_UTIL_INVISIBLE_H

#include <stddef.h>
#include <stdint.h>

/* How many there are; *first (may be NULL) is set where it is not 0. A joiner between characters beyond ASCII is
 * ordinary text: emoji and some scripts need it. */
size_t skill__invisible_count(const char *text, size_t length, uint32_t *first);

#endif
