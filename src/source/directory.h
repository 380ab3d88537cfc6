/* SPDX-License-Identifier: MIT
 *
 * The directory source, inside: what a scan keeps of each file so that the next one reads only what changed.
 *
 * A scan (walk.c finds files, entry.c reads them) builds a new list of entries aside, reusing unchanged ones, and only
 * then replaces the old list; a scan that fails leaves the source as it was.
 */
#ifndef SKILL_SOURCE_DIRECTORY_H
#define SKILL_SOURCE_DIRECTORY_H

#include "skillet/source.h"
#include "source/ignore.h"
#include "source/notes.h"
#include "util/hash.h"

enum {
  SKILL__SCAN_PREFIX = 4096,             /* bytes first read of a file */
  SKILL__SCAN_MAX_PREFIX = 80 * 1024,    /* bytes read of a file while its front matter is open */
  SKILL__SCAN_MAX_FOLDERS = 1000 * 1000, /* folders entered in one scan; told above */
  SKILL__SCAN_MAX_LISTING = 1000 * 1000, /* entries of one folder; told above */
  SKILL__SCAN_USUAL_DEPTH = 6,           /* folders that loaders usually enter; skills below are told of */
  SKILL__LIST_BODY_CHARACTERS = 8000,    /* of a body, handed out for ranking */
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

struct skill__entry {
  char *path;      /* as configured: root and relative path */
  const char *rel; /* within path: relative to the root */
  unsigned depth;  /* folders between the root and the skill */
  SkillDocumentKind kind;
  SkillFileInfo info;
  SkillMetadata *metadata; /* NULL: a file that turned out not to be a skill */
  struct skill__notes notes;
  uint64_t created; /* number of the scan that made this struct */
  uint64_t version; /* number of the scan that last changed what it says */
  uint64_t seen;    /* number of the last scan that saw it */
  bool kept;        /* the file as it is now cannot be used: these are its last good metadata */
};

struct skill__directory {
  SkillSource base;
  SkillDirectoryOptions options; /* its strings are the three below */
  char *path;
  char *label;
  char *folder;
  char *base_path;               /* folder that `rel` is relative to; the root, or a single file's folder */
  char *only;                    /* a root that is a single file: its name; else NULL */
  struct skill__entry **entries; /* skills first, in listing order: name, depth, folder before file, path */
  size_t count;                  /* all entries */
  size_t skills;                 /* entries with metadata */
  struct skill__entry **by_rel;  /* all entries, ordered by rel */
  struct skill__notes notes;     /* of the last scan, apart from those of entries */
  struct skill__strings folders; /* looked into by the last scan and no skill's: relative paths */
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
  struct skill__entry **entries; /* new and reused */
  size_t count;
  size_t capacity;
  struct skill__strings links;   /* still to follow */
  struct skill__strings kept;    /* paths below which entries are kept, since they cannot be read now */
  struct skill__strings folders; /* looked into */
  struct skill__seen *seen;      /* folders entered */
  struct skill__arena seen_folders;
  struct skill__level *levels;
  char *path;      /* the walk's place: base_path and relative path; SKILL_MAX_PATH + 1 bytes */
  size_t top;      /* length of the root's part of it */
  size_t base;     /* where the relative part begins, behind a slash */
  char *buffer;    /* file contents */
  size_t room;     /* bytes of buffer */
  intptr_t root;   /* the opened root */
  size_t too_deep; /* folders not entered for depth */
  bool full;       /* a ceiling was met and told */
  size_t hint;     /* where in by_rel the next file probably is */
  uint64_t bytes_read;
};

/* Remembers a folder. 1: it is new; 0: it was entered before; or SKILL_ENOMEM. */
int skill__seen_mark(struct skill__scan *scan, uint64_t dev, uint64_t ino);
void skill__seen_fini(struct skill__scan *scan);

/* The directory behind a source, or NULL where it is another kind. */
struct skill__directory *skill__directory_of(SkillSource *source);

/* scan.c: brings the source up to date. 0, SKILL_ENOMEM. What cannot be read becomes a note. */
int skill__directory_scan(struct skill__directory *source, SkillError *err);

/* walk.c: fills scan->entries and notes. 0 or SKILL_ENOMEM. */
int skill__scan_walk(struct skill__scan *scan);
/* Keeps what an earlier scan knew at or below the relative path. */
int skill__scan_keep(struct skill__scan *scan, const char *rel);

/* entry.c: reads the file `name` of the opened folder `dir` (or, where `dir` is SKILL_IO_CWD, the file at the walk's
 * place, through the resolver) unless it is unchanged. The walk's place is the file. 0 or SKILL_ENOMEM. */
int skill__scan_file(struct skill__scan *scan, intptr_t dir, const char *name, SkillDocumentKind kind, unsigned depth);
/* The same of a folder skill's file `name` in a folder below `dir`, "NAME/SKILL.md", no part of which may be a link.
 * `taken` tells whether it could be opened; where not, nothing is told and nothing has changed. */
int skill__scan_file_below(struct skill__scan *scan, intptr_t dir, const char *name, unsigned depth, bool *taken);
void skill__entry_free(struct skill__entry *entry);

/* The entry of that relative path in the last good list, or NULL. `hint` (may be NULL) is tried first and moved on. */
struct skill__entry *skill__directory_find(const struct skill__directory *source, const char *rel, size_t *hint);

/* The skill that SkillMetadata.path names; scans first where nothing was listed yet. SKILL_ENOENT. */
int skill__directory_entry(struct skill__directory *source, const char *path, struct skill__entry **out,
                           SkillError *err);

SkillIo *skill__directory_io(const struct skill__directory *source);

/* Opens the root; owned: release with io->dir_close. */
int skill__directory_root(struct skill__directory *source, intptr_t *root, SkillError *err);

/* As much of a body as ranking wants; NULL where it cannot be read now. Owned: skill__free. 0 or SKILL_ENOMEM. */
int skill__directory_list_body(struct skill__directory *source, const char *path, char **body, size_t *length);

/* Opens the file of an entry through the resolver. */
int skill__directory_open(struct skill__directory *source, const char *rel, intptr_t *file, SkillError *err);

/* resource.c */
int skill__directory_resources(SkillSource *source, const char *path, SkillResourceCb cb, void *user, SkillError *err);
int skill__directory_read(SkillSource *source, const char *path, const char *resource, uint64_t cursor, size_t max,
                          SkillPage *out, SkillError *err);

#endif
