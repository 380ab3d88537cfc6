/* SPDX-License-Identifier: MIT
 *
 * The one path resolver: every body, resource and script that skillet opens below a root goes through it.
 *
 * It walks component by component from an opened root, each opened relative to the handle before it and never through
 * a symbolic link unless the root's policy lets that link be followed. Nothing is joined to a path that the operating
 * system would resolve on its own, so a folder that is swapped for a link while it is read cannot lead outside.
 */
#ifndef SKILL_SOURCE_RESOLVE_H
#define SKILL_SOURCE_RESOLVE_H

#include "skillet/io.h"
#include "skillet/source.h"

enum {
  SKILL__RESOLVE_MAX_PARTS = 64, /* components on the way to one file, links expanded; SKILL_ELIMIT above */
  SKILL__RESOLVE_MAX_LINKS = 16  /* links on the way to one file; SKILL_ELIMIT above: a cycle */
};

struct skill__resolve {
  SkillIo *io;
  intptr_t root; /* open folder that nothing leaves */
  SkillLinks links;
  const char *base; /* folder below the root that `path` starts from and may not climb out of; "" : the root */
};

/* Opens the regular file `path`. SKILL_EDENIED: absolute, climbs out, a backslash, or a link the policy refuses;
 * SKILL_ENOENT; SKILL_EINVAL: empty, or not a regular file; SKILL_ELIMIT: too long or too many links. `err` says
 * which. The handle is owned: release with io->file_close. */
int skill__resolve_file(const struct skill__resolve *at, const char *path, intptr_t *file, SkillError *err);

/* The same for a folder; "" or "." is the base itself. Owned: release with io->dir_close. */
int skill__resolve_folder(const struct skill__resolve *at, const char *path, intptr_t *dir, SkillError *err);

#endif
