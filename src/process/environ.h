/* SPDX-License-Identifier: MIT
 *
 * The environment of a child, and the string vectors for environments and command lines.
 */
#ifndef SKILL_PROCESS_ENVIRON_H
#define SKILL_PROCESS_ENVIRON_H

#include "skillet/error.h"
#include "util/arena.h"

/* A growable NULL-terminated vector of strings in an arena. The first error is kept; later calls do nothing. */
struct skill__argv {
  struct skill__arena arena;
  char **items; /* NULL-terminated once something was added */
  size_t count;
  size_t capacity;
  size_t bytes;
  int status; /* 0, SKILL_ENOMEM, SKILL_ELIMIT */
};

void skill__argv_add(struct skill__argv *argv, const char *text);                /* copied; NULL adds nothing */
void skill__argv_words(struct skill__argv *argv, const char *text);              /* its words, split at blanks */
void skill__argv_joined(struct skill__argv *argv, const char *a, const char *b); /* one item: a then b */
void skill__argv_all(struct skill__argv *argv, const char *const *items);        /* NULL-terminated; may be NULL */
void skill__argv_fini(struct skill__argv *argv);

/* The clean environment: the host's PATH, HOME, USER, LOGNAME, SHELL, LANG, LC_* and TZ, and the variables named in
 * `pass`; then `extra`, which overrides them. */
void skill__environ_clean(struct skill__argv *env, const char *const *pass, const char *const *extra);

/* The value of NAME in `env`, or NULL. */
const char *skill__environ_get(const struct skill__argv *env, const char *name);

/* Finds an executable file: `name` itself if it contains a '/', else in the folders of `path`; writes its path to
 * `buffer`. 0, SKILL_ENOENT, SKILL_EDENIED (found but not executable), SKILL_ELIMIT. */
int skill__path_find(const char *name, const char *path, char *buffer, size_t size);

#endif
