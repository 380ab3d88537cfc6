/* SPDX-License-Identifier: MIT
 *
 * The folder of the library or program that contains this code. Data files are searched next to it.
 */
#ifndef SKILL_UTIL_OWN_FOLDER_H
#define SKILL_UTIL_OWN_FOLDER_H

#include "skillet/io.h"
#include "util/buf.h"

#ifndef SKILLET_DATA_DIR
#define SKILLET_DATA_DIR "/usr/local/share/skillet"
#endif

/* Finds the data file `leaf`: next to the library or program, in share/skillet next to it or one folder up, else in the
 * installed folder. Its path is in `where` then. SKILL_ENOENT; SKILL_ELIMIT or SKILL_ENOMEM of the buffer. */
int skill__data_find(SkillIo *io, const char *leaf, struct skill__buf *where);

#endif
