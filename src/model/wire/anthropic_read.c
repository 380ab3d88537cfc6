/* SPDX-License-Identifier: MIT
 *
 * Answers of Anthropic messages, complete and streamed. If a block of thinking or of the provider's tool search is
 * among the blocks, all of them must be sent back unchanged with the next request; SkillMessage.extra keeps them.
 */
#include "model/wire/anthropic.h"

#include <string.h>

#include "util/json.h"
#include "util/json_out.h"

static void read_usage(struct skill__answer *answer, const cJSON *usage) {
  if (!cJSON_IsObject(usage)) return;
  if (cJSON_GetObjectItemCaseSensitive(usage, "input_tokens")) {
    answer->usage.cached_tokens = skill__json_count(usage, "cache_read_input_tokens");
    answer->usage.cache_write_tokens = skill__json_count(usage, "cache_creation_input_tokens");
    answer->usage.input_tokens =
        skill__json_count(usage, "input_tokens") + answer->usage.cached_tokens + answer->usage.cache_write_tokens;
  }
  if (cJSON_GetObjectItemCaseSensitive(usage, "output_tokens")) {
    answer->usage.output_tokens = skill__json_count(usage, "output_tokens");
  }
  answer->has_usage = true;
}

static void read_head(struct skill__answer *answer, const cJSON *message) {
  skill__answer_model(answer, skill__json_string(message, "model"));
  read_usage(answer, cJSON_GetObjectItemCaseSensitive(message, "usage"));
  skill__answer_stop(answer, skill__json_string(message, "stop_reason"));
}

static bool ordinary(const char *type) {
  return strcmp(type, "text") == 0 || strcmp(type, "tool_use") == 0;
}

/* Keeps all blocks if one of them must be sent back unchanged: their order matters. */
static int keep_whole(struct skill__answer *answer, const cJSON *content) {
  bool needed = false;
  for (const cJSON *item = content->child; item; item = item->next) {
    const char *type = skill__json_string(item, "type");
    needed = needed || (type && !ordinary(type));
  }
  if (!needed) return 0;
  skill__json_open(&answer->extra, NULL, "{");
  skill__json_open(&answer->extra, "content", "");
  skill__json_print(&answer->extra, content);
  skill__json_close(&answer->extra, "}");
  answer->extra_from = SKILL__ANTHROPIC;
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
  int status = skill__answer_call(answer, place, skill__json_string(item, "id"), skill__json_string(item, "name"));
  const cJSON *input = cJSON_GetObjectItemCaseSensitive(item, "input");
  return status || !cJSON_IsObject(input) || !input->child ? status
                                                           : skill__answer_arguments_json(answer, place, input);
}

int skill__anthropic_document(struct skill__answer *answer, const cJSON *data, SkillError *err) {
  int status = skill__remote_error(data, err);
  if (status) return status;
  const cJSON *content = cJSON_GetObjectItemCaseSensitive(data, "content");
  if (!cJSON_IsArray(content)) return skill_error_set(err, SKILL_EREMOTE, "the answer has no content");
  read_head(answer, data);
  size_t place = 0;
  for (const cJSON *item = content->child; !status && item; item = item->next)
    status = read_block(answer, item, place++);
  if (!status) status = keep_whole(answer, content);
  answer->complete = true;
  return status;
}

/* ---- the stream: blocks are rebuilt, because some must be sent back ---- */

static cJSON *last_block(const struct skill__answer *answer) {
  return answer->blocks && answer->blocks->child ? answer->blocks->child->prev : NULL;
}

static int set_member(cJSON *object, const char *key, cJSON *value) {
  if (!value) return SKILL_ENOMEM;
  cJSON_DeleteItemFromObjectCaseSensitive(object, key);
  if (cJSON_AddItemToObject(object, key, value)) return 0;
  cJSON_Delete(value);
  return SKILL_ENOMEM;
}

/* Sets a call's input. Malformed input is left out; the gateway reports it to the model. */
static int set_input(cJSON *block, const struct skill__buf *pieces) {
  cJSON *input = NULL;
  int status = skill__json_parse(pieces->data, pieces->length, NULL, &input, NULL);
  if (status) return status == SKILL_ENOMEM ? status : 0;
  return set_member(block, "input", input);
}

