/* SPDX-License-Identifier: MIT
 *
 * One skill as the index keeps it: its name and source as they are, its tags in lower case, and each field as the
 * sequence of its tokens' numbers. From it everything else is computed: postings, vectors, exact scores, explanations.
 *
 * A skill with several tools keeps each of them apart, and its own tool fields are read from there.
 */
#ifndef SKILL_RANK_INDEX_DOC_H
#define SKILL_RANK_INDEX_DOC_H

#include "rank/index/dict.h"
#include "rank/index/varint.h"
#include "rank/text/analyze.h"
#include "skillet/rank.h"

enum {
  SKILL__DOC_UNLISTED = 1, /* neither listed nor ranked, unless the query includes unlisted ones */
  SKILL__DOC_MAX_TOOLS = 4096,
  SKILL__DOC_MAX_TOKENS = 1 << 16 /* of one field; the rest is not indexed */
};

/* A field: `count` numbers at `ids`. The body's are pairs of (number - last number, frequency), ascending. */
struct skill__span {
  const uint8_t *ids;
  uint32_t count;
};

/* The numbers of a field, some at a time:
 *
 *   for (struct skill__run run = skill__run_of(span); skill__run_next(&run);) … run.ids[0 .. run.count)
 *
 * Not for the body's. SKILL__VARINT_SLACK bytes may be read behind the span. */
struct skill__run {
  const uint8_t *at;
  uint32_t left, count;
  uint32_t ids[64];
};

static inline struct skill__run skill__run_of(const struct skill__span *span) {
  struct skill__run run;
  run.at = span->ids;
  run.left = span->count;
  run.count = 0;
  return run;
}

static inline bool skill__run_next(struct skill__run *run) {
  uint32_t most = sizeof run->ids / sizeof *run->ids;
  run->count = run->left < most ? run->left : most;
  run->left -= run->count;
  run->at = skill__varint_run(run->at, run->ids, run->count);
  return run->count > 0;
}

/* The parts of one tool of several. */
struct skill__doc_tool {
  const char *name;
  struct skill__span field[SKILL_RANK_FIELD_COUNT]; /* NAME, DESCRIPTION, PARAMS and PARAM_TEXT */
};

/* A skill, decoded; everything points into the encoded form. */
struct skill__doc {
  unsigned flags;
  const char *name;
  const char *source;                               /* or NULL */
  uint32_t length[SKILL_RANK_FIELD_COUNT];          /* in tokens, of the tools too */
  struct skill__span field[SKILL_RANK_FIELD_COUNT]; /* TOOLS … PARAM_TEXT are empty if there are several tools */
  uint32_t body_distinct;
  uint32_t tool_count;  /* 0 unless there are several */
  const uint8_t *tools; /* the tools, then the tags, which only skill__doc_has_tag reads */
};

struct skill__index_fields;

/* Appends the encoded skill. `body` may be NULL, `fields` is scratch. SKILL_ENOMEM: the buffer's length is as it was.
 */
int skill__doc_encode(struct skill__buf *buf, struct skill__dict *dict, struct skill__analyzer *analyzer,
                      struct skill__index_fields *fields, const SkillMetadata *metadata, const char *body,
                      size_t body_length);

/* Puts SKILL__VARINT_SLACK zeros behind the encoded skills, beyond the buffer's length, because readers of numbers read
 * ahead. skill__doc_encode does it. SKILL_ENOMEM, SKILL_ELIMIT: nothing changed. */
int skill__doc_slack(struct skill__buf *buf);

/* SKILL__VARINT_SLACK bytes may be read behind the skill. */
void skill__doc_decode(const uint8_t *at, struct skill__doc *doc);

/* The name alone; terminated, its length is known without decoding the rest. */
const char *skill__doc_name(const uint8_t *at, size_t *length);

/* Reads the next tool at *at (start with doc->tools). */
void skill__doc_next_tool(const uint8_t **at, struct skill__doc_tool *tool);

/* Whether one of its tags is `text`, upper and lower case being the same; `dict` is the one it was encoded with. */
bool skill__doc_has_tag(const struct skill__doc *doc, const struct skill__dict *dict, const char *text, size_t length);

/* Hash of a name for look-ups that ignore case and take blanks, `-`, `_`, `.`, `:` and `/` for the same. */
uint32_t skill__name_hash(const char *name, size_t length);
bool skill__name_same(const char *a, size_t a_length, const char *b, size_t b_length);

/* Whether `name` begins with `prefix` in that sense. */
bool skill__name_begins(const char *name, size_t length, const char *prefix, size_t prefix_length);

#endif
