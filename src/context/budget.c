/* SPDX-License-Identifier: MIT
 *
 * Divides a token budget among claims: by priority, first what each needs at least, then what it wants. Never fails.
 */
#include "skillet/context.h"

static size_t least_of(const SkillShare *share) {
  return share->least < share->want ? share->least : share->want;
}

/* The next priority above `after`; false: there is none. `first` starts. */
static bool next_priority(const SkillShare *shares, size_t count, bool first, unsigned after, unsigned *out) {
  bool found = false;
  for (size_t i = 0; i < count; i++) {
    if (!first && shares[i].priority <= after) continue;
    if (found && shares[i].priority >= *out) continue;
    *out = shares[i].priority;
    found = true;
  }
  return found;
}

size_t skill_budget_allocate(const SkillShare *shares, size_t count, size_t budget, size_t *given) {
  size_t left = budget;
  unsigned priority = 0;
  for (size_t i = 0; i < count; i++) given[i] = 0;
  for (bool first = true; next_priority(shares, count, first, priority, &priority); first = false) {
    for (size_t i = 0; i < count; i++) {
      size_t least = least_of(&shares[i]);
      if (shares[i].priority != priority || least > left) continue;
      given[i] = least;
      left -= least;
    }
    for (size_t i = 0; i < count; i++) {
      if (shares[i].priority != priority || given[i] < least_of(&shares[i])) continue;
      size_t more = shares[i].want - given[i];
      if (more > left) more = left;
      given[i] += more;
      left -= more;
    }
  }
  return budget - left;
}
