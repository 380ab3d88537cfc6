/* SPDX-License-Identifier: MIT
 *
 * Anthropic messages: the request; anthropic_read.c reads the answer. Differences from other protocols that this file
 * hides: the system text stands apart; tool results are user content; what comes one after the other from one role
 * becomes one message; thinking and the provider's own tool search come as blocks that must go back untouched, which
 * SkillMessage.extra carries; at most four cache marks.
 */
#include <string.h>

#include "model/wire/anthropic.h"
#include "model/wire/body.h"
#include "model/wire/remote.h"
#include "util/json.h"

#define MAX_MARKS 4
#define DEFAULT_MAX_TOKENS 8192

struct writer {
  struct skill__buf *buf;
  const SkillModelRequest *request;
  size_t marks;     /* cache marks that are left */
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
  skill__buf_text(w->buf, ",\"cache_control\":{\"type\":\"ephemeral\"}");
}

/* Opens a message of `role` where the open one is of another, and the place for one more block. */
static void block(struct writer *w, const char *role) {
  if (!w->role || strcmp(w->role, role) != 0) {
    skill__buf_text(w->buf, w->role ? "]}," : "");
    if (!w->role && strcmp(role, "assistant") == 0) { /* a conversation begins with the user */
      skill__buf_text(w->buf,
                      "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"(the conversation goes on)\"}]},");
    }
    skill__buf_printf(w->buf, "{\"role\":\"%s\",\"content\":[", role);
    w->role = role;
  } else {
    skill__buf_char(w->buf, ',');
  }
}

/* The API refuses text blocks of blanks only. */
static void text_block(struct writer *w, const char *role, const SkillMessage *message) {
  if (blank(message->text, message->text_length)) return;
  block(w, role);
  skill__buf_text(w->buf, "{\"type\":\"text\",\"text\":");
  skill__buf_json(w->buf, message->text, message->text_length);
  mark(w, message->cache && message->call_count == 0);
  skill__buf_char(w->buf, '}');
}

static void result_block(struct writer *w, const SkillMessage *message) {
  block(w, "user");
  skill__buf_text(w->buf, "{\"type\":\"tool_result\",\"tool_use_id\":");
  skill__buf_json_text(w->buf, message->call_id ? message->call_id : "");
  if (!blank(message->text, message->text_length)) {
    skill__buf_text(w->buf, ",\"content\":");
    skill__buf_json(w->buf, message->text, message->text_length);
  }
  if (message->error) skill__buf_text(w->buf, ",\"is_error\":true");
  mark(w, message->cache);
  skill__buf_char(w->buf, '}');
}

/* The input must be an object; what the model wrote wrongly goes back as a string in one. */
static void call_block(struct writer *w, const SkillCall *call, bool marked) {
  char name[SKILL__TOOL_NAME];
  skill__tool_name_fit(call->name, true, name);
  block(w, "assistant");
  skill__buf_text(w->buf, "{\"type\":\"tool_use\",\"id\":");
  skill__buf_json_text(w->buf, call->id);
  skill__buf_printf(w->buf, ",\"name\":\"%s\",\"input\":", name);
  size_t length = strlen(call->arguments);
  if (skill__body_json(call->arguments, length, true)) {
    skill__buf_add(w->buf, call->arguments, length);
  } else {
    skill__buf_text(w->buf, "{\"unreadable_arguments\":");
    skill__buf_json(w->buf, call->arguments, length);
    skill__buf_char(w->buf, '}');
  }
  mark(w, marked);
  skill__buf_char(w->buf, '}');
}

/* A call whose id was taken bears another one since, and its result refers to that. */
static int set_id(cJSON *block, const char *id) {
  const char *old = skill__json_string(block, "id");
  if (old && strcmp(old, id) == 0) return 0;
  cJSON *string = cJSON_CreateString(id);
  if (string && cJSON_ReplaceItemInObjectCaseSensitive(block, "id", string)) return 0;
  cJSON_Delete(string);
  return SKILL_ENOMEM;
}

