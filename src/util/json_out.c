/* SPDX-License-Identifier: MIT
 *
 * The JSON writer; see json_out.h.
 */
#include "util/json_out.h"

#include <stdarg.h>
#include <string.h>

void skill__json_open(struct skill__buf *buf, const char *key, const char *open) {
  if (buf->length && !strchr("{[:,\n", buf->data[buf->length - 1])) skill__buf_char(buf, ',');
  if (key) {
    skill__buf_json_text(buf, key);
    skill__buf_char(buf, ':');
  }
  skill__buf_text(buf, open);
}

void skill__json_close(struct skill__buf *buf, const char *close) {
  skill__buf_text(buf, close);
}

void skill__json_add_text(struct skill__buf *buf, const char *key, const char *text) {
  skill__json_open(buf, key, "");
  skill__buf_json_text(buf, text);
}

void skill__json_add_bytes(struct skill__buf *buf, const char *key, const char *text, size_t length) {
  skill__json_open(buf, key, "");
  skill__buf_json(buf, text, length);
}

void skill__json_add_texts(struct skill__buf *buf, const char *key, const char *const *texts, size_t count) {
  skill__json_open(buf, key, "[");
  for (size_t i = 0; i < count; i++) skill__json_add_text(buf, NULL, texts[i]);
  skill__json_close(buf, "]");
}

void skill__json_add_bool(struct skill__buf *buf, const char *key, bool value) {
  skill__json_open(buf, key, value ? "true" : "false");
}

void skill__json_add_size(struct skill__buf *buf, const char *key, uint64_t value) {
  skill__json_addf(buf, key, "%llu", (unsigned long long)value);
}

void skill__json_add_real(struct skill__buf *buf, const char *key, double value, int decimals) {
  skill__json_addf(buf, key, "%.*f", decimals, value);
}

void skill__json_add_raw(struct skill__buf *buf, const char *key, const char *json) {
  skill__json_open(buf, key, json ? json : "null");
}

void skill__json_addf(struct skill__buf *buf, const char *key, const char *format, ...) {
  va_list args;
  skill__json_open(buf, key, "");
  va_start(args, format);
  skill__buf_vprintf(buf, format, args);
  va_end(args);
}

void skill__json_add_sizes(struct skill__buf *buf, const struct skill__json_size *members, size_t count) {
  for (size_t i = 0; i < count; i++) skill__json_add_size(buf, members[i].key, members[i].value);
}

void skill__json_add_reals(struct skill__buf *buf, const struct skill__json_real *members, size_t count) {
  for (size_t i = 0; i < count; i++) skill__json_add_real(buf, members[i].key, members[i].value, members[i].decimals);
}
