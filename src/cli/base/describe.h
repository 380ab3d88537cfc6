/* SPDX-License-Identifier: MIT
 *
 * A skill as JSON, the way list and show give it.
 */
#ifndef SKILL_CLI_DESCRIBE_H
#define SKILL_CLI_DESCRIBE_H

#include "cli/base/cli.h"

/* Appends "name":…,"description":…, … ,"metadata":{…} without the braces around it. */
void cli_describe_json(struct skill__buf *buf, const SkillMetadata *metadata);

/* Appends an array of the skill's tools whole: name, description, input_schema, command. */
void cli_describe_tools(struct skill__buf *buf, const SkillMetadata *metadata);

#endif
