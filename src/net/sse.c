/* SPDX-License-Identifier: MIT
 *
 * Server-sent events; see sse.h. A line that is complete in the input is read in place; only a divided one is copied.
 */
#include "net/sse.h"

#include <string.h>

void skill__sse_init(struct skill__sse *sse,
                     int (*on_event)(const char *event, const char *data, size_t length, void *user), void *user) {
  memset(sse, 0, sizeof *sse);
  skill__buf_init(&sse->line, SKILL__SSE_MAX);
  skill__buf_init(&sse->data, SKILL__SSE_MAX);
  sse->on_event = on_event;
  sse->user = user;
}

void skill__sse_fini(struct skill__sse *sse) {
  skill__buf_fini(&sse->line);
  skill__buf_fini(&sse->data);
}

static int dispatch(struct skill__sse *sse) {
  int status = skill__buf_status(&sse->data);
  if (!status && sse->has_data)
    status = sse->on_event(sse->event, sse->data.data ? sse->data.data : "", sse->data.length, sse->user);
  skill__buf_clear(&sse->data);
  sse->has_data = false;
  sse->event[0] = '\0';
  return status;
}

static int field(struct skill__sse *sse, const char *line, size_t length) {
  const char *colon = memchr(line, ':', length);
  size_t name = colon ? (size_t)(colon - line) : length;
  const char *value = colon ? colon + 1 : line + length;
  size_t size = (size_t)(line + length - value);
  if (size && *value == ' ') value++, size--;
  if (name == 4 && memcmp(line, "data", 4) == 0) {
    if (sse->has_data) skill__buf_char(&sse->data, '\n');
    skill__buf_add(&sse->data, value, size);
    sse->has_data = true;
  } else if (name == 5 && memcmp(line, "event", 5) == 0) {
    if (size >= sizeof sse->event) size = sizeof sse->event - 1;
    memcpy(sse->event, value, size);
    sse->event[size] = '\0';
  } /* comments (no name), id and retry are not used */
  return skill__buf_status(&sse->data);
}

static int line_end(struct skill__sse *sse, const char *line, size_t length) {
  if (!sse->started && length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) line += 3, length -= 3;
  sse->started = true;
  return length ? field(sse, line, length) : dispatch(sse);
}

/* The first line end of [p, end), or NULL. */
static const char *find_end(const char *p, const char *end) {
  while (p < end && *p != '\n' && *p != '\r') p++;
  return p < end ? p : NULL;
}

int skill__sse_feed(struct skill__sse *sse, const char *data, size_t length) {
  const char *p = data;
  const char *end = data + length;
  while (p < end) {
    if (sse->after_cr && *p == '\n') p++; /* the second half of CR LF */
    sse->after_cr = false;
    const char *stop = find_end(p, end);
    if (!stop || sse->line.length) {
      skill__buf_add(&sse->line, p, (size_t)((stop ? stop : end) - p));
      if (skill__buf_status(&sse->line)) return skill__buf_status(&sse->line);
    }
    if (!stop) return 0;
    int status =
        sse->line.length ? line_end(sse, sse->line.data, sse->line.length) : line_end(sse, p, (size_t)(stop - p));
    skill__buf_clear(&sse->line);
    if (status) return status;
    sse->after_cr = *stop == '\r';
    p = stop + 1;
  }
  return 0;
}

int skill__sse_end(struct skill__sse *sse) {
  int status = 0;
  if (sse->line.length) status = line_end(sse, sse->line.data, sse->line.length);
  skill__buf_clear(&sse->line);
  return status ? status : dispatch(sse);
}
