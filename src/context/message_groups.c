/* SPDX-License-Identifier: MIT
 *
 * Grouping a conversation; see message_groups.h. Fails for want of memory only.
 */
#include "context/message_groups.h"

#include <string.h>

#include "util/alloc.h"

const char *skill__origin_name(const char *origin, const char *kind) {
  size_t length = strlen(kind);
  if (!origin || strncmp(origin, kind, length) != 0 || origin[length] != ':') return NULL;
  return origin + length + 1;
}

/* Whether a later message holds the body of that skill again. */
static bool opened_later(const SkillConversation *conversation, size_t after, const char *name) {
  for (size_t i = after; i < skill_conversation_count(conversation); i++) {
    const char *other = skill__origin_name(skill_conversation_at(conversation, i)->origin, "skill");
    if (other && strcmp(other, name) == 0) return true;
  }
  return false;
}

static void look_at(const SkillConversation *conversation, struct skill__group *group, size_t index) {
  const SkillMessage *message = skill_conversation_at(conversation, index);
  const char *mention = skill__origin_name(message->origin, "mention");
  const char *skill = skill__origin_name(message->origin, "skill");
  if (mention) {
    group->kind = SKILL__GROUP_MENTION;
    group->name = mention;
  } else if (skill && !opened_later(conversation, index + 1, skill)) {
    group->kind = SKILL__GROUP_BODY;
    group->name = skill;
  } else if (message->origin && strcmp(message->origin, "passages") == 0) {
    group->kind = SKILL__GROUP_PASSAGES;
  } else if (message->origin && strcmp(message->origin, "summary") == 0) {
    group->kind = SKILL__GROUP_SUMMARY;
  }
}

/* What goes before a request because of it: what it mentions, what was retrieved for it, tools that may fit it. */
static bool is_attached(const SkillConversation *conversation, const struct skill__group *group) {
  const SkillMessage *message = skill_conversation_at(conversation, group->from);
  return group->kind == SKILL__GROUP_MENTION || group->kind == SKILL__GROUP_PASSAGES ||
         skill__origin_name(message->origin, "tools");
}

/* The turn being answered begins with the last thing the user said, and with what was attached to it. */
static void mark_current(const SkillConversation *conversation, struct skill__group *groups, size_t count) {
  size_t first = count;
  for (size_t i = count; i-- > 0;) {
    const SkillMessage *message = skill_conversation_at(conversation, groups[i].from);
    first = i;
    if (message->role == SKILL_ROLE_USER && !message->origin) break;
  }
  while (first > 0 && first < count && is_attached(conversation, &groups[first - 1])) first--;
  for (size_t i = first; i < count; i++) groups[i].current = true;
}

int skill__groups_make(SkillConversation *conversation, SkillTokenizer *tokenizer, struct skill__group **out,
                       size_t *out_count) {
  size_t messages = skill_conversation_count(conversation);
  size_t count = 0;
  struct skill__group *groups = skill__calloc(messages ? messages : 1, sizeof *groups);
  if (!groups) return SKILL_ENOMEM;
  for (size_t i = 0; i < messages;) {
    const SkillMessage *message = skill_conversation_at(conversation, i);
    struct skill__group *group = &groups[count++];
    group->from = i;
    group->to = i + 1;
    while (message->call_count && group->to < messages &&
           skill_conversation_at(conversation, group->to)->role == SKILL_ROLE_TOOL) {
      group->to++;
    }
    for (size_t k = i; k < group->to; k++) {
      group->tokens += skill__conversation_tokens(conversation, k, tokenizer);
      look_at(conversation, group, k);
    }
    if (group->to - group->from != 1 + message->call_count) group->kind = SKILL__GROUP_BROKEN;
    i = group->to;
  }
  mark_current(conversation, groups, count);
  *out = groups;
  *out_count = count;
  return 0;
}
