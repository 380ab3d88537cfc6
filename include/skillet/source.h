/* SPDX-License-Identifier: MIT
 *
 * SkillSource: where skills come from. It answers five questions and nothing more: list metadata, get metadata, get
 * body, list resources, read a resource.
 */
#ifndef SKILLET_SOURCE_H
#define SKILLET_SOURCE_H

#include "skillet/document.h"
#include "skillet/registry.h"

SKILL_BEGIN

#define SKILL_SOURCE_VERSION 1

/* A resource file of a skill (L3). */
typedef struct SkillResource {
  const char *path; /* relative to the skill's folder, '/' between components */
  uint64_t size;
  const char *type;        /* media type by extension and content, e.g. "text/markdown" */
  bool text;               /* valid UTF-8 without NUL */
  const void *reserved[2]; /* 0 */
} SkillResource;

/* One page of a resource. */
typedef struct SkillPage {
  char *data; /* owned: release with skill_free; NUL-terminated beyond `length` */
  size_t length;
  uint64_t next;           /* cursor of the next page; 0: this was the last */
  uint64_t total;          /* bytes of the whole resource */
  const char *type;        /* static */
  bool text;               /* text pages end on character boundaries; binary pages hold raw bytes */
  const void *reserved[2]; /* 0 */
} SkillPage;

/* What a listing yields, in the source's stable order. All pointers are borrowed until the callback returns.
 * `metadata` is NULL for a diagnostic that belongs to no skill. A non-zero return ends the listing with that code. */
typedef int (*SkillListCb)(const SkillMetadata *metadata, const char *body, size_t body_length,
                           const SkillDiagnostic *diagnostics, size_t diagnostic_count, void *user);
typedef int (*SkillResourceCb)(const SkillResource *resource, void *user);

enum { SKILL_LIST_BODY = 1 /* hand out as much of each body as ranking wants (8,000 characters) */ };

/* `path` identifies a skill within its source: SkillMetadata.path of the listing. */
struct SkillSource {
  uint32_t version;  /* SKILL_SOURCE_VERSION */
  const char *label; /* short, unique among the sources of a registry */
  void *impl;
  /* Calls `cb` for each skill, with what is odd about it, and for findings about no skill; `flags`: SKILL_LIST_…. What
   * cannot be read is a finding, not a failure. */
  int (*list)(SkillSource *source, unsigned flags, SkillListCb cb, void *user, SkillError *err);
  /* One skill; owned: release with skill_metadata_free. SKILL_ENOENT: none of that path. */
  int (*metadata)(SkillSource *source, const char *path, SkillMetadata **out, SkillError *err);
  /* Its body, NUL-terminated beyond `length`; owned: release with skill_free. */
  int (*body)(SkillSource *source, const char *path, char **text, size_t *length, SkillError *err);
  /* Its files, and one page of one of them, as skill_resources and skill_resource_read say. */
  int (*resources)(SkillSource *source, const char *path, SkillResourceCb cb, void *user, SkillError *err);
  int (*read)(SkillSource *source, const char *path, const char *resource, uint64_t cursor, size_t max, SkillPage *out,
              SkillError *err);
  void (*free)(SkillSource *source);
};

/* Frees through the table, after the registry that it was synchronised with. */
SKILL_API void skill_source_free(SkillSource *source);

typedef enum SkillLite { SKILL_LITE_FRONTMATTER = 0, SKILL_LITE_ALL, SKILL_LITE_OFF } SkillLite;
typedef enum SkillLinks { SKILL_LINKS_INSIDE = 0, SKILL_LINKS_ANYWHERE, SKILL_LINKS_NEVER } SkillLinks;

/* One root. */
typedef struct SkillDirectoryOptions {
  size_t size;        /* sizeof(SkillDirectoryOptions) */
  const char *path;   /* a folder, or a single .md */
  const char *label;  /* NULL: the path */
  const char *folder; /* name of a root that is itself a skill where `path` does not tell it, e.g. "."; may be NULL */
  SkillIo *io;        /* borrowed; NULL: skill_io_posix() */
  SkillLite lite;     /* which single files count */
  SkillLinks links;   /* which symbolic links are followed */
  bool strict;
  bool describe_from_body;
  bool survey;        /* look into the folders of skills too, and tell what in them is not read: other spellings of
                         SKILL.md, skills inside skills. Without it a skill's folder is not listed */
  unsigned max_depth; /* 0: SKILL_MAX_DEPTH */
  size_t max_skills;  /* 0: 200,000 */
} SkillDirectoryOptions;

#define SKILL_DIRECTORY_OPTIONS_INIT                                                                                 \
  {                                                                                                                  \
    sizeof(SkillDirectoryOptions), NULL, NULL, NULL, NULL, SKILL_LITE_FRONTMATTER, SKILL_LINKS_INSIDE, false, false, \
        false, 0, 0                                                                                                  \
  }

