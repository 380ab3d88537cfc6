/* SPDX-License-Identifier: MIT
 *
 * A whole file in memory.
 */
#ifndef SKILL_UTIL_FILE_H
#define SKILL_UTIL_FILE_H

#include "skillet/error.h"
#include "skillet/io.h"

/* Reads a regular file of at most `most` bytes; links are followed. *text ends with a NUL that *length does not count.
 * Owned: release with skill__free. SKILL_ENOENT, SKILL_ELIMIT, SKILL_ENOMEM or the error of the file system, with a
 * message that names the file; the outputs are then unchanged. */
int skill__file_load(SkillIo *io, const char *path, uint64_t most, char **text, size_t *length, SkillError *err);

#endif
