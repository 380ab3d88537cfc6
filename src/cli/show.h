/* SPDX-License-Identifier: MIT
 *
 * A skill as text for people.
 */
#ifndef SKILL_CLI_SHOW_H
#define SKILL_CLI_SHOW_H

#include "cli/base/cli.h"

/* Prints name, description and every field that is set. */
void show_head(struct cli *cli, const SkillMetadata *metadata);
/* Prints its tools, a line each. */
void show_tools(struct cli *cli, const SkillMetadata *metadata);
/* Prints the body; on a terminal without characters that move the cursor or hide text. */
void show_body(struct cli *cli, const char *body);

#endif
