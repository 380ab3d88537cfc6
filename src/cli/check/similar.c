/* SPDX-License-Identifier: MIT
 *
 * Competing descriptions, by the scores of the ranker: skills a and b compete if a request with a's description as its
 * text finds b nearly as well as a, and the other way round.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"
#include "util/alloc.h"
#include "util/utf8.h"

enum {
  COMPARE_MAX = 50000, /* descriptions that are compared; 15,580 take about a second */
  QUERY_BYTES = 240,   /* of a description; its beginning says what the skill is for */
  NEIGHBOURS = 4,      /* best others of each */
  PAIRS_MAX = 1000
};
static const double threshold = 0.8;

struct half {
  const char *from;
  const char *to;
  double ratio;
};

struct halves {
  struct half *items;
  size_t count, room;
};

static size_t query_length(const char *text) {
  size_t length = strlen(text);
  return length > QUERY_BYTES ? skill__utf8_floor(text, QUERY_BYTES) : length;
}

static int add_half(struct halves *halves, const char *from, const char *to, double ratio) {
  if (SKILL__GROW(halves->items, halves->room, halves->count + 1)) return SKILL_ENOMEM;
  halves->items[halves->count++] = (struct half){from, to, ratio};
  return 0;
}

/* The registry's copy of a name, which outlives the ranking. */
static const char *lasting(const struct check *check, const char *name) {
  const Skill *skill = skill_registry_find(check->catalog.registry, name);
  return skill ? skill_name(skill) : NULL;
}

static int find_rivals(struct check *check, const SkillMetadata *m, struct halves *halves) {
  SkillQuery query = {.size = sizeof(SkillQuery), .text = m->description, .limit = NEIGHBOURS + 1, .floor = -1};
  SkillRanking *ranking = NULL;
  query.length = query_length(m->description);
  int status = skill_ranker_query(skill_registry_ranker(check->catalog.registry), &query, &ranking, NULL);
  if (status) return status == SKILL_ENOMEM ? status : 0;
  double own = 0;
  for (size_t i = 0; i < ranking->count; i++) {
    if (!strcmp(ranking->results[i]->name, m->name)) own = ranking->results[i]->score;
  }
  if (own <= 0 && ranking->count) own = ranking->results[0]->score; /* others score better */
  for (size_t i = 0; i < ranking->count && own > 0 && !status; i++) {
    const SkillRankResult *r = ranking->results[i];
    double ratio = r->score < own ? r->score / own : 1;
    const char *to = strcmp(r->name, m->name) != 0 ? lasting(check, r->name) : NULL;
    if (to && ratio >= threshold) status = add_half(halves, m->name, to, ratio);
  }
  skill_ranking_free(ranking);
  return status;
}

static int compare_halves(const void *a, const void *b) {
  const struct half *x = a;
  const struct half *y = b;
  int order = strcmp(x->from, y->from);
  return order ? order : strcmp(x->to, y->to);
}

static int compare_pairs(const void *a, const void *b) {
  const struct check_pair *x = a;
  const struct check_pair *y = b;
  if (x->score != y->score) return x->score < y->score ? 1 : -1;
  int order = strcmp(x->a, y->a);
  return order ? order : strcmp(x->b, y->b);
}

static int join(struct check *check, struct halves *halves) {
  if (halves->count) qsort(halves->items, halves->count, sizeof *halves->items, compare_halves);
  for (size_t i = 0; i < halves->count && check->pair_count < PAIRS_MAX; i++) {
    const struct half *half = &halves->items[i];
    struct half key = {half->to, half->from, 0};
    if (strcmp(half->from, half->to) > 0) continue;
    const struct half *back = bsearch(&key, halves->items, halves->count, sizeof key, compare_halves);
    if (!back) continue;
    if (SKILL__GROW(check->pairs, check->pair_room, check->pair_count + 1)) return SKILL_ENOMEM;
    double score = half->ratio < back->ratio ? half->ratio : back->ratio;
    check->pairs[check->pair_count++] = (struct check_pair){half->from, half->to, score};
  }
  if (check->pair_count) qsort(check->pairs, check->pair_count, sizeof *check->pairs, compare_pairs);
  return 0;
}

/* Whether the skill has a description of its own. */
static bool described(const SkillMetadata *m) {
  return !m->unlisted && !m->description_derived && m->description;
}

int check_compare(struct check *check) {
  const SkillRegistry *registry = check->catalog.registry;
  struct halves halves = {0};
  size_t compared = 0;
  int status = 0;
  for (const Skill *skill = NULL; !status && (skill = skill_registry_next(registry, skill)) != NULL;) {
    if (!described(skill_metadata(skill)) || compared++ >= COMPARE_MAX) continue;
    status = find_rivals(check, skill_metadata(skill), &halves);
  }
  if (!status) status = join(check, &halves);
  skill__free(halves.items);
  return status;
}
