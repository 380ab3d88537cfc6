/* SPDX-License-Identifier: MIT
 *
 * A skill as JSON, for list and show.
 */
#ifndef SKILL_CLI_DESCRIBE_H
#define SKILL_CLI_DESCRIBE_H

#include "cli/base/cli.h"

/* Appends the members "name", "description", … "metadata" of an open object. */
void cli_describe_json(struct skill__buf *buf, const SkillMetadata *metadata);

/* Appends the member "tool_definitions": name, description, input_schema and command of each tool. */
void cli_describe_tools(struct skill__buf *buf, const SkillMetadata *metadata);

#endif
