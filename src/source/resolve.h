/* SPDX-License-Identifier: MIT
 *
 * The one path resolver: every body, resource and script that skillet opens below a root goes through it.
 *
 * It opens one component at a time, relative to the handle of the one before, and follows a symbolic link only if the
 * policy of the root allows it. The operating system never resolves a path of several components, so a folder that is
 * replaced by a link during the walk cannot lead outside.
 */
#ifndef SKILL_SOURCE_RESOLVE_H
#define SKILL_SOURCE_RESOLVE_H

#include "skillet/io.h"
#include "skillet/source.h"

enum {
  SKILL__RESOLVE_MAX_PARTS = 64, /* components of a path, links expanded; SKILL_ELIMIT above */
  SKILL__RESOLVE_MAX_LINKS = 16  /* links in a path; SKILL_ELIMIT above: a cycle */
};

struct skill__resolve {
  SkillIo *io;
  intptr_t root; /* open folder that no path leaves */
  SkillLinks links;
  const char *base; /* folder below the root from which `path` starts and which it may not leave; "": the root */
};

/* Opens the regular file `path`. SKILL_EDENIED: absolute, leaves the base, has a backslash or a refused link;
 * SKILL_ENOENT; SKILL_EINVAL: empty, or not a regular file; SKILL_ELIMIT: too long or too many links. `err` says
 * which. The handle is owned: release with io->file_close. */
int skill__resolve_file(const struct skill__resolve *at, const char *path, intptr_t *file, SkillError *err);

/* The same for a folder; "" or "." is the base itself. Owned: release with io->dir_close. */
int skill__resolve_folder(const struct skill__resolve *at, const char *path, intptr_t *dir, SkillError *err);

#endif
