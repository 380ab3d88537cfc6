/* SPDX-License-Identifier: MIT
 *
 * SkillEmbedder: makes vectors from texts with a model that runs elsewhere. SkillDense: ranks a catalogue with them.
 *
 * This is an optional third signal beside words and the learned table: if an embedding endpoint is configured, its
 * cosines are combined with the lexical ranking. If it fails, the lexical ranking is returned unchanged, with a
 * `degraded` event.
 *
 * Embedders block while the server works. A host with an event loop uses them on another thread. An embedder or a
 * SkillDense belongs to one thread at a time.
 */
#ifndef SKILLET_EMBED_H
#define SKILLET_EMBED_H

#include "skillet/event.h"
#include "skillet/io.h"
#include "skillet/rank.h"

SKILL_BEGIN

#define SKILL_EMBEDDER_VERSION 1
#define SKILL_EMBED_MAX_DIMS 16384 /* numbers of one vector; a reply with more is refused */

typedef struct SkillText {
  const char *text;
  size_t length;
} SkillText;

typedef enum SkillEmbedKind { SKILL_EMBED_SKILL = 0, SKILL_EMBED_QUERY } SkillEmbedKind;

/* One small versioned table of functions. */
typedef struct SkillEmbedder SkillEmbedder;
/* A table of functions. */
struct SkillEmbedder {
  uint32_t version; /* SKILL_EMBEDDER_VERSION */
  const char *name; /* model and address; vectors of embedders with different names are never compared */
  void *impl;
  /* Embeds `count` texts: *vectors receives count x *dims floats, one vector after the other; owned: release with
   * skill_free. After an error there are no vectors. SKILL_EREMOTE, SKILL_ETIMEDOUT, SKILL_EDENIED (the key),
   * SKILL_ENOMEM … */
  int (*embed)(SkillEmbedder *embedder, SkillEmbedKind kind, const SkillText *texts, size_t count, float **vectors,
               size_t *dims, SkillError *err);
  void (*free)(SkillEmbedder *embedder);
};

/* Frees an embedder. NULL is ignored. */
SKILL_API void skill_embedder_free(SkillEmbedder *embedder);

/* --- OpenAI-compatible endpoints -------------------------------------------------------------------------------- */

typedef struct SkillEmbedderOptions {
  size_t size;       /* sizeof(SkillEmbedderOptions) */
  const char *url;   /* of the API, e.g. "http://127.0.0.1:11434/v1"; "/embeddings" is appended if it is missing */
  const char *model; /* e.g. "text-embedding-3-small" */
  const char *key;   /* sent as bearer token; NULL: none */
  const char *skill_prefix; /* prepended to each skill's text, for models that need it ("passage: "); may be NULL */
  const char *query_prefix; /* the same for queries ("query: ") */
  size_t dimensions;        /* requested from the server; 0: the model's default */
  size_t batch;             /* texts in one request; 0: 64 */
  size_t max_text;          /* bytes of a text that are sent; 0: 8,000 */
  int timeout_ms;           /* of one request; 0: 10,000 */
  unsigned attempts;        /* of one request if the server is busy, fails or cannot be reached; 0: 3 */
  int retry_ms;             /* before the second attempt, doubled for each further one; 0: 250 */
} SkillEmbedderOptions;

#define SKILL_EMBEDDER_OPTIONS_INIT \
  { sizeof(SkillEmbedderOptions), NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0 }

/* An embedder over POST url/embeddings; options are copied. Nothing is sent yet. Owned: release with
 * skill_embedder_free. SKILL_EINVAL (no url or model, a protocol other than http or https), SKILL_ENOMEM.
 *
 * A batch that is too large for the server (400, 413) is halved and sent again. A reply with too few vectors, vectors
 * of different lengths or values that are not finite numbers is SKILL_EREMOTE. */
SKILL_API int skill_embedder_openai(const SkillEmbedderOptions *options, SkillEmbedder **out, SkillError *err);

/* --- cache on disk ---------------------------------------------------------------------------------------------- */

/* Wraps an embedder so that the vectors of skills are stored in one file below `folder`, by a hash of their text, and
 * requested once. Each number is rounded to a byte, which changes cosines by less than 0.01. A damaged file is made
 * again; a file that cannot be written only costs time. `io` NULL: skill_io_posix(). `inner` is taken on success.
 * SKILL_ENOMEM. */
SKILL_API int skill_embedder_cache(SkillEmbedder *inner, SkillIo *io, const char *folder, SkillEmbedder **out,
                                   SkillError *err);

/* --- a catalogue ------------------------------------------------------------------------------------------------ */

typedef struct SkillDenseOptions {
  size_t size;           /* sizeof(SkillDenseOptions) */
  double weight;         /* of the vectors relative to the lexical ranking; 0: 1 */
  int64_t pause_ms;      /* how long the embedder is not used after a failure; 0: 30 s, negative: no pause */
  SkillEventCb on_event; /* SKILL_EVENT_DEGRADED if the embedder fails; may be NULL */
  void *user;
  SkillIo *io; /* clock of the events; NULL: skill_io_posix() */
} SkillDenseOptions;

#define SKILL_DENSE_OPTIONS_INIT \
  { sizeof(SkillDenseOptions), 0, 0, NULL, NULL, NULL }

typedef struct SkillDense SkillDense;

/* Makes an empty set of vectors. `embedder` is borrowed and must outlive it; `options` may be NULL. Owned: release with
 * skill_dense_free. SKILL_ENOMEM, SKILL_EINVAL. */
SKILL_API int skill_dense_new(SkillEmbedder *embedder, const SkillDenseOptions *options, SkillDense **out,
                              SkillError *err);
SKILL_API void skill_dense_free(SkillDense *dense);

/* Adds a skill, which is copied: its text consists of name, description, when to use it, and tools. Nothing is sent
 * before skill_dense_sync() or the next ranking. SKILL_EEXISTS, SKILL_ENOMEM. */
SKILL_API int skill_dense_add(SkillDense *dense, const SkillMetadata *metadata, SkillError *err);
/* Removes a skill. SKILL_ENOENT. */
SKILL_API int skill_dense_remove(SkillDense *dense, const char *name);

/* Embeds the skills that were added since the last call. After an error (of the embedder; SKILL_EREMOTE if its vectors
 * change their length; SKILL_ENOMEM) the completed part is kept, and the next call continues from there. */
SKILL_API int skill_dense_sync(SkillDense *dense, SkillError *err);

/* Ranks with words, table and vectors: the ranking of `snapshot` combined with the cosines. A query with operators of
 * the search grammar returns only skills that the snapshot finds. A skill's `fit` is the greater of the snapshot's fit
 * and the distance of its cosine from the mean, where 12 standard deviations are 1. If the embedder fails, the
 * snapshot's own ranking is returned with status 0, and a `degraded` event is emitted. `scorer` ends in "+dense" if
 * vectors were used. Owned: release with skill_ranking_free. Errors as skill_rank_query. */
SKILL_API int skill_dense_rank(SkillDense *dense, const SkillRankSnapshot *snapshot, const SkillQuery *query,
                               SkillRanking **out, SkillError *err);

SKILL_END

#endif
