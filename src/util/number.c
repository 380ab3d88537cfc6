/* SPDX-License-Identifier: MIT
 *
 * Numbers for people; see number.h.
 */
#include "util/number.h"

#include <math.h>
#include <stdio.h>

const char *skill__number_text(char out[SKILL__NUMBER_SIZE], double number) {
  char digits[32];
  int length = snprintf(digits, sizeof digits, "%.0f", fabs(number));
  char *p = out;
  if (number <= -0.5) *p++ = '-';
  for (int i = 0; i < length && i < 24; i++) {
    if (i && (length - i) % 3 == 0) *p++ = ',';
    *p++ = digits[i];
  }
  *p = '\0';
  return out;
}
