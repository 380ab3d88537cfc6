/* SPDX-License-Identifier: MIT
 *
 * The context compiler: instructions, skills, history and a token budget -> the exact messages of one request.
 *
 * It is a pure function: the same input gives the same bytes. What was asked for is kept first; history slides in
 * steps, so that the beginning of a request stays the same for several turns and a provider's cache can be read; calls
 * and results stay together; what is left out is said in the context itself and in the report.
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
  size_t want;       /* all that it could use */
  size_t least;      /* below this it is useless: it gets at least so much, or nothing */
  unsigned priority; /* 0 is served first */
} SkillShare;

/* Divides `budget` class by class, priority 0 first. Within a class each share gets its `least` in order of the array,
 * as far as the budget goes, then what remains raises them to their `want` in the same order; only then comes the next
 * class. given[i] <= want[i], the sum never exceeds the budget, given[i] is 0 or at least min(least, want), and no
 * claim of a class takes from one of a class before it. Returns the sum. `given` has room for `count`. */
SKILL_API size_t skill_budget_allocate(const SkillShare *shares, size_t count, size_t budget, size_t *given);

/* --- compiling ------------------------------------------------------------------------------------------------- */

/* The whole body of an always-mode skill. */
typedef struct SkillAlways {
  const char *name;
  const char *text;
  size_t length;
} SkillAlways;

/* How messages of the conversation are told apart, by SkillMessage.origin:
 *   NULL             it was said
 *   "mention:NAME"   a file or skill that the user named explicitly: kept above all that was not asked for
 *   "passages"       retrieved without being asked for: the first to go
 *   "skill:NAME"     the body of an opened skill
 *   "tools:NAME"     descriptions of an active skill's tools, where the tool list does not hold them
 *   "summary"        what stands for earlier messages */
typedef struct SkillContextInput {
  size_t size;               /* sizeof(SkillContextInput) */
  const char *system;        /* system text; may be NULL */
  const SkillAlways *always; /* bodies for the system message */
  size_t always_count;
  const char *listing;             /* the <available_skills> block; may be NULL or "" */
  SkillConversation *conversation; /* borrowed; counted tokens are kept in it */
  const SkillTool *tools;          /* that go with the request; only their cost matters here */
  size_t tool_count;
  size_t tool_tokens;        /* their cost where it is known; 0: count */
  SkillTokenizer *tokenizer; /* NULL: the estimate */
  size_t budget;             /* tokens of the whole request with its tools; 0: no bound */
} SkillContextInput;

#define SKILL_CONTEXT_INPUT_INIT \
  { sizeof(SkillContextInput), NULL, NULL, 0, NULL, NULL, NULL, 0, 0, NULL, 0 }

/* One request's messages and what became of the rest. Texts are borrowed from the input where they are whole: it is
 * valid until the conversation changes. */
typedef struct SkillCompiled {
  const SkillMessage *messages;
  size_t count;
  size_t tokens;        /* of all messages and tools; at most the budget */
  size_t system_tokens; /* of the system message */
  size_t tool_tokens;
  size_t omitted;             /* messages of the conversation that are left out */
  size_t omitted_tokens;      /* what they would have cost */
  size_t shortened;           /* messages that are there in part */
  const char *const *dropped; /* names of mentions and skills whose text is left out, in order */
  size_t dropped_count;
} SkillCompiled;

/* Compiles. Owned: release with skill_compiled_free. SKILL_ELIMIT: the system text, the tools and the last request
 * alone exceed the budget (the message says by how much); SKILL_EINVAL, SKILL_ENOMEM. */
SKILL_API int skill_context_compile(const SkillContextInput *input, SkillCompiled **out, SkillError *err);
SKILL_API void skill_compiled_free(SkillCompiled *compiled);

/* The passages of `text` that fit `query` best, in their order, within `tokens`, with a note on what is left out.
 * Owned: release with skill_free. `name` is for the note, may be NULL. SKILL_ENOMEM. */
SKILL_API int skill_context_passages(const char *text, size_t length, const char *name, const char *query,
                                     SkillTokenizer *tokenizer, size_t tokens, char **out, size_t *out_length,
                                     SkillError *err);

/* --- compaction ------------------------------------------------------------------------------------------------ */

typedef struct SkillCompactOptions {
  size_t size;                    /* sizeof(SkillCompactOptions) */
  size_t keep_tokens;             /* the newest messages of this many tokens stay as they are; 0: 4,000 */
  size_t body_tokens;             /* of one skill's body; 0: 5,000 */
  size_t bodies_tokens;           /* of all bodies; 0: 25,000 */
  const char *summary;            /* of what goes; NULL: a digest made of the requests and the calls */
  SkillTokenizer *tokenizer;      /* NULL: the estimate */
  ProgressiveSkillLoader *loader; /* told which bodies stay and which went; may be NULL */
  SkillEventCb on_event;          /* `compacted`, one for each skill whose body went and one for the whole; NULL */
  void *user;
} SkillCompactOptions;

#define SKILL_COMPACT_OPTIONS_INIT \
  { sizeof(SkillCompactOptions), 0, 0, 0, NULL, NULL, NULL, NULL, NULL }

/* Replaces the older part of a conversation by a summary, and keeps the latest body of each opened skill, newest
 * first, within the two limits. `removed` (may be NULL) receives the number of messages that went; 0 where there was
 * nothing to compact. On failure the conversation is as it was. SKILL_EBUSY: calls are open. */
SKILL_API int skill_context_compact(SkillConversation *conversation, const SkillCompactOptions *options,
                                    size_t *removed, SkillError *err);

SKILL_END

#endif
