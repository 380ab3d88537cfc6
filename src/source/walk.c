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

#include "source/directory.h"
#include "source/resolve.h"
#include "util/alloc.h"

struct item {
  size_t name; /* offset into the level's names */
  SkillFileKind kind;
  uint64_t ino;
};

/* One folder on the way down; its memory is used again for each folder of that depth. */
struct skill__level {
  char *names;
  size_t used;
  size_t room;
  struct item *items;
  size_t count;
  size_t capacity;
  size_t rel;                     /* length of scan->path at this folder */
  struct skill__ignore ignore[2]; /* .gitignore, .skilletignore */
  size_t ignored;
  uint64_t dev;
};

enum {
  LEVELS = SKILL_MAX_DEPTH + 2,
  NESTED_DEPTH = 8,     /* folders below a skill in which a SKILL.md is noticed */
  NESTED_FOLDERS = 2000 /* of one skill that are looked into */
};

static int walk_folder(struct skill__scan *scan, intptr_t dir, unsigned depth, uint64_t dev);

/* --- notes ------------------------------------------------------------------------------------------------------ */

/* `rel` is shown below the configured root. */
static void note_unreadable(struct skill__scan *scan, int code) {
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

static void note_limit(struct skill__scan *scan, const char *what, size_t most) {
  if (scan->full) return;
  scan->full = true;
  skill__notes_add(&scan->notes, SKILL_LEVEL_WARNING, "scan-limit", scan->path,
                   "name a folder that holds fewer, or raise the limit",
                   "stopped here: more than %zu %s; what comes after is not listed", most, what);
}

int skill__scan_keep(struct skill__scan *scan, const char *rel) {
  return skill__strings_add(&scan->kept, rel);
}

/* --- the place --------------------------------------------------------------------------------------------------- */

/* Appends a component to the walk's place; false: too long, which is told. */
static bool push_name(struct skill__scan *scan, size_t at, const char *name) {
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

static const char *rel_of(const struct skill__scan *scan) {
  return scan->path[scan->top] ? scan->path + scan->base : "";
}

/* --- one folder's listing ------------------------------------------------------------------------------------------
 */

static const char *name_of(const struct skill__level *level, const struct item *item) {
  return level->names + item->name;
}

static int add_item(struct skill__level *level, const SkillDirEntry *entry) {
  size_t length = strlen(entry->name) + 1;
  if (SKILL__GROW(level->items, level->capacity, level->count + 1) ||
      SKILL__GROW(level->names, level->room, level->used + length)) {
    return SKILL_ENOMEM;
  }
  memcpy(level->names + level->used, entry->name, length);
  level->items[level->count++] = (struct item){level->used, entry->kind, entry->ino};
  level->used += length;
  return 0;
}

/* Reads the folder's entries. SKILL_ENOMEM ends the scan; other failures are told, and then what was known stays. */
static int read_listing(struct skill__scan *scan, struct skill__level *level, intptr_t dir) {
  level->count = 0;
  level->used = 0;
  for (;;) {
    SkillDirEntry entry;
    int status = scan->io->dir_next(scan->io, dir, &entry);
    if (status == 0) return 0;
    if (status == 1) status = add_item(level, &entry);
    if (status == SKILL_ENOMEM) return status;
    if (status < 0) {
      note_unreadable(scan, status);
      return skill__scan_keep(scan, rel_of(scan));
    }
    if (level->count == SKILL__SCAN_MAX_LISTING) {
      note_limit(scan, "entries in one folder", SKILL__SCAN_MAX_LISTING);
      return 0;
    }
  }
}

static int by_name(const void *a, const void *b, void *names) {
  const struct item *left = a;
  const struct item *right = b;
  return strcmp((const char *)names + left->name, (const char *)names + right->name);
}

static SkillFileKind kind_of(struct skill__scan *scan, intptr_t dir, const char *name, struct item *item) {
  SkillFileInfo info;
  if (item->kind != SKILL_FILE_UNKNOWN) return item->kind;
  if (scan->io->stat(scan->io, dir, name, 0, &info)) return SKILL_FILE_UNKNOWN;
  item->ino = info.ino;
  return item->kind = info.kind;
}

/* --- ignoring ------------------------------------------------------------------------------------------------------
 */

static int load_ignore(struct skill__scan *scan, intptr_t dir, const char *name, struct skill__ignore *into) {
  intptr_t file;
  size_t got = 0;
  if (scan->io->file_open(scan->io, dir, name, 0, &file, NULL)) return 0;
  char *text = skill__malloc(SKILL__IGNORE_MAX_FILE);
  int status = text ? scan->io->file_read(scan->io, file, 0, text, SKILL__IGNORE_MAX_FILE, &got) : SKILL_ENOMEM;
  scan->io->file_close(scan->io, file);
  scan->bytes_read += got;
  if (!status) status = skill__ignore_parse(into, text, got);
  skill__free(text);
  return status == SKILL_ENOMEM ? status : 0;
}

static int load_ignores(struct skill__scan *scan, struct skill__level *level, intptr_t dir) {
  static const char *const files[] = {".gitignore", ".skilletignore"};
  for (size_t i = 0; i < level->count; i++) {
    const char *name = name_of(level, &level->items[i]);
    for (size_t k = 0; name[0] == '.' && k < 2; k++) {
      if (!strcmp(name, files[k]) && load_ignore(scan, dir, name, &level->ignore[k])) return SKILL_ENOMEM;
    }
  }
  return 0;
}

/* Whether the walk's place, in the folder of `depth`, is ignored; the innermost file that has an opinion decides. */
static bool is_ignored(struct skill__scan *scan, unsigned depth, const char *name, bool folder) {
  if (folder && skill__ignore_builtin(name)) return true;
  for (unsigned d = depth + 1; d-- > 0;) {
    struct skill__level *level = &scan->levels[d];
    const char *path = scan->path + level->rel;
    while (*path == '/') path++;
    for (size_t k = 2; k-- > 0;) {
      int says = level->ignore[k].count ? skill__ignore_match(&level->ignore[k], path, folder) : 0;
      level->ignored += says > 0;
      if (says) return says > 0;
    }
  }
  return false;
}

static void end_level(struct skill__scan *scan, struct skill__level *level) {
  if (level->ignored) {
    skill__notes_add(&scan->notes, SKILL_LEVEL_INFO, "ignored", scan->path, "change the ignore file if they are wanted",
                     "%zu entries are left out by its .gitignore or .skilletignore", level->ignored);
  }
  level->ignored = 0;
  skill__ignore_fini(&level->ignore[0]);
  skill__ignore_fini(&level->ignore[1]);
}

/* --- single files ----------------------------------------------------------------------------------------------------
 */

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

static bool may_be_single(const struct skill__scan *scan, const char *name) {
  return scan->source->options.lite != SKILL_LITE_OFF && is_markdown(name) && name[0] != '.' && !is_document(name);
}

/* --- links -----------------------------------------------------------------------------------------------------------
 */

static void note_dangling(struct skill__scan *scan, intptr_t dir, const char *name) {
  char target[512];
  if (scan->io->link_read(scan->io, dir, name, target, sizeof target)) snprintf(target, sizeof target, "?");
  skill__notes_add(&scan->notes, SKILL_LEVEL_WARNING, "dangling-link", scan->path, "remove the link or mend its target",
                   "a symbolic link to '%s', which does not exist", target);
}

/* Looks where a link leads and remembers it for later; what leads nowhere is told. */
static int defer_link(struct skill__scan *scan, intptr_t dir, const char *name) {
  SkillFileInfo info;
  int status = scan->io->stat(scan->io, dir, name, SKILL_IO_FOLLOW, &info);
  if (status == SKILL_ENOENT) {
    note_dangling(scan, dir, name);
    return 0;
  }
  if (status == SKILL_EINVAL) {
    skill__notes_add(&scan->notes, SKILL_LEVEL_INFO, "link-loop", scan->path, "remove the link",
                     "a symbolic link that leads in a circle");
    return 0;
  }
  if (status) {
    note_unreadable(scan, status);
    return status == SKILL_ENOMEM ? status : skill__scan_keep(scan, rel_of(scan));
  }
  bool file = info.kind == SKILL_FILE_REGULAR && may_be_single(scan, name);
  if (info.kind != SKILL_FILE_FOLDER && !file) return 0;
  return skill__strings_add(&scan->links, rel_of(scan));
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
  if (!push_name(scan, scan->top, rel)) return 0;
  int status = skill__resolve_folder(&at, rel, &dir, &err);
  if (status == SKILL_EINVAL) return skill__scan_file(scan, SKILL_IO_CWD, rel, SKILL_DOCUMENT_SINGLE, depth);
  if (status == SKILL_ENOMEM) return status;
  if (status) {
    note_refused(scan, &err);
    return 0;
  }
  status = scan->io->stat(scan->io, dir, ".", 0, &info);
  if (!status) status = skill__seen_mark(&scan->seen, info.dev, info.ino);
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

/* Follows links, and those found behind them, until none is left. */
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

/* --- walking
 * ---------------------------------------------------------------------------------------------------------- */

/* The folder's SKILL.md, or the first of its spellings; the others are told. NULL: the folder is no skill. */
static struct item *find_skill_file(struct skill__scan *scan, struct skill__level *level) {
  struct item *best = NULL;
  for (size_t i = 0; i < level->count; i++) {
    const char *name = name_of(level, &level->items[i]);
    if ((name[0] | 0x20) != 's' || strcasecmp(name, "SKILL.md") != 0) continue;
    if (level->items[i].kind == SKILL_FILE_FOLDER) continue;
    if (!best || strcmp(name, "SKILL.md") == 0 ||
        (strcmp(name_of(level, best), "SKILL.md") != 0 && strcmp(name, name_of(level, best)) < 0)) {
      best = &level->items[i];
    }
  }
  for (size_t i = 0; best && i < level->count; i++) {
    const char *name = name_of(level, &level->items[i]);
    if ((name[0] | 0x20) != 's' || strcasecmp(name, "SKILL.md") != 0 || strcmp(name, "SKILL.md") == 0) continue;
    if (!push_name(scan, level->rel, name)) continue;
    skill__notes_add(&scan->notes, SKILL_LEVEL_WARNING, "file-name-case", scan->path, "rename it to SKILL.md",
                     &level->items[i] == best ? "read as SKILL.md; other programs will not find it by this name"
                                              : "not read: another spelling of SKILL.md stands beside it");
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

/* Skills inside a skill are its resources; that they are there is told. The walk's place is the folder. */
static void note_nested(struct skill__scan *scan, struct skill__level *level, intptr_t dir) {
  size_t budget = NESTED_FOLDERS;
  size_t found = 0;
  for (size_t i = 0; i < level->count; i++) {
    if (level->items[i].kind != SKILL_FILE_FOLDER) continue;
    count_nested(scan, dir, name_of(level, &level->items[i]), 1, &budget, &found);
  }
  if (!found) return;
  scan->path[level->rel] = '\0';
  skill__notes_add(&scan->notes, SKILL_LEVEL_INFO, "nested-skill", scan->path,
                   "name the inner folder as a root of its own to load them, or move them beside this skill",
                   "%zu SKILL.md below this skill are its resources, not skills of their own", found);
}

static int take_skill(struct skill__scan *scan, struct skill__level *level, intptr_t dir, unsigned depth,
                      struct item *item) {
  const char *name = name_of(level, item);
  if (!push_name(scan, level->rel, name)) return 0;
  SkillFileKind kind = kind_of(scan, dir, name, item);
  SkillFileInfo info;
  if (kind == SKILL_FILE_LINK) {
    if (scan->io->stat(scan->io, dir, name, SKILL_IO_FOLLOW, &info) == SKILL_ENOENT) {
      note_dangling(scan, dir, name);
      return 0;
    }
    dir = SKILL_IO_CWD;
  }
  return skill__scan_file(scan, dir, name, SKILL_DOCUMENT_FOLDER, depth);
}

static int enter_folder(struct skill__scan *scan, intptr_t parent, const char *name, uint64_t ino, unsigned depth,
                        uint64_t dev) {
  if (depth > scan->source->options.max_depth) {
    scan->too_deep++;
    return 0;
  }
  if (scan->seen.count >= SKILL__SCAN_MAX_FOLDERS) {
    note_limit(scan, "folders", SKILL__SCAN_MAX_FOLDERS);
    return 0;
  }
  int status = skill__seen_mark(&scan->seen, dev, ino);
  if (status != 1) return status;
  intptr_t dir;
  status = scan->io->dir_open(scan->io, parent, name, 0, &dir);
  if (status == SKILL_ENOMEM) return status;
  if (status) {
    note_unreadable(scan, status);
    return status == SKILL_ENOENT ? 0 : skill__scan_keep(scan, rel_of(scan));
  }
  status = walk_folder(scan, dir, depth, dev);
  scan->io->dir_close(scan->io, dir);
  return status;
}

static int take_item(struct skill__scan *scan, struct skill__level *level, intptr_t dir, unsigned depth,
                     struct item *item) {
  const char *name = name_of(level, item);
  SkillFileKind kind = kind_of(scan, dir, name, item);
  if (!push_name(scan, level->rel, name)) return 0;
  if (kind == SKILL_FILE_FOLDER) {
    if (is_ignored(scan, depth, name, true)) return 0;
    return enter_folder(scan, dir, name, item->ino, depth + 1, level->dev);
  }
  if (kind == SKILL_FILE_LINK) return is_ignored(scan, depth, name, false) ? 0 : defer_link(scan, dir, name);
  if (kind != SKILL_FILE_REGULAR || !may_be_single(scan, name) || is_ignored(scan, depth, name, false)) return 0;
  return skill__scan_file(scan, dir, name, SKILL_DOCUMENT_SINGLE, depth + 1);
}

/* The walk's place is the folder. */
static int walk_folder(struct skill__scan *scan, intptr_t dir, unsigned depth, uint64_t dev) {
  struct skill__level *level = &scan->levels[depth];
  level->rel = strlen(scan->path);
  level->dev = dev;
  int status = read_listing(scan, level, dir);
  if (status) return status;
  struct item *skill = find_skill_file(scan, level);
  if (skill) {
    size_t before = scan->count;
    note_nested(scan, level, dir);
    status = take_skill(scan, level, dir, depth, skill);
    scan->path[level->rel] = '\0';
    return status || scan->count > before ? status : skill__strings_add(&scan->folders, rel_of(scan));
  }
  status = skill__strings_add(&scan->folders, rel_of(scan));
  if (!status) status = load_ignores(scan, level, dir);
  if (level->count > 1) qsort_r(level->items, level->count, sizeof *level->items, by_name, level->names);
  for (size_t i = 0; !status && i < level->count && !scan->full; i++) {
    status = take_item(scan, level, dir, depth, &level->items[i]);
    if (scan->count > scan->source->options.max_skills) note_limit(scan, "skills", scan->source->options.max_skills);
  }
  scan->path[level->rel] = '\0';
  end_level(scan, level);
  return status;
}

static int walk_root(struct skill__scan *scan) {
  SkillFileInfo info = {0};
  if (scan->io->stat(scan->io, scan->root, ".", 0, &info) == 0) {
    if (skill__seen_mark(&scan->seen, info.dev, info.ino) < 0) return SKILL_ENOMEM;
  }
  int status = walk_folder(scan, scan->root, 0, info.dev);
  return status ? status : follow_links(scan);
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
      status = push_name(scan, scan->top, only)
                   ? skill__scan_file(scan, scan->root, only, folder ? SKILL_DOCUMENT_FOLDER : SKILL_DOCUMENT_SINGLE, 0)
                   : 0;
    }
  }
  for (size_t i = 0; scan->levels && i < LEVELS; i++) {
    skill__free(scan->levels[i].names);
    skill__free(scan->levels[i].items);
    skill__ignore_fini(&scan->levels[i].ignore[0]);
    skill__ignore_fini(&scan->levels[i].ignore[1]);
  }
  skill__free(scan->levels);
  scan->levels = NULL;
  if (!status) tell_depth(scan);
  skill__strings_fini(&scan->links);
  skill__free(scan->seen.slots);
  return status ? status : scan->notes.status;
}
