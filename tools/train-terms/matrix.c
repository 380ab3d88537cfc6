/* SPDX-License-Identifier: MIT
 *
 * The matrix arithmetic of training. It uses the compiler's vectors of 8 floats, so it runs with AVX if the processor
 * has it, and gives the same numbers on every machine: the order of additions is fixed, and the build disables fused
 * multiply-adds.
 */
#include <string.h>

#include "train.h"

enum { LANES = 8, ROWS = 4 };

typedef float lanes __attribute__((vector_size(32)));
typedef int32_t integer_lanes __attribute__((vector_size(32)));

static inline lanes load(const float *p) {
  lanes x;
  memcpy(&x, p, sizeof x);
  return x;
}

static inline void store(float *p, lanes x) {
  memcpy(p, &x, sizeof x);
}

static inline lanes all(float x) {
  return (lanes){x, x, x, x, x, x, x, x};
}

/* Four rows by sixteen columns of C. */
static void block(const float *a, const float *b, float *c, size_t k, size_t n) {
  lanes sum[ROWS][2] = {{{0}}};
  for (size_t i = 0; i < k; i++) {
    lanes left = load(b + i * n);
    lanes right = load(b + i * n + LANES);
    for (size_t r = 0; r < ROWS; r++) {
      lanes x = all(a[r * k + i]);
      sum[r][0] += x * left;
      sum[r][1] += x * right;
    }
  }
  for (size_t r = 0; r < ROWS; r++) {
    store(c + r * n, sum[r][0]);
    store(c + r * n + LANES, sum[r][1]);
  }
}

static void single_row(const float *a, const float *b, float *c, size_t k, size_t n) {
  lanes sum[2] = {{0}};
  for (size_t i = 0; i < k; i++) {
    sum[0] += all(a[i]) * load(b + i * n);
    sum[1] += all(a[i]) * load(b + i * n + LANES);
  }
  store(c, sum[0]);
  store(c + LANES, sum[1]);
}

void matrix_product(const float *a, const float *b, float *c, size_t m, size_t k, size_t n) {
  for (size_t j = 0; j < n; j += 2 * LANES) {
    size_t i = 0;
    for (; i + ROWS <= m; i += ROWS) block(a + i * k, b + j, c + i * n + j, k, n);
    for (; i < m; i++) single_row(a + i * k, b + j, c + i * n + j, k, n);
  }
}

void matrix_turn(const float *a, float *out, size_t rows, size_t columns) {
  enum { TILE = 16 };
  for (size_t i = 0; i < rows; i += TILE) {
    for (size_t j = 0; j < columns; j += TILE) {
      for (size_t r = i; r < rows && r < i + TILE; r++) {
        for (size_t c = j; c < columns && c < j + TILE; c++) out[c * rows + r] = a[r * columns + c];
      }
    }
  }
}

/* 2^t = 2^whole * 2^part with part in (0, 1], a polynomial of degree 5 for the part. */
static lanes exp_lanes(lanes x) {
  lanes t = x * 1.44269504F;
  lanes least = all(-126);
  t = (lanes)(((integer_lanes)t & (t > least)) | ((integer_lanes)least & ~(t > least)));
  integer_lanes whole = __builtin_convertvector(t, integer_lanes) - 1;
  lanes part = t - __builtin_convertvector(whole, lanes);
  lanes y = part * 1.8775767e-3F + 8.9893397e-3F;
  y = y * part + 5.5826318e-2F;
  y = y * part + 2.4015361e-1F;
  y = y * part + 6.9315308e-1F;
  y = y * part + 9.9999994e-1F;
  return y * (lanes)((whole + 127) << 23);
}

void matrix_exp(float *x, size_t count) {
  for (size_t i = 0; i < count; i += LANES) store(x + i, exp_lanes(load(x + i)));
}
