/* SPDX-License-Identifier: MIT
 *
 * Local tools: read, write, list and search files below the folders that the host granted.
 */
#ifndef SKILL_AGENT_FILE_TOOLS_H
#define SKILL_AGENT_FILE_TOOLS_H

#include "agent/internal.h"

/* Adds the file tools to the table, where the agent has roots; those that write only where one is writable. */
int skill__agent_offer_files(SkillAgent *agent);

/* Reads a whole text file below the roots (at most `most` bytes); owned: release with skill_free. SKILL_ENOENT,
 * SKILL_EDENIED, SKILL_EUNSUPPORTED (not text), SKILL_ELIMIT, SKILL_ENOMEM. */
int skill__agent_read_file(SkillAgent *agent, const char *path, size_t most, char **text, size_t *length,
                           SkillError *err);

#endif
