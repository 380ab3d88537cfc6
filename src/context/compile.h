/* SPDX-License-Identifier: MIT
 *
 * What the compiler's two halves share: compile.c plans what a request keeps, compile_write.c writes its messages.
 */
#ifndef SKILL_CONTEXT_COMPILE_H
#define SKILL_CONTEXT_COMPILE_H

#include "context/message_groups.h"
#include "skillet/context.h"
#include "util/arena.h"

enum { SKILL__OMISSION_TOKENS = 192 }; /* reserved for the note on what is left out */

struct skill__compiling {
  const SkillContextInput *input;
  struct skill__arena arena; /* of the arrays below */
  struct skill__message_group *groups;
  size_t group_count;
  size_t *room;          /* of each message: tokens for it; SIZE_MAX: all it needs */
  bool *always;          /* of each always-skill: whether it is kept */
  size_t *always_tokens; /* what each costs */
  bool listing;          /* is kept */
  size_t listing_tokens;
  size_t fixed; /* tokens of tools, frame and system text */
};

struct skill__compiled {
  SkillCompiled out; /* first: cast back */
  struct skill__arena arena;
};

/* Writes the messages of what the plan keeps. SKILL_ENOMEM. */
int skill__compile_write(struct skill__compiling *c, struct skill__compiled *compiled);

#endif
