/* SPDX-License-Identifier: MIT
 *
 * Candidates and their scores. Fails only when memory is out.
 */
#include "rank/query/search.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

static bool blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static void pin(struct skill__context *context, const SkillRankSnapshot *snapshot, const char *name, size_t length,
                int tier) {
  for (uint32_t p = 0; p < snapshot->part_count; p++) {
    uint32_t slot = 0, doc;
    while ((doc = skill__segment_named(snapshot->parts[p].segment, name, length, &slot)) != UINT32_MAX) {
      if (context->pin_count == SKILL__PINS || skill__dead_has(snapshot->parts[p].dead, doc)) continue;
      context->pins[context->pin_count++] = (struct skill__pin){p, doc, tier};
    }
  }
}

enum { SEPARATES = 1, CAPITAL = 2 };

static int kind_of(char c) {
  static const unsigned char kinds[256] = {
      ['-'] = SEPARATES, ['_'] = SEPARATES, ['.'] = SEPARATES, [':'] = SEPARATES, ['/'] = SEPARATES};
  return c >= 'A' && c <= 'Z' ? CAPITAL : kinds[(unsigned char)c];
}

/* A word that only a name looks like: it has a separator inside, or capitals after the first letter. */
static bool compound(const char *word, size_t length) {
  for (size_t i = 1; i + 1 < length; i++) {
    int kind = kind_of(word[i]);
    if (kind == SEPARATES || (kind == CAPITAL && word[i - 1] >= 'a' && word[i - 1] <= 'z')) return true;
  }
  return false;
}

/* Names of skills among the words of a text that has such words at all. */
static void pin_words(struct skill__context *context, const SkillRankSnapshot *snapshot, const char *text,
                      size_t length) {
  size_t words = 0;
  for (size_t at = 0; at < length && words < SKILL__PINS; words++) {
    while (at < length && blank(text[at])) at++;
    size_t end = at;
    while (end < length && !blank(text[end])) end++;
    size_t stop = end;
    while (stop > at && strchr(",.;:!?)\"'`", text[stop - 1])) stop--;
    while (at < stop && strchr("(\"'`", text[at])) at++;
    if (stop - at >= 3 && stop - at <= SKILL_MAX_NAME && compound(text + at, stop - at))
      pin(context, snapshot, text + at, stop - at, 2);
    at = end;
  }
}

/* Finds the skills whose names are the query or, for names of several words, in it. */
static void pin_names(struct skill__context *context, const SkillRankSnapshot *snapshot, const char *text,
                      size_t length) {
  context->pin_count = 0;
  while (length && blank(text[0])) text++, length--;
  while (length && blank(text[length - 1])) length--;
  if (length == 0) return;
  if (length <= SKILL_MAX_NAME) pin(context, snapshot, text, length, 3);
  if (compound(text, length)) pin_words(context, snapshot, text, length);
}

static int tier_of(const struct skill__context *context, uint32_t part, uint32_t doc) {
  int tier = 0;
  for (size_t i = 0; i < context->pin_count; i++)
    if (context->pins[i].part == part && context->pins[i].doc == doc && context->pins[i].tier > tier)
      tier = context->pins[i].tier;
  return tier;
}

/* --- scoring ------------------------------------------------------------------------------------------------------ */

static bool shown(const struct skill__context *context, const SkillQuery *query, const struct skill__doc *doc) {
  if ((doc->flags & SKILL__DOC_UNLISTED) && !query->include_unlisted) return false;
  if (context->filtered && !skill__filter_meets(&context->filter, doc)) return false;
  return !query->visible || query->visible(doc->name, query->user);
}

