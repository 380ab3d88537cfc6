/* SPDX-License-Identifier: MIT
 *
 * The product of two byte vectors, in the fastest form that this processor has.
 */
#ifndef SKILL_RANK_TERMS_SIMD_H
#define SKILL_RANK_TERMS_SIMD_H

#include <stddef.h>
#include <stdint.h>

/* `dims` is a multiple of 32. */
typedef int32_t skill__terms_dot_fn(const int8_t *a, const int8_t *b, size_t dims);

skill__terms_dot_fn *skill__terms_kernel(void);

/* All forms that this processor can run, fastest first. */
skill__terms_dot_fn *const *skill__terms_kernels(size_t *count);

#endif
