/* SPDX-License-Identifier: MIT
 *
 * OpenAI chat completions, for OpenAI and compatible servers. Their differences are accepted: a stream without [DONE],
 * calls without ids or indices, reasoning under two names.
 */
#include <string.h>

#include "model/wire/body.h"
#include "model/wire/remote.h"
#include "util/json.h"
#include "util/json_out.h"

/* ---- the request ---- */

static void add_call(struct skill__buf *buf, const SkillCall *call) {
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "id", call->id);
  skill__json_add_text(buf, "type", "function");
  skill__json_open(buf, "function", "{");
  skill__body_name(buf, call->name);
  skill__json_add_text(buf, "arguments", call->arguments);
  skill__json_close(buf, "}}");
}

static void add_message(struct skill__buf *buf, const SkillMessage *message) {
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "role", skill_role_name(message->role));
  if (message->text_length || !message->call_count) {
    skill__body_text(buf, "content", message);
  } else {
    skill__json_add_raw(buf, "content", NULL);
  }
  if (message->role == SKILL_ROLE_TOOL) {
    skill__json_add_text(buf, "tool_call_id", message->call_id ? message->call_id : "");
  }
  if (message->call_count) skill__json_open(buf, "tool_calls", "[");
  for (size_t i = 0; i < message->call_count; i++) add_call(buf, &message->calls[i]);
  skill__json_close(buf, message->call_count ? "]}" : "}");
}

static int body(const struct skill__remote_config *config, const SkillModelRequest *request, struct skill__buf *buf,
                SkillError *err) {
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "model", config->model);
  skill__json_open(buf, "messages", "[");
  for (size_t i = 0; i < request->message_count; i++) add_message(buf, &request->messages[i]);
  skill__json_close(buf, "]");
  int status = skill__body_openai_tools(buf, request, true, err);
  /* Newer models of OpenAI refuse the old name; other servers do not know the new one. */
  const char *limit = config->own_service ? "max_completion_tokens" : "max_tokens";
  if (request->max_tokens) skill__json_add_size(buf, limit, request->max_tokens);
  skill__body_end(buf, request, ",\"stream\":true,\"stream_options\":{\"include_usage\":true}", config->extra);
  return status;
}

/* ---- the answer ---- */

static void read_usage(struct skill__answer *answer, const cJSON *data) {
  const cJSON *usage = cJSON_GetObjectItemCaseSensitive(data, "usage");
  if (!cJSON_IsObject(usage)) return;
  const cJSON *details = cJSON_GetObjectItemCaseSensitive(usage, "prompt_tokens_details");
  answer->usage.input_tokens = skill__json_count(usage, "prompt_tokens");
  answer->usage.output_tokens = skill__json_count(usage, "completion_tokens");
  answer->usage.cached_tokens = skill__json_count(details, "cached_tokens");
  if (!answer->usage.cached_tokens) answer->usage.cached_tokens = skill__json_count(usage, "prompt_cache_hit_tokens");
  answer->has_usage = true;
}

static int read_call(struct skill__answer *answer, const cJSON *call, size_t position) {
  const cJSON *function = cJSON_GetObjectItemCaseSensitive(call, "function");
  const cJSON *index = cJSON_GetObjectItemCaseSensitive(call, "index");
  size_t place = cJSON_IsNumber(index) ? skill__json_count(call, "index") : position;
  const char *id = skill__json_string(call, "id");
  const char *name = skill__json_string(function, "name");
  int status = skill__answer_call(answer, place, id && *id ? id : NULL, name && *name ? name : NULL);
  const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(function, "arguments");
  if (status || !arguments) return status;
  if (cJSON_IsString(arguments)) {
    return skill__answer_arguments(answer, place, arguments->valuestring, strlen(arguments->valuestring));
  }
  return skill__answer_arguments_json(answer, place, arguments); /* some servers send the object itself */
}

/* `part` is a delta of a stream or a whole message. */
static int read_part(struct skill__answer *answer, const cJSON *part) {
  const char *text = skill__json_string(part, "content");
  const char *reasoning = skill__json_string(part, "reasoning_content");
  const char *refusal = skill__json_string(part, "refusal");
  if (!reasoning) reasoning = skill__json_string(part, "reasoning");
  int status = reasoning ? skill__answer_reasoning(answer, reasoning, strlen(reasoning)) : 0;
  if (!status && text) status = skill__answer_text(answer, text, strlen(text));
  if (!status && refusal && *refusal) {
    answer->refused = true;
    status = skill__answer_text(answer, refusal, strlen(refusal));
  }
  const cJSON *calls = cJSON_GetObjectItemCaseSensitive(part, "tool_calls");
  size_t position = 0;
  for (const cJSON *call = cJSON_IsArray(calls) ? calls->child : NULL; !status && call; call = call->next) {
    status = read_call(answer, call, position++);
  }
  return status;
}

static int read_answer(struct skill__answer *answer, const cJSON *data, const char *key, SkillError *err) {
  int status = skill__remote_error(data, err);
  if (status) return status;
  skill__answer_model(answer, skill__json_string(data, "model"));
  read_usage(answer, data);
  const cJSON *choices = cJSON_GetObjectItemCaseSensitive(data, "choices");
  const cJSON *choice = cJSON_IsArray(choices) ? choices->child : NULL;
  if (!choice) return 0;
  skill__answer_stop(answer, skill__json_string(choice, "finish_reason"));
  return read_part(answer, cJSON_GetObjectItemCaseSensitive(choice, key));
}

static int event(struct skill__answer *answer, const char *name, const cJSON *data, SkillError *err) {
  (void)name;
  int status = read_answer(answer, data, "delta", err);
  answer->complete = answer->complete || answer->stopped;
  return status;
}

static int document(struct skill__answer *answer, const cJSON *data, SkillError *err) {
  int status = read_answer(answer, data, "message", err);
  const cJSON *choices = cJSON_GetObjectItemCaseSensitive(data, "choices");
  if (!status && (!cJSON_IsArray(choices) || !choices->child)) {
    return skill_error_set(err, SKILL_EREMOTE, "the answer has no choices");
  }
  answer->complete = true;
  return status;
}

const struct skill__protocol skill__protocol_openai = {
    .name = "openai",
    .path = "/chat/completions",
    .key_header = "Authorization: Bearer ",
    .flags = SKILL_MODEL_STREAMS,
    .body = body,
    .event = event,
    .document = document,
};
