/* SPDX-License-Identifier: MIT
 *
 * What the agent uses of the gateway beyond its public header.
 */
#ifndef SKILL_GATEWAY_FOR_AGENT_H
#define SKILL_GATEWAY_FOR_AGENT_H

#include "skillet/gateway.h"

/* For a handler: starts a script whose end finishes the call; an abort of the call stops the script. Non-zero: the call
 * is not finished, and `err` says why the script did not start. */
int skill__call_script(SkillToolCall *call, const SkillScript *script, const SkillProcessOptions *options,
                       SkillError *err);

/* Forgets the results that are kept for paging. */
void skill__gateway_drop_kept(SkillGateway *gateway);

#endif
