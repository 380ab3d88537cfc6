/* SPDX-License-Identifier: MIT
 *
 * Reading a query. Fails only when memory is out.
 */
#include "rank/query/query.h"

#include <math.h>
#include <string.h>

#include "rank/query/context.h"
#include "rank/text/token_hash.h"
#include "rank/weights.h"
#include "util/alloc.h"

enum { EXPECTED_PARTS = 4 }; /* segments that are prefetched; most indexes have fewer */

struct reader {
  struct skill__context *context;
  const SkillRankSnapshot *snapshot;
};

/* The slot of the term of that text, or the empty slot where it belongs. */
static uint32_t text_slot(const struct skill__context *context, const char *text, size_t length) {
  const struct skill__query *query = &context->query;
  uint32_t i = skill__token_hash(text, length) & query->slot_mask;
  for (; query->by_text[i]; i = (i + 1) & query->slot_mask) {
    const struct skill__qterm *term = &query->terms[query->by_text[i] - 1];
    if (term->length == length && memcmp(context->texts.data + term->text, text, length) == 0) break;
  }
  return i;
}

const struct skill__qterm *skill__query_find(const struct skill__context *context, const char *text, size_t length) {
  uint16_t found = context->query.by_text[text_slot(context, text, length)];
  return found ? &context->query.terms[found - 1] : NULL;
}

/* The token's number. Prefetches its statistics and postings. */
static uint32_t find_token(const struct reader *reader, const char *text, size_t length) {
  const SkillRankSnapshot *snapshot = reader->snapshot;
  uint32_t *memo = skill__analyzer_memo(reader->context->analyzer);
  uint32_t id = memo && *memo ? *memo - 1 : skill__dict_find(snapshot->shared->dict, text, length);
  if (id == SKILL__DICT_NONE) return id;
  if (memo) *memo = id + 1; /* the pool's contexts serve one dictionary */
  if (id >= snapshot->tokens) return SKILL__DICT_NONE;
  skill__stats_expect(&snapshot->stats, id);
  for (size_t p = 0; p < snapshot->part_count && p < EXPECTED_PARTS; p++)
    skill__postings_expect(&snapshot->parts[p].segment->postings, id);
  return id;
}

static void look_up(const SkillRankSnapshot *snapshot, struct skill__qterm *term, const char *text) {
  const struct skill__rank_shared *shared = snapshot->shared;
  struct skill__df df = {0, 0};
  if (term->id != SKILL__DICT_NONE) df = skill__stats_df(&snapshot->stats, term->id);
  struct skill__term known = {SKILL__TERMS_NONE, 0};
  if (shared->terms)
    known = term->id != SKILL__DICT_NONE ? skill__dict_term(shared->dict, term->id)
                                         : skill__terms_find(shared->terms, text, term->length);
  double skills = snapshot->stats.skills, prior = shared->terms ? fmin(skills, SKILL__PRIOR_SKILLS) : 0;
  double n = skills + prior, in = df.skills + prior * (double)known.share;
  double tools = snapshot->stats.tools + prior, in_tools = df.tools + prior * (double)known.share;
  if (!df.skills && !df.tools) term->id = SKILL__DICT_NONE;
  term->row = known.row;
  term->share = known.share;
  term->idf = (float)log(1 + (n - in + .5) / (in + .5));
  bool groups = snapshot->stats.groups > 0; /* without them tools are not scored apart */
  term->tool_idf = groups ? (float)log(1 + (tools - in_tools + .5) / (in_tools + .5)) : term->idf;
}

/* Adds a token to the sequence, making a term of it when it is new. */
static int token(void *user, const char *text, size_t length, unsigned flags) {
  struct reader *reader = user;
  struct skill__query *query = &reader->context->query;
  struct skill__buf *texts = &reader->context->texts;
  uint32_t i = text_slot(reader->context, text, length);
  if (!query->by_text[i]) {
    if (query->term_count == SKILL__QUERY_TERMS) return 0;
    if (SKILL__GROW(query->terms, query->term_capacity, query->term_count + 1)) return SKILL_ENOMEM;
    struct skill__qterm *term = &query->terms[query->term_count];
    *term = (struct skill__qterm){.id = find_token(reader, text, length),
                                  .text = (uint32_t)texts->length,
                                  .length = (uint32_t)length,
                                  .single = (flags & SKILL__TOKEN_SINGLE) != 0,
                                  .text_slot = (uint16_t)i,
                                  .id_slot = SKILL__QUERY_SLOTS};
    skill__buf_add(texts, text, length);
    if (texts->status) return SKILL_ENOMEM;
    query->by_text[i] = (uint16_t)++query->term_count;
  }
  if (SKILL__GROW(query->sequence, query->sequence_capacity, query->sequence_count + 1)) return SKILL_ENOMEM;
  query->sequence[query->sequence_count++] = query->by_text[i] - 1u;
  return 0;
}

