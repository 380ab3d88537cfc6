/* SPDX-License-Identifier: MIT
 *
 * The walk over a root, internally: its place, the listings of the folders above it, and the links to follow later.
 *
 *   walk.c    from folder to folder           level.c   one folder's listing and its ignore files
 *   links.c   where a link leads              survey.c  what lies beside and below a skill's file
 *   place.c   the place, and notes about it
 *
 * Functions fail only if memory is out; everything else becomes a note.
 */
#ifndef SKILL_SOURCE_WALK_H
#define SKILL_SOURCE_WALK_H

#include "source/directory.h"

struct skill__level_item {
  size_t name; /* offset into the level's names */
  SkillFileKind kind;
  uint64_t ino;
};

/* One folder on the way down; its memory is used again for each folder of that depth. */
struct skill__level {
  char *names;
  size_t used;
  size_t room;
  struct skill__level_item *items;
  size_t count;
  size_t capacity;
  size_t rel;                     /* length of scan->path at this folder */
  struct skill__ignore ignore[2]; /* .gitignore, .skilletignore */
  size_t ignored;
  uint64_t dev;
};

/* place.c: the place, scan->path. */

/* Appends a component at `at`; false: too long, with a note. */
bool skill__walk_push(struct skill__scan *scan, size_t at, const char *name);
/* The place relative to the root; "" at the root. */
const char *skill__walk_rel(const struct skill__scan *scan);
void skill__walk_unreadable(struct skill__scan *scan, int status);
void skill__walk_limit(struct skill__scan *scan, const char *what, size_t most);
/* Whether a single file of that name may be a skill here. */
bool skill__walk_single(const struct skill__scan *scan, const char *name);

/* level.c */

/* Reads the folder's entries, unsorted. 0 or SKILL_ENOMEM. */
int skill__level_read(struct skill__scan *scan, struct skill__level *level, intptr_t dir);
void skill__level_sort(struct skill__level *level); /* by name, byte by byte */
const char *skill__level_name(const struct skill__level *level, const struct skill__level_item *item);
SkillFileKind skill__level_kind(struct skill__scan *scan, intptr_t dir, const char *name,
                                struct skill__level_item *item);
/* Reads the folder's ignore files. 0 or SKILL_ENOMEM. */
int skill__level_ignores(struct skill__scan *scan, struct skill__level *level, intptr_t dir);
/* Adds a note with the number of ignored entries, and frees the patterns. */
void skill__level_end(struct skill__scan *scan, struct skill__level *level);
void skill__level_fini(struct skill__level *level);
/* Whether the walk's place, in the folder of `depth`, is ignored; the innermost file with a match decides. */
bool skill__walk_ignored(struct skill__scan *scan, unsigned depth, const char *name, bool folder);

/* links.c */

/* Remembers the link at the walk's place for later; a dangling one gets a note. 0 or SKILL_ENOMEM. */
int skill__links_defer(struct skill__scan *scan, intptr_t dir, const char *name);
void skill__links_dangling(struct skill__scan *scan, intptr_t dir, const char *name);

/* survey.c */

/* The folder's SKILL.md, or the first of its spellings; the others get a note. NULL: the folder is not a skill. */
struct skill__level_item *skill__survey_skill_file(struct skill__scan *scan, struct skill__level *level);
/* Adds a note if there are skills inside a skill. The place of the walk is the folder. */
void skill__survey_nested(struct skill__scan *scan, struct skill__level *level, intptr_t dir);

#endif
