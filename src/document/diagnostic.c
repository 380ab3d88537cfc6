/* SPDX-License-Identifier: MIT
 *
 * Findings about one file; see diagnostic.h.
 */
#include "document/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/alloc.h"
#include "util/utf8.h"

struct entry {
  const char *code;
  SkillLevel level[2]; /* lenient, strict */
  const char *fix;
};

static const struct entry entries[] = {
#define SKILL_X(id, code, lenient, strict, fix) {code, {SKILL_LEVEL_##lenient, SKILL_LEVEL_##strict}, fix},
    SKILL__DIAGNOSTIC_MAP(SKILL_X)
#undef SKILL_X
};

const char *skill_level_name(SkillLevel level) {
  return level == SKILL_LEVEL_ERROR ? "error" : level == SKILL_LEVEL_WARNING ? "warning" : "info";
}

enum skill__code skill__code_find(const char *name) {
  unsigned i = 0;
  while (i < SKILL__CODE_COUNT && strcmp(entries[i].code, name) != 0) i++;
  return (enum skill__code)i;
}

const char *skill__code_name(enum skill__code code) {
  return entries[code].code;
}

const char *skill__code_fix(enum skill__code code) {
  return entries[code].fix;
}

SkillLevel skill__code_level(enum skill__code code, bool strict) {
  return entries[code].level[strict];
}

/* A message quotes the file, and must stay one line of valid UTF-8. */
static void one_line(char *text) {
  size_t length = strlen(text);
  size_t valid = skill__utf8_valid(text, length);
  text[valid] = '\0';
  for (char *p = text; *p; p++) {
    if ((unsigned char)*p < 0x20 || *p == 0x7f) *p = ' ';
  }
}

void skill__finding(struct skill__findings *findings, enum skill__code code, unsigned line, unsigned column,
                    const char *format, ...) {
  if (findings->status) return;
  if (findings->count == SKILL__FINDINGS_MAX) {
    findings->dropped++;
    return;
  }
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  one_line(text);
  const char *message = skill__arena_strdup(findings->arena, text);
  if (!message || SKILL__GROW(findings->items, findings->capacity, findings->count + 1)) {
    findings->status = SKILL_ENOMEM;
    return;
  }
  findings->items[findings->count++] = (SkillDiagnostic){
      .level = entries[code].level[findings->strict],
      .code = entries[code].code,
      .path = findings->path,
      .line = line,
      .column = column,
      .message = message,
      .fix = entries[code].fix,
  };
}

static bool before(const SkillDiagnostic *a, const SkillDiagnostic *b) {
  if (a->line != b->line) return a->line < b->line;
  if (a->column != b->column) return a->column < b->column;
  return a->level < b->level;
}

void skill__findings_sort(struct skill__findings *findings) {
  for (size_t i = 1; i < findings->count; i++) {
    SkillDiagnostic moving = findings->items[i];
    size_t j = i;
    for (; j > 0 && before(&moving, &findings->items[j - 1]); j--) findings->items[j] = findings->items[j - 1];
    findings->items[j] = moving;
  }
}

bool skill__findings_have(const struct skill__findings *findings, enum skill__code code) {
  for (size_t i = 0; i < findings->count; i++) {
    if (findings->items[i].code == entries[code].code) return true;
  }
  return false;
}
