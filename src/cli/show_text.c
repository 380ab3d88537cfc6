/* SPDX-License-Identifier: MIT
 *
 * One skill as text for people; see show.h.
 */
#include "cli/show.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "util/utf8.h"

static void print_field(struct cli *cli, const char *key, const char *value) {
  if (!value || !*value) return;
  size_t used = skill__utf8_columns(key, strlen(key));
  fputs(cli_dim(cli), cli->out);
  cli_cut(cli, key, SIZE_MAX);
  fprintf(cli->out, "%s%*s", cli_plain(cli), used < 12 ? (int)(13 - used) : 1, "");
  cli_wrap_from(cli, value, 13, used < 12 ? 13 : used + 1);
}

static void print_strings(struct cli *cli, const char *key, const SkillStrings *strings) {
  struct skill__buf buf;
  skill__buf_init(&buf, 1 << 20);
  for (size_t i = 0; i < strings->count; i++) {
    if (i) skill__buf_text(&buf, ", ");
    skill__buf_text(&buf, strings->items[i]);
  }
  if (buf.data) print_field(cli, key, buf.data);
  skill__buf_fini(&buf);
}

/* A field that skillet does not know: a text as it is, a list of texts with commas, anything else as JSON. */
static void print_extra(struct cli *cli, const char *key, const char *json) {
  cJSON *value = cJSON_Parse(json);
  const cJSON *item;
  struct skill__buf buf;
  bool texts = cJSON_IsArray(value);
  skill__buf_init(&buf, 1 << 20);
  cJSON_ArrayForEach(item, value) {
    texts = texts && cJSON_IsString(item);
    if (item != value->child) skill__buf_text(&buf, ", ");
    if (texts) skill__buf_text(&buf, item->valuestring);
  }
  print_field(cli, key, cJSON_IsString(value) ? value->valuestring : texts && buf.data ? buf.data : json);
  skill__buf_fini(&buf);
  cJSON_Delete(value);
}

/* What differs from how most skills are used. */
static void print_use(struct cli *cli, const SkillMetadata *m) {
  static const char *const contexts[] = {NULL, "fork: an agent of its own", "fork with the conversation so far"};
  print_field(cli, "arguments", m->argument_hint);
  print_field(cli, "context", contexts[m->context]);
  print_field(cli, "agent", m->agent);
  print_field(cli, "model", m->model);
  if (m->disable_model_invocation || m->not_user_invocable) {
    print_field(cli, "opened by",
                m->disable_model_invocation && m->not_user_invocable ? "nobody"
                : m->disable_model_invocation                        ? "the user only"
                                                                     : "the model only");
  }
}

void show_head(struct cli *cli, const SkillMetadata *m) {
  fputs(cli_bold(cli), cli->out);
  cli_cut(cli, m->name, cli->columns);
  fprintf(cli->out, "%s%s\n", cli_plain(cli), m->mode == SKILL_MODE_ALWAYS ? "  (always on)" : "");
  if (m->description && *m->description) {
    cli_wrap(cli, m->description, 0);
  } else {
    fprintf(cli->out, "%sno description: it can be opened by name, but no model is shown it%s\n", cli_yellow(cli),
            cli_plain(cli));
  }
  fputc('\n', cli->out);
  print_field(cli, "path", m->path);
  print_field(cli, "version", m->version);
  print_field(cli, "license", m->license);
  print_field(cli, "needs", m->compatibility);
  print_field(cli, "category", m->category);
  print_field(cli, "when", m->when_to_use);
  print_field(cli, "not when", m->when_not_to_use);
  print_strings(cli, "tags", &m->tags);
  print_strings(cli, "triggers", &m->triggers);
  print_strings(cli, "allowed", &m->allowed_tools);
  print_strings(cli, "disallowed", &m->disallowed_tools);
  print_use(cli, m);
  for (size_t i = 0; i < m->extra_count; i++) print_extra(cli, m->extra[i].key, m->extra[i].json);
}

void show_tools(struct cli *cli, const SkillMetadata *m) {
  if (m->tool_count) fprintf(cli->out, "\n%stools%s\n", cli_dim(cli), cli_plain(cli));
  for (size_t i = 0; i < m->tool_count; i++) {
    const SkillTool *tool = &m->tools[i];
    fprintf(cli->out, "  %s", cli_bold(cli));
    size_t used = 4 + cli_cut(cli, tool->name, cli->columns / 2);
    fprintf(cli->out, "%s  ", cli_plain(cli));
    if (tool->description && used < cli->columns) cli_cut(cli, tool->description, cli->columns - used);
    fputc('\n', cli->out);
  }
}

void show_body(struct cli *cli, const char *body) {
  size_t length = strlen(body);
  cli_put(cli, body, length);
  if (length && body[length - 1] != '\n') fputc('\n', cli->out);
}
