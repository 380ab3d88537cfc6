/* SPDX-License-Identifier: MIT
 *
 * Whether two readers of YAML give the same value tree.
 */
#ifndef TEST_LIB_VALUE_EQUAL_H
#define TEST_LIB_VALUE_EQUAL_H

#include <string.h>

#include "document/value.h"

/* With `positions` lines and columns count too, and the ends of plain scalars. */
static inline bool value_equal(const struct skill__value *a, const struct skill__value *b, bool positions) {
  if (!a || !b) return a == b;
  if (a->kind != b->kind || a->plain != b->plain || a->flow != b->flow || a->length != b->length ||
      a->count != b->count || (a->length && memcmp(a->text, b->text, a->length) != 0)) {
    return false;
  }
  if (positions && (a->line != b->line || a->column != b->column)) return false;
  if (positions && a->kind == SKILL__SCALAR && a->plain && a->end_line != b->end_line) return false;
  if (!a->key != !b->key || (a->key && !value_equal(a->key, b->key, positions))) return false;
  const struct skill__value *x = a->first;
  const struct skill__value *y = b->first;
  for (; x && y; x = x->next, y = y->next) {
    if (!value_equal(x, y, positions)) return false;
  }
  return true;
}

#endif
