/* SPDX-License-Identifier: MIT
 *
 * Counting differing bits, and choosing by the counts. Nothing here fails.
 */
#include "rank/sketch.h"

#include <string.h>

enum { BLOCK = SKILL__SKETCH_BLOCK, BYTES = SKILL__SKETCH_BYTES };

struct skill__sketch skill__sketch_of(const int8_t *vector) {
  struct skill__sketch sketch = {{0}};
  for (size_t i = 0; i < SKILL__SKETCH_DIMS; i++) sketch.bytes[i / 8] |= (uint8_t)((vector[i] < 0) << i % 8);
  return sketch;
}

void skill__sketch_make(const int8_t *vectors, size_t rows, uint8_t *sketches) {
  memset(sketches, 0, skill__sketch_size(rows));
  for (size_t row = 0; row < rows; row++) {
    struct skill__sketch sketch = skill__sketch_of(vectors + row * SKILL__SKETCH_DIMS);
    uint8_t *block = sketches + row / BLOCK * BLOCK * BYTES + row % BLOCK;
    for (size_t i = 0; i < BYTES; i++) block[i * BLOCK] = sketch.bytes[i];
  }
}

static void end_rows(size_t rows, size_t count, uint8_t *distances) {
  size_t all = skill__sketch_rows(rows);
  for (size_t q = 0; q < count; q++) memset(distances + q * all + rows, UINT8_MAX, all - rows);
}

void skill__sketch_distances_plain(const uint8_t *sketches, size_t rows, const struct skill__sketch *queries,
                                   size_t count, uint8_t *distances) {
  size_t all = skill__sketch_rows(rows);
  for (size_t from = 0; from < all; from += BLOCK)
    for (size_t q = 0; q < count; q++) {
      const uint8_t *block = sketches + from * BYTES;
      uint8_t *out = distances + q * all + from;
      memset(out, 0, BLOCK);
      for (size_t i = 0; i < BYTES; i++)
        for (size_t row = 0; row < BLOCK; row++)
          out[row] = (uint8_t)(out[row] + __builtin_popcount(block[i * BLOCK + row] ^ queries[q].bytes[i]));
    }
  end_rows(rows, count, distances);
}

static size_t count_near_plain(const uint8_t *distances, size_t all, uint8_t most) {
  size_t count = 0;
  for (size_t row = 0; row < all; row++) count += distances[row] <= most;
  return count;
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

enum { TOGETHER = 4 }; /* queries of one pass: what the registers hold */

struct tables {
  __m128i of[BYTES][2]; /* differing bits for each value of a byte's lower and upper half */
};

__attribute__((target("avx2"))) static void make_tables(const struct skill__sketch *query, struct tables *tables) {
  const __m128i ones = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m128i values = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (size_t i = 0; i < BYTES; i++) {
    __m128i low = _mm_set1_epi8((char)(query->bytes[i] & 15)), high = _mm_set1_epi8((char)(query->bytes[i] >> 4));
    tables->of[i][0] = _mm_shuffle_epi8(ones, _mm_xor_si128(values, low));
    tables->of[i][1] = _mm_shuffle_epi8(ones, _mm_xor_si128(values, high));
  }
}

__attribute__((target("avx2"))) static inline __m256i look_up(__m256i sum, const struct tables *tables, size_t i,
                                                              __m256i low, __m256i high) {
  __m256i a = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(tables->of[i][0]), low);
  __m256i b = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(tables->of[i][1]), high);
  return _mm256_add_epi8(sum, _mm256_add_epi8(a, b));
}

/* One block for up to four queries; those there are not repeat the last. */
__attribute__((target("avx2"))) static inline void measure_block(const uint8_t *block, const struct tables *const *at,
                                                                 uint8_t *const *out) {
  const __m256i half = _mm256_set1_epi8(15);
  __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
  for (size_t i = 0; i < BYTES; i++) {
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(block + i * BLOCK));
    __m256i low = _mm256_and_si256(bytes, half), high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
    a = look_up(a, at[0], i, low, high);
    b = look_up(b, at[1], i, low, high);
    c = look_up(c, at[2], i, low, high);
    d = look_up(d, at[3], i, low, high);
  }
  _mm256_storeu_si256((__m256i *)(void *)out[3], d);
  _mm256_storeu_si256((__m256i *)(void *)out[2], c);
  _mm256_storeu_si256((__m256i *)(void *)out[1], b);
  _mm256_storeu_si256((__m256i *)(void *)out[0], a);
}

/* The same for one query, the usual case. */
__attribute__((target("avx2"))) static inline void measure_one(const uint8_t *block, const struct tables *tables,
                                                               uint8_t *out) {
  const __m256i half = _mm256_set1_epi8(15);
  __m256i sum = _mm256_setzero_si256();
  for (size_t i = 0; i < BYTES; i++) {
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(block + i * BLOCK));
    sum = look_up(sum, tables, i, _mm256_and_si256(bytes, half), _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half));
  }
  _mm256_storeu_si256((__m256i *)(void *)out, sum);
}

