/* SPDX-License-Identifier: MIT
 *
 * OpenAI responses, without storage on the server (store: false): every request contains the whole conversation, and
 * encrypted reasoning, which SkillMessage.extra keeps, is sent back.
 */
#include <string.h>

#include "model/wire/body.h"
#include "model/wire/remote.h"
#include "util/json.h"
#include "util/json_out.h"

#define EXTRA_FROM "responses"

/* ---- the request ---- */

static void add_text(struct skill__buf *buf, const SkillMessage *message) {
  if (!message->text_length && message->call_count) return;
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "type", "message");
  skill__json_add_text(buf, "role", skill_role_name(message->role));
  skill__body_text(buf, "content", message);
  skill__json_close(buf, "}");
}

static void add_call(struct skill__buf *buf, const SkillCall *call) {
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "type", "function_call");
  skill__json_add_text(buf, "call_id", call->id);
  skill__body_name(buf, call->name);
  skill__json_add_text(buf, "arguments", call->arguments);
  skill__json_close(buf, "}");
}

static void add_output(struct skill__buf *buf, const SkillMessage *message) {
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "type", "function_call_output");
  skill__json_add_text(buf, "call_id", message->call_id ? message->call_id : "");
  skill__body_text(buf, "output", message);
  skill__json_close(buf, "}");
}

static void add_reasoning(struct skill__buf *buf, const SkillMessage *message) {
  cJSON *extra = skill__body_kept(buf, message, EXTRA_FROM);
  const cJSON *item;
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(extra, "items")) {
    skill__json_open(buf, NULL, "");
    skill__json_print(buf, item);
  }
  cJSON_Delete(extra);
}

static void add_message(struct skill__buf *buf, const SkillMessage *message) {
  if (message->role == SKILL_ROLE_TOOL) {
    add_output(buf, message);
    return;
  }
  add_reasoning(buf, message);
  add_text(buf, message);
  for (size_t i = 0; i < message->call_count; i++) add_call(buf, &message->calls[i]);
}

static int body(const struct skill__remote_config *config, const SkillModelRequest *request, struct skill__buf *buf,
                SkillError *err) {
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "model", config->model);
  skill__json_add_bool(buf, "store", false);
  skill__json_open(buf, "input", "[");
  for (size_t i = 0; i < request->message_count; i++) add_message(buf, &request->messages[i]);
  skill__json_close(buf, "]");
  int status = skill__body_openai_tools(buf, request, false, err);
  if (request->max_tokens) skill__json_add_size(buf, "max_output_tokens", request->max_tokens);
  skill__body_end(buf, request, ",\"stream\":true", config->extra);
  return status;
}

/* ---- the answer ---- */

static void read_usage(struct skill__answer *answer, const cJSON *usage) {
  if (!cJSON_IsObject(usage)) return;
  const cJSON *details = cJSON_GetObjectItemCaseSensitive(usage, "input_tokens_details");
  answer->usage.input_tokens = skill__json_count(usage, "input_tokens");
  answer->usage.output_tokens = skill__json_count(usage, "output_tokens");
  answer->usage.cached_tokens = skill__json_count(details, "cached_tokens");
  answer->has_usage = true;
}

static void read_stop(struct skill__answer *answer, const cJSON *response) {
  const char *status = skill__json_string(response, "status");
  const cJSON *details = cJSON_GetObjectItemCaseSensitive(response, "incomplete_details");
  const char *reason = skill__json_string(details, "reason");
  answer->stopped = true;
  if (status && strcmp(status, "incomplete") == 0) {
    answer->stop = reason && strcmp(reason, "content_filter") == 0 ? SKILL_STOP_REFUSED : SKILL_STOP_LENGTH;
  } else {
    answer->stop = SKILL_STOP_END;
  }
}

/* Only encrypted reasoning can be sent back: for other items the server looks in its storage. */
static int keep_reasoning(struct skill__answer *answer, const cJSON *output) {
  struct skill__buf *extra = &answer->extra;
  const cJSON *item;
  cJSON_ArrayForEach(item, output) {
    const char *type = skill__json_string(item, "type");
    if (!type || strcmp(type, "reasoning") != 0 || !skill__json_string(item, "encrypted_content")) continue;
    skill__json_open(extra, NULL, extra->length ? "" : "{\"items\":[");
    skill__json_print(extra, item);
  }
  if (!extra->length) return 0;
  skill__json_close(extra, "]}");
  answer->extra_from = EXTRA_FROM;
  return skill__buf_status(extra);
}