/* The blocks of an answer as they came, where they were kept. */
static bool kept_blocks(struct writer *w, const SkillMessage *message) {
  cJSON *extra = skill__body_kept(w->buf, message, SKILL__ANTHROPIC);
  const cJSON *content = cJSON_GetObjectItemCaseSensitive(extra, "content");
  bool any = cJSON_IsArray(content) && content->child;
  size_t calls = 0;
  for (cJSON *item = any ? content->child : NULL; item; item = item->next) {
    const char *type = skill__json_string(item, "type");
    bool call = type && strcmp(type, "tool_use") == 0 && calls < message->call_count;
    if (call && set_id(item, message->calls[calls++].id) && !w->buf->status) w->buf->status = SKILL_ENOMEM;
    block(w, "assistant");
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

/* System messages at the beginning; later ones stand where they are, as the user's. Returns how many. */
static size_t add_system(struct writer *w) {
  size_t count = 0;
  bool any = false;
  const SkillModelRequest *request = w->request;
  for (; count < request->message_count && request->messages[count].role == SKILL_ROLE_SYSTEM; count++) {
    const SkillMessage *message = &request->messages[count];
    if (blank(message->text, message->text_length)) continue;
    skill__buf_text(w->buf, any ? ",{\"type\":\"text\",\"text\":" : ",\"system\":[{\"type\":\"text\",\"text\":");
    skill__buf_json(w->buf, message->text, message->text_length);
    mark(w, message->cache);
    skill__buf_char(w->buf, '}');
    any = true;
  }
  if (any) skill__buf_char(w->buf, ']');
  return count;
}

static int add_tools(struct writer *w, bool search, SkillError *err) {
  const SkillModelRequest *request = w->request;
  size_t deferred = search && request->deferred_from > 0 ? request->deferred_from : request->tool_count;
  skill__buf_text(w->buf, ",\"tools\":[");
  for (size_t i = 0; i < request->tool_count; i++) {
    skill__buf_text(w->buf, i ? ",{" : "{");
    int status = skill__body_tool(w->buf, &request->tools[i], "input_schema", err);
    if (status) return status;
    if (i >= deferred) skill__buf_text(w->buf, ",\"defer_loading\":true");
    bool last = i + 1 == (deferred < request->tool_count ? deferred : request->tool_count);
    mark(w, request->cache_tools && last);
    skill__buf_char(w->buf, '}');
  }
  if (deferred < request->tool_count) {
    skill__buf_text(w->buf, ",{\"type\":\"tool_search_tool_bm25_20251119\",\"name\":\"tool_search_tool_bm25\"}");
  }
  skill__buf_char(w->buf, ']');
  return 0;
}

static void add_choice(struct writer *w) {
  const SkillModelRequest *request = w->request;
  const char *type = request->choice == SKILL_TOOL_CHOICE_NONE       ? "none"
                     : request->choice != SKILL_TOOL_CHOICE_REQUIRED ? "auto"
                     : request->choice_name                          ? "tool"
                                                                     : "any";
  if (request->choice == SKILL_TOOL_CHOICE_AUTO && request->parallel_calls) return;
  skill__buf_printf(w->buf, ",\"tool_choice\":{\"type\":\"%s\"", type);
  if (request->choice == SKILL_TOOL_CHOICE_REQUIRED && request->choice_name) {
    char name[SKILL__TOOL_NAME];
    skill__tool_name_fit(request->choice_name, true, name);
    skill__buf_printf(w->buf, ",\"name\":\"%s\"", name);
  }
  if (!request->parallel_calls && request->choice != SKILL_TOOL_CHOICE_NONE) {
    skill__buf_text(w->buf, ",\"disable_parallel_tool_use\":true");
  }
  skill__buf_char(w->buf, '}');
}

/* Marks are few: those of the last messages count most, so earlier ones give theirs up. */
static size_t marks_before(const SkillModelRequest *request) {
  size_t messages = 0;
  for (size_t i = 0; i < request->message_count; i++) messages += request->messages[i].cache;
  return messages + (request->cache_tools && request->tool_count);
}

static int body(const struct skill__remote_config *config, const SkillModelRequest *request, struct skill__buf *buf,
                SkillError *err) {
  struct writer w = {buf, request, MAX_MARKS, NULL};
  size_t wanted = marks_before(request);
  size_t limit = request->max_tokens  ? request->max_tokens
                 : config->max_output ? config->max_output
                                      : DEFAULT_MAX_TOKENS;
  int status = 0;
  skill__buf_text(buf, "{\"model\":");
  skill__buf_json_text(buf, config->model);
  skill__buf_printf(buf, ",\"max_tokens\":%zu", limit);
  if (request->tool_count) {
    status = add_tools(&w, config->tool_search, err);
    add_choice(&w);
  }
  size_t i = add_system(&w);
  skill__buf_text(buf, ",\"messages\":[");
  size_t skip = wanted > MAX_MARKS ? wanted - MAX_MARKS : 0;
  for (; i < request->message_count; i++) {
    SkillMessage message = request->messages[i];
    if (message.cache && skip) {
      message.cache = false;
      skip--;
    }
    add_message(&w, &message);
  }
  skill__buf_text(buf, w.role ? "]}]" : "]");
  skill__body_end(buf, request, ",\"stream\":true", config->extra);
  return status;
}

static const char *const headers[] = {"anthropic-version: 2023-06-01", NULL};

const struct skill__protocol skill__protocol_anthropic = {
    .name = SKILL__ANTHROPIC,
    .base_url = "https://api.anthropic.com/v1",
    .path = "/messages",
    .key_env = "ANTHROPIC_API_KEY",
    .key_header = "x-api-key: ",
    .headers = headers,
    .flags = SKILL_MODEL_STREAMS | SKILL_MODEL_CACHE_MARKS | SKILL_MODEL_TOOL_SEARCH,
    .body = body,
    .event = skill__anthropic_event,
    .document = skill__anthropic_document,
};
