/* SPDX-License-Identifier: MIT
 *
 * Reads the text of a skill file: metadata, body, and diagnostics.
 *
 * A file with anything usable is read. Each recovery is reported as a diagnostic with a stable code, a line, a column,
 * and a sentence that tells how to correct the file. docs/format.md lists the codes.
 */
#ifndef SKILLET_DOCUMENT_H
#define SKILLET_DOCUMENT_H

#include "skillet/skill.h"

SKILL_BEGIN

typedef enum SkillLevel { SKILL_LEVEL_ERROR = 0, SKILL_LEVEL_WARNING, SKILL_LEVEL_INFO } SkillLevel;

/* One finding in one file. */
typedef struct SkillDiagnostic {
  SkillLevel level;
  const char *code; /* stable, kebab-case, e.g. "yaml-colon" */
  const char *path;
  unsigned line;           /* 1-based; 0: the whole file */
  unsigned column;         /* 1-based, characters; 0: unknown */
  const char *message;     /* what is wrong, and what was assumed */
  const char *fix;         /* how to correct it; never NULL */
  const void *reserved[2]; /* 0 */
} SkillDiagnostic;

/* Returns "error", "warning" or "info"; static. */
SKILL_API const char *skill_level_name(SkillLevel level);

typedef enum SkillDocumentKind {
  SKILL_DOCUMENT_FOLDER = 0, /* NAME/SKILL.md */
  SKILL_DOCUMENT_SINGLE      /* NAME.md */
} SkillDocumentKind;

typedef struct SkillDocumentOptions {
  size_t size; /* sizeof(SkillDocumentOptions) */
  SkillDocumentKind kind;
  const char *path;        /* for messages; may be NULL */
  const char *folder;      /* the folder's name, with which `name` is compared; may be NULL */
  const char *stem;        /* of a single file: its name without .md, used as id if it has none */
  bool strict;             /* apply the public specification literally */
  bool describe_from_body; /* without a description use the first paragraph, and set description_derived */
  bool prefix_only;        /* the text is the beginning of the file; the body may be incomplete */
} SkillDocumentOptions;

#define SKILL_DOCUMENT_OPTIONS_INIT \
  { sizeof(SkillDocumentOptions), SKILL_DOCUMENT_FOLDER, NULL, NULL, NULL, false, false, false }

typedef struct SkillDocument SkillDocument;

/* Reads the text of a file, which is not kept. Any text is accepted. `options` may be NULL. Front matter that does not
 * end within SKILL_MAX_FRONTMATTER is reported as an error finding, and its first lines are used. Owned: release with
 * skill_document_free. SKILL_EINVAL (options), SKILL_ENOMEM. SKILL_ELIMIT: `prefix_only` is set, the text is shorter
 * than SKILL_MAX_FRONTMATTER, and its front matter does not end in it; call again with a longer prefix or the whole
 * file. */
SKILL_API int skill_document_parse(const char *text, size_t length, const SkillDocumentOptions *options,
                                   SkillDocument **out, SkillError *err);
SKILL_API void skill_document_free(SkillDocument *document);

/* Returns the metadata; borrowed until the document is freed. `name` is never NULL; `unlisted` is set if the
 * description is missing. */
SKILL_API const SkillMetadata *skill_document_metadata(const SkillDocument *document);

/* Returns whether the front matter has a name, an id or a description. This distinguishes a single-file skill from
 * other Markdown files. */
SKILL_API bool skill_document_has_identity(const SkillDocument *document);

/* Returns the text after the front matter, as UTF-8 with LF line ends; borrowed until the document is freed. */
SKILL_API const char *skill_document_body(const SkillDocument *document, size_t *length);

/* Stores the findings, in the order of lines, in *out and returns their number. Borrowed until the document is
 * freed. */
SKILL_API size_t skill_document_diagnostics(const SkillDocument *document, const SkillDiagnostic **out);

/* Values for the variables of a body. */
typedef struct SkillSubstitution {
  size_t size;           /* sizeof(SkillSubstitution) */
  const char *arguments; /* as the user wrote them; NULL: none */
  SkillStrings names;    /* of the positional arguments: SkillMetadata.arguments */
  const char *folder;    /* the skill's folder as the model knows it; NULL: unknown */
} SkillSubstitution;

#define SKILL_SUBSTITUTION_INIT \
  { sizeof(SkillSubstitution), NULL, {NULL, 0}, NULL }

/* Replaces the variables of a body in one pass; nothing is executed. $ARGUMENTS: all arguments ("" if there are none);
 * $1 and $ARGUMENTS[0]: the first word; $NAME: the word of a declared name; ${SKILL_DIR} (also SKILL_ROOT,
 * CLAUDE_SKILL_DIR, CLAUDE_SKILL_ROOT): the folder. Each can also be written as ${…}. Words are separated by blanks;
 * quotes group them. A variable that is unknown or has no value is left unchanged, and so is one after a backslash,
 * which is removed. `out` is owned: release with skill_free. `used` (may be NULL) receives whether the arguments occur
 * in the result. SKILL_EINVAL, SKILL_ELIMIT (more than 128 MiB), SKILL_ENOMEM. */
SKILL_API int skill_substitute(const char *body, size_t length, const SkillSubstitution *with, char **out,
                               size_t *out_length, bool *used);

SKILL_END

#endif
