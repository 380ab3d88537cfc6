/* SPDX-License-Identifier: MIT
 *
 * Names as people type them: case, blanks at the ends and the kind of separator do not matter. Nothing here fails.
 */
#include "rank/index/doc.h"
#include "util/hash.h"

static bool separator(char c) {
  static const bool separators[256] = {
      ['\t'] = true, ['\n'] = true, ['\v'] = true, ['\f'] = true, ['\r'] = true, [' '] = true,
      ['-'] = true,  ['.'] = true,  ['/'] = true,  [':'] = true,  ['_'] = true};
  return separators[(unsigned char)c];
}

static char lower(char c) {
  return (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

/* The next character in comparable form: a run of separators is one '-'. 0 at the end; separators at the end are left
 * out. */
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

uint32_t skill__name_hash(const char *name, size_t length) {
  const char *end = name + length;
  uint64_t h = SKILL__HASH_START;
  char c;
  for (bool first = true; (c = next(&name, end, first)) != 0; first = false) h = skill__hash_add(h, &c, 1);
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
