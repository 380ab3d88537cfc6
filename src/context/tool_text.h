/* SPDX-License-Identifier: MIT
 *
 * Cleans the texts of tools for a model: characters that a person cannot see are dropped, as in the listing of skills.
 */
#ifndef SKILL_CONTEXT_TOOL_TEXT_H
#define SKILL_CONTEXT_TOOL_TEXT_H

#include "util/buf.h"

/* A tool's description; line ends and tabs are kept. The text is in `room`, which the caller frees with
 * skill__buf_fini. NULL gives NULL; NULL with room->status SKILL_ENOMEM: out of memory. */
const char *skill__clean_text(const char *text, struct skill__buf *room);

/* The same for titles and descriptions of a JSON Schema; all else stays as it is. Returns `schema` itself if nothing
 * changes or it is not JSON. */
const char *skill__clean_schema(const char *schema, struct skill__buf *room);

#endif
