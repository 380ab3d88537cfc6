/* SPDX-License-Identifier: MIT
 *
 * Ignore files; see ignore.h. Matching is bounded: a pattern has at most PATTERN_MAX bytes and the matcher gives up
 * (no match) after STEPS_MAX steps, so that a hostile pattern of many stars cannot stall a scan.
 */
#include "source/ignore.h"

#include <string.h>

#include "skillet/error.h"
#include "util/alloc.h"

enum { PATTERN_MAX = 512, STEPS_MAX = 100000 };

struct skill__ignore_pattern {
  const char *text;
  bool negated;
  bool folder_only;
  bool anchored; /* matched against the path, not against its last component */
};

bool skill__ignore_builtin(const char *name) {
  static const char *const names[] = {".git",        ".hg",           ".svn", "node_modules", "__pycache__", ".venv",
                                      ".mypy_cache", ".pytest_cache", ".tox", ".cache",       "__MACOSX"};
  if (name[0] != '.' && name[0] != '_' && name[0] != 'n') return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!strcmp(name, names[i])) return true;
  }
  return false;
}

/* Reads one line (NUL-terminated, may be changed) into a pattern; false: it is none. */
static bool read_pattern(char *line, struct skill__ignore_pattern *pattern) {
  size_t length = strlen(line);
  while (length && (line[length - 1] == '\r' || line[length - 1] == ' ') && !(length > 1 && line[length - 2] == '\\')) {
    line[--length] = '\0';
  }
  if (!length || length > PATTERN_MAX || line[0] == '#') return false;
  *pattern = (struct skill__ignore_pattern){0};
  if (line[0] == '!') {
    pattern->negated = true;
    line++;
    length--;
  }
  if (length && line[length - 1] == '/') {
    pattern->folder_only = true;
    line[--length] = '\0';
  }
  pattern->anchored = strchr(line, '/') != NULL;
  if (line[0] == '/') line++;
  pattern->text = line;
  return line[0] != '\0';
}

int skill__ignore_parse(struct skill__ignore *ignore, const char *text, size_t length) {
  if (length > SKILL__IGNORE_MAX_FILE) length = SKILL__IGNORE_MAX_FILE;
  ignore->text = skill__strndup(text, length);
  if (!ignore->text) return SKILL_ENOMEM;
  char *save = NULL;
  for (char *line = strtok_r(ignore->text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
    struct skill__ignore_pattern pattern;
    if (ignore->count == SKILL__IGNORE_MAX_PATTERNS) break;
    if (!read_pattern(line, &pattern)) continue;
    if (SKILL__GROW(ignore->patterns, ignore->capacity, ignore->count + 1)) {
      skill__ignore_fini(ignore);
      return SKILL_ENOMEM;
    }
    ignore->patterns[ignore->count++] = pattern;
  }
  return 0;
}

void skill__ignore_fini(struct skill__ignore *ignore) {
  skill__free(ignore->patterns);
  skill__free(ignore->text);
  memset(ignore, 0, sizeof *ignore);
}

/* One bracket expression at `*pattern` (after '['); moves behind it. An unclosed one matches nothing. */
static bool match_bracket(const char **pattern, unsigned char c) {
  const char *p = *pattern;
  bool negated = *p == '!' || *p == '^';
  bool found = false;
  if (negated) p++;
  for (bool first = true; *p && (first || *p != ']'); first = false) {
    unsigned char low = (unsigned char)*p++;
    unsigned char high = low;
    if (p[0] == '-' && p[1] && p[1] != ']') {
      high = (unsigned char)p[1];
      p += 2;
    }
    found = found || (c >= low && c <= high);
  }
  if (*p != ']') return false;
  *pattern = p + 1;
  return found != negated && c != '/';
}

static bool match(const char *pattern, const char *text, unsigned *steps);

static bool match_stars(const char *pattern, const char *text, unsigned *steps) {
  bool deep = pattern[1] == '*';
  while (*pattern == '*') pattern++;
  if (deep && *pattern == '/') { /* two stars and a slash also match no folder at all */
    if (match(pattern + 1, text, steps)) return true;
  }
  for (;; text++) {
    if (match(pattern, text, steps)) return true;
    if (!*text || (*text == '/' && !deep)) return false;
  }
}

static bool match(const char *pattern, const char *text, unsigned *steps) {
  while (*pattern) {
    if (++*steps > STEPS_MAX) return false;
    if (*pattern == '*') return match_stars(pattern, text, steps);
    if (!*text) return false;
    if (*pattern == '[') {
      pattern++;
      if (!match_bracket(&pattern, (unsigned char)*text)) return false;
    } else if (*pattern == '?') {
      if (*text == '/') return false;
      pattern++;
    } else {
      if (*pattern == '\\' && pattern[1]) pattern++;
      if (*pattern++ != *text) return false;
    }
    text++;
  }
  return !*text;
}

int skill__ignore_match(const struct skill__ignore *ignore, const char *path, bool folder) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  for (size_t i = ignore->count; i-- > 0;) {
    const struct skill__ignore_pattern *pattern = &ignore->patterns[i];
    unsigned steps = 0;
    if (pattern->folder_only && !folder) continue;
    if (match(pattern->text, pattern->anchored ? path : name, &steps)) return pattern->negated ? -1 : 1;
  }
  return 0;
}
