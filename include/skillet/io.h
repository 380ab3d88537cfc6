/* SPDX-License-Identifier: MIT
 *
 * SkillIo: all access of the core to the outside world, as one versioned table of functions.
 *
 * The core library uses the operating system's files, time and randomness only through this table. skill_io_posix() is
 * the default; <skillet/sys/fixture.h> provides one in memory, with a virtual clock and injected faults, for tests
 * without a disk and without sleeping.
 *
 * File functions work on handles relative to an open folder, so that a path can be kept below a root. A handle is an
 * opaque non-negative intptr_t; SKILL_IO_CWD is the working directory. Every function returns 0 or a negative SKILL_E…
 * code: ENOENT (does not exist), EDENIED (permission, or a link that is not to be followed), EIO, ENOMEM, ELIMIT (too
 * many open files, or a path that is too long), EINVAL (not of the required kind, or links in a circle). No function
 * may block on a FIFO or a device.
 */
#ifndef SKILLET_IO_H
#define SKILLET_IO_H

#include "skillet/error.h"

SKILL_BEGIN

#define SKILL_IO_VERSION 1
#define SKILL_IO_CWD ((intptr_t)-100)

typedef enum SkillFileKind {
  SKILL_FILE_UNKNOWN = 0, /* unknown from the listing; use stat */
  SKILL_FILE_REGULAR,
  SKILL_FILE_FOLDER,
  SKILL_FILE_LINK,
  SKILL_FILE_OTHER /* FIFO, socket, device */
} SkillFileKind;

/* Properties of a file. If all five numbers are equal, the file has not changed; dev and ino identify it. */
typedef struct SkillFileInfo {
  SkillFileKind kind;
  uint64_t size;
  int64_t mtime_ns;
  int64_t ctime_ns;
  uint64_t dev;
  uint64_t ino;
  uint64_t reserved[2]; /* 0 */
} SkillFileInfo;

/* One entry of a folder. `name` is valid until the next call with the same handle. */
typedef struct SkillDirEntry {
  const char *name;
  SkillFileKind kind;
  uint64_t ino;
  const void *reserved[2]; /* 0 */
} SkillDirEntry;

enum {
  SKILL_IO_FOLLOW = 1,  /* follow a symbolic link in the last component; else a link is SKILL_EDENIED */
  SKILL_IO_BENEATH = 2, /* file_open: a link in any component, "..", or an absolute path is SKILL_EDENIED */
};

typedef struct SkillIo SkillIo;
struct SkillIo {
  uint32_t version; /* SKILL_IO_VERSION */
  void *impl;       /* the implementation's own */

  /* Milliseconds of a clock that never goes back; its zero is chosen by the implementation. */
  int64_t (*now_ms)(SkillIo *io);
  /* Fills `buffer` with random bytes. */
  int (*random)(SkillIo *io, void *buffer, size_t size);

  /* Opens a folder below `parent`; `path` may have several components. */
  int (*dir_open)(SkillIo *io, intptr_t parent, const char *path, unsigned flags, intptr_t *dir);
  /* Returns 1 and the next entry, without "." and "..", in the order of the file system; 0 at the end. */
  int (*dir_next)(SkillIo *io, intptr_t dir, SkillDirEntry *entry);
  void (*dir_close)(SkillIo *io, intptr_t dir);

  /* Opens a regular file for reading; anything else is SKILL_EINVAL, without blocking. `info` (may be NULL) receives
   * what file_info returns. */
  int (*file_open)(SkillIo *io, intptr_t dir, const char *path, unsigned flags, intptr_t *file, SkillFileInfo *info);
  /* Reads at `offset`; *got < size only at the end of the file. */
  int (*file_read)(SkillIo *io, intptr_t file, uint64_t offset, void *buffer, size_t size, size_t *got);
  /* Returns the properties of an open file. */
  int (*file_info)(SkillIo *io, intptr_t file, SkillFileInfo *info);
  void (*file_close)(SkillIo *io, intptr_t file);

  /* Returns the properties of a path below `dir`; without SKILL_IO_FOLLOW those of a link itself (SKILL_FILE_LINK). */
  int (*stat)(SkillIo *io, intptr_t dir, const char *path, unsigned flags, SkillFileInfo *info);
  /* Writes a whole file so that readers see the old or the new content, never a part of it; makes missing folders.
   * Replaces a link instead of following it. */
  int (*file_write)(SkillIo *io, intptr_t dir, const char *path, const void *data, size_t size);
  /* Returns the text of a symbolic link, NUL-terminated. SKILL_ELIMIT: `size` is too small. */
  int (*link_read)(SkillIo *io, intptr_t dir, const char *path, char *buffer, size_t size);
};

/* Returns the operating system's files, monotonic clock and randomness. Static, never NULL. Any thread; a handle
 * belongs to one thread at a time. */
SKILL_API SkillIo *skill_io_posix(void);

SKILL_END

#endif
