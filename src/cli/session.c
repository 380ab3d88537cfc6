/* SPDX-License-Identifier: MIT
 *
 * Opening what run and chat work with: skills, tokenizer, loop, model, agent.
 */
#include "cli/session.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#if __has_include("skillet/provider.h")
#include "skillet/provider.h"
#endif

/* --- models ---------------------------------------------------------------------------------------------------- */

static char *read_file(const char *path, size_t *length, SkillError *err) {
  FILE *file = fopen(path, "rb");
  struct skill__buf buf;
  char chunk[8192];
  size_t n;
  skill__buf_init(&buf, SKILL_MAX_CONVERSATION);
  if (!file) {
    skill_error_set_at(err, SKILL_EIO, path, 0, 0, "cannot be read");
    return NULL;
  }
  while ((n = fread(chunk, 1, sizeof chunk, file)) > 0) skill__buf_add(&buf, chunk, n);
  bool failed = ferror(file) || skill__buf_status(&buf);
  fclose(file);
  char *text = failed ? NULL : skill__buf_take(&buf, length);
  skill__buf_fini(&buf);
  if (!text) skill_error_set_at(err, SKILL_EIO, path, 0, 0, "cannot be read");
  return text;
}

static int open_script(const char *path, SkillModel **out, SkillError *err) {
  size_t length = 0;
  char *text = read_file(path, &length, err);
  if (!text) return SKILL_EIO;
  int status = skill_model_script_new(text, length, path, out, err);
  skill__free(text);
  return status;
}

static int open_model(struct cli_session *session, SkillError *err) {
  const char *spec = session->words->model ? session->words->model : "offline";
  if (strcmp(spec, "offline") == 0) return skill_model_offline_new(&session->model, err);
  if (strncmp(spec, "script:", 7) == 0) return open_script(spec + 7, &session->model, err);
#if __has_include("skillet/provider.h")
  SkillProviderOptions options;
  skill_provider_options_default(&options);
  options.base_url = session->words->base_url;
  options.tokenizer = session->tokenizer;
  return skill_model_provider_new(spec, &options, &session->model, err);
#else
  return skill_error_set(err, SKILL_EINVAL, "'%s' is no model; there are offline and script:FILE", spec);
#endif
}

/* --- opening --------------------------------------------------------------------------------------------------- */

static int set_up(struct cli_session *session, SkillError *err) {
  const struct cli_session_words *words = session->words;
  skill_loader_options_default(&session->loader);
  if (words->max_active) session->loader.max_active = words->max_active;
  if (words->policy) {
    session->loader.policy = skill_policy_find(words->policy);
    if (!session->loader.policy) {
      return skill_error_set(err, SKILL_EINVAL,
                             "there is no policy '%s'; there are relevance, sticky, budget, all and manual",
                             words->policy);
    }
  }
  skill_profile_default(&session->profile);
  session->profile.context_tokens = words->budget;
  session->profile.system = words->system;
  session->profile.scripts = !words->no_scripts;
  if (words->max_requests) session->profile.max_iterations = (unsigned)words->max_requests;
  if (words->yes) session->profile.approval = SKILL_APPROVAL_NONE;
  session->process = (SkillProcessOptions)SKILL_PROCESS_OPTIONS_INIT;
  if (words->no_sandbox) session->process.sandbox = SKILL_SANDBOX_OFF;
  if (words->log && !(session->log = fopen(words->log, "a"))) {
    return skill_error_set_at(err, SKILL_EIO, words->log, 0, 0, "cannot be written");
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
  if (status) return cli_fail(cli, command, &err);
  for (size_t i = 0; i < words->skills.count; i++) {
    if (cli_list_add(&session->dirs, words->skills.items[i])) return CLI_INTERNAL;
  }
  for (size_t i = 0; i < dirs->count; i++) {
    if (cli_list_add(&session->dirs, dirs->items[i])) return CLI_INTERNAL;
  }
  int exit = cli_catalog_words(cli, command, &words->catalog, &options);
  if (exit < 0) exit = cli_catalog_open(cli, command, &session->dirs, &options, &session->catalog);
  if (exit >= 0) return exit;
  if (skill_tokenizer_open("o200k_base", NULL, &session->tokenizer, NULL)) session->tokenizer = NULL;
  status = skill_loop_new(NULL, &session->loop, &err);
  if (!status) status = open_model(session, &err);
  return status ? cli_fail(cli, command, &err) : -1;
}

static void on_log(const char *line, size_t length, void *user) {
  struct cli_session *session = user;
  fwrite(line, 1, length, session->log);
  fputc('\n', session->log);
  fflush(session->log);
}

/* The list with a NULL behind it. */
static const char *const *terminated(struct cli_list *list) {
  if (!list->count || cli_list_add(list, NULL)) return NULL;
  list->count--;
  return list->items;
}

int cli_session_agent(struct cli_session *session, const SkillAgentEvents *events, bool count_everything) {
  SkillAgentOptions options;
  SkillError err = SKILL_ERROR_INIT;
  struct cli_session_words *words = (struct cli_session_words *)(uintptr_t)session->words;
  for (size_t i = 0; i < words->writable.count; i++) {
    if (cli_list_add(&words->roots, words->writable.items[i])) return CLI_INTERNAL;
  }
  skill_agent_options_default(&options);
  options.loop = session->loop;
  options.registry = session->catalog.registry;
  options.model = session->model;
  options.profile = &session->profile;
  options.loader = &session->loader;
  options.tokenizer = session->tokenizer;
  options.process = &session->process;
  options.roots = terminated(&words->roots);
  options.writable = terminated(&words->writable);
  options.count_everything = count_everything;
  options.events = *events;
  if (session->log && !events->on_log) {
    options.events.on_log = on_log;
  }
  int status = skill_agent_new(&options, &session->agent, &err);
  return status ? cli_fail(session->cli, session->command, &err) : -1;
}

void cli_session_close(struct cli_session *session) {
  skill_agent_free(session->agent);
  skill_model_free(session->model);
  skill_loop_free(session->loop);
  skill_tokenizer_free(session->tokenizer);
  if (session->catalog.registry) cli_catalog_close(&session->catalog);
  if (session->log) fclose(session->log);
  cli_list_free(&session->dirs);
}
