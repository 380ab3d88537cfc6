/* SPDX-License-Identifier: MIT
 *
 * Internals of SkillDense, shared by dense_catalogue.c and dense_rank.c.
 */
#ifndef SKILL_MODEL_EMBED_DENSE_H
#define SKILL_MODEL_EMBED_DENSE_H

#include "skillet/embed.h"
#include "util/hash.h"

struct skill__dense_item {
  UT_hash_handle hh;
  char *name, *source; /* source may be NULL */
  char *text;
  size_t length;
  size_t at; /* index in items */
  bool unlisted;
};

struct SkillDense {
  SkillEmbedder *embedder;
  SkillDenseOptions options;
  struct skill__dense_item *by_name;
  struct skill__dense_item **items; /* the first `ready` have a row in the matrix */
  size_t count, capacity, ready;
  float *matrix; /* ready x dims, unit vectors */
  size_t cells, dims;
  int64_t silent_until; /* the embedder is not called before; by the io's clock */
};

struct skill__dense_item *skill__dense_find(const SkillDense *dense, const char *name);
void skill__dense_unit(float *vector, size_t dims);

#endif
