/* SPDX-License-Identifier: MIT
 *
 * The meta-tool that runs a skill's script.
 */
#ifndef SKILL_AGENT_META_RUN_H
#define SKILL_AGENT_META_RUN_H

#include "agent/internal.h"

/* The handler of skill_run; `user` is the agent. */
void skill__run_call(SkillToolCall *call, const char *arguments_json, void *user);

#endif
