/* SPDX-License-Identifier: MIT
 *
 * Export and attribute macros, the version, and the ceilings that every module keeps to.
 *
 * All text in this API is UTF-8. A `const char *` without a length is NUL-terminated; text that may be long or hold
 * NUL bytes comes as pointer and length. Times are milliseconds as int64_t, sizes are size_t, counts of model tokens
 * are size_t named `…tokens`.
 *
 * What comments say in fixed words: *copied* - yours may go when the call returns; *borrowed until X* - valid until X,
 * not yours to free; *owned: release with F* - yours, give it back with F exactly once; *taken on success* - the
 * callee's after a return of 0, still yours after an error. Every release function ignores NULL.
 * An object belongs to one thread at a time, and callbacks come on that thread, unless a comment says otherwise.
 * Option structs begin with `size`: initialise them with their SKILL_…_INIT macro. A function that takes one copies it.
 * A struct that was compiled against an older version is smaller and works: the members that it lacks have their
 * defaults. Any other size is refused with SKILL_EINVAL.
 */
#ifndef SKILLET_BASE_H
#define SKILLET_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SKILL_API __attribute__((visibility("default")))
#define SKILL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define SKILL_MUST_CHECK __attribute__((warn_unused_result))
#else
#define SKILL_API
#define SKILL_PRINTF(fmt, args)
#define SKILL_MUST_CHECK
#endif

#ifdef __cplusplus
#define SKILL_BEGIN extern "C" {
#define SKILL_END }
#else
#define SKILL_BEGIN
#define SKILL_END
#endif

#define SKILL_VERSION_MAJOR 0
#define SKILL_VERSION_MINOR 1
#define SKILL_VERSION_PATCH 0
#define SKILL_VERSION "0.1.0"

/* Ceilings. Input above one of them is refused with SKILL_ELIMIT or cut with a diagnostic; the comment says which. */
#define SKILL_MAX_NAME 256                  /* bytes of a skill or tool name; refused above */
#define SKILL_MAX_DESCRIPTION (1024 * 1024) /* bytes of a description; cut above, with a diagnostic */
#define SKILL_MAX_FRONTMATTER (64 * 1024)   /* bytes between the fences; an error above */
#define SKILL_MAX_FILE (8 * 1024 * 1024)    /* bytes of a SKILL.md; an error above, nothing beyond the prefix is read */
#define SKILL_MAX_RESOURCE (64 * 1024 * 1024) /* bytes of a resource that can be paged; refused above */
#define SKILL_MAX_PATH 4096                   /* bytes of a path; refused above */
#define SKILL_MAX_DEPTH 16                    /* folders below a root that discovery enters */
#define SKILL_MAX_QUERY (100 * 1024)          /* bytes of a query that are looked at; the rest is ignored */

SKILL_BEGIN

/* Returns the version of the library that is linked, e.g. "0.1.0"; static, never NULL. */
SKILL_API const char *skill_version(void);

/* Frees memory that a skillet function handed over as "owned: release with skill_free"; any thread, NULL is ignored. */
SKILL_API void skill_free(void *p);

SKILL_END

#endif
