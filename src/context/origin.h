/* SPDX-License-Identifier: MIT
 *
 * The origin of a message (SkillMessage.origin): "KIND" or "KIND:NAME", see skillet/context.h. Only these functions
 * know the texts. They are stored with conversations, so they never change.
 */
#ifndef SKILL_CONTEXT_ORIGIN_H
#define SKILL_CONTEXT_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "skillet/skill.h"

enum skill__origin {
  SKILL__ORIGIN_NONE,     /* no origin: said by the user, the model or a tool */
  SKILL__ORIGIN_MENTION,  /* a file or skill that the user mentioned; with its name */
  SKILL__ORIGIN_SKILL,    /* the body of an opened skill; with its name */
  SKILL__ORIGIN_TOOLS,    /* descriptions of a skill's tools; with the skill's name */
  SKILL__ORIGIN_PASSAGES, /* retrieved for the request */
  SKILL__ORIGIN_SUMMARY,  /* replaces earlier messages */
  SKILL__ORIGIN_OMISSION, /* says what a request leaves out */
  SKILL__ORIGIN_OTHER     /* the host's own */
};

enum { SKILL__ORIGIN_SIZE = SKILL_MAX_PATH + 16 }; /* bytes of the longest one */

/* The kind; `name` (may be NULL) receives the part after the colon, or NULL. */
enum skill__origin skill__origin_read(const char *origin, const char **name);
/* Whether it is of that kind and, unless `name` is NULL, has that name. */
bool skill__origin_is(const char *origin, enum skill__origin kind, const char *name);
/* The text of a kind without names; static. */
const char *skill__origin_text(enum skill__origin kind);
/* Writes "KIND:NAME" into SKILL__ORIGIN_SIZE bytes; a longer name is cut. Returns `buffer`. */
const char *skill__origin_write(enum skill__origin kind, const char *name, char *buffer);

#endif
