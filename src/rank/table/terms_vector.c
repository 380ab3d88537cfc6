/* SPDX-License-Identifier: MIT
 *
 * Vectors of texts: adding rows up, rounding the sum to bytes, and comparing one text with many. Sums of products are
 * integers, so the plain and the fast forms agree exactly. Nothing here can fail.
 */
#include <math.h>
#include <string.h>

#include "rank/table/terms_data.h"
#include "rank/table/terms_simd.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { STRIPE = 16 }; /* a fixed number of values at a time, which compilers turn into vector instructions */

static void add_bytes(const int8_t *values, size_t dims, float factor, float *sum) {
  for (size_t from = 0; from < dims; from += STRIPE)
    for (size_t i = from; i < from + STRIPE; i++) sum[i] += factor * (float)values[i];
}

static void add_nibbles(const unsigned char *values, size_t dims, float factor, float *restrict sum) {
  size_t half = dims / 2;
  for (size_t from = 0; from < half; from += STRIPE) {
    float *low = sum + from, *high = low + half;
    const unsigned char *at = values + from;
    for (size_t i = 0; i < STRIPE; i++) low[i] += factor * (float)((int)(at[i] & 15) - 8);
    for (size_t i = 0; i < STRIPE; i++) high[i] += factor * (float)((int)(at[i] >> 4) - 8);
  }
}

void skill__terms_add(const struct skill__terms *terms, uint32_t row, float weight, float *sum) {
  const unsigned char *values = terms->values + (size_t)row * terms->dims * terms->bits / 8;
  float factor = weight * skill__terms_scale(terms, row);
  if (terms->bits == 8) {
    add_bytes((const int8_t *)values, terms->dims, factor, sum);
  } else {
    add_nibbles(values, terms->dims, factor, sum);
  }
}

/* lrintf as one instruction. */
static int nearest(float x) {
#ifdef __SSE2__
  return _mm_cvtss_si32(_mm_set_ss(x));
#else
  return (int)lrintf(x);
#endif
}

float skill__terms_round(const float *sum, size_t dims, int8_t *out) {
  float largest = 0;
  for (size_t i = 0; i < dims; i++) {
    float size = fabsf(sum[i]);
    largest = size > largest ? size : largest;
  }
  if (!(largest > 1e-20F) || !isfinite(largest)) {
    memset(out, 0, dims);
    return 0;
  }
  float step = 127 / largest;
  int32_t square = 0;
  for (size_t i = 0; i < dims; i++) {
    int value = isfinite(sum[i]) ? nearest(sum[i] * step) : 0;
    out[i] = (int8_t)value;
    square += value * value;
  }
  return 1 / sqrtf((float)square);
}

void skill__terms_sum(const struct skill__terms *terms, const uint32_t *rows, const float *weights, size_t count,
                      float *sum) {
  memset(sum, 0, terms->dims * sizeof *sum);
  for (size_t i = 0; i < count; i++) {
    if (rows[i] != SKILL__TERMS_NONE) skill__terms_add(terms, rows[i], weights[i], sum);
  }
}

float skill__terms_vector(const struct skill__terms *terms, const uint32_t *rows, const float *weights, size_t count,
                          int8_t *out) {
  float sum[SKILL__TERMS_MAX_DIMS];
  skill__terms_sum(terms, rows, weights, count, sum);
  return skill__terms_round(sum, terms->dims, out);
}

/* Rows that fit the first-level cache together with the queries, so that each is loaded from memory once. */
enum { SCAN_BLOCK = 64 };

void skill__terms_scan(const int8_t *matrix, const float *units, size_t count, size_t dims,
                       const struct skill__terms_query *queries, size_t query_count, float *cosine, size_t stride) {
  skill__terms_products_fn *products = skill__terms_kernel();
  int32_t block[SCAN_BLOCK];
  for (size_t begin = 0; begin < count; begin += SCAN_BLOCK) {
    size_t rows = count - begin < SCAN_BLOCK ? count - begin : SCAN_BLOCK;
    for (size_t q = 0; q < query_count; q++) {
      float unit = queries[q].unit;
      float *out = cosine + q * stride + begin;
      products(matrix + begin * dims, rows, dims, queries[q].vector, block);
      for (size_t i = 0; i < rows; i++) out[i] = (float)block[i] * (unit * units[begin + i]);
    }
  }
}
