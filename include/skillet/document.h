/* SPDX-License-Identifier: MIT
 *
 * A skill file's text -> metadata + body + what was assumed.
 *
 * Reading never gives up on a file that holds something usable: each recovery is told as a diagnostic with a stable
 * code, a line, a column and a sentence that says how to mend the file.
 */
#ifndef SKILLET_DOCUMENT_H
#define SKILLET_DOCUMENT_H

#include "skillet/skill.h"

SKILL_BEGIN

typedef enum SkillLevel { SKILL_LEVEL_ERROR = 0, SKILL_LEVEL_WARNING, SKILL_LEVEL_INFO } SkillLevel;

/* One finding about one file. */
typedef struct SkillDiagnostic {
  SkillLevel level;
  const char *code; /* stable, kebab-case, e.g. "yaml-colon" */
  const char *path;
  unsigned line;           /* 1-based; 0: the file as a whole */
  unsigned column;         /* 1-based, characters; 0: unknown */
  const char *message;     /* what is wrong and what was assumed */
  const char *fix;         /* how to mend it; never NULL */
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
  const char *folder;      /* the folder's name, what `name` is checked against; may be NULL */
  const char *stem;        /* single files: the file's name without .md, the fallback id */
  bool strict;             /* the public specification to the letter */
  bool describe_from_body; /* no description: take the first paragraph, flagged as derived */
  bool prefix_only;        /* the text is only the file's beginning: the body may be cut */
} SkillDocumentOptions;

#define SKILL_DOCUMENT_OPTIONS_INIT \
  { sizeof(SkillDocumentOptions), SKILL_DOCUMENT_FOLDER, NULL, NULL, NULL, false, false, false }

typedef struct SkillDocument SkillDocument;

/* Reads a file's text. Succeeds whatever the text is, except SKILL_EINVAL (options), SKILL_ENOMEM, and SKILL_ELIMIT
 * where `prefix_only` is set, the text is shorter than SKILL_MAX_FRONTMATTER, and front matter begins in it without
 * ending: give a longer prefix, or the whole file without `prefix_only`. Front matter that does not end within
 * SKILL_MAX_FRONTMATTER is told as an error finding, and what its first lines say is used.
 * Owned: release with skill_document_free. The text is not kept. */
SKILL_API int skill_document_parse(const char *text, size_t length, const SkillDocumentOptions *options,
                                   SkillDocument **out, SkillError *err);
SKILL_API void skill_document_free(SkillDocument *document);

/* Borrowed until the document is freed. `name` is never NULL; `unlisted` is set where a description is missing. */
SKILL_API const SkillMetadata *skill_document_metadata(const SkillDocument *document);

/* Whether the front matter names or describes something: what tells a single-file skill from an ordinary document. */
SKILL_API bool skill_document_has_identity(const SkillDocument *document);

/* The body without its front matter, converted to UTF-8 and LF; borrowed until the document is freed. */
SKILL_API const char *skill_document_body(const SkillDocument *document, size_t *length);

/* The findings in line order; borrowed until the document is freed. Returns how many. */
SKILL_API size_t skill_document_diagnostics(const SkillDocument *document, const SkillDiagnostic **out);

/* What may be put into a body when a skill is opened. */
typedef struct SkillSubstitution {
  size_t size;           /* sizeof(SkillSubstitution) */
  const char *arguments; /* as they were given; NULL: none */
  SkillStrings names;    /* of positional arguments: SkillMetadata.arguments */
  const char *folder;    /* the skill's folder as the model is told it; NULL: unknown */
} SkillSubstitution;

#define SKILL_SUBSTITUTION_INIT \
  { sizeof(SkillSubstitution), NULL, {NULL, 0}, NULL }

/* Puts arguments into a body, in a single pass and without running anything: $ARGUMENTS is all of them as given (""
 * where there are none), $1 the first word, $ARGUMENTS[0] too, $NAME the word of a declared name, ${SKILL_DIR} (also
 * SKILL_ROOT, CLAUDE_SKILL_DIR, CLAUDE_SKILL_ROOT) the folder; each also as ${…}. Words are separated by blanks; quotes
 * hold them together. What is not known, or was not given, stays. "\$" before something known keeps it as it is.
 * `out` is owned: release with skill_free. `used` (may be NULL) says whether the arguments were shown anywhere.
 * SKILL_EINVAL, SKILL_ELIMIT (more than 128 MiB come out), SKILL_ENOMEM. */
SKILL_API int skill_substitute(const char *body, size_t length, const SkillSubstitution *with, char **out,
                               size_t *out_length, bool *used);

SKILL_END

#endif
