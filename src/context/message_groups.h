/* SPDX-License-Identifier: MIT
 *
 * A conversation in groups that are kept or dropped as one: a message, or an assistant's calls with all their results.
 */
#ifndef SKILL_CONTEXT_MESSAGE_GROUPS_H
#define SKILL_CONTEXT_MESSAGE_GROUPS_H

#include "model/message.h"

enum skill__group_kind {
  SKILL__GROUP_SAID,     /* text, or calls and their results */
  SKILL__GROUP_MENTION,  /* mentioned by the user */
  SKILL__GROUP_BODY,     /* has the latest body of an opened skill */
  SKILL__GROUP_PASSAGES, /* retrieved automatically */
  SKILL__GROUP_SUMMARY,
  SKILL__GROUP_BROKEN /* calls without all their results: never sent */
};

struct skill__message_group {
  enum skill__group_kind kind;
  size_t from, to; /* messages */
  size_t tokens;
  const char *name; /* of a mention or skill; borrowed from the conversation */
  bool current;     /* part of the turn that is being answered */
  bool keep;        /* set by the compiler */
};

/* Splits; `groups` is owned (skill__free). A system message counts as text. SKILL_ENOMEM. */
int skill__groups_make(SkillConversation *conversation, SkillTokenizer *tokenizer, struct skill__message_group **groups,
                       size_t *count);

#endif
