/* SPDX-License-Identifier: MIT
 *
 * A conversation in groups that stay or go as one: a message, or an assistant's calls with all their results.
 */
#ifndef SKILL_CONTEXT_MESSAGE_GROUPS_H
#define SKILL_CONTEXT_MESSAGE_GROUPS_H

#include "model/message.h"

enum skill__group_kind {
  SKILL__GROUP_SAID,     /* said, or called */
  SKILL__GROUP_MENTION,  /* asked for by name */
  SKILL__GROUP_BODY,     /* holds the latest body of an opened skill */
  SKILL__GROUP_PASSAGES, /* retrieved without being asked for */
  SKILL__GROUP_SUMMARY,
  SKILL__GROUP_BROKEN /* calls without all their results: left out */
};

struct skill__group {
  enum skill__group_kind kind;
  size_t from, to; /* messages */
  size_t tokens;
  const char *name; /* of a mention or skill */
  bool current;     /* of the turn that is being answered */
  bool keep;        /* set by the compiler */
};

/* Splits; `groups` is owned (skill_free). Messages with the system role are said like others. SKILL_ENOMEM. */
int skill__groups_make(SkillConversation *conversation, SkillTokenizer *tokenizer, struct skill__group **groups,
                       size_t *count);

/* The part of an origin after "KIND:", or NULL where it is of another kind. */
const char *skill__origin_name(const char *origin, const char *kind);

#endif