/* Moves the collected pieces into the block that they belong to. */
static int settle(struct skill__answer *answer) {
  cJSON *block = last_block(answer);
  struct skill__buf *pieces = &answer->pieces;
  int status = 0;
  if (block && pieces->length) {
    status = strcmp(answer->pieces_of, "input") == 0
                 ? set_input(block, pieces)
                 : set_member(block, answer->pieces_of, cJSON_CreateString(pieces->data));
  }
  skill__buf_clear(pieces);
  return status;
}

/* Adds a piece to a member of the block that is being received. */
static int grow(struct skill__answer *answer, const char *key, const char *text) {
  cJSON *block = last_block(answer);
  if (!block) return 0;
  if (answer->pieces.length && strcmp(answer->pieces_of, key) != 0) {
    int status = settle(answer);
    if (status) return status;
  }
  if (!answer->pieces.length) skill__buf_text(&answer->pieces, skill__json_string(block, key));
  answer->pieces_of = key;
  skill__buf_text(&answer->pieces, text);
  return skill__buf_status(&answer->pieces);
}

static int begin_block(struct skill__answer *answer, const cJSON *data, size_t place, SkillError *err) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(data, "content_block");
  if (!cJSON_IsObject(item)) return skill_error_set(err, SKILL_EREMOTE, "content_block is no object");
  int status = settle(answer);
  if (status) return status;
  cJSON *copy = cJSON_Duplicate(item, true);
  if (!answer->blocks) answer->blocks = cJSON_CreateArray();
  if (!copy || !answer->blocks || !cJSON_AddItemToArray(answer->blocks, copy)) {
    cJSON_Delete(copy);
    return SKILL_ENOMEM;
  }
  return read_block(answer, item, place);
}

static int read_delta(struct skill__answer *answer, const cJSON *data, size_t place) {
  const cJSON *delta = cJSON_GetObjectItemCaseSensitive(data, "delta");
  const char *type = skill__json_string(delta, "type");
  const char *text = NULL;
  int status = 0;
  if (!type) return 0;
  if (strcmp(type, "text_delta") == 0 && (text = skill__json_string(delta, "text"))) {
    status = skill__answer_text(answer, text, strlen(text));
    return status ? status : grow(answer, "text", text);
  }
  if (strcmp(type, "input_json_delta") == 0 && (text = skill__json_string(delta, "partial_json"))) {
    if (skill__answer_has(answer, place)) status = skill__answer_arguments(answer, place, text, strlen(text));
    return status ? status : grow(answer, "input", text);
  }
  if (strcmp(type, "thinking_delta") == 0 && (text = skill__json_string(delta, "thinking"))) {
    status = skill__answer_reasoning(answer, text, strlen(text));
    return status ? status : grow(answer, "thinking", text);
  }
  if (strcmp(type, "signature_delta") == 0 && (text = skill__json_string(delta, "signature"))) {
    return grow(answer, "signature", text);
  }
  return 0;
}

static int end_answer(struct skill__answer *answer) {
  int status = settle(answer);
  answer->complete = true;
  return status || !answer->blocks ? status : keep_whole(answer, answer->blocks);
}

int skill__anthropic_event(struct skill__answer *answer, const char *name, const cJSON *data, SkillError *err) {
  const char *type = skill__json_string(data, "type");
  size_t place = skill__json_count(data, "index");
  if (!type) type = name;
  if (strcmp(type, "message_start") == 0) {
    read_head(answer, cJSON_GetObjectItemCaseSensitive(data, "message"));
  } else if (strcmp(type, "content_block_start") == 0) {
    return begin_block(answer, data, place, err);
  } else if (strcmp(type, "content_block_delta") == 0) {
    return read_delta(answer, data, place);
  } else if (strcmp(type, "content_block_stop") == 0) {
    return settle(answer);
  } else if (strcmp(type, "message_delta") == 0) {
    const cJSON *delta = cJSON_GetObjectItemCaseSensitive(data, "delta");
    skill__answer_stop(answer, skill__json_string(delta, "stop_reason"));
    read_usage(answer, cJSON_GetObjectItemCaseSensitive(data, "usage"));
  } else if (strcmp(type, "message_stop") == 0) {
    return end_answer(answer);
  }
  return skill__remote_error(data, err);
}
