/* SPDX-License-Identifier: MIT
 *
 * Fusing a lexical ranking with cosines. If the embedder fails, the lexical ranking is the result.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/embed/dense.h"
#include "util/alloc.h"
#include "util/arena.h"
#include "util/options.h"

enum { LEXICAL_LEAST = 200, SPREAD_LEAST = 8 };
#define FIT_DEVIATIONS 12.0

struct candidate {
  const SkillRankResult *lexical; /* NULL: found by its vector only */
  const struct skill__dense_item *item;
  double words, vectors; /* the parts of the score */
  double score, fit;
};

struct fusion {
  SkillDense *dense;
  const SkillQuery *query;
  const SkillRanking *lexical;
  float *cosines; /* of the ready items */
  double mean, deviation, best;
  struct candidate *candidates;
  size_t count;
};

static void degrade(const SkillDense *dense, int status, const char *reason) {
  if (!dense->options.on_event) return;
  SkillEvent event = {.kind = SKILL_EVENT_DEGRADED, .status = status, .reason = reason};
  event.time_ms = dense->options.io->now_ms(dense->options.io);
  dense->options.on_event(&event, dense->options.user);
}

/* Embeds new skills, then the query. Owned: skill__free. */
static int query_vector(SkillDense *dense, const SkillQuery *query, float **vector, SkillError *err) {
  int status = skill_dense_sync(dense, err);
  if (status) return status;
  SkillText text = {query->text, query->length ? query->length : strlen(query->text)};
  if (text.length > SKILL_MAX_QUERY) text.length = SKILL_MAX_QUERY;
  size_t dims = 0;
  status = dense->embedder->embed(dense->embedder, SKILL_EMBED_QUERY, &text, 1, vector, &dims, err);
  if (status) return status;
  if (dims == dense->dims) {
    skill__dense_unit(*vector, dims);
    return 0;
  }
  skill__free(*vector);
  return skill_error_set(err, SKILL_EREMOTE, "the query's vector has %zu numbers, those of skills %zu", dims,
                         dense->dims);
}

/* Calls the embedder unless it failed a short time ago. */
static int ask(SkillDense *dense, const SkillQuery *query, float **vector, SkillError *err) {
  int64_t now = dense->options.io->now_ms(dense->options.io);
  if (dense->silent_until && now < dense->silent_until) {
    return skill_error_set(err, SKILL_EREMOTE, "the embedder failed before and is left alone for %lld ms more",
                           (long long)(dense->silent_until - now));
  }
  int status = query_vector(dense, query, vector, err);
  bool pause = status && status != SKILL_ENOMEM && dense->options.pause_ms > 0;
  dense->silent_until = pause ? now + dense->options.pause_ms : 0;
  return status;
}

static void measure(struct fusion *fusion, const float *vector) {
  const SkillDense *dense = fusion->dense;
  double sum = 0, square = 0;
  fusion->best = -1;
  for (size_t i = 0; i < dense->ready; i++) {
    const float *row = dense->matrix + i * dense->dims;
    float cosine = 0;
    for (size_t d = 0; d < dense->dims; d++) cosine += row[d] * vector[d];
    fusion->cosines[i] = cosine;
    sum += (double)cosine;
    square += (double)cosine * (double)cosine;
    fusion->best = fmax(fusion->best, (double)cosine);
  }
  double n = dense->ready ? (double)dense->ready : 1;
  fusion->mean = sum / n;
  fusion->deviation = sqrt(fmax(0, square / n - fusion->mean * fusion->mean));
}

static bool may_show(const SkillQuery *query, const struct skill__dense_item *item) {
  if (item->unlisted && !query->include_unlisted) return false;
  return !query->visible || query->visible(item->name, query->user);
}

/* Whether the query uses operators of the search grammar: only the index can evaluate them. */
static bool has_operators(const SkillQuery *query) {
  static const char *const prefixes[] = {"+", "-", "\"", "tag:", "source:", "select:"};
  size_t length = query->length ? query->length : strlen(query->text);
  if (!query->grammar) return false;
  for (size_t at = 0; at < length; at++) {
    bool begins = at == 0 || query->text[at - 1] == ' ' || query->text[at - 1] == '\t' || query->text[at - 1] == '\n';
    for (size_t i = 0; begins && i < sizeof prefixes / sizeof *prefixes; i++) {
      size_t n = strlen(prefixes[i]);
      if (length - at > n && memcmp(query->text + at, prefixes[i], n) == 0) return true;
    }
  }
  return false;
}

