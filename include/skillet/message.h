/* SPDX-License-Identifier: MIT
 *
 * Messages and conversations, independent of any provider's format.
 *
 * A conversation is valid if every tool result follows the assistant message with its call, within the same turn, and
 * every call has exactly one result. Functions that add messages check this; skill_conversation_repair() answers calls
 * that a crash or a cancel left open.
 */
#ifndef SKILLET_MESSAGE_H
#define SKILLET_MESSAGE_H

#include "skillet/error.h"

#define SKILL_MAX_MESSAGES 100000                  /* messages of a conversation; refused above */
#define SKILL_MAX_MESSAGE (16 * 1024 * 1024)       /* bytes of one message's text; refused above */
#define SKILL_MAX_CALLS 128                        /* tool calls of one assistant message; refused above */
#define SKILL_MAX_ARGUMENTS (4 * 1024 * 1024)      /* bytes of one call's arguments; refused above */
#define SKILL_MAX_CONVERSATION (256 * 1024 * 1024) /* bytes of a saved conversation; refused above */

SKILL_BEGIN

typedef enum SkillRole { SKILL_ROLE_SYSTEM = 0, SKILL_ROLE_USER, SKILL_ROLE_ASSISTANT, SKILL_ROLE_TOOL } SkillRole;

/* Returns "system", "user", "assistant" or "tool". Static. */
SKILL_API const char *skill_role_name(SkillRole role);

/* One tool call of an assistant message. The size is constant. */
typedef struct SkillCall {
  const char *id;        /* unique within the conversation */
  const char *name;      /* as the model sent it */
  const char *arguments; /* as the model sent them: usually JSON text of an object */
} SkillCall;

/* One message. Initialise to zero and set what applies; functions that take a message copy it. */
typedef struct SkillMessage {
  SkillRole role;
  const char *text;       /* NULL only if text_length is 0; NUL-terminated in messages that the library returns */
  size_t text_length;     /* bytes */
  const SkillCall *calls; /* assistant: tool calls in order */
  size_t call_count;
  const char *call_id; /* tool: id of the call that it answers */
  const char *name;    /* tool: the tool's name; user: the speaker's, may be NULL */
  const char *origin;  /* why it was added automatically: "skill:NAME", "listing", "summary" …; NULL: it was not */
  const char *extra;   /* what the provider needs back unchanged (signed reasoning …), a JSON object; may be NULL */
  const char *extra_from;  /* the provider that `extra` belongs to, e.g. "anthropic"; it is not sent to others */
  bool error;              /* tool: the text is an error message */
  bool cache;              /* a provider's cache mark is useful after this message */
  const void *reserved[4]; /* 0 */
} SkillMessage;

/* Deep copy in one block; owned: release with skill_free. SKILL_ENOMEM. */
SKILL_API int skill_message_copy(const SkillMessage *message, SkillMessage **out);

typedef struct SkillConversation SkillConversation;

/* Makes an empty conversation; owned: release with skill_conversation_free. SKILL_ENOMEM. */
SKILL_API int skill_conversation_new(SkillConversation **out);
SKILL_API void skill_conversation_free(SkillConversation *conversation);

/* Returns the number of messages. */
SKILL_API size_t skill_conversation_count(const SkillConversation *conversation);

/* Returns the i-th message, or NULL; borrowed until the conversation changes. */
SKILL_API const SkillMessage *skill_conversation_at(const SkillConversation *conversation, size_t index);

/* Appends a copy. SKILL_EINVAL: a tool message that answers no open call, another message while calls are open, or a
 * call id that was used before. SKILL_ELIMIT, SKILL_ENOMEM. */
SKILL_API int skill_conversation_add(SkillConversation *conversation, const SkillMessage *message, SkillError *err);

/* Appends a message of plain text; `length` 0: strlen. Errors as skill_conversation_add. */
SKILL_API int skill_conversation_add_text(SkillConversation *conversation, SkillRole role, const char *text,
                                          size_t length, SkillError *err);

/* Replaces the messages [from, to) by `with` (NULL: by nothing). SKILL_EINVAL: a call would be separated from its
 * result. SKILL_ENOMEM. */
SKILL_API int skill_conversation_replace(SkillConversation *conversation, size_t from, size_t to,
                                         const SkillMessage *with, SkillError *err);

/* Returns how many calls of the last assistant message have no result. */
SKILL_API size_t skill_conversation_open_calls(const SkillConversation *conversation);

/* Answers every open call with an error result with the text `why`. Returns their number, or SKILL_ENOMEM. */
SKILL_API int skill_conversation_repair(SkillConversation *conversation, const char *why);

/* Makes a deep copy. Owned: release with skill_conversation_free. SKILL_ENOMEM. */
SKILL_API int skill_conversation_copy(const SkillConversation *from, SkillConversation **out);

/* Writes the conversation as JSON text: {"version":1,"messages":[…]}. Equal conversations give equal bytes. Owned:
 * release with skill_free. SKILL_ENOMEM, SKILL_ELIMIT (more than SKILL_MAX_CONVERSATION). */
SKILL_API int skill_conversation_save(const SkillConversation *conversation, char **text, size_t *length,
                                      SkillError *err);

/* Reads the text that skill_conversation_save wrote; open calls stay open. Owned: release with skill_conversation_free.
 * SKILL_EPARSE (with line and column), SKILL_EINVAL (not a valid conversation), SKILL_ELIMIT, SKILL_ENOMEM. */
SKILL_API int skill_conversation_load(const char *text, size_t length, SkillConversation **out, SkillError *err);

SKILL_END

#endif
