/* SPDX-License-Identifier: MIT
 *
 * See hash.h. The checksum reads words as little-endian on every machine.
 */
#include "util/hash.h"

#include <string.h>

#define PRIME_1 UINT64_C(0x9e3779b185ebca87)
#define PRIME_2 UINT64_C(0xc2b2ae3d27d4eb4f)

static uint64_t word_at(const unsigned char *p) {
  uint64_t word;
  memcpy(&word, p, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

static uint64_t step(uint64_t lane, uint64_t word) {
  lane = (lane ^ word) * PRIME_1;
  return lane << 31 | lane >> 33;
}

static uint64_t finish(uint64_t h) {
  h = (h ^ h >> 33) * PRIME_2;
  h = (h ^ h >> 29) * PRIME_1;
  return h ^ h >> 32;
}

uint64_t skill__checksum(const void *data, size_t length) {
  const unsigned char *p = data;
  uint64_t lane[4] = {length, PRIME_1, PRIME_2, ~PRIME_1};
  size_t at = 0;
  for (; length - at >= 32; at += 32) {
    for (size_t i = 0; i < 4; i++) lane[i] = step(lane[i], word_at(p + at + 8 * i));
  }
  for (; length - at >= 8; at += 8) lane[0] = step(lane[0], word_at(p + at));
  unsigned char tail[8] = {0};
  if (length > at) memcpy(tail, p + at, length - at);
  lane[1] = step(lane[1], word_at(tail));
  uint64_t h = lane[0];
  for (size_t i = 1; i < 4; i++) h = step(h, lane[i]);
  return finish(h);
}

uint64_t skill__hash_add(uint64_t hash, const void *data, size_t length) {
  const unsigned char *p = data;
  for (size_t i = 0; i < length; i++) hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
  return hash;
}

uint64_t skill__hash_bytes(const void *data, size_t length) {
  return finish(skill__hash_add(SKILL__HASH_START, data, length));
}
