/* SPDX-License-Identifier: MIT
 *
 * What discovery says about files, folders and sources: a table of notes, and a growing list that owns its texts.
 * Adding fails only when memory is out, and the failure sticks, so that a caller need not check each step.
 */
#ifndef SKILL_SOURCE_NOTES_H
#define SKILL_SOURCE_NOTES_H

#include "skillet/document.h"
#include "util/arena.h"

/* X(ID, code, level, what the user can do). Codes are public and stable; several notes may share one. */
#define SKILL__NOTE_MAP(X)                                                                                \
  X(ROOT_MISSING, "root-missing", WARNING, "check the path, or create the folder")                        \
  X(ROOT_VANISHED, "root-vanished", WARNING, "check the path, or create the folder")                      \
  X(ROOT_SEPARATOR, "root-separator", ERROR, "write / between folders")                                   \
  X(ROOT_DENIED, "root-unreadable", ERROR, "give read permission to it")                                  \
  X(ROOT_UNREADABLE, "root-unreadable", ERROR, "name a folder of skills or a .md file")                   \
  X(DENIED, "unreadable", ERROR, "give read permission to it")                                            \
  X(UNREADABLE, "unreadable", ERROR, "check the disk and the path")                                       \
  X(NOT_REGULAR, "not-regular", ERROR, "put a regular file here")                                         \
  X(VANISHED, "vanished", INFO, "scan again")                                                             \
  X(TOO_LARGE, "too-large", ERROR, "move long text into resources")                                       \
  X(KEPT_LAST_GOOD, "kept-last-good", WARNING, "finish writing the file, or remove it")                   \
  X(FILE_NAME_CASE, "file-name-case", WARNING, "rename it to SKILL.md")                                   \
  X(NESTED_SKILL, "nested-skill", INFO,                                                                   \
    "add the inner folder as a root to load them, or move them next to this skill")                       \
  X(DEEP_SKILL, "deep-skill", INFO, "move it closer to the root")                                         \
  X(DEPTH_LIMIT, "depth-limit", INFO, "add a folder closer to them as a root, or raise the depth")        \
  X(SCAN_LIMIT, "scan-limit", WARNING, "name a folder that holds fewer, or raise the limit")              \
  X(PATH_TOO_LONG, "path-too-long", WARNING, "use shorter names")                                         \
  X(IGNORED, "ignored", INFO, "change the ignore file if you want them")                                  \
  X(DANGLING_LINK, "dangling-link", WARNING, "remove the link or correct its target")                     \
  X(LINK_LOOP, "link-loop", INFO, "remove the link")                                                      \
  X(LINK_NOT_FOLLOWED, "link-not-followed", WARNING,                                                      \
    "allow links for this root (--links anywhere), or add the target as a root")                          \
  X(LINK_OUTSIDE, "link-outside", WARNING,                                                                \
    "allow links for this root (--links anywhere), or add the target as a root")                          \
  X(SOURCE_FAILED, "source-failed", ERROR, "repair the source; the next scan reads it again")             \
  X(SHADOWED, "shadowed", INFO, "rename one of them, or choose --duplicates namespace")                   \
  X(SHADOWED_HERE, "shadowed", WARNING, "rename one of them, or choose --duplicates namespace")           \
  X(SHADOWED_BY_HOST, "shadowed", INFO, "rename it")                                                      \
  X(DUPLICATE_NAME, "duplicate-name", ERROR, "rename one of them, or choose another --duplicates policy") \
  X(NAME_TOO_LONG, "name-too-long", ERROR, "use a shorter name or label")                                 \
  X(NAME_CHANGED, "name-mended", WARNING, "use a name of letters, digits and hyphens")                    \
  X(JSON_LINE, "json-line", ERROR, "write one JSON object with a \"name\" on each line")                  \
  X(TOOL_WITHOUT_NAME, "tool-without-name", WARNING, "give the tool a name")                              \
  X(INVISIBLE, "invisible-character", WARNING, "delete the invisible characters")

enum skill__note {
#define SKILL_X(id, code, level, fix) SKILL__NOTE_##id,
  SKILL__NOTE_MAP(SKILL_X)
#undef SKILL_X
};

struct skill__notes {
  SkillDiagnostic *items;
  size_t count;
  size_t capacity;
  struct skill__arena texts;
  int status; /* 0 or SKILL_ENOMEM */
};

/* Zero-initialise to start. */
void skill__notes_add(struct skill__notes *notes, enum skill__note note, const char *path, const char *format, ...)
    SKILL_PRINTF(4, 5);
/* The same with a place in the file. */
void skill__notes_add_at(struct skill__notes *notes, enum skill__note note, const char *path, unsigned line,
                         unsigned column, const char *message);
/* Copies diagnostics from elsewhere, with all their texts. */
void skill__notes_copy(struct skill__notes *notes, const SkillDiagnostic *items, size_t count);
void skill__notes_fini(struct skill__notes *notes); /* empty afterwards, and usable */

/* Whether a diagnostic has the code of this note. */
bool skill__note_is(const SkillDiagnostic *diagnostic, enum skill__note note);

#endif
