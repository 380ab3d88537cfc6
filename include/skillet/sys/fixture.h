/* SPDX-License-Identifier: MIT
 *
 * An in-memory SkillIo for tests: files, folders, links and FIFOs that need no disk, a clock that moves only when it is
 * told to, failures on demand, and counters of what was asked.
 *
 * It is shipped so that whoever embeds skillet can test policies, sources and loaders of their own;
 * docs/testing-policies.md shows how. A fixture belongs to one thread. Paths are absolute or relative to "/", which is
 * the working directory; missing folders are made.
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
  SKILL_FIXTURE_ANY = SKILL_FIXTURE_OP_COUNT /* for skill_fixture_fail: whichever comes */
} SkillFixtureOp;

typedef struct SkillFixtureCounts {
  size_t calls[16]; /* by SkillFixtureOp */
  size_t bytes_read;
  size_t bytes_written;
  size_t reserved[2]; /* 0 */
} SkillFixtureCounts;

/* Makes an empty fixture whose clock shows 0; owned: release with skill_fixture_free. SKILL_ENOMEM. */
SKILL_API int skill_fixture_new(SkillFixture **out);
SKILL_API void skill_fixture_free(SkillFixture *fixture);

/* The table of functions to hand to skillet; borrowed for the fixture's life. */
SKILL_API SkillIo *skill_fixture_io(SkillFixture *fixture);

/* The virtual clock. Time never goes back: a negative step is ignored. */
SKILL_API void skill_fixture_advance(SkillFixture *fixture, int64_t ms);
SKILL_API int64_t skill_fixture_now(const SkillFixture *fixture);

/* Writes a file; `text` is copied. An existing file is edited in place: it keeps its inode, and its folder keeps its
 * times, as with an editor that does not rename. SKILL_EINVAL (a folder is there), SKILL_ENOMEM. */
SKILL_API int skill_fixture_file(SkillFixture *fixture, const char *path, const char *text);
/* The same for bytes. `data` NULL: `size` zero bytes that take no memory, for files that are too large. */
SKILL_API int skill_fixture_bytes(SkillFixture *fixture, const char *path, const void *data, uint64_t size);
/* Makes a folder; one that exists is left alone. SKILL_EINVAL (something else is there), SKILL_ENOMEM. */
SKILL_API int skill_fixture_folder(SkillFixture *fixture, const char *path);
/* Makes a symbolic link, which may dangle or lead in a circle. SKILL_EEXISTS. */
SKILL_API int skill_fixture_link(SkillFixture *fixture, const char *path, const char *target);
/* Makes something that is neither file, folder nor link (a FIFO). SKILL_EEXISTS. */
SKILL_API int skill_fixture_fifo(SkillFixture *fixture, const char *path);
/* Removes a path with all below it. Open handles go on working on what they had opened. SKILL_ENOENT. */
SKILL_API int skill_fixture_remove(SkillFixture *fixture, const char *path);
/* Moves a path, replacing what is there. SKILL_ENOENT. */
SKILL_API int skill_fixture_rename(SkillFixture *fixture, const char *from, const char *to);
/* Whether opening the path is refused with SKILL_EDENIED. SKILL_ENOENT. */
SKILL_API int skill_fixture_deny(SkillFixture *fixture, const char *path, bool denied);
/* The bytes of a file, or NULL where there is none (or it holds no bytes of its own); borrowed until it changes. */
SKILL_API const char *skill_fixture_read(SkillFixture *fixture, const char *path, size_t *size);

/* Fault countdown: the call of `op` after `after` more successful ones gives `code`; with `forever`, all later ones
 * too. A `code` of 0 takes the fault back. One countdown for each operation, and one for SKILL_FIXTURE_ANY. */
SKILL_API void skill_fixture_fail(SkillFixture *fixture, SkillFixtureOp op, size_t after, int code, bool forever);

/* Called before each operation with its path (NULL where it works on a handle), e.g. to let a folder vanish while it
 * is being read. It may change the fixture but not call its SkillIo. */
typedef void (*SkillFixtureHook)(SkillFixture *fixture, SkillFixtureOp op, const char *path, void *user);
/* Sets the hook; NULL: none. `user` is handed to it. */
SKILL_API void skill_fixture_hook(SkillFixture *fixture, SkillFixtureHook hook, void *user);

/* What was asked since the beginning or the last reset. */
SKILL_API SkillFixtureCounts skill_fixture_counts(const SkillFixture *fixture);
SKILL_API void skill_fixture_reset_counts(SkillFixture *fixture);

/* Handles that were opened and not closed: 0 at the end of a test that leaks none. */
SKILL_API size_t skill_fixture_open_handles(const SkillFixture *fixture);

SKILL_END

#endif
