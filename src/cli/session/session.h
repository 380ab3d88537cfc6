/* SPDX-License-Identifier: MIT
 *
 * What run and chat share: options, skills, model, agent, and how events and messages are printed.
 */
#ifndef SKILL_CLI_SESSION_H
#define SKILL_CLI_SESSION_H

#include "cli/base/catalog.h"
#include "cli/base/cli.h"
#include "skillet/agent.h"
#include "skillet/config.h"

/* Their options, as given. */
struct cli_session_words {
  const char *config, *assistant, *model, *base_url, *policy, *log, *system, *tools_offered;
  struct cli_list skills, roots, writable, retrieve;
  size_t max_active, budget, max_requests;
  bool no_scripts, no_sandbox, yes, json;
  struct cli_catalog_words catalog;
};

/* The help text of --policy, which names the policies; static. */
const char *cli_session_policy_help(void);

#define CLI_SESSION_OPTIONS(w)                                                                                    \
  {CLI_TEXT, 0, "config", "FILE", "use only this configuration", &(w).config},                                    \
      {CLI_TEXT, 'a', "assistant", "NAME", "an assistant of the configuration", &(w).assistant},                  \
      {CLI_TEXT,  'm', "model", "PROVIDER:NAME", "offline (default), script:FILE, openai:NAME, anthropic:NAME …", \
       &(w).model},                                                                                               \
      {CLI_TEXT, 0, "base-url", "URL", "the model's server, without /chat/completions", &(w).base_url},           \
      {CLI_LIST, 's', "skills", "DIR", "a folder of skills; may be repeated", &(w).skills},                       \
      {CLI_TEXT, 0, "policy", "NAME", cli_session_policy_help(), &(w).policy},                                    \
      {CLI_SIZE, 0, "max-active", "N", "skills that are active at once (3)", &(w).max_active},                    \
      {CLI_SIZE, 0, "budget", "TOKENS", "size of a request (the model's window, or 32000)", &(w).budget},         \
      {CLI_SIZE, 0, "max-requests", "N", "model requests of one turn (16)", &(w).max_requests},                   \
      {CLI_TEXT, 0, "system", "TEXT", "the system text", &(w).system},                                            \
      {CLI_TEXT,                                                                                                  \
       0,                                                                                                         \
       "tools-offered",                                                                                           \
       "HOW",                                                                                                     \
       "direct (default), constant (never changes), deferred (provider searches)",                                \
       &(w).tools_offered},                                                                                       \
      {CLI_LIST, 0, "root", "DIR", "a folder that the model may list, read and search", &(w).roots},              \
      {CLI_LIST, 0, "write", "DIR", "a folder that it may also write to", &(w).writable},                         \
      {CLI_LIST, 0, "retrieve", "PATH", "a file or folder whose fitting passages are sent", &(w).retrieve},       \
      {CLI_FLAG, 0, "no-scripts", NULL, "do not run scripts of skills", &(w).no_scripts},                         \
      {CLI_FLAG, 0, "no-sandbox", NULL, "run scripts without bubblewrap", &(w).no_sandbox},                       \
      {CLI_FLAG, 'y', "yes", NULL, "approve dangerous calls without asking", &(w).yes}, {                         \
    CLI_TEXT, 0, "log", "FILE", "append decisions on tool calls as JSON lines", &(w).log                          \
  }

enum { CLI_MOST_MODELS = 32 };

/* The configuration files in effect, the later over the earlier: `given` alone, or $SKILLET_CONFIG or the user's, and
 * the project's. */
struct cli_config_paths {
  const char *paths[2]; /* borrowed from the environment, `given` or `user` */
  size_t count;
  char user[SKILL_MAX_PATH];
};
void cli_config_paths(const char *given, struct cli_config_paths *out);

/* Ranked candidates come as one event each; they are printed as one line before the next event of another kind. */
struct cli_ranked {
  char names[256];
  size_t count;
};

struct cli_session {
  struct cli *cli;
  struct cli_ranked ranked;
  SkillConfig *config;
  const SkillConfigAssistant *assistant; /* NULL: none */
  SkillModelHub *models;
  SkillAgentHub *agents;
  SkillModel *named[CLI_MOST_MODELS]; /* those in the hub */
  size_t named_count;
  const char *command;
  const struct cli_session_words *words;
  struct cli_catalog catalog;
  SkillLoop *loop;
  SkillModel *model;
  SkillTokenizer *tokenizer;
  SkillAgent *agent;
  SkillLoaderOptions loader;
  SkillProfile profile;
  SkillProcessOptions process;
  FILE *log;
  struct cli_list dirs;
  struct cli_list roots;
  struct cli_list writable;
  struct cli_list retrieve;
};

/* Opens everything but the agent; `dirs` are more folders of skills. -1, or an exit status after a message. Call
 * cli_session_close() in both cases. */
int cli_session_open(struct cli *cli, const char *command, const struct cli_session_words *words,
                     const struct cli_list *dirs, struct cli_session *session);
/* Creates the agent. -1, or an exit status after a message. */
int cli_session_agent(struct cli_session *session, const SkillAgentEvents *events, bool count_everything);
void cli_session_close(struct cli_session *session);
/* Frees the lists of the options, which the session borrows. */
void cli_session_words_free(struct cli_session_words *words);

/* bans.c: warns on stderr of bans in the configuration that match nothing and are probably mistyped. */
void cli_session_check_bans(const struct cli_session *session);

/* --- showing ------------------------------------------------------------------------------------------------------ */

/* Prints one line for a decision that matters to the user, and nothing for the others. */
void cli_show_event(struct cli_session *session, const SkillEvent *event);
/* Prints the calls and results of a message of the transcript, one line each; the answer is left to the caller. */
void cli_show_message(struct cli_session *session, const SkillMessage *message);
/* Prints what the turn cost, and what it would have cost with every skill in the context. */
void cli_show_cost(const struct cli_session *session, const SkillTurn *turn);

#endif
