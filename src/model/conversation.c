/* SPDX-License-Identifier: MIT
 *
 * The conversation: a list of message copies that is always valid. A change that would make it invalid, exceed a limit
 * of message.h or run out of memory fails and leaves it unchanged.
 */
#include <string.h>

#include "model/message.h"
#include "util/alloc.h"
#include "util/hash.h"

struct call_id {
  UT_hash_handle hh;
  const char *id; /* in the message's block */
};

struct entry {
  SkillMessage *message;
  struct call_id *ids; /* an array for its calls, or NULL */
  size_t tokens;       /* by the conversation's tokenizer; 0: not counted yet */
};

struct SkillConversation {
  struct entry *entries;
  size_t count;
  size_t capacity;
  SkillTokenizer *tokenizer;
  struct call_id *known; /* all call ids */
  size_t asking;         /* index of the message whose calls are open */
  size_t open;           /* how many of them */
};

int skill_conversation_new(SkillConversation **out) {
  if (!out) return SKILL_EINVAL;
  SkillConversation *conversation = skill__calloc(1, sizeof *conversation);
  if (!conversation) return SKILL_ENOMEM;
  *out = conversation;
  return 0;
}

static void forget_ids(SkillConversation *conversation, struct call_id *ids, size_t count) {
  for (size_t i = 0; ids && i < count; i++) HASH_DEL(conversation->known, &ids[i]);
  skill__free(ids);
}

void skill_conversation_free(SkillConversation *conversation) {
  if (!conversation) return;
  HASH_CLEAR(hh, conversation->known);
  for (size_t i = 0; i < conversation->count; i++) {
    skill__free(conversation->entries[i].ids);
    skill__free(conversation->entries[i].message);
  }
  skill__free(conversation->entries);
  skill__free(conversation);
}

size_t skill_conversation_count(const SkillConversation *conversation) {
  return conversation->count;
}

const SkillMessage *skill_conversation_at(const SkillConversation *conversation, size_t index) {
  return index < conversation->count ? conversation->entries[index].message : NULL;
}

size_t skill_conversation_open_calls(const SkillConversation *conversation) {
  return conversation->open;
}

static struct call_id *find_id(const SkillConversation *conversation, const char *id) {
  struct call_id *found = NULL;
  HASH_FIND(hh, conversation->known, id, (unsigned)strlen(id), found);
  return found;
}

/* Whether the call `id` of the asking message has no result yet. */
static bool is_open(const SkillConversation *conversation, const char *id) {
  if (!conversation->open || !id) return false;
  const SkillMessage *asking = conversation->entries[conversation->asking].message;
  bool asked = false;
  for (size_t i = 0; i < asking->call_count; i++) asked = asked || strcmp(asking->calls[i].id, id) == 0;
  for (size_t i = conversation->asking + 1; i < conversation->count && asked; i++) {
    const SkillMessage *answer = conversation->entries[i].message;
    asked = !(answer->role == SKILL_ROLE_TOOL && strcmp(answer->call_id, id) == 0);
  }
  return asked;
}

static int check_sizes(const SkillMessage *message, SkillError *err) {
  if ((unsigned)message->role > SKILL_ROLE_TOOL) return skill_error_set(err, SKILL_EINVAL, "a message of no role");
  if (!message->text && message->text_length) return skill_error_set(err, SKILL_EINVAL, "a message without its text");
  if (message->text_length > SKILL_MAX_MESSAGE) {
    return skill_error_set(err, SKILL_ELIMIT, "a message of %zu bytes; at most %d are taken", message->text_length,
                           SKILL_MAX_MESSAGE);
  }
  if (message->call_count > SKILL_MAX_CALLS) {
    return skill_error_set(err, SKILL_ELIMIT, "%zu tool calls in one message; at most %d are taken",
                           message->call_count, SKILL_MAX_CALLS);
  }
  return 0;
}

