/* SPDX-License-Identifier: MIT
 *
 * The two halves of Anthropic messages: what is sent and what is read.
 */
#ifndef SKILL_MODEL_WIRE_ANTHROPIC_H
#define SKILL_MODEL_WIRE_ANTHROPIC_H

#include "model/wire/remote.h"

#define SKILL__ANTHROPIC "anthropic" /* SkillMessage.extra_from */

int skill__anthropic_event(struct skill__answer *answer, const char *name, const cJSON *data, SkillError *err);
int skill__anthropic_document(struct skill__answer *answer, const cJSON *data, SkillError *err);

#endif
