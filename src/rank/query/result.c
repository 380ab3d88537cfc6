/* SPDX-License-Identifier: MIT
 *
 * The ranking handed to the caller: one block with everything copied. Fails only when memory is out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rank/query/search.h"
#include "util/alloc.h"
#include "util/arena.h"

enum { REASON_TERMS = 5 };

struct ranking {
  SkillRanking ranking;
  struct skill__arena arena;
};

struct writer {
  struct skill__context *context;
  const SkillRankSnapshot *snapshot;
  const struct skill__fusion *fusion;
  struct skill__arena *arena;
  SkillRankTerm *shares;
  size_t count, capacity;
};

static int add_share(struct writer *writer, const char *term, size_t length, const char *field, double score) {
  if (SKILL__GROW(writer->shares, writer->capacity, writer->count + 1)) return SKILL_ENOMEM;
  const char *copy = skill__arena_strndup(writer->arena, term, length);
  if (!copy) return SKILL_ENOMEM;
  writer->shares[writer->count++] = (SkillRankTerm){.term = copy, .field = field, .score = score};
  return 0;
}

static const char *const field_names[] = {
#define SKILL_X(id, name) name,
    SKILL_RANK_FIELD_MAP(SKILL_X)
#undef SKILL_X
};

static int word_share(void *user, uint32_t term, SkillRankField field, double score) {
  struct writer *writer = user;
  const struct skill__qterm *t = &writer->context->query.terms[term];
  return add_share(writer, writer->context->texts.data + t->text, t->length, field_names[field],
                   score * writer->fusion->words);
}

static int pair_share(void *user, uint32_t a, uint32_t b, double score) {
  struct writer *writer = user;
  const struct skill__qterm *x = &writer->context->query.terms[a], *y = &writer->context->query.terms[b];
  char text[2 * SKILL__TOKEN_MAX + 2];
  const char *texts = writer->context->texts.data;
  int n = snprintf(text, sizeof text, "%.*s %.*s", (int)x->length, texts + x->text, (int)y->length, texts + y->text);
  return add_share(writer, text, (size_t)n, "phrase", score * writer->fusion->words);
}

static int by_score(const void *x, const void *y) {
  const SkillRankTerm *a = x, *b = y;
  if (a->score != b->score) return a->score < b->score ? 1 : -1;
  int order = strcmp(a->term, b->term);
  return order ? order : strcmp(a->field, b->field);
}

static const char *tool_name(const struct skill__doc *doc, uint32_t number) {
  const uint8_t *at = doc->tools;
  struct skill__doc_tool tool = {.name = ""};
  for (uint32_t t = 0; t <= number && t < doc->tool_count; t++) skill__doc_next_tool(&at, &tool);
  return tool.name;
}

static int explain_words(struct writer *writer, struct skill__scorer *scorer, const struct skill__doc *doc,
                         const struct skill__rank_candidate *candidate) {
  struct skill__doc_score score;
  int status = skill__score_explain(scorer, doc, word_share, writer);
  if (!status) status = skill__score_pairs(scorer, doc, pair_share, writer);
  if (status) return status;
  skill__score_doc(scorer, doc, &score);
  double words = writer->fusion->words, tool = writer->snapshot->stats.groups ? SKILL__TOOL_SHARE * score.tool : 0;
  const char *best = doc->tool_count ? tool_name(doc, score.best_tool) : candidate->name;
  if (tool > 0) status = add_share(writer, best, strlen(best), "tool", words * tool);
  if (!status && score.against > 0)
    status = add_share(writer, "", 0, field_names[SKILL_RANK_NOT_WHEN], -words * score.against);
  double piece = words * writer->fusion->piece * candidate->piece;
  if (!status && piece > 0) status = add_share(writer, "", 0, "piece", piece);
  double vectors = writer->fusion->vectors * candidate->cosine;
  if (!status && vectors > 0) status = add_share(writer, "", 0, "table", vectors);
  return status;
}

static int explain_additive(struct writer *writer, struct skill__scorer *scorer, const struct skill__doc *doc) {
  for (size_t t = 0; t < writer->context->query.term_count; t++) {
    const struct skill__qterm *term = &writer->context->query.terms[t];
    for (size_t i = 0; i < SKILL__ADDITIVE_FIELDS; i++) {
      SkillRankField f = skill__additive_fields[i];
      const uint8_t *at = doc->field[f].ids;
      bool found = false;
      for (uint32_t k = 0; k < doc->field[f].count && !found; k++) found = skill__varint_get(&at) == term->id;
      const char *text = writer->context->texts.data + term->text;
      if (found && add_share(writer, text, term->length, field_names[f], scorer->weight[f])) return SKILL_ENOMEM;
    }
  }
  return 0;
}

static int explain(struct writer *writer, const struct skill__rank_candidate *candidate, SkillRankResult *result) {
  struct skill__scorer scorer;
  struct skill__doc doc;
  const struct skill__segment *segment = writer->snapshot->parts[candidate->part].segment;
  if (skill__scorer_init(&scorer, writer->snapshot, writer->context)) return SKILL_ENOMEM;
  skill__doc_decode(segment->blob + segment->at[candidate->doc], &doc);
  writer->count = 0;
  int status = writer->snapshot->shared->scorer == SKILL_SCORER_ADDITIVE
                   ? explain_additive(writer, &scorer, &doc)
                   : explain_words(writer, &scorer, &doc, candidate);
  if (status) return status;
  if (writer->count) qsort(writer->shares, writer->count, sizeof *writer->shares, by_score);
  SkillRankTerm *terms = skill__arena_alloc(writer->arena, (writer->count + 1) * sizeof *terms);
  const SkillRankTerm **pointers = skill__arena_alloc(writer->arena, (writer->count + 1) * sizeof *pointers);
  if (!terms || !pointers) return SKILL_ENOMEM;
  for (size_t i = 0; i < writer->count; i++) {
    terms[i] = writer->shares[i];
    pointers[i] = &terms[i];
  }
  result->terms = pointers;
  result->term_count = writer->count;
  return 0;
}

struct list {
  struct skill__buf *buf;
  size_t count;
};

static int add_missing(void *user, const char *word, size_t length) {
  struct list *list = user;
  if (list->count++ >= REASON_TERMS) return 0;
  skill__buf_text(list->buf, list->count > 1 ? ", " : list->buf->length ? "; no skill has: " : "no skill has: ");
  skill__buf_add(list->buf, word, length);
  return 0;
}

/* Why a search with conditions found nothing at all. */
static void tell_unmet(struct skill__buf *buf, const struct skill__filter *filter) {
  if (filter->count || filter->impossible || !filter->selected_count) {
    skill__buf_text(buf, "no skill meets the conditions of the search");
    return;
  }
  for (size_t i = 0; i < filter->selected_count && i < REASON_TERMS; i++) {
    skill__buf_text(buf, i ? ", " : "no skill is called ");
    skill__buf_add(buf, filter->selected[i], filter->selected_length[i]);
  }
}

