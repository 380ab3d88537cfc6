/* SPDX-License-Identifier: MIT
 *
 * Keeps the head and the tail of a stream within a bound, and counts the rest: of a long output the beginning and the
 * end matter most. Allocates as the output grows, never more than the bound.
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
  int status; /* 0 or SKILL_ENOMEM, which is kept */
};

/* `max` of at least 2. */
void skill__capture_init(struct skill__capture *capture, size_t max);
void skill__capture_add(struct skill__capture *capture, const char *data, size_t length);

/* The text. If bytes were left out, a line between head and tail states how many; both are cut at characters. Owned:
 * skill_free. NULL: out of memory. */
char *skill__capture_text(const struct skill__capture *capture, size_t *length);
void skill__capture_fini(struct skill__capture *capture);

#endif
