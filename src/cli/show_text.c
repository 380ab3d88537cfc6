/* SPDX-License-Identifier: MIT
 *
 * A skill as text for people; see show.h.
 */
#include "cli/show.h"

#include <cjson/cJSON.h>
#include <string.h>

enum { COLUMN = 13 }; /* where values begin */

/* An unknown field: a text as it is, a list of texts with commas, anything else as JSON. */
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
  if (cJSON_IsString(value)) {
    json = value->valuestring;
  } else if (texts && buf.data) {
    json = buf.data;
  }
  cli_field(cli, key, COLUMN, json);
  skill__buf_fini(&buf);
  cJSON_Delete(value);
}

static void print_use(struct cli *cli, const SkillMetadata *m) {
  static const char *const contexts[] = {NULL, "fork: an agent of its own", "fork with the conversation so far"};
  cli_field(cli, "arguments", COLUMN, m->argument_hint);
  cli_field(cli, "context", COLUMN, contexts[m->context]);
  cli_field(cli, "agent", COLUMN, m->agent);
  cli_field(cli, "model", COLUMN, m->model);
  if (m->disable_model_invocation) {
    cli_field(cli, "opened by", COLUMN, m->not_user_invocable ? "no one" : "the user only");
  } else if (m->not_user_invocable) {
    cli_field(cli, "opened by", COLUMN, "the model only");
  }
}

void show_head(struct cli *cli, const SkillMetadata *m) {
  fputs(cli_bold(cli), cli->out);
  cli_cut(cli, m->name, cli->columns);
  fprintf(cli->out, "%s%s\n", cli_plain(cli), m->mode == SKILL_MODE_ALWAYS ? "  (always on)" : "");
  if (m->description && *m->description) {
    cli_wrap(cli, m->description, 0);
  } else {
    fprintf(cli->out, "%sno description: it can be opened by name, but is never shown to a model%s\n", cli_yellow(cli),
            cli_plain(cli));
  }
  fputc('\n', cli->out);
  cli_field(cli, "path", COLUMN, m->path);
  cli_field(cli, "version", COLUMN, m->version);
  cli_field(cli, "license", COLUMN, m->license);
  cli_field(cli, "needs", COLUMN, m->compatibility);
  cli_field(cli, "category", COLUMN, m->category);
  cli_field(cli, "when", COLUMN, m->when_to_use);
  cli_field(cli, "not when", COLUMN, m->when_not_to_use);
  cli_field_list(cli, "tags", COLUMN, &m->tags);
  cli_field_list(cli, "triggers", COLUMN, &m->triggers);
  cli_field_list(cli, "allowed", COLUMN, &m->allowed_tools);
  cli_field_list(cli, "disallowed", COLUMN, &m->disallowed_tools);
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
