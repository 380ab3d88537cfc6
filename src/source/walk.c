/* SPDX-License-Identifier: MIT
 *
 * Discovery: walks a root and finds the files that may be skills.
 *
 * A folder with a SKILL.md is a skill, and nothing below it is looked at: those are its resources. In any other folder
 * single .md files may be skills, and folders are entered. Each folder's entries are taken in byte-wise order, so the
 * outcome does not depend on the file system's. Links are followed last, so that what they lead to is found at its own
 * place first; every folder is entered once.
 *
 * Whatever cannot be read is told by a note and never stops the walk; only want of memory does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "source/walk.h"
#include "util/alloc.h"

enum { LEVELS = SKILL_MAX_DEPTH + 2 };

/* --- notes -------------------------------------------------------------------------------------------------------- */

/* `rel` is shown below the configured root. */
void skill__walk_unreadable(struct skill__scan *scan, int code) {
  if (code == SKILL_ENOENT) {
    skill__notes_add(&scan->notes, SKILL_LEVEL_INFO, "vanished", scan->path, "scan again",
                     "it vanished while the folder was read");
  } else if (code == SKILL_EDENIED) {
    skill__notes_add(&scan->notes, SKILL_LEVEL_ERROR, "unreadable", scan->path, "give read permission to it",
                     "cannot be read: permission denied (EACCES); what is in it is not known");
  } else {
    skill__notes_add(&scan->notes, SKILL_LEVEL_ERROR, "unreadable", scan->path, "check the disk and the path",
                     "cannot be read: %s", skill_strerror(code));
  }
}

void skill__walk_limit(struct skill__scan *scan, const char *what, size_t most) {
  if (scan->full) return;
  scan->full = true;
  skill__notes_add(&scan->notes, SKILL_LEVEL_WARNING, "scan-limit", scan->path,
                   "name a folder that holds fewer, or raise the limit",
                   "stopped here: more than %zu %s; what comes after is not listed", most, what);
}

int skill__scan_keep(struct skill__scan *scan, const char *rel) {
  return skill__strings_add(&scan->kept, rel);
}

/* --- the place ---------------------------------------------------------------------------------------------------- */

/* Appends a component to the walk's place; false: too long, which is told. */
bool skill__walk_push(struct skill__scan *scan, size_t at, const char *name) {
  size_t length = strlen(name);
  bool slash = at > 0 && scan->path[at - 1] != '/';
  if (at + length + 2 > SKILL_MAX_PATH) {
    scan->path[at] = '\0';
    skill__notes_add(&scan->notes, SKILL_LEVEL_WARNING, "path-too-long", scan->path, "use shorter names",
                     "a path below it has more than %d bytes and is not looked at", SKILL_MAX_PATH);
    return false;
  }
  if (slash) scan->path[at++] = '/';
  memcpy(scan->path + at, name, length + 1);
  return true;
}

const char *skill__walk_rel(const struct skill__scan *scan) {
  return scan->path[scan->top] ? scan->path + scan->base : "";
}

/* --- single files ------------------------------------------------------------------------------------------------- */

static bool is_markdown(const char *name) {
  size_t length = strlen(name);
  return length > 3 && !strcasecmp(name + length - 3, ".md");
}

/* Names that are documents about a folder, in whatever case, also README.zh.md and README_CN.md: never skills. */
static bool is_document(const char *name) {
  static const char *const stems[] = {"readme", "claude", "agents", "gemini", "license", "changelog", "index"};
  for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
    size_t n = strlen(stems[i]);
    if (!strncasecmp(name, stems[i], n) && strchr(i == 0 ? "._-" : ".", name[n])) return true;
  }
  return false;
}

bool skill__walk_single(const struct skill__scan *scan, const char *name) {
  return scan->source->options.lite != SKILL_LITE_OFF && is_markdown(name) && name[0] != '.' && !is_document(name);
}