/* Lexical results first, then skills that only have a vector. */
static void collect(struct fusion *fusion) {
  const SkillDense *dense = fusion->dense;
  unsigned char *taken = (unsigned char *)(fusion->candidates + fusion->lexical->count + dense->ready);
  for (size_t i = 0; i < fusion->lexical->count; i++) {
    const SkillRankResult *result = fusion->lexical->results[i];
    const struct skill__dense_item *item = skill__dense_find(dense, result->name);
    if (item && item->at >= dense->ready) item = NULL;
    if (item) taken[item->at] = 1;
    fusion->candidates[fusion->count++] = (struct candidate){.lexical = result, .item = item};
  }
  if (has_operators(fusion->query)) return;
  for (size_t i = 0; i < dense->ready; i++) {
    if (!taken[i] && may_show(fusion->query, dense->items[i])) {
      fusion->candidates[fusion->count++] = (struct candidate){.item = dense->items[i]};
    }
  }
}

static const char *name_of(const struct candidate *candidate) {
  return candidate->lexical ? candidate->lexical->name : candidate->item->name;
}

static double cosine_of(const struct fusion *fusion, const struct candidate *candidate) {
  return candidate->item ? (double)fusion->cosines[candidate->item->at] : -1;
}

/* Lexical scores relative to the best; cosines relative to the best, above their mean. */
static void add_scores(struct fusion *fusion) {
  double top = fusion->lexical->count ? fusion->lexical->results[0]->score : 0;
  double range = fusion->best - fusion->mean;
  for (size_t i = 0; i < fusion->count; i++) {
    struct candidate *candidate = &fusion->candidates[i];
    if (candidate->lexical && top > 0) candidate->words = candidate->lexical->score / top;
    if (candidate->item && range > 1e-9) {
      candidate->vectors = fmax(0, (cosine_of(fusion, candidate) - fusion->mean) / range);
    }
  }
}

static int by_score(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  if (x->score != y->score) return x->score < y->score ? 1 : -1;
  return strcmp(name_of(x), name_of(y));
}

/* Sets score and fit, drops what is below the floor, sorts. */
static void settle(struct fusion *fusion, double floor) {
  double weight = fusion->dense->options.weight;
  size_t kept = 0;
  for (size_t i = 0; i < fusion->count; i++) {
    struct candidate candidate = fusion->candidates[i];
    bool named = candidate.lexical && candidate.lexical->fit >= 1; /* requested by name: stays first */
    candidate.vectors *= weight;
    candidate.score = candidate.words + candidate.vectors + (named ? 1 + weight : 0);
    candidate.fit = candidate.lexical ? candidate.lexical->fit : 0;
    if (candidate.item && fusion->deviation > 1e-9 && fusion->dense->ready >= SPREAD_LEAST) {
      double away = (cosine_of(fusion, &candidate) - fusion->mean) / fusion->deviation;
      candidate.fit = fmin(1, fmax(candidate.fit, away / FIT_DEVIATIONS));
    }
    if (candidate.fit >= floor && candidate.score > 0) fusion->candidates[kept++] = candidate;
  }
  fusion->count = kept;
  qsort(fusion->candidates, kept, sizeof *fusion->candidates, by_score);
}

/* The terms of a result: those of the lexical score, scaled to its part, and one for the vector. */
static bool explain(const struct candidate *candidate, struct skill__arena *arena, SkillRankResult *result) {
  size_t count = candidate->lexical ? candidate->lexical->term_count : 0;
  SkillRankTerm *terms = skill__arena_alloc(arena, (count + 1) * sizeof *terms);
  const SkillRankTerm **pointers = skill__arena_alloc(arena, (count + 1) * sizeof *pointers);
  if (!terms || !pointers) return false;
  double score = candidate->lexical ? candidate->lexical->score : 0;
  for (size_t i = 0; i < count; i++) {
    terms[i] = *candidate->lexical->terms[i];
    if (score > 0) terms[i].score *= candidate->words / score;
    pointers[i] = &terms[i];
  }
  terms[count] = (SkillRankTerm){.term = "", .field = "dense", .score = candidate->vectors};
  pointers[count] = &terms[count];
  result->terms = pointers;
  result->term_count = count + (candidate->vectors > 0);
  return true;
}

