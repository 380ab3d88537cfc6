/* SPDX-License-Identifier: MIT
 *
 * Grouping a conversation; see message_groups.h. Fails only when memory is out.
 */
#include "context/message_groups.h"

#include "context/origin.h"
#include "util/alloc.h"

/* Whether a later message has the body of that skill again. */
static bool opened_later(const SkillConversation *conversation, size_t after, const char *name) {
  for (size_t i = after; i < skill_conversation_count(conversation); i++) {
    if (skill__origin_is(skill_conversation_at(conversation, i)->origin, SKILL__ORIGIN_SKILL, name)) return true;
  }
  return false;
}

static void classify(const SkillConversation *conversation, struct skill__message_group *group, size_t index) {
  const char *name = NULL;
  switch (skill__origin_read(skill_conversation_at(conversation, index)->origin, &name)) {
    case SKILL__ORIGIN_MENTION:
      group->kind = SKILL__GROUP_MENTION;
      group->name = name;
      break;
    case SKILL__ORIGIN_SKILL:
      if (opened_later(conversation, index + 1, name)) break;
      group->kind = SKILL__GROUP_BODY;
      group->name = name;
      break;
    case SKILL__ORIGIN_PASSAGES:
      group->kind = SKILL__GROUP_PASSAGES;
      break;
    case SKILL__ORIGIN_SUMMARY:
      group->kind = SKILL__GROUP_SUMMARY;
      break;
    default:
      break;
  }
}

/* Attached before a request because of it: its mentions, passages retrieved for it, tools that may fit it. */
static bool is_attached(const SkillConversation *conversation, const struct skill__message_group *group) {
  const char *origin = skill_conversation_at(conversation, group->from)->origin;
  return group->kind == SKILL__GROUP_MENTION || group->kind == SKILL__GROUP_PASSAGES ||
         skill__origin_is(origin, SKILL__ORIGIN_TOOLS, NULL);
}

/* The turn being answered starts at the last text of the user and what is attached to it. */
static void mark_current(const SkillConversation *conversation, struct skill__message_group *groups, size_t count) {
  size_t first = count;
  for (size_t i = count; i-- > 0;) {
    const SkillMessage *message = skill_conversation_at(conversation, groups[i].from);
    first = i;
    if (message->role == SKILL_ROLE_USER && !message->origin) break;
  }
  while (first > 0 && first < count && is_attached(conversation, &groups[first - 1])) first--;
  for (size_t i = first; i < count; i++) groups[i].current = true;
}

int skill__groups_make(SkillConversation *conversation, SkillTokenizer *tokenizer, struct skill__message_group **out,
                       size_t *out_count) {
  size_t messages = skill_conversation_count(conversation);
  size_t count = 0;
  struct skill__message_group *groups = skill__calloc(messages ? messages : 1, sizeof *groups);
  if (!groups) return SKILL_ENOMEM;
  for (size_t i = 0; i < messages;) {
    const SkillMessage *message = skill_conversation_at(conversation, i);
    struct skill__message_group *group = &groups[count++];
    group->from = i;
    group->to = i + 1;
    while (message->call_count && group->to < messages &&
           skill_conversation_at(conversation, group->to)->role == SKILL_ROLE_TOOL) {
      group->to++;
    }
    for (size_t k = i; k < group->to; k++) {
      group->tokens += skill__conversation_tokens(conversation, k, tokenizer);
      classify(conversation, group, k);
    }
    if (group->to - group->from != 1 + message->call_count) group->kind = SKILL__GROUP_BROKEN;
    i = group->to;
  }
  mark_current(conversation, groups, count);
  *out = groups;
  *out_count = count;
  return 0;
}
