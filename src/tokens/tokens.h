/* SPDX-License-Identifier: MIT
 *
 * Internal functions of this folder.
 */
#ifndef SKILL_TOKENS_TOKENS_H
#define SKILL_TOKENS_TOKENS_H

#include "skillet/tokens.h"
#include "util/buf.h"

/* Appends the compact JSON that a tool is counted by: {"name","description","input_schema"}, a missing description
 * left out, a missing schema as {}. Spaces between the schema's tokens are dropped; nothing else in it changes. */
void skill__tokens_tool_json(struct skill__buf *buf, const SkillTool *tool);

/* The exact tokenizer of the packed vocabulary at `path`; as skill_tokenizer_open. */
int skill__bytepair_open(const char *path, SkillTokenizer **out, SkillError *err);

#endif
