/* SPDX-License-Identifier: MIT
 *
 * A file mapped into memory. Pages are read when they are first used, are shared with other processes that map the same
 * file, and can be dropped by the system.
 *
 * The file must not be changed while it is mapped. Replacing it by another file is safe, because the mapping keeps the
 * old one. Truncating it in place (`cp` over it) makes an access to the missing part fail with SIGBUS, as with programs
 * and shared libraries.
 */
#ifndef SKILL_UTIL_MAP_H
#define SKILL_UTIL_MAP_H

#include <stdint.h>

#include "skillet/error.h"

/* Maps a regular file of 1 to `most` bytes; links are followed. `whole`: all pages are read at once, and are read-only;
 * otherwise the mapping may be written to, which does not change the file.
 * Owned: release with skill__file_unmap. SKILL_ENOENT, SKILL_EDENIED, SKILL_EPARSE (empty, or no regular file),
 * SKILL_ELIMIT, SKILL_ENOMEM or SKILL_EIO, with a message that names the file; the outputs are then untouched. */
int skill__file_map(const char *path, uint64_t most, bool whole, void **data, size_t *size, SkillError *err);
void skill__file_unmap(void *data, size_t size);

/* Gives the pages back, and with them what was written to the mapping; they come again when they are touched. Any
 * thread may be reading meanwhile. */
void skill__file_map_rest(void *data, size_t size);

#endif
