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

void skill__notes_add(struct skill__notes *notes, SkillLevel level, const char *code, const char *path, const char *fix,
                      const char *format, ...) {
  char message[MESSAGE_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  SkillDiagnostic *item = next(notes);
  if (!item) return;
  *item = (SkillDiagnostic){.level = level, .code = code, .path = path, .message = message, .fix = fix};
  keep(notes, item);
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