__attribute__((target("avx2"))) static void distances_avx2(const uint8_t *sketches, size_t rows,
                                                           const struct skill__sketch *queries, size_t count,
                                                           uint8_t *distances) {
  size_t all = skill__sketch_rows(rows);
  struct tables tables[TOGETHER];
  for (size_t from = 0; from < count; from += TOGETHER) {
    size_t here = count - from < TOGETHER ? count - from : TOGETHER;
    const struct tables *at[TOGETHER];
    uint8_t *out[TOGETHER];
    for (size_t q = 0; q < here; q++) make_tables(&queries[from + q], &tables[q]);
    for (size_t q = 0; q < TOGETHER; q++) {
      at[q] = &tables[q < here ? q : here - 1];
      out[q] = distances + (from + (q < here ? q : here - 1)) * all;
    }
    for (size_t row = 0; row < all; row += BLOCK) {
      const uint8_t *block = sketches + row * BYTES;
      if (here == 1)
        measure_one(block, at[0], out[0] + row);
      else
        measure_block(block, at, (uint8_t *const[]){out[0] + row, out[1] + row, out[2] + row, out[3] + row});
    }
  }
  end_rows(rows, count, distances);
}

__attribute__((target("avx2"))) static inline __m256i near_in_block(const uint8_t *distances, __m256i most) {
  __m256i here = _mm256_loadu_si256((const __m256i *)(const void *)distances);
  return _mm256_cmpeq_epi8(_mm256_min_epu8(here, most), here);
}

__attribute__((target("avx2"))) static size_t count_near_avx2(const uint8_t *distances, size_t all, uint8_t limit) {
  const __m256i most = _mm256_set1_epi8((char)limit), zero = _mm256_setzero_si256();
  __m256i sum = zero;
  for (size_t from = 0; from < all;) {
    __m256i some = zero; /* of at most 255 blocks, so that a byte holds them */
    for (size_t n = 0; n < 255 && from < all; n++, from += BLOCK)
      some = _mm256_sub_epi8(some, near_in_block(distances + from, most));
    sum = _mm256_add_epi64(sum, _mm256_sad_epu8(some, zero));
  }
  return (size_t)(_mm256_extract_epi64(sum, 0) + _mm256_extract_epi64(sum, 1) + _mm256_extract_epi64(sum, 2) +
                  _mm256_extract_epi64(sum, 3));
}

__attribute__((target("avx2"))) static size_t take_near_avx2(const uint8_t *distances, size_t all, uint8_t limit,
                                                             uint32_t *out, size_t room) {
  const __m256i most = _mm256_set1_epi8((char)limit);
  size_t found = 0;
  for (size_t from = 0; from < all; from += BLOCK) {
    uint32_t bits = (uint32_t)_mm256_movemask_epi8(near_in_block(distances + from, most));
    for (; bits && found < room; bits &= bits - 1) out[found++] = (uint32_t)(from + (size_t)__builtin_ctz(bits));
  }
  return found;
}

#define FASTEST(name) (__builtin_cpu_supports("avx2") ? name##_avx2 : name##_plain)

#else
#define FASTEST(name) name##_plain
#endif

static size_t take_near_plain(const uint8_t *distances, size_t all, uint8_t most, uint32_t *out, size_t room) {
  size_t found = 0;
  for (size_t row = 0; row < all && found < room; row++)
    if (distances[row] <= most) out[found++] = (uint32_t)row;
  return found;
}

void skill__sketch_distances(const uint8_t *sketches, size_t rows, const struct skill__sketch *queries, size_t count,
                             uint8_t *distances) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx2")) {
    distances_avx2(sketches, rows, queries, count, distances);
    return;
  }
#endif
  skill__sketch_distances_plain(sketches, rows, queries, count, distances);
}

/* About where the limit lies, from an even sample. */
static uint8_t guess(const uint8_t *distances, size_t rows, size_t want) {
  enum { SAMPLE = 1024 };
  uint16_t histogram[SKILL__SKETCH_DIMS + 1] = {0};
  size_t step = rows / SAMPLE + 1, below = 0;
  for (size_t row = 0; row < rows; row += step) histogram[distances[row]]++;
  uint8_t most = 0;
  while (most < SKILL__SKETCH_DIMS && (below += step * histogram[most]) < want) most++;
  return most;
}

size_t skill__sketch_nearest(const uint8_t *distances, size_t rows, size_t want, uint32_t *out, size_t room) {
  size_t all = skill__sketch_rows(rows);
  uint8_t most = guess(distances, rows, want);
  while (most > 0 && FASTEST(count_near)(distances, all, (uint8_t)(most - 1)) >= want) most--;
  while (most < SKILL__SKETCH_DIMS && FASTEST(count_near)(distances, all, most) < want) most++;
  return FASTEST(take_near)(distances, all, most, out, room);
}
