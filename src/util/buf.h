/* SPDX-License-Identifier: MIT
 *
 * A growable byte buffer with a limit. After the first failure, appends do nothing and skill__buf_status() returns its
 * code, so that a writer checks once, at the end.
 */
#ifndef SKILL_UTIL_BUF_H
#define SKILL_UTIL_BUF_H

#include <stdarg.h>

#include "skillet/error.h"

struct skill__buf {
  char *data; /* NUL-terminated once something was appended; may be NULL */
  size_t length;
  size_t capacity;
  size_t max; /* bytes; an append beyond it sets SKILL_ELIMIT */
  int status; /* 0, SKILL_ENOMEM or SKILL_ELIMIT */
};

void skill__buf_init(struct skill__buf *buf, size_t max);
void skill__buf_fini(struct skill__buf *buf);
void skill__buf_clear(struct skill__buf *buf); /* keeps the memory, resets the status */
void skill__buf_add(struct skill__buf *buf, const void *data, size_t length);
void skill__buf_text(struct skill__buf *buf, const char *text); /* NULL adds nothing */
void skill__buf_char(struct skill__buf *buf, char c);
void skill__buf_printf(struct skill__buf *buf, const char *format, ...) SKILL_PRINTF(2, 3);
void skill__buf_vprintf(struct skill__buf *buf, const char *format, va_list args) SKILL_PRINTF(2, 0);

/* Appends text; each NUL and each byte of invalid UTF-8 becomes U+FFFD. */
void skill__buf_clean(struct skill__buf *buf, const char *text, size_t length);

/* Appends text as a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD, so the output is always valid. */
void skill__buf_json(struct skill__buf *buf, const char *text, size_t length);
void skill__buf_json_text(struct skill__buf *buf, const char *text); /* NULL: null */

/* Returns the text, owned: release with skill_free, and ends the buffer as skill__buf_fini does. NULL if the status is
 * not 0; an empty buffer gives "". */
char *skill__buf_take(struct skill__buf *buf, size_t *length);

/* The same with the status as result. On failure *out is unchanged. */
int skill__buf_finish(struct skill__buf *buf, char **out, size_t *length);

static inline int skill__buf_status(const struct skill__buf *buf) {
  return buf->status;
}

#endif