static int check_calls(const SkillConversation *conversation, const SkillMessage *message, SkillError *err) {
  if (message->call_count && message->role != SKILL_ROLE_ASSISTANT) {
    return skill_error_set(err, SKILL_EINVAL, "only an assistant's message can call tools");
  }
  for (size_t i = 0; i < message->call_count; i++) {
    const char *id = message->calls[i].id;
    const char *arguments = message->calls[i].arguments;
    if (!id || !*id || !message->calls[i].name) {
      return skill_error_set(err, SKILL_EINVAL, "tool call %zu has no id or no name", i);
    }
    if (arguments && strlen(arguments) > SKILL_MAX_ARGUMENTS) {
      return skill_error_set(err, SKILL_ELIMIT, "the arguments of %s are longer than %d bytes", message->calls[i].name,
                             SKILL_MAX_ARGUMENTS);
    }
    bool used = find_id(conversation, id) != NULL;
    for (size_t k = 0; k < i && !used; k++) used = strcmp(message->calls[k].id, id) == 0;
    if (used) return skill_error_set(err, SKILL_EINVAL, "the tool call id '%s' was used before", id);
  }
  return 0;
}

static int check_order(const SkillConversation *conversation, const SkillMessage *message, SkillError *err) {
  if (message->role == SKILL_ROLE_TOOL) {
    if (is_open(conversation, message->call_id)) return 0;
    return skill_error_set(err, SKILL_EINVAL, "the tool result for '%s' answers no open call",
                           message->call_id ? message->call_id : "");
  }
  if (!conversation->open) return 0;
  return skill_error_set(err, SKILL_EINVAL, "%zu tool calls have no result yet; only results can follow",
                         conversation->open);
}

/* Registers the call ids of a message; *out is NULL for a message without calls. */
static int learn_ids(SkillConversation *conversation, const SkillMessage *message, struct call_id **out) {
  *out = NULL;
  if (!message->call_count) return 0;
  struct call_id *ids = skill__calloc(message->call_count, sizeof *ids);
  if (!ids) return SKILL_ENOMEM;
  for (size_t i = 0; i < message->call_count; i++) {
    bool ok;
    ids[i].id = message->calls[i].id;
    SKILL__HASH_ADD(conversation->known, &ids[i], ids[i].id, strlen(ids[i].id), ok);
    if (ok) continue;
    forget_ids(conversation, ids, i);
    return SKILL_ENOMEM;
  }
  *out = ids;
  return 0;
}

int skill_conversation_add(SkillConversation *conversation, const SkillMessage *message, SkillError *err) {
  SkillMessage *copy = NULL;
  struct call_id *ids = NULL;
  int status = check_sizes(message, err);
  if (!status) status = check_order(conversation, message, err);
  if (!status) status = check_calls(conversation, message, err);
  if (status) return status;
  if (conversation->count >= SKILL_MAX_MESSAGES) {
    return skill_error_set(err, SKILL_ELIMIT, "a conversation holds at most %d messages", SKILL_MAX_MESSAGES);
  }
  status = SKILL__GROW(conversation->entries, conversation->capacity, conversation->count + 1);
  if (!status) status = skill_message_copy(message, &copy);
  if (!status) status = learn_ids(conversation, copy, &ids);
  if (status) {
    skill__free(copy);
    return skill_error_set(err, status, "out of memory");
  }
  if (copy->call_count) {
    conversation->asking = conversation->count;
    conversation->open = copy->call_count;
  }
  if (copy->role == SKILL_ROLE_TOOL) conversation->open--;
  conversation->entries[conversation->count++] = (struct entry){copy, ids, 0};
  return 0;
}

int skill_conversation_add_text(SkillConversation *conversation, SkillRole role, const char *text, size_t length,
                                SkillError *err) {
  SkillMessage message = {.role = role, .text = text};
  message.text_length = length || !text ? length : strlen(text);
  return skill_conversation_add(conversation, &message, err);
}

/* Whether a cut before message `at` separates no call from its results. */
static bool is_seam(const SkillConversation *conversation, size_t at) {
  if (at >= conversation->count) return conversation->open == 0;
  return conversation->entries[at].message->role != SKILL_ROLE_TOOL;
}

static bool same_result(const SkillConversation *conversation, size_t from, size_t to, const SkillMessage *with) {
  const SkillMessage *old = conversation->entries[from].message;
  return to == from + 1 && old->role == SKILL_ROLE_TOOL && with && with->role == SKILL_ROLE_TOOL && with->call_id &&
         strcmp(old->call_id, with->call_id) == 0;
}

