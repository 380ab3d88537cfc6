/* SPDX-License-Identifier: MIT
 *
 * Where a score came from. A term's saturated score is divided among the fields in proportion to what each added
 * before saturation; the body's own score belongs to the body. A callback's result other than 0 ends the walk and is
 * returned.
 */
#include <string.h>

#include "rank/query/score.h"

/* Weighted frequency of one term in one span. */
static double frequency(const struct skill__span *span, uint32_t id, bool bag) {
  const uint8_t *at = span->ids;
  uint32_t value = 0;
  double tf = 0;
  for (uint32_t i = 0; i < span->count; i++) {
    uint32_t next = skill__varint_get(&at);
    value = bag ? value + next : next;
    uint32_t times = bag ? skill__varint_get(&at) : 1;
    if (value == id) tf += times;
  }
  return tf;
}

/* Frequency of a term in a field of the skill, its tools included. */
static double field_frequency(const struct skill__doc *doc, SkillRankField field, uint32_t id) {
  double tf = frequency(&doc->field[field], id, field == SKILL_RANK_BODY);
  const uint8_t *at = doc->tools;
  for (uint32_t t = 0; t < doc->tool_count; t++) {
    struct skill__doc_tool tool;
    skill__doc_next_tool(&at, &tool);
    for (size_t i = 0; i < SKILL__TOOL_FIELDS; i++)
      if (skill__tool_fields[i].skill == field) tf += frequency(&tool.field[skill__tool_fields[i].tool], id, false);
  }
  return tf;
}

int skill__score_explain(struct skill__scorer *scorer, const struct skill__doc *doc, skill__share_fn *fn, void *user) {
  const struct skill__query *query = scorer->query;
  struct skill__doc_score all;
  skill__score_doc(scorer, doc, &all); /* leaves the body's frequencies */
  double coverage = all.body > 0 ? SKILL__BODY_SHARE * skill__score_coverage(scorer, 0) : 0;
  for (uint32_t i = 0; i < query->views[0].count; i++) {
    const struct skill__qentry *entry = &query->entries[query->views[0].start + i];
    const struct skill__qterm *term = &query->terms[entry->term];
    if (term->id == SKILL__DICT_NONE) continue;
    double part[SKILL_RANK_FIELD_COUNT], x = 0;
    for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) {
      double norm = scorer->weight[f] / (scorer->fixed[f] + scorer->slope[f] * doc->length[f]);
      bool counts = scorer->weight[f] > 0 && f != SKILL_RANK_NOT_WHEN;
      part[f] = counts ? norm * field_frequency(doc, (SkillRankField)f, term->id) : 0;
      x += part[f];
    }
    if (x <= 0) continue;
    double score = (double)entry->weight * (double)term->idf * x * (scorer->k1 + 1) / (x + scorer->k1);
    double alone = coverage * skill__score_body_term(scorer, entry);
    for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) {
      double share = score * part[f] / x + (f == SKILL_RANK_BODY ? alone : 0);
      int status = part[f] > 0 ? fn(user, entry->term, (SkillRankField)f, share) : 0;
      if (status) return status;
    }
  }
  return 0;
}

int skill__score_pairs(struct skill__scorer *scorer, const struct skill__doc *doc, skill__pair_fn *fn, void *user) {
  struct skill__doc_score score;
  skill__score_doc(scorer, doc, &score); /* leaves the pairs' frequencies */
  for (size_t p = 0; p < scorer->query->pair_count; p++) {
    double x = (double)scorer->pair[p];
    const struct skill__qpair *pair = &scorer->query->pairs[p];
    if (x <= 0) continue;
    double part =
        SKILL__PHRASE_SHARE * (double)pair->weight * (double)pair->idf * x * (scorer->k1 + 1) / (x + scorer->k1);
    int status = fn(user, pair->a, pair->b, part);
    if (status) return status;
  }
  return 0;
}
