/* SPDX-License-Identifier: MIT
 *
 * Shared by recording and replaying.
 */
#ifndef SKILL_MODEL_TAPE_RECORD_H
#define SKILL_MODEL_TAPE_RECORD_H

#include "skillet/model.h"
#include "util/buf.h"

/* Appends {"messages":[…],"tools":[names]}, which a replay compares. */
void skill__record_request(struct skill__buf *buf, const SkillModelRequest *request);

#endif
