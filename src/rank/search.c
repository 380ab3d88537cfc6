/* SPDX-License-Identifier: MIT
 *
 * Candidates and their scores. Fails only when memory is out.
 */
#include "rank/search.h"

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

/* A word that only a name looks like: it has a separator inside, or capitals after the first letter. */
static bool compound(const char *word, size_t length) {
  for (size_t i = 1; i + 1 < length; i++)
    if (strchr("-_.:/", word[i]) || (word[i] >= 'A' && word[i] <= 'Z' && word[i - 1] >= 'a' && word[i - 1] <= 'z'))
      return true;
  return false;
}

void skill__search_pins(struct skill__context *context, const SkillRankSnapshot *snapshot, const char *text,
                        size_t length) {
  context->pin_count = 0;
  while (length && blank(text[0])) text++, length--;
  while (length && blank(text[length - 1])) length--;
  if (length == 0) return;
  if (length <= SKILL_MAX_NAME) pin(context, snapshot, text, length, 3);
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

static int tier_of(const struct skill__context *context, uint32_t part, uint32_t doc) {
  int tier = 0;
  for (size_t i = 0; i < context->pin_count; i++)
    if (context->pins[i].part == part && context->pins[i].doc == doc && context->pins[i].tier > tier)
      tier = context->pins[i].tier;
  return tier;
}

/* --- vectors ------------------------------------------------------------------------------------------------------ */

static double cosine(const struct skill__segment *segment, size_t row, const int8_t *vector, float unit) {
  int32_t dot = skill__terms_dot(segment->vectors + row * segment->dims, vector, segment->dims);
  return (double)dot * (double)unit * (double)segment->units[row];
}

/* How near a skill is to one view: half itself, half its nearest tool. */
static double view_cosine(const struct skill__segment *segment, uint32_t doc, const int8_t *vector, float unit) {
  size_t first = segment->rows[doc], end = segment->rows[doc + 1];
  double own = cosine(segment, first, vector, unit), best = first + 1 < end ? -1 : own;
  for (size_t row = first + 1; row < end; row++) {
    double other = cosine(segment, row, vector, unit);
    if (other > best) best = other;
  }
  double both = (own + best) / 2;
  return both > 0 ? both : 0;
}

static double doc_cosine(const struct skill__query *query, const struct skill__segment *segment, uint32_t doc) {
  if (!segment->rows || !query->vectors) return 0;
  double whole = view_cosine(segment, doc, query->vectors, query->views[0].unit);
  double best = query->view_count == 1 ? whole : 0;
  for (size_t v = 1; v < query->view_count; v++) {
    double piece = view_cosine(segment, doc, query->vectors + v * segment->dims, query->views[v].unit);
    if (piece > best) best = piece;
  }
  return (whole + best) / 2;
}

/* --- scoring ------------------------------------------------------------------------------------------------------ */

static bool shown(const SkillQuery *query, const struct skill__doc *doc) {
  if ((doc->flags & SKILL__DOC_UNLISTED) && !query->include_unlisted) return false;
  return !query->visible || query->visible(doc->name, query->user);
}

static int add_candidate(struct skill__context *context, struct skill__scorer *scorer, const SkillQuery *query,
                         uint32_t part, uint32_t number) {
  const SkillRankSnapshot *snapshot = scorer->snapshot;
  const struct skill__segment *segment = snapshot->parts[part].segment;
  struct skill__doc doc;
  skill__doc_decode(segment->blob + segment->at[number], &doc);
  if (!shown(query, &doc)) return 0;
  if (SKILL__GROW(context->candidates, context->candidate_capacity, context->candidate_count + 1)) return SKILL_ENOMEM;
  struct skill__candidate *candidate = &context->candidates[context->candidate_count++];
  *candidate = (struct skill__candidate){.part = part, .doc = number, .name = doc.name};
  if (snapshot->shared->scorer == SKILL_SCORER_ADDITIVE) {
    candidate->whole = skill__score_additive(scorer, &doc);
  } else {
    struct skill__doc_score score;
    skill__score_doc(scorer, &doc, &score);
    candidate->whole = score.whole;
    candidate->piece = score.piece;
    candidate->cosine = doc_cosine(&context->query, segment, number);
  }
  candidate->tier = tier_of(context, part, number);
  return 0;
}

int skill__search(struct skill__context *context, const SkillRankSnapshot *snapshot, const SkillQuery *query,
                  const char *text, size_t length, struct skill__fusion *fusion) {
  struct skill__scorer scorer;
  context->candidate_count = 0;
  if (skill__scorer_init(&scorer, snapshot, context)) return SKILL_ENOMEM;
  skill__search_pins(context, snapshot, text, length);
  for (uint32_t p = 0; p < snapshot->part_count; p++) {
    const struct skill__part *part = &snapshot->parts[p];
    for (uint32_t doc = 0; doc < part->segment->count; doc++) {
      if (skill__dead_has(part->dead, doc)) continue;
      int status = add_candidate(context, &scorer, query, p, doc);
      if (status) return status;
    }
  }
  for (size_t i = 0; i < context->candidate_count && length <= SKILL_MAX_NAME; i++) {
    struct skill__candidate *candidate = &context->candidates[i];
    if (!candidate->tier && (candidate->whole > 0 || context->query.known <= 0) &&
        skill__name_begins(candidate->name, strlen(candidate->name), text, length))
      candidate->tier = 1;
  }
  skill__fuse(context, snapshot, fusion);
  return 0;
}
