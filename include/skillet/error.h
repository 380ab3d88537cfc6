/* SPDX-License-Identifier: MIT
 *
 * Error codes and the optional detail record.
 *
 * Functions that can fail for more than one reason return 0 or a negative code of the list below. Whoever wants the
 * detail passes a SkillError; NULL is accepted everywhere. The first writer wins: a record that already holds an
 * error is left alone, so that the cause is not painted over on the way up. There is no global or thread-local error.
 * Unless a function says otherwise, a failure leaves its outputs untouched and the object as it was.
 */
#ifndef SKILLET_ERROR_H
#define SKILLET_ERROR_H

#include "skillet/base.h"

SKILL_BEGIN

/* X(name, value, text). One is added only if a caller would branch on it. */
#define SKILL_ERROR_MAP(X)                                \
  X(ENOMEM, -1, "out of memory")                          \
  X(EINVAL, -2, "invalid argument")                       \
  X(ENOENT, -3, "not found")                              \
  X(EEXISTS, -4, "already exists")                        \
  X(EBUSY, -5, "busy")                                    \
  X(ECANCELED, -6, "canceled")                            \
  X(ETIMEDOUT, -7, "timed out")                           \
  X(EFULL, -8, "no room: nothing can be evicted")         \
  X(EPARSE, -9, "cannot be parsed")                       \
  X(EIO, -10, "input or output failed")                   \
  X(ELIMIT, -11, "limit exceeded")                        \
  X(EDENIED, -12, "denied")                               \
  X(EFAILED, -13, "the skill or tool reported a failure") \
  X(ECLOSED, -14, "closed")                               \
  X(EUNSUPPORTED, -15, "not supported here")              \
  X(EREMOTE, -16, "a model, server or child process failed")

enum {
  SKILL_OK = 0,
#define SKILL_X(name, value, text) SKILL_##name = (value),
  SKILL_ERROR_MAP(SKILL_X)
#undef SKILL_X
};

/* The detail of one failure. Zero-initialise it (SKILL_ERROR_INIT) before the first use; reuse after clearing it. */
typedef struct SkillError {
  int code;          /* 0, or the SKILL_E… code */
  unsigned line;     /* 1-based line in `file`; 0: not about a place in a file */
  unsigned column;   /* 1-based column in bytes; 0: unknown */
  char message[512]; /* one line: what is wrong and what to do */
  char file[512];    /* path, or "" */
} SkillError;

#define SKILL_ERROR_INIT \
  { 0, 0, 0, "", "" }

/* Returns the text of a code, e.g. "not found"; static. Unknown codes give "unknown error". */
SKILL_API const char *skill_strerror(int code);

/* Returns the name of a code, e.g. "SKILL_ENOENT"; static. Unknown codes give "SKILL_?". */
SKILL_API const char *skill_errname(int code);

/* Fills `err` with a formatted message unless it already holds an error or is NULL; returns `code`, so that
 * `return skill_error_set(err, SKILL_EINVAL, …)` reads as one step. A message that is too long is cut. */
SKILL_API int skill_error_set(SkillError *err, int code, const char *format, ...) SKILL_PRINTF(3, 4);

/* As skill_error_set, with the place. `file` is copied; its head is cut when it is too long. */
SKILL_API int skill_error_set_at(SkillError *err, int code, const char *file, unsigned line, unsigned column,
                                 const char *format, ...) SKILL_PRINTF(6, 7);

/* Makes `err` empty again; NULL is ignored. */
SKILL_API void skill_error_clear(SkillError *err);

SKILL_END

#endif
