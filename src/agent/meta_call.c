/* SPDX-License-Identifier: MIT
 *
 * Tools behind a constant list: nothing is added to the request's list, so a cached prefix stays valid. A call through
 * tool_call_… is unwrapped before anything is decided: the gateway sees the tool itself, its skill, and its arguments
 * as the model wrote them. Fails only when memory is out; the gateway rejects what cannot be unwrapped.
 */
#include <stdio.h>
#include <string.h>

#include "agent/meta_tools.h"
#include "gateway/schema.h"
#include "util/alloc.h"
#include "util/json.h"
#include "util/json_out.h"
#include "util/near.h"

/* --- which tool_call_… calls a tool ---------------------------------------------------------------------------- */

/* The strictest one that its flags ask for. */
static SkillMetaTool class_of(const struct skill__tool_entry *entry) {
  if (entry->tool.flags & SKILL_TOOL_DANGEROUS) return SKILL_META_CALL_DESTRUCTIVE;
  return entry->tool.flags & SKILL_TOOL_READ_ONLY ? SKILL_META_CALL_READ : SKILL_META_CALL_WRITE;
}

static bool calls_others(const struct skill__tool_entry *entry) {
  return entry->meta >= SKILL_META_CALL_READ && entry->meta <= SKILL_META_CALL_DESTRUCTIVE;
}

static void refuse(struct skill__resolved_call *resolved, const char *why, const char *name) {
  snprintf(resolved->why, sizeof resolved->why, "%s%s", why, name);
  resolved->refused = true;
}

static void check_class(const SkillAgent *agent, const struct skill__tool_entry *by,
                        struct skill__resolved_call *resolved) {
  static const char *const why[] = {
      [SKILL_META_CALL_READ] = "it only reads; call it with ",
      [SKILL_META_CALL_WRITE] = "it may change something; call it with ",
      [SKILL_META_CALL_DESTRUCTIVE] = "it is marked dangerous; call it with ",
  };
  SkillMetaTool fit = class_of(resolved->entry);
  if (resolved->entry->meta >= 0) {
    refuse(resolved, "call it by its own name, not through ", by->tool.name);
  } else if ((int)fit != by->meta) {
    refuse(resolved, why[fit], skill__meta_name(agent, fit));
  }
}

/* --- unwrapping ------------------------------------------------------------------------------------------------ */

/* The value of a member as it is written in the text of an object, so that long numbers stay as they are; NULL: the
 * object has none, or is not strict JSON. `object` is the same, parsed: its members are in the order of the text. */
static const char *member_text(const char *text, const cJSON *object, const char *key, size_t *length) {
  const char *end = text + strlen(text);
  const char *p = text + skill__json_blanks(text, (size_t)(end - text)) + 1; /* after the brace, then each comma */
  for (const cJSON *item = object->child; item; item = item->next) {
    size_t name = skill__json_scan(p, (size_t)(end - p));
    if (!name) return NULL;
    p += name + skill__json_blanks(p + name, (size_t)(end - p) - name) + 1; /* after the colon */
    size_t value = skill__json_scan(p, (size_t)(end - p));
    size_t blanks = skill__json_blanks(p, (size_t)(end - p));
    if (!value) return NULL;
    if (strcmp(item->string, key) == 0) {
      *length = value - blanks;
      return p + blanks;
    }
    p += value + skill__json_blanks(p + value, (size_t)(end - p) - value) + 1;
  }
  return NULL;
}

static int keep_unwrapped(struct skill__resolved_call *out, const char *name, const char *arguments, size_t length) {
  size_t name_size = strlen(name) + 1;
  out->memory = skill__malloc(name_size + length + 1);
  if (!out->memory) return SKILL_ENOMEM;
  char *at = out->memory + name_size;
  out->call.name = memcpy(out->memory, name, name_size);
  out->call.arguments = memcpy(at, arguments, length);
  at[length] = '\0';
  return 0;
}

/* Reads {name, arguments}. Broken JSON, a key that comes twice, and what the schema does not have leave the call as it
 * is. */
