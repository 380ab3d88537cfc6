/* SPDX-License-Identifier: MIT
 *
 * Diagnostics that own their texts; see notes.h.
 */
#include "source/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/alloc.h"

enum { MESSAGE_MAX = 1024 /* bytes; longer ones are cut */ };

static const SkillDiagnostic table[] = {
#define SKILL_X(id, text, severity, remedy) {.code = text, .level = SKILL_LEVEL_##severity, .fix = remedy},
    SKILL__NOTE_MAP(SKILL_X)
#undef SKILL_X
};

static SkillDiagnostic *next(struct skill__notes *notes) {
  if (notes->status || SKILL__GROW(notes->items, notes->capacity, notes->count + 1)) {
    notes->status = SKILL_ENOMEM;
    return NULL;
  }
  return &notes->items[notes->count];
}

static void keep(struct skill__notes *notes, SkillDiagnostic *item) {
  item->code = skill__arena_strdup(&notes->texts, item->code ? item->code : "");
  item->path = skill__arena_strdup(&notes->texts, item->path ? item->path : "");
  item->message = skill__arena_strdup(&notes->texts, item->message ? item->message : "");
  item->fix = skill__arena_strdup(&notes->texts, item->fix ? item->fix : "");
  if (item->code && item->path && item->message && item->fix) {
    notes->count++;
  } else {
    notes->status = SKILL_ENOMEM;
  }
}

void skill__notes_add_at(struct skill__notes *notes, enum skill__note note, const char *path, unsigned line,
                         unsigned column, const char *message) {
  SkillDiagnostic *item = next(notes);
  if (!item) return;
  *item = table[note];
  item->path = path;
  item->line = line;
  item->column = column;
  item->message = message;
  keep(notes, item);
}

void skill__notes_add(struct skill__notes *notes, enum skill__note note, const char *path, const char *format, ...) {
  char message[MESSAGE_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  skill__notes_add_at(notes, note, path, 0, 0, message);
}

bool skill__note_is(const SkillDiagnostic *diagnostic, enum skill__note note) {
  return !strcmp(diagnostic->code, table[note].code);
}

void skill__notes_copy(struct skill__notes *notes, const SkillDiagnostic *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    SkillDiagnostic *item = next(notes);
    if (!item) return;
    *item = items[i];
    keep(notes, item);
  }
}

void skill__notes_fini(struct skill__notes *notes) {
  skill__arena_fini(&notes->texts);
  skill__free(notes->items);
  memset(notes, 0, sizeof *notes);
}
