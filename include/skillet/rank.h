/* SPDX-License-Identifier: MIT
 *
 * SkillRanker: query -> scored skills, with an explanation.
 *
 * A ranker is an incremental index of skills. Writers (add, remove) belong to one thread; a snapshot taken with
 * skill_ranker_snapshot() is immutable and may be queried by many threads at once. The same index serves the host
 * that pre-activates and the model that calls the search tool.
 */
#ifndef SKILLET_RANK_H
#define SKILLET_RANK_H

#include "skillet/skill.h"

SKILL_BEGIN

typedef struct SkillRanker SkillRanker;
typedef struct SkillRankSnapshot SkillRankSnapshot;

/* Fields that a term can match in. */
#define SKILL_RANK_FIELD_MAP(X)           \
  X(NAME, "name")                         \
  X(TAGS, "tags")                         \
  X(DESCRIPTION, "description")           \
  X(WHEN, "when_to_use")                  \
  X(TOOLS, "tools")                       \
  X(TOOL_TEXT, "tool_descriptions")       \
  X(PARAMS, "parameters")                 \
  X(PARAM_TEXT, "parameter_descriptions") \
  X(BODY, "body")                         \
  X(NOT_WHEN, "when_not_to_use")

typedef enum SkillRankField {
#define SKILL_X(id, name) SKILL_RANK_##id,
  SKILL_RANK_FIELD_MAP(SKILL_X)
#undef SKILL_X
      SKILL_RANK_FIELD_COUNT
} SkillRankField;

#define SKILL_RANK_FIELD_ROOM 16 /* length of arrays with one item for each field; fields may be added up to this */

typedef enum SkillScorer {
  SKILL_SCORER_BM25F = 0, /* the default */
  SKILL_SCORER_ADDITIVE   /* name 2, tag 1, description 0.5, once for each distinct query term */
} SkillScorer;

/* How skills are scored. SKILL_RANKER_OPTIONS_INIT leaves every choice to the ranker. */
typedef struct SkillRankerOptions {
  size_t size; /* sizeof(SkillRankerOptions) */
  SkillScorer scorer;
  double weight[SKILL_RANK_FIELD_ROOM]; /* per field; negative: the scorer's default */
  double b[SKILL_RANK_FIELD_ROOM];      /* length normalisation; negative: the default */
  double k1, k3;                        /* negative: the default */
  double floor;                         /* results below are not returned, 0..1; negative: the default */
  const char *table;                    /* path of the learned table; NULL: look next to the library; "": none */
  bool ignore_body;                     /* do not index bodies */
} SkillRankerOptions;

/* -1 in each of the SKILL_RANK_FIELD_ROOM places. */
#define SKILL_RANK_FIELDS_INIT \
  { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 }

#define SKILL_RANKER_OPTIONS_INIT                                                                                     \
  {                                                                                                                   \
    sizeof(SkillRankerOptions), SKILL_SCORER_BM25F, SKILL_RANK_FIELDS_INIT, SKILL_RANK_FIELDS_INIT, -1, -1, -1, NULL, \
        false                                                                                                         \
  }

/* One query. */
typedef struct SkillQuery {
  size_t size;                                   /* sizeof(SkillQuery) */
  const char *text;                              /* plain words, or the search grammar when `grammar` is set */
  size_t length;                                 /* bytes of `text`; 0: strlen */
  size_t limit;                                  /* most results; 0: 10 */
  size_t offset;                                 /* results to skip */
  double floor;                                  /* overrides the ranker's when > 0; negative: no floor */
  bool grammar;                                  /* "phrase", +required, -excluded, tag:, source:, select:a,b */
  bool explain;                                  /* fill terms */
  bool exhaustive;                               /* score every skill, not candidates; to measure against */
  bool include_unlisted;                         /* also skills without a description */
  bool (*visible)(const char *name, void *user); /* NULL: all; false hides a skill from results and counts */
  void *user;                                    /* passed to `visible` */
} SkillQuery;

#define SKILL_QUERY_INIT \
  { sizeof(SkillQuery), NULL, 0, 0, 0, 0, false, false, false, false, NULL, NULL }

/* What one query term added to one skill's score in one field. */
typedef struct SkillRankTerm {
  const char *term;
  const char *field; /* of SKILL_RANK_FIELD_MAP, or "phrase", "tool", "piece", "table", "dense" */
  double score;
  const void *reserved[2]; /* 0 */
} SkillRankTerm;

typedef struct SkillRankResult {
  const char *name;
  const char *source; /* may be NULL */
  double score;       /* what results are sorted by; comparable within one query */
  double fit;         /* 0..1, comparable between queries and catalogues; the floor applies to it */
  const SkillRankTerm *const *terms;
  size_t term_count;
  const void *reserved[4]; /* 0 */
} SkillRankResult;

