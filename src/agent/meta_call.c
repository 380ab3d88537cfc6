/* SPDX-License-Identifier: MIT
 *
 * The constant way to offer tools: nothing is added to the request's list, so no cached prefix breaks. A call through
 * a meta-tool is unwrapped before anything is decided: the gateway sees the tool itself, its arguments as the model
 * wrote them, its skill. Fails for want of memory; what cannot be unwrapped is left to the gateway to reject.
 */
#include "agent/meta_call.h"

#include <stdio.h>
#include <string.h>

#include "context/origin.h"
#include "gateway/schema.h"
#include "util/alloc.h"
#include "util/json.h"
#include "util/near.h"

/* --- which one calls a tool ------------------------------------------------------------------------------------ */

/* The strictest that its flags say. */
static SkillMetaTool class_of(const struct skill__tool_entry *entry) {
  if (entry->tool.flags & SKILL_TOOL_DANGEROUS) return SKILL_META_CALL_DESTRUCTIVE;
  return entry->tool.flags & SKILL_TOOL_READ_ONLY ? SKILL_META_CALL_READ : SKILL_META_CALL_WRITE;
}

static bool calls_others(const struct skill__tool_entry *entry) {
  return entry->meta == SKILL_META_CALL_READ || entry->meta == SKILL_META_CALL_WRITE ||
         entry->meta == SKILL_META_CALL_DESTRUCTIVE;
}

static void refuse(struct skill__meant *meant, const char *why, const char *name) {
  snprintf(meant->why, sizeof meant->why, "%s%s", why, name);
  meant->refused = true;
}

static void check_class(const SkillAgent *agent, const struct skill__tool_entry *by, struct skill__meant *meant) {
  SkillMetaTool fit = class_of(meant->entry);
  if (meant->entry->meta >= 0) {
    refuse(meant, "call it by its own name, not through ", by->tool.name);
  } else if ((int)fit != by->meta) {
    refuse(meant,
           fit == SKILL_META_CALL_DESTRUCTIVE ? "it is marked dangerous; call it with "
           : fit == SKILL_META_CALL_WRITE     ? "it may change something; call it with "
                                              : "it only reads; call it with ",
           skill__meta_name(agent, fit));
  }
}

/* --- unwrapping ------------------------------------------------------------------------------------------------ */

static const char *skip_blanks(const char *p) {
  return p + strspn(p, " \t\r\n");
}

/* The end of the value that begins at `p`, in valid JSON. */
static const char *value_end(const char *p) {
  size_t depth = 0;
  do {
    if (*p == '"') {
      for (p++; *p && *p != '"'; p++) p += *p == '\\' && p[1];
      p += *p == '"';
    } else if (*p == '{' || *p == '[') {
      depth++, p++;
    } else if (*p == '}' || *p == ']') {
      if (depth) depth--, p++;
    } else if (depth) {
      p++;
    } else {
      p += strcspn(p, ",}] \t\r\n");
    }
  } while (*p && depth);
  return p;
}

/* The value of a member as it is written in the text of an object, so that long numbers stay what they are; NULL: it
 * has none. `object` is the same, parsed: its members come in the order of the text. */
static const char *member_text(const char *text, const cJSON *object, const char *key, size_t *length) {
  const char *p = skip_blanks(skip_blanks(text) + 1);
  for (const cJSON *item = object->child; item; item = item->next) {
    p = skip_blanks(skip_blanks(value_end(p)) + 1); /* behind the name and its colon */
    const char *end = value_end(p);
    if (strcmp(item->string, key) == 0) {
      *length = (size_t)(end - p);
      return p;
    }
    p = skip_blanks(skip_blanks(end) + 1); /* behind the comma */
  }
  return NULL;
}

/* Reads {name, arguments} strictly: broken, twice the same key or what the schema lacks is not taken. 1: not taken. */
static int unwrap(const SkillCall *call, SkillMetaTool which, struct skill__meant *out) {
  const char *schema_text = skill__meta_definition(which)->input_schema;
  const char *text = call->arguments ? call->arguments : "";
  struct skill__schema *schema = NULL;
  cJSON *value = NULL;
  int status = skill__schema_compile(schema_text, strlen(schema_text), NULL, false, &schema, NULL);
  if (!status) status = skill__schema_check_text(schema, text, strlen(text), &value, NULL);
  const char *name = skill__json_string(value, "name");
  if (!status && name) {
    size_t length = 2;
    const char *arguments = member_text(text, value, "arguments", &length);
    size_t name_size = strlen(name) + 1;
    out->memory = skill__malloc(name_size + length + 1);
    status = out->memory ? 0 : SKILL_ENOMEM;
    if (!status) {
      char *at = out->memory + name_size;
      out->call.name = memcpy(out->memory, name, name_size);
      out->call.arguments = memcpy(at, arguments ? arguments : "{}", length);
      at[length] = '\0';
    }
  }
  cJSON_Delete(value);
  skill__schema_free(schema);
  return status == SKILL_ENOMEM ? status : status || !name ? 1 : 0;
}

