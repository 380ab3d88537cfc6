/* SPDX-License-Identifier: MIT
 *
 * SkillIo: everything the core asks of the outside world, as one versioned table of functions.
 *
 * The core library never calls the operating system for files, time or randomness except through this table.
 * skill_io_posix() is the default; <skillet/sys/fixture.h> ships an in-memory one with a virtual clock and fault
 * countdowns, so that whoever embeds skillet can test without a disk and without sleeping.
 *
 * File functions work on handles relative to an open folder, which is what makes the "never leaves the root" promise
 * of resources possible. A handle is an opaque non-negative intptr_t; SKILL_IO_CWD means the working directory.
 * Every function returns 0 or a negative SKILL_E… code: ENOENT (absent), EDENIED (permission, or a link where none is
 * followed), EIO, ENOMEM, ELIMIT (too many open files, a path that is too long), EINVAL (not of the kind asked for, or
 * links that lead in a circle). None of them may block on a FIFO or a device.
 */
#ifndef SKILLET_IO_H
#define SKILLET_IO_H

#include "skillet/error.h"

SKILL_BEGIN

#define SKILL_IO_VERSION 1
#define SKILL_IO_CWD ((intptr_t)-100)

typedef enum SkillFileKind {
  SKILL_FILE_UNKNOWN = 0, /* the folder's listing does not tell; ask stat */
  SKILL_FILE_REGULAR,
  SKILL_FILE_FOLDER,
  SKILL_FILE_LINK,
  SKILL_FILE_OTHER /* FIFO, socket, device */
} SkillFileKind;

/* What stat tells. The five numbers together say whether a file changed; dev and ino say whether two are the same. */
typedef struct SkillFileInfo {
  SkillFileKind kind;
  uint64_t size;
  int64_t mtime_ns;
  int64_t ctime_ns;
  uint64_t dev;
  uint64_t ino;
  uint64_t reserved[2]; /* 0 */
} SkillFileInfo;

/* One entry of a folder. `name` is valid until the next call on the same handle. */
typedef struct SkillDirEntry {
  const char *name;
  SkillFileKind kind;
  uint64_t ino;
  const void *reserved[2]; /* 0 */
} SkillDirEntry;

enum {
  SKILL_IO_FOLLOW = 1,  /* follow a symbolic link in the last component; without it a link gives SKILL_EDENIED */
  SKILL_IO_BENEATH = 2, /* of file_open: a link in any component, "..", or a path from the root gives SKILL_EDENIED */
};

typedef struct SkillIo SkillIo;
struct SkillIo {
  uint32_t version; /* SKILL_IO_VERSION */
  void *impl;       /* the implementation's own */

  /* Milliseconds of a clock that never goes back; the epoch is the implementation's. */
  int64_t (*now_ms)(SkillIo *io);
  /* Fills `buffer` with random bytes. */
  int (*random)(SkillIo *io, void *buffer, size_t size);

  /* Opens a folder below `parent`; `path` may have several components. */
  int (*dir_open)(SkillIo *io, intptr_t parent, const char *path, unsigned flags, intptr_t *dir);
  /* Next entry, without "." and ".."; 1: one was stored, 0: the end. Order is whatever the file system gives. */
  int (*dir_next)(SkillIo *io, intptr_t dir, SkillDirEntry *entry);
  void (*dir_close)(SkillIo *io, intptr_t dir);

  /* Opens a regular file for reading; anything else gives SKILL_EINVAL without blocking. `info` (may be NULL) receives
   * what file_info would tell, at no further cost. */
  int (*file_open)(SkillIo *io, intptr_t dir, const char *path, unsigned flags, intptr_t *file, SkillFileInfo *info);
  /* Reads at `offset`; *got < size only at the end of the file. */
  int (*file_read)(SkillIo *io, intptr_t file, uint64_t offset, void *buffer, size_t size, size_t *got);
  /* Information about an open file. */
  int (*file_info)(SkillIo *io, intptr_t file, SkillFileInfo *info);
  void (*file_close)(SkillIo *io, intptr_t file);

  /* Information about a path below `dir`; without SKILL_IO_FOLLOW a link is itself told about (SKILL_FILE_LINK). */
  int (*stat)(SkillIo *io, intptr_t dir, const char *path, unsigned flags, SkillFileInfo *info);
  /* Writes a whole file so that a reader sees the old or the new one, never half; makes missing folders. Replaces a
   * link instead of following it. */
  int (*file_write)(SkillIo *io, intptr_t dir, const char *path, const void *data, size_t size);
  /* The text of a symbolic link, NUL-terminated; SKILL_ELIMIT where `size` is too small. */
  int (*link_read)(SkillIo *io, intptr_t dir, const char *path, char *buffer, size_t size);
};

/* The operating system's files, monotonic clock and randomness. Static, never NULL; any thread may use it, a handle
 * belongs to one thread at a time. */
SKILL_API SkillIo *skill_io_posix(void);

SKILL_END

#endif
