/* SPDX-License-Identifier: MIT
 *
 * The budget policy: the greatest total score of at most max_active skills whose tokens together stay within the
 * budget. A knapsack with a limit of pieces, solved by branch and bound: candidates in order of score for a token, and
 * a branch is left when even filling the rest of the budget with fractions cannot beat the best found.
 */
#include <stdint.h>

#include "loader/loader_internal.h"

enum { MOST = 64, STEPS = 200000 /* branches looked at before the best so far is taken */ };

struct search {
  const SkillSelectInput *input;
  size_t order[MOST];
  size_t count;
  uint64_t taken; /* bits of places in `order` */
  uint64_t best_taken;
  double best;
  unsigned steps;
};

static double density(const SkillCandidate *candidate) {
  return candidate->score / (double)(candidate->l2_tokens ? candidate->l2_tokens : 1);
}

static void sort_by_density(struct search *search) {
  const SkillCandidate *candidates = search->input->candidates;
  for (size_t i = 1; i < search->count; i++) {
    size_t moving = search->order[i];
    size_t j = i;
    for (; j && density(&candidates[search->order[j - 1]]) < density(&candidates[moving]); j--) {
      search->order[j] = search->order[j - 1];
    }
    search->order[j] = moving;
  }
}

/* No choice from `at` on adds more than this. */
static double bound(const struct search *search, size_t at, size_t tokens_left) {
  double sum = 0;
  for (; at < search->count; at++) {
    const SkillCandidate *candidate = &search->input->candidates[search->order[at]];
    if (candidate->l2_tokens > tokens_left) return sum + density(candidate) * (double)tokens_left;
    sum += candidate->score;
    tokens_left -= candidate->l2_tokens;
  }
  return sum;
}

static void branch(struct search *search, size_t at, size_t tokens_left, size_t pieces_left, double score) {
  if (score > search->best) {
    search->best = score;
    search->best_taken = search->taken;
  }
  if (at == search->count || !pieces_left || ++search->steps > STEPS) return;
  if (score + bound(search, at, tokens_left) <= search->best) return;
  const SkillCandidate *candidate = &search->input->candidates[search->order[at]];
  if (candidate->l2_tokens <= tokens_left) {
    search->taken |= UINT64_C(1) << at;
    branch(search, at + 1, tokens_left - candidate->l2_tokens, pieces_left - 1, score + candidate->score);
    search->taken &= ~(UINT64_C(1) << at);
  }
  branch(search, at + 1, tokens_left, pieces_left, score);
}

int skill__policy_budget_select(const SkillPolicy *policy, const SkillSelectInput *input, size_t *chosen,
                                size_t *count) {
  (void)policy;
  struct search search = {.input = input, .count = input->count < MOST ? input->count : MOST};
  bool picked[MOST] = {false};
  size_t n = 0;
  for (size_t i = 0; i < search.count; i++) search.order[i] = i;
  sort_by_density(&search);
  branch(&search, 0, input->token_budget ? input->token_budget : SIZE_MAX, input->max_active, 0);
  for (size_t i = 0; i < search.count; i++) {
    if (search.best_taken >> i & 1) picked[search.order[i]] = true;
  }
  for (size_t i = 0; i < search.count; i++) {
    if (picked[i]) chosen[n++] = i;
  }
  *count = n;
  return 0;
}
