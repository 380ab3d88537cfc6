/* SPDX-License-Identifier: MIT
 *
 * Writes the messages of a planned request: the system message, a note on what is left out, the groups that are kept.
 * Marks where a provider may cache. Fails only when memory is out.
 */
#include <stdio.h>
#include <string.h>

#include "context/compile.h"
#include "context/origin.h"

enum { NOTE_BYTES = 400 /* of names in the note on what is left out */ };

static char *system_text(const struct skill__compiling *c, struct skill__arena *arena, size_t *length) {
  const SkillContextInput *input = c->input;
  size_t size = (input->system ? strlen(input->system) : 0) + 8;
  for (size_t i = 0; i < input->always_count; i++) size += strlen(input->always[i].name) + input->always[i].length + 32;
  size += input->listing ? strlen(input->listing) + 2 : 0;
  char *text = skill__arena_alloc(arena, size);
  if (!text) return NULL;
  size_t at = 0;
  if (input->system) at += (size_t)snprintf(text, size, "%s", input->system);
  for (size_t i = 0; i < input->always_count; i++) {
    const SkillAlways *always = &input->always[i];
    if (!c->always[i]) continue;
    at += (size_t)snprintf(text + at, size - at, "%sSkill: %s\n\n", at ? "\n\n" : "", always->name);
    memcpy(text + at, always->text, always->length);
    at += always->length;
  }
  if (c->listing && input->listing && *input->listing) {
    at += (size_t)snprintf(text + at, size - at, "%s%s", at ? "\n\n" : "", input->listing);
  }
  text[at] = '\0';
  *length = at;
  return text;
}

static const char *last_said(const struct skill__compiling *c) {
  for (size_t i = skill_conversation_count(c->input->conversation); i-- > 0;) {
    const SkillMessage *message = skill_conversation_at(c->input->conversation, i);
    if (message->role == SKILL_ROLE_USER && !message->origin) return message->text;
  }
  return "";
}

/* Puts a message, cut to the tokens that the plan gave it. */
static int put_message(struct skill__compiling *c, struct skill__compiled *compiled, SkillMessage *to, size_t index) {
  SkillConversation *talk = c->input->conversation;
  SkillTokenizer *tokenizer = c->input->tokenizer;
  size_t whole = skill__conversation_tokens(talk, index, tokenizer);
  *to = *skill_conversation_at(talk, index);
  to->cache = false;
  if (c->room[index] >= whole) {
    compiled->out.tokens += whole;
    return 0;
  }
  char *text = NULL;
  size_t length = 0;
  const char *name = NULL;
  bool mention = skill__origin_read(to->origin, &name) == SKILL__ORIGIN_MENTION;
  size_t room = c->room[index] > SKILL__MESSAGE_OVERHEAD ? c->room[index] - SKILL__MESSAGE_OVERHEAD : 0;
  int status = skill_context_passages(to->text, to->text_length, mention ? name : NULL, last_said(c), tokenizer, room,
                                      &text, &length, NULL);
  if (status) return status;
  to->text = skill__arena_strndup(&compiled->arena, text, length);
  to->text_length = length;
  skill_free(text);
  if (!to->text) return SKILL_ENOMEM;
  size_t tokens = skill__message_tokens(tokenizer, to);
  if (tokens > c->room[index]) { /* even the note on what is cut is too long */
    to->text = "[left out]";
    to->text_length = strlen(to->text);
    tokens = skill__message_tokens(tokenizer, to);
  }
  compiled->out.tokens += tokens;
  compiled->out.shortened++;
  return 0;
}

/* Results in the order of their calls, whichever finished first. */
static size_t in_call_order(const SkillConversation *talk, const struct skill__message_group *group, size_t k) {
  const SkillMessage *asking = skill_conversation_at(talk, group->from);
  for (size_t i = group->from + 1; i < group->to; i++) {
    if (strcmp(skill_conversation_at(talk, i)->call_id, asking->calls[k].id) == 0) return i;
  }
  return group->from + 1 + k;
}

static int put_group(struct skill__compiling *c, struct skill__compiled *compiled, SkillMessage *messages,
                     const struct skill__message_group *group) {
  SkillConversation *talk = c->input->conversation;
  int status = put_message(c, compiled, &messages[compiled->out.count++], group->from);
  for (size_t k = 0; k + 1 < group->to - group->from && !status; k++) {
    status = put_message(c, compiled, &messages[compiled->out.count++], in_call_order(talk, group, k));
  }
  return status;
}

