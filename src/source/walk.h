/* SPDX-License-Identifier: MIT
 *
 * The walk over a root, inside: where it is, the listings of the folders on the way down, and what is put off.
 *
 *   walk.c    from folder to folder           level.c   one folder's listing and its ignore files
 *   links.c   where a link leads              survey.c  what lies beside and below a skill's file
 *   place.c   the place, and notes about it
 *
 * Only want of memory fails; everything else becomes a note.
 */
#ifndef SKILL_SOURCE_WALK_H
#define SKILL_SOURCE_WALK_H

#include "source/directory.h"

struct skill__item {
  size_t name; /* offset into the level's names */
  SkillFileKind kind;
  uint64_t ino;
};

/* One folder on the way down; its memory is used again for each folder of that depth. */
struct skill__level {
  char *names;
  size_t used;
  size_t room;
  struct skill__item *items;
  size_t count;
  size_t capacity;
  size_t rel;                     /* length of scan->path at this folder */
  struct skill__ignore ignore[2]; /* .gitignore, .skilletignore */
  size_t ignored;
  uint64_t dev;
};

/* place.c: the walk's place, scan->path, and what is told about it. */

/* Appends a component at `at`; false: too long, which is told. */
bool skill__walk_push(struct skill__scan *scan, size_t at, const char *name);
/* The place relative to the root; "" at the root. */
const char *skill__walk_rel(const struct skill__scan *scan);
void skill__walk_unreadable(struct skill__scan *scan, int code);
void skill__walk_limit(struct skill__scan *scan, const char *what, size_t most);
/* Whether a single file of that name may be a skill here. */
bool skill__walk_single(const struct skill__scan *scan, const char *name);

/* level.c */

/* Reads the folder's entries, in whatever order. 0 or SKILL_ENOMEM. */
int skill__level_read(struct skill__scan *scan, struct skill__level *level, intptr_t dir);
void skill__level_sort(struct skill__level *level); /* by name, byte by byte */
const char *skill__level_name(const struct skill__level *level, const struct skill__item *item);
SkillFileKind skill__level_kind(struct skill__scan *scan, intptr_t dir, const char *name, struct skill__item *item);
/* Reads the folder's ignore files. 0 or SKILL_ENOMEM. */
int skill__level_ignores(struct skill__scan *scan, struct skill__level *level, intptr_t dir);
/* Tells how many entries they left out, and forgets them. */
void skill__level_end(struct skill__scan *scan, struct skill__level *level);
void skill__level_fini(struct skill__level *level);
/* Whether the walk's place, in the folder of `depth`, is left out. */
bool skill__walk_ignored(struct skill__scan *scan, unsigned depth, const char *name, bool folder);

/* links.c */

/* Looks where the link at the walk's place leads and remembers it; what leads nowhere is told. 0 or SKILL_ENOMEM. */
int skill__links_defer(struct skill__scan *scan, intptr_t dir, const char *name);
void skill__links_dangling(struct skill__scan *scan, intptr_t dir, const char *name);

/* survey.c */

/* The folder's SKILL.md, or the first of its spellings; the others are told. NULL: the folder is no skill. */
struct skill__item *skill__survey_skill_file(struct skill__scan *scan, struct skill__level *level);
/* Skills inside a skill are its resources; that they are there is told. The walk's place is the folder. */
void skill__survey_nested(struct skill__scan *scan, struct skill__level *level, intptr_t dir);

#endif
