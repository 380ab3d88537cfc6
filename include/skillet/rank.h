/* SPDX-License-Identifier: MIT
 *
 * SkillRanker: ranks skills for a query and explains the scores. docs/ranking.md has every formula.
 *
 * A ranker is an index of skills that can be changed at any time. Changes belong to one thread; a snapshot from
 * skill_ranker_snapshot() is immutable and may be queried on several threads at once. A host that activates skills
 * before a request and a model that calls the search tool use the same index.
 */
#ifndef SKILLET_RANK_H
#define SKILLET_RANK_H

#include "skillet/skill.h"

SKILL_BEGIN

typedef struct SkillRanker SkillRanker;
typedef struct SkillRankSnapshot SkillRankSnapshot;

/* Fields that a query term can match. */
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
  SKILL_SCORER_ADDITIVE   /* for each distinct query term: name 2, tags 1, description 0.5 */
} SkillScorer;

/* How skills are scored. SKILL_RANKER_OPTIONS_INIT leaves every choice to the ranker. */
typedef struct SkillRankerOptions {
  size_t size; /* sizeof(SkillRankerOptions) */
  SkillScorer scorer;
  double weight[SKILL_RANK_FIELD_ROOM]; /* by field; negative: the scorer's default */
  double b[SKILL_RANK_FIELD_ROOM];      /* length normalisation by field, 0..1; negative: the default */
  double k1, k3;                        /* negative: the default */
  double floor;                         /* lowest fit of a result, 0..1; negative: the default */
  const char *table;                    /* path of the learned table; NULL: the one next to the library; "": none */
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
  const char *text;                              /* plain words; with `grammar` the search grammar */
  size_t length;                                 /* bytes of `text`; 0: strlen */
  size_t limit;                                  /* maximum number of results; 0: 10 */
  size_t offset;                                 /* number of results to skip */
  double floor;                                  /* replaces the ranker's floor if > 0; negative: no floor */
  bool grammar;                                  /* "phrase", +required, -excluded, tag:, source:, select:a,b */
  bool explain;                                  /* return `terms` */
  bool exhaustive;                               /* score every skill instead of candidates; for measurements */
  bool include_unlisted;                         /* include skills without a description */
  bool (*visible)(const char *name, void *user); /* NULL: all skills; false excludes a skill from results and counts */
  void *user;                                    /* passed to `visible` */
} SkillQuery;

#define SKILL_QUERY_INIT \
  { sizeof(SkillQuery), NULL, 0, 0, 0, 0, false, false, false, false, NULL, NULL }

/* What one query term contributed to the score of a skill through one field. The contributions add up to the score. */
typedef struct SkillRankTerm {
  const char *term;
  const char *field; /* a name of SKILL_RANK_FIELD_MAP, or "phrase", "tool", "piece", "table", "dense" */
  double score;
  const void *reserved[2]; /* 0 */
} SkillRankTerm;

typedef struct SkillRankResult {
  const char *name;
  const char *source; /* may be NULL */
  double score;       /* results are sorted by it; comparable within one query */
  double fit;         /* 0..1; comparable between queries and catalogues; the floor applies to it */
  const SkillRankTerm *const *terms;
  size_t term_count;
  const void *reserved[4]; /* 0 */
} SkillRankResult;

/* The result of a query, in one block. */
typedef struct SkillRanking {
  const SkillRankResult *const *results; /* best first; ties by name */
  size_t count;
  size_t matched;          /* number of skills that pass the floor, before limit and offset */
  size_t searched;         /* number of skills in the index */
  const char *reason;      /* why there is no result, or which words no skill has; never NULL */
  const char *scorer;      /* "bm25f", "bm25f+table", "additive" */
  const void *reserved[4]; /* 0 */
} SkillRanking;

/* Makes an empty ranker. Owned: release with skill_ranker_free. `options` may be NULL. SKILL_ENOMEM, SKILL_EINVAL
 * (size, weights that are not finite). A learned table that is missing or damaged is not an error; skill_ranker_note
 * tells which table is used. */
SKILL_API int skill_ranker_new(const SkillRankerOptions *options, SkillRanker **out, SkillError *err);
SKILL_API void skill_ranker_free(SkillRanker *ranker);

