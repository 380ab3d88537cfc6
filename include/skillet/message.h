/* SPDX-License-Identifier: MIT
 *
 * Messages and conversations: what is said to a model and what it answers, in no provider's format.
 *
 * A conversation is valid when every tool result follows, within the same turn, the assistant message that holds its
 * call, and every call has exactly one result. Adding checks it; skill_conversation_repair() mends what a crash or a
 * cancel left open.
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

/* Returns "system", "user", "assistant" or "tool"; static. */
SKILL_API const char *skill_role_name(SkillRole role);

/* One tool call of an assistant message. */
typedef struct SkillCall {
  const char *id;        /* unique within the conversation */
  const char *name;      /* as the model wrote it */
  const char *arguments; /* as the model wrote them: JSON text of an object, or something broken */
} SkillCall;

/* One message. Zero-initialise and fill what applies; whoever takes a message copies it. */
typedef struct SkillMessage {
  SkillRole role;
  const char *text;       /* may be NULL when text_length is 0; NUL-terminated where the library hands it out */
  size_t text_length;     /* bytes */
  const SkillCall *calls; /* assistant: tool calls in order */
  size_t call_count;
  const char *call_id; /* tool: the call that this answers */
  const char *name;    /* tool: the tool's name; user: the speaker's, may be NULL */
  const char *origin;  /* why it is there where nobody said it: "skill:NAME", "listing", "summary"; NULL: it was said */
  const char *extra;   /* what a provider needs back untouched (signed reasoning …), as a JSON object; may be NULL */
  const char *extra_from;  /* the provider that `extra` belongs to, e.g. "anthropic"; others must not be sent it */
  bool error;              /* tool: the text says what went wrong */
  bool cache;              /* the prefix ending with this message is worth a provider's cache mark */
  const void *reserved[4]; /* 0 */
} SkillMessage;

/* Deep copy in one block; owned: release with skill_free. SKILL_ENOMEM. */
SKILL_API int skill_message_copy(const SkillMessage *message, SkillMessage **out);

typedef struct SkillConversation SkillConversation;

/* Makes an empty conversation; owned: release with skill_conversation_free. SKILL_ENOMEM. */
SKILL_API int skill_conversation_new(SkillConversation **out);
SKILL_API void skill_conversation_free(SkillConversation *conversation);

/* How many messages it has. */
SKILL_API size_t skill_conversation_count(const SkillConversation *conversation);

/* The i-th message, or NULL; borrowed until the conversation changes. */
SKILL_API const SkillMessage *skill_conversation_at(const SkillConversation *conversation, size_t index);

/* Appends a copy. SKILL_EINVAL: a tool message that answers no open call, any other message while calls are open, a
 * call id used before; SKILL_ELIMIT; SKILL_ENOMEM. Nothing changed then. */
SKILL_API int skill_conversation_add(SkillConversation *conversation, const SkillMessage *message, SkillError *err);

/* Short for a message of plain text; `length` 0: strlen. Errors as skill_conversation_add. */
SKILL_API int skill_conversation_add_text(SkillConversation *conversation, SkillRole role, const char *text,
                                          size_t length, SkillError *err);

/* Replaces the messages [from, to) by `with` (may be NULL: none). SKILL_EINVAL where it would split a call from its
 * result; SKILL_ENOMEM. Nothing changed then. */
SKILL_API int skill_conversation_replace(SkillConversation *conversation, size_t from, size_t to,
                                         const SkillMessage *with, SkillError *err);

/* How many calls of the last assistant message have no result yet. */
SKILL_API size_t skill_conversation_open_calls(const SkillConversation *conversation);

/* Answers every open call with an error result that says `why`. Returns how many, or SKILL_ENOMEM. */
SKILL_API int skill_conversation_repair(SkillConversation *conversation, const char *why);

/* A deep copy; owned: release with skill_conversation_free. SKILL_ENOMEM. */
SKILL_API int skill_conversation_copy(const SkillConversation *from, SkillConversation **out);

/* The conversation as JSON text: {"version":1,"messages":[…]}; owned: release with skill_free. The same conversation
 * gives the same bytes. SKILL_ENOMEM, SKILL_ELIMIT (more than SKILL_MAX_CONVERSATION). */
SKILL_API int skill_conversation_save(const SkillConversation *conversation, char **text, size_t *length,
                                      SkillError *err);

/* Reads what skill_conversation_save wrote; open calls stay open. SKILL_EPARSE (with line and column), SKILL_EINVAL
 * (JSON that is no valid conversation), SKILL_ELIMIT, SKILL_ENOMEM. */
SKILL_API int skill_conversation_load(const char *text, size_t length, SkillConversation **out, SkillError *err);

SKILL_END

#endif
