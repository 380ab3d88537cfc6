/* SPDX-License-Identifier: MIT
 *
 * Symbolic links below a root. Each is remembered where it is met and followed last, through the resolver, so that what
 * it leads to is found at its own place first; every folder is entered once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/resolve.h"
#include "source/walk.h"

void skill__links_dangling(struct skill__scan *scan, intptr_t dir, const char *name) {
  char target[512];
  if (scan->io->link_read(scan->io, dir, name, target, sizeof target)) snprintf(target, sizeof target, "?");
  skill__notes_add(&scan->notes, SKILL_LEVEL_WARNING, "dangling-link", scan->path, "remove the link or mend its target",
                   "a symbolic link to '%s', which does not exist", target);
}

/* Looks where a link leads and remembers it for later; what leads nowhere is told. */
int skill__links_defer(struct skill__scan *scan, intptr_t dir, const char *name) {
  SkillFileInfo info;
  int status = scan->io->stat(scan->io, dir, name, SKILL_IO_FOLLOW, &info);
  if (status == SKILL_ENOENT) {
    skill__links_dangling(scan, dir, name);
    return 0;
  }
  if (status == SKILL_EINVAL) {
    skill__notes_add(&scan->notes, SKILL_LEVEL_INFO, "link-loop", scan->path, "remove the link",
                     "a symbolic link that leads in a circle");
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

static unsigned depth_of(const char *rel) {
  unsigned depth = *rel != '\0';
  for (; *rel; rel++) depth += *rel == '/';
  return depth;
}

static void note_refused(struct skill__scan *scan, const SkillError *err) {
  bool never = scan->source->options.links == SKILL_LINKS_NEVER;
  skill__notes_add(&scan->notes, SKILL_LEVEL_WARNING, never ? "link-not-followed" : "link-outside", scan->path,
                   "allow links for this root (--links anywhere) or name the target as a root of its own",
                   "not followed: %s", err->message);
}

static int follow_link(struct skill__scan *scan, const char *rel) {
  const struct skill__resolve at = {scan->io, scan->root, scan->source->options.links, ""};
  SkillError err = SKILL_ERROR_INIT;
  SkillFileInfo info;
  intptr_t dir;
  unsigned depth = depth_of(rel);
  if (!skill__walk_push(scan, scan->top, rel)) return 0;
  int status = skill__resolve_folder(&at, rel, &dir, &err);
  if (status == SKILL_EINVAL) return skill__scan_file(scan, SKILL_IO_CWD, rel, SKILL_DOCUMENT_SINGLE, depth);
  if (status == SKILL_ENOMEM) return status;
  if (status) {
    note_refused(scan, &err);
    return 0;
  }
  status = scan->io->stat(scan->io, dir, ".", 0, &info);
  if (!status) status = skill__seen_mark(scan, info.dev, info.ino);
  if (status == 1) {
    status = depth > scan->source->options.max_depth ? 0 : skill__walk_folder(scan, dir, depth, info.dev);
    scan->too_deep += depth > scan->source->options.max_depth;
  }
  scan->io->dir_close(scan->io, dir);
  return status == SKILL_ENOMEM ? status : 0;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Follows links, and those found behind them, until none is left. */
int skill__links_follow(struct skill__scan *scan) {
  int status = 0;
  while (!status && scan->links.count && !scan->full) {
    struct skill__strings batch = scan->links;
    scan->links = (struct skill__strings){NULL, 0, 0};
    qsort(batch.items, batch.count, sizeof *batch.items, by_text);
    for (size_t i = 0; i < batch.count; i++) {
      if (!status && !scan->full) status = follow_link(scan, batch.items[i]);
    }
    skill__strings_fini(&batch);
  }
  return status;
}
