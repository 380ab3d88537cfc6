/* SPDX-License-Identifier: MIT
 *
 * Sketches and the search among them. Sums of distances stop at 255 in every form, whatever their order, so the plain
 * and the fast forms agree. Nothing here fails.
 */
#include "rank/index/sign_sketch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rank/table/packed_vector.h"

enum {
  BLOCK = SKILL__SKETCH_BLOCK,
  BYTES = SKILL__SKETCH_BYTES,
  TOTAL = 448, /* the distance of the opposite direction, were there no limit; most vectors are about half as far */
  MOST = 63    /* of one dimension, so that four fit a byte */
};

void skill__sketch_make(const uint8_t *packed, size_t rows, uint8_t *sketches) {
  memset(sketches, 0, skill__sketch_size(rows));
  for (size_t row = 0; row < rows; row++) {
    const uint8_t *signs = packed + row * skill__packed_size(SKILL__SKETCH_DIMS);
    uint8_t *block = sketches + row / BLOCK * BLOCK * BYTES + row % BLOCK;
    for (size_t i = 0; i < BYTES; i++) block[i * BLOCK] = signs[i];
  }
}

/* Put together in registers: what is stored byte by byte is slow to be read as words. */
void skill__sketch_signs(const uint8_t *sketches, size_t row, uint8_t *signs) {
  const uint8_t *block = sketches + row / BLOCK * BLOCK * BYTES + row % BLOCK;
  for (size_t from = 0; from < BYTES; from += 8) {
    uint64_t word = 0;
    for (size_t i = 0; i < 8; i++) word |= (uint64_t)block[(from + i) * BLOCK] << 8 * i;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(signs + from, &word, sizeof word);
  }
}

/* --- a query ------------------------------------------------------------------------------------------------------ */

/* Which values of a half byte have each of its bits. */
static const uint8_t has[4][16] = {{0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255},
                                   {0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255},
                                   {0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 255, 255, 255, 255},
                                   {0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255}};

void skill__sketch_query(const int8_t *vector, struct skill__sketch_query *query) {
  uint32_t sum = 0;
  for (size_t i = 0; i < SKILL__SKETCH_DIMS; i++) sum += (uint32_t)abs(vector[i]);
  uint32_t scale = sum ? ((uint32_t)TOTAL << 16) / sum : 0;
  for (size_t half = 0; half < 2 * BYTES; half++) {
    uint8_t steps[16] = {0};
    for (size_t bit = 0; bit < 4; bit++) {
      int8_t value = vector[4 * half + bit];
      uint32_t rounded = ((uint32_t)abs(value) * scale + 32768) >> 16;
      uint8_t weight = (uint8_t)(rounded < MOST ? rounded : MOST);
      uint8_t flip = value < 0 ? 255 : 0; /* a negative value differs from a bit that is not set */
      for (size_t v = 0; v < 16; v++) steps[v] = (uint8_t)(steps[v] + (weight & (has[bit][v] ^ flip)));
    }
    memcpy(query->of[half], steps, sizeof steps);
  }
}

/* --- the nearest -------------------------------------------------------------------------------------------------- */

/* Keeps the `want` least, in their order; a later row must be nearer than the farthest of them. */
static void settle(struct skill__sketch_near *near) {
  uint32_t histogram[256] = {0};
  size_t below = 0, kept = 0;
  if (near->count <= near->want || near->want == 0) return;
  for (size_t i = 0; i < near->count; i++) histogram[near->distances[i]]++;
  uint8_t most = 0;
  while (below + histogram[most] < near->want) below += histogram[most++];
  size_t equal = near->want - below; /* of those at the limit */
  for (size_t i = 0; i < near->count; i++) {
    uint8_t distance = near->distances[i];
    if (distance > most || (distance == most && equal == 0)) continue;
    equal -= distance == most;
    near->rows[kept] = near->rows[i];
    near->distances[kept++] = distance;
  }
  near->count = kept;
  near->limit = most;
}

/* Takes the rows of a block whose bits are set in `mask`. */
static void take(struct skill__sketch_near *near, uint32_t mask, size_t from, const uint8_t *distances) {
  for (; mask; mask &= mask - 1) {
    unsigned i = (unsigned)__builtin_ctz(mask);
    near->rows[near->count] = (uint32_t)(from + i);
    near->distances[near->count++] = distances[i];
  }
  if (near->count + BLOCK > skill__sketch_room(near->want)) settle(near);
}

/* A bit for each row of the block at `from` that exists. */
static uint32_t present(size_t from, size_t rows) {
  return rows - from >= BLOCK ? UINT32_MAX : ((uint32_t)1 << (rows - from)) - 1;
}

static void begin(struct skill__sketch_near *near, size_t count) {
  for (size_t q = 0; q < count; q++) {
    near[q].count = 0;
    near[q].limit = near[q].want ? UINT8_MAX : 0;
  }
}

