/* SPDX-License-Identifier: MIT
 *
 * Opens what run and chat need: configuration, skills, tokenizer, loop, models, agent. The command line overrides the
 * project's file, which overrides the user's.
 */
#include "cli/session/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "loader/policy.h"
#include "skillet/provider.h"
#include "util/alloc.h"
#include "util/near.h"
#include "util/user_path.h"

/* --- configuration ------------------------------------------------------------------------------------------------ */

void cli_config_paths(const char *given, struct cli_config_paths *out) {
  const char *set = getenv("SKILLET_CONFIG");
  out->count = given ? 1 : 2;
  out->paths[0] = out->user;
  out->paths[1] = ".skillet/config.yaml";
  if (given) {
    out->paths[0] = given;
  } else if (set && *set) {
    out->paths[0] = set;
  } else { /* no folder: the first path stays empty, because its rights are not for the project's file */
    (void)skill__user_path("XDG_CONFIG_HOME", ".config", "config.yaml", out->user, sizeof out->user);
  }
}

static int load_config(struct cli_session *session, SkillError *err) {
  const struct cli_session_words *words = session->words;
  struct cli_config_paths files;
  cli_config_paths(words->config, &files);
  if (words->config && cli_path_kind(words->config) < 0) {
    return skill_error_set_at(err, SKILL_EIO, words->config, 0, 0, "there is no such file");
  }
  int status = skill_config_load(files.paths, files.count, &session->config, err);
  if (status) return status;
  session->assistant = skill_config_assistant(session->config, words->assistant);
  if (words->assistant && !session->assistant) {
    struct skill__near near;
    char meant[300];
    skill__near_begin(&near, words->assistant, 3);
    for (size_t i = 0; i < session->config->assistant_count; i++) {
      skill__near_offer(&near, session->config->assistants[i].name);
    }
    skill__near_text(&near, "did you mean ", "?", meant, sizeof meant);
    return skill_error_set(err, SKILL_EINVAL, "there is no assistant '%.100s' in the configuration; %s",
                           words->assistant, *meant ? meant : "skillet config check lists them");
  }
  return 0;
}

/* --- models ------------------------------------------------------------------------------------------------------- */

static int open_script(const char *path, SkillModel **out, SkillError *err) {
  size_t length = 0;
  char *text = cli_read_file(path, SKILL_MAX_CONVERSATION, &length, err);
  if (!text) return SKILL_EIO;
  int status = skill_model_script_new(text, length, path, out, err);
  skill__free(text);
  return status;
}

/* `spec` is offline, script:FILE or PROVIDER:NAME; `from` (may be NULL) has the other settings. */
static int make_model(struct cli_session *session, const char *spec, const SkillConfigModel *from, SkillModel **out,
                      SkillError *err) {
  SkillProviderOptions options = SKILL_PROVIDER_OPTIONS_INIT;
  if (strcmp(spec, "offline") == 0) return skill_model_offline_new(out, err);
  if (strncmp(spec, "script:", 7) == 0) return open_script(spec + 7, out, err);
  options.base_url = session->words->base_url;
  options.tokenizer = session->tokenizer;
  options.tool_search = session->profile.offered == SKILL_TOOLS_DEFERRED;
  if (from) {
    if (!options.base_url) options.base_url = from->base_url;
    options.key_env = from->key_env;
    options.key_command = from->key_command;
    options.proxy = from->proxy;
    options.window = from->window;
    options.max_output = from->max_output;
  }
  return skill_model_provider_new(spec, &options, out, err);
}

static int open_model(struct cli_session *session, SkillError *err) {
  const char *spec = session->words->model;
  if (!spec && session->assistant) spec = session->assistant->model;
  if (!spec) spec = session->config->model;
  if (!spec) spec = "offline";
  const SkillConfigModel *named = skill_config_model(session->config, spec);
  return make_model(session, named ? named->provider : spec, named, &session->model, err);
}

