/* SPDX-License-Identifier: MIT
 *
 * The table of findings about skill files, and the list that collects them for one file.
 *
 * Codes are public and stable. Each has a level for the lenient profile, which loading uses, and one for the strict
 * profile, which is the public Agent Skills specification to the letter.
 */
#ifndef SKILL_DOCUMENT_DIAGNOSTIC_H
#define SKILL_DOCUMENT_DIAGNOSTIC_H

#include "skillet/document.h"
#include "util/arena.h"

/* X(ID, code, lenient level, strict level, how to correct the file) */
#define SKILL__DIAGNOSTIC_MAP(X)                                                                                      \
  X(NO_FRONTMATTER, "no-frontmatter", ERROR, ERROR,                                                                   \
    "begin the file with a line ---, then name: and description:, then a line ---")                                   \
  X(EMPTY_FILE, "empty-file", ERROR, ERROR, "write the skill, or remove the file")                                    \
  X(FRONTMATTER_SIZE, "frontmatter-size", ERROR, ERROR,                                                               \
    "close the front matter with a line --- and keep it under 64 KiB; move long text into the body")                  \
  X(FILE_SIZE, "file-size", ERROR, ERROR, "move reference material into separate files under references/")            \
  X(FENCE_POSITION, "fence-position", WARNING, ERROR, "move the front matter to the first line of the file")          \
  X(FENCE_CODE, "fence-in-code", WARNING, ERROR, "take the front matter out of the code block")                       \
  X(FENCE_OPEN, "fence-not-closed", WARNING, ERROR, "end the front matter with a line that is exactly ---")           \
  X(FENCE_MISSING, "fence-missing", WARNING, ERROR, "put a line --- before the first key and one after the last")     \
  X(FENCE_FORM, "fence-form", WARNING, ERROR, "write the fence as exactly three hyphens, from column 1")              \
  X(FENCE_DOUBLE, "fence-double", WARNING, WARNING, "merge both blocks into the first and delete the second")         \
  X(MULTIPART, "multipart-wrapper", ERROR, ERROR, "delete the upload envelope (multipart/form-data) around the file") \
  X(MERGE_CONFLICT, "merge-conflict", ERROR, ERROR, "resolve the conflict and delete its marker lines")               \
  X(ENCODING_UTF16, "encoding-utf16", WARNING, ERROR, "save the file as UTF-8")                                       \
  X(ENCODING_GBK, "encoding-gbk", WARNING, ERROR, "save the file as UTF-8")                                           \
  X(ENCODING_LATIN1, "encoding-latin1", WARNING, ERROR, "save the file as UTF-8")                                     \
  X(ENCODING_BROKEN, "encoding-broken", WARNING, ERROR, "retype the damaged characters and save the file as UTF-8")   \
  X(CONTROL_CHARACTER, "control-character", WARNING, ERROR, "delete the control characters")                          \
  X(LONE_CR, "lone-cr", WARNING, WARNING, "end lines with LF (or CR LF)")                                             \
  X(YAML_COLON, "yaml-colon", WARNING, ERROR, "put the value in quotes")                                              \
  X(YAML_RESERVED, "yaml-reserved", WARNING, ERROR, "put the value in quotes")                                        \
  X(YAML_QUOTE, "yaml-quote", WARNING, ERROR,                                                                         \
    "double the apostrophe inside single quotes, or write \\\" inside double quotes")                                 \
  X(YAML_ESCAPE, "yaml-escape", WARNING, ERROR, "write the backslash twice, or use single quotes")                    \
  X(YAML_BLOCK, "yaml-block", WARNING, ERROR, "put the text on the lines below the indicator, indented")              \
  X(YAML_FLOW, "yaml-flow", WARNING, ERROR, "put the value in quotes")                                                \
  X(YAML_TAB, "yaml-tab", WARNING, ERROR, "indent with spaces")                                                       \
  X(YAML_SPACE, "yaml-space", WARNING, ERROR, "write a colon and a space after the key")                              \
  X(YAML_INDENT, "yaml-indent", WARNING, ERROR, "indent the lines that belong to the key above")                      \
  X(YAML_LINE, "yaml-line", WARNING, ERROR, "correct or delete the line")                                             \
  X(YAML_BROKEN, "yaml-broken", ERROR, ERROR, "write the front matter as YAML: one 'key: value' on each line")        \
  X(YAML_LIMIT, "yaml-limit", ERROR, ERROR, "remove anchors and aliases; nest no deeper than 32 levels")              \
  X(YAML_COMMENT, "yaml-comment", WARNING, WARNING, "put the value in quotes if the text after # belongs to it")      \
  X(DUPLICATE_KEY, "duplicate-key", WARNING, ERROR, "delete one of the two entries")                                  \
  X(KEY_SPELLING, "key-spelling", INFO, ERROR, "use the usual spelling of the key")                                   \
  X(KEY_TYPO, "key-typo", WARNING, WARNING, "correct the key, or move the entry under metadata:")                     \
  X(UNKNOWN_KEY, "unknown-key", INFO, ERROR, "move the entry under metadata:")                                        \
  X(SCALAR_TYPE, "scalar-type", WARNING, WARNING,                                                                     \
    "put the value in quotes, so that every YAML reader sees the same text")                                          \
  X(VALUE_KIND, "value-kind", WARNING, ERROR, "write the value in the form that the message names")                   \
  X(VALUE_UNKNOWN, "value-unknown", WARNING, WARNING, "use one of the values that the message names")                 \
  X(NAME_MISSING, "name-missing", WARNING, ERROR, "add a line name: with the name of the folder")                     \
  X(NAME_FORM, "name-form", WARNING, ERROR,                                                                           \
    "use lower-case letters, digits and single hyphens, at most 64 characters")                                       \
  X(NAME_FOLDER, "name-folder", WARNING, ERROR, "give the folder and the skill the same name")                        \
  X(NAME_UNUSABLE, "name-unusable", WARNING, ERROR,                                                                   \
    "choose a name of 1 to 64 characters without / or control characters")                                            \
  X(DESCRIPTION_MISSING, "description-missing", ERROR, ERROR,                                                         \
    "add a line description: that says what the skill does and when to use it")                                       \
  X(DESCRIPTION_LENGTH, "description-length", WARNING, ERROR, "shorten the description to 1,024 characters")          \
  X(DESCRIPTION_DERIVED, "description-derived", INFO, INFO,                                                           \
    "add a line description: that says what the skill does and when to use it")                                       \
  X(FIELD_LENGTH, "field-length", WARNING, ERROR, "shorten the value")                                                \
  X(INVISIBLE, "invisible-character", WARNING, WARNING, "delete the invisible characters")                            \
  X(BODY_EMPTY, "body-empty", WARNING, WARNING, "write the instructions below the front matter")                      \
  X(TOOL_INVALID, "tool-invalid", WARNING, WARNING, "give the tool a name, and write input_schema as a mapping")      \
  X(AGENT_WITHOUT_FORK, "agent-without-fork", WARNING, WARNING, "add context: fork, or remove agent:")

