/* SPDX-License-Identifier: MIT
 *
 * The meta-tool that opens skills.
 */
#ifndef SKILL_AGENT_META_OPEN_H
#define SKILL_AGENT_META_OPEN_H

#include "agent/internal.h"

/* The handler of skill_open; `user` is the agent. */
void skill__open_call(SkillToolCall *call, const char *arguments_json, void *user);

#endif
