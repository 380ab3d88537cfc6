/* SPDX-License-Identifier: MIT
 *
 * SkillSource: where skills come from. A source lists metadata, and returns the metadata, the body, the list of
 * resources and the resources of one skill.
 */
#ifndef SKILLET_SOURCE_H
#define SKILLET_SOURCE_H

#include "skillet/document.h"
#include "skillet/registry.h"

SKILL_BEGIN

#define SKILL_SOURCE_VERSION 1

/* A resource file of a skill (L3). */
typedef struct SkillResource {
  const char *path; /* relative to the skill's folder, with '/' as separator */
  uint64_t size;
  const char *type;        /* media type by extension and content, e.g. "text/markdown" */
  bool text;               /* valid UTF-8 without NUL */
  const void *reserved[2]; /* 0 */
} SkillResource;

/* One page of a resource. */
typedef struct SkillPage {
  char *data; /* owned: release with skill_free; NUL-terminated beyond `length` */
  size_t length;
  uint64_t next;           /* cursor of the next page; 0: this is the last one */
  uint64_t total;          /* bytes of the whole resource */
  const char *type;        /* static */
  bool text;               /* text: pages end between characters; else raw bytes */
  const void *reserved[2]; /* 0 */
} SkillPage;

/* Reports one skill of a listing, in the stable order of the source. All pointers are borrowed until the callback
 * returns. `metadata` is NULL for diagnostics that concern no skill. A non-zero return value ends the listing with that
 * value. */
typedef int (*SkillListCb)(const SkillMetadata *metadata, const char *body, size_t body_length,
                           const SkillDiagnostic *diagnostics, size_t diagnostic_count, void *user);
typedef int (*SkillResourceCb)(const SkillResource *resource, void *user);

enum { SKILL_LIST_BODY = 1 /* include the beginning of each body, as much as ranking uses (8,000 characters) */ };

/* A table of functions. `path` identifies a skill within its source: SkillMetadata.path of the listing. */
struct SkillSource {
  uint32_t version;  /* SKILL_SOURCE_VERSION */
  const char *label; /* short, unique among the sources of a registry */
  void *impl;
  /* Calls `cb` for each skill with its diagnostics, and for diagnostics that concern no skill; `flags`: SKILL_LIST_….
   * What cannot be read is a diagnostic, not a failure. */
  int (*list)(SkillSource *source, unsigned flags, SkillListCb cb, void *user, SkillError *err);
  /* Returns the metadata of one skill. Owned: release with skill_metadata_free. SKILL_ENOENT. */
  int (*metadata)(SkillSource *source, const char *path, SkillMetadata **out, SkillError *err);
  /* Returns the body of one skill, with a NUL after `length` bytes. Owned: release with skill_free. */
  int (*body)(SkillSource *source, const char *path, char **text, size_t *length, SkillError *err);
  /* List the resources of one skill and read a page of one, as skill_resources and skill_resource_read. */
  int (*resources)(SkillSource *source, const char *path, SkillResourceCb cb, void *user, SkillError *err);
  int (*read)(SkillSource *source, const char *path, const char *resource, uint64_t cursor, size_t max, SkillPage *out,
              SkillError *err);
  void (*free)(SkillSource *source);
};

/* Frees a source, after the registry that was synchronised with it. NULL is ignored. */
SKILL_API void skill_source_free(SkillSource *source);

typedef enum SkillLite { SKILL_LITE_FRONTMATTER = 0, SKILL_LITE_ALL, SKILL_LITE_OFF } SkillLite;
typedef enum SkillLinks { SKILL_LINKS_INSIDE = 0, SKILL_LINKS_ANYWHERE, SKILL_LINKS_NEVER } SkillLinks;

/* Options of a folder of skills. */
typedef struct SkillDirectoryOptions {
  size_t size;        /* sizeof(SkillDirectoryOptions) */
  const char *path;   /* a folder, or a single .md */
  const char *label;  /* NULL: the path */
  const char *folder; /* name of a root that is itself a skill, if `path` does not end in it, e.g. "."; may be NULL */
  SkillIo *io;        /* borrowed; NULL: skill_io_posix() */
  SkillLite lite;     /* which single files are skills */
  SkillLinks links;   /* which symbolic links are followed */
  bool strict;
  bool describe_from_body;
  bool survey; /* also search the folders of skills, and report what is not read there: other spellings of SKILL.md,
                  skills inside skills */
  unsigned max_depth; /* 0: SKILL_MAX_DEPTH */
  size_t max_skills;  /* 0: 200,000 */
} SkillDirectoryOptions;

#define SKILL_DIRECTORY_OPTIONS_INIT                                                                                 \
  {                                                                                                                  \
    sizeof(SkillDirectoryOptions), NULL, NULL, NULL, NULL, SKILL_LITE_FRONTMATTER, SKILL_LINKS_INSIDE, false, false, \
        false, 0, 0                                                                                                  \
  }