/* The query's words that no skill has, or why nothing was returned. */
static const char *reason(struct writer *writer, const SkillQuery *asked, const SkillRanking *ranking, double floor) {
  struct skill__context *context = writer->context;
  const struct skill__query *query = &context->query;
  const char *words = asked->grammar ? context->words.data : asked->text;
  struct skill__buf buf;
  skill__buf_init(&buf, 4096);
  struct list missing = {&buf, 0};
  if (writer->snapshot->stats.skills == 0)
    skill__buf_text(&buf, "there are no skills");
  else if (context->filtered && ranking->matched == 0 && context->candidate_count == 0)
    tell_unmet(&buf, &context->filter);
  else if (query->term_count == 0 && ranking->matched == 0)
    skill__buf_text(&buf, "the query has no word to search for");
  else if (ranking->matched == 0 && writer->context->candidate_count)
    skill__buf_printf(&buf, "the nearest skill, %s, fits %.2f: below the floor of %.2f",
                      writer->context->candidates[0].name, writer->fusion->best_fit, floor);
  int status = words ? skill__query_unknown_words(context, words, query->views[0].to, add_missing, &missing) : 0;
  if (missing.count > REASON_TERMS) skill__buf_printf(&buf, " and %zu more", missing.count - REASON_TERMS);
  if (buf.length == 0 && ranking->matched == 0) skill__buf_text(&buf, "no skill matches");
  const char *text =
      status || buf.status ? NULL : skill__arena_strndup(writer->arena, buf.data ? buf.data : "", buf.length);
  skill__buf_fini(&buf);
  return text;
}