static int unwrap(const SkillCall *call, SkillMetaTool which, struct skill__resolved_call *out, bool *unwrapped) {
  const char *schema_text = skill__meta_definition(which)->input_schema;
  const char *text = call->arguments ? call->arguments : "";
  struct skill__schema *schema = NULL;
  cJSON *value = NULL;
  int status = skill__schema_compile(schema_text, strlen(schema_text), NULL, false, &schema, NULL);
  if (!status) status = skill__schema_check_text(schema, text, strlen(text), &value, NULL);
  const char *name = skill__json_string(value, "name");
  bool given = value && cJSON_HasObjectItem(value, "arguments");
  size_t length = 2;
  const char *arguments = given ? member_text(text, value, "arguments", &length) : "{}";
  *unwrapped = !status && name && arguments;
  if (*unwrapped) status = keep_unwrapped(out, name, arguments, length);
  cJSON_Delete(value);
  skill__schema_free(schema);
  return status == SKILL_ENOMEM ? status : 0;
}

int skill__agent_resolve(SkillAgent *agent, const SkillCall *call, bool again, struct skill__resolved_call *out) {
  memset(out, 0, sizeof *out);
  out->call = *call;
  const struct skill__tool_entry *by = out->entry = skill__tools_find(&agent->tools, call->name);
  if (!by) return 0;
  if (!calls_others(by)) {
    bool direct = by->hidden && !again && agent->profile.offered == SKILL_TOOLS_CONSTANT;
    if (direct) refuse(out, "call it with ", skill__meta_name(agent, class_of(by)));
    return 0;
  }
  bool unwrapped = false;
  int status = unwrap(call, (SkillMetaTool)by->meta, out, &unwrapped);
  if (!unwrapped) return status;
  out->entry = skill__tools_find(&agent->tools, out->call.name);
  if (out->entry) check_class(agent, by, out);
  return status;
}

void skill__resolved_fini(struct skill__resolved_call *resolved) {
  skill__free(resolved->memory);
  memset(resolved, 0, sizeof *resolved);
}

/* --- describing ------------------------------------------------------------------------------------------------ */

static void put_schema(const char *text, struct skill__buf *buf) {
  cJSON *schema = text ? cJSON_Parse(text) : NULL;
  if (schema) skill__json_print(buf, schema);
  if (!schema) skill__buf_text(buf, "{\"type\":\"object\"}");
  cJSON_Delete(schema);
}

static void put_tool(const SkillAgent *agent, const struct skill__tool_entry *entry, struct skill__buf *buf) {
  skill__json_open(buf, NULL, "{");
  skill__json_add_text(buf, "name", entry->tool.name);
  if (entry->hidden) skill__json_add_text(buf, "call", skill__meta_name(agent, class_of(entry)));
  if (entry->tool.description) skill__json_add_text(buf, "description", entry->tool.description);
  skill__json_open(buf, "input_schema", "");
  put_schema(entry->tool.input_schema, buf);
  skill__json_close(buf, "}");
}

static bool is_usable(const SkillAgent *agent, const struct skill__tool_entry *entry) {
  return skill__agent_permits(agent, entry->name, entry->skill, NULL);
}

size_t skill__describe_tools(SkillAgent *agent, const char *skill, struct skill__buf *buf) {
  size_t count = 0;
  for (size_t i = 0; i < agent->tools.count; i++) {
    const struct skill__tool_entry *entry = &agent->tools.entries[i];
    if (!entry->skill || !entry->live || strcmp(entry->skill, skill) != 0 || !is_usable(agent, entry)) continue;
    if (!count++) skill__buf_text(buf, "Tools, each called through the one that \"call\" names:\n");
    put_tool(agent, entry, buf);
    skill__buf_char(buf, '\n');
  }
  return count;
}

/* Whether a message has the descriptions: a result of skill_open, or a message with only them. */
static bool is_described(const SkillAgent *agent, const char *skill) {
  for (size_t i = skill_conversation_count(agent->talk); i-- > 0;) {
    const char *origin = skill_conversation_at(agent->talk, i)->origin;
    if (skill__origin_is(origin, SKILL__ORIGIN_SKILL, skill)) return true;
    if (skill__origin_is(origin, SKILL__ORIGIN_TOOLS, skill)) return true;
  }
  return false;
}