static int add_candidate(struct skill__context *context, struct skill__scorer *scorer, const SkillQuery *query,
                         uint32_t part, uint32_t number) {
  const SkillRankSnapshot *snapshot = scorer->snapshot;
  const struct skill__segment *segment = snapshot->parts[part].segment;
  struct skill__doc doc;
  skill__doc_decode(segment->blob + segment->at[number], &doc);
  if (!shown(context, query, &doc)) return 0;
  if (SKILL__GROW(context->candidates, context->candidate_capacity, context->candidate_count + 1)) return SKILL_ENOMEM;
  struct skill__rank_candidate *candidate = &context->candidates[context->candidate_count++];
  *candidate = (struct skill__rank_candidate){.part = part, .doc = number, .name = doc.name, .source = doc.source};
  if (snapshot->shared->scorer == SKILL_SCORER_ADDITIVE) {
    candidate->whole = skill__score_additive(scorer, &doc);
  } else {
    struct skill__doc_score score;
    skill__score_doc(scorer, &doc, &score);
    candidate->whole = score.whole;
    candidate->piece = score.piece;
    candidate->held = score.held;
    candidate->cosine = skill__doc_cosine(&context->query, segment, number);
  }
  candidate->tier = tier_of(context, part, number);
  return 0;
}

static int add_all(struct skill__context *context, struct skill__scorer *scorer, const SkillQuery *query) {
  const SkillRankSnapshot *snapshot = scorer->snapshot;
  for (uint32_t p = 0; p < snapshot->part_count; p++) {
    const struct skill__rank_part *part = &snapshot->parts[p];
    for (uint32_t doc = 0; doc < part->segment->count; doc++) {
      if (skill__dead_has(part->dead, doc)) continue;
      int status = add_candidate(context, scorer, query, p, doc);
      if (status) return status;
    }
  }
  return 0;
}

static int by_place(const void *x, const void *y) {
  const struct skill__hit *a = x, *b = y;
  if (a->part != b->part) return a->part < b->part ? -1 : 1;
  return (a->doc > b->doc) - (a->doc < b->doc);
}

/* Scores the hits of the first stage and the skills that were named, each once. */
static int add_hits(struct skill__context *context, struct skill__scorer *scorer, const SkillQuery *query,
                    size_t found) {
  if (SKILL__GROW(context->hits, context->hit_capacity, found + context->pin_count)) return SKILL_ENOMEM;
  for (size_t i = 0; i < context->pin_count; i++)
    context->hits[found++] = (struct skill__hit){0, context->pins[i].part, context->pins[i].doc};
  /* Words and names may find the same skill, vectors too. */
  bool twice = context->pin_count || scorer->snapshot->shared->terms;
  if (found && twice) qsort(context->hits, found, sizeof *context->hits, by_place);
  for (size_t i = 0; i < found; i++) { /* they are anywhere in memory: prefetch all of them */
    const struct skill__segment *segment = scorer->snapshot->parts[context->hits[i].part].segment;
    const uint8_t *at = segment->blob + segment->at[context->hits[i].doc];
    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
    __builtin_prefetch(at + 128);
  }
  for (size_t i = 0; i < found; i++) {
    if (twice && i && by_place(&context->hits[i - 1], &context->hits[i]) == 0) continue;
    int status = add_candidate(context, scorer, query, context->hits[i].part, context->hits[i].doc);
    if (status) return status;
  }
  return 0;
}

/* If no skill has a word of the query, it may be the beginning of a name. */
static int add_prefixes(struct skill__context *context, struct skill__scorer *scorer, const SkillQuery *query,
                        const char *text, size_t length) {
  const SkillRankSnapshot *snapshot = scorer->snapshot;
  for (uint32_t p = 0; p < snapshot->part_count; p++) {
    const struct skill__segment *segment = snapshot->parts[p].segment;
    for (uint32_t doc = 0; doc < segment->count; doc++) {
      size_t n = 0;
      const char *name = skill__doc_name(segment->blob + segment->at[doc], &n);
      if (!skill__name_begins(name, n, text, length) || skill__dead_has(snapshot->parts[p].dead, doc)) continue;
      if (tier_of(context, p, doc)) continue;
      int status = add_candidate(context, scorer, query, p, doc);
      if (status) return status;
    }
  }
  return 0;
}

static void set_prefix_tiers(struct skill__context *context, const char *text, size_t length) {
  for (size_t i = 0; i < context->candidate_count; i++) {
    struct skill__rank_candidate *candidate = &context->candidates[i];
    if (!candidate->tier && (candidate->whole > 0 || context->query.known <= 0) &&
        skill__name_begins(candidate->name, strlen(candidate->name), text, length))
      candidate->tier = 1;
  }
}

