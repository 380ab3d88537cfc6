/* SPDX-License-Identifier: MIT
 *
 * Growable buffer; see buf.h.
 */
#include "util/buf.h"

#include <stdio.h>
#include <string.h>

#include "util/alloc.h"
#include "util/utf8.h"

void skill__buf_init(struct skill__buf *buf, size_t max) {
  memset(buf, 0, sizeof *buf);
  buf->max = max;
}

void skill__buf_fini(struct skill__buf *buf) {
  skill__free(buf->data);
  skill__buf_init(buf, buf->max);
}

void skill__buf_clear(struct skill__buf *buf) {
  buf->length = 0;
  buf->status = 0;
  if (buf->data) buf->data[0] = '\0';
}

static bool reserve(struct skill__buf *buf, size_t more) {
  if (buf->status) return false;
  if (more > buf->max - buf->length) {
    buf->status = SKILL_ELIMIT;
    return false;
  }
  buf->status = SKILL__GROW(buf->data, buf->capacity, buf->length + more + 1);
  return buf->status == 0;
}

void skill__buf_add(struct skill__buf *buf, const void *data, size_t length) {
  if (!reserve(buf, length)) return;
  if (length) memcpy(buf->data + buf->length, data, length);
  buf->length += length;
  buf->data[buf->length] = '\0';
}

void skill__buf_text(struct skill__buf *buf, const char *text) {
  if (text) skill__buf_add(buf, text, strlen(text));
}

void skill__buf_char(struct skill__buf *buf, char c) {
  skill__buf_add(buf, &c, 1);
}

void skill__buf_vprintf(struct skill__buf *buf, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int need = vsnprintf(NULL, 0, format, args);
  if (need >= 0 && reserve(buf, (size_t)need)) {
    vsnprintf(buf->data + buf->length, (size_t)need + 1, format, again);
    buf->length += (size_t)need;
  }
  va_end(again);
}

void skill__buf_printf(struct skill__buf *buf, const char *format, ...) {
  va_list args;
  va_start(args, format);
  skill__buf_vprintf(buf, format, args);
  va_end(args);
}

void skill__buf_clean(struct skill__buf *buf, const char *text, size_t length) {
  size_t start = 0;
  for (size_t i = 0; i < length;) {
    size_t step = text[i] ? skill__utf8_length(text + i, length - i) : 0;
    i += step;
    if (step) continue;
    skill__buf_add(buf, text + start, i - start);
    skill__buf_text(buf, "\xef\xbf\xbd");
    start = ++i;
  }
  skill__buf_add(buf, text + start, length - start);
}

static void json_escape(struct skill__buf *buf, unsigned char c) {
  static const char *const shorthand = "\"\"\\\\\bb\ff\nn\rr\tt";
  for (const char *s = shorthand; *s; s += 2) {
    if ((unsigned char)*s != c) continue;
    char pair[2] = {'\\', s[1]};
    skill__buf_add(buf, pair, 2);
    return;
  }
  skill__buf_printf(buf, "\\u%04x", c);
}

void skill__buf_json(struct skill__buf *buf, const char *text, size_t length) {
  skill__buf_char(buf, '"');
  size_t start = 0;
  size_t i = 0;
  while (i < length) {
    unsigned char c = (unsigned char)text[i];
    size_t step = c < 0x80 ? 1 : skill__utf8_length(text + i, length - i);
    bool plain = c < 0x80 ? c >= 0x20 && c != '"' && c != '\\' && c != 0x7f : step > 0;
    if (plain) {
      i += step;
      continue;
    }
    skill__buf_add(buf, text + start, i - start);
    if (c < 0x80) {
      json_escape(buf, c);
    } else {
      skill__buf_text(buf, "\xef\xbf\xbd");
    }
    start = ++i;
  }
  skill__buf_add(buf, text + start, length - start);
  skill__buf_char(buf, '"');
}

void skill__buf_json_text(struct skill__buf *buf, const char *text) {
  if (text) {
    skill__buf_json(buf, text, strlen(text));
  } else {
    skill__buf_text(buf, "null");
  }
}

char *skill__buf_take(struct skill__buf *buf, size_t *length) {
  skill__buf_add(buf, "", 0);
  char *data = buf->status ? NULL : buf->data;
  if (!data) skill__free(buf->data);
  if (data && length) *length = buf->length;
  *buf = (struct skill__buf){.max = buf->max, .status = buf->status};
  return data;
}

int skill__buf_finish(struct skill__buf *buf, char **out, size_t *length) {
  char *text = skill__buf_take(buf, length);
  if (text) *out = text;
  return buf->status;
}
