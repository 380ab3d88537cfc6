/* SPDX-License-Identifier: MIT
 *
 * Shared by the models that use no network.
 */
#ifndef SKILL_MODEL_LOCAL_REPLY_H
#define SKILL_MODEL_LOCAL_REPLY_H

#include "skillet/model.h"

/* Reports a whole message as deltas: its text in pieces at character boundaries, then its calls. */
void skill__local_stream(SkillModelCall *call, const SkillMessage *message);

/* Estimated tokens of a request and of an answer. */
SkillUsage skill__local_usage(const SkillModelRequest *request, const SkillMessage *answer);

#endif
