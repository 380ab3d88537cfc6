/* SPDX-License-Identifier: MIT
 *
 * Server-sent events: a stream gives the same events if it is read at once, byte by byte, or in pieces of seven bytes.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "net/sse.h"
#include "util/buf.h"

static int note(const char *event, const char *data, size_t length, void *user) {
  skill__buf_printf(user, "%s:%zu:", event, length);
  skill__buf_add(user, data, length);
  return 0;
}

static void read_in(const char *data, size_t size, size_t piece, struct skill__buf *out) {
  struct skill__sse sse;
  skill__sse_init(&sse, note, out);
  for (size_t at = 0; at < size; at += piece) {
    FUZZ_CHECK(skill__sse_feed(&sse, data + at, size - at < piece ? size - at : piece) == 0);
  }
  FUZZ_CHECK(skill__sse_end(&sse) == 0);
  skill__sse_fini(&sse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const size_t pieces[] = {65536, 1, 7};
  struct skill__buf out[3];
  if (size == 0 || size > 65536) return 0;
  for (size_t i = 0; i < 3; i++) {
    skill__buf_init(&out[i], 64u * 1024 * 1024);
    read_in((const char *)data, size, pieces[i], &out[i]);
    FUZZ_CHECK(out[i].length == out[0].length);
    if (out[0].length) FUZZ_CHECK(memcmp(out[i].data, out[0].data, out[0].length) == 0);
  }
  for (size_t i = 0; i < 3; i++) skill__buf_fini(&out[i]);
  return 0;
}
