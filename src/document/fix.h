/* SPDX-License-Identifier: MIT
 *
 * A skill file with what is safe to mend mended.
 *
 * Safe means: after it the file reads as before, with fewer findings. Values are quoted the way they were understood,
 * keys get their usual spelling, fences are put right, UTF-16 becomes UTF-8, a missing name becomes the folder's.
 * Names, descriptions, conflicts, duplicates and guessed encodings are left to people.
 */
#ifndef SKILL_DOCUMENT_FIX_H
#define SKILL_DOCUMENT_FIX_H

#include "skillet/document.h"

/* *out receives the mended file (owned: skill_free), or NULL where nothing can safely be mended. *before and *after
 * receive how many findings the file has. 0, SKILL_ENOMEM, SKILL_EINVAL. */
int skill__fix(const char *bytes, size_t length, const SkillDocumentOptions *options, char **out, size_t *out_length,
               size_t *before, size_t *after);

#endif
