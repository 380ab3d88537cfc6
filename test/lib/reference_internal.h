/* SPDX-License-Identifier: MIT
 *
 * What the two files of the reference share.
 */
#ifndef TEST_LIB_REFERENCE_INTERNAL_H
#define TEST_LIB_REFERENCE_INTERNAL_H

#include "lib/reference.h"
#include "rank/text/analyze.h"
#include "util/hash.h"

enum { FIELDS = SKILL_RANK_FIELD_COUNT, DIMS = SKILL__TERMS_MAX_DIMS, PIECES = 16, TERMS = 1024, VECTOR_TOKENS = 4096 };
#define BREAK UINT32_MAX /* in a field: the next token belongs to another tool */

#define NAME SKILL_RANK_NAME
#define TAGS SKILL_RANK_TAGS
#define BODY SKILL_RANK_BODY
#define NOT_WHEN SKILL_RANK_NOT_WHEN

struct token {
  UT_hash_handle hh;
  uint32_t id;
  double df, tdf, idf, tool_idf, rarity;
  size_t seen; /* when it was counted last */
  bool single;
  struct skill__term term;
  char text[SKILL__TOKEN_MAX + 1];
};

struct field {
  uint32_t *ids;
  size_t count;
  double length;
};

struct vector {
  int8_t values[DIMS];
  double unit;
};

struct document {
  struct field field[FIELDS];
  struct vector vector;
};

struct skill {
  const SkillMetadata *metadata;
  struct document whole, *tools;
  size_t tool_count; /* 0 unless there are several */
};

struct view {
  uint32_t *terms;
  double *q, *plain;
  size_t count;
  struct vector vector;
};

struct reference {
  const struct skill__terms *terms;
  bool additive;
  struct skill__analyzer *analyzer;
  struct token *by_text, **tokens;
  size_t token_count, stamp;
  struct skill *skills;
  size_t skill_count;
  double tools, groups, mean[FIELDS], tool_mean[FIELDS];
  /* the query */
  struct field query;
  size_t query_terms;
  struct view views[1 + PIECES];
  size_t view_count;
  double known, told, ceiling;
};

extern const double reference_weight[FIELDS];

/* The fields of a tool. */
enum { TOOL_FIELDS = 4 };
extern const SkillRankField reference_tool_fields[TOOL_FIELDS];

struct reading {
  struct reference *r;
  struct field *into;
};

/* A skill__token_fn: appends the token to the field; `user` is a struct reading. */
int reference_token(void *user, const char *text, size_t length, unsigned flags);

void reference_free_query(struct reference *r);

#endif
