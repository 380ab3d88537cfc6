/* SPDX-License-Identifier: MIT
 *
 * SkillEmbedder: texts -> vectors by a model that runs elsewhere, and SkillDense: a catalogue ranked with them.
 *
 * This is the optional third signal beside words and the learned table: where an embedding endpoint is configured its
 * cosines are fused with the lexical ranking. Where it fails, the lexical ranking is returned as it is and a `degraded`
 * event says so; nothing else breaks.
 *
 * Embedders block while the server works. A host with an event loop uses them on a thread of its own; an embedder or a
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
struct SkillEmbedder {
  uint32_t version; /* SKILL_EMBEDDER_VERSION */
  const char *name; /* model and place; vectors of embedders of different names are never compared */
  void *impl;
  /* Embeds `count` texts: *vectors receives count x *dims floats, one vector after the other; owned: release with
   * skill_free. All or nothing. SKILL_EREMOTE, SKILL_ETIMEDOUT, SKILL_EDENIED (the key), SKILL_ENOMEM … */
  int (*embed)(SkillEmbedder *embedder, SkillEmbedKind kind, const SkillText *texts, size_t count, float **vectors,
               size_t *dims, SkillError *err);
  void (*free)(SkillEmbedder *embedder);
};

/* Frees through the table; NULL is ignored. */
SKILL_API void skill_embedder_free(SkillEmbedder *embedder);

/* --- OpenAI-compatible endpoints -------------------------------------------------------------------------------- */

typedef struct SkillEmbedderOptions {
  size_t size;       /* sizeof(SkillEmbedderOptions) */
  const char *url;   /* of the API, e.g. "http://127.0.0.1:11434/v1"; "/embeddings" is added unless it is there */
  const char *model; /* e.g. "text-embedding-3-small" */
  const char *key;   /* sent as bearer token; NULL: none */
  const char *skill_prefix; /* put before each skill's text, where the model wants one ("passage: "); may be NULL */
  const char *query_prefix; /* the same for queries ("query: ") */
  size_t dimensions;        /* asked of the server; 0: the model's own */
  size_t batch;             /* texts in one request; 0: 64 */
  size_t max_text;          /* bytes of one text that are sent; 0: 8000 */
  int timeout_ms;           /* of one request; 0: 10,000 */
  unsigned attempts;        /* of one request when the server is busy, fails or cannot be reached; 0: 3 */
  int retry_ms;             /* wait before the second attempt, doubled for each further one; 0: 250 */
} SkillEmbedderOptions;

#define SKILL_EMBEDDER_OPTIONS_INIT \
  { sizeof(SkillEmbedderOptions), NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0 }

/* An embedder over POST url/embeddings; options are copied. Nothing is sent yet. Owned: release with
 * skill_embedder_free. SKILL_EINVAL (no url or model, another protocol than http or https), SKILL_ENOMEM.
 *
 * A batch that the server finds too large (400, 413) is halved and sent again. Replies that are not what was asked for
 * (too few vectors, different lengths, numbers that are none) give SKILL_EREMOTE. */
SKILL_API int skill_embedder_openai(const SkillEmbedderOptions *options, SkillEmbedder **out, SkillError *err);

/* --- cache on disk ---------------------------------------------------------------------------------------------- */

/* Wraps an embedder so that the vectors of skills are kept in one file below `folder`, found again by a hash of their
 * text, and asked for once. Numbers are rounded to a byte each (cosines change by less than 0.01). A damaged file is
 * dropped and made anew; one that cannot be written costs time and nothing else. `io` NULL: skill_io_posix().
 * `inner` is taken on success. SKILL_ENOMEM. */
SKILL_API int skill_embedder_cache(SkillEmbedder *inner, SkillIo *io, const char *folder, SkillEmbedder **out,
                                   SkillError *err);

/* --- a catalogue ------------------------------------------------------------------------------------------------ */

typedef enum SkillFusion {
  SKILL_FUSION_SCORES = 0, /* standardised scores added: keeps how clearly either side prefers a skill */
  SKILL_FUSION_RRF         /* reciprocal ranks, k = 60: knows only the order */
} SkillFusion;

typedef struct SkillDenseOptions {
  size_t size; /* sizeof(SkillDenseOptions) */
  SkillFusion fusion;
  double weight;         /* of the vectors against the lexical ranking; 0: 1 */
  int64_t pause_ms;      /* after a failure the embedder is left alone this long; 0: 30 s, negative: not at all */
  SkillEventCb on_event; /* SKILL_EVENT_DEGRADED where the embedder fails; may be NULL */
  void *user;
  SkillIo *io; /* clock of the events; NULL: skill_io_posix() */
} SkillDenseOptions;

#define SKILL_DENSE_OPTIONS_INIT \
  { sizeof(SkillDenseOptions), SKILL_FUSION_SCORES, 0, 0, NULL, NULL, NULL }

typedef struct SkillDense SkillDense;

/* Makes an empty set of vectors. `embedder` is borrowed and must outlive it; `options` may be NULL. Owned: release with
 * skill_dense_free. SKILL_ENOMEM, SKILL_EINVAL. */
SKILL_API int skill_dense_new(SkillEmbedder *embedder, const SkillDenseOptions *options, SkillDense **out,
                              SkillError *err);
SKILL_API void skill_dense_free(SkillDense *dense);

/* Adds a skill: name, description, when to use it and its tools make the text. Copied; nothing is sent until
 * skill_dense_sync() or the next ranking. SKILL_EEXISTS, SKILL_ENOMEM: nothing changed. */
SKILL_API int skill_dense_add(SkillDense *dense, const SkillMetadata *metadata, SkillError *err);
/* SKILL_ENOENT. */
SKILL_API int skill_dense_remove(SkillDense *dense, const char *name);

/* Embeds what was added since. On failure (what the embedder returned, SKILL_EREMOTE where its vectors change their
 * length, SKILL_ENOMEM) what succeeded is kept and the next call goes on from there. */
SKILL_API int skill_dense_sync(SkillDense *dense, SkillError *err);

/* Ranks with words, table and vectors: `snapshot`'s ranking fused with the cosines. With operators of the search
 * grammar only skills that the snapshot finds can appear. A skill's `fit` is the better one of the snapshot's and of
 * how far its cosine stands out from the others', 12 standard deviations being 1. When the embedder fails the
 * snapshot's own ranking is returned, a `degraded` event is sent and the result is 0 all the same. Owned: release with
 * skill_ranking_free. Errors are those of skill_rank_query. `scorer` of the result ends in "+dense" where vectors took
 * part. */
SKILL_API int skill_dense_rank(SkillDense *dense, const SkillRankSnapshot *snapshot, const SkillQuery *query,
                               SkillRanking **out, SkillError *err);

SKILL_END

#endif
