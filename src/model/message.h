/* SPDX-License-Identifier: MIT
 *
 * Internals of messages that other files of the agent library use.
 */
#ifndef SKILL_MODEL_MESSAGE_H
#define SKILL_MODEL_MESSAGE_H

#include "skillet/message.h"
#include "skillet/tokens.h"
#include "util/json.h"

/* Finds the role with that name; false: there is none. */
bool skill__role_find(const char *name, SkillRole *role);

/* Appends the message as a JSON object, in the format of saved conversations. */
void skill__message_print(struct skill__buf *buf, const SkillMessage *message);

/* Reads such an object. Owned: skill_free. SKILL_EINVAL: `err` says which member is wrong. */
int skill__message_read(const cJSON *object, SkillMessage **out, SkillError *err);

/* Tokens of a message besides its text: role and delimiters of the common chat formats. */
#define SKILL__MESSAGE_OVERHEAD 4

/* Tokens of a message with its calls. */
size_t skill__message_tokens(SkillTokenizer *tokenizer, const SkillMessage *message);

/* The same for the message at `index`, which must exist; the result is cached. */
size_t skill__conversation_tokens(SkillConversation *conversation, size_t index, SkillTokenizer *tokenizer);

/* Exchanges the contents of two conversations. */
void skill__conversation_swap(SkillConversation *a, SkillConversation *b);

#endif
