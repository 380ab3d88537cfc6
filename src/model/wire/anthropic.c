/* SPDX-License-Identifier: MIT
 *
 * Anthropic messages: the request; anthropic_read.c reads the answer. Differences from the other protocols: the system
 * text is a separate member; tool results are user content; consecutive messages of one role become one message; blocks
 * of thinking and of the provider's tool search, kept in SkillMessage.extra, are sent back unchanged; at most four
 * cache marks are accepted.
 */
#include <string.h>

#include "model/wire/anthropic.h"
#include "model/wire/body.h"
#include "model/wire/remote.h"
#include "util/json.h"
#include "util/json_out.h"

#define MAX_MARKS 4
#define DEFAULT_MAX_TOKENS 8192

struct writer {
  struct skill__buf *buf;
  const SkillModelRequest *request;
  size_t marks;     /* cache marks that may still be set */
  const char *role; /* of the message being written; NULL: none is open */
};

static bool blank(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (!strchr(" \t\r\n", text[i]) || !text[i]) return false;
  }
  return true;
}

static void mark(struct writer *w, bool wanted) {
  if (!wanted || w->marks == 0) return;
  w->marks--;
  skill__json_add_raw(w->buf, "cache_control", "{\"type\":\"ephemeral\"}");
}

/* Ends the open message if it is of another role, begins one, and in it a block, which the caller ends. */
static void block(struct writer *w, const char *role, const char *open) {
  if (!w->role || strcmp(w->role, role) != 0) {
    if (w->role) skill__json_close(w->buf, "]}");
    if (!w->role && strcmp(role, "assistant") == 0) { /* a conversation begins with the user */
      skill__json_add_raw(
          w->buf, NULL,
          "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"(the conversation continues)\"}]}");
    }
    skill__json_open(w->buf, NULL, "{");
    skill__json_add_text(w->buf, "role", role);
    skill__json_open(w->buf, "content", "[");
    w->role = role;
  }
  skill__json_open(w->buf, NULL, open);
}

/* The API refuses text blocks that contain only blanks. */
static void text_block(struct writer *w, const char *role, const SkillMessage *message) {
  if (blank(message->text, message->text_length)) return;
  block(w, role, "{\"type\":\"text\"");
  skill__body_text(w->buf, "text", message);
  mark(w, message->cache && message->call_count == 0);
  skill__json_close(w->buf, "}");
}

static void result_block(struct writer *w, const SkillMessage *message) {
  block(w, "user", "{\"type\":\"tool_result\"");
  skill__json_add_text(w->buf, "tool_use_id", message->call_id ? message->call_id : "");
  if (!blank(message->text, message->text_length)) skill__body_text(w->buf, "content", message);
  if (message->error) skill__json_add_bool(w->buf, "is_error", true);
  mark(w, message->cache);
  skill__json_close(w->buf, "}");
}

/* The input must be an object: malformed arguments are sent back as a string inside one. */
static void call_block(struct writer *w, const SkillCall *call, bool marked) {
  block(w, "assistant", "{\"type\":\"tool_use\"");
  skill__json_add_text(w->buf, "id", call->id);
  skill__body_name(w->buf, call->name);
  if (skill__body_json(call->arguments, strlen(call->arguments), true)) {
    skill__body_raw(w->buf, "input", call->arguments);
  } else {
    skill__json_open(w->buf, "input", "{");
    skill__json_add_text(w->buf, "unreadable_arguments", call->arguments);
    skill__json_close(w->buf, "}");
  }
  mark(w, marked);
  skill__json_close(w->buf, "}");
}

/* A call whose id was in use already got a new one, and its result refers to that. */
static int set_id(cJSON *block, const char *id) {
  const char *old = skill__json_string(block, "id");
  if (old && strcmp(old, id) == 0) return 0;
  cJSON *string = cJSON_CreateString(id);
  if (string && cJSON_ReplaceItemInObjectCaseSensitive(block, "id", string)) return 0;
  cJSON_Delete(string);
  return SKILL_ENOMEM;
}

/* Appends the blocks of an answer as they were received, if they were kept. */
static bool kept_blocks(struct writer *w, const SkillMessage *message) {
  cJSON *extra = skill__body_kept(w->buf, message, SKILL__ANTHROPIC);
  const cJSON *content = cJSON_GetObjectItemCaseSensitive(extra, "content");
  bool any = cJSON_IsArray(content) && content->child;
  size_t calls = 0;
  for (cJSON *item = any ? content->child : NULL; item; item = item->next) {
    const char *type = skill__json_string(item, "type");
    bool call = type && strcmp(type, "tool_use") == 0 && calls < message->call_count;
    if (call && set_id(item, message->calls[calls++].id) && !w->buf->status) w->buf->status = SKILL_ENOMEM;
    block(w, "assistant", "");
    skill__json_print(w->buf, item);
  }
  cJSON_Delete(extra);
  return any;
}