/* --- walking ------------------------------------------------------------------------------------------------------ */

static int take_skill(struct skill__scan *scan, struct skill__level *level, intptr_t dir, unsigned depth,
                      struct skill__item *item) {
  const char *name = skill__level_name(level, item);
  if (!skill__walk_push(scan, level->rel, name)) return 0;
  SkillFileKind kind = skill__level_kind(scan, dir, name, item);
  SkillFileInfo info;
  if (kind == SKILL_FILE_LINK) {
    if (scan->io->stat(scan->io, dir, name, SKILL_IO_FOLLOW, &info) == SKILL_ENOENT) {
      skill__links_dangling(scan, dir, name);
      return 0;
    }
    dir = SKILL_IO_CWD;
  }
  return skill__scan_file(scan, dir, name, SKILL_DOCUMENT_FOLDER, depth);
}

/* The usual case: the folder at the walk's place is a skill, whose file can be looked at from the folder above. Where
 * that does not succeed at once, the folder is entered, which finds out and tells why. */
static int take_at_once(struct skill__scan *scan, intptr_t parent, const char *name, unsigned depth, bool *taken) {
  size_t place = strlen(scan->path);
  *taken = false;
  if (scan->source->options.survey || place + sizeof "/SKILL.md" >= SKILL_MAX_PATH) return 0;
  memcpy(scan->path + place, "/SKILL.md", sizeof "/SKILL.md");
  int status = skill__scan_file_below(scan, parent, scan->path + place - strlen(name), depth, taken);
  scan->path[place] = '\0';
  return status;
}

static int enter_folder(struct skill__scan *scan, intptr_t parent, const char *name, uint64_t ino, unsigned depth,
                        uint64_t dev) {
  if (depth > scan->source->options.max_depth) {
    scan->too_deep++;
    return 0;
  }
  if (HASH_COUNT(scan->seen) >= SKILL__SCAN_MAX_FOLDERS) {
    skill__walk_limit(scan, "folders", SKILL__SCAN_MAX_FOLDERS);
    return 0;
  }
  int status = skill__seen_mark(scan, dev, ino);
  if (status != 1) return status;
  bool taken;
  intptr_t dir;
  status = take_at_once(scan, parent, name, depth, &taken);
  if (status || taken) return status;
  status = scan->io->dir_open(scan->io, parent, name, 0, &dir);
  if (status == SKILL_ENOMEM) return status;
  if (status) {
    skill__walk_unreadable(scan, status);
    return status == SKILL_ENOENT ? 0 : skill__scan_keep(scan, skill__walk_rel(scan));
  }
  status = skill__walk_folder(scan, dir, depth, dev);
  scan->io->dir_close(scan->io, dir);
  return status;
}

static int take_item(struct skill__scan *scan, struct skill__level *level, intptr_t dir, unsigned depth,
                     struct skill__item *item) {
  const char *name = skill__level_name(level, item);
  SkillFileKind kind = skill__level_kind(scan, dir, name, item);
  if (!skill__walk_push(scan, level->rel, name)) return 0;
  if (kind == SKILL_FILE_FOLDER) {
    if (skill__walk_ignored(scan, depth, name, true)) return 0;
    return enter_folder(scan, dir, name, item->ino, depth + 1, level->dev);
  }
  if (kind == SKILL_FILE_LINK)
    return skill__walk_ignored(scan, depth, name, false) ? 0 : skill__links_defer(scan, dir, name);
  if (kind != SKILL_FILE_REGULAR || !skill__walk_single(scan, name) || skill__walk_ignored(scan, depth, name, false))
    return 0;
  return skill__scan_file(scan, dir, name, SKILL_DOCUMENT_SINGLE, depth + 1);
}