/* Ranked results in one block. */
typedef struct SkillRanking {
  const SkillRankResult *const *results; /* best first; ties by name */
  size_t count;
  size_t matched;          /* how many skills passed the floor before limit and offset */
  size_t searched;         /* how many skills were looked at */
  const char *reason;      /* why it is empty, or what was missing; never NULL */
  const char *scorer;      /* "bm25f", "bm25f+table", "additive" */
  const void *reserved[4]; /* 0 */
} SkillRanking;

/* Makes an empty ranker; owned: release with skill_ranker_free. `options` may be NULL. SKILL_ENOMEM, SKILL_EINVAL
 * (weights that are not finite). A learned table that is missing or damaged is not an error: see skill_ranker_note. */
SKILL_API int skill_ranker_new(const SkillRankerOptions *options, SkillRanker **out, SkillError *err);
SKILL_API void skill_ranker_free(SkillRanker *ranker);

/* One sentence on the learned table: which is used, or why none is; borrowed until the ranker is freed. */
SKILL_API const char *skill_ranker_note(const SkillRanker *ranker);

/* Indexes a skill; everything is copied. `body` may be NULL. SKILL_EEXISTS, SKILL_ENOMEM: nothing changed. */
SKILL_API int skill_ranker_add(SkillRanker *ranker, const SkillMetadata *metadata, const char *body, size_t body_length,
                               SkillError *err);

/* Removes a skill. SKILL_ENOENT, SKILL_ENOMEM: nothing changed. */
SKILL_API int skill_ranker_remove(SkillRanker *ranker, const char *name);

/* One of several changes: `remove` (may be NULL) goes, then `metadata` (may be NULL) comes; both: a replacement. */
typedef struct SkillRankChange {
  const char *remove;
  const SkillMetadata *metadata; /* copied, as by skill_ranker_add */
  const char *body;
  size_t body_length;
} SkillRankChange;

/* Makes all changes or, on failure, none: SKILL_ENOENT, SKILL_EEXISTS, SKILL_ENOMEM. What a reload of a whole
 * catalogue needs; cheaper than one at a time. */
SKILL_API int skill_ranker_update(SkillRanker *ranker, const SkillRankChange *changes, size_t count, SkillError *err);

/* Writes the index to one file, in place at once. `stamp` is the caller's word for what was indexed, e.g. a hash of the
 * files' times. SKILL_EIO, SKILL_ENOMEM. */
SKILL_API int skill_ranker_save(SkillRanker *ranker, const char *path, uint64_t stamp, SkillError *err);

/* Opens a saved index by mapping it; the first query is answered within milliseconds. Owned: release with
 * skill_ranker_free. SKILL_ENOENT, SKILL_EDENIED, SKILL_EIO, SKILL_ENOMEM; SKILL_EPARSE: damaged, of another version,
 * other options, another learned table or another stamp: build the index anew. The checksum finds damage and does not
 * resist an attacker. Neither this file nor the learned table may be written to while it is in use; moving another over
 * it is fine, and what skill_ranker_save does. */
SKILL_API int skill_ranker_open(const SkillRankerOptions *options, const char *path, uint64_t stamp, SkillRanker **out,
                                SkillError *err);

/* How many skills it holds. */
SKILL_API size_t skill_ranker_count(const SkillRanker *ranker);

/* An immutable view of the index as it is now; owned: release with skill_rank_snapshot_release. Where nothing changed
 * since the last one it costs nothing. SKILL_ENOMEM. */
SKILL_API int skill_ranker_snapshot(SkillRanker *ranker, SkillRankSnapshot **out);
/* One more owner, and one less; a snapshot may outlive its ranker. Any thread. */
SKILL_API SkillRankSnapshot *skill_rank_snapshot_retain(SkillRankSnapshot *snapshot);
SKILL_API void skill_rank_snapshot_release(SkillRankSnapshot *snapshot);

/* Ranks; owned: release with skill_ranking_free. Any thread. Nothing relevant is not an error: count is 0 and
 * `reason` says why. SKILL_EINVAL (grammar), SKILL_ENOMEM. */
SKILL_API int skill_rank_query(const SkillRankSnapshot *snapshot, const SkillQuery *query, SkillRanking **out,
                               SkillError *err);

/* The same on the ranker's current state, with the same errors; the ranker's thread only. */
SKILL_API int skill_ranker_query(SkillRanker *ranker, const SkillQuery *query, SkillRanking **out, SkillError *err);
SKILL_API void skill_ranking_free(SkillRanking *ranking);

/* Deep copy of a ranking, which may be one of the caller's own making (after fusing or filtering); NULL for `reason`
 * and `scorer` reads as "". Owned: release with skill_ranking_free. SKILL_ENOMEM. */
SKILL_API int skill_ranking_copy(const SkillRanking *ranking, SkillRanking **out);

/* Up to `limit` registered names near `name` (case, separators, small typing errors), best first. `names` receives
 * pointers borrowed from the snapshot. Returns how many. */
SKILL_API size_t skill_rank_suggest(const SkillRankSnapshot *snapshot, const char *name, const char **names,
                                    size_t limit);

SKILL_END

#endif
