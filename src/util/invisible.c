/* SPDX-License-Identifier: MIT
 *
 * Finding invisible characters; see invisible.h. Nothing here fails; what is not UTF-8 is passed over.
 */
#include "util/invisible.h"

#include <stdbool.h>

#include "util/utf8.h"

enum { JOINER_BYTES = 3, NON_JOINER = 0x200c, JOINER = 0x200d };

static bool invisible(uint32_t rune) {
  return (rune >= 0x7f && rune < 0xa0) || (rune >= 0x200b && rune <= 0x200f) || (rune >= 0x202a && rune <= 0x202e) ||
         (rune >= 0x2060 && rune <= 0x206f) || rune == 0xfeff || rune == 0x00ad || rune == 0x061c || rune == 0x180e ||
         (rune >= 0xe0000 && rune <= 0xe0fff) || (rune >= 0xfff9 && rune <= 0xfffb);
}

static bool joins(const char *text, size_t at, size_t length) {
  uint32_t next = 0;
  if (at == 0 || !skill__utf8_decode(text + at + JOINER_BYTES, length - at - JOINER_BYTES, &next)) return false;
  return (unsigned char)text[at - 1] >= 0x80 && next >= 0x80 && !invisible(next);
}

static bool control(unsigned char c) {
  return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

/* Of ASCII characters; counting first costs next to nothing where there are none. */
static size_t controls(const char *text, size_t length, uint32_t *first) {
  size_t found = 0;
  for (size_t i = 0; i < length; i++) found += control((unsigned char)text[i]);
  for (size_t i = 0; found && first; i++) {
    if (!control((unsigned char)text[i])) continue;
    *first = (unsigned char)text[i];
    break;
  }
  return found;
}

size_t skill__invisible_count(const char *text, size_t length, uint32_t *first) {
  size_t found = 0;
  for (size_t i = 0; i < length;) {
    size_t ascii = skill__utf8_ascii(text + i, length - i);
    found += controls(text + i, ascii, found ? NULL : first);
    i += ascii;
    if (i == length) break;
    uint32_t rune = 0;
    size_t n = skill__utf8_decode(text + i, length - i, &rune);
    bool ordinary = !n || !invisible(rune) || ((rune == JOINER || rune == NON_JOINER) && joins(text, i, length));
    if (!ordinary && !found++ && first) *first = rune;
    i += n ? n : 1;
  }
  return found;
}
