/* SPDX-License-Identifier: MIT
 *
 * What recording and replaying share.
 */
#ifndef SKILL_MODEL_TAPE_RECORD_H
#define SKILL_MODEL_TAPE_RECORD_H

#include "skillet/model.h"
#include "util/buf.h"

/* Appends {"messages":[…],"tools":[names]}: what a replay compares. */
void skill__record_request(struct skill__buf *buf, const SkillModelRequest *request);

#endif
