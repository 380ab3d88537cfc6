/* SPDX-License-Identifier: MIT
 *
 * The context compiler: makes the messages of one request from instructions, skills, history and a token budget.
 *
 * Compiling is a pure function: equal input gives equal bytes. What the user requested is kept first. History is
 * removed in steps, so that the beginning of the request stays the same for several turns and a provider's cache can
 * be used. Calls and their results stay together. Omissions are stated in the context and in the result.
 */
#ifndef SKILLET_CONTEXT_H
#define SKILLET_CONTEXT_H

#include "skillet/loader.h"
#include "skillet/message.h"
#include "skillet/tokens.h"

SKILL_BEGIN

/* --- the budget ------------------------------------------------------------------------------------------------ */

/* One claim on a budget of tokens. */
typedef struct SkillShare {
  size_t want;       /* all that it can use */
  size_t least;      /* it gets at least so much, or nothing */
  unsigned priority; /* 0 is served first */
} SkillShare;

/* Divides `budget` by classes, priority 0 first. Within a class each share first gets its `least`, in order of the
 * array, and then the remainder raises them to their `want` in the same order; the next class gets what is left.
 * given[i] <= want[i]; the sum never exceeds the budget; given[i] is 0 or at least min(least, want); no class takes
 * from an earlier one. Returns the sum. `given` has room for `count` items. */
SKILL_API size_t skill_budget_allocate(const SkillShare *shares, size_t count, size_t budget, size_t *given);

/* --- compiling ------------------------------------------------------------------------------------------------- */

/* The whole body of an always-mode skill. */
typedef struct SkillAlways {
  const char *name;
  const char *text;
  size_t length;
} SkillAlways;

/* Messages of the conversation are classified by SkillMessage.origin:
 *   NULL             written by the user, the model or a tool
 *   "mention:NAME"   a file or skill that the user named explicitly: kept longer than anything unrequested
 *   "passages"       retrieved without a request: removed first
 *   "skill:NAME"     the body of an opened skill
 *   "tools:NAME"     descriptions of an active skill's tools, if the tool list does not contain them
 *   "summary"        replaces earlier messages */
typedef struct SkillContextInput {
  size_t size;               /* sizeof(SkillContextInput) */
  const char *system;        /* system text; may be NULL */
  const SkillAlways *always; /* bodies for the system message */
  size_t always_count;
  const char *listing;             /* the <available_skills> block; may be NULL or "" */
  SkillConversation *conversation; /* borrowed; token counts are stored in it */
  const SkillTool *tools;          /* that go with the request; only their tokens matter */
  size_t tool_count;
  size_t tool_tokens;        /* their tokens, if known; 0: count them */
  SkillTokenizer *tokenizer; /* NULL: the estimate */
  size_t budget;             /* tokens of the whole request including tools; 0: no limit */
} SkillContextInput;

#define SKILL_CONTEXT_INPUT_INIT \
  { sizeof(SkillContextInput), NULL, NULL, 0, NULL, NULL, NULL, 0, 0, NULL, 0 }

/* The messages of one request, and what was omitted. Texts that are not shortened are borrowed from the input, so the
 * result is valid until the conversation changes. */
typedef struct SkillCompiled {
  const SkillMessage *messages;
  size_t count;
  size_t tokens;        /* of all messages and tools; at most the budget */
  size_t system_tokens; /* of the system message */
  size_t tool_tokens;
  size_t omitted;             /* number of messages that are left out */
  size_t omitted_tokens;      /* their tokens */
  size_t shortened;           /* number of messages that are included in part */
  const char *const *dropped; /* names of the mentions and skills whose text is left out, in order */
  size_t dropped_count;
} SkillCompiled;

/* Compiles. Owned: release with skill_compiled_free. SKILL_ELIMIT: the system text, the tools and the last request
 * alone exceed the budget (the message says by how much); SKILL_EINVAL, SKILL_ENOMEM. */
SKILL_API int skill_context_compile(const SkillContextInput *input, SkillCompiled **out, SkillError *err);
SKILL_API void skill_compiled_free(SkillCompiled *compiled);

/* Selects the passages of `text` that match `query` best, in their order, within `tokens`, with a note on what is left
 * out. `name` is for the note and may be NULL. Owned: release with skill_free. SKILL_ENOMEM. */
SKILL_API int skill_context_passages(const char *text, size_t length, const char *name, const char *query,
                                     SkillTokenizer *tokenizer, size_t tokens, char **out, size_t *out_length,
                                     SkillError *err);

/* --- compaction ------------------------------------------------------------------------------------------------ */

typedef struct SkillCompactOptions {
  size_t size;                    /* sizeof(SkillCompactOptions) */
  size_t keep_tokens;             /* of the newest messages, which are kept; 0: 4,000 */
  size_t body_tokens;             /* of one skill's body; 0: 5,000 */
  size_t bodies_tokens;           /* of all bodies; 0: 25,000 */
  const char *summary;            /* of the removed messages; NULL: a list of the requests and the calls */
  SkillTokenizer *tokenizer;      /* NULL: the estimate */
  ProgressiveSkillLoader *loader; /* its body states are updated; may be NULL */
  SkillEventCb on_event;          /* `compacted`: one for each removed body, and one for the whole; may be NULL */
  void *user;
} SkillCompactOptions;

#define SKILL_COMPACT_OPTIONS_INIT \
  { sizeof(SkillCompactOptions), 0, 0, 0, NULL, NULL, NULL, NULL, NULL }

/* Replaces the older part of a conversation by a summary, and keeps the latest body of each opened skill, newest first,
 * within the two limits. `removed` (may be NULL) receives the number of removed messages, 0 if there was nothing to
 * compact. SKILL_EBUSY: calls are open. SKILL_EINVAL, SKILL_ENOMEM. */
SKILL_API int skill_context_compact(SkillConversation *conversation, const SkillCompactOptions *options,
                                    size_t *removed, SkillError *err);

SKILL_END

#endif