/* Makes a source from a folder of skills. Owned: release with skill_source_free. Nothing is read before the first
 * listing; a missing folder is a diagnostic of the listing. A listing keeps what the next one needs to read only files
 * that changed. SKILL_EINVAL, SKILL_ELIMIT (the path), SKILL_ENOMEM. */
SKILL_API int skill_source_directory_new(const SkillDirectoryOptions *options, SkillSource **out, SkillError *err);

typedef struct SkillBuiltinOptions {
  size_t size;        /* sizeof(SkillBuiltinOptions) */
  const char *folder; /* where skill-creator writes new skills; NULL: without its tool. Copied */
  SkillIo *io;        /* borrowed; NULL: skill_io_posix() */
} SkillBuiltinOptions;

#define SKILL_BUILTIN_OPTIONS_INIT \
  { sizeof(SkillBuiltinOptions), NULL, NULL }

/* Reports a folder that the last listing of a directory source searched, the root first. `path` is borrowed until the
 * callback returns. A non-zero return value ends the enumeration with that value. */
typedef int (*SkillFolderCb)(const char *path, void *user);

/* Enumerates the folders whose changes can change the next listing, so that they can be watched. Before the first
 * listing, or if the root is missing, that is the root. SKILL_EUNSUPPORTED: not a directory source. */
SKILL_API int skill_source_folders(SkillSource *source, SkillFolderCb cb, void *user);

/* Makes a source of the two built-in skills: `output-format` (always) and `skill-creator` (lazy; its tool create_skill
 * writes a new skill to `folder`, which the next skill_registry_sync of that folder finds). `options` may be NULL.
 * Owned: release with skill_source_free. SKILL_EINVAL, SKILL_ENOMEM. */
SKILL_API int skill_source_builtin_new(const SkillBuiltinOptions *options, SkillSource **out, SkillError *err);

/* Makes a source from the text of a `skills.jsonl` or of a recorded MCP `tools/list`, which is not kept. `path` is for
 * messages. Owned: release with skill_source_free. A line that cannot be read is a diagnostic of the listing.
 * SKILL_EPARSE (the text is neither; with the position), SKILL_EINVAL, SKILL_ENOMEM. */
SKILL_API int skill_source_catalog_new(const char *path, const char *label, const char *text, size_t length,
                                       SkillSource **out, SkillError *err);

typedef enum SkillDuplicates {
  SKILL_DUPLICATES_FIRST = 0, /* the skill of the earlier root is used, the other one is reported */
  SKILL_DUPLICATES_LAST,
  SKILL_DUPLICATES_ERROR,    /* none is used, all are reported */
  SKILL_DUPLICATES_NAMESPACE /* all are used, as name@label */
} SkillDuplicates;

/* What one synchronisation changed. */
typedef struct SkillSyncReport {
  size_t listed; /* skills that the sources listed */
  size_t added, changed, removed, unchanged, shadowed;
  const SkillDiagnostic *diagnostics;
  size_t diagnostic_count;
} SkillSyncReport;

/* Makes the registry's skills from sources equal to what the sources list, earlier sources first. Skills that were
 * added with skill_registry_add are not changed and have precedence. The change is atomic: a query sees the old
 * catalogue or the new one. An active skill that was changed or removed keeps its old definition until it is
 * deactivated. The sources must outlive the registry. `out` (may be NULL) is owned: release with
 * skill_sync_report_free. A source that fails keeps its skills, with a diagnostic. SKILL_ENOMEM: nothing changed. */
SKILL_API int skill_registry_sync(SkillRegistry *registry, SkillSource *const *sources, size_t count,
                                  SkillDuplicates duplicates, SkillSyncReport **out, SkillError *err);
SKILL_API void skill_sync_report_free(SkillSyncReport *report);

/* Returns the body of a registered skill (L2) from its source or its definition. Owned: release with skill_free. Errors
 * of the source (SKILL_ENOENT, SKILL_EDENIED, SKILL_EIO, SKILL_ELIMIT), SKILL_ENOMEM. */
SKILL_API int skill_body(const Skill *skill, char **text, size_t *length, SkillError *err);

/* Lists the resources (L3) of a registered skill. SKILL_EUNSUPPORTED: the skill has no source. SKILL_EIO: some could
 * not be read; `cb` was called for the others. */
SKILL_API int skill_resources(const Skill *skill, SkillResourceCb cb, void *user, SkillError *err);

/* Reads one page of a resource: at most `max` bytes (0: 32 KiB) from `cursor` (0: the beginning). SKILL_ENOENT,
 * SKILL_EDENIED (outside the folder), SKILL_ELIMIT (too large), SKILL_EINVAL (cursor, or not a regular file). */
SKILL_API int skill_resource_read(const Skill *skill, const char *path, uint64_t cursor, size_t max, SkillPage *out,
                                  SkillError *err);

SKILL_END

#endif
