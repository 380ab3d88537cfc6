/* SPDX-License-Identifier: MIT
 *
 * Symbolic links below a root: checked when the walk meets them, and remembered to be followed last.
 */
#include <stdio.h>
#include <string.h>

#include "source/walk.h"

void skill__links_dangling(struct skill__scan *scan, intptr_t dir, const char *name) {
  char target[512];
  if (scan->io->link_read(scan->io, dir, name, target, sizeof target)) snprintf(target, sizeof target, "?");
  skill__notes_add(&scan->notes, SKILL__NOTE_DANGLING_LINK, scan->path, "a symbolic link to '%s', which does not exist",
                   target);
}

int skill__links_defer(struct skill__scan *scan, intptr_t dir, const char *name) {
  SkillFileInfo info;
  int status = scan->io->stat(scan->io, dir, name, SKILL_IO_FOLLOW, &info);
  if (status == SKILL_ENOENT) {
    skill__links_dangling(scan, dir, name);
    return 0;
  }
  if (status == SKILL_EINVAL) {
    skill__notes_add(&scan->notes, SKILL__NOTE_LINK_LOOP, scan->path, "a symbolic link that leads back to itself");
    return 0;
  }
  if (status) {
    skill__walk_unreadable(scan, status);
    return status == SKILL_ENOMEM ? status : skill__scan_keep(scan, skill__walk_rel(scan));
  }
  bool file = info.kind == SKILL_FILE_REGULAR && skill__walk_single(scan, name);
  if (info.kind != SKILL_FILE_FOLDER && !file) return 0;
  return skill__strings_add(&scan->links, skill__walk_rel(scan));
}
