/* SPDX-License-Identifier: MIT
 *
 * The directory source, internally: a scan keeps an entry for each file, so that the next one reads only what changed.
 *
 * A scan (walk.c finds files, entry.c reads them) builds a new list of entries, reuses unchanged ones, and then
 * replaces the old list. A scan that fails leaves the source as it was.
 */
#ifndef SKILL_SOURCE_DIRECTORY_H
#define SKILL_SOURCE_DIRECTORY_H

#include "skillet/source.h"
#include "source/ignore.h"
#include "source/notes.h"
#include "util/hash.h"

enum {
  SKILL__SCAN_PREFIX = 4096,             /* bytes first read of a file */
  SKILL__SCAN_MAX_FOLDERS = 1000 * 1000, /* folders entered in one scan; a note above */
  SKILL__SCAN_MAX_LISTING = 1000 * 1000, /* entries of one folder; a note above */
  SKILL__SCAN_USUAL_DEPTH = 6,           /* folders that loaders usually enter; a note for skills below */
  SKILL__LIST_BODY_CHARACTERS = 8000,    /* of a body, returned for ranking */
  SKILL__LIST_BODY_READ = 96 * 1024,     /* bytes read of a file for that */
};

struct skill__strings {
  char **items;
  size_t count;
  size_t capacity;
};

/* Adds a copy. 0 or SKILL_ENOMEM. */
int skill__strings_add(struct skill__strings *strings, const char *text);
void skill__strings_fini(struct skill__strings *strings);

struct skill__scan_entry {
  char *path;      /* as configured: root and relative path */
  const char *rel; /* within path: relative to the root */
  unsigned depth;  /* folders between the root and the skill */
  SkillDocumentKind kind;
  SkillFileInfo info;
  SkillMetadata *metadata; /* NULL: the file is not a skill */
  struct skill__notes notes;
  uint64_t created; /* number of the scan that made this struct */
  uint64_t version; /* number of the scan that last changed its content */
  uint64_t seen;    /* number of the last scan that saw it */
  bool kept;        /* the file cannot be used now: these are its last good metadata */
};

struct skill__directory {
  SkillSource base;
  SkillDirectoryOptions options; /* its strings are the three below */
  char *path;
  char *label;
  char *folder;
  char *base_path;                    /* folder that `rel` is relative to; the root, or a single file's folder */
  char *only;                         /* a root that is a single file: its name; else NULL */
  struct skill__scan_entry **entries; /* skills first, in listing order: name, depth, folder before file, path */
  size_t count;                       /* all entries */
  size_t skills;                      /* entries with metadata */
  struct skill__scan_entry **by_rel;  /* all entries, ordered by rel */
  struct skill__notes notes;          /* of the last scan, apart from those of entries */
  struct skill__strings folders; /* relative paths of the folders that the last scan read and that are not in a skill */
  uint64_t attempts;             /* scans begun */
  uint64_t scan;                 /* number of the last good scan; 0: none */
  uint64_t bytes_read;           /* by the last scan */
};

/* A folder that a scan entered. */
struct skill__seen {
  uint64_t id[2]; /* device, inode */
  UT_hash_handle hh;
};

/* State of one scan. */
struct skill__scan {
  struct skill__directory *source;
  SkillIo *io;
  uint64_t number;
  struct skill__notes notes;
  struct skill__scan_entry **entries; /* new and reused */
  size_t count;
  size_t capacity;
  struct skill__strings links;   /* still to follow */
  struct skill__strings kept;    /* paths that cannot be read now: entries below them are kept */
  struct skill__strings folders; /* read */
  struct skill__seen *seen;      /* folders entered */
  struct skill__arena seen_folders;
  struct skill__level *levels;
  char *path;      /* the place of the walk: base_path and relative path; SKILL_MAX_PATH + 1 bytes */
  size_t top;      /* length of the root's part of it */
  size_t base;     /* where the relative part begins, behind a slash */
  char *buffer;    /* file contents */
  size_t room;     /* bytes of buffer */
  intptr_t root;   /* the opened root */
  size_t too_deep; /* folders below the depth limit */
  bool full;       /* a limit was reached, and a note says so */
  size_t hint;     /* probable index in by_rel of the next file */
  uint64_t bytes_read;
};

/* Remembers a folder. 1: it is new; 0: it was entered before; or SKILL_ENOMEM. */
int skill__seen_mark(struct skill__scan *scan, uint64_t dev, uint64_t ino);
void skill__seen_fini(struct skill__scan *scan);

/* The directory of a source; NULL: it is of another kind. */
struct skill__directory *skill__directory_of(SkillSource *source);

/* scan.c: scans the root. 0 or SKILL_ENOMEM. What cannot be read becomes a note. */
int skill__directory_scan(struct skill__directory *source, SkillError *err);

/* walk.c: fills scan->entries and notes. 0 or SKILL_ENOMEM. */
int skill__scan_walk(struct skill__scan *scan);
/* Keeps the entries at or below the relative path. */
int skill__scan_keep(struct skill__scan *scan, const char *rel);

/* entry.c: reads the file `name` of the opened folder `dir` unless it is unchanged. If `dir` is SKILL_IO_CWD, the
 * resolver opens the file. The place of the walk is the file. 0 or SKILL_ENOMEM. */
int skill__scan_file(struct skill__scan *scan, intptr_t dir, const char *name, SkillDocumentKind kind, unsigned depth);
/* The same for the file `name` of a folder skill below `dir`, "NAME/SKILL.md", no part of which may be a link. *taken:
 * whether it could be opened; if not, there is no note and no change. */
int skill__scan_file_below(struct skill__scan *scan, intptr_t dir, const char *name, unsigned depth, bool *taken);
void skill__scan_entry_free(struct skill__scan_entry *entry);

/* The entry of a relative path in the last good list, or NULL. `hint` (may be NULL) is an index to try first; it moves
 * to the entry after the one found. */
struct skill__scan_entry *skill__directory_find(const struct skill__directory *source, const char *rel, size_t *hint);

/* scan.c: the skill of a SkillMetadata.path; scans first if there was no scan yet. SKILL_ENOENT. */
int skill__directory_entry(struct skill__directory *source, const char *path, struct skill__scan_entry **out,
                           SkillError *err);

SkillIo *skill__directory_io(const struct skill__directory *source);

/* Opens the root; owned: release with io->dir_close. */
int skill__directory_root(struct skill__directory *source, intptr_t *root, SkillError *err);

/* The part of a body that is ranked; NULL: it cannot be read now. Owned: skill__free. 0 or SKILL_ENOMEM. */
int skill__directory_list_body(struct skill__directory *source, const char *path, char **body, size_t *length);

/* Opens the file of an entry through the resolver. */
int skill__directory_open(struct skill__directory *source, const char *rel, intptr_t *file, SkillError *err);

/* resource.c */
int skill__directory_resources(SkillSource *source, const char *path, SkillResourceCb cb, void *user, SkillError *err);
int skill__directory_read(SkillSource *source, const char *path, const char *resource, uint64_t cursor, size_t max,
                          SkillPage *out, SkillError *err);

#endif
