/* SPDX-License-Identifier: MIT
 *
 * Shared by the writer and the reader of Anthropic messages.
 */
#ifndef SKILL_MODEL_WIRE_ANTHROPIC_H
#define SKILL_MODEL_WIRE_ANTHROPIC_H

#include "model/wire/remote.h"

#define SKILL__ANTHROPIC "anthropic" /* SkillMessage.extra_from */

int skill__anthropic_event(struct skill__answer *answer, const char *name, const cJSON *data, SkillError *err);
int skill__anthropic_document(struct skill__answer *answer, const cJSON *data, SkillError *err);

#endif