/* Models and assistants of the configuration, which skills can name. */
static int fill_hubs(struct cli_session *session, SkillError *err) {
  const SkillConfig *config = session->config;
  int status = skill_model_hub_new(&session->models);
  if (!status) status = skill_agent_hub_new(&session->agents);
  if (status) return skill_error_set(err, status, "out of memory");
  for (size_t i = 0; i < config->model_count && i < CLI_MOST_MODELS; i++) {
    SkillModel **slot = &session->named[session->named_count];
    status = make_model(session, config->models[i].provider, &config->models[i], slot, err);
    if (status) return status;
    session->named_count++;
    status = skill_model_hub_add(session->models, config->models[i].name, *slot);
    if (status) return skill_error_set(err, status, "out of memory");
  }
  for (size_t i = 0; i < config->assistant_count; i++) {
    const SkillConfigAssistant *assistant = &config->assistants[i];
    SkillProfile profile = session->profile;
    profile.system = assistant->system;
    profile.tools = !assistant->tools_off;
    if (assistant->max_requests) profile.max_iterations = (unsigned)assistant->max_requests;
    if (assistant->budget) profile.context_tokens = assistant->budget;
    if (assistant->model) (void)skill_model_hub_find(session->models, assistant->model, &profile.model, NULL);
    status = skill_agent_hub_add(session->agents, assistant->name, &profile);
    if (status) return skill_error_set(err, status, "out of memory");
  }
  return 0;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* The first that is not 0. */
static size_t first(size_t a, size_t b, size_t c) {
  if (a) return a;
  return b ? b : c;
}

static int set_profile(struct cli_session *session, SkillError *err) {
  const struct cli_session_words *words = session->words;
  const SkillConfig *config = session->config;
  const SkillConfigAssistant *assistant = session->assistant;
  SkillProfile *profile = &session->profile;
  *profile = (SkillProfile)SKILL_PROFILE_INIT;
  profile->context_tokens = first(words->budget, assistant ? assistant->budget : 0, config->budget);
  if (assistant) profile->system = assistant->system;
  if (words->system) profile->system = words->system;
  profile->tools = !(assistant && assistant->tools_off);
  profile->scripts = !words->no_scripts && !config->scripts_off;
  profile->approval = words->yes ? SKILL_APPROVAL_NONE : config->approval;
  size_t requests = first(words->max_requests, assistant ? assistant->max_requests : 0, config->max_requests);
  if (requests) profile->max_iterations = (unsigned)requests;
  profile->retrieve_tokens = config->retrieve_tokens;
  profile->offered = config->tools_offered;
  memcpy(profile->names, config->tool_names, sizeof profile->names);
  if (!words->tools_offered || skill_tools_offered_find(words->tools_offered, &profile->offered)) return 0;
  return skill_error_set(err, SKILL_EINVAL, "--tools-offered must be direct, constant or deferred, not '%s'",
                         words->tools_offered);
}

const char *cli_session_policy_help(void) {
  static char text[300];
  char names[200];
  skill__policy_names(names, sizeof names);
  snprintf(text, sizeof text, "activate before a turn: %s; default: %s", names, skill_policy_manual()->name);
  return text;
}

static int set_up(struct cli_session *session, SkillError *err) {
  const struct cli_session_words *words = session->words;
  int status = load_config(session, err);
  if (status) return status;
  status = set_profile(session, err);
  if (status) return status;
  const char *policy = words->policy ? words->policy : session->config->policy;
  const char *log = words->log ? words->log : session->config->log;
  session->loader = (SkillLoaderOptions)SKILL_LOADER_OPTIONS_INIT;
  size_t active = first(words->max_active, session->config->max_active, 0);
  if (active) session->loader.max_active = active;
  if (policy) {
    session->loader.policy = skill_policy_find(policy);
    session->profile.preactivate = session->loader.policy != skill_policy_manual();
    if (!session->loader.policy) {
      char names[200];
      skill__policy_names(names, sizeof names);
      return skill_error_set(err, SKILL_EINVAL, "there is no policy '%s'; use %s", policy, names);
    }
  }
  session->process = (SkillProcessOptions)SKILL_PROCESS_OPTIONS_INIT;
  if (words->no_sandbox) session->process.sandbox = SKILL_SANDBOX_OFF;
  if (session->config->sandbox_required) session->process.sandbox = SKILL_SANDBOX_REQUIRED;
  mode_t before = umask(0077); /* the log has arguments of calls */
  session->log = log ? fopen(log, "a") : NULL;
  umask(before);
  if (log && !session->log) {
    return skill_error_set_at(err, SKILL_EIO, log, 0, 0, "cannot be written");
  }
  return 0;
}

/* Appends the items unless `*status` is an error already. */
static void add_all(struct cli_list *list, SkillStrings items, int *status) {
  for (size_t i = 0; i < items.count && !*status; i++) *status = cli_list_add(list, items.items[i]);
}

static SkillStrings strings(const struct cli_list *list) {
  return (SkillStrings){list->items, list->count};
}

/* The folders of the command line, or else those of the configuration. */
static int choose_folders(struct cli_session *session, const struct cli_list *dirs) {
  const struct cli_session_words *words = session->words;
  const SkillConfig *config = session->config;
  bool granted = words->roots.count || words->writable.count;
  int status = 0;
  add_all(&session->dirs, strings(&words->skills), &status);
  add_all(&session->dirs, strings(dirs), &status);
  if (!session->dirs.count) add_all(&session->dirs, config->skills, &status);
  add_all(&session->retrieve, words->retrieve.count ? strings(&words->retrieve) : config->retrieve, &status);
  add_all(&session->roots, granted ? strings(&words->roots) : config->roots, &status);
  add_all(&session->writable, granted ? strings(&words->writable) : config->writable, &status);
  add_all(&session->roots, strings(&session->writable), &status);
  return status;
}

/* Folders that the command line grants must exist. */
static int check_granted(const struct cli_list *roots, SkillError *err) {
  for (size_t i = 0; i < roots->count; i++) {
    const char *root = roots->items[i];
    int kind = cli_path_kind(root);
    if (kind == SKILL_FILE_FOLDER) continue;
    return skill_error_set_at(err, SKILL_EIO, root, 0, 0, kind < 0 ? "there is no such folder" : "is not a folder");
  }
  return 0;
}

int cli_session_open(struct cli *cli, const char *command, const struct cli_session_words *words,
                     const struct cli_list *dirs, struct cli_session *session) {
  struct cli_catalog_options options = {.builtins = true};
  SkillError err = SKILL_ERROR_INIT;
  memset(session, 0, sizeof *session);
  session->cli = cli;
  session->command = command;
  session->words = words;
  int status = set_up(session, &err);
  if (!status) status = check_granted(&words->roots, &err);
  if (!status) status = check_granted(&words->writable, &err);
  if (status) {
    int exit = cli_fail(cli, command, &err);
    return exit == CLI_USAGE && !session->config ? CLI_INPUT : exit; /* the error is in the file */
  }
  if (choose_folders(session, dirs)) return CLI_INTERNAL;
  int exit = cli_catalog_words(cli, command, &words->catalog, &options);
  if (exit < 0) exit = cli_catalog_open(cli, command, &session->dirs, &options, &session->catalog);
  if (exit >= 0) return exit;
  cli_session_check_bans(session);
  if (skill_tokenizer_open("o200k_base", NULL, &session->tokenizer, NULL)) session->tokenizer = NULL;
  status = skill_loop_new(NULL, &session->loop, &err);
  if (!status) status = open_model(session, &err);
  if (!status) status = fill_hubs(session, &err);
  return status ? cli_fail(cli, command, &err) : -1;
}

/* The items of the list with a NULL after them, or NULL if it is empty. */
static const char *const *terminated(struct cli_list *list) {
  if (!list->count || cli_list_add(list, NULL)) return NULL;
  list->count--;
  return list->items;
}

int cli_session_agent(struct cli_session *session, const SkillAgentEvents *events, bool count_everything) {
  SkillAgentOptions options = SKILL_AGENT_OPTIONS_INIT;
  SkillError err = SKILL_ERROR_INIT;
  SkillPermissions permissions = SKILL_PERMISSIONS_INIT;
  skill_config_permissions(session->config, session->assistant, &permissions);
  options.loop = session->loop;
  options.registry = session->catalog.registry;
  options.model = session->model;
  options.profile = &session->profile;
  options.permissions = &permissions;
  options.loader = &session->loader;
  options.models = session->models;
  options.agents = session->agents;
  options.tokenizer = session->tokenizer;
  options.process = &session->process;
  options.roots = terminated(&session->roots);
  options.writable = terminated(&session->writable);
  options.retrieve = terminated(&session->retrieve);
  options.count_everything = count_everything;
  options.events = *events;
  int status = skill_agent_new(&options, &session->agent, &err);
  return status ? cli_fail(session->cli, session->command, &err) : -1;
}

void cli_session_close(struct cli_session *session) {
  skill_agent_free(session->agent);
  skill_model_hub_free(session->models);
  skill_agent_hub_free(session->agents);
  for (size_t i = 0; i < session->named_count; i++) skill_model_free(session->named[i]);
  skill_model_free(session->model);
  skill_loop_free(session->loop);
  skill_tokenizer_free(session->tokenizer);
  if (session->catalog.registry) cli_catalog_close(&session->catalog);
  skill_config_free(session->config);
  if (session->log) fclose(session->log);
  cli_list_free(&session->dirs);
  cli_list_free(&session->roots);
  cli_list_free(&session->writable);
  cli_list_free(&session->retrieve);
}

void cli_session_words_free(struct cli_session_words *words) {
  cli_list_free(&words->skills);
  cli_list_free(&words->roots);
  cli_list_free(&words->writable);
  cli_list_free(&words->retrieve);
}
