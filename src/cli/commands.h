/* SPDX-License-Identifier: MIT
 *
 * The table of commands: X(name, summary). Each is implemented by cmd_NAME in cmd_NAME.c.
 */
#ifndef SKILL_CLI_COMMANDS_H
#define SKILL_CLI_COMMANDS_H

#define CLI_COMMANDS(X)

#endif
