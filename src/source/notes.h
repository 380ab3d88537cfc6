/* SPDX-License-Identifier: MIT
 *
 * A growing list of diagnostics that owns its texts. Adding fails only for want of memory, and the failure sticks, so
 * that a writer need not check each step.
 */
#ifndef SKILL_SOURCE_NOTES_H
#define SKILL_SOURCE_NOTES_H

#include "skillet/document.h"
#include "util/arena.h"

struct skill__notes {
  SkillDiagnostic *items;
  size_t count;
  size_t capacity;
  struct skill__arena texts;
  int status; /* 0 or SKILL_ENOMEM */
};

/* Zero-initialise to start. `code` is static. */
void skill__notes_add(struct skill__notes *notes, SkillLevel level, const char *code, const char *path, const char *fix,
                      const char *format, ...) SKILL_PRINTF(6, 7);
/* Copies diagnostics of elsewhere, all texts included. */
void skill__notes_copy(struct skill__notes *notes, const SkillDiagnostic *items, size_t count);
void skill__notes_fini(struct skill__notes *notes); /* empty afterwards, and usable */

#endif
