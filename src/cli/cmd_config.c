/* SPDX-License-Identifier: MIT
 *
 * skillet config: checks the configuration, and prints the files in effect.
 */
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/session/session.h"

static const struct cli_usage usage = {
    "skillet config check [FILE…|FOLDER]",
    "Reads the configuration as run and chat do, and reports what is wrong and where. Without FILE it reads\n"
    "$SKILLET_CONFIG or ~/.config/skillet/config.yaml, then .skillet/config.yaml here; a later file overrides an "
    "earlier\n"
    "one. FOLDER is a project: your configuration and its .skillet/config.yaml are read, as run does there.\n"
    "\n"
    "Keys, explained in docs/config.md: model, assistant, policy, skills, max_active, budget, max_requests, approval,\n"
    "disabled_skills, disabled_tools, roots, writable, retrieve, retrieve_tokens, tools_offered, tool_names, scripts,\n"
    "sandbox and log.\n"
    "\n"
    "  models: NAME: provider, base_url, key_env, key_command, proxy, window, max_output\n"
    "  assistants: NAME: system, model, allowed_skills, allowed_tools, skills, tools, max_requests, budget\n"
    "  skills of an assistant: NAME: enabled, mode\n"
    "\n"
    "Exit status: 0 no errors; 1 the configuration has an error; 2 wrong use; 3 a file cannot be read."};

struct files {
  const char *const *paths;
  size_t count;
  struct cli_config_paths usual;
  char project[SKILL_MAX_PATH];
};

enum { COLUMN = 17 }; /* where values begin */

static void print_text(struct cli *cli, const char *key, const char *text) {
  cli_field(cli, key, COLUMN, text);
}

static void print_list(struct cli *cli, const char *key, SkillStrings list) {
  cli_field_list(cli, key, COLUMN, &list);
}

static void print_pair(struct cli *cli, const char *key, const char *name, const char *value) {
  struct skill__buf buf;
  skill__buf_init(&buf, 1 << 20);
  skill__buf_printf(&buf, "%s: %s", name, value);
  print_text(cli, key, buf.data);
  skill__buf_fini(&buf);
}

static void print_config(struct cli *cli, const SkillConfig *config) {
  static const char *const approvals[] = {"dangerous", "all", "none"};
  static const char *const offered[] = {
      [SKILL_TOOLS_DIRECT] = "direct", [SKILL_TOOLS_CONSTANT] = "constant", [SKILL_TOOLS_DEFERRED] = "deferred"};
  print_text(cli, "model", config->model ? config->model : "offline");
  print_text(cli, "assistant", config->assistant);
  print_text(cli, "policy", config->policy);
  print_list(cli, "skills", config->skills);
  print_list(cli, "disabled_skills", config->disabled_skills);
  print_list(cli, "disabled_tools", config->disabled_tools);
  print_list(cli, "roots", config->roots);
  print_list(cli, "writable", config->writable);
  print_list(cli, "retrieve", config->retrieve);
  if (config->tools_offered) print_text(cli, "tools_offered", offered[config->tools_offered]);
  for (SkillMetaTool i = 0; i < SKILL_META_COUNT; i++) {
    if (config->tool_names[i]) print_pair(cli, "tool_names", skill_meta_tool_name(i), config->tool_names[i]);
  }
  print_text(cli, "approval", approvals[config->approval]);
  if (config->scripts_off) print_text(cli, "scripts", "false");
  if (config->sandbox_required) print_text(cli, "sandbox", "required");
  for (size_t i = 0; i < config->model_count; i++) {
    print_pair(cli, i ? "" : "models", config->models[i].name, config->models[i].provider);
  }
  for (size_t i = 0; i < config->assistant_count; i++) {
    const SkillConfigAssistant *assistant = &config->assistants[i];
    char value[64];
    snprintf(value, sizeof value, "%zu preferences%s", assistant->preference_count,
             assistant->tools_off ? ", no tools" : "");
    print_pair(cli, i ? "" : "assistants", assistant->name, value);
  }
}

/* Chooses the files: those named, or the usual ones here or in the one folder named. -1, or an exit status after a
 * message. */
static int pick_files(struct cli *cli, const struct cli_list *words, struct files *files) {
  int kind = SKILL_FILE_UNKNOWN;
  files->paths = words->items + 1;
  files->count = words->count - 1;
  for (size_t i = 0; i < files->count; i++) {
    kind = cli_path_kind(files->paths[i]);
    if (kind < 0) {
      fprintf(cli->err, "skillet config: %s: there is no such file\n", files->paths[i]);
      return CLI_INPUT;
    }
    if (kind == SKILL_FILE_FOLDER && files->count > 1) {
      fprintf(cli->err, "skillet config: %s: is a folder, which can only be named alone\n", files->paths[i]);
      return CLI_USAGE;
    }
  }
  if (files->count && kind != SKILL_FILE_FOLDER) return -1;
  cli_config_paths(NULL, &files->usual);
  files->paths = files->usual.paths;
  files->count = files->usual.count;
  if (words->count == 1) return -1;
  const char **project = &files->usual.paths[files->count - 1];
  snprintf(files->project, sizeof files->project, "%s/%s", words->items[1], *project);
  *project = files->project;
  if (cli_path_kind(files->project) >= 0) return -1;
  fprintf(cli->err, "skillet config: %s: there is no such file, so this project has no configuration\n",
          files->project);
  return CLI_INPUT;
}

static int check(struct cli *cli, const struct files *files) {
  SkillError err = SKILL_ERROR_INIT;
  SkillConfig *config = NULL;
  bool closed = false;
  for (size_t i = 0; i < files->count; i++) {
    if (!*files->paths[i]) continue;
    bool there = access(files->paths[i], F_OK) == 0;
    closed = closed || (there && access(files->paths[i], R_OK) != 0);
    fprintf(cli->out, "%s%s%s%s\n", cli_dim(cli), files->paths[i], there ? "" : ": not there", cli_plain(cli));
  }
  int status = skill_config_load(files->paths, files->count, &config, &err);
  if (status) {
    int exit = cli_fail(cli, "config", &err);
    return closed || status == SKILL_EIO || status == SKILL_ENOMEM ? exit : CLI_NO;
  }
  print_config(cli, config);
  skill_config_free(config);
  return CLI_DONE;
}

int cmd_config(struct cli *cli, int argc, char **argv) {
  struct cli_list rest = {0};
  struct files files;
  int exit = cli_parse(cli, &usage, NULL, 0, argc, argv, &rest);
  if (exit == -1 && (!rest.count || strcmp(rest.items[0], "check") != 0)) {
    fprintf(cli->err, "skillet config: use skillet config check [FILE\xE2\x80\xA6|FOLDER]\n");
    exit = CLI_USAGE;
  }
  if (exit == -1) exit = pick_files(cli, &rest, &files);
  if (exit == -1) exit = check(cli, &files);
  cli_list_free(&rest);
  return exit;
}
