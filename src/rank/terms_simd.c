/* SPDX-License-Identifier: MIT
 *
 * AVX2 where the processor has it, SSE2 on any other x86-64, plain C elsewhere. Bytes are widened to 16 bits before
 * they are multiplied, so nothing saturates and all three give the same number.
 */
#include "rank/terms_simd.h"

#include "rank/terms.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

static int32_t dot_sse2(const int8_t *a, const int8_t *b, size_t dims) {
  __m128i zero = _mm_setzero_si128();
  __m128i sum = zero;
  for (size_t i = 0; i < dims; i += 16) {
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(a + i));
    __m128i y = _mm_loadu_si128((const __m128i *)(const void *)(b + i));
    __m128i x_sign = _mm_cmpgt_epi8(zero, x);
    __m128i y_sign = _mm_cmpgt_epi8(zero, y);
    sum = _mm_add_epi32(sum, _mm_madd_epi16(_mm_unpacklo_epi8(x, x_sign), _mm_unpacklo_epi8(y, y_sign)));
    sum = _mm_add_epi32(sum, _mm_madd_epi16(_mm_unpackhi_epi8(x, x_sign), _mm_unpackhi_epi8(y, y_sign)));
  }
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
  return _mm_cvtsi128_si32(sum);
}

__attribute__((target("avx2"))) static __m256i widened(const int8_t *p) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)p));
}

__attribute__((target("avx2"))) static int32_t dot_avx2(const int8_t *a, const int8_t *b, size_t dims) {
  __m256i even = _mm256_setzero_si256();
  __m256i odd = even;
  for (size_t i = 0; i < dims; i += 32) {
    even = _mm256_add_epi32(even, _mm256_madd_epi16(widened(a + i), widened(b + i)));
    odd = _mm256_add_epi32(odd, _mm256_madd_epi16(widened(a + i + 16), widened(b + i + 16)));
  }
  __m256i both = _mm256_add_epi32(even, odd);
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
  return _mm_cvtsi128_si32(sum);
}

skill__terms_dot_fn *const *skill__terms_kernels(size_t *count) {
  static skill__terms_dot_fn *const all[] = {dot_avx2, dot_sse2, skill__terms_dot_plain};
  size_t first = __builtin_cpu_supports("avx2") ? 0 : 1;
  *count = 3 - first;
  return all + first;
}

#else

skill__terms_dot_fn *const *skill__terms_kernels(size_t *count) {
  static skill__terms_dot_fn *const all[] = {skill__terms_dot_plain};
  *count = 1;
  return all;
}

#endif

skill__terms_dot_fn *skill__terms_kernel(void) {
  size_t count;
  return skill__terms_kernels(&count)[0];
}