static int read_end(struct skill__answer *answer, const cJSON *response) {
  skill__answer_model(answer, skill__json_string(response, "model"));
  read_usage(answer, cJSON_GetObjectItemCaseSensitive(response, "usage"));
  read_stop(answer, response);
  answer->complete = true;
  return keep_reasoning(answer, cJSON_GetObjectItemCaseSensitive(response, "output"));
}

static int read_call(struct skill__answer *answer, const cJSON *item, size_t place, bool whole) {
  int status = skill__answer_call(answer, place, skill__json_string(item, "call_id"), skill__json_string(item, "name"));
  const char *arguments = whole ? skill__json_string(item, "arguments") : NULL;
  return status || !arguments ? status : skill__answer_arguments(answer, place, arguments, strlen(arguments));
}

static int read_message(struct skill__answer *answer, const cJSON *item) {
  const cJSON *content = cJSON_GetObjectItemCaseSensitive(item, "content");
  int status = 0;
  for (const cJSON *part = cJSON_IsArray(content) ? content->child : NULL; !status && part; part = part->next) {
    const char *text = skill__json_string(part, "text");
    const char *refusal = skill__json_string(part, "refusal");
    if (refusal) answer->refused = true;
    if (!text) text = refusal;
    if (text) status = skill__answer_text(answer, text, strlen(text));
  }
  return status;
}

static int read_output(struct skill__answer *answer, const cJSON *output) {
  size_t place = 0;
  int status = 0;
  for (const cJSON *item = output->child; !status && item; item = item->next, place++) {
    const char *type = skill__json_string(item, "type");
    if (type && strcmp(type, "message") == 0) status = read_message(answer, item);
    if (type && strcmp(type, "function_call") == 0) status = read_call(answer, item, place, true);
  }
  return status;
}

static int document(struct skill__answer *answer, const cJSON *data, SkillError *err) {
  int status = skill__remote_error(data, err);
  if (status) return status;
  const cJSON *output = cJSON_GetObjectItemCaseSensitive(data, "output");
  if (!cJSON_IsArray(output)) return skill_error_set(err, SKILL_EREMOTE, "the answer has no output");
  status = read_output(answer, output);
  return status ? status : read_end(answer, data);
}

static int read_item(struct skill__answer *answer, const cJSON *data, size_t place, bool whole) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(data, "item");
  const char *type = skill__json_string(item, "type");
  if (!type || strcmp(type, "function_call") != 0) return 0;
  /* The end of a call repeats its arguments: they are used only if none were streamed. */
  return read_call(answer, item, place, whole && skill__answer_arguments_length(answer, place) == 0);
}

static int event(struct skill__answer *answer, const char *name, const cJSON *data, SkillError *err) {
  const char *type = skill__json_string(data, "type");
  const char *delta = skill__json_string(data, "delta");
  size_t place = skill__json_count(data, "output_index");
  const cJSON *response = cJSON_GetObjectItemCaseSensitive(data, "response");
  if (!type) type = name;
  if (strcmp(type, "response.output_text.delta") == 0 && delta) return skill__answer_text(answer, delta, strlen(delta));
  if (strcmp(type, "response.refusal.delta") == 0 && delta) {
    answer->refused = true;
    return skill__answer_text(answer, delta, strlen(delta));
  }
  if ((strcmp(type, "response.reasoning_summary_text.delta") == 0 ||
       strcmp(type, "response.reasoning_text.delta") == 0) &&
      delta) {
    return skill__answer_reasoning(answer, delta, strlen(delta));
  }
  if (strcmp(type, "response.output_item.added") == 0) return read_item(answer, data, place, false);
  if (strcmp(type, "response.output_item.done") == 0) return read_item(answer, data, place, true);
  if (strcmp(type, "response.function_call_arguments.delta") == 0 && delta) {
    return skill__answer_arguments(answer, place, delta, strlen(delta));
  }
  if (strcmp(type, "response.completed") == 0 || strcmp(type, "response.incomplete") == 0) {
    return read_end(answer, response);
  }
  if (strcmp(type, "response.failed") == 0) {
    int status = skill__remote_error(response, err);
    return status ? status : skill_error_set(err, SKILL_EREMOTE, "the provider reports that the response failed");
  }
  if (strcmp(type, "error") == 0) {
    const char *message = skill__json_string(data, "message");
    int status = skill__remote_error(data, err);
    return status ? status
                  : skill_error_set(err, SKILL_EREMOTE, "%.400s", message ? message : "the provider reports an error");
  }
  return 0;
}

const struct skill__protocol skill__protocol_responses = {
    .name = "responses",
    .path = "/responses",
    .key_header = "Authorization: Bearer ",
    .flags = SKILL_MODEL_STREAMS,
    .body = body,
    .event = event,
    .document = document,
};
