/* SPDX-License-Identifier: MIT
 *
 * The built-in policies. All evict the least recently used resident that may go; they differ in what they select.
 */
#include "loader/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A newcomer takes the place of an active skill only if its score is this many times as high: a change of the active
 * skills costs the cached prefix of the prompt. */
static const double clearly_better = 1.25;

int skill__policy_lru(const SkillPolicy *policy, const SkillVictimInput *input, size_t *victim) {
  (void)policy;
  for (size_t i = 0; i < input->count; i++) {
    const SkillResident *resident = &input->residents[i];
    if (resident->pinned || resident->in_use || resident->wanted) continue;
    *victim = i;
    return 0;
  }
  return SKILL_EFULL;
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static int select_best(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  (void)policy;
  *count = smaller(input->count, smaller(input->top, input->max_active));
  for (size_t i = 0; i < *count; i++) chosen[i] = i;
  return 0;
}

/* The place in `chosen` of the worst newcomer that is not clearly better than `score`; `count`: there is none. */
static size_t weakest_newcomer(const SkillSelectInput *input, const size_t *chosen, size_t count, double score) {
  for (size_t i = count; i-- > 0;) {
    const SkillCandidate *candidate = &input->candidates[chosen[i]];
    if (!candidate->active && candidate->score < score * clearly_better) return i;
  }
  return count;
}

static int ascending(const void *a, const void *b) {
  size_t x = *(const size_t *)a;
  size_t y = *(const size_t *)b;
  return (x > y) - (x < y);
}

/* The active candidates that the best would push out are tried best first, each against the weakest newcomer. */
static int select_sticky(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  select_best(policy, input, chosen, count);
  for (size_t i = *count; i < input->count; i++) {
    if (!input->candidates[i].active) continue;
    size_t place = weakest_newcomer(input, chosen, *count, input->candidates[i].score);
    if (place < *count) chosen[place] = i;
  }
  qsort(chosen, *count, sizeof *chosen, ascending);
  return 0;
}

static int select_all(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  (void)policy;
  for (size_t i = 0; i < input->count; i++) chosen[i] = i;
  *count = input->count;
  return 0;
}

static int select_none(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  (void)policy;
  (void)input;
  (void)chosen;
  *count = 0;
  return 0;
}

enum { RELEVANCE, STICKY, BUDGET, ALL, MANUAL, COUNT };

/* The only place that names the built-in policies: option help and error messages take the names from here. */
static const SkillPolicy policies[COUNT] = {
    [RELEVANCE] = {SKILL_POLICY_VERSION, 0, "relevance", NULL, select_best, skill__policy_lru},
    [STICKY] = {SKILL_POLICY_VERSION, 0, "sticky", NULL, select_sticky, skill__policy_lru},
    [BUDGET] = {SKILL_POLICY_VERSION, 0, "budget", NULL, skill__policy_budget_select, skill__policy_lru},
    [ALL] = {SKILL_POLICY_VERSION, SKILL_POLICY_EVERY, "all", NULL, select_all, skill__policy_lru},
    [MANUAL] = {SKILL_POLICY_VERSION, 0, "manual", NULL, select_none, skill__policy_lru},
};

const SkillPolicy *skill_policy_relevance(void) {
  return &policies[RELEVANCE];
}

const SkillPolicy *skill_policy_sticky(void) {
  return &policies[STICKY];
}

const SkillPolicy *skill_policy_budget(void) {
  return &policies[BUDGET];
}

const SkillPolicy *skill_policy_all(void) {
  return &policies[ALL];
}

const SkillPolicy *skill_policy_manual(void) {
  return &policies[MANUAL];
}

const SkillPolicy *skill_policy_at(size_t index) {
  return index < COUNT ? &policies[index] : NULL;
}

const SkillPolicy *skill_policy_find(const char *name) {
  for (size_t i = 0; name && i < COUNT; i++) {
    if (!strcmp(policies[i].name, name)) return &policies[i];
  }
  return NULL;
}

void skill__policy_names(char *out, size_t size) {
  size_t used = 0;
  for (size_t i = 0; i < COUNT && used < size; i++) {
    const char *between = i + 1 < COUNT ? ", " : " or ";
    used += (size_t)snprintf(out + used, size - used, "%s%s", i ? between : "", policies[i].name);
  }
}
