/* SPDX-License-Identifier: MIT
 *
 * Server-sent events by the WHATWG rules: any line end, input divided anywhere, comments, several data lines.
 */
#ifndef SKILL_NET_SSE_H
#define SKILL_NET_SSE_H

#include "util/buf.h"

#define SKILL__SSE_MAX (16 * 1024 * 1024) /* bytes of one event's data, and of one line */

struct skill__sse {
  struct skill__buf line;
  struct skill__buf data;
  char event[64]; /* its name, truncated; "" if the stream has none */
  bool has_data;
  bool after_cr;
  bool started; /* past the byte-order mark */
  /* An event; an error ends the reading. `data` is NUL-terminated. */
  int (*on_event)(const char *event, const char *data, size_t length, void *user);
  void *user;
};

void skill__sse_init(struct skill__sse *sse,
                     int (*on_event)(const char *event, const char *data, size_t length, void *user), void *user);
void skill__sse_fini(struct skill__sse *sse);

/* Reads a part of the stream. SKILL_ELIMIT, SKILL_ENOMEM, or the error of on_event. */
int skill__sse_feed(struct skill__sse *sse, const char *data, size_t length);

/* The end of the stream: reports an event that lacks only its final empty line. */
int skill__sse_end(struct skill__sse *sse);

#endif
