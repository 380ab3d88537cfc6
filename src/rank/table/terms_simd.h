/* SPDX-License-Identifier: MIT
 *
 * Products of byte vectors in the fastest form that this processor has. Values are -127 to 127, as skill__terms_round
 * makes them; -128 gives a wrong product in some forms and harms nothing else.
 */
#ifndef SKILL_RANK_TABLE_TERMS_SIMD_H
#define SKILL_RANK_TABLE_TERMS_SIMD_H

#include <stddef.h>
#include <stdint.h>

/* out[i] = product of `query` and row i of `matrix` (count x dims); `dims` is a multiple of 32, at most
 * SKILL__TERMS_MAX_DIMS. */
typedef void skill__terms_products_fn(const int8_t *matrix, size_t count, size_t dims, const int8_t *query,
                                      int32_t *out);

/* The product of two vectors of `dims` bytes in portable C; the kernels are tested against it. */
int32_t skill__terms_dot_plain(const int8_t *a, const int8_t *b, size_t dims);

/* The fastest form that this processor can run. */
skill__terms_products_fn *skill__terms_kernel(void);

/* All forms that this processor can run, fastest first. */
skill__terms_products_fn *const *skill__terms_kernels(size_t *count);

#endif
