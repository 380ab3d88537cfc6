/* SPDX-License-Identifier: MIT
 *
 * Character classes for the pre-tokenizer, from utf8proc's general categories. Cannot fail.
 */
#include "pack-vocabulary/classes.h"

#include <string.h>
#include <utf8proc.h>

static bool white_space(uint32_t rune) {
  return (rune >= 0x09 && rune <= 0x0d) || rune == 0x20 || rune == 0x85 || rune == 0xa0 || rune == 0x1680 ||
         (rune >= 0x2000 && rune <= 0x200a) || rune == 0x2028 || rune == 0x2029 || rune == 0x202f || rune == 0x205f ||
         rune == 0x3000;
}

static uint8_t class_of(uint32_t rune) {
  if (rune == '\r' || rune == '\n') return SKILL__CLASS_SPACE | SKILL__CLASS_LINE;
  if (white_space(rune)) return SKILL__CLASS_SPACE;
  switch (utf8proc_category((utf8proc_int32_t)rune)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT:
      return SKILL__CLASS_LETTER | SKILL__CLASS_UPPER;
    case UTF8PROC_CATEGORY_LL:
      return SKILL__CLASS_LETTER | SKILL__CLASS_LOWER;
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return SKILL__CLASS_LETTER | SKILL__CLASS_UPPER | SKILL__CLASS_LOWER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return SKILL__CLASS_UPPER | SKILL__CLASS_LOWER;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return SKILL__CLASS_NUMBER;
    default:
      return 0;
  }
}

size_t classes_build(uint8_t index[SKILL__CLASS_BLOCKS], uint8_t *bits) {
  size_t distinct = 0;
  for (uint32_t block = 0; block < SKILL__CLASS_BLOCKS; block++) {
    uint8_t row[256];
    for (uint32_t i = 0; i < 256; i++) row[i] = class_of(block * 256 + i);
    size_t same = 0;
    while (same < distinct && memcmp(bits + same * 256, row, sizeof row) != 0) same++;
    if (same == distinct) memcpy(bits + distinct++ * 256, row, sizeof row);
    index[block] = (uint8_t)same;
  }
  return distinct;
}
