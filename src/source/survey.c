/* SPDX-License-Identifier: MIT
 *
 * Reports files near a skill's file that are not read: other spellings of its name, and skills inside the skill.
 */
#include <string.h>
#include <strings.h>

#include "source/walk.h"

enum {
  NESTED_DEPTH = 8,     /* folders below a skill in which a SKILL.md is noticed */
  NESTED_FOLDERS = 2000 /* of one skill that are looked into */
};

/* The folder's SKILL.md, or the first of its spellings; the others get a note. NULL: the folder is not a skill. */
struct skill__level_item *skill__survey_skill_file(struct skill__scan *scan, struct skill__level *level) {
  struct skill__level_item *best = NULL;
  for (size_t i = 0; i < level->count; i++) {
    const char *name = skill__level_name(level, &level->items[i]);
    if ((name[0] | 0x20) != 's' || strcasecmp(name, "SKILL.md") != 0) continue;
    if (level->items[i].kind == SKILL_FILE_FOLDER) continue;
    if (!best || strcmp(name, "SKILL.md") == 0 ||
        (strcmp(skill__level_name(level, best), "SKILL.md") != 0 && strcmp(name, skill__level_name(level, best)) < 0)) {
      best = &level->items[i];
    }
  }
  for (size_t i = 0; best && i < level->count; i++) {
    const char *name = skill__level_name(level, &level->items[i]);
    if ((name[0] | 0x20) != 's' || strcasecmp(name, "SKILL.md") != 0 || strcmp(name, "SKILL.md") == 0) continue;
    if (!skill__walk_push(scan, level->rel, name)) continue;
    skill__notes_add(&scan->notes, SKILL__NOTE_FILE_NAME_CASE, scan->path,
                     &level->items[i] == best ? "read as SKILL.md; other programs will not find it by this name"
                                              : "not read: the same folder has SKILL.md in another spelling");
  }
  return best;
}

/* Counts SKILL.md files in a folder of a skill and the folders in it. What cannot be read is not counted. */
static void count_nested(struct skill__scan *scan, intptr_t parent, const char *name, unsigned depth, size_t *budget,
                         size_t *found) {
  SkillDirEntry entry;
  intptr_t dir;
  if (!*budget || skill__ignore_builtin(name)) return;
  --*budget;
  if (scan->io->dir_open(scan->io, parent, name, 0, &dir)) return;
  while (scan->io->dir_next(scan->io, dir, &entry) == 1) {
    if (entry.kind == SKILL_FILE_FOLDER) {
      if (depth < NESTED_DEPTH) count_nested(scan, dir, entry.name, depth + 1, budget, found);
    } else if ((entry.name[0] | 0x20) == 's' && !strcasecmp(entry.name, "SKILL.md")) {
      ++*found;
    }
  }
  scan->io->dir_close(scan->io, dir);
}

/* Adds a note if there are skills inside a skill. The place of the walk is the folder. */
void skill__survey_nested(struct skill__scan *scan, struct skill__level *level, intptr_t dir) {
  size_t budget = NESTED_FOLDERS;
  size_t found = 0;
  for (size_t i = 0; i < level->count; i++) {
    if (level->items[i].kind != SKILL_FILE_FOLDER) continue;
    count_nested(scan, dir, skill__level_name(level, &level->items[i]), 1, &budget, &found);
  }
  if (!found) return;
  scan->path[level->rel] = '\0';
  skill__notes_add(&scan->notes, SKILL__NOTE_NESTED_SKILL, scan->path,
                   "%zu SKILL.md files below this skill are its resources, not separate skills", found);
}
