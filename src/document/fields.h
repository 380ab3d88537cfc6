/* SPDX-License-Identifier: MIT
 *
 * From a value tree to SkillMetadata: spellings of keys, conversions, lists, typed tools, and keys without a field.
 */
#ifndef SKILL_DOCUMENT_FIELDS_H
#define SKILL_DOCUMENT_FIELDS_H

#include "document/diagnostic.h"
#include "document/field.h"
#include "document/value.h"

enum {
  SKILL__TOOLS_MAX = 256, /* typed tools of one skill; the others are ignored, with a finding */
  SKILL__LIST_MAX = 4096  /* items of one list; the others are ignored */
};

/* Position of a value; zero: it is missing. */
struct skill__place {
  unsigned line, column;
};

struct skill__fields {
  struct skill__arena *arena;
  struct skill__findings *findings;
  SkillMetadata *metadata;
  SkillField *extra; /* owned by the caller: skill__free; metadata->extra points to it */
  size_t extra_room;
  bool named;                                     /* the front matter gave a usable name */
  bool described;                                 /* … a description */
  struct skill__place places[SKILL__FIELD_COUNT]; /* of the values, in the order of skill__field_table */
};

/* The position of a field's value; `key` is a known one. */
static inline struct skill__place skill__fields_place(const struct skill__fields *fields, const char *key) {
  return fields->places[skill__field_find(key) - skill__field_table];
}

/* Fills metadata from a mapping. 0 or SKILL_ENOMEM. */
int skill__fields_read(struct skill__fields *fields, const struct skill__value *root);

/* Whether the entry `tools:` is a list of mappings; then skill__fields_tools reads it into metadata->tools. */
bool skill__fields_are_tools(const struct skill__value *value);
int skill__fields_tools(struct skill__fields *fields, const struct skill__value *value);

/* A value as one text: scalars as written and trimmed, lists joined with ", ". NULL: out of memory. */
const char *skill__fields_text(struct skill__fields *fields, const struct skill__value *value);

/* Appends it as it is, lists joined. */
void skill__fields_join(struct skill__buf *buf, const struct skill__value *value);

/* The usual spelling of a key that is known under another one; NULL: unknown, or spelled as usual. Static. */
const char *skill__fields_usual(const char *key);
/* Whether the entry is a text whose plain scalar other readers of YAML take for a number, date or boolean. */
bool skill__fields_misread(const char *key, const struct skill__value *value);

/* How a text splits into a list. */
enum skill__split { SKILL__SPLIT_PHRASES /* commas, semicolons, line ends */, SKILL__SPLIT_WORDS /* blanks too */ };
/* Separators inside brackets or quotes do not split. 0 or SKILL_ENOMEM. */
int skill__fields_split(struct skill__arena *arena, const char *text, enum skill__split split, SkillStrings *out);

#endif
