/* SPDX-License-Identifier: MIT
 *
 * Unsigned numbers in seven-bit groups, least first. Readers trust their input: it was written by this library, or
 * checked when a file was mapped.
 */
#ifndef SKILL_RANK_VARINT_H
#define SKILL_RANK_VARINT_H

#include <stdint.h>

#include "util/buf.h"

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

static inline size_t skill__varint_put(uint8_t *out, uint32_t value) {
  size_t n = 0;
  while (value >= 0x80) {
    out[n++] = (uint8_t)(value | 0x80);
    value >>= 7;
  }
  out[n++] = (uint8_t)value;
  return n;
}

static inline void skill__varint_add(struct skill__buf *buf, uint32_t value) {
  uint8_t bytes[5];
  skill__buf_add(buf, bytes, skill__varint_put(bytes, value));
}

#endif
