/* SPDX-License-Identifier: MIT
 *
 * Names as people type them: case, blanks around and the separator between words do not matter. Nothing here fails.
 */
#include "rank/index/doc.h"

static bool separator(char c) {
  static const bool separators[256] = {
      ['\t'] = true, ['\n'] = true, ['\v'] = true, ['\f'] = true, ['\r'] = true, [' '] = true,
      ['-'] = true,  ['.'] = true,  ['/'] = true,  [':'] = true,  ['_'] = true};
  return separators[(unsigned char)c];
}

static char lower(char c) {
  return (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

/* The next character in comparable form: runs of separators are one '-'. 0 at the end, where separators are left out.
 */
static char next(const char **at, const char *end, bool first) {
  const char *p = *at;
  bool gap = false;
  while (p < end && separator(*p)) {
    gap = true;
    p++;
  }
  if (p >= end) {
    *at = p;
    return 0;
  }
  if (gap && !first) {
    *at = p;
    return '-';
  }
  *at = p + 1;
  return lower(*p);
}

static uint64_t step(uint64_t hash, char c) {
  return (hash ^ (unsigned char)c) * 0x100000001b3u;
}

/* Of what `next` gives; written out, since every skill that is added and every query comes by. */
uint32_t skill__name_hash(const char *name, size_t length) {
  uint64_t h = 0xcbf29ce484222325u;
  bool first = true, gap = false;
  for (size_t i = 0; i < length; i++) {
    if (separator(name[i])) {
      gap = !first;
      continue;
    }
    if (gap) h = step(h, '-');
    h = step(h, lower(name[i]));
    first = gap = false;
  }
  return (uint32_t)(h ^ (h >> 32));
}

bool skill__name_begins(const char *name, size_t length, const char *prefix, size_t prefix_length) {
  const char *end = name + length, *prefix_end = prefix + prefix_length;
  for (bool first = true;; first = false) {
    char want = next(&prefix, prefix_end, first);
    if (!want) return true;
    if (next(&name, end, first) != want) return false;
  }
}

bool skill__name_same(const char *a, size_t a_length, const char *b, size_t b_length) {
  const char *a_end = a + a_length, *b_end = b + b_length;
  for (bool first = true;; first = false) {
    char x = next(&a, a_end, first), y = next(&b, b_end, first);
    if (x != y) return false;
    if (!x) return true;
  }
}