int skill__agent_meant(SkillAgent *agent, const SkillCall *call, bool again, struct skill__meant *out) {
  memset(out, 0, sizeof *out);
  out->call = *call;
  out->entry = skill__tools_find(&agent->tools, call->name);
  if (!out->entry) return 0;
  if (!calls_others(out->entry)) {
    bool direct = out->entry->hidden && !again && agent->profile.offered == SKILL_TOOLS_CONSTANT;
    if (direct) refuse(out, "call it with ", skill__meta_name(agent, class_of(out->entry)));
    return 0;
  }
  const struct skill__tool_entry *by = out->entry;
  int status = unwrap(call, (SkillMetaTool)by->meta, out);
  if (status) return status < 0 ? status : 0;
  out->entry = skill__tools_find(&agent->tools, out->call.name);
  if (out->entry) check_class(agent, by, out);
  return 0;
}

void skill__meant_fini(struct skill__meant *meant) {
  skill__free(meant->memory);
  memset(meant, 0, sizeof *meant);
}

/* --- describing ------------------------------------------------------------------------------------------------ */

static void put_schema(const char *text, struct skill__buf *buf) {
  cJSON *schema = text ? cJSON_Parse(text) : NULL;
  if (schema) skill__json_print(buf, schema);
  if (!schema) skill__buf_text(buf, "{\"type\":\"object\"}");
  cJSON_Delete(schema);
}

static void put_tool(const SkillAgent *agent, const struct skill__tool_entry *entry, struct skill__buf *buf) {
  skill__buf_text(buf, "{\"name\":");
  skill__buf_json_text(buf, entry->tool.name);
  if (entry->hidden) skill__buf_printf(buf, ",\"call\":\"%s\"", skill__meta_name(agent, class_of(entry)));
  if (entry->tool.description) skill__buf_text(buf, ",\"description\":");
  if (entry->tool.description) skill__buf_json_text(buf, entry->tool.description);
  skill__buf_text(buf, ",\"input_schema\":");
  put_schema(entry->tool.input_schema, buf);
  skill__buf_char(buf, '}');
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

/* Whether a message holds the descriptions: of skill_open's result, or of one that describes them alone. */
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

static void say_missing(SkillAgent *agent, SkillToolCall *call, const char *name) {
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

static void describe_call(SkillToolCall *call, const char *arguments_json, void *user) {
  SkillAgent *agent = user;
  cJSON *root = skill__meta_arguments(call, arguments_json);
  if (!root) return;
  const char *name = skill__json_string(root, "name");
  const struct skill__tool_entry *entry = name ? skill__tools_find(&agent->tools, name) : NULL;
  if (!entry || (entry->meta < 0 && !is_usable(agent, entry))) {
    say_missing(agent, call, name ? name : "");
  } else {
    struct skill__buf buf;
    skill__buf_init(&buf, SKILL_MAX_MESSAGE);
    put_tool(agent, entry, &buf);
    int status = skill__buf_status(&buf);
    if (status) skill__meta_finish(call, status, "%s", skill_strerror(status));
    if (!status) skill_tool_call_finish(call, 0, buf.data, buf.length);
    skill__buf_fini(&buf);
  }
  cJSON_Delete(root);
}

/* Never reached by a call that could be unwrapped. */
static void through_call(SkillToolCall *call, const char *arguments_json, void *user) {
  (void)arguments_json, (void)user;
  skill__meta_finish(call, SKILL_EINVAL, "this call names no tool");
}

int skill__agent_offer_through(SkillAgent *agent) {
  int status = skill__agent_offer_meta(agent, SKILL_META_DESCRIBE, describe_call);
  for (SkillMetaTool which = SKILL_META_CALL_READ; which <= SKILL_META_CALL_DESTRUCTIVE && !status; which++) {
    status = skill__agent_offer_meta(agent, which, through_call);
  }
  return status;
}
