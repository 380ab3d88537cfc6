/* SPDX-License-Identifier: MIT
 *
 * Texts of tools fit for a model: what a person cannot see in them does not reach it, as in the listing of skills.
 */
#ifndef SKILL_CONTEXT_TOOL_TEXT_H
#define SKILL_CONTEXT_TOOL_TEXT_H

#include "util/buf.h"

/* A tool's description with its line ends and tabs, in `room`, which the caller releases with skill__buf_fini. NULL
 * gives NULL; NULL and room->status SKILL_ENOMEM where memory was short. */
const char *skill__clean_text(const char *text, struct skill__buf *room);

/* The same for a JSON Schema, of which only titles and descriptions are touched: what a call must hold stays as it is.
 * `schema` itself where nothing had to go or it is no JSON. */
const char *skill__clean_schema(const char *schema, struct skill__buf *room);

#endif
