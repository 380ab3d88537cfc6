/* SPDX-License-Identifier: MIT
 *
 * Packing and unpacking of vectors; AVX2 where the processor has it. Nothing here fails.
 */
#include "rank/table/packed_vector.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "rank/table/terms.h"
#include "rank/weights.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { LANES = 8 };

/* Lane by lane, so that the compiler may keep the sums in one register. */
static float sum_squares(const float *sum, size_t dims) {
  float lanes[LANES] = {0}, all = 0;
  for (size_t from = 0; from < dims; from += LANES)
    for (size_t i = 0; i < LANES; i++) lanes[i] += sum[from + i] * sum[from + i];
  for (size_t i = 0; i < LANES; i++) all += lanes[i];
  return all;
}

/* Sizes of eight values, and their signs as bits. */
static uint8_t round_eight(const float *sum, float scale, uint8_t *sizes) {
#ifdef __SSE2__
  const __m128 bits = _mm_castsi128_ps(_mm_set1_epi32(0x7fffffff)), most = _mm_set1_ps(3), factor = _mm_set1_ps(scale);
  __m128 a = _mm_loadu_ps(sum), b = _mm_loadu_ps(sum + 4), zero = _mm_setzero_ps();
  __m128i low = _mm_cvttps_epi32(_mm_min_ps(_mm_mul_ps(_mm_and_ps(a, bits), factor), most));
  __m128i high = _mm_cvttps_epi32(_mm_min_ps(_mm_mul_ps(_mm_and_ps(b, bits), factor), most));
  __m128i words = _mm_packs_epi32(low, high);
  _mm_storel_epi64((__m128i *)(void *)sizes, _mm_packus_epi16(words, words));
  return (uint8_t)(_mm_movemask_ps(_mm_cmplt_ps(a, zero)) | _mm_movemask_ps(_mm_cmplt_ps(b, zero)) << 4);
#else
  uint8_t signs = 0;
  for (size_t i = 0; i < LANES; i++) {
    float size = fabsf(sum[i]) * scale;
    sizes[i] = (uint8_t)(int)(size < 3 ? size : 3);
    signs |= (uint8_t)((sum[i] < 0) << i);
  }
  return signs;
#endif
}

void skill__pack(const float *sum, size_t dims, uint8_t *out) {
  uint8_t sizes[SKILL__TERMS_MAX_DIMS], *packed = out + dims / 8;
  size_t quarter = dims / 4;
  float square = sum_squares(sum, dims);
  if (!(square > 1e-30f) || !isfinite(square)) {
    memset(out, 0, skill__packed_size(dims));
    return;
  }
  float scale = 1 / (SKILL__PACK_STEP * sqrtf(square / (float)dims));
  for (size_t i = 0; i < dims; i += LANES) out[i / LANES] = round_eight(sum + i, scale, sizes + i);
  for (size_t from = 0; from < quarter; from += LANES) {
    const uint8_t *at = sizes + from;
    for (size_t i = 0; i < LANES; i++)
      packed[from + i] = (uint8_t)(at[i] | at[quarter + i] << 2 | at[2 * quarter + i] << 4 | at[3 * quarter + i] << 6);
  }
}

/* The factor of a vector whose squares add up to that. */
static float unit_of(uint32_t square, bool any) {
  return any ? 1 / sqrtf((float)square) : 0;
}

void skill__unpack_plain(const uint8_t *packed, size_t count, size_t dims, int8_t *vectors, float *units) {
  size_t quarter = dims / 4;
  for (size_t row = 0; row < count; row++) {
    const uint8_t *signs = packed + row * skill__packed_size(dims), *sizes = signs + dims / 8;
    int8_t *out = vectors + row * dims;
    uint32_t square = 0, any = 0;
    for (size_t i = 0; i < skill__packed_size(dims); i++) any |= signs[i];
    for (size_t part = 0; part < 4; part++)
      for (size_t i = 0, at = part * quarter; i < quarter; i++, at++) {
        int value = 2 * (sizes[i] >> 2 * part & 3) + 1;
        square += (uint32_t)(value * value);
        out[at] = (int8_t)(signs[at / 8] >> at % 8 & 1 ? -value : value);
      }
    units[row] = unit_of(square, any != 0);
  }
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

enum { CHUNK = 32 };

/* The mask of 32 dimensions whose sign bits are given: all ones where one is negative. */
__attribute__((target("avx2"))) static inline __m256i spread_signs(const uint8_t *signs) {
  const __m256i place =
      _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
  const __m256i bit = _mm256_set1_epi64x((long long)0x8040201008040201u);
  int32_t bits;
  memcpy(&bits, signs, sizeof bits);
  __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32(bits), place);
  return _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
}

/* One vector; its sizes are whole chunks. Returns the sum of its squares. */
__attribute__((target("avx2"))) static inline uint32_t unpack_one(const uint8_t *signs, size_t dims, int8_t *out) {
  const __m256i values =
      _mm256_setr_epi8(1, 3, 5, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 5, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m256i squares = _mm256_setr_epi8(1, 9, 25, 49, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 9, 25, 49, 0, 0, 0, 0,
                                           0, 0, 0, 0, 0, 0, 0, 0);
  const __m256i three = _mm256_set1_epi8(3);
  const uint8_t *sizes = signs + dims / 8;
  size_t quarter = dims / 4;
  __m256i sum = _mm256_setzero_si256();
  for (size_t from = 0; from < quarter; from += CHUNK) {
    __m256i packed = _mm256_loadu_si256((const __m256i *)(const void *)(sizes + from)), square = _mm256_setzero_si256();
    for (size_t at = from; at < dims; at += quarter) {
      __m256i size = _mm256_and_si256(packed, three), sign = spread_signs(signs + at / 8);
      __m256i value = _mm256_xor_si256(_mm256_shuffle_epi8(values, size), sign);
      _mm256_storeu_si256((__m256i *)(void *)(out + at), _mm256_sub_epi8(value, sign));
      square = _mm256_add_epi8(square, _mm256_shuffle_epi8(squares, size)); /* at most 4 x 49 */
      packed = _mm256_srli_epi16(packed, 2);
    }
    sum = _mm256_add_epi64(sum, _mm256_sad_epu8(square, _mm256_setzero_si256()));
  }
  __m128i half = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  return (uint32_t)_mm_cvtsi128_si32(half) + (uint32_t)_mm_extract_epi16(half, 4);
}

__attribute__((target("avx2"))) static void unpack_avx2(const uint8_t *packed, size_t count, size_t dims,
                                                        int8_t *vectors, float *units) {
  size_t size = skill__packed_size(dims);
  for (size_t row = 0; row < count; row++) {
    const uint8_t *signs = packed + row * size;
    uint32_t square = unpack_one(signs, dims, vectors + row * dims);
    bool any = square != dims; /* else all sizes are 0 */
    for (size_t i = 0; i < dims / 8 && !any; i++) any = signs[i] != 0;
    units[row] = unit_of(square, any);
  }
}

#endif

void skill__unpack(const uint8_t *packed, size_t count, size_t dims, int8_t *vectors, float *units) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (dims % (4 * CHUNK) == 0 && __builtin_cpu_supports("avx2")) {
    unpack_avx2(packed, count, dims, vectors, units);
    return;
  }
#endif
  skill__unpack_plain(packed, count, dims, vectors, units);
}
