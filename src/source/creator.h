/* SPDX-License-Identifier: MIT
 *
 * The tool create_skill: writes NAME/SKILL.md (or NAME.md) below one folder, and nowhere else.
 */
#ifndef SKILL_SOURCE_CREATOR_H
#define SKILL_SOURCE_CREATOR_H

#include "skillet/io.h"
#include "skillet/skill.h"

struct skill__creator {
  SkillIo *io;
  char *folder; /* owned by the containing struct; NULL: writing is off */
};

/* The tool; its `user` is the creator, which must outlive it. */
SkillTool skill__creator_tool(struct skill__creator *creator);

#endif
