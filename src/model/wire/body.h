/* SPDX-License-Identifier: MIT
 *
 * Parts of request bodies that several protocols use.
 */
#ifndef SKILL_MODEL_WIRE_BODY_H
#define SKILL_MODEL_WIRE_BODY_H

#include <cjson/cJSON.h>

#include "model/tool_name.h"
#include "skillet/model.h"
#include "util/buf.h"

#define SKILL__BODY_MAX (512u * 1024 * 1024)

/* What reading an answer needs to know of the request: the tools that were sent under another name, and hashes of the
 * call ids in the conversation. Zero-initialise; release with skill__wire_fini. */
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

/* Whether the conversation contains this call id: some servers number from 0 in every answer. */
bool skill__wire_used(const struct skill__wire *wire, const char *id);

/* Whether `text` is exactly one well-formed JSON value; if `object`, an object. */
bool skill__body_json(const char *text, size_t length, bool object);

/* Appends the member "name", made acceptable to the provider. */
void skill__body_name(struct skill__buf *buf, const char *name);

/* Appends the message's text as a member. */
void skill__body_text(struct skill__buf *buf, const char *key, const SkillMessage *message);

/* Appends well-formed JSON as a member, without blanks around it. */
void skill__body_raw(struct skill__buf *buf, const char *key, const char *json);

/* Appends the members "name", "description" and `schema_key` of a tool. A tool without a schema gets
 * {"type":"object","properties":{}}. SKILL_EINVAL: the schema is no JSON object. */
int skill__body_tool(struct skill__buf *buf, const SkillTool *tool, const char *schema_key, SkillError *err);

/* Appends the tools and their choice for OpenAI's two protocols; nothing if there are none. `nested`: a tool is
 * described in an object "function". Errors as skill__body_tool. */
int skill__body_openai_tools(struct skill__buf *buf, const SkillModelRequest *request, bool nested, SkillError *err);

/* Appends the end of a body: the temperature if it is set, `stream` (raw members) if the request wants a stream, and
 * the members of the JSON objects `extra` and request->extra (may be NULL, are known to be objects). */
void skill__body_end(struct skill__buf *buf, const SkillModelRequest *request, const char *stream, const char *extra);

/* The JSON that an answer of this protocol left in the message to be sent back. NULL: there is none, it is malformed,
 * or memory is out, which sets the buffer's status. Owned: cJSON_Delete. */
cJSON *skill__body_kept(struct skill__buf *buf, const SkillMessage *message, const char *protocol);

#endif
