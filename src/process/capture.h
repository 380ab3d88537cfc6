/* SPDX-License-Identifier: MIT
 *
 * Keeps the head and the tail of a stream within a bound, and counts the rest: what a program says first and last is
 * what matters of too long an output. Allocates as the output grows, never more than the bound.
 */
#ifndef SKILL_PROCESS_CAPTURE_H
#define SKILL_PROCESS_CAPTURE_H

#include "skillet/error.h"

struct skill__capture {
  char *data; /* the first `head` bytes, then a ring of `max - head` */
  size_t length;
  size_t capacity;
  size_t max;
  uint64_t total;
  int status; /* 0 or SKILL_ENOMEM, which sticks */
};

/* `max` of at least 2. */
void skill__capture_init(struct skill__capture *capture, size_t max);
void skill__capture_add(struct skill__capture *capture, const char *data, size_t length);

/* The text in one piece; where something was left out a line between head and tail says how many bytes, and both are
 * cut at characters. Owned: skill_free. NULL: out of memory. */
char *skill__capture_text(const struct skill__capture *capture, size_t *length);
void skill__capture_fini(struct skill__capture *capture);

#endif
