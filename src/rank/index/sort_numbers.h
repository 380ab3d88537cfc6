/* SPDX-License-Identifier: MIT
 *
 * Sorting whole numbers without comparing them.
 */
#ifndef SKILL_RANK_INDEX_SORT_NUMBERS_H
#define SKILL_RANK_INDEX_SORT_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* Sorts ascending. `scratch` has room for as many. */
void skill__sort_numbers(uint32_t *values, uint32_t *scratch, size_t count);

#endif
