/* SPDX-License-Identifier: MIT
 *
 * Reads a skill's texts into its fields, as token numbers.
 */
#ifndef SKILL_RANK_INDEX_DOC_FIELDS_H
#define SKILL_RANK_INDEX_DOC_FIELDS_H

#include "rank/index/doc.h"
#include "util/arena.h"

struct skill__ids {
  uint32_t *ids;
  size_t count, capacity;
};

/* Of one tool of several: its stretch of the fields TOOLS, TOOL_TEXT, PARAMS and PARAM_TEXT. */
struct skill__tool_range {
  const char *name; /* borrowed from the metadata */
  uint32_t start[4], end[4];
};

/* How many bytes of a tag, in lower case, are the beginning of one of its tokens, and the token's place in the field.
 */
struct skill__tag_stem {
  uint8_t keep; /* bytes; 0: too few to count */
  uint8_t place;
};
enum { SKILL__TAG_KEEP_LEAST = 3, SKILL__TAG_KEEP_MOST = 31 };

static inline char skill__tag_lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Zero-initialise; one may serve for any number of skills, one after the other, so that its memory is taken once. */
struct skill__index_fields {
  struct skill__ids ids[SKILL_RANK_FIELD_COUNT];
  uint32_t length[SKILL_RANK_FIELD_COUNT];
  struct skill__tool_range *tools;
  size_t tool_count, tool_capacity; /* 0 unless there are several */
  struct skill__tag_stem *tags;     /* one for each of the metadata's */
  size_t tag_capacity;
  struct skill__ids scratch; /* of encoding */
};

/* Reads all fields in place of what was read before. SKILL_ENOMEM. Release with skill__index_fields_fini. */
int skill__index_fields_read(struct skill__index_fields *fields, struct skill__dict *dict,
                             struct skill__analyzer *analyzer, const SkillMetadata *metadata, const char *body,
                             size_t body_length);
void skill__index_fields_fini(struct skill__index_fields *fields);

/* Gives the memory back that one large skill made them take. */
void skill__index_fields_trim(struct skill__index_fields *fields);

#endif
