/* SPDX-License-Identifier: MIT
 *
 * Finds the end of a JSON value without building it: strict, without memory, never below 0 or beyond the text. What
 * cannot be read as JSON has the length 0.
 */
#include <string.h>

#include "util/json.h"

struct scan {
  const char *p;
  const char *end;
  unsigned depth;
};

static void skip_blanks(struct scan *s) {
  while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r')) s->p++;
}

static bool digits(struct scan *s) {
  const char *from = s->p;
  while (s->p < s->end && *s->p >= '0' && *s->p <= '9') s->p++;
  return s->p > from;
}

static bool scan_number(struct scan *s) {
  if (s->p < s->end && *s->p == '-') s->p++;
  if (s->p < s->end && *s->p == '0') {
    s->p++;
  } else if (!digits(s)) {
    return false;
  }
  if (s->p < s->end && *s->p == '.') {
    s->p++;
    if (!digits(s)) return false;
  }
  if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
    s->p++;
    if (s->p < s->end && (*s->p == '+' || *s->p == '-')) s->p++;
    if (!digits(s)) return false;
  }
  return true;
}

static bool scan_string(struct scan *s) {
  for (s->p++; s->p < s->end; s->p++) {
    unsigned char c = (unsigned char)*s->p;
    if (c == '"') {
      s->p++;
      return true;
    }
    if (c < 0x20) return false;
    if (c != '\\') continue;
    if (++s->p >= s->end || !strchr("\"\\/bfnrtu", *s->p) || !*s->p) return false;
    if (*s->p != 'u') continue;
    if (s->end - s->p < 5) return false;
    for (int i = 1; i <= 4; i++) {
      if (!s->p[i] || !strchr("0123456789abcdefABCDEF", s->p[i])) return false;
    }
    s->p += 4;
  }
  return false;
}

static bool scan_word(struct scan *s, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(s->end - s->p) < length || memcmp(s->p, word, length) != 0) return false;
  s->p += length;
  return true;
}

static bool scan_value(struct scan *s);

static bool scan_nested(struct scan *s, char close) {
  if (++s->depth > SKILL__JSON_NESTING) return false;
  s->p++;
  skip_blanks(s);
  if (s->p < s->end && *s->p == close) goto closed;
  for (;;) {
    if (close == '}') {
      skip_blanks(s);
      if (s->p >= s->end || *s->p != '"' || !scan_string(s)) return false;
      skip_blanks(s);
      if (s->p >= s->end || *s->p++ != ':') return false;
    }
    if (!scan_value(s)) return false;
    skip_blanks(s);
    if (s->p >= s->end) return false;
    if (*s->p == close) break;
    if (*s->p++ != ',') return false;
  }
closed:
  s->p++;
  s->depth--;
  return true;
}

static bool scan_value(struct scan *s) {
  skip_blanks(s);
  if (s->p >= s->end) return false;
  switch (*s->p) {
    case '{':
      return scan_nested(s, '}');
    case '[':
      return scan_nested(s, ']');
    case '"':
      return scan_string(s);
    case 't':
      return scan_word(s, "true");
    case 'f':
      return scan_word(s, "false");
    case 'n':
      return scan_word(s, "null");
    default:
      return scan_number(s);
  }
}

size_t skill__json_scan(const char *text, size_t length) {
  struct scan s = {text, text + length, 0};
  return scan_value(&s) ? (size_t)(s.p - text) : 0;
}

size_t skill__json_blanks(const char *text, size_t length) {
  struct scan s = {text, text + length, 0};
  skip_blanks(&s);
  return (size_t)(s.p - text);
}