struct search {
  struct skill__context *context;
  const SkillRankSnapshot *snapshot;
  const SkillQuery *query;
  size_t wanted;  /* results */
  bool all;       /* every skill is scored */
  bool selected;  /* the pins are all there is */
  bool narrowed;  /* what is found may have to be left out */
  bool may_begin; /* the query may be the beginning of a name */
  struct skill__spread spread;
};

static struct search plan(struct skill__context *context, const SkillRankSnapshot *snapshot, const SkillQuery *query,
                          size_t length) {
  struct search search = {context, snapshot, query, .wanted = (query->limit ? query->limit : 10) + query->offset};
  bool no_words = context->filtered && context->query.term_count == 0;
  search.selected = context->filtered && context->filter.selected_count;
  search.narrowed = query->visible || context->filtered;
  search.all = !search.selected && (query->exhaustive || no_words || snapshot->shared->scorer == SKILL_SCORER_ADDITIVE);
  search.may_begin = length >= SKILL__PREFIX_BYTES && length <= SKILL_MAX_NAME;
  return search;
}

/* Candidates of the first stage by words: rounded scores of a large catalogue are closer together, and they take a body
 * for all it could be worth. */
static size_t words_wanted(const struct search *search) {
  const struct skill__stats *stats = &search->snapshot->stats;
  size_t large = stats->skills / SKILL__CANDIDATES_LARGE_SKILLS;
  if (large > SKILL__CANDIDATES_LARGE) large = SKILL__CANDIDATES_LARGE;
  return SKILL__CANDIDATES_EACH * search->wanted + SKILL__CANDIDATES_MORE + large +
         (stats->length[SKILL_RANK_BODY] ? SKILL__CANDIDATES_BODIES : 0);
}

/* The pins of select:, in the order they are named. */
static void pin_selected(struct skill__context *context, const SkillRankSnapshot *snapshot) {
  const struct skill__filter *filter = &context->filter;
  for (size_t i = 0; context->filtered && i < filter->selected_count; i++)
    pin(context, snapshot, filter->selected[i], filter->selected_length[i], 3 + (int)(filter->selected_count - i));
}

/* One round: candidates from the first stage, or all. *enough: another round could find no more. */
static int search_round(struct search *search, size_t count, size_t near, const char *text, size_t length,
                        bool *enough) {
  struct skill__context *context = search->context;
  struct skill__scorer scorer;
  size_t found = 0;
  int status = 0;
  context->candidate_count = 0;
  if (!search->all && !search->selected)
    status = skill__first_stage(context, search->snapshot, count, near, search->query->include_unlisted, &found,
                                &search->spread);
  if (!status) status = skill__scorer_init(&scorer, search->snapshot, context);
  if (status) return status;
  *enough = search->all || search->selected || !search->narrowed || found < count;
  if (search->all) return add_all(context, &scorer, search->query);
  status = add_hits(context, &scorer, search->query, found);
  if (!status && !search->selected && search->may_begin && context->query.known <= 0)
    status = add_prefixes(context, &scorer, search->query, text, length);
  return status;
}

int skill__search(struct skill__context *context, const SkillRankSnapshot *snapshot, const SkillQuery *query,
                  const char *text, size_t length, struct skill__fusion *fusion) {
  struct search search = plan(context, snapshot, query, length);
  size_t near = SKILL__CANDIDATES_EACH * search.wanted + SKILL__CANDIDATES_MORE, count = words_wanted(&search);
  bool enough = false;
  pin_names(context, snapshot, text, length);
  pin_selected(context, snapshot);
  for (;; count *= SKILL__CANDIDATES_WIDER, near *= SKILL__CANDIDATES_WIDER) {
    if (!search.selected && count >= snapshot->stats.skills) search.all = true;
    int status = search_round(&search, count, near, text, length, &enough);
    if (status) return status;
    if (enough || context->candidate_count >= search.wanted) break;
  }
  if (search.may_begin) set_prefix_tiers(context, text, length);
  skill__fuse(context, snapshot, search.all || search.selected ? NULL : &search.spread, fusion);
  return 0;
}
