/* SPDX-License-Identifier: MIT
 *
 * Conversations and messages as JSON: {"version":1,"messages":[{"role","text",…}]}. Reading fails if the text is not
 * JSON or not a valid conversation; the error names the message.
 */
#include <string.h>

#include "model/message.h"
#include "util/alloc.h"
#include "util/json_out.h"

static void print_member(struct skill__buf *buf, const char *key, const char *text) {
  if (text) skill__json_add_text(buf, key, text);
}

static void print_calls(struct skill__buf *buf, const SkillMessage *message) {
  skill__json_open(buf, "calls", "[");
  for (size_t i = 0; i < message->call_count; i++) {
    skill__json_open(buf, NULL, "{");
    skill__json_add_text(buf, "id", message->calls[i].id);
    print_member(buf, "name", message->calls[i].name);
    print_member(buf, "arguments", message->calls[i].arguments);
    skill__json_close(buf, "}");
  }
  skill__json_close(buf, "]");
}

void skill__message_print(struct skill__buf *buf, const SkillMessage *message) {
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "role", skill_role_name(message->role));
  skill__json_add_bytes(buf, "text", message->text ? message->text : "", message->text_length);
  if (message->call_count) print_calls(buf, message);
  print_member(buf, "call_id", message->call_id);
  print_member(buf, "name", message->name);
  print_member(buf, "origin", message->origin);
  print_member(buf, "extra", message->extra);
  print_member(buf, "extra_from", message->extra_from);
  if (message->error) skill__json_add_bool(buf, "error", true);
  if (message->cache) skill__json_add_bool(buf, "cache", true);
  skill__json_close(buf, "}");
}

static int read_calls(const cJSON *list, SkillCall *calls, size_t *count, SkillError *err) {
  const cJSON *item;
  *count = 0;
  if (!list) return 0;
  if (!cJSON_IsArray(list)) return skill_error_set(err, SKILL_EINVAL, "'calls' must be a list");
  cJSON_ArrayForEach(item, list) {
    if (*count == SKILL_MAX_CALLS) return skill_error_set(err, SKILL_ELIMIT, "more than %d calls", SKILL_MAX_CALLS);
    SkillCall *call = &calls[(*count)++];
    call->id = skill__json_string(item, "id");
    call->name = skill__json_string(item, "name");
    call->arguments = skill__json_string(item, "arguments");
    if (!call->id || !call->name) return skill_error_set(err, SKILL_EINVAL, "a call needs 'id' and 'name'");
  }
  return 0;
}

int skill__message_read(const cJSON *object, SkillMessage **out, SkillError *err) {
  SkillCall calls[SKILL_MAX_CALLS];
  SkillMessage message = {.calls = calls};
  if (!cJSON_IsObject(object)) return skill_error_set(err, SKILL_EINVAL, "a message must be an object");
  if (!skill__role_find(skill__json_string(object, "role"), &message.role)) {
    return skill_error_set(err, SKILL_EINVAL, "'role' must be system, user, assistant or tool");
  }
  int status = read_calls(cJSON_GetObjectItemCaseSensitive(object, "calls"), calls, &message.call_count, err);
  if (status) return status;
  message.text = skill__json_string(object, "text");
  message.text_length = message.text ? strlen(message.text) : 0;
  message.call_id = skill__json_string(object, "call_id");
  message.name = skill__json_string(object, "name");
  message.origin = skill__json_string(object, "origin");
  message.extra = skill__json_string(object, "extra");
  message.extra_from = skill__json_string(object, "extra_from");
  message.error = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "error"));
  message.cache = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "cache"));
  status = skill_message_copy(&message, out);
  return status ? skill_error_set(err, status, "out of memory") : 0;
}

int skill_conversation_save(const SkillConversation *conversation, char **text, size_t *length, SkillError *err) {
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL_MAX_CONVERSATION);
  skill__json_open(&buf, NULL, "{\"version\":1,\"messages\":[");
  for (size_t i = 0; i < skill_conversation_count(conversation); i++) {
    skill__message_print(&buf, skill_conversation_at(conversation, i));
  }
  skill__json_close(&buf, "]}");
  int status = skill__buf_finish(&buf, text, length);
  return status ? skill_error_set(err, status, "the conversation cannot be saved: %s", skill_strerror(status)) : 0;
}

static int add_all(SkillConversation *conversation, const cJSON *list, SkillError *err) {
  const cJSON *item;
  size_t index = 0;
  cJSON_ArrayForEach(item, list) {
    SkillError why = SKILL_ERROR_INIT;
    SkillMessage *message = NULL;
    int status = skill__message_read(item, &message, &why);
    if (!status) status = skill_conversation_add(conversation, message, &why);
    skill_free(message);
    if (status) return skill_error_set(err, status, "message %zu: %s", index, why.message);
    index++;
  }
  return 0;
}

int skill_conversation_load(const char *text, size_t length, SkillConversation **out, SkillError *err) {
  cJSON *root = NULL;
  SkillConversation *conversation = NULL;
  if (length > SKILL_MAX_CONVERSATION) return skill_error_set(err, SKILL_ELIMIT, "the conversation is too large");
  int status = skill__json_parse(text, length, NULL, &root, err);
  if (status) return status;
  const cJSON *version = cJSON_GetObjectItemCaseSensitive(root, "version");
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "messages");
  if (!cJSON_IsNumber(version) || version->valueint != 1 || !cJSON_IsArray(list)) {
    status = skill_error_set(err, SKILL_EINVAL, "no conversation: \"version\":1 and a list \"messages\" are needed");
    goto out;
  }
  status = skill_conversation_new(&conversation);
  if (status) skill_error_set(err, status, "out of memory");
  if (!status) status = add_all(conversation, list, err);
  if (!status) {
    *out = conversation;
    conversation = NULL;
  }

out:
  skill_conversation_free(conversation);
  cJSON_Delete(root);
  return status;
}
