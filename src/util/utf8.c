/* SPDX-License-Identifier: MIT
 *
 * See utf8.h. Decoding follows table 3-7 of the Unicode standard; it is inlined here because utf8proc_iterate() cannot
 * be, and scans and token counts decode every character.
 */
#include "util/utf8.h"

#include <string.h>
#include <utf8proc.h>

static bool follows(unsigned char c, unsigned char low, unsigned char high) {
  return c >= low && c <= high;
}

size_t skill__utf8_length(const char *text, size_t length) {
  const unsigned char *s = (const unsigned char *)text;
  if (!length) return 0;
  if (s[0] < 0x80) return 1;
  if (s[0] < 0xc2 || s[0] > 0xf4 || length < 2) return 0;
  if (s[0] < 0xe0) return follows(s[1], 0x80, 0xbf) ? 2 : 0;
  unsigned char low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
  unsigned char high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
  if (!follows(s[1], low, high) || length < 3 || !follows(s[2], 0x80, 0xbf)) return 0;
  if (s[0] < 0xf0) return 3;
  return length >= 4 && follows(s[3], 0x80, 0xbf) ? 4 : 0;
}

size_t skill__utf8_decode(const char *text, size_t length, uint32_t *rune) {
  const unsigned char *s = (const unsigned char *)text;
  size_t n = skill__utf8_length(text, length);
  if (n == 1) *rune = s[0];
  if (n == 2) *rune = (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu);
  if (n == 3) *rune = (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
  if (n == 4) *rune = (s[0] & 0x07u) << 18 | (s[1] & 0x3fu) << 12 | (s[2] & 0x3fu) << 6 | (s[3] & 0x3fu);
  return n;
}

size_t skill__utf8_ascii(const char *text, size_t length) {
  size_t i = 0;
  uint64_t word;
  while (length - i >= sizeof word) {
    memcpy(&word, text + i, sizeof word);
    if (word & 0x8080808080808080u) break;
    i += sizeof word;
  }
  while (i < length && (unsigned char)text[i] < 0x80) i++;
  return i;
}

size_t skill__utf8_valid(const char *text, size_t length) {
  size_t i = 0;
  while (i < length) {
    i += skill__utf8_ascii(text + i, length - i);
    if (i == length) break;
    size_t n = skill__utf8_length(text + i, length - i);
    if (!n) break;
    i += n;
  }
  return i;
}

size_t skill__utf8_floor(const char *text, size_t at) {
  size_t back = 0;
  while (back < 3 && back < at && ((unsigned char)text[at - back] & 0xc0) == 0x80) back++;
  return ((unsigned char)text[at - back] & 0xc0) == 0x80 ? at : at - back;
}

size_t skill__utf8_count(const char *text, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++) count += ((unsigned char)text[i] & 0xc0) != 0x80;
  return count;
}

size_t skill__utf8_columns(const char *text, size_t length) {
  size_t columns = 0;
  size_t i = 0;
  while (i < length) {
    uint32_t rune = 0;
    size_t n = skill__utf8_decode(text + i, length - i, &rune);
    int width = n ? utf8proc_charwidth((utf8proc_int32_t)rune) : 1;
    columns += width > 0 ? (size_t)width : 0;
    i += n ? n : 1;
  }
  return columns;
}