enum skill__code {
#define SKILL_X(id, code, lenient, strict, fix) SKILL__##id,
  SKILL__DIAGNOSTIC_MAP(SKILL_X)
#undef SKILL_X
      SKILL__CODE_COUNT
};

enum { SKILL__FINDINGS_MAX = 100 }; /* of one file; later ones are counted, not kept */

/* Collects findings; the strings are in the arena. */
struct skill__findings {
  struct skill__arena *arena;
  SkillDiagnostic *items; /* owned: skill__free */
  size_t count;
  size_t capacity;
  size_t dropped;
  const char *path; /* in the arena, or NULL */
  bool strict;
  int status; /* 0 or SKILL_ENOMEM, sticky */
};

/* Adds one finding. Level and fix come from the table. */
void skill__finding(struct skill__findings *findings, enum skill__code code, unsigned line, unsigned column,
                    const char *format, ...) SKILL_PRINTF(5, 6);
/* Sorts by line, then column, errors first at one place; stable. Called once, at the end. */
void skill__findings_sort(struct skill__findings *findings);
bool skill__findings_have(const struct skill__findings *findings, enum skill__code code);
/* SKILL__CODE_COUNT: the table has no such code. */
enum skill__code skill__code_find(const char *name);
const char *skill__code_name(enum skill__code code);
const char *skill__code_fix(enum skill__code code);
SkillLevel skill__code_level(enum skill__code code, bool strict);

#endif
