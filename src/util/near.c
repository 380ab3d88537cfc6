/* SPDX-License-Identifier: MIT
 *
 * Near names; see near.h. Only the first SKILL__NEAR_LONGEST characters are looked at.
 */
#include "util/near.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static size_t plain(const char *name, char *out) {
  size_t n = 0;
  for (; *name && n < SKILL__NEAR_LONGEST; name++) {
    char c = *name;
    if (c == '-' || c == '_' || c == ' ' || c == '.' || c == ':' || c == '/') continue;
    out[n++] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
  }
  return n;
}

static unsigned least(unsigned a, unsigned b, unsigned c) {
  unsigned m = a < b ? a : b;
  return m < c ? m : c;
}

/* Typing errors between two short texts; more than `most` is reported as most + 1. */
static unsigned errors(const char *a, size_t n, const char *b, size_t m, unsigned most) {
  unsigned rows[3][SKILL__NEAR_LONGEST + 1];
  if ((n > m ? n - m : m - n) > most) return most + 1;
  for (size_t j = 0; j <= m; j++) rows[0][j] = (unsigned)j;
  for (size_t i = 1; i <= n; i++) {
    unsigned *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3], low = now[0] = (unsigned)i;
    for (size_t j = 1; j <= m; j++) {
      now[j] = least(last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < now[j])
        now[j] = before[j - 2] + 1;
      if (now[j] < low) low = now[j];
    }
    if (low > most) return most + 1;
  }
  return rows[n % 3][m];
}

static bool holds(const char *a, size_t n, const char *b, size_t m) {
  for (size_t i = 0; m >= 3 && i + m <= n; i++)
    if (memcmp(a + i, b, m) == 0) return true;
  return false;
}

static unsigned distance(const char *a, size_t n, const char *name) {
  char b[SKILL__NEAR_LONGEST];
  size_t m = plain(name, b);
  unsigned most = 1; /* typing errors */
  if (n >= 4) most++;
  if (n >= 8) most++;
  unsigned d = errors(a, n, b, m, most);
  if (d > most && (holds(a, n, b, m) || holds(b, m, a, n))) d = most;
  return d > most ? UINT32_MAX : d;
}

void skill__near_begin(struct skill__near *near, const char *typed, size_t limit) {
  near->count = 0;
  near->limit = limit < SKILL__NEAR_MOST ? limit : SKILL__NEAR_MOST;
  near->length = plain(typed, near->typed);
}

void skill__near_offer(struct skill__near *near, const char *name) {
  if (!near->length || !near->limit) return;
  unsigned d = distance(near->typed, near->length, name);
  size_t i = near->count;
  if (d == UINT32_MAX) return;
  while (i > 0 && (near->errors[i - 1] > d || (near->errors[i - 1] == d && strcmp(near->names[i - 1], name) > 0))) i--;
  if (i >= near->limit) return;
  if (near->count < near->limit) near->count++;
  memmove(&near->names[i + 1], &near->names[i], (near->count - 1 - i) * sizeof *near->names);
  memmove(&near->errors[i + 1], &near->errors[i], (near->count - 1 - i) * sizeof *near->errors);
  near->names[i] = name;
  near->errors[i] = d;
}

static bool same_letter(char a, char b) {
  if (a >= 'A' && a <= 'Z') a |= 0x20;
  if (b >= 'A' && b <= 'Z') b |= 0x20;
  return a == b;
}

bool skill__near_typo(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b), shorter = n < m ? n : m, longer = n < m ? m : n, head = 0, tail = 0;
  if (longer - shorter > 1) return false;
  while (head < shorter && same_letter(a[head], b[head])) head++;
  while (tail < shorter - head && same_letter(a[n - 1 - tail], b[m - 1 - tail])) tail++;
  if (longer - head - tail == 1) return true;
  return n == m && n - head - tail == 2 && same_letter(a[head], b[head + 1]) && same_letter(a[head + 1], b[head]);
}

void skill__near_text(const struct skill__near *near, const char *before, const char *after, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < near->count && used < size; i++) {
    bool last = i + 1 == near->count;
    const char *join = last ? " or " : ", ";
    if (!i) join = before;
    int n = snprintf(out + used, size - used, "%s%s%s", join, near->names[i], last ? after : "");
    used += n < 0 ? size : (size_t)n;
  }
}
