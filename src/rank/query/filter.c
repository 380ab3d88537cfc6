/* SPDX-License-Identifier: MIT
 *
 * Whether a skill meets the conditions of a search. Nothing here fails.
 */
#include "rank/query/filter.h"

#include <string.h>

/* A bit for each of the condition's tokens that is in the span. For a phrase all bits or none: whether they follow each
 * other there. */
static uint64_t in_span(const struct skill__span *span, bool bag, const uint32_t *ids, uint32_t count, bool phrase) {
  const uint8_t *at = span->ids;
  uint64_t found = 0, rows = 0; /* bit k of rows: the last k + 1 tokens are the first k + 1 of the phrase */
  uint32_t id = 0;
  for (uint32_t i = 0; i < span->count; i++) {
    uint32_t next = skill__varint_get(&at);
    id = bag ? id + next : next;
    if (bag) skill__varint_get(&at);
    uint64_t here = 0;
    for (uint32_t k = 0; k < count; k++) here |= (uint64_t)(ids[k] == id) << k;
    found |= here;
    rows = ((rows << 1) | 1) & here;
    if (phrase && (rows >> (count - 1) & 1)) return ~(uint64_t)0;
  }
  return phrase ? 0 : found;
}

static bool has_tokens(const struct skill__doc *doc, const uint32_t *ids, uint32_t count, bool phrase) {
  uint64_t found = 0, want;
  if (count > 64) count = 64;
  want = count == 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) {
    if (f == SKILL_RANK_NOT_WHEN || (phrase && f == SKILL_RANK_BODY && count > 1)) continue;
    found |= in_span(&doc->field[f], f == SKILL_RANK_BODY, ids, count, phrase);
  }
  const uint8_t *at = doc->tools;
  for (uint32_t t = 0; t < doc->tool_count && (found & want) != want; t++) {
    struct skill__doc_tool tool;
    skill__doc_next_tool(&at, &tool);
    for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) found |= in_span(&tool.field[f], false, ids, count, phrase);
  }
  return (found & want) == want;
}

static bool same(const char *a, size_t a_length, const char *b, size_t b_length) {
  if (a_length != b_length) return false;
  for (size_t i = 0; i < a_length; i++) {
    char x = a[i], y = b[i];
    if (x >= 'A' && x <= 'Z') x |= 0x20;
    if (y >= 'A' && y <= 'Z') y |= 0x20;
    if (x != y) return false;
  }
  return true;
}

static bool holds(const struct skill__filter *filter, const struct skill__condition *condition,
                  const struct skill__doc *doc) {
  switch (condition->kind) {
    case SKILL__FILTER_TAG:
      return skill__doc_has_tag(doc, filter->dict, condition->text, condition->length);
    case SKILL__FILTER_SOURCE:
      return doc->source && same(doc->source, strlen(doc->source), condition->text, condition->length);
    default:
      return has_tokens(doc, filter->ids + condition->start, condition->count, condition->kind == SKILL__FILTER_PHRASE);
  }
}

bool skill__filter_meets(const struct skill__filter *filter, const struct skill__doc *doc) {
  if (filter->impossible) return false;
  for (size_t i = 0; i < filter->count; i++)
    if (holds(filter, &filter->conditions[i], doc) == filter->conditions[i].excluded) return false;
  size_t name = strlen(doc->name);
  for (size_t i = 0; i < filter->selected_count; i++)
    if (skill__name_same(doc->name, name, filter->selected[i], filter->selected_length[i])) return true;
  return filter->selected_count == 0;
}