/* The walk's place is the folder. */
int skill__walk_folder(struct skill__scan *scan, intptr_t dir, unsigned depth, uint64_t dev) {
  struct skill__level *level = &scan->levels[depth];
  level->rel = strlen(scan->path);
  level->dev = dev;
  int status = skill__level_read(scan, level, dir);
  if (status) return status;
  struct skill__item *skill = skill__survey_skill_file(scan, level);
  if (skill) {
    size_t before = scan->count;
    if (!depth || scan->source->options.survey) skill__survey_nested(scan, level, dir);
    status = take_skill(scan, level, dir, depth, skill);
    scan->path[level->rel] = '\0';
    return status || scan->count > before ? status : skill__strings_add(&scan->folders, skill__walk_rel(scan));
  }
  status = skill__strings_add(&scan->folders, skill__walk_rel(scan));
  if (!status) status = skill__level_ignores(scan, level, dir);
  skill__level_sort(level);
  for (size_t i = 0; !status && i < level->count && !scan->full; i++) {
    status = take_item(scan, level, dir, depth, &level->items[i]);
    if (scan->count > scan->source->options.max_skills)
      skill__walk_limit(scan, "skills", scan->source->options.max_skills);
  }
  scan->path[level->rel] = '\0';
  skill__level_end(scan, level);
  return status;
}

static int walk_root(struct skill__scan *scan) {
  SkillFileInfo info = {0};
  if (scan->io->stat(scan->io, scan->root, ".", 0, &info) == 0) {
    if (skill__seen_mark(scan, info.dev, info.ino) < 0) return SKILL_ENOMEM;
  }
  int status = skill__walk_folder(scan, scan->root, 0, info.dev);
  return status ? status : skill__links_follow(scan);
}

static void tell_depth(struct skill__scan *scan) {
  const struct skill__entry *first = NULL;
  size_t deep = 0;
  for (size_t i = 0; i < scan->count; i++) {
    if (!scan->entries[i]->metadata || scan->entries[i]->depth <= SKILL__SCAN_USUAL_DEPTH) continue;
    if (!deep++) first = scan->entries[i];
  }
  if (deep == 1) {
    skill__notes_add(&scan->notes, SKILL_LEVEL_INFO, "deep-skill", first->path, "move it nearer to the root",
                     "lies more than %d folders deep, where many loaders do not look", SKILL__SCAN_USUAL_DEPTH);
  } else if (deep) {
    skill__notes_add(&scan->notes, SKILL_LEVEL_INFO, "deep-skill", first->path, "move them nearer to the root",
                     "this skill and %zu others lie more than %d folders deep, where many loaders do not look",
                     deep - 1, SKILL__SCAN_USUAL_DEPTH);
  }
  if (!scan->too_deep) return;
  scan->path[scan->top] = '\0';
  skill__notes_add(&scan->notes, SKILL_LEVEL_INFO, "depth-limit", scan->path,
                   "name a folder nearer to them, or raise the depth",
                   "%zu folders lie deeper than %u below this root and were not entered", scan->too_deep,
                   scan->source->options.max_depth);
}

int skill__scan_walk(struct skill__scan *scan) {
  int status = SKILL_ENOMEM;
  scan->levels = skill__calloc(LEVELS, sizeof *scan->levels);
  if (scan->levels) {
    const char *only = scan->source->only;
    bool folder = only && !strcasecmp(only, "SKILL.md");
    if (!only) {
      status = walk_root(scan);
    } else {
      status = skill__walk_push(scan, scan->top, only)
                   ? skill__scan_file(scan, scan->root, only, folder ? SKILL_DOCUMENT_FOLDER : SKILL_DOCUMENT_SINGLE, 0)
                   : 0;
    }
  }
  for (size_t i = 0; scan->levels && i < LEVELS; i++) skill__level_fini(&scan->levels[i]);
  skill__free(scan->levels);
  scan->levels = NULL;
  if (!status) tell_depth(scan);
  skill__strings_fini(&scan->links);
  skill__seen_fini(scan);
  return status ? status : scan->notes.status;
}