void skill__sketch_nearest_plain(const uint8_t *sketches, size_t rows, const struct skill__sketch_query *queries,
                                 struct skill__sketch_near *near, size_t count) {
  begin(near, count);
  for (size_t from = 0; from < rows; from += BLOCK)
    for (size_t q = 0; q < count; q++) {
      const uint8_t *block = sketches + from * BYTES;
      uint8_t distances[BLOCK];
      uint32_t mask = 0;
      for (size_t row = 0; row < BLOCK; row++) {
        unsigned sum = 0;
        for (size_t i = 0; i < BYTES; i++) {
          uint8_t byte = block[i * BLOCK + row];
          sum += queries[q].of[2 * i][byte & 15] + (unsigned)queries[q].of[2 * i + 1][byte >> 4];
        }
        distances[row] = (uint8_t)(sum < 255 ? sum : 255);
        mask |= (uint32_t)(distances[row] < near[q].limit) << row;
      }
      take(&near[q], mask & present(from, rows), from, distances);
    }
  for (size_t q = 0; q < count; q++) settle(&near[q]);
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

enum { TOGETHER = 4 }; /* queries of one pass, as many as fit the registers */

__attribute__((target("avx2"))) static inline __m256i look_up(__m256i sum, const struct skill__sketch_query *query,
                                                              size_t i, __m256i low, __m256i high) {
  const __m128i *at = (const __m128i *)(const void *)query->of[2 * i];
  __m256i a = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128(at)), low);
  __m256i b = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128(at + 1)), high);
  return _mm256_adds_epu8(_mm256_adds_epu8(sum, a), b);
}

/* Takes what is nearer than the limit: less the limit it is not zero. */
__attribute__((target("avx2"))) static inline void take_avx2(struct skill__sketch_near *near, __m256i sum, size_t from,
                                                             size_t rows) {
  __m256i nearer = _mm256_subs_epu8(_mm256_set1_epi8((char)near->limit), sum);
  uint32_t mask = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(nearer, _mm256_setzero_si256()));
  mask &= present(from, rows);
  if (!mask) return;
  uint8_t distances[BLOCK];
  _mm256_storeu_si256((__m256i *)(void *)distances, sum);
  take(near, mask, from, distances);
}

/* Four queries; missing ones repeat the last, and their results are dropped. */
__attribute__((target("avx2"))) static void nearest_four(const uint8_t *sketches, size_t rows,
                                                         const struct skill__sketch_query *queries,
                                                         struct skill__sketch_near *near, size_t count) {
  const __m256i half = _mm256_set1_epi8(15);
  const struct skill__sketch_query *last = queries + count - 1, *second = count > 1 ? queries + 1 : last,
                                   *third = count > 2 ? queries + 2 : last;
  for (size_t from = 0; from < rows; from += BLOCK) {
    __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
    for (size_t i = 0; i < BYTES; i++) {
      const uint8_t *at = sketches + from * BYTES + i * BLOCK;
      __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)at);
      __m256i low = _mm256_and_si256(bytes, half), high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
      a = look_up(a, queries, i, low, high);
      b = look_up(b, second, i, low, high);
      c = look_up(c, third, i, low, high);
      d = look_up(d, last, i, low, high);
    }
    take_avx2(&near[0], a, from, rows);
    if (count > 1) take_avx2(&near[1], b, from, rows);
    if (count > 2) take_avx2(&near[2], c, from, rows);
    if (count > 3) take_avx2(&near[3], d, from, rows);
  }
}

/* One query, the usual case. */
__attribute__((target("avx2"))) static void nearest_one(const uint8_t *sketches, size_t rows,
                                                        const struct skill__sketch_query *query,
                                                        struct skill__sketch_near *near) {
  const __m256i half = _mm256_set1_epi8(15);
  for (size_t from = 0; from < rows; from += BLOCK) {
    __m256i even = _mm256_setzero_si256(), odd = even;
    for (size_t i = 0; i < BYTES; i += 2) {
      const uint8_t *at = sketches + from * BYTES + i * BLOCK;
      __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)at);
      __m256i y = _mm256_loadu_si256((const __m256i *)(const void *)(at + BLOCK));
      even = look_up(even, query, i, _mm256_and_si256(x, half), _mm256_and_si256(_mm256_srli_epi16(x, 4), half));
      odd = look_up(odd, query, i + 1, _mm256_and_si256(y, half), _mm256_and_si256(_mm256_srli_epi16(y, 4), half));
    }
    take_avx2(near, _mm256_adds_epu8(even, odd), from, rows);
  }
}

static void nearest_avx2(const uint8_t *sketches, size_t rows, const struct skill__sketch_query *queries,
                         struct skill__sketch_near *near, size_t count) {
  begin(near, count);
  for (size_t from = 0; from < count; from += TOGETHER) {
    size_t here = count - from < TOGETHER ? count - from : TOGETHER;
    if (here == 1)
      nearest_one(sketches, rows, queries + from, near + from);
    else
      nearest_four(sketches, rows, queries + from, near + from, here);
  }
  for (size_t q = 0; q < count; q++) settle(&near[q]);
}

#endif

void skill__sketch_nearest(const uint8_t *sketches, size_t rows, const struct skill__sketch_query *queries,
                           struct skill__sketch_near *near, size_t count) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx2")) {
    nearest_avx2(sketches, rows, queries, near, count);
    return;
  }
#endif
  skill__sketch_nearest_plain(sketches, rows, queries, near, count);
}
