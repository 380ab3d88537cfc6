/* SPDX-License-Identifier: MIT
 *
 * The table of commands: X(name, summary). Each is implemented by cmd_NAME in cmd_NAME.c.
 */
#ifndef SKILL_CLI_COMMANDS_H
#define SKILL_CLI_COMMANDS_H

#include "cli/base/cli.h"

#define CLI_COMMANDS(X)                                                      \
  X(list, "list skills")                                                     \
  X(show, "show one skill: front matter, tools, body and files")             \
  X(find, "find the skills that fit a request, and why")                     \
  X(check, "check skill files, and fix what is safe to fix")                 \
  X(cost, "count what skills cost in tokens, and whether skillet saves any") \
  X(run, "give a task to an agent, and show what it does and costs")         \
  X(chat, "talk to an agent in the terminal")                                \
  X(config, "check the configuration")                                       \
  X(eval, "measure how well labelled queries find their skills")             \
  X(bench, "compare strategies of showing skills over played conversations")

#define X(name, summary) cli_run cmd_##name;
CLI_COMMANDS(X)
#undef X

#endif
