/* SPDX-License-Identifier: MIT
 *
 * The search grammar: plain words, "a phrase", +required, -excluded, tag:NAME, source:NAME, select:NAME,NAME. A sign
 * may be before a word, a phrase, tag: or source:.
 */
#ifndef SKILL_RANK_QUERY_FILTER_H
#define SKILL_RANK_QUERY_FILTER_H

#include "rank/index/snapshot.h"

enum { SKILL__FILTER_MAX = 64, SKILL__FILTER_IDS = 256 };

enum skill__filter_kind { SKILL__FILTER_ALL, SKILL__FILTER_PHRASE, SKILL__FILTER_TAG, SKILL__FILTER_SOURCE };

/* One condition. Tokens: ids[start, start + count); text: in the query. */
struct skill__condition {
  enum skill__filter_kind kind;
  bool excluded;
  uint32_t start, count;
  const char *text;
  size_t length;
};

struct skill__filter {
  const struct skill__dict *dict;
  struct skill__condition conditions[SKILL__FILTER_MAX];
  size_t count;
  uint32_t ids[SKILL__FILTER_IDS];
  size_t id_count;
  const char *selected[SKILL__FILTER_MAX]; /* names, in order */
  size_t selected_length[SKILL__FILTER_MAX];
  size_t selected_count;
  bool impossible; /* a required word that no skill has */
};

/* Reads the grammar; what is to be ranked is appended to `words`. `text` must outlive the filter. SKILL_EINVAL (with
 * the place), SKILL_ELIMIT (too many conditions), SKILL_ENOMEM. */
int skill__filter_read(struct skill__filter *filter, const SkillRankSnapshot *snapshot,
                       struct skill__analyzer *analyzer, const char *text, size_t length, struct skill__buf *words,
                       SkillError *err);

/* Whether the skill meets all conditions. */
bool skill__filter_meets(const struct skill__filter *filter, const struct skill__doc *doc);

#endif