static int fill(struct writer *writer, const SkillQuery *query, SkillRanking *ranking) {
  const struct skill__context *context = writer->context;
  double floor = query->floor != 0 ? fmax(query->floor, 0) : writer->snapshot->shared->floor;
  size_t limit = query->limit ? query->limit : 10, position = 0;
  for (size_t i = 0; i < context->candidate_count; i++) ranking->matched += context->candidates[i].fit >= floor;
  ranking->searched = writer->snapshot->stats.skills;
  size_t left = ranking->matched > query->offset ? ranking->matched - query->offset : 0;
  if (limit > left) limit = left;
  SkillRankResult *results = skill__arena_alloc(writer->arena, (limit + 1) * sizeof *results);
  const SkillRankResult **pointers = skill__arena_alloc(writer->arena, (limit + 1) * sizeof *pointers);
  if (!results || !pointers) return SKILL_ENOMEM;
  ranking->results = pointers;
  for (size_t i = 0; i < context->candidate_count && ranking->count < limit; i++) {
    const struct skill__rank_candidate *candidate = &context->candidates[i];
    if (candidate->fit < floor || position++ < query->offset) continue;
    SkillRankResult *result = &results[ranking->count];
    pointers[ranking->count++] = result;
    result->name = skill__arena_strdup(writer->arena, candidate->name);
    result->source = skill__arena_strdup(writer->arena, candidate->source);
    result->score = candidate->score;
    result->fit = candidate->fit;
    if (!result->name || (candidate->source && !result->source)) return SKILL_ENOMEM;
    int status = query->explain ? explain(writer, candidate, result) : 0;
    if (status) return status;
  }
  ranking->reason = reason(writer, query, ranking, floor);
  return ranking->reason ? 0 : SKILL_ENOMEM;
}

int skill__result_new(struct skill__context *context, const SkillRankSnapshot *snapshot, const SkillQuery *query,
                      const struct skill__fusion *fusion, SkillRanking **out) {
  struct ranking *block = skill__calloc(1, sizeof *block);
  if (!block) return SKILL_ENOMEM;
  struct writer writer = {context, snapshot, fusion, &block->arena, NULL, 0, 0};
  bool additive = snapshot->shared->scorer == SKILL_SCORER_ADDITIVE;
  block->ranking.scorer = additive ? "additive" : snapshot->shared->terms ? "bm25f+table" : "bm25f";
  int status = fill(&writer, query, &block->ranking);
  skill__free(writer.shares);
  if (status) {
    skill_ranking_free(&block->ranking);
    return status;
  }
  *out = &block->ranking;
  return 0;
}

void skill_ranking_free(SkillRanking *ranking) {
  if (!ranking) return;
  struct ranking *block = (struct ranking *)ranking;
  skill__arena_fini(&block->arena);
  skill__free(block);
}

static const char *copied(struct skill__arena *arena, const char *text, bool *ok) {
  const char *copy = text ? skill__arena_strdup(arena, text) : NULL;
  if (text && !copy) *ok = false;
  return copy;
}

static void copy_result(struct skill__arena *arena, const SkillRankResult *from, SkillRankResult *to, bool *ok) {
  *to = *from;
  to->name = copied(arena, from->name, ok);
  to->source = copied(arena, from->source, ok);
  to->terms = NULL;
  if (!from->term_count) return;
  SkillRankTerm *terms = skill__arena_alloc(arena, from->term_count * sizeof *terms);
  const SkillRankTerm **pointers = skill__arena_alloc(arena, from->term_count * sizeof *pointers);
  if (!terms || !pointers) {
    *ok = false;
    return;
  }
  for (size_t i = 0; i < from->term_count; i++) {
    const SkillRankTerm *term = from->terms[i];
    terms[i] = *term;
    terms[i].term = copied(arena, term->term, ok);
    terms[i].field = copied(arena, term->field, ok);
    pointers[i] = &terms[i];
  }
  to->terms = pointers;
}

int skill_ranking_copy(const SkillRanking *ranking, SkillRanking **out) {
  struct ranking *block = skill__calloc(1, sizeof *block);
  if (!block) return SKILL_ENOMEM;
  bool ok = true;
  SkillRankResult *results = skill__arena_alloc(&block->arena, (ranking->count + 1) * sizeof *results);
  const SkillRankResult **pointers = skill__arena_alloc(&block->arena, (ranking->count + 1) * sizeof *pointers);
  ok = results && pointers;
  for (size_t i = 0; ok && i < ranking->count; i++) {
    copy_result(&block->arena, ranking->results[i], &results[i], &ok);
    pointers[i] = &results[i];
  }
  block->ranking = *ranking;
  block->ranking.results = pointers;
  block->ranking.reason = copied(&block->arena, ranking->reason ? ranking->reason : "", &ok);
  block->ranking.scorer = copied(&block->arena, ranking->scorer ? ranking->scorer : "", &ok);
  if (!ok) {
    skill_ranking_free(&block->ranking);
    return SKILL_ENOMEM;
  }
  *out = &block->ranking;
  return 0;
}