static void add_message(struct writer *w, const SkillMessage *message) {
  if (message->role == SKILL_ROLE_TOOL) {
    result_block(w, message);
  } else if (message->role != SKILL_ROLE_ASSISTANT) {
    text_block(w, "user", message);
  } else if (!kept_blocks(w, message)) {
    text_block(w, "assistant", message);
    for (size_t i = 0; i < message->call_count; i++) {
      call_block(w, &message->calls[i], message->cache && i + 1 == message->call_count);
    }
  }
}

/* Appends the system messages at the beginning; later ones are sent in place, as the user's. Returns how many. */
static size_t add_system(struct writer *w) {
  size_t count = 0;
  bool any = false;
  const SkillModelRequest *request = w->request;
  for (; count < request->message_count && request->messages[count].role == SKILL_ROLE_SYSTEM; count++) {
    const SkillMessage *message = &request->messages[count];
    if (blank(message->text, message->text_length)) continue;
    if (!any) skill__json_open(w->buf, "system", "[");
    skill__json_open(w->buf, NULL, "{\"type\":\"text\"");
    skill__body_text(w->buf, "text", message);
    mark(w, message->cache);
    skill__json_close(w->buf, "}");
    any = true;
  }
  if (any) skill__json_close(w->buf, "]");
  return count;
}

static int add_tools(struct writer *w, bool search, SkillError *err) {
  const SkillModelRequest *request = w->request;
  size_t deferred = search && request->deferred_from > 0 ? request->deferred_from : request->tool_count;
  skill__json_open(w->buf, "tools", "[");
  for (size_t i = 0; i < request->tool_count; i++) {
    skill__json_open(w->buf, NULL, "{");
    int status = skill__body_tool(w->buf, &request->tools[i], "input_schema", err);
    if (status) return status;
    if (i >= deferred) skill__json_add_bool(w->buf, "defer_loading", true);
    bool last = i + 1 == (deferred < request->tool_count ? deferred : request->tool_count);
    mark(w, request->cache_tools && last);
    skill__json_close(w->buf, "}");
  }
  if (deferred < request->tool_count) {
    skill__json_add_raw(w->buf, NULL,
                        "{\"type\":\"tool_search_tool_bm25_20251119\",\"name\":\"tool_search_tool_bm25\"}");
  }
  skill__json_close(w->buf, "]");
  return 0;
}

static const char *choice_of(const SkillModelRequest *request) {
  if (request->choice == SKILL_TOOL_CHOICE_NONE) return "none";
  if (request->choice != SKILL_TOOL_CHOICE_REQUIRED) return "auto";
  return request->choice_name ? "tool" : "any";
}

static void add_choice(struct writer *w) {
  const SkillModelRequest *request = w->request;
  if (request->choice == SKILL_TOOL_CHOICE_AUTO && request->parallel_calls) return;
  skill__json_open(w->buf, "tool_choice", "{");
  skill__json_add_text(w->buf, "type", choice_of(request));
  if (request->choice == SKILL_TOOL_CHOICE_REQUIRED && request->choice_name) {
    skill__body_name(w->buf, request->choice_name);
  }
  if (!request->parallel_calls && request->choice != SKILL_TOOL_CHOICE_NONE) {
    skill__json_add_bool(w->buf, "disable_parallel_tool_use", true);
  }
  skill__json_close(w->buf, "}");
}

/* Only the last MAX_MARKS marks are sent: they cover the longest prefixes. */
static size_t marks_before(const SkillModelRequest *request) {
  size_t messages = 0;
  for (size_t i = 0; i < request->message_count; i++) messages += request->messages[i].cache;
  return messages + (request->cache_tools && request->tool_count);
}

static int body(const struct skill__remote_config *config, const SkillModelRequest *request, struct skill__buf *buf,
                SkillError *err) {
  struct writer w = {buf, request, MAX_MARKS, NULL};
  size_t wanted = marks_before(request);
  size_t most = config->max_output ? config->max_output : DEFAULT_MAX_TOKENS;
  int status = 0;
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "model", config->model);
  skill__json_add_size(buf, "max_tokens", request->max_tokens ? request->max_tokens : most);
  if (request->tool_count) {
    status = add_tools(&w, config->tool_search, err);
    add_choice(&w);
  }
  size_t i = add_system(&w);
  skill__json_open(buf, "messages", "[");
  size_t skip = wanted > MAX_MARKS ? wanted - MAX_MARKS : 0;
  for (; i < request->message_count; i++) {
    SkillMessage message = request->messages[i];
    if (message.cache && skip) {
      message.cache = false;
      skip--;
    }
    add_message(&w, &message);
  }
  skill__json_close(buf, w.role ? "]}]" : "]");
  skill__body_end(buf, request, ",\"stream\":true", config->extra);
  return status;
}

static const char *const headers[] = {"anthropic-version: 2023-06-01", NULL};

const struct skill__protocol skill__protocol_anthropic = {
    .name = SKILL__ANTHROPIC,
    .path = "/messages",
    .key_header = "x-api-key: ",
    .headers = headers,
    .flags = SKILL_MODEL_STREAMS | SKILL_MODEL_CACHE_MARKS | SKILL_MODEL_TOOL_SEARCH,
    .body = body,
    .event = skill__anthropic_event,
    .document = skill__anthropic_document,
};
