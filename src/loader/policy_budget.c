/* SPDX-License-Identifier: MIT
 *
 * The budget policy: the greatest total score of at most max_active skills whose tokens together stay within the
 * budget. This is a knapsack problem with a limited number of pieces. Branch and bound solves it: candidates are tried
 * in descending order of score per token, and a branch is left when even the rest of the budget, filled with fractions
 * of candidates, cannot beat the best selection found.
 */
#include <stdint.h>
#include <stdlib.h>

#include "loader/policy.h"

enum {
  MOST = 64,     /* candidates: the bits of a selection */
  STEPS = 200000 /* branches, a few milliseconds; then the best selection found so far is taken */
};

struct piece {
  const SkillCandidate *candidate;
  double density; /* score per token */
};

struct search {
  struct piece pieces[MOST]; /* the densest first */
  size_t count;
  uint64_t taken; /* bits of places in `pieces` */
  uint64_t best_taken;
  double best;
  unsigned steps;
};

/* Of equally dense ones the better ranked first: candidates are in the order of the ranking. */
static int denser(const void *a, const void *b) {
  const struct piece *x = a;
  const struct piece *y = b;
  if (x->density != y->density) return x->density > y->density ? -1 : 1;
  return (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

/* No selection from `at` onwards adds more than this. */
static double bound(const struct search *search, size_t at, size_t tokens_left) {
  double sum = 0;
  for (; at < search->count; at++) {
    const struct piece *piece = &search->pieces[at];
    if (piece->candidate->l2_tokens > tokens_left) return sum + piece->density * (double)tokens_left;
    sum += piece->candidate->score;
    tokens_left -= piece->candidate->l2_tokens;
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
  const SkillCandidate *candidate = search->pieces[at].candidate;
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
  struct search search = {.count = input->count < MOST ? input->count : MOST};
  bool picked[MOST] = {false};
  size_t n = 0;
  for (size_t i = 0; i < search.count; i++) {
    const SkillCandidate *candidate = &input->candidates[i];
    double tokens = candidate->l2_tokens ? (double)candidate->l2_tokens : 1;
    search.pieces[i] = (struct piece){candidate, candidate->score / tokens};
  }
  qsort(search.pieces, search.count, sizeof *search.pieces, denser);
  branch(&search, 0, input->token_budget ? input->token_budget : SIZE_MAX, input->max_active, 0);
  for (size_t i = 0; i < search.count; i++) {
    if (search.best_taken >> i & 1) picked[search.pieces[i].candidate - input->candidates] = true;
  }
  for (size_t i = 0; i < search.count; i++) {
    if (picked[i]) chosen[n++] = i;
  }
  *count = n;
  return 0;
}
