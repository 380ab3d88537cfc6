/* SPDX-License-Identifier: MIT
 *
 * Bounded capture; see capture.h.
 */
#include "process/capture.h"

#include <inttypes.h>
#include <string.h>

#include "util/alloc.h"
#include "util/buf.h"
#include "util/utf8.h"

void skill__capture_init(struct skill__capture *capture, size_t max) {
  memset(capture, 0, sizeof *capture);
  capture->max = max < 2 ? 2 : max;
}

void skill__capture_fini(struct skill__capture *capture) {
  skill__free(capture->data);
  memset(capture, 0, sizeof *capture);
}

static size_t head_size(const struct skill__capture *capture) {
  return capture->max - capture->max / 2;
}

/* Bytes beyond the bound overwrite the second half, a ring. */
static void ring(struct skill__capture *capture, const char *data, size_t length) {
  size_t head = head_size(capture);
  size_t size = capture->max - head;
  if (length > size) {
    capture->total += length - size;
    data += length - size;
    length = size;
  }
  size_t at = (size_t)((capture->total - head) % size);
  size_t first = length < size - at ? length : size - at;
  memcpy(capture->data + head + at, data, first);
  memcpy(capture->data + head, data + first, length - first);
  capture->total += length;
}

void skill__capture_add(struct skill__capture *capture, const char *data, size_t length) {
  size_t room = capture->max - capture->length;
  size_t linear = length < room ? length : room;
  if (!capture->status) capture->status = SKILL__GROW(capture->data, capture->capacity, capture->length + linear);
  if (capture->status) {
    capture->total += length;
    return;
  }
  if (linear) memcpy(capture->data + capture->length, data, linear);
  capture->length += linear;
  capture->total += linear;
  if (length > linear) ring(capture, data + linear, length - linear);
}

/* The first start of a character at or after `at`, within three bytes. */
static size_t boundary_after(const char *text, size_t length, size_t at) {
  for (size_t i = 0; i < 4 && at < length && ((unsigned char)text[at] & 0xC0) == 0x80; i++) at++;
  return at;
}

char *skill__capture_text(const struct skill__capture *capture, size_t *length) {
  struct skill__buf buf;
  skill__buf_init(&buf, capture->max + 128);
  if (capture->total <= capture->max) {
    skill__buf_add(&buf, capture->data, capture->length);
    return skill__buf_take(&buf, length);
  }
  size_t head = head_size(capture);
  size_t size = capture->max - head;
  size_t at = (size_t)((capture->total - head) % size);
  char *tail = skill__malloc(size);
  if (!tail) return NULL;
  memcpy(tail, capture->data + head + at, size - at);
  memcpy(tail + size - at, capture->data + head, at);
  size_t kept = skill__utf8_floor(capture->data, head);
  size_t from = boundary_after(tail, size, 0);
  skill__buf_add(&buf, capture->data, kept);
  skill__buf_printf(&buf, "\n[... %" PRIu64 " bytes left out ...]\n", capture->total - kept - (size - from));
  skill__buf_add(&buf, tail + from, size - from);
  skill__free(tail);
  return skill__buf_take(&buf, length);
}
