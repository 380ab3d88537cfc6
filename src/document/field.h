/* SPDX-License-Identifier: MIT
 *
 * The keys of front matter that are known, and how each is read.
 *
 * Keys are compared folded (lower case without hyphens, underscores and blanks), so that allowed-tools, allowed_tools
 * and allowedTools are one key.
 */
#ifndef SKILL_DOCUMENT_FIELD_H
#define SKILL_DOCUMENT_FIELD_H

#include <stdbool.h>
#include <stddef.h>

enum skill__field_kind { TEXT, HINT, PHRASES, WORDS, FLAG, NOT_FLAG, MODE, CONTEXT, TOOLS, METADATA };

struct skill__field {
  const char *key;    /* the usual spelling */
  const char *folded; /* what is compared; several rows may share a key */
  enum skill__field_kind kind;
  size_t offset; /* in SkillMetadata */
};

enum { SKILL__FIELD_COUNT = 28 };
extern const struct skill__field skill__field_table[SKILL__FIELD_COUNT];

/* The row of a key as it is written, or NULL. */
const struct skill__field *skill__field_find(const char *key);
/* The usual spelling of the known key that differs from `key` by one typing error; NULL: none. */
const char *skill__field_meant(const char *key);
/* Whether the key has its usual spelling; hyphens and underscores are equal. */
bool skill__field_usual(const struct skill__field *field, const char *key);
/* Whether the public specification has it. */
bool skill__field_specified(const struct skill__field *field);

#endif
