/* SPDX-License-Identifier: MIT
 *
 * Counting model tokens: exactly where a vocabulary file is there, else by a calibrated estimate that says it is one.
 */
#ifndef SKILLET_TOKENS_H
#define SKILLET_TOKENS_H

#include "skillet/error.h"
#include "skillet/skill.h"

SKILL_BEGIN

#define SKILL_TOKENIZER_VERSION 1

/* A tokenizer; a host may bring its own. `count` may be called from many threads when `threadsafe` is set. */
typedef struct SkillTokenizer SkillTokenizer;
struct SkillTokenizer {
  uint32_t version; /* SKILL_TOKENIZER_VERSION */
  const char *name; /* "o200k_base", "cl100k_base", "estimate" … */
  bool exact;       /* false: figures carry a "~" */
  bool threadsafe;
  void *impl;
  size_t (*count)(SkillTokenizer *tokenizer, const char *text, size_t length);
  /* Writes up to `room` ids and returns how many the whole text has; NULL where the tokenizer can only count. */
  size_t (*encode)(SkillTokenizer *tokenizer, const char *text, size_t length, uint32_t *ids, size_t room);
  void (*free)(SkillTokenizer *tokenizer);
};

/* Opens the packed vocabulary `name` ("o200k_base", "cl100k_base"), found in `folder`, or where that is NULL in
 * $SKILLET_DATA, next to the library and in the install's data folder. Owned: release with skill_tokenizer_free.
 * SKILL_ENOENT: no file (use the estimate); SKILL_EPARSE: damaged or of another version; SKILL_ENOMEM. */
SKILL_API int skill_tokenizer_open(const char *name, const char *folder, SkillTokenizer **out, SkillError *err);

/* The estimate; static, never NULL, any thread. */
SKILL_API SkillTokenizer *skill_tokenizer_estimate(void);

/* Frees through the table; the estimate is left alone. */
SKILL_API void skill_tokenizer_free(SkillTokenizer *tokenizer);

/* Counts; the convenience over the table. NULL tokenizer: the estimate. */
SKILL_API size_t skill_tokens_count(SkillTokenizer *tokenizer, const char *text, size_t length);

/* What one tool costs: the compact JSON {"name","description","input_schema"}. NULL tokenizer: the estimate. */
SKILL_API size_t skill_tokens_tool(SkillTokenizer *tokenizer, const SkillTool *tool);

SKILL_END

#endif
