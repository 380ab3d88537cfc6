/* SPDX-License-Identifier: MIT
 *
 * skillet config: checks the configuration, and says which files hold.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/session.h"

static const struct cli_usage usage = {
    "skillet config check [FILE…]",
    "Reads the configuration as run and chat do, and says what is wrong, with the place. Without FILE these are read,\n"
    "the later over the earlier: $SKILLET_CONFIG or ~/.config/skillet/config.yaml, then .skillet/config.yaml here.\n\n"
    "Keys, which docs/config.md explains: model, assistant, policy, skills, max_active, budget, max_requests, "
    "approval,\n"
    "disabled_skills, disabled_tools, roots, writable, retrieve, retrieve_tokens, tools_offered, tool_names, scripts,\n"
    "sandbox and log.\n\n"
    "  models: NAME: provider, base_url, key_env, key_command, proxy, window, max_output\n"
    "  assistants: NAME: system, model, allowed_skills, allowed_tools, skills, tools, max_requests, budget\n"
    "  skills of an assistant: NAME: enabled, mode\n\n"
    "Exit status: 0 in order; 1 something is wrong; 2 wrong use; 3 a file cannot be read."};

static void print_list(struct cli *cli, const char *what, SkillStrings list) {
  if (!list.count) return;
  fprintf(cli->out, "%-16s ", what);
  for (size_t i = 0; i < list.count; i++) fprintf(cli->out, "%s%s", i ? ", " : "", list.items[i]);
  fputc('\n', cli->out);
}

static void print_text(struct cli *cli, const char *what, const char *text) {
  if (text) fprintf(cli->out, "%-16s %s\n", what, text);
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
    if (config->tool_names[i])
      fprintf(cli->out, "%-16s %s: %s\n", "tool_names", skill_meta_tool_name(i), config->tool_names[i]);
  }
  print_text(cli, "approval", approvals[config->approval]);
  if (config->scripts_off) print_text(cli, "scripts", "false");
  if (config->sandbox_required) print_text(cli, "sandbox", "required");
  for (size_t i = 0; i < config->model_count; i++) {
    fprintf(cli->out, "%-16s %s: %s\n", i ? "" : "models", config->models[i].name, config->models[i].provider);
  }
  for (size_t i = 0; i < config->assistant_count; i++) {
    const SkillConfigAssistant *assistant = &config->assistants[i];
    fprintf(cli->out, "%-16s %s: %zu preferences%s\n", i ? "" : "assistants", assistant->name,
            assistant->preference_count, assistant->tools_off ? ", no tools" : "");
  }
}

int cmd_config(struct cli *cli, int argc, char **argv) {
  struct cli_list rest = {0};
  SkillError err = SKILL_ERROR_INIT;
  SkillConfig *config = NULL;
  const char *usual[2];
  int exit = cli_parse(cli, &usage, NULL, 0, argc, argv, &rest);
  if (exit >= 0) goto out;
  if (!rest.count || strcmp(rest.items[0], "check") != 0) {
    fprintf(cli->err, "skillet config: what shall be done? There is: skillet config check [FILE\xE2\x80\xA6]\n");
    exit = CLI_USAGE;
    goto out;
  }
  const char *const *paths = rest.items + 1;
  size_t count = rest.count - 1;
  if (!count) {
    count = cli_config_paths(NULL, usual);
    paths = usual;
  }
  for (size_t i = 0; i < count; i++) {
    if (!*paths[i]) continue;
    FILE *file = fopen(paths[i], "r");
    fprintf(cli->out, "%s%s%s%s\n", cli_dim(cli), paths[i], file ? "" : ": not there", cli_plain(cli));
    if (file) fclose(file);
    if (!file && rest.count > 1) exit = CLI_INPUT;
  }
  int status = exit < 0 ? skill_config_load(paths, count, &config, &err) : 0;
  if (status) {
    exit = cli_fail(cli, "config", &err);
    if (exit == CLI_USAGE || status == SKILL_EPARSE) exit = CLI_NO;
  } else if (exit < 0) {
    print_config(cli, config);
    exit = CLI_DONE;
  }

out:
  skill_config_free(config);
  cli_list_free(&rest);
  return exit;
}
