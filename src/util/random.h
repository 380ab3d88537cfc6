/* SPDX-License-Identifier: MIT
 *
 * SplitMix64: a small generator with a seed, so that simulations and samples are the same everywhere.
 */
#ifndef SKILL_UTIL_RANDOM_H
#define SKILL_UTIL_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct skill__random {
  uint64_t state;
};

static inline uint64_t skill__random_next(struct skill__random *random) {
  uint64_t x = random->state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* 0 to below - 1; `below` > 0. */
static inline size_t skill__random_below(struct skill__random *random, size_t below) {
  return (size_t)(skill__random_next(random) % below);
}

/* Whether something that happens `percent` times in a hundred happens. */
static inline int skill__random_percent(struct skill__random *random, size_t percent) {
  return skill__random_below(random, 100) < percent;
}

#endif
