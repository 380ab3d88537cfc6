/* SPDX-License-Identifier: MIT
 *
 * The place of the walk (scan->path), and notes about it.
 */
#include <string.h>
#include <strings.h>

#include "source/walk.h"

/* --- notes -------------------------------------------------------------------------------------------------------- */

/* What a failed call says about the file or folder at the walk's place. */
void skill__walk_unreadable(struct skill__scan *scan, int status) {
  if (status == SKILL_ENOENT) {
    skill__notes_add(&scan->notes, SKILL__NOTE_VANISHED, scan->path, "disappeared while its folder was read");
  } else if (status == SKILL_EDENIED) {
    skill__notes_add(&scan->notes, SKILL__NOTE_DENIED, scan->path, "cannot be read: permission denied (EACCES)");
  } else {
    skill__notes_add(&scan->notes, SKILL__NOTE_UNREADABLE, scan->path, "cannot be read: %s", skill_strerror(status));
  }
}

void skill__walk_limit(struct skill__scan *scan, const char *what, size_t most) {
  if (scan->full) return;
  scan->full = true;
  skill__notes_add(&scan->notes, SKILL__NOTE_SCAN_LIMIT, scan->path,
                   "the scan stops here: more than %zu %s; what comes after is not listed", most, what);
}

int skill__scan_keep(struct skill__scan *scan, const char *rel) {
  return skill__strings_add(&scan->kept, rel);
}

/* --- the place ---------------------------------------------------------------------------------------------------- */

/* Appends a component to the place; false: too long, with a note. */
bool skill__walk_push(struct skill__scan *scan, size_t at, const char *name) {
  size_t length = strlen(name);
  bool slash = at > 0 && scan->path[at - 1] != '/';
  if (at + length + 2 > SKILL_MAX_PATH) {
    scan->path[at] = '\0';
    skill__notes_add(&scan->notes, SKILL__NOTE_PATH_TOO_LONG, scan->path,
                     "a path below it is longer than %d bytes and is left out", SKILL_MAX_PATH);
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

/* Documents about a folder, in any case, also README.zh.md and README_CN.md: never skills. */
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
