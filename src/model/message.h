/* SPDX-License-Identifier: MIT
 *
 * Internals of messages that other files of the agent library use.
 */
#ifndef SKILL_MODEL_MESSAGE_H
#define SKILL_MODEL_MESSAGE_H

#include "skillet/message.h"
#include "util/json.h"

/* The role of that name. */
bool skill__role_find(const char *name, SkillRole *role);

/* Bytes that a copy of the message takes. */
size_t skill__message_size(const SkillMessage *message);

/* Appends the message as a JSON object, as conversations are saved. */
void skill__message_print(struct skill__buf *buf, const SkillMessage *message);

/* Reads such an object; owned: release with skill_free. SKILL_EINVAL says what is wrong. */
int skill__message_read(const cJSON *object, SkillMessage **out, SkillError *err);

#endif
