/* SPDX-License-Identifier: MIT
 *
 * Names near a mistyped one: the same but for case and separators, then one holding the other, then by typing errors
 * (Damerau-Levenshtein, optimal string alignment). Nothing here fails.
 */
#include <string.h>

#include "rank/ranker.h"

enum { LONGEST = 64, SUGGESTIONS = 16 };

struct suggestion {
  const char *name;
  unsigned distance;
};

static size_t plain(const char *name, size_t length, char *out) {
  size_t n = 0;
  for (size_t i = 0; i < length && n < LONGEST; i++) {
    char c = name[i];
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
  unsigned rows[3][LONGEST + 1];
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
  char b[LONGEST];
  size_t m = plain(name, strlen(name), b);
  unsigned most = n < 4 ? 1 : n < 8 ? 2 : 3;
  unsigned d = errors(a, n, b, m, most);
  if (d > most && (holds(a, n, b, m) || holds(b, m, a, n))) d = most;
  return d > most ? UINT32_MAX : d;
}

static size_t insert(struct suggestion *best, size_t count, size_t limit, const char *name, unsigned d) {
  size_t i = count;
  while (i > 0 && (best[i - 1].distance > d || (best[i - 1].distance == d && strcmp(best[i - 1].name, name) > 0))) i--;
  if (i >= limit) return count;
  if (count < limit) count++;
  memmove(&best[i + 1], &best[i], (count - 1 - i) * sizeof *best);
  best[i] = (struct suggestion){name, d};
  return count;
}

size_t skill_rank_suggest(const SkillRankSnapshot *snapshot, const char *name, const char **names, size_t limit) {
  struct suggestion best[SUGGESTIONS];
  char wanted[LONGEST];
  size_t count = 0, length = plain(name, strlen(name), wanted);
  if (limit > SUGGESTIONS) limit = SUGGESTIONS;
  if (length == 0 || limit == 0) return 0;
  for (size_t p = 0; p < snapshot->part_count; p++) {
    const struct skill__part *part = &snapshot->parts[p];
    for (uint32_t doc = 0; doc < part->segment->count; doc++) {
      if (skill__dead_has(part->dead, doc)) continue;
      size_t n = 0;
      const char *other = skill__doc_name(part->segment->blob + part->segment->at[doc], &n);
      unsigned d = distance(wanted, length, other);
      if (d != UINT32_MAX) count = insert(best, count, limit, other, d);
    }
  }
  for (size_t i = 0; i < count; i++) names[i] = best[i].name;
  return count;
}
