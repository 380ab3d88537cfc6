/* SPDX-License-Identifier: MIT
 *
 * A stretch of the index that no longer changes: encoded skills, a table of their names and, with a learned table,
 * their vectors. Shared between snapshots by reference count. Removals are kept beside it, in a bitmap per snapshot.
 */
#ifndef SKILL_RANK_INDEX_SEGMENT_H
#define SKILL_RANK_INDEX_SEGMENT_H

#include <stdatomic.h>

#include "rank/index/doc.h"
#include "rank/index/postings.h"

#define SKILL__SEGMENT_MAX_BYTES ((size_t)3 << 30) /* of encoded skills in one segment */

/* A file in memory that segments point into. */
struct skill__map {
  _Atomic uint32_t refs;
  void *data;
  size_t size;
};
void skill__map_release(struct skill__map *map);

struct skill__segment {
  _Atomic uint32_t refs;
  uint32_t count;
  const uint8_t *blob;
  const uint32_t *at;    /* count + 1 offsets into blob */
  const uint32_t *names; /* open addressing over names: number + 1, above it a byte of the name's hash */
  uint32_t name_mask;
  uint32_t dims, row_count; /* of vectors; row_count 0: there is no learned table */
  const uint32_t *rows;   /* count + 1: first vector of each skill, then one for each of its several tools; NULL: every
                             skill has one */
  const uint8_t *vectors; /* of each row, packed; without the signs if there are sketches */
  const uint8_t *signs;   /* sketches; NULL if there are few vectors, or dims is not that of sketches */
  const uint64_t *hidden; /* bitmap of skills that are not listed; NULL: none is hidden */
  struct skill__postings postings;
  struct skill__map *map; /* the file that contains all of it; NULL: its own memory */
  size_t bytes;           /* of memory or of the map */
};

static inline uint32_t skill__segment_row(const struct skill__segment *segment, uint32_t doc) {
  return segment->rows ? segment->rows[doc] : doc;
}

enum { SKILL__NAME_NUMBER = 0xffffff }; /* the part of a slot of `names` that is the number */

/* Skills being gathered; at most SKILL__NAME_NUMBER. */
struct skill__builder {
  struct skill__buf blob;
  uint32_t *at; /* count offsets */
  size_t count, capacity;
  uint32_t *hashes; /* of the names */
  size_t hash_capacity;
  uint32_t *names;
  uint32_t name_mask;
};

struct skill__dead {
  _Atomic uint32_t refs;
  uint32_t count;
  uint64_t bits[];
};

void skill__builder_init(struct skill__builder *builder);
void skill__builder_fini(struct skill__builder *builder);

/* Registers the skill that was just appended to builder->blob at `offset`; `hash` is skill__name_hash's. SKILL_ENOMEM,
 * SKILL_ELIMIT: nothing changed. */
int skill__builder_add(struct skill__builder *builder, size_t offset, uint32_t hash);

/* Takes back the last one; its number is no longer in the table. */
void skill__builder_drop(struct skill__builder *builder);

/* Appends the live skills of a segment. SKILL_ENOMEM. */
int skill__builder_append(struct skill__builder *builder, const struct skill__segment *segment,
                          const struct skill__dead *dead);

/* Makes a segment of the builder's skills and empties it. With `terms`, vectors are computed. `gather` was prepared.
 * SKILL_ENOMEM: the builder is as it was. */
int skill__segment_new(struct skill__builder *builder, struct skill__gather *gather, const struct skill__dict *dict,
                       const struct skill__terms *terms, struct skill__segment **out);
void skill__segment_retain(struct skill__segment *segment);
void skill__segment_release(struct skill__segment *segment);

/* The number of a skill with exactly this name, or UINT32_MAX. `dead` may be NULL; `hash` is skill__name_hash's. */
uint32_t skill__names_find(const uint32_t *names, uint32_t mask, const uint8_t *blob, const uint32_t *at,
                           const struct skill__dead *dead, const char *name, size_t length, uint32_t hash);

/* The next skill whose name is the same but for case and separators; start with *slot = 0. UINT32_MAX at the end. */
uint32_t skill__segment_named(const struct skill__segment *segment, const char *name, size_t length, uint32_t *slot);

static inline bool skill__dead_has(const struct skill__dead *dead, uint32_t doc) {
  return dead && doc < dead->count && (dead->bits[doc / 64] >> (doc % 64) & 1);
}

/* A private copy with `doc` marked; `dead` may be NULL and is released. SKILL_ENOMEM: nothing changed. */
int skill__dead_mark(struct skill__dead **dead, uint32_t count, uint32_t doc);
/* Makes the bitmap, if there is one, cover `count` skills: a builder's has the size of the last removal.
 * SKILL_ENOMEM: nothing changed. */
int skill__dead_cover(struct skill__dead **dead, uint32_t count);
void skill__dead_retain(struct skill__dead *dead);
void skill__dead_release(struct skill__dead *dead);

#endif
