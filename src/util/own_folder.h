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

/* Appends that folder with a final slash, or nothing if it is unknown. */
void skill__own_folder(SkillIo *io, struct skill__buf *where);

#endif