/* Returns one sentence that names the learned table in use, or the reason why none is. Borrowed until the ranker is
 * freed. */
SKILL_API const char *skill_ranker_note(const SkillRanker *ranker);

/* Adds a skill to the index; everything is copied. `body` may be NULL. SKILL_EEXISTS, SKILL_ENOMEM. */
SKILL_API int skill_ranker_add(SkillRanker *ranker, const SkillMetadata *metadata, const char *body, size_t body_length,
                               SkillError *err);

/* Removes a skill. SKILL_ENOENT, SKILL_ENOMEM. */
SKILL_API int skill_ranker_remove(SkillRanker *ranker, const char *name);

/* One change of several: removes `remove`, then adds `metadata`; either may be NULL. The size is constant. */
typedef struct SkillRankChange {
  const char *remove;
  const SkillMetadata *metadata; /* copied, as by skill_ranker_add */
  const char *body;
  size_t body_length;
} SkillRankChange;

/* Makes all changes or, after an error, none. Cheaper than single changes. SKILL_ENOENT, SKILL_EEXISTS,
 * SKILL_ENOMEM. */
SKILL_API int skill_ranker_update(SkillRanker *ranker, const SkillRankChange *changes, size_t count, SkillError *err);

/* Writes the index to one file, which is replaced as a whole. `stamp` is chosen by the caller and identifies what was
 * indexed, for example a hash of the files' times. SKILL_EIO, SKILL_ENOMEM. */
SKILL_API int skill_ranker_save(SkillRanker *ranker, const char *path, uint64_t stamp, SkillError *err);

/* Opens a saved index by mapping the file, so that the first query needs only milliseconds. Owned: release with
 * skill_ranker_free. SKILL_ENOENT, SKILL_EDENIED, SKILL_EIO, SKILL_ENOMEM. SKILL_EPARSE: the file is damaged, or was
 * made by another version, with other options, another learned table or another stamp; build the index again. The
 * checksum detects damage and does not resist an attacker. Do not write to this file or to the learned table while they
 * are in use; replacing them by another file is safe, and is what skill_ranker_save does. */
SKILL_API int skill_ranker_open(const SkillRankerOptions *options, const char *path, uint64_t stamp, SkillRanker **out,
                                SkillError *err);

/* Returns the number of skills in the index. */
SKILL_API size_t skill_ranker_count(const SkillRanker *ranker);

/* Makes an immutable view of the index. Costs nothing if the index has not changed since the last one. Owned: release
 * with skill_rank_snapshot_release. SKILL_ENOMEM. */
SKILL_API int skill_ranker_snapshot(SkillRanker *ranker, SkillRankSnapshot **out);
/* Adds and removes an owner. A snapshot may outlive its ranker. Any thread. */
SKILL_API SkillRankSnapshot *skill_rank_snapshot_retain(SkillRankSnapshot *snapshot);
SKILL_API void skill_rank_snapshot_release(SkillRankSnapshot *snapshot);

/* Ranks the skills of a snapshot. Owned: release with skill_ranking_free. Any thread. A query without results is not an
 * error: `count` is 0, and `reason` gives the reason. SKILL_EINVAL (size, no text, grammar), SKILL_ENOMEM. */
SKILL_API int skill_rank_query(const SkillRankSnapshot *snapshot, const SkillQuery *query, SkillRanking **out,
                               SkillError *err);

/* As skill_rank_query, on the current state of the ranker; on the ranker's thread. */
SKILL_API int skill_ranker_query(SkillRanker *ranker, const SkillQuery *query, SkillRanking **out, SkillError *err);
SKILL_API void skill_ranking_free(SkillRanking *ranking);

/* Makes a deep copy of a ranking, which the caller may have composed of others, for example after filtering. NULL for
 * `reason` and `scorer` becomes "". Owned: release with skill_ranking_free. SKILL_ENOMEM. */
SKILL_API int skill_ranking_copy(const SkillRanking *ranking, SkillRanking **out);

/* Stores up to `limit` names of skills that are similar to `name` (case, separators, small typing errors), best first,
 * and returns their number. Borrowed from the snapshot. */
SKILL_API size_t skill_rank_suggest(const SkillRankSnapshot *snapshot, const char *name, const char **names,
                                    size_t limit);

SKILL_END

#endif
