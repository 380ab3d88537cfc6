/* SPDX-License-Identifier: MIT
 *
 * Where this code lies on disk: data files are looked for beside it.
 */
#ifndef SKILL_UTIL_OWN_FOLDER_H
#define SKILL_UTIL_OWN_FOLDER_H

#include "skillet/io.h"
#include "util/buf.h"

#ifndef SKILLET_DATA_DIR
#define SKILLET_DATA_DIR "/usr/local/share/skillet"
#endif

/* Appends the folder of the library or program that holds this code, with its last slash; nothing where it is
 * unknown. */
void skill__own_folder(SkillIo *io, struct skill__buf *where);

#endif