/* Reports which skills and mentions lost their text, and how much of the conversation is left out. */
static int report(struct skill__compiling *c, struct skill__compiled *compiled) {
  const char **names =
      skill__arena_alloc(&compiled->arena, (c->group_count + c->input->always_count + 1) * sizeof *names);
  size_t count = 0;
  if (!names) return SKILL_ENOMEM;
  for (size_t i = 0; i < c->group_count; i++) {
    const struct skill__message_group *group = &c->groups[i];
    if (group->keep) continue;
    compiled->out.omitted += group->to - group->from;
    compiled->out.omitted_tokens += group->tokens;
    if (group->name && !(names[count++] = skill__arena_strdup(&compiled->arena, group->name))) return SKILL_ENOMEM;
  }
  for (size_t i = 0; i < c->input->always_count; i++) {
    if (c->always[i]) continue;
    names[count] = skill__arena_strdup(&compiled->arena, c->input->always[i].name);
    if (!names[count++]) return SKILL_ENOMEM;
  }
  compiled->out.dropped = names;
  compiled->out.dropped_count = count;
  return 0;
}

static int put_note(struct skill__compiling *c, struct skill__compiled *compiled, SkillMessage *to) {
  const SkillCompiled *out = &compiled->out;
  bool list = c->listing || !c->listing_tokens;
  if (!out->omitted && !out->dropped_count && list) return 0;
  char names[NOTE_BYTES] = "";
  size_t used = 0;
  for (size_t i = 0; i < out->dropped_count && used + 1 < sizeof names; i++) {
    int n = snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", out->dropped[i]);
    if (n < 0 || (size_t)n >= sizeof names - used) {
      names[used] = '\0'; /* whole names only */
      break;
    }
    used += (size_t)n;
  }
  char *text = skill__arena_alloc(&compiled->arena, NOTE_BYTES + 300);
  if (!text) return SKILL_ENOMEM;
  int n = snprintf(text, NOTE_BYTES + 300, "[To fit the context %zu earlier messages (%zu tokens) are left out%s%s%s.]",
                   out->omitted, out->omitted_tokens, used ? ", and with them the text of: " : "", names,
                   list ? "" : "; the list of skills does not fit");
  *to = (SkillMessage){
      .role = SKILL_ROLE_USER,
      .text = text,
      .text_length = (size_t)n,
  };
  to->origin = skill__origin_text(SKILL__ORIGIN_OMISSION);
  size_t tokens = skill__message_tokens(c->input->tokenizer, to);
  if (tokens > SKILL__OMISSION_TOKENS)
    return 0; /* names in a script that takes many tokens: no note rather than one too long */
  compiled->out.tokens += tokens;
  compiled->out.count++;
  return 0;
}

int skill__compile_write(struct skill__compiling *c, struct skill__compiled *compiled) {
  SkillMessage *messages =
      skill__arena_alloc(&compiled->arena, (skill_conversation_count(c->input->conversation) + 2) * sizeof *messages);
  size_t length = 0;
  char *text = messages ? system_text(c, &compiled->arena, &length) : NULL;
  int status = text ? report(c, compiled) : SKILL_ENOMEM;
  if (status) return status;
  compiled->out.messages = messages;
  compiled->out.tokens = compiled->out.tool_tokens;
  if (length) {
    messages[0] = (SkillMessage){.role = SKILL_ROLE_SYSTEM, .text = text, .text_length = length, .cache = true};
    compiled->out.system_tokens = skill__message_tokens(c->input->tokenizer, &messages[0]);
    compiled->out.tokens += compiled->out.system_tokens;
    compiled->out.count = 1;
  }
  status = put_note(c, compiled, &messages[compiled->out.count]);
  size_t stable = 0; /* messages before the turn */
  for (size_t i = 0; i < c->group_count && !status; i++) {
    if (!c->groups[i].keep) continue;
    if (!c->groups[i].current) stable = compiled->out.count + c->groups[i].to - c->groups[i].from;
    status = put_group(c, compiled, messages, &c->groups[i]);
  }
  if (stable) messages[stable - 1].cache = true;
  if (compiled->out.count) messages[compiled->out.count - 1].cache = true;
  return status;
}
