/* SPDX-License-Identifier: MIT
 *
 * A SkillIo in memory for tests: files, folders, links and FIFOs without a disk, a clock that only the test advances,
 * injected failures, and counters of operations.
 *
 * It is part of the library so that hosts can test their own policies, sources and loaders; docs/testing-policies.md
 * shows how. A fixture belongs to one thread. Paths are absolute or relative to "/", which is the working directory;
 * missing folders are made.
 */
#ifndef SKILLET_SYS_FIXTURE_H
#define SKILLET_SYS_FIXTURE_H

#include "skillet/io.h"

SKILL_BEGIN

typedef struct SkillFixture SkillFixture;

/* Operations that can be counted and made to fail. */
#define SKILL_FIXTURE_OP_MAP(X) \
  X(RANDOM)                     \
  X(DIR_OPEN)                   \
  X(DIR_NEXT)                   \
  X(FILE_OPEN)                  \
  X(FILE_READ)                  \
  X(FILE_INFO)                  \
  X(STAT)                       \
  X(FILE_WRITE)                 \
  X(LINK_READ)

typedef enum SkillFixtureOp {
#define SKILL_X(id) SKILL_FIXTURE_##id,
  SKILL_FIXTURE_OP_MAP(SKILL_X)
#undef SKILL_X
      SKILL_FIXTURE_OP_COUNT,
  SKILL_FIXTURE_ANY = SKILL_FIXTURE_OP_COUNT /* for skill_fixture_fail: any operation */
} SkillFixtureOp;

typedef struct SkillFixtureCounts {
  size_t calls[16]; /* by SkillFixtureOp */
  size_t bytes_read;
  size_t bytes_written;
  size_t reserved[2]; /* 0 */
} SkillFixtureCounts;

/* Makes an empty fixture whose clock is at 0. Owned: release with skill_fixture_free. SKILL_ENOMEM. */
SKILL_API int skill_fixture_new(SkillFixture **out);
SKILL_API void skill_fixture_free(SkillFixture *fixture);

/* Returns the table of functions; borrowed until the fixture is freed. */
SKILL_API SkillIo *skill_fixture_io(SkillFixture *fixture);

/* Advances and returns the virtual clock. A negative step is ignored. */
SKILL_API void skill_fixture_advance(SkillFixture *fixture, int64_t ms);
SKILL_API int64_t skill_fixture_now(const SkillFixture *fixture);

/* Writes a file; `text` is copied. An existing file is changed in place, as by an editor that does not rename: it keeps
 * its inode, and its folder keeps its times. SKILL_EINVAL (it is a folder), SKILL_ENOMEM. */
SKILL_API int skill_fixture_file(SkillFixture *fixture, const char *path, const char *text);
/* The same for bytes. `data` NULL: `size` zero bytes that need no memory, for files that are too large. */
SKILL_API int skill_fixture_bytes(SkillFixture *fixture, const char *path, const void *data, uint64_t size);
/* Makes a folder; an existing one is left unchanged. SKILL_EINVAL (it is something else), SKILL_ENOMEM. */
SKILL_API int skill_fixture_folder(SkillFixture *fixture, const char *path);
/* Makes a symbolic link, whose target need not exist. SKILL_EEXISTS. */
SKILL_API int skill_fixture_link(SkillFixture *fixture, const char *path, const char *target);
/* Makes something that is neither file, folder nor link (a FIFO). SKILL_EEXISTS. */
SKILL_API int skill_fixture_fifo(SkillFixture *fixture, const char *path);
/* Removes a path with everything below it. Open handles keep working on what they opened. SKILL_ENOENT. */
SKILL_API int skill_fixture_remove(SkillFixture *fixture, const char *path);
/* Moves a path and replaces the target. SKILL_ENOENT. */
SKILL_API int skill_fixture_rename(SkillFixture *fixture, const char *from, const char *to);
/* Sets whether opening the path is SKILL_EDENIED. SKILL_ENOENT. */
SKILL_API int skill_fixture_deny(SkillFixture *fixture, const char *path, bool denied);
/* Returns the bytes of a file, or NULL if there is none or it has no bytes of its own; borrowed until it changes. */
SKILL_API const char *skill_fixture_read(SkillFixture *fixture, const char *path, size_t *size);

/* Injects a fault: after `after` further calls of `op` the next one returns `code`; with `forever`, all later ones,
 * too. A `code` of 0 removes the fault. There is one fault for each operation, and one for SKILL_FIXTURE_ANY. */
SKILL_API void skill_fixture_fail(SkillFixture *fixture, SkillFixtureOp op, size_t after, int code, bool forever);

/* Runs before each operation with its path (NULL if it works on a handle), for example to remove a folder while it is
 * read. It may change the fixture but not call its SkillIo. */
typedef void (*SkillFixtureHook)(SkillFixture *fixture, SkillFixtureOp op, const char *path, void *user);
/* Sets the hook; NULL: none. `user` is passed to it. */
SKILL_API void skill_fixture_hook(SkillFixture *fixture, SkillFixtureHook hook, void *user);

/* Returns and resets the number of operations and bytes. */
SKILL_API SkillFixtureCounts skill_fixture_counts(const SkillFixture *fixture);
SKILL_API void skill_fixture_reset_counts(SkillFixture *fixture);

/* Returns the number of handles that were opened and not closed; 0 at the end of a test without leaks. */
SKILL_API size_t skill_fixture_open_handles(const SkillFixture *fixture);

SKILL_END

#endif
