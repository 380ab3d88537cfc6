/* SPDX-License-Identifier: MIT
 *
 * Counts model tokens: exactly with a vocabulary file, otherwise by a calibrated estimate that is marked as such.
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
  bool exact;       /* false: figures are shown with "~" */
  bool threadsafe;
  void *impl;
  size_t (*count)(SkillTokenizer *tokenizer, const char *text, size_t length);
  /* Writes up to `room` ids and returns how many the whole text has. NULL: the tokenizer can only count. */
  size_t (*encode)(SkillTokenizer *tokenizer, const char *text, size_t length, uint32_t *ids, size_t room);
  void (*free)(SkillTokenizer *tokenizer);
};

/* Opens the packed vocabulary `name` ("o200k_base", "cl100k_base") in `folder`, or, if that is NULL, in $SKILLET_DATA,
 * next to the library, or in the data folder of the installation. Owned: release with skill_tokenizer_free.
 * SKILL_ENOENT: there is no file (use the estimate). SKILL_EPARSE: damaged, or of another version. SKILL_ENOMEM. */
SKILL_API int skill_tokenizer_open(const char *name, const char *folder, SkillTokenizer **out, SkillError *err);

/* Returns the estimate; static, never NULL, any thread. */
SKILL_API SkillTokenizer *skill_tokenizer_estimate(void);

/* Frees a tokenizer. The estimate and NULL are ignored. */
SKILL_API void skill_tokenizer_free(SkillTokenizer *tokenizer);

/* Counts the tokens of a text. NULL tokenizer: the estimate. */
SKILL_API size_t skill_tokens_count(SkillTokenizer *tokenizer, const char *text, size_t length);

/* Counts the tokens of a tool as compact JSON: {"name","description","input_schema"}. NULL tokenizer: the estimate. */
SKILL_API size_t skill_tokens_tool(SkillTokenizer *tokenizer, const SkillTool *tool);

SKILL_END

#endif
