/* SPDX-License-Identifier: MIT
 *
 * Writes the learned table that src/rank/table/terms.h describes.
 */
#ifndef TRAIN_TERMS_WRITE_H
#define TRAIN_TERMS_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"

/* A token and its share; with a vector of dims floats, or NULL. */
struct terms_entry {
  const char *token;
  size_t length;
  double share; /* 0..1 */
  const float *vector;
};

struct terms_spec {
  uint32_t analyzer;
  uint32_t dims;
  uint32_t bits; /* 4 or 8 */
  uint32_t documents;
  const struct terms_entry *entries;
  size_t count;
};

/* Appends the file to `out`, whose ceiling must hold it. Order of entries does not matter. SKILL_EINVAL (dims, bits,
 * two tokens with one key), SKILL_ENOMEM, SKILL_ELIMIT. */
int terms_write(const struct terms_spec *spec, struct skill__buf *out);

#endif
