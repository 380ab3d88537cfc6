/* SPDX-License-Identifier: MIT
 *
 * Of tens of thousands of descriptions, finds those that share many words with another; only these are compared.
 *
 * Each description becomes a set of words and pairs of Han characters, and each set 24 minima of hash functions
 * (MinHash, Broder 1997). Two descriptions with two equal minima side by side are near. If they share a third of their
 * words they are found with probability 1 - (1 - 1/9)^12 = 0.76, with half of them 0.97.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"
#include "util/alloc.h"
#include "util/random.h"
#include "util/utf8.h"

enum { BANDS = CHECK_NEAREST, ROWS = 2, HASHES = BANDS * ROWS, WORDS_MAX = 200 };

struct key {
  uint64_t hash;
  uint32_t skill;
};

static void take(uint64_t minima[HASHES], uint64_t word) {
  for (unsigned h = 0; h < HASHES; h++) {
    uint64_t value = skill__random_mix(word + 0x9e3779b97f4a7c15u * (h + 1));
    if (value < minima[h]) minima[h] = value;
  }
}

static bool letter(uint32_t rune) {
  return (rune >= 'a' && rune <= 'z') || (rune >= '0' && rune <= '9') || rune >= 0x80;
}

/* Returns the number of words. */
static size_t sketch(const char *text, uint64_t minima[HASHES]) {
  size_t length = strlen(text);
  size_t words = 0;
  uint64_t word = 0;
  uint32_t last = 0;
  memset(minima, 0xff, HASHES * sizeof *minima);
  for (size_t i = 0; i <= length && words < WORDS_MAX;) {
    uint32_t rune = 0;
    size_t step = i < length ? skill__utf8_decode(text + i, length - i, &rune) : 0;
    if (rune >= 'A' && rune <= 'Z') rune += 32;
    bool han = rune >= 0x3040 && rune < 0xa000;
    if (word && (han || !letter(rune))) {
      take(minima, word);
      words++;
      word = 0;
    }
    if (han && last) {
      take(minima, skill__random_mix(last) + rune);
      words++;
    }
    if (!han && letter(rune)) word = skill__random_mix(word + rune + 1);
    last = han ? rune : 0;
    i += step ? step : 1;
  }
  return words;
}

static int compare_keys(const void *a, const void *b) {
  const struct key *x = a;
  const struct key *y = b;
  if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
  return (x->skill > y->skill) - (x->skill < y->skill);
}

int check_near(const SkillMetadata *const *skills, size_t count, unsigned char *near) {
  if (count > UINT32_MAX) return SKILL_ENOMEM;
  struct key *keys = skill__malloc((count + 1) * BANDS * sizeof *keys);
  if (!keys) return SKILL_ENOMEM;
  size_t used = 0;
  for (size_t s = 0; s < count; s++) {
    uint64_t minima[HASHES];
    if (sketch(skills[s]->description, minima) < 3) continue;
    for (unsigned band = 0; band < BANDS; band++) {
      uint64_t hash = skill__random_mix(band + 1);
      for (unsigned row = 0; row < ROWS; row++) hash = skill__random_mix(hash ^ minima[band * ROWS + row]);
      keys[used++] = (struct key){hash, (uint32_t)s};
    }
  }
  if (used) qsort(keys, used, sizeof *keys, compare_keys);
  for (size_t i = 0; i + 1 < used; i++) {
    if (keys[i].hash != keys[i + 1].hash) continue;
    if (near[keys[i].skill] < BANDS) near[keys[i].skill]++; /* more equal bands: nearer */
    if (near[keys[i + 1].skill] < BANDS) near[keys[i + 1].skill]++;
  }
  skill__free(keys);
  return 0;
}
