/* SPDX-License-Identifier: MIT
 *
 * Unsigned numbers in seven-bit groups, least first. Readers trust their input: it was written by this library, or
 * checked when a file was mapped.
 */
#ifndef SKILL_RANK_INDEX_VARINT_H
#define SKILL_RANK_INDEX_VARINT_H

#include <stdint.h>
#include <string.h>

#include "util/buf.h"

enum { SKILL__VARINT_SLACK = 8 }; /* bytes behind the last number that skill__varint_run may read */

static inline uint32_t skill__varint_get(const uint8_t **at) {
  const uint8_t *p = *at;
  uint32_t value = *p++;
  if (value >= 0x80) {
    value &= 0x7f;
    for (unsigned shift = 7;; shift += 7) {
      uint32_t next = *p++;
      value |= (next & 0x7f) << shift;
      if (next < 0x80) break;
    }
  }
  *at = p;
  return value;
}

/* Reads `count` numbers and returns what follows them. Eight bytes are looked at together: the ends of all numbers in
 * them are known at once; a loop over bytes would mispredict the length of each number. */
static inline const uint8_t *skill__varint_run(const uint8_t *at, uint32_t *out, size_t count) {
  size_t done = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  const uint64_t tops = 0x8080808080808080u;
  while (done < count) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    uint64_t ends = ~word & tops;
    unsigned from = 0; /* in bits */
    for (; ends && done < count; ends &= ends - 1) {
      uint64_t value = (word & (ends ^ (ends - 1))) >> from;
      out[done++] = (uint32_t)((value & 0x7f) | (value >> 1 & 0x3f80) | (value >> 2 & 0x1fc000) |
                               (value >> 3 & 0xfe00000) | (value >> 4 & 0xf0000000));
      from = (unsigned)__builtin_ctzll(ends) + 1;
    }
    at += from / 8;
  }
#else
  while (done < count) out[done++] = skill__varint_get(&at);
#endif
  return at;
}

enum { SKILL__VARINT_ROOM = 8 }; /* bytes that skill__varint_put may write */

static inline size_t skill__varint_size(uint32_t value) {
  return (38u - (unsigned)__builtin_clz(value | 1)) / 7;
}

/* Returns how many bytes the number takes, at most 5; what it writes behind them is to be overwritten. */
static inline size_t skill__varint_put(uint8_t *out, uint32_t value) {
  size_t n = skill__varint_size(value);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t wide = value, more = 0x8080808080u & (((uint64_t)1 << 8 * (n - 1)) - 1);
  uint64_t bytes = (wide & 0x7f) | (wide & 0x3f80) << 1 | (wide & 0x1fc000) << 2 | (wide & 0xfe00000) << 3 |
                   (wide & 0xf0000000) << 4 | more;
  memcpy(out, &bytes, sizeof bytes);
#else
  for (size_t i = 0; i < n; i++, value >>= 7) out[i] = (uint8_t)(value | (i + 1 < n ? 0x80 : 0));
#endif
  return n;
}

static inline void skill__varint_add(struct skill__buf *buf, uint32_t value) {
  uint8_t bytes[SKILL__VARINT_ROOM];
  skill__buf_add(buf, bytes, skill__varint_put(bytes, value));
}

#endif