/* Makes the view of a stretch of the sequence: distinct terms with saturated frequencies. */
static int add_view(struct skill__context *context, const struct skill__rank_shared *shared, size_t from, size_t to) {
  struct skill__query *query = &context->query;
  if (SKILL__GROW(context->counts, context->count_capacity, query->term_count + 1)) return SKILL_ENOMEM;
  memset(context->counts, 0, query->term_count * sizeof *context->counts);
  struct skill__qview *view = &query->views[query->view_count++];
  view->start = (uint32_t)query->entry_count;
  view->count = 0;
  for (size_t i = from; i < to; i++) {
    uint32_t term = query->sequence[i];
    if (context->counts[term]++ == 0) {
      if (SKILL__GROW(query->entries, query->entry_capacity, query->entry_count + 1)) return SKILL_ENOMEM;
      query->entries[query->entry_count++].term = term;
      view->count++;
    }
  }
  for (uint32_t i = 0; i < view->count; i++) {
    struct skill__qentry *entry = &query->entries[view->start + i];
    double tf = context->counts[entry->term];
    entry->plain = (float)(tf * (shared->k3 + 1) / (tf + shared->k3));
    entry->weight = query->terms[entry->term].single ? entry->plain * (float)SKILL__SINGLE_WEIGHT : entry->plain;
  }
  return 0;
}

static size_t distinct(const struct skill__query *query, size_t from, size_t to) {
  size_t count = 0;
  for (size_t i = from; i < to && count < 2; i++) count += i == from || query->sequence[i] != query->sequence[from];
  return count;
}

/* View 0 is the whole; the pieces follow if there are at least two. A piece of one word joins the one before. */
static int add_views(struct skill__context *context, const SkillRankSnapshot *snapshot, const char *text,
                     size_t length) {
  struct skill__query *query = &context->query;
  size_t starts[SKILL__QUERY_PIECES], ends[SKILL__QUERY_PIECES], from[SKILL__QUERY_PIECES], to[SKILL__QUERY_PIECES];
  struct reader reader = {context, snapshot};
  size_t cuts = skill__pieces_cut(text, length, SKILL__QUERY_PIECES, starts, ends), count = 0;
  uint32_t byte_from[SKILL__QUERY_PIECES], byte_to[SKILL__QUERY_PIECES];
  for (size_t i = 0; i < cuts; i++) {
    size_t before = query->sequence_count;
    int status = skill__analyze(context->analyzer, text + starts[i], ends[i] - starts[i], token, &reader);
    if (status) return status;
    if (query->sequence_count == before) continue;
    if (count && distinct(query, before, query->sequence_count) < 2) {
      to[count - 1] = query->sequence_count;
      byte_to[count - 1] = (uint32_t)ends[i];
      continue;
    }
    from[count] = before;
    byte_from[count] = (uint32_t)starts[i];
    byte_to[count] = (uint32_t)ends[i];
    to[count++] = query->sequence_count;
  }
  int status = add_view(context, snapshot->shared, 0, query->sequence_count);
  query->views[0].from = 0;
  query->views[0].to = (uint32_t)length;
  for (size_t i = 0; i < count && count > 1 && !status; i++) {
    status = add_view(context, snapshot->shared, from[i], to[i]);
    query->views[query->view_count - 1].from = byte_from[i];
    query->views[query->view_count - 1].to = byte_to[i];
  }
  return status;
}

/* The frequency of a pair is not kept. It is estimated as if its words were independent; at most, one skill has it. */
static float pair_idf(const SkillRankSnapshot *snapshot, const struct skill__qterm *a, const struct skill__qterm *b) {
  double n = snapshot->stats.skills, most = log(1 + (n - 1 + .5) / 1.5), both = (double)a->idf + (double)b->idf;
  return (float)(both < most ? both : most);
}

static int add_pairs(struct skill__query *query, const SkillRankSnapshot *snapshot) {
  if (SKILL__GROW(query->first_pair, query->first_capacity, query->term_count + 1)) return SKILL_ENOMEM;
  for (size_t i = 0; i < query->term_count; i++) query->first_pair[i] = -1;
  for (size_t i = 1; i < query->sequence_count; i++) {
    uint32_t a = query->sequence[i - 1], b = query->sequence[i];
    if (query->terms[a].id == SKILL__DICT_NONE || query->terms[b].id == SKILL__DICT_NONE) continue;
    int32_t p = query->first_pair[a];
    while (p >= 0 && query->pairs[p].b != b) p = query->pairs[p].next;
    if (p >= 0) {
      query->pairs[p].weight += 1;
      continue;
    }
    if (SKILL__GROW(query->pairs, query->pair_capacity, query->pair_count + 1)) return SKILL_ENOMEM;
    query->pairs[query->pair_count] =
        (struct skill__qpair){a, b, pair_idf(snapshot, &query->terms[a], &query->terms[b]), 1, query->first_pair[a]};
    query->first_pair[a] = (int32_t)query->pair_count++;
  }
  double k3 = snapshot->shared->k3;
  for (size_t i = 0; i < query->pair_count; i++) {
    double tf = (double)query->pairs[i].weight;
    query->pairs[i].weight = (float)(tf * (k3 + 1) / (tf + k3));
  }
  return 0;
}

