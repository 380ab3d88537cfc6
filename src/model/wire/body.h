/* SPDX-License-Identifier: MIT
 *
 * Pieces that the bodies of all providers' requests are made of.
 */
#ifndef SKILL_MODEL_WIRE_BODY_H
#define SKILL_MODEL_WIRE_BODY_H

#include <cjson/cJSON.h>

#include "model/tool_name.h"
#include "skillet/model.h"
#include "util/buf.h"

#define SKILL__BODY_MAX (512u * 1024 * 1024)

/* What an answer is read with: the tools whose names were sent differently, and checksums of the call ids that the
 * conversation holds. Zero-initialise; release with skill__wire_fini. */
struct skill__wire {
  struct skill__wire_pair {
    char sent[SKILL__TOOL_NAME];
    char *name;
  } * pairs;
  size_t count;
  size_t capacity;
  uint64_t *ids;
  size_t id_count;
  size_t id_capacity;
};

int skill__wire_remember(struct skill__wire *wire, const SkillModelRequest *request); /* 0 or SKILL_ENOMEM */
void skill__wire_fini(struct skill__wire *wire);

/* The name of the tool that was sent as `sent`, or `sent` itself. */
const char *skill__wire_find(const struct skill__wire *wire, const char *sent);

/* Whether the conversation holds this call id already: some servers number from 0 in every answer. */
bool skill__wire_used(const struct skill__wire *wire, const char *id);

/* Whether `text` is exactly one well-formed JSON value; if `object`, an object. */
bool skill__body_json(const char *text, size_t length, bool object);

/* Appends "name":…,"description":…,"SCHEMA_KEY":{…} of a tool; the schema is {"type":"object","properties":{}} where it
 * has none. SKILL_EINVAL: it is no JSON object. */
int skill__body_tool(struct skill__buf *buf, const SkillTool *tool, const char *schema_key, SkillError *err);

/* Appends the tools and their choice as OpenAI's two protocols have them; nothing where there are none. `nested`: what
 * describes a tool stands in an object "function". Errors as skill__body_tool. */
int skill__body_openai_tools(struct skill__buf *buf, const SkillModelRequest *request, bool nested, SkillError *err);

/* Appends the end of a body: the temperature where it is set, `stream` (may be NULL) where streaming is wanted, and the
 * members of the JSON objects `extra` and request->extra (may be NULL, are known to be objects). */
void skill__body_end(struct skill__buf *buf, const SkillModelRequest *request, const char *stream, const char *extra);

/* What an answer of this protocol left in the message to go back; NULL: nothing, nothing readable, or no memory, which
 * the buffer's status then says. Owned: cJSON_Delete. */
cJSON *skill__body_kept(struct skill__buf *buf, const SkillMessage *message, const char *protocol);

#endif