static int hand_over(const struct fusion *fusion, SkillRanking **out) {
  struct skill__arena arena = {0};
  size_t limit = fusion->query->limit ? fusion->query->limit : 10;
  size_t first = fusion->query->offset < fusion->count ? fusion->query->offset : fusion->count;
  size_t count = fusion->count - first < limit ? fusion->count - first : limit;
  char scorer[64];
  snprintf(scorer, sizeof scorer, "%.40s+dense", fusion->lexical->scorer);
  SkillRankResult *results = skill__arena_alloc(&arena, (count + 1) * sizeof *results);
  const SkillRankResult **pointers = skill__arena_alloc(&arena, (count + 1) * sizeof *pointers);
  bool ok = results && pointers;
  for (size_t i = 0; ok && i < count; i++) {
    const struct candidate *candidate = &fusion->candidates[first + i];
    pointers[i] = &results[i];
    results[i] = (SkillRankResult){.name = name_of(candidate), .score = candidate->score, .fit = candidate->fit};
    results[i].source = candidate->lexical ? candidate->lexical->source : candidate->item->source;
    if (fusion->query->explain) ok = explain(candidate, &arena, &results[i]);
  }
  SkillRanking ranking = *fusion->lexical;
  ranking.results = pointers;
  ranking.count = count;
  ranking.matched = fusion->count;
  ranking.scorer = scorer;
  int status = ok ? skill_ranking_copy(&ranking, out) : SKILL_ENOMEM;
  skill__arena_fini(&arena);
  return status;
}

static double floor_of(const SkillQuery *query) {
  if (query->floor > 0) return query->floor;
  if (query->floor < 0) return -1;
  SkillRankerOptions defaults = SKILL_RANKER_OPTIONS_INIT;
  return defaults.floor;
}

static int fuse(struct fusion *fusion, const float *vector, SkillRanking **out) {
  size_t most = fusion->lexical->count + fusion->dense->ready;
  int status = SKILL_ENOMEM;
  fusion->cosines = skill__malloc((fusion->dense->ready + 1) * sizeof *fusion->cosines);
  fusion->candidates = skill__calloc(1, most * sizeof *fusion->candidates + fusion->dense->ready + 1);
  if (!fusion->cosines || !fusion->candidates) goto out;
  measure(fusion, vector);
  collect(fusion);
  add_scores(fusion);
  settle(fusion, floor_of(fusion->query));
  status = hand_over(fusion, out);
out:
  skill__free(fusion->candidates);
  skill__free(fusion->cosines);
  return status;
}

int skill_dense_rank(SkillDense *dense, const SkillRankSnapshot *snapshot, const SkillQuery *query, SkillRanking **out,
                     SkillError *err) {
  SkillQuery given = SKILL_QUERY_INIT;
  int status = SKILL__OPTIONS(SkillQuery, &given, query, err);
  if (status) return status;
  if (!given.text) return skill_error_set(err, SKILL_EINVAL, "query: no text");
  SkillQuery wide = given;
  size_t wanted = 4 * (given.offset + (given.limit ? given.limit : 10));
  wide.limit = wanted > LEXICAL_LEAST ? wanted : LEXICAL_LEAST;
  wide.offset = 0;
  wide.floor = -1;
  float *vector = NULL;
  SkillError why = SKILL_ERROR_INIT;
  status = ask(dense, &given, &vector, &why);
  if (status) {
    degrade(dense, status, why.message);
    return skill_rank_query(snapshot, &given, out, err);
  }
  SkillRanking *lexical = NULL;
  status = skill_rank_query(snapshot, &wide, &lexical, err);
  if (!status) {
    struct fusion fusion = {.dense = dense, .query = &given, .lexical = lexical};
    status = fuse(&fusion, vector, out);
    if (status) skill_error_set(err, status, "out of memory for a ranking");
    skill_ranking_free(lexical);
  }
  skill__free(vector);
  return status;
}
