/* SPDX-License-Identifier: MIT
 *
 * Streaming and counting for the models that use no network. Never fails.
 */
#include "model/local_reply.h"

#include <string.h>

#include "util/utf8.h"

enum { CHUNK = 24 }; /* bytes of a streamed piece */

static void stream_text(SkillModelCall *call, const char *text, size_t length) {
  for (size_t at = 0; at < length;) {
    size_t end = length - at > CHUNK ? skill__utf8_floor(text, at + CHUNK) : length;
    if (end <= at) end = length;
    SkillDelta delta = {.kind = SKILL_DELTA_TEXT, .text = text + at, .length = end - at};
    skill_model_call_delta(call, &delta);
    at = end;
  }
}

void skill__local_stream(SkillModelCall *call, const SkillMessage *message) {
  stream_text(call, message->text, message->text_length);
  for (size_t i = 0; i < message->call_count; i++) {
    const SkillCall *made = &message->calls[i];
    SkillDelta begin = {.kind = SKILL_DELTA_CALL, .index = i, .id = made->id, .name = made->name};
    skill_model_call_delta(call, &begin);
    SkillDelta rest = {.kind = SKILL_DELTA_CALL_ARGUMENTS, .index = i, .text = made->arguments};
    rest.length = strlen(made->arguments);
    skill_model_call_delta(call, &rest);
  }
}

static size_t message_tokens(const SkillMessage *message) {
  size_t tokens = skill_tokens_count(NULL, message->text, message->text_length);
  for (size_t i = 0; i < message->call_count; i++) {
    tokens += skill_tokens_count(NULL, message->calls[i].name, strlen(message->calls[i].name));
    tokens += skill_tokens_count(NULL, message->calls[i].arguments, strlen(message->calls[i].arguments));
  }
  return tokens;
}

SkillUsage skill__local_usage(const SkillModelRequest *request, const SkillMessage *answer) {
  SkillUsage usage = {.estimated = true};
  for (size_t i = 0; i < request->message_count; i++) usage.input_tokens += message_tokens(&request->messages[i]);
  for (size_t i = 0; i < request->tool_count; i++) usage.input_tokens += skill_tokens_tool(NULL, &request->tools[i]);
  usage.output_tokens = message_tokens(answer);
  return usage;
}
