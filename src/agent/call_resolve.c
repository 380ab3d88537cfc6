/* SPDX-License-Identifier: MIT
 *
 * From a call of the model to its target: the tool it means, whether the tool may be called, and how. A call through
 * tool_call_… is unwrapped before anything is decided: the gateway sees the tool itself, its skill, and its arguments
 * as the model wrote them. Fails only when memory is out; the gateway rejects what cannot be unwrapped.
 */
#include <stdio.h>
#include <string.h>

#include "agent/meta_tools.h"
#include "gateway/schema.h"
#include "util/alloc.h"
#include "util/json.h"
#include "util/near.h"

/* --- which tool_call_… calls a tool ---------------------------------------------------------------------------- */

SkillMetaTool skill__call_class(const struct skill__tool_entry *entry) {
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
  SkillMetaTool fit = skill__call_class(resolved->entry);
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
    if (direct) refuse(out, "call it with ", skill__meta_name(agent, skill__call_class(by)));
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

/* --- calls of tools that do not exist -------------------------------------------------------------------------- */

void skill__tool_hint(SkillAgent *agent, const char *name, char *buffer, size_t size) {
  struct skill__near near;
  skill__near_begin(&near, name, 3);
  for (size_t i = 0; i < agent->tools.count; i++) {
    const struct skill__tool_entry *entry = &agent->tools.entries[i];
    if (entry->meta >= 0 || skill__agent_permits(agent, entry->name, entry->skill, NULL))
      skill__near_offer(&near, entry->tool.name);
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

/* --- the target ------------------------------------------------------------------------------------------------ */

/* Applies allowed-tools and disallowed-tools of the skill that was opened last. NULL: the tool is not forbidden. */
static const char *skill_forbids(SkillAgent *agent, const struct skill__tool_entry *entry, bool *granted) {
  for (const SkillAgent *a = agent; a; a = a->parent) {
    const char *opened = a->opened_last;
    Skill *skill = opened && a->options.registry ? skill_registry_find(a->options.registry, opened) : NULL;
    if (!skill || entry->meta >= 0 || (entry->skill && strcmp(entry->skill, opened) == 0)) continue;
    const SkillMetadata *metadata = skill_metadata(skill);
    if (skill__name_listed(metadata->disallowed_tools, entry->name, true)) return "the opened skill forbids this tool";
    if (!metadata->allowed_tools_set) continue;
    bool listed = skill__name_listed(metadata->allowed_tools, entry->name, false);
    if (a->profile.allowed == SKILL_ALLOWED_GRANT) {
      *granted = *granted || (listed && a == agent);
    } else if (!listed) {
      return "not among the allowed-tools of the opened skill";
    }
  }
  return NULL;
}

/* The parents of a fork may forbid the tool, and the fork's gateway does not know them. */
static const char *parents_forbid(const SkillAgent *agent, const struct skill__tool_entry *entry) {
  const char *why = NULL;
  for (const SkillAgent *a = agent->parent; a; a = a->parent) {
    SkillPermissions bans = *a->permissions;
    if (entry->meta >= 0) bans.allowed_tools_set = false;
    if (!skill_permissions_tool(&bans, entry->name, entry->skill, &why)) return why;
  }
  return NULL;
}

void skill__agent_target(SkillAgent *agent, struct skill__resolved_call *resolved, bool again) {
  const struct skill__tool_entry *entry = resolved->entry;
  SkillTarget *target = &resolved->target;
  const char *forbidden = entry ? parents_forbid(agent, entry) : NULL;
  target->hint = forbidden;
  if (forbidden) return;
  if (!entry) {
    skill__tool_hint(agent, resolved->call.name, resolved->hint, sizeof resolved->hint);
    target->hint = resolved->hint;
    return;
  }
  Skill *skill = entry->skill ? skill_registry_find(agent->options.registry, entry->skill) : NULL;
  resolved->tool = entry->tool;
  resolved->tool.name = entry->name;
  if (!agent->profile.scripts) resolved->tool.command = NULL;
  target->tool = &resolved->tool;
  target->refused = skill_forbids(agent, entry, &target->granted);
  if (!target->refused && resolved->refused) target->refused = resolved->why;
  target->skill = entry->skill;
  target->own = entry->meta >= 0;
  target->untimed = entry->meta == SKILL_META_OPEN; /* the loader and forks have limits of their own */
  target->folder = skill && skill__skill_folder(skill, resolved->folder) ? resolved->folder : NULL;
  target->distrust = again && !(entry->tool.flags & (SKILL_TOOL_READ_ONLY | SKILL_TOOL_IDEMPOTENT));
}
