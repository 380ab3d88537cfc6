/* SPDX-License-Identifier: MIT
 *
 * The built-in policies. All evict the least recently used resident that may go; they differ in what they select.
 */
#include "skillet/policy.h"

#include <string.h>

#include "loader/loader_internal.h"

/* How much better than an active skill a newcomer must score to take its place. */
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

static int relevance_select(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  (void)policy;
  *count = smaller(input->count, smaller(input->top, input->max_active));
  for (size_t i = 0; i < *count; i++) chosen[i] = i;
  return 0;
}

/* The place in `chosen` of the worst newcomer that does not beat `score` clearly; `count`: there is none. */
static size_t weakest_newcomer(const SkillSelectInput *input, const size_t *chosen, size_t count, double score) {
  for (size_t i = count; i-- > 0;) {
    const SkillCandidate *candidate = &input->candidates[chosen[i]];
    if (!candidate->active && candidate->score < score * clearly_better) return i;
  }
  return count;
}

static void sort(size_t *chosen, size_t count) {
  for (size_t i = 1; i < count; i++) {
    size_t moving = chosen[i];
    size_t j = i;
    for (; j && chosen[j - 1] > moving; j--) chosen[j] = chosen[j - 1];
    chosen[j] = moving;
  }
}

static int sticky_select(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  relevance_select(policy, input, chosen, count);
  for (size_t i = *count; i < input->count; i++) {
    if (!input->candidates[i].active) continue;
    size_t place = weakest_newcomer(input, chosen, *count, input->candidates[i].score);
    if (place < *count) chosen[place] = i;
  }
  sort(chosen, *count);
  return 0;
}

static int all_select(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  (void)policy;
  for (size_t i = 0; i < input->count; i++) chosen[i] = i;
  *count = input->count;
  return 0;
}

static int manual_select(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  (void)policy;
  (void)input;
  (void)chosen;
  *count = 0;
  return 0;
}

static const SkillPolicy policies[] = {
    {SKILL_POLICY_VERSION, 0, "relevance", NULL, relevance_select, skill__policy_lru},
    {SKILL_POLICY_VERSION, 0, "sticky", NULL, sticky_select, skill__policy_lru},
    {SKILL_POLICY_VERSION, 0, "budget", NULL, skill__policy_budget_select, skill__policy_lru},
    {SKILL_POLICY_VERSION, SKILL_POLICY_EVERY, "all", NULL, all_select, skill__policy_lru},
    {SKILL_POLICY_VERSION, 0, "manual", NULL, manual_select, skill__policy_lru},
};

const SkillPolicy *skill_policy_relevance(void) {
  return &policies[0];
}

const SkillPolicy *skill_policy_sticky(void) {
  return &policies[1];
}

const SkillPolicy *skill_policy_budget(void) {
  return &policies[2];
}

const SkillPolicy *skill_policy_all(void) {
  return &policies[3];
}

const SkillPolicy *skill_policy_manual(void) {
  return &policies[4];
}

const SkillPolicy *skill_policy_find(const char *name) {
  for (size_t i = 0; name && i < sizeof policies / sizeof *policies; i++) {
    if (!strcmp(policies[i].name, name)) return &policies[i];
  }
  return NULL;
}
