/* SPDX-License-Identifier: MIT
 *
 * Discovery: walks a root and finds the files that may be skills.
 *
 * A folder with a SKILL.md is a skill; the walk does not enter it, because everything below is its resources. In other
 * folders single .md files may be skills, and folders are entered. Entries are taken in byte-wise order, so the result
 * does not depend on the file system. Links are followed last, so that their targets are first found in their own
 * place. Each folder is entered once.
 *
 * What cannot be read becomes a note and does not stop the walk; only SKILL_ENOMEM does.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "source/resolve.h"
#include "source/walk.h"
#include "util/alloc.h"

enum { LEVELS = SKILL_MAX_DEPTH + 2 };

/* --- walking ------------------------------------------------------------------------------------------------------ */

static int take_skill(struct skill__scan *scan, struct skill__level *level, intptr_t dir, unsigned depth,
                      struct skill__level_item *item) {
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

/* Fast path: the folder at the walk's place is a skill, whose file can be opened from the folder above. If that fails,
 * the folder is entered, which finds the reason. */
static int take_at_once(struct skill__scan *scan, intptr_t parent, const char *name, unsigned depth, bool *taken) {
  size_t place = strlen(scan->path);
  *taken = false;
  if (scan->source->options.survey || place + sizeof "/SKILL.md" >= SKILL_MAX_PATH) return 0;
  memcpy(scan->path + place, "/SKILL.md", sizeof "/SKILL.md");
  int status = skill__scan_file_below(scan, parent, scan->path + place - strlen(name), depth, taken);
  scan->path[place] = '\0';
  return status;
}

static int walk_folder(struct skill__scan *scan, intptr_t dir, unsigned depth, uint64_t dev);

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
  status = walk_folder(scan, dir, depth, dev);
  scan->io->dir_close(scan->io, dir);
  return status;
}

static int take_item(struct skill__scan *scan, struct skill__level *level, intptr_t dir, unsigned depth,
                     struct skill__level_item *item) {
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

/* The opened folder at the walk's place. */
static int walk_folder(struct skill__scan *scan, intptr_t dir, unsigned depth, uint64_t dev) {
  struct skill__level *level = &scan->levels[depth];
  level->rel = strlen(scan->path);
  level->dev = dev;
  int status = skill__level_read(scan, level, dir);
  if (status) return status;
  struct skill__level_item *skill = skill__survey_skill_file(scan, level);
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

/* --- links ------------------------------------------------------------------------------------------------------ */

static unsigned depth_of(const char *rel) {
  unsigned depth = *rel != '\0';
  for (; *rel; rel++) depth += *rel == '/';
  return depth;
}

static void note_refused(struct skill__scan *scan, const SkillError *err) {
  bool never = scan->source->options.links == SKILL_LINKS_NEVER;
  skill__notes_add(&scan->notes, never ? SKILL__NOTE_LINK_NOT_FOLLOWED : SKILL__NOTE_LINK_OUTSIDE, scan->path,
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
    status = depth > scan->source->options.max_depth ? 0 : walk_folder(scan, dir, depth, info.dev);
    scan->too_deep += depth > scan->source->options.max_depth;
  }
  scan->io->dir_close(scan->io, dir);
  return status == SKILL_ENOMEM ? status : 0;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Follows links, also those found behind other links, until none is left. */
static int follow_links(struct skill__scan *scan) {
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

/* --- the root --------------------------------------------------------------------------------------------------- */

static int walk_root(struct skill__scan *scan) {
  SkillFileInfo info = {0};
  if (scan->io->stat(scan->io, scan->root, ".", 0, &info) == 0) {
    if (skill__seen_mark(scan, info.dev, info.ino) < 0) return SKILL_ENOMEM;
  }
  int status = walk_folder(scan, scan->root, 0, info.dev);
  return status ? status : follow_links(scan);
}

static void tell_depth(struct skill__scan *scan) {
  const struct skill__scan_entry *first = NULL;
  size_t deep = 0;
  for (size_t i = 0; i < scan->count; i++) {
    if (!scan->entries[i]->metadata || scan->entries[i]->depth <= SKILL__SCAN_USUAL_DEPTH) continue;
    if (!deep++) first = scan->entries[i];
  }
  if (deep == 1) {
    skill__notes_add(&scan->notes, SKILL__NOTE_DEEP_SKILL, first->path,
                     "is more than %d folders deep, where many loaders do not look", SKILL__SCAN_USUAL_DEPTH);
  } else if (deep) {
    skill__notes_add(&scan->notes, SKILL__NOTE_DEEP_SKILL, first->path,
                     "this skill and %zu others are more than %d folders deep, where many loaders do not look",
                     deep - 1, SKILL__SCAN_USUAL_DEPTH);
  }
  if (!scan->too_deep) return;
  scan->path[scan->top] = '\0';
  skill__notes_add(&scan->notes, SKILL__NOTE_DEPTH_LIMIT, scan->path,
                   "%zu folders are more than %u levels below this root and were not read", scan->too_deep,
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
