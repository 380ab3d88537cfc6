/* SPDX-License-Identifier: MIT
 *
 * Numbers for people.
 */
#ifndef SKILL_UTIL_NUMBER_H
#define SKILL_UTIL_NUMBER_H

enum { SKILL__NUMBER_SIZE = 40 };

/* "-12,345": rounded to a whole number, below 10^24. Returns `out`. */
const char *skill__number_text(char out[SKILL__NUMBER_SIZE], double number);

#endif
