/* SPDX-License-Identifier: MIT
 *
 * Ignore files: `.skilletignore` and `.gitignore`, with the patterns of git: comments, `!`, a trailing `/` for folders,
 * patterns with a `/` anchored at the file's folder, `*`, `?`, `[…]` and `**`.
 */
#ifndef SKILL_SOURCE_IGNORE_H
#define SKILL_SOURCE_IGNORE_H

#include <stdbool.h>
#include <stddef.h>

enum {
  SKILL__IGNORE_MAX_FILE = 64 * 1024, /* bytes of an ignore file that are looked at */
  SKILL__IGNORE_MAX_PATTERNS = 1000   /* of one file; later ones are not looked at */
};

struct skill__ignore_pattern;

/* The patterns of one ignore file; zero-initialise. */
struct skill__ignore {
  struct skill__ignore_pattern *patterns;
  size_t count;
  size_t capacity;
  char *text;
};

/* Adds the patterns of a file's text (copied). 0 or SKILL_ENOMEM. */
int skill__ignore_parse(struct skill__ignore *ignore, const char *text, size_t length);
void skill__ignore_fini(struct skill__ignore *ignore);

/* What the patterns say of `path`, relative to the ignore file's folder: 1 ignored, -1 re-included, 0 nothing. */
int skill__ignore_match(const struct skill__ignore *ignore, const char *path, bool folder);

/* Folders that never hold skills of their own: version control, package stores, caches. */
bool skill__ignore_builtin(const char *name);

#endif