/* How rare a token is in skills at large; without a learned table, in this catalogue. */
static double rarity(const SkillRankSnapshot *snapshot, const struct skill__qterm *term) {
  if (!snapshot->shared->terms) return (double)term->idf;
  double n = (double)skill__terms_documents(snapshot->shared->terms), in = (double)term->share * n;
  return log(1 + (n - in + .5) / (in + .5));
}

static void measure(struct skill__query *query, const SkillRankSnapshot *snapshot) {
  double covered = 0, in_table = 0, all = 0, k1 = snapshot->shared->k1;
  query->ceiling = 0;
  for (size_t i = 0; i < query->term_count; i++) {
    double r = rarity(snapshot, &query->terms[i]);
    all += r;
    if (query->terms[i].id != SKILL__DICT_NONE) covered += r;
    if (query->terms[i].row != SKILL__TERMS_NONE) in_table += r;
  }
  for (uint32_t i = 0; i < query->views[0].count; i++) {
    const struct skill__qentry *entry = &query->entries[i];
    query->ceiling += (double)entry->weight * (double)query->terms[entry->term].idf * (k1 + 1);
  }
  if (snapshot->stats.groups) query->ceiling *= 1 + SKILL__TOOL_SHARE;
  query->known = all > 0 ? covered / all : 0;
  query->in_table = all > 0 ? in_table / all : 0;
}

static int add_vectors(struct skill__context *context, const struct skill__terms *terms) {
  struct skill__query *query = &context->query;
  size_t dims = skill__terms_dims(terms);
  if (SKILL__GROW(query->vectors, query->vector_capacity, (1 + SKILL__QUERY_PIECES) * dims)) return SKILL_ENOMEM;
  if (SKILL__GROW(context->counts, context->count_capacity, query->term_count + 1)) return SKILL_ENOMEM;
  if (SKILL__GROW(context->acc, context->acc_capacity, query->term_count + 1)) return SKILL_ENOMEM;
  for (size_t v = 0; v < query->view_count; v++) {
    struct skill__qview *view = &query->views[v];
    for (uint32_t i = 0; i < view->count; i++) {
      const struct skill__qentry *entry = &query->entries[view->start + i];
      context->counts[i] = query->terms[entry->term].row;
      context->acc[i] = entry->plain;
    }
    view->unit = skill__terms_vector(terms, context->counts, context->acc, view->count, query->vectors + v * dims);
  }
  return 0;
}

static void clear(struct skill__context *context) {
  struct skill__query *query = &context->query;
  for (size_t i = 0; i < query->term_count; i++) { /* a query fills few of the slots */
    query->by_text[query->terms[i].text_slot] = 0;
    if (query->terms[i].id_slot < SKILL__QUERY_SLOTS) query->slots[query->terms[i].id_slot] = 0;
  }
  query->term_count = query->entry_count = query->pair_count = query->sequence_count = query->view_count = 0;
  skill__buf_clear(&context->texts);
}

int skill__query_read(struct skill__context *context, const SkillRankSnapshot *snapshot, const char *text,
                      size_t length) {
  struct skill__query *query = &context->query;
  clear(context);
  query->slot_mask = (length <= SKILL__QUERY_SHORT ? SKILL__QUERY_FEW : SKILL__QUERY_SLOTS) - 1;
  int status = add_views(context, snapshot, text, length);
  for (size_t i = 0; i < query->term_count && !status; i++)
    look_up(snapshot, &query->terms[i], context->texts.data + query->terms[i].text);
  if (!status) status = add_pairs(query, snapshot);
  if (status) return status;
  for (size_t i = 0; i < query->term_count; i++) {
    uint32_t id = query->terms[i].id;
    if (id == SKILL__DICT_NONE) continue;
    uint32_t slot = id;
    while (query->slots[slot & query->slot_mask]) slot++;
    query->terms[i].id_slot = (uint16_t)(slot & query->slot_mask);
    query->slots[query->terms[i].id_slot] = (uint16_t)(i + 1);
  }
  measure(query, snapshot);
  return snapshot->shared->terms ? add_vectors(context, snapshot->shared->terms) : 0;
}
