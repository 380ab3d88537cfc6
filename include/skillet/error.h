/* SPDX-License-Identifier: MIT
 *
 * Error codes and the optional details of an error.
 *
 * Functions that can fail for more than one reason return 0 or a negative code from the list below. A caller that
 * wants details passes a SkillError; every function accepts NULL instead. A function does not overwrite a record that
 * already holds an error, so that the first cause is kept. There is no global or thread-local error.
 */
#ifndef SKILLET_ERROR_H
#define SKILLET_ERROR_H

#include "skillet/base.h"

SKILL_BEGIN

/* X(name, value, text). A code is added only if callers need to distinguish it. */
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

/* Details of one error. Initialise it with SKILL_ERROR_INIT; call skill_error_clear before it is used again. Its size
 * is constant. */
typedef struct SkillError {
  int code;          /* 0, or the SKILL_E… code */
  unsigned line;     /* 1-based line in `file`; 0: no position */
  unsigned column;   /* 1-based column in bytes; 0: unknown */
  char message[512]; /* one line: what is wrong and how to correct it */
  char file[512];    /* path, or "" */
} SkillError;

#define SKILL_ERROR_INIT \
  { 0, 0, 0, "", "" }

/* Returns the text of a code, e.g. "not found", or "unknown error". Static. */
SKILL_API const char *skill_strerror(int code);

/* Returns the name of a code, e.g. "SKILL_ENOENT", or "SKILL_?". Static. */
SKILL_API const char *skill_errname(int code);

/* Stores `code` and a formatted message in `err`, unless `err` is NULL or already holds an error. Returns `code`, so
 * that a function can end with `return skill_error_set(err, SKILL_EINVAL, …)`. A message that is too long is cut. */
SKILL_API int skill_error_set(SkillError *err, int code, const char *format, ...) SKILL_PRINTF(3, 4);

/* As skill_error_set, with a position. `file` is copied; the beginning of a path that is too long is cut. */
SKILL_API int skill_error_set_at(SkillError *err, int code, const char *file, unsigned line, unsigned column,
                                 const char *format, ...) SKILL_PRINTF(6, 7);

/* Resets `err`. NULL is ignored. */
SKILL_API void skill_error_clear(SkillError *err);

SKILL_END

#endif
