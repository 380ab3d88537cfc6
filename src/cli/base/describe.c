/* SPDX-License-Identifier: MIT
 *
 * A skill as JSON; see describe.h. Known fields carry the names of the front matter; unknown ones follow as they were
 * written.
 */
#include "cli/base/describe.h"

static void add_strings(struct skill__buf *buf, const SkillStrings *strings) {
  skill__buf_char(buf, '[');
  for (size_t i = 0; i < strings->count; i++) {
    if (i) skill__buf_char(buf, ',');
    skill__buf_json_text(buf, strings->items[i]);
  }
  skill__buf_char(buf, ']');
}

static void add_key(struct skill__buf *buf, const char *key, bool *first) {
  if (!*first) skill__buf_char(buf, ',');
  *first = false;
  skill__buf_json_text(buf, key);
  skill__buf_char(buf, ':');
}

static void add_tool_names(struct skill__buf *buf, const SkillMetadata *metadata) {
  skill__buf_char(buf, '[');
  for (size_t i = 0; i < metadata->tool_count; i++) {
    if (i) skill__buf_char(buf, ',');
    skill__buf_json_text(buf, metadata->tools[i].name);
  }
  skill__buf_char(buf, ']');
}

static void add_texts(struct skill__buf *buf, const SkillMetadata *m, bool *first) {
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
    if (!texts[i].value) continue;
    add_key(buf, texts[i].key, first);
    skill__buf_json_text(buf, texts[i].value);
  }
}

static void add_lists(struct skill__buf *buf, const SkillMetadata *m, bool *first) {
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
    if (!lists[i].value->count && !lists[i].set) continue;
    add_key(buf, lists[i].key, first);
    add_strings(buf, lists[i].value);
  }
}

static void add_flags(struct skill__buf *buf, const SkillMetadata *m, bool *first) {
  static const char *const contexts[] = {"inline", "fork", "fork_with_context"};
  const struct {
    const char *key;
    bool set;
    const char *json;
  } flags[] = {{"disable-model-invocation", m->disable_model_invocation, "true"},
               {"user-invocable", m->not_user_invocable, "false"},
               {"description-derived", m->description_derived, "true"},
               {"unlisted", m->unlisted, "true"}};
  if (m->context != SKILL_CONTEXT_INLINE) {
    add_key(buf, "context", first);
    skill__buf_json_text(buf, contexts[m->context]);
  }
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    if (!flags[i].set) continue;
    add_key(buf, flags[i].key, first);
    skill__buf_text(buf, flags[i].json);
  }
}

void cli_describe_json(struct skill__buf *buf, const SkillMetadata *m) {
  bool first = true;
  skill__buf_text(buf, "\"name\":");
  skill__buf_json_text(buf, m->name);
  skill__buf_text(buf, ",\"description\":");
  skill__buf_json_text(buf, m->description ? m->description : "");
  skill__buf_text(buf, ",\"source\":");
  skill__buf_json_text(buf, m->source);
  skill__buf_text(buf, ",\"path\":");
  skill__buf_json_text(buf, m->path);
  skill__buf_printf(buf, ",\"mode\":\"%s\",\"version\":", m->mode == SKILL_MODE_ALWAYS ? "always" : "lazy");
  skill__buf_json_text(buf, m->version);
  skill__buf_text(buf, ",\"tags\":");
  add_strings(buf, &m->tags);
  skill__buf_text(buf, ",\"tools\":");
  add_tool_names(buf, m);
  skill__buf_text(buf, ",\"metadata\":{");
  add_texts(buf, m, &first);
  add_lists(buf, m, &first);
  add_flags(buf, m, &first);
  for (size_t i = 0; i < m->extra_count; i++) {
    add_key(buf, m->extra[i].key, &first);
    skill__buf_text(buf, m->extra[i].json);
  }
  skill__buf_char(buf, '}');
}

void cli_describe_tools(struct skill__buf *buf, const SkillMetadata *metadata) {
  skill__buf_char(buf, '[');
  for (size_t i = 0; i < metadata->tool_count; i++) {
    const SkillTool *tool = &metadata->tools[i];
    skill__buf_text(buf, i ? ",{\"name\":" : "{\"name\":");
    skill__buf_json_text(buf, tool->name);
    skill__buf_text(buf, ",\"description\":");
    skill__buf_json_text(buf, tool->description);
    skill__buf_text(buf, ",\"input_schema\":");
    skill__buf_text(buf, tool->input_schema ? tool->input_schema : "null");
    skill__buf_text(buf, ",\"command\":");
    skill__buf_json_text(buf, tool->command);
    skill__buf_char(buf, '}');
  }
  skill__buf_char(buf, ']');
}
