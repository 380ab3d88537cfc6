/* SPDX-License-Identifier: MIT
 *
 * AVX2 where the processor has it, SSE2 on any other x86-64, plain C elsewhere. Sums are exact integers, so all of them
 * give the same numbers.
 */
#include "rank/table/terms_simd.h"

#include "rank/table/terms.h"

int32_t skill__terms_dot_plain(const int8_t *a, const int8_t *b, size_t dims) {
  int32_t sum = 0;
  for (size_t i = 0; i < dims; i++) sum += (int32_t)a[i] * (int32_t)b[i];
  return sum;
}

static void products_plain(const int8_t *matrix, size_t count, size_t dims, const int8_t *query, int32_t *out) {
  for (size_t i = 0; i < count; i++) out[i] = skill__terms_dot_plain(matrix + i * dims, query, dims);
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

static __m128i load_16(const int8_t *p) {
  return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* Bytes are widened to 16 bits before they are multiplied. */
static int32_t dot_sse2(const int8_t *a, const int8_t *b, size_t dims) {
  __m128i zero = _mm_setzero_si128();
  __m128i sum = zero;
  for (size_t i = 0; i < dims; i += 16) {
    __m128i x = load_16(a + i), y = load_16(b + i);
    __m128i x_sign = _mm_cmpgt_epi8(zero, x), y_sign = _mm_cmpgt_epi8(zero, y);
    sum = _mm_add_epi32(sum, _mm_madd_epi16(_mm_unpacklo_epi8(x, x_sign), _mm_unpacklo_epi8(y, y_sign)));
    sum = _mm_add_epi32(sum, _mm_madd_epi16(_mm_unpackhi_epi8(x, x_sign), _mm_unpackhi_epi8(y, y_sign)));
  }
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
  return _mm_cvtsi128_si32(sum);
}

static void products_sse2(const int8_t *matrix, size_t count, size_t dims, const int8_t *query, int32_t *out) {
  for (size_t i = 0; i < count; i++) out[i] = dot_sse2(matrix + i * dims, query, dims);
}

enum { CHUNK = 32, CHUNKS_MOST = SKILL__TERMS_MAX_DIMS / CHUNK };

struct halves {
  __m256i size[CHUNKS_MOST]; /* the query's values without sign, and the query itself */
  __m256i sign[CHUNKS_MOST];
};

/* Sum of 32 products, in eight parts: |query| times the row with the query's signs. Two products of at most 127 * 127
 * fit 16 bits, and are widened before more are added. */
__attribute__((target("avx2"))) static inline __m256i chunk_avx2(const int8_t *row, __m256i size, __m256i sign) {
  __m256i values = _mm256_loadu_si256((const __m256i *)(const void *)row);
  __m256i pairs = _mm256_maddubs_epi16(size, _mm256_sign_epi8(values, sign));
  return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

/* Four rows at once, so that one tree of additions ends all four. Written out: the sums have to stay in registers. */
__attribute__((target("avx2"))) static inline void four_avx2(const int8_t *rows, size_t dims,
                                                             const struct halves *query, int32_t *out) {
  __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
  for (size_t i = 0; i < dims / CHUNK; i++) {
    const int8_t *at = rows + i * CHUNK;
    __m256i size = query->size[i], sign = query->sign[i];
    a = _mm256_add_epi32(a, chunk_avx2(at, size, sign));
    b = _mm256_add_epi32(b, chunk_avx2(at + dims, size, sign));
    c = _mm256_add_epi32(c, chunk_avx2(at + 2 * dims, size, sign));
    d = _mm256_add_epi32(d, chunk_avx2(at + 3 * dims, size, sign));
  }
  __m256i pairs = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
  __m128i all = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
  _mm_storeu_si128((__m128i *)(void *)out, all);
}

__attribute__((target("avx2"))) static inline int32_t one_avx2(const int8_t *row, size_t dims,
                                                               const struct halves *query) {
  __m256i sum = _mm256_setzero_si256();
  for (size_t i = 0; i < dims / CHUNK; i++)
    sum = _mm256_add_epi32(sum, chunk_avx2(row + i * CHUNK, query->size[i], query->sign[i]));
  __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1)));
}

__attribute__((target("avx2"))) static void products_avx2(const int8_t *matrix, size_t count, size_t dims,
                                                          const int8_t *query, int32_t *out) {
  struct halves halves;
  for (size_t c = 0; c < dims / CHUNK; c++) {
    halves.sign[c] = _mm256_loadu_si256((const __m256i *)(const void *)(query + c * CHUNK));
    halves.size[c] = _mm256_abs_epi8(halves.sign[c]);
  }
  size_t i = 0;
  for (; i + 4 <= count; i += 4) four_avx2(matrix + i * dims, dims, &halves, out + i);
  for (; i < count; i++) out[i] = one_avx2(matrix + i * dims, dims, &halves);
}

skill__terms_products_fn *const *skill__terms_kernels(size_t *count) {
  static skill__terms_products_fn *const all[] = {products_avx2, products_sse2, products_plain};
  size_t first = __builtin_cpu_supports("avx2") ? 0 : 1;
  *count = 3 - first;
  return all + first;
}

#else

skill__terms_products_fn *const *skill__terms_kernels(size_t *count) {
  static skill__terms_products_fn *const all[] = {products_plain};
  *count = 1;
  return all;
}

#endif

skill__terms_products_fn *skill__terms_kernel(void) {
  size_t count;
  return skill__terms_kernels(&count)[0];
}
