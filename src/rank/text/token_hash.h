/* SPDX-License-Identifier: MIT
 *
 * A hash of a token's text, eight bytes at a time. Saved indexes contain it, so a change needs a new version of
 * index_file.c. skill__hash_bytes reads one byte at a time; every token that the stem cache misses is hashed here.
 */
#ifndef SKILL_RANK_TEXT_TOKEN_HASH_H
#define SKILL_RANK_TEXT_TOKEN_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t skill__token_hash(const char *text, size_t length) {
  uint64_t h = 0x9e3779b97f4a7c15u ^ length;
  while (length >= 8) {
    uint64_t word;
    memcpy(&word, text, 8);
    h = (h ^ word) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
    text += 8;
    length -= 8;
  }
  uint64_t word = 0;
  memcpy(&word, text, length);
  h = (h ^ word) * 0xff51afd7ed558ccdu;
  h ^= h >> 29;
  h *= 0xc4ceb9fe1a85ec53u;
  return (uint32_t)(h >> 32);
}

#endif