static int check_replace(const SkillConversation *conversation, size_t from, size_t to, const SkillMessage *with,
                         SkillError *err) {
  if (from > to || to > conversation->count) return skill_error_set(err, SKILL_EINVAL, "no such range of messages");
  if (with && check_sizes(with, err)) return SKILL_EINVAL;
  if (from < to && same_result(conversation, from, to, with)) return 0;
  if (with && (with->call_count || with->role == SKILL_ROLE_TOOL)) {
    return skill_error_set(err, SKILL_EINVAL, "messages can be replaced by plain text only");
  }
  if (is_seam(conversation, from) && is_seam(conversation, to)) return 0;
  return skill_error_set(err, SKILL_EINVAL, "the range would part a tool call from its result");
}

int skill_conversation_replace(SkillConversation *conversation, size_t from, size_t to, const SkillMessage *with,
                               SkillError *err) {
  SkillMessage *copy = NULL;
  int status = check_replace(conversation, from, to, with, err);
  if (status) return status;
  if (with) status = skill_message_copy(with, &copy);
  if (!status && copy && from == to)
    status = SKILL__GROW(conversation->entries, conversation->capacity, conversation->count + 1);
  if (status) {
    skill__free(copy);
    return skill_error_set(err, status, "out of memory");
  }
  for (size_t i = from; i < to; i++) {
    struct entry *old = &conversation->entries[i];
    forget_ids(conversation, old->ids, old->message->call_count);
    skill__free(old->message);
  }
  size_t kept = copy ? 1 : 0;
  size_t tail = conversation->count - to;
  memmove(conversation->entries + from + kept, conversation->entries + to, tail * sizeof *conversation->entries);
  if (copy) conversation->entries[from] = (struct entry){copy, NULL, 0};
  conversation->count = from + kept + tail;
  if (conversation->asking >= to) conversation->asking = conversation->asking + from + kept - to;
  return 0;
}

int skill_conversation_repair(SkillConversation *conversation, const char *why) {
  int answered = 0;
  if (!conversation->open) return 0;
  const SkillMessage *asking = conversation->entries[conversation->asking].message;
  for (size_t i = 0; i < asking->call_count && conversation->open; i++) {
    if (!is_open(conversation, asking->calls[i].id)) continue;
    SkillMessage result = {.role = SKILL_ROLE_TOOL, .call_id = asking->calls[i].id, .name = asking->calls[i].name};
    result.text = why ? why : "the call was interrupted";
    result.text_length = strlen(result.text);
    result.error = true;
    int status = skill_conversation_add(conversation, &result, NULL);
    if (status) return status;
    answered++;
  }
  return answered;
}

void skill__conversation_swap(SkillConversation *a, SkillConversation *b) {
  SkillConversation swap = *a;
  *a = *b;
  *b = swap;
}

size_t skill__message_tokens(SkillTokenizer *tokenizer, const SkillMessage *message) {
  size_t tokens = SKILL__MESSAGE_OVERHEAD + skill_tokens_count(tokenizer, message->text, message->text_length);
  for (size_t i = 0; i < message->call_count; i++) {
    const SkillCall *call = &message->calls[i];
    tokens += SKILL__MESSAGE_OVERHEAD + skill_tokens_count(tokenizer, call->name, strlen(call->name));
    tokens += skill_tokens_count(tokenizer, call->arguments, strlen(call->arguments));
  }
  return tokens;
}

size_t skill__conversation_tokens(SkillConversation *conversation, size_t index, SkillTokenizer *tokenizer) {
  if (conversation->tokenizer != tokenizer) {
    for (size_t i = 0; i < conversation->count; i++) conversation->entries[i].tokens = 0;
    conversation->tokenizer = tokenizer;
  }
  struct entry *entry = &conversation->entries[index];
  if (!entry->tokens) entry->tokens = skill__message_tokens(tokenizer, entry->message);
  return entry->tokens;
}

int skill_conversation_copy(const SkillConversation *from, SkillConversation **out) {
  SkillConversation *copy = NULL;
  int status = skill_conversation_new(&copy);
  for (size_t i = 0; i < from->count && !status; i++)
    status = skill_conversation_add(copy, from->entries[i].message, NULL);
  if (status) {
    skill_conversation_free(copy);
    return status;
  }
  *out = copy;
  return 0;
}
