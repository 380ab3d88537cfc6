/* SPDX-License-Identifier: MIT
 *
 * Parts of request bodies; see body.h. Schemas and arguments are JSON text already: a scanner checks them and they are
 * copied, not parsed and printed again. So the cost of a request with many tools is close to that of copying it.
 */
#include "model/wire/body.h"

#include <string.h>

#include "util/alloc.h"
#include "util/hash.h"
#include "util/json.h"
#include "util/json_out.h"

static int remember_ids(struct skill__wire *wire, const SkillMessage *message) {
  if (SKILL__GROW(wire->ids, wire->id_capacity, wire->id_count + message->call_count)) return SKILL_ENOMEM;
  for (size_t i = 0; i < message->call_count; i++) {
    const char *id = message->calls[i].id;
    wire->ids[wire->id_count++] = skill__hash_bytes(id, strlen(id));
  }
  return 0;
}

bool skill__wire_used(const struct skill__wire *wire, const char *id) {
  uint64_t sum = skill__hash_bytes(id, strlen(id));
  for (size_t i = 0; wire && i < wire->id_count; i++) {
    if (wire->ids[i] == sum) return true;
  }
  return false;
}

int skill__wire_remember(struct skill__wire *wire, const SkillModelRequest *request) {
  for (size_t i = 0; i < request->message_count; i++) {
    if (request->messages[i].call_count && remember_ids(wire, &request->messages[i])) return SKILL_ENOMEM;
  }
  for (size_t i = 0; i < request->tool_count; i++) {
    char sent[SKILL__TOOL_NAME];
    skill__tool_name_fit(request->tools[i].name, true, sent);
    if (strcmp(sent, request->tools[i].name) == 0) continue;
    if (SKILL__GROW(wire->pairs, wire->capacity, wire->count + 1)) return SKILL_ENOMEM;
    struct skill__wire_pair *pair = &wire->pairs[wire->count];
    memcpy(pair->sent, sent, sizeof sent);
    pair->name = skill__strdup(request->tools[i].name);
    if (!pair->name) return SKILL_ENOMEM;
    wire->count++;
  }
  return 0;
}

void skill__wire_fini(struct skill__wire *wire) {
  for (size_t i = 0; i < wire->count; i++) skill__free(wire->pairs[i].name);
  skill__free(wire->pairs);
  skill__free(wire->ids);
  memset(wire, 0, sizeof *wire);
}

const char *skill__wire_find(const struct skill__wire *wire, const char *sent) {
  for (size_t i = 0; wire && i < wire->count; i++) {
    if (strcmp(wire->pairs[i].sent, sent) == 0) return wire->pairs[i].name;
  }
  return sent;
}

bool skill__body_json(const char *text, size_t length, bool object) {
  size_t blanks = skill__json_blanks(text, length);
  if (object && (blanks == length || text[blanks] != '{')) return false;
  size_t value = skill__json_scan(text, length);
  return value && value + skill__json_blanks(text + value, length - value) == length;
}

/* ---- pieces ---- */

void skill__body_name(struct skill__buf *buf, const char *name) {
  char fit[SKILL__TOOL_NAME];
  skill__tool_name_fit(name, true, fit);
  skill__json_add_text(buf, "name", fit);
}

void skill__body_text(struct skill__buf *buf, const char *key, const SkillMessage *message) {
  skill__json_add_bytes(buf, key, message->text ? message->text : "", message->text_length);
}

void skill__body_raw(struct skill__buf *buf, const char *key, const char *json) {
  size_t length = strlen(json);
  size_t blanks = skill__json_blanks(json, length);
  while (length > blanks && strchr(" \t\r\n", json[length - 1])) length--; /* the next comma depends on the last byte */
  skill__json_open(buf, key, "");
  skill__buf_add(buf, json + blanks, length - blanks);
}

int skill__body_tool(struct skill__buf *buf, const SkillTool *tool, const char *schema_key, SkillError *err) {
  const char *schema = tool->input_schema ? tool->input_schema : "{\"type\":\"object\",\"properties\":{}}";
  if (!skill__body_json(schema, strlen(schema), true)) {
    return skill_error_set(err, SKILL_EINVAL, "the input_schema of tool %.200s is no JSON object", tool->name);
  }
  skill__body_name(buf, tool->name);
  if (tool->description && *tool->description) skill__json_add_text(buf, "description", tool->description);
  skill__body_raw(buf, schema_key, schema);
  return 0;
}

static void add_openai_choice(struct skill__buf *buf, const SkillModelRequest *request, bool nested) {
  if (!request->parallel_calls) skill__json_add_bool(buf, "parallel_tool_calls", false);
  if (request->choice == SKILL_TOOL_CHOICE_NONE) skill__json_add_text(buf, "tool_choice", "none");
  if (request->choice != SKILL_TOOL_CHOICE_REQUIRED) return;
  if (!request->choice_name) {
    skill__json_add_text(buf, "tool_choice", "required");
    return;
  }
  skill__json_open(buf, "tool_choice", nested ? "{\"type\":\"function\",\"function\":{" : "{\"type\":\"function\"");
  skill__body_name(buf, request->choice_name);
  skill__json_close(buf, nested ? "}}" : "}");
}

static void add_extra(struct skill__buf *buf, const char *extra) {
  if (!extra) return;
  const char *open = strchr(extra, '{');
  const char *close = strrchr(extra, '}');
  const char *p = open + 1;
  while (p < close && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) p++;
  if (p == close) return;
  skill__buf_char(buf, ',');
  skill__buf_add(buf, p, (size_t)(close - p));
}

cJSON *skill__body_kept(struct skill__buf *buf, const SkillMessage *message, const char *protocol) {
  cJSON *kept = NULL;
  if (!message->extra || !message->extra_from || strcmp(message->extra_from, protocol) != 0) return NULL;
  int status = skill__json_parse(message->extra, strlen(message->extra), NULL, &kept, NULL);
  if (status == SKILL_ENOMEM && !buf->status) buf->status = status;
  return kept;
}

int skill__body_openai_tools(struct skill__buf *buf, const SkillModelRequest *request, bool nested, SkillError *err) {
  if (!request->tool_count) return 0;
  skill__json_open(buf, "tools", "[");
  for (size_t i = 0; i < request->tool_count; i++) {
    skill__json_open(buf, NULL, nested ? "{\"type\":\"function\",\"function\":{" : "{\"type\":\"function\"");
    int status = skill__body_tool(buf, &request->tools[i], "parameters", err);
    if (status) return status;
    skill__json_close(buf, nested ? "}}" : ",\"strict\":false}");
  }
  skill__json_close(buf, "]");
  add_openai_choice(buf, request, nested);
  return 0;
}

void skill__body_end(struct skill__buf *buf, const SkillModelRequest *request, const char *stream, const char *extra) {
  if (request->temperature >= 0 && request->temperature <= 100) {
    /* Thousandths as integers: printf writes the locale's decimal point. */
    int thousandths = (int)(request->temperature * 1000 + 0.5);
    skill__json_addf(buf, "temperature", "%d.%03d", thousandths / 1000, thousandths % 1000);
  }
  if (request->stream) skill__buf_text(buf, stream);
  add_extra(buf, extra);
  add_extra(buf, request->extra);
  skill__buf_char(buf, '}');
}
