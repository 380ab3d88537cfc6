/* SPDX-License-Identifier: MIT
 *
 * Tools behind a constant list: nothing is added to the request's list, so a cached prefix stays valid. They are
 * described in results and called through tool_call_…, see call_resolve.c.
 */
#include <string.h>

#include "agent/meta_tools.h"
#include "util/json.h"
#include "util/json_out.h"

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
  if (entry->hidden) skill__json_add_text(buf, "call", skill__meta_name(agent, skill__call_class(entry)));
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
