/* SPDX-License-Identifier: MIT
 *
 * The safe corrections of a skill file.
 *
 * Safe means that the file says the same as before, with fewer findings. Values are quoted, keys get their usual
 * spelling, fences are corrected, UTF-16 becomes UTF-8, and a missing name becomes the folder's. Names, descriptions,
 * conflicts, duplicates and guessed encodings are left to the author.
 */
#ifndef SKILL_DOCUMENT_FIX_H
#define SKILL_DOCUMENT_FIX_H

#include "skillet/document.h"

/* *out receives the corrected file (owned: skill_free), or NULL if no correction is safe. *before and *after receive
 * the numbers of findings. 0, SKILL_ENOMEM, SKILL_EINVAL. */
int skill__fix(const char *bytes, size_t length, const SkillDocumentOptions *options, char **out, size_t *out_length,
               size_t *before, size_t *after);

#endif