int skill__agent_describe_active(SkillAgent *agent, const char *skill, SkillError *err) {
  bool constant = agent->profile.offered == SKILL_TOOLS_CONSTANT;
  if (!constant || skill_conversation_open_calls(agent->talk) || is_described(agent, skill)) return 0;
  struct skill__buf buf;
  char origin[SKILL__ORIGIN_SIZE];
  skill__buf_init(&buf, SKILL_MAX_MESSAGE);
  skill__buf_printf(&buf, "[The skill %s is active: it may fit. %s returns its instructions.]\n", skill,
                    skill__meta_name(agent, SKILL_META_OPEN));
  size_t count = skill__describe_tools(agent, skill, &buf);
  int status = skill__buf_status(&buf);
  SkillMessage message = {.role = SKILL_ROLE_USER, .text = buf.data, .text_length = buf.length};
  message.origin = skill__origin_write(SKILL__ORIGIN_TOOLS, skill, origin);
  if (status) skill_error_set(err, status, "%s", skill_strerror(status));
  if (!status && count) status = skill__agent_attach_message(agent, &message, err);
  skill__buf_fini(&buf);
  return status;
}

/* --- tool_describe --------------------------------------------------------------------------------------------- */

void skill__tool_hint(SkillAgent *agent, const char *name, char *buffer, size_t size) {
  struct skill__near near;
  skill__near_begin(&near, name, 3);
  for (size_t i = 0; i < agent->tools.count; i++) {
    const struct skill__tool_entry *entry = &agent->tools.entries[i];
    if (entry->meta >= 0 || is_usable(agent, entry)) skill__near_offer(&near, entry->tool.name);
  }
  skill__near_text(&near, "did you mean ", "", buffer, size);
  if (near.count) return;
  snprintf(buffer, size, "%s finds skills, and %s offers their tools", skill__meta_name(agent, SKILL_META_SEARCH),
           skill__meta_name(agent, SKILL_META_OPEN));
}

const char *skill__tool_owner(SkillAgent *agent, const char *tool) {
  for (Skill *skill = NULL; (skill = skill_registry_next(agent->options.registry, skill)) != NULL;) {
    const SkillMetadata *metadata = skill_metadata(skill);
    for (size_t i = 0; i < metadata->tool_count; i++) {
      if (strcmp(metadata->tools[i].name, tool) == 0 && skill__agent_shows(agent, skill)) return metadata->name;
    }
  }
  return NULL;
}

static void answer_missing(SkillAgent *agent, SkillToolCall *call, const char *name) {
  char hint[256];
  const char *owner = *name ? skill__tool_owner(agent, name) : NULL;
  if (owner && skill__agent_permits(agent, name, owner, NULL)) {
    skill__meta_finish(call, SKILL_ENOENT, "'%.100s' is a tool of the skill %s, which is not open: open it with %s.",
                       name, owner, skill__meta_name(agent, SKILL_META_OPEN));
    return;
  }
  skill__tool_hint(agent, name, hint, sizeof hint);
  skill__meta_finish(call, SKILL_ENOENT, "There is no tool '%.100s'; %s.", name, hint);
}

static void describe(SkillAgent *agent, SkillToolCall *call, const cJSON *arguments) {
  const char *name = skill__meta_string(arguments, "name");
  const struct skill__tool_entry *entry = skill__tools_find(&agent->tools, name);
  struct skill__buf buf;
  if (!entry || (entry->meta < 0 && !is_usable(agent, entry))) {
    answer_missing(agent, call, name);
    return;
  }
  skill__buf_init(&buf, SKILL_MAX_MESSAGE);
  put_tool(agent, entry, &buf);
  skill__meta_finish_buf(call, &buf);
}

/* Reached only by a call that could not be unwrapped. */
static void answer_wrapped(SkillAgent *agent, SkillToolCall *call, const cJSON *arguments) {
  (void)agent, (void)arguments;
  skill__meta_finish(call, SKILL_EINVAL, "this call names no tool");
}

int skill__agent_offer_callers(SkillAgent *agent) {
  int status = skill__agent_offer_meta(agent, SKILL_META_DESCRIBE, describe);
  for (SkillMetaTool which = SKILL_META_CALL_READ; which <= SKILL_META_CALL_DESTRUCTIVE && !status; which++) {
    status = skill__agent_offer_meta(agent, which, answer_wrapped);
  }
  return status;
}
