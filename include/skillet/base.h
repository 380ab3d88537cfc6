/* SPDX-License-Identifier: MIT
 *
 * Export and attribute macros, the version, limits, and the conventions of all headers.
 *
 * Types. Text is UTF-8. A `const char *` without a length is NUL-terminated; text that may be long or contain NUL bytes
 * is a pointer and a length. Times are milliseconds in int64_t, sizes are size_t, and counts of model tokens are size_t
 * with a name that ends in `tokens`.
 *
 * Ownership. Comments use these words: *copied*: the argument may be freed when the call returns; *borrowed until X*:
 * valid until X, and not to be freed by the borrower; *owned: release with F*: the caller releases it with F, exactly
 * once; *taken on success*: the callee owns it if it returns 0, the caller still owns it after an error. Every release
 * function ignores NULL.
 *
 * Errors. A function that can fail returns 0 or a negative SKILL_E… code (error.h). Unless its comment says otherwise,
 * a failed call leaves its outputs and the object unchanged.
 *
 * Threads. An object belongs to one thread at a time, and its callbacks run on that thread, unless a comment says
 * otherwise. Different objects may be used on different threads.
 *
 * Structs and versions. A program that was compiled with older headers keeps working with a newer library:
 *   - Option structs begin with `size`. Initialise them with their SKILL_…_INIT macro. A smaller struct of an older
 *     version is accepted, and the members that it lacks have their defaults; any other size is SKILL_EINVAL.
 *   - A struct that the library hands out by pointer may get new members at its end. Do not use its sizeof. Several of
 *     them are an array of pointers.
 *   - A struct that is copied, is allocated by the caller, or is an item of an array has a constant size. If it may
 * need more members, it has `reserved` ones; set them to 0 (as initialisers do).
 *   - Tables of functions begin with `version`.
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

/* Limits. Input above a limit is refused with SKILL_ELIMIT, unless the comment says otherwise. */
#define SKILL_MAX_NAME 256                    /* bytes of a skill or tool name */
#define SKILL_MAX_DESCRIPTION (1024 * 1024)   /* bytes of a description; a longer one is cut, with a diagnostic */
#define SKILL_MAX_FRONTMATTER (64 * 1024)     /* bytes between the fences; a diagnostic of level error */
#define SKILL_MAX_FILE (8 * 1024 * 1024)      /* bytes of a SKILL.md; a diagnostic of level error */
#define SKILL_MAX_RESOURCE (64 * 1024 * 1024) /* bytes of a resource that can be read */
#define SKILL_MAX_PATH 4096                   /* bytes of a path */
#define SKILL_MAX_DEPTH 16                    /* levels of folders below a root that discovery enters */
#define SKILL_MAX_QUERY (100 * 1024)          /* bytes of a query; the rest is ignored */

SKILL_BEGIN

/* Returns the version of the linked library, e.g. "0.1.0". Static, never NULL. */
SKILL_API const char *skill_version(void);

/* Frees memory that a function returned as "owned: release with skill_free". Any thread. NULL is ignored. */
SKILL_API void skill_free(void *p);

SKILL_END

#endif
