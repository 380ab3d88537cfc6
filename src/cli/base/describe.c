/* SPDX-License-Identifier: MIT
 *
 * A skill as JSON; see describe.h. Known fields have the names of the front matter; unknown fields follow as written.
 */
#include "cli/base/describe.h"

#include "util/json_out.h"

static void add_strings(struct skill__buf *buf, const char *key, const SkillStrings *strings) {
  skill__json_add_texts(buf, key, strings->items, strings->count);
}

static void add_texts(struct skill__buf *buf, const SkillMetadata *m) {
  const struct {
    const char *key;
    const char *value;
  } texts[] = {{"license", m->license},
               {"compatibility", m->compatibility},
               {"category", m->category},
               {"id", m->id},
               {"when_to_use", m->when_to_use},
               {"when_not_to_use", m->when_not_to_use},
               {"agent", m->agent},
               {"model", m->model},
               {"argument-hint", m->argument_hint}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (texts[i].value) skill__json_add_text(buf, texts[i].key, texts[i].value);
  }
}

static void add_lists(struct skill__buf *buf, const SkillMetadata *m) {
  const struct {
    const char *key;
    const SkillStrings *value;
    bool set;
  } lists[] = {{"triggers", &m->triggers, false},
               {"allowed-tools", &m->allowed_tools, m->allowed_tools_set},
               {"disallowed-tools", &m->disallowed_tools, false},
               {"paths", &m->paths, false},
               {"arguments", &m->arguments, false}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    if (lists[i].value->count || lists[i].set) add_strings(buf, lists[i].key, lists[i].value);
  }
}

static void add_flags(struct skill__buf *buf, const SkillMetadata *m) {
  static const char *const contexts[] = {"inline", "fork", "fork_with_context"};
  if (m->context != SKILL_CONTEXT_INLINE) skill__json_add_text(buf, "context", contexts[m->context]);
  if (m->disable_model_invocation) skill__json_add_bool(buf, "disable-model-invocation", true);
  if (m->not_user_invocable) skill__json_add_bool(buf, "user-invocable", false);
  if (m->description_derived) skill__json_add_bool(buf, "description-derived", true);
  if (m->unlisted) skill__json_add_bool(buf, "unlisted", true);
}

void cli_describe_json(struct skill__buf *buf, const SkillMetadata *m) {
  skill__json_add_text(buf, "name", m->name);
  skill__json_add_text(buf, "description", m->description ? m->description : "");
  skill__json_add_text(buf, "source", m->source);
  skill__json_add_text(buf, "path", m->path);
  skill__json_add_text(buf, "mode", m->mode == SKILL_MODE_ALWAYS ? "always" : "lazy");
  skill__json_add_text(buf, "version", m->version);
  add_strings(buf, "tags", &m->tags);
  skill__json_open(buf, "tools", "[");
  for (size_t i = 0; i < m->tool_count; i++) skill__json_add_text(buf, NULL, m->tools[i].name);
  skill__json_close(buf, "]");
  skill__json_open(buf, "metadata", "{");
  add_texts(buf, m);
  add_lists(buf, m);
  add_flags(buf, m);
  for (size_t i = 0; i < m->extra_count; i++) skill__json_add_raw(buf, m->extra[i].key, m->extra[i].json);
  skill__json_close(buf, "}");
}

void cli_describe_tools(struct skill__buf *buf, const SkillMetadata *metadata) {
  skill__json_open(buf, "tool_definitions", "[");
  for (size_t i = 0; i < metadata->tool_count; i++) {
    const SkillTool *tool = &metadata->tools[i];
    skill__json_open(buf, NULL, "{");
    skill__json_add_text(buf, "name", tool->name);
    skill__json_add_text(buf, "description", tool->description);
    skill__json_add_raw(buf, "input_schema", tool->input_schema);
    skill__json_add_text(buf, "command", tool->command);
    skill__json_close(buf, "}");
  }
  skill__json_close(buf, "]");
}