/* A folder of skills; owned: release with skill_source_free. Nothing is read before the first listing; a folder that
 * is missing is told by the listing as a diagnostic. The listing keeps what it needs for a warm second one, which
 * reads only what changed. SKILL_EINVAL, SKILL_ELIMIT (the path), SKILL_ENOMEM. */
SKILL_API int skill_source_directory_new(const SkillDirectoryOptions *options, SkillSource **out, SkillError *err);

typedef struct SkillBuiltinOptions {
  size_t size;        /* sizeof(SkillBuiltinOptions) */
  const char *folder; /* where skill-creator may write new skills; NULL: its tool is not offered. Copied */
  SkillIo *io;        /* borrowed; NULL: skill_io_posix() */
} SkillBuiltinOptions;

#define SKILL_BUILTIN_OPTIONS_INIT \
  { sizeof(SkillBuiltinOptions), NULL, NULL }

/* Called with each folder that the last listing of a directory source looked into, the root first. `path` is borrowed
 * until it returns. A non-zero return ends the enumeration with that value. */
typedef int (*SkillFolderCb)(const char *path, void *user);

/* Enumerates the folders whose changes would change the next listing, for whoever watches them. Where nothing was
 * listed yet, or the root is missing, that is the root alone. SKILL_EUNSUPPORTED: not a directory source. */
SKILL_API int skill_source_folders(SkillSource *source, SkillFolderCb cb, void *user);

/* The two built-in skills: `output-format` (always) and `skill-creator` (lazy; its tool create_skill writes a new
 * skill below `folder`, which the next skill_registry_sync over that folder finds). `options` may be NULL.
 * Owned: release with skill_source_free. SKILL_EINVAL, SKILL_ENOMEM. */
SKILL_API int skill_source_builtin_new(const SkillBuiltinOptions *options, SkillSource **out, SkillError *err);

/* A `skills.jsonl` or a recorded MCP `tools/list`, from text that is not kept. `path` is for messages.
 * Owned: release with skill_source_free. A bad line is told by the listing; the others stay.
 * SKILL_EPARSE (the text is neither; with the place), SKILL_EINVAL, SKILL_ENOMEM. */
SKILL_API int skill_source_catalog_new(const char *path, const char *label, const char *text, size_t length,
                                       SkillSource **out, SkillError *err);

typedef enum SkillDuplicates {
  SKILL_DUPLICATES_FIRST = 0, /* the earlier root wins, the loser is reported */
  SKILL_DUPLICATES_LAST,
  SKILL_DUPLICATES_ERROR,    /* neither loads, both are reported */
  SKILL_DUPLICATES_NAMESPACE /* both load, as name@label */
} SkillDuplicates;

/* What one synchronisation did. */
typedef struct SkillSyncReport {
  size_t listed; /* skills the sources named */
  size_t added, changed, removed, unchanged, shadowed;
  const SkillDiagnostic *diagnostics;
  size_t diagnostic_count;
} SkillSyncReport;

/* Makes the registry's source-backed skills equal to what the sources list, earlier sources first; skills added by
 * skill_registry_add are left alone and win. The change is atomic: a query sees the old catalogue or the new one. An
 * active skill that changed or went keeps running on its old definition until it is deactivated. The sources must
 * outlive the registry. `out` (may be NULL) is owned: release with skill_sync_report_free.
 * SKILL_ENOMEM: nothing changed. A source that fails keeps its last skills, and a diagnostic says so. */
SKILL_API int skill_registry_sync(SkillRegistry *registry, SkillSource *const *sources, size_t count,
                                  SkillDuplicates duplicates, SkillSyncReport **out, SkillError *err);
SKILL_API void skill_sync_report_free(SkillSyncReport *report);

/* The body of a registered skill (L2), from its source or its definition; owned: release with skill_free.
 * What its source returns (SKILL_ENOENT, SKILL_EDENIED, SKILL_EIO, SKILL_ELIMIT), SKILL_ENOMEM. */
SKILL_API int skill_body(const Skill *skill, char **text, size_t *length, SkillError *err);

/* Lists a registered skill's resources (L3). SKILL_EUNSUPPORTED for a skill without a source; SKILL_EIO where some
 * could not be read: `cb` has come for the others. */
SKILL_API int skill_resources(const Skill *skill, SkillResourceCb cb, void *user, SkillError *err);

/* Reads one page of a resource: at most `max` bytes (0: 32 KiB) from `cursor` (0: the beginning). SKILL_ENOENT,
 * SKILL_EDENIED (outside the folder), SKILL_ELIMIT (too large), SKILL_EINVAL (cursor, or not a regular file). */
SKILL_API int skill_resource_read(const Skill *skill, const char *path, uint64_t cursor, size_t max, SkillPage *out,
                                  SkillError *err);

SKILL_END

#endif
