/* SPDX-License-Identifier: MIT
 *
 * What run and chat share: options, skills, model and agent, and how what happens is shown.
 */
#ifndef SKILL_CLI_SESSION_H
#define SKILL_CLI_SESSION_H

#include "cli/base/catalog.h"
#include "cli/base/cli.h"
#include "skillet/agent.h"
#include "skillet/config.h"

/* The options of both commands, as given. */
struct cli_session_words {
  const char *config;
  const char *assistant;
  const char *model;
  const char *base_url;
  const char *policy;
  const char *log;
  const char *system;
  const char *tools_offered;
  struct cli_list skills;
  struct cli_list roots;
  struct cli_list writable;
  struct cli_list retrieve;
  size_t max_active;
  size_t budget;
  size_t max_requests;
  bool no_scripts;
  bool no_sandbox;
  bool yes;
  bool json;
  struct cli_catalog_words catalog;
};

#define CLI_SESSION_OPTIONS(w)                                                                                         \
  {CLI_TEXT, 0, "config", "FILE", "configuration instead of the user's and the project's", &(w).config},               \
      {CLI_TEXT, 'a', "assistant", "NAME", "which of the configured assistants", &(w).assistant},                      \
      {CLI_TEXT,  'm', "model", "PROVIDER:NAME", "offline (default), script:FILE, openai:NAME, anthropic:NAME …",      \
       &(w).model},                                                                                                    \
      {CLI_TEXT,     0, "base-url", "URL", "where the model's server is, up to and without /chat/completions",         \
       &(w).base_url},                                                                                                 \
      {CLI_LIST, 's', "skills", "DIR", "a folder of skills, as often as needed", &(w).skills},                         \
      {CLI_TEXT,                                                                                                       \
       0,                                                                                                              \
       "policy",                                                                                                       \
       "NAME",                                                                                                         \
       "activate skills beforehand: relevance, sticky, budget, all; manual (default): the model opens what it needs",  \
       &(w).policy},                                                                                                   \
      {CLI_SIZE, 0, "max-active", "N", "skills that are active at once (3)", &(w).max_active},                         \
      {CLI_SIZE, 0, "budget", "TOKENS", "of one request's context (the model's window, or 32000)", &(w).budget},       \
      {CLI_SIZE, 0, "max-requests", "N", "model requests of one turn (16)", &(w).max_requests},                        \
      {CLI_TEXT, 0, "system", "TEXT", "the system text", &(w).system},                                                 \
      {CLI_TEXT,                                                                                                       \
       0,                                                                                                              \
       "tools-offered",                                                                                                \
       "HOW",                                                                                                          \
       "direct (default): tools of active skills join the tool list; constant: the list never changes; deferred: the " \
       "provider searches",                                                                                            \
       &(w).tools_offered},                                                                                            \
      {CLI_LIST, 0, "root", "DIR", "a folder whose files the model may list, read and search", &(w).roots},            \
      {CLI_LIST, 0, "write", "DIR", "a folder whose files it may also write", &(w).writable},                          \
      {CLI_LIST,                                                                                                       \
       0,                                                                                                              \
       "retrieve",                                                                                                     \
       "PATH",                                                                                                         \
       "a file, or a folder of them, whose passages go with requests that they fit",                                   \
       &(w).retrieve},                                                                                                 \
      {CLI_FLAG, 0, "no-scripts", NULL, "run no scripts of skills", &(w).no_scripts},                                  \
      {CLI_FLAG, 0, "no-sandbox", NULL, "run scripts without bubblewrap", &(w).no_sandbox},                            \
      {CLI_FLAG, 'y', "yes", NULL, "approve dangerous calls without asking", &(w).yes}, {                              \
    CLI_TEXT, 0, "log", "FILE", "append the decisions on tool calls, one JSON object a line", &(w).log                 \
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
  SkillModel *named[CLI_MOST_MODELS]; /* the hub's */
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

/* Opens everything but the agent; `dirs` are more folders of skills. -1 to go on, or an exit status after a message.
 * Call cli_session_close whatever it returns. */
int cli_session_open(struct cli *cli, const char *command, const struct cli_session_words *words,
                     const struct cli_list *dirs, struct cli_session *session);
/* Makes the agent with these callbacks. -1, or an exit status. */
int cli_session_agent(struct cli_session *session, const SkillAgentEvents *events, bool count_everything);
void cli_session_close(struct cli_session *session);
/* Frees what the options hold, after the session that borrows it. */
void cli_session_words_free(struct cli_session_words *words);

/* bans.c: says on stderr which bans of the configuration name nothing here and are nearly something. */
void cli_session_check_bans(const struct cli_session *session);

/* A whole file; owned: release with skill_free. NULL: `err` says why. */
char *cli_read_file(const char *path, size_t *length, SkillError *err);

/* --- showing --------------------------------------------------------------------------------------------------- */

/* Prints one line for a decision that matters to the user, and nothing for the others. */
void cli_show_event(struct cli_session *session, const SkillEvent *event);
/* Prints the calls and results of a message of the transcript, one line each; the answer is left to the caller. */
void cli_show_message(struct cli_session *session, const SkillMessage *message);
/* Prints what the turn cost, and what it would have cost with every skill in the context. */
void cli_show_cost(const struct cli_session *session, const SkillTurn *turn);

#endif
