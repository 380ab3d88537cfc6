/* SPDX-License-Identifier: MIT
 *
 * The table of commands: X(name, summary). Each is implemented by cmd_NAME in cmd_NAME.c.
 */
#ifndef SKILL_CLI_COMMANDS_H
#define SKILL_CLI_COMMANDS_H

#include "cli/base/cli.h"

#define CLI_COMMANDS(X)                                                 \
  X(list, "what skills there are")                                      \
  X(show, "one skill whole: front matter, tools, body and files")       \
  X(find, "which skills fit a request, and why")                        \
  X(check, "what is wrong with skill files, and how to mend it")        \
  X(cost, "count what skills cost in tokens, and whether skillet pays") \
  X(run, "give a task to an agent and see what it does and costs")      \
  X(chat, "talk to an agent in the terminal")                           \
  X(config, "check the configuration")                                  \
  X(eval, "measure how well labelled queries find their skills")        \
  X(bench, "play conversations and compare strategies of showing skills")

#define X(name, summary) cli_run cmd_##name;
CLI_COMMANDS(X)
#undef X

#endif
