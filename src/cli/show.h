/* SPDX-License-Identifier: MIT
 *
 * One skill as text for people.
 */
#ifndef SKILL_CLI_SHOW_H
#define SKILL_CLI_SHOW_H

#include "cli/base/cli.h"

/* Name, description and every field that is set. */
void show_head(struct cli *cli, const SkillMetadata *metadata);
/* Its tools, a line each. */
void show_tools(struct cli *cli, const SkillMetadata *metadata);
/* The body as it is, but for characters that would move the cursor or hide text. */
void show_body(struct cli *cli, const char *body);

#endif
