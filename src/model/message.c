/* SPDX-License-Identifier: MIT
 *
 * Copies of messages, each in one block. Copying replaces invalid UTF-8 and NUL, so later code can rely on valid text.
 * The only error is SKILL_ENOMEM.
 */
#include "model/message.h"

#include <string.h>

#include "util/alloc.h"
#include "util/utf8.h"

static const char *const role_names[] = {"system", "user", "assistant", "tool"};

const char *skill_role_name(SkillRole role) {
  return (unsigned)role < 4 ? role_names[role] : "?";
}

bool skill__role_find(const char *name, SkillRole *role) {
  for (int i = 0; name && i < 4; i++) {
    if (strcmp(name, role_names[i]) != 0) continue;
    *role = (SkillRole)i;
    return true;
  }
  return false;
}

/* Length of the text with each bad byte replaced by U+FFFD (three bytes). */
static size_t clean_length(const char *text, size_t length) {
  size_t total = 0;
  for (size_t i = 0; i < length;) {
    size_t n = text[i] ? skill__utf8_length(text + i, length - i) : 0;
    total += n ? n : 3;
    i += n ? n : 1;
  }
  return total;
}

static char *clean_copy(char *to, const char *text, size_t length) {
  for (size_t i = 0; i < length;) {
    size_t n = text[i] ? skill__utf8_length(text + i, length - i) : 0;
    memcpy(to, n ? text + i : "\xEF\xBF\xBD", n ? n : 3);
    to += n ? n : 3;
    i += n ? n : 1;
  }
  *to++ = '\0';
  return to;
}

static size_t string_size(const char *text) {
  return text ? clean_length(text, strlen(text)) + 1 : 0;
}

static const char *string_copy(char **at, const char *text) {
  if (!text) return NULL;
  char *start = *at;
  *at = clean_copy(start, text, strlen(text));
  return start;
}

static size_t call_size(const SkillCall *call) {
  return sizeof *call + string_size(call->id ? call->id : "") + string_size(call->name ? call->name : "") +
         string_size(call->arguments ? call->arguments : "");
}

size_t skill__message_size(const SkillMessage *message) {
  size_t size = sizeof *message + clean_length(message->text, message->text_length) + 1;
  size += string_size(message->call_id) + string_size(message->name) + string_size(message->origin);
  size += string_size(message->extra) + string_size(message->extra_from);
  for (size_t i = 0; i < message->call_count; i++) size += call_size(&message->calls[i]);
  return size;
}

int skill_message_copy(const SkillMessage *message, SkillMessage **out) {
  if (!message || !out) return SKILL_EINVAL;
  SkillMessage *copy = skill__malloc(skill__message_size(message));
  if (!copy) return SKILL_ENOMEM;
  *copy = *message;
  SkillCall *calls = (SkillCall *)(void *)(copy + 1);
  char *at = (char *)(calls + message->call_count);
  copy->text = at;
  at = clean_copy(at, message->text, message->text_length);
  copy->text_length = (size_t)(at - copy->text) - 1;
  copy->call_id = string_copy(&at, message->call_id);
  copy->name = string_copy(&at, message->name);
  copy->origin = string_copy(&at, message->origin);
  copy->extra = string_copy(&at, message->extra);
  copy->extra_from = string_copy(&at, message->extra_from);
  for (size_t i = 0; i < message->call_count; i++) {
    const SkillCall *call = &message->calls[i];
    calls[i].id = string_copy(&at, call->id ? call->id : "");
    calls[i].name = string_copy(&at, call->name ? call->name : "");
    calls[i].arguments = string_copy(&at, call->arguments ? call->arguments : "");
  }
  copy->calls = message->call_count ? calls : NULL;
  *out = copy;
  return 0;
}
