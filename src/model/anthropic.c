/* SPDX-License-Identifier: MIT
 *
 * Anthropic messages. Differences from other protocols that this file hides: the system text stands apart; tool results
 * are user content; what comes one after the other from one role becomes one message; thinking and the provider's own
 * tool search come as blocks that must go back untouched, which SkillMessage.extra carries; at most four cache marks.
 */
#include <string.h>

#include "model/body.h"
#include "model/remote.h"
#include "util/json.h"

#define MAX_MARKS 4
#define DEFAULT_MAX_TOKENS 8192
#define EXTRA_FROM "anthropic"

/* ---- the request ---- */

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
  char name[SKILL__WIRE_NAME];
  skill__wire_name(call->name, name);
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

/* The blocks of an answer as they came, where they were kept. */
static bool kept_blocks(struct writer *w, const SkillMessage *message) {
  if (!message->extra || !message->extra_from || strcmp(message->extra_from, EXTRA_FROM) != 0) return false;
  cJSON *extra = cJSON_Parse(message->extra);
  const cJSON *content = cJSON_GetObjectItemCaseSensitive(extra, "content");
  bool any = cJSON_IsArray(content) && content->child;
  for (const cJSON *item = any ? content->child : NULL; item; item = item->next) {
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
    char name[SKILL__WIRE_NAME];
    const SkillTool *tool = &request->tools[i];
    skill__wire_name(tool->name, name);
    skill__buf_printf(w->buf, "%s{\"name\":\"%s\"", i ? "," : "", name);
    if (tool->description && *tool->description) {
      skill__buf_text(w->buf, ",\"description\":");
      skill__buf_json_text(w->buf, tool->description);
    }
    skill__buf_text(w->buf, ",\"input_schema\":");
    int rc = skill__body_schema(w->buf, tool, err);
    if (rc) return rc;
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
    char name[SKILL__WIRE_NAME];
    skill__wire_name(request->choice_name, name);
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
  int rc = 0;
  skill__buf_text(buf, "{\"model\":");
  skill__buf_json_text(buf, config->model);
  skill__buf_printf(buf, ",\"max_tokens\":%zu", limit);
  if (request->tool_count) {
    rc = add_tools(&w, config->tool_search, err);
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
  skill__body_temperature(buf, request);
  if (request->stream) skill__buf_text(buf, ",\"stream\":true");
  skill__body_extra(buf, config->extra);
  skill__body_extra(buf, request->extra);
  skill__buf_char(buf, '}');
  return rc;
}

/* ---- the answer ---- */

static void read_usage(struct skill__answer *answer, const cJSON *usage) {
  if (!cJSON_IsObject(usage)) return;
  if (cJSON_GetObjectItemCaseSensitive(usage, "input_tokens")) {
    answer->usage.cached_tokens = skill__remote_count(usage, "cache_read_input_tokens");
    answer->usage.cache_write_tokens = skill__remote_count(usage, "cache_creation_input_tokens");
    answer->usage.input_tokens =
        skill__remote_count(usage, "input_tokens") + answer->usage.cached_tokens + answer->usage.cache_write_tokens;
  }
  if (cJSON_GetObjectItemCaseSensitive(usage, "output_tokens")) {
    answer->usage.output_tokens = skill__remote_count(usage, "output_tokens");
  }
  answer->has_usage = true;
}

static void read_stop(struct skill__answer *answer, const cJSON *object) {
  const char *reason = skill__json_string(object, "stop_reason");
  if (!reason) return;
  answer->stopped = true;
  answer->stop = strcmp(reason, "end_turn") == 0 || strcmp(reason, "stop_sequence") == 0 ? SKILL_STOP_END
                 : strcmp(reason, "tool_use") == 0                                       ? SKILL_STOP_TOOLS
                 : strcmp(reason, "max_tokens") == 0 || strcmp(reason, "model_context_window_exceeded") == 0
                     ? SKILL_STOP_LENGTH
                 : strcmp(reason, "refusal") == 0 ? SKILL_STOP_REFUSED
                                                  : SKILL_STOP_OTHER;
}

static void read_head(struct skill__answer *answer, const cJSON *message) {
  const char *model = skill__json_string(message, "model");
  if (model) strncpy(answer->model, model, sizeof answer->model - 1);
  read_usage(answer, cJSON_GetObjectItemCaseSensitive(message, "usage"));
  read_stop(answer, message);
}

static bool ordinary(const char *type) {
  return strcmp(type, "text") == 0 || strcmp(type, "tool_use") == 0;
}

/* Keeps all blocks where one of them must go back untouched: their order counts. */
static int keep_whole(struct skill__answer *answer, const cJSON *content) {
  bool needed = false;
  for (const cJSON *item = content->child; item; item = item->next) {
    const char *type = skill__json_string(item, "type");
    needed = needed || (type && !ordinary(type));
  }
  if (!needed) return 0;
  skill__buf_text(&answer->extra, "{\"content\":");
  skill__json_print(&answer->extra, content);
  skill__buf_char(&answer->extra, '}');
  answer->extra_from = EXTRA_FROM;
  return skill__buf_status(&answer->extra);
}

static int read_block(struct skill__answer *answer, const cJSON *item, size_t place) {
  const char *type = skill__json_string(item, "type");
  if (!type) return 0;
  if (strcmp(type, "text") == 0) {
    const char *text = skill__json_string(item, "text");
    return text ? skill__answer_text(answer, text, strlen(text)) : 0;
  }
  if (strcmp(type, "thinking") == 0) {
    const char *text = skill__json_string(item, "thinking");
    return text ? skill__answer_reasoning(answer, text, strlen(text)) : 0;
  }
  if (strcmp(type, "tool_use") != 0) return 0;
  int rc = skill__answer_call(answer, place, skill__json_string(item, "id"), skill__json_string(item, "name"));
  const cJSON *input = cJSON_GetObjectItemCaseSensitive(item, "input");
  if (rc || !cJSON_IsObject(input) || !input->child) return rc;
  struct skill__buf text;
  skill__buf_init(&text, SKILL_MAX_ARGUMENTS);
  skill__json_print(&text, input);
  rc = skill__buf_status(&text);
  if (!rc) rc = skill__answer_arguments(answer, place, text.data, text.length);
  skill__buf_fini(&text);
  return rc;
}

static int document(struct skill__answer *answer, const cJSON *data, SkillError *err) {
  int rc = skill__remote_error(data, err);
  if (rc) return rc;
  const cJSON *content = cJSON_GetObjectItemCaseSensitive(data, "content");
  if (!cJSON_IsArray(content)) return skill_error_set(err, SKILL_EREMOTE, "the answer has no content");
  read_head(answer, data);
  size_t place = 0;
  for (const cJSON *item = content->child; !rc && item; item = item->next) rc = read_block(answer, item, place++);
  if (!rc) rc = keep_whole(answer, content);
  answer->complete = true;
  return rc;
}

/* ---- the stream: blocks are put together again, for those that go back ---- */

static int begin_block(struct skill__answer *answer, const cJSON *data, size_t place) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(data, "content_block");
  cJSON *copy = cJSON_Duplicate(item, true);
  if (!copy) return SKILL_ENOMEM;
  if (!answer->blocks) answer->blocks = cJSON_CreateArray();
  if (!answer->blocks || !cJSON_AddItemToArray(answer->blocks, copy)) {
    cJSON_Delete(copy);
    return SKILL_ENOMEM;
  }
  return read_block(answer, item, place);
}

/* Appends to a string member of the block that is being received. */
static int grow_block(struct skill__answer *answer, const char *key, const char *text) {
  cJSON *blocks = answer->blocks;
  cJSON *last = blocks && blocks->child ? blocks->child->prev : NULL;
  if (!last) return 0;
  const char *old = skill__json_string(last, key);
  struct skill__buf both;
  skill__buf_init(&both, SKILL_MAX_MESSAGE);
  skill__buf_text(&both, old);
  skill__buf_text(&both, text);
  cJSON *value = skill__buf_status(&both) ? NULL : cJSON_CreateString(both.data ? both.data : "");
  skill__buf_fini(&both);
  if (!value) return SKILL_ENOMEM;
  cJSON_DeleteItemFromObjectCaseSensitive(last, key);
  if (!cJSON_AddItemToObject(last, key, value)) {
    cJSON_Delete(value);
    return SKILL_ENOMEM;
  }
  return 0;
}

static int read_delta(struct skill__answer *answer, const cJSON *data, size_t place) {
  const cJSON *delta = cJSON_GetObjectItemCaseSensitive(data, "delta");
  const char *type = skill__json_string(delta, "type");
  const char *text = NULL;
  int rc = 0;
  if (!type) return 0;
  if (strcmp(type, "text_delta") == 0 && (text = skill__json_string(delta, "text"))) {
    rc = skill__answer_text(answer, text, strlen(text));
    return rc ? rc : grow_block(answer, "text", text);
  }
  if (strcmp(type, "input_json_delta") == 0 && (text = skill__json_string(delta, "partial_json"))) {
    if (skill__answer_has(answer, place)) rc = skill__answer_arguments(answer, place, text, strlen(text));
    return rc ? rc : grow_block(answer, "partial_json", text);
  }
  if (strcmp(type, "thinking_delta") == 0 && (text = skill__json_string(delta, "thinking"))) {
    rc = skill__answer_reasoning(answer, text, strlen(text));
    return rc ? rc : grow_block(answer, "thinking", text);
  }
  if (strcmp(type, "signature_delta") == 0 && (text = skill__json_string(delta, "signature"))) {
    return grow_block(answer, "signature", text);
  }
  return 0;
}

/* The pieces of a call's input become its input again. */
static int end_block(struct skill__answer *answer) {
  cJSON *last = answer->blocks && answer->blocks->child ? answer->blocks->child->prev : NULL;
  cJSON *pieces = cJSON_DetachItemFromObjectCaseSensitive(last, "partial_json");
  if (!pieces) return 0;
  const char *text = pieces->valuestring && *pieces->valuestring ? pieces->valuestring : "{}";
  cJSON *input = cJSON_Parse(text);
  cJSON_Delete(pieces);
  if (!input) return 0; /* the gateway tells the model that its arguments cannot be read */
  cJSON_DeleteItemFromObjectCaseSensitive(last, "input");
  if (cJSON_AddItemToObject(last, "input", input)) return 0;
  cJSON_Delete(input);
  return SKILL_ENOMEM;
}

static int event(struct skill__answer *answer, const char *name, const cJSON *data, SkillError *err) {
  const char *type = skill__json_string(data, "type");
  const cJSON *index = cJSON_GetObjectItemCaseSensitive(data, "index");
  size_t place = cJSON_IsNumber(index) && index->valuedouble >= 0 ? (size_t)index->valuedouble : 0;
  if (!type) type = name;
  if (strcmp(type, "message_start") == 0) {
    read_head(answer, cJSON_GetObjectItemCaseSensitive(data, "message"));
  } else if (strcmp(type, "content_block_start") == 0) {
    return begin_block(answer, data, place);
  } else if (strcmp(type, "content_block_delta") == 0) {
    return read_delta(answer, data, place);
  } else if (strcmp(type, "content_block_stop") == 0) {
    return end_block(answer);
  } else if (strcmp(type, "message_delta") == 0) {
    read_stop(answer, cJSON_GetObjectItemCaseSensitive(data, "delta"));
    read_usage(answer, cJSON_GetObjectItemCaseSensitive(data, "usage"));
  } else if (strcmp(type, "message_stop") == 0) {
    answer->complete = true;
    return answer->blocks ? keep_whole(answer, answer->blocks) : 0;
  }
  return skill__remote_error(data, err);
}

static const char *const headers[] = {"anthropic-version: 2023-06-01", NULL};

const struct skill__protocol skill__protocol_anthropic = {
    .name = "anthropic",
    .base_url = "https://api.anthropic.com/v1",
    .path = "/messages",
    .key_env = "ANTHROPIC_API_KEY",
    .key_header = "x-api-key: ",
    .headers = headers,
    .flags = SKILL_MODEL_STREAMS | SKILL_MODEL_CACHE_MARKS | SKILL_MODEL_TOOL_SEARCH,
    .body = body,
    .event = event,
    .document = document,
};
