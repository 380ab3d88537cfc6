/* SPDX-License-Identifier: MIT
 *
 * Internals of messages that other files of the agent library use.
 */
#ifndef SKILL_MODEL_MESSAGE_H
#define SKILL_MODEL_MESSAGE_H

#include "skillet/message.h"
#include "skillet/tokens.h"
#include "util/json.h"

/* The role of that name. */
bool skill__role_find(const char *name, SkillRole *role);

/* Bytes that a copy of the message takes. */
size_t skill__message_size(const SkillMessage *message);

/* Appends the message as a JSON object, as conversations are saved. */
void skill__message_print(struct skill__buf *buf, const SkillMessage *message);

/* Reads such an object; owned: release with skill_free. SKILL_EINVAL says what is wrong. */
int skill__message_read(const cJSON *object, SkillMessage **out, SkillError *err);

/* Tokens that a message costs beyond its text: role and frame, as the common chat formats have them. */
#define SKILL__MESSAGE_OVERHEAD 4

/* Tokens of a message with its calls. */
size_t skill__message_tokens(SkillTokenizer *tokenizer, const SkillMessage *message);

/* The same for the message at `index` (below the count), counted once and kept. */
size_t skill__conversation_tokens(SkillConversation *conversation, size_t index, SkillTokenizer *tokenizer);

/* Exchanges what two conversations hold. */
void skill__conversation_swap(SkillConversation *a, SkillConversation *b);

#endif
