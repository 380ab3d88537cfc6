/* SPDX-License-Identifier: MIT
 *
 * Segments and their builder. All functions that fail do so when memory is out and leave things as they were.
 */
#include "rank/index/segment.h"

#include <string.h>

#include "rank/index/doc_vectors.h"
#include "rank/index/sign_sketch.h"
#include "util/alloc.h"
#include "util/map.h"

/* --- names -------------------------------------------------------------------------------------------------------- */

static uint32_t tag_of(uint32_t hash) {
  return hash & ~(uint32_t)SKILL__NAME_NUMBER;
}

static void names_put(uint32_t *names, uint32_t mask, uint32_t hash, uint32_t doc) {
  uint32_t i = hash & mask;
  while (names[i]) i = (i + 1) & mask;
  names[i] = tag_of(hash) | (doc + 1);
}

uint32_t skill__names_find(const uint32_t *names, uint32_t mask, const uint8_t *blob, const uint32_t *at,
                           const struct skill__dead *dead, const char *name, size_t length, uint32_t hash) {
  if (!names) return UINT32_MAX;
  for (uint32_t i = hash & mask; names[i]; i = (i + 1) & mask) {
    if (tag_of(names[i]) != tag_of(hash)) continue;
    size_t n = 0;
    uint32_t doc = (names[i] & SKILL__NAME_NUMBER) - 1;
    const char *other = skill__doc_name(blob + at[doc], &n);
    if (n == length && memcmp(other, name, n) == 0 && !skill__dead_has(dead, doc)) return doc;
  }
  return UINT32_MAX;
}

uint32_t skill__segment_named(const struct skill__segment *segment, const char *name, size_t length, uint32_t *slot) {
  if (!segment->names) return UINT32_MAX;
  uint32_t hash = skill__name_hash(name, length);
  for (;;) {
    uint32_t entry = segment->names[(hash + (*slot)++) & segment->name_mask];
    if (!entry) return UINT32_MAX;
    if (tag_of(entry) != tag_of(hash)) continue;
    size_t n = 0;
    uint32_t doc = (entry & SKILL__NAME_NUMBER) - 1;
    const char *other = skill__doc_name(segment->blob + segment->at[doc], &n);
    if (skill__name_same(other, n, name, length)) return doc;
  }
}

/* --- builder ------------------------------------------------------------------------------------------------------ */

void skill__builder_init(struct skill__builder *builder) {
  memset(builder, 0, sizeof *builder);
  skill__buf_init(&builder->blob, SKILL__SEGMENT_MAX_BYTES);
}

void skill__builder_fini(struct skill__builder *builder) {
  skill__buf_fini(&builder->blob);
  skill__free(builder->at);
  skill__free(builder->hashes);
  skill__free(builder->names);
  skill__builder_init(builder);
}

static int names_grow(struct skill__builder *builder) {
  if (builder->names && (builder->count + 1) * 4 <= ((size_t)builder->name_mask + 1) * 3) return 0;
  size_t slots = builder->names ? ((size_t)builder->name_mask + 1) * 2 : 16;
  uint32_t *names = skill__calloc(slots, sizeof *names);
  if (!names) return SKILL_ENOMEM;
  for (uint32_t i = 0; i < builder->count; i++) names_put(names, (uint32_t)slots - 1, builder->hashes[i], i);
  skill__free(builder->names);
  builder->names = names;
  builder->name_mask = (uint32_t)slots - 1;
  return 0;
}

int skill__builder_add(struct skill__builder *builder, size_t offset, uint32_t hash) {
  if (builder->count == SKILL__NAME_NUMBER) return SKILL_ELIMIT;
  if (names_grow(builder) || SKILL__GROW(builder->at, builder->capacity, builder->count + 1) ||
      SKILL__GROW(builder->hashes, builder->hash_capacity, builder->count + 1))
    return SKILL_ENOMEM;
  builder->at[builder->count] = (uint32_t)offset;
  builder->hashes[builder->count] = hash;
  names_put(builder->names, builder->name_mask, hash, (uint32_t)builder->count++);
  return 0;
}

void skill__builder_drop(struct skill__builder *builder) {
  uint32_t last = (uint32_t)builder->count;
  for (size_t i = 0; i <= builder->name_mask; i++)
    if ((builder->names[i] & SKILL__NAME_NUMBER) == last)
      builder->names[i] = 0; /* it was put last, so no chain runs through it */
  builder->blob.length = builder->at[--builder->count];
}

int skill__builder_append(struct skill__builder *builder, const struct skill__segment *segment,
                          const struct skill__dead *dead) {
  for (uint32_t doc = 0; doc < segment->count; doc++) {
    if (skill__dead_has(dead, doc)) continue;
    size_t offset = builder->blob.length, length = 0;
    const char *name = skill__doc_name(segment->blob + segment->at[doc], &length);
    skill__buf_add(&builder->blob, segment->blob + segment->at[doc], segment->at[doc + 1] - segment->at[doc]);
    int status = builder->blob.status ? builder->blob.status
                                      : skill__builder_add(builder, offset, skill__name_hash(name, length));
    if (status) return status;
  }
  return 0;
}

/* --- segment ------------------------------------------------------------------------------------------------------ */

void skill__map_release(struct skill__map *map) {
  if (!map || atomic_fetch_sub_explicit(&map->refs, 1, memory_order_acq_rel) != 1) return;
  skill__file_unmap(map->data, map->size);
  skill__free(map);
}

static void segment_free(struct skill__segment *segment) {
  if (segment->map) {
    skill__map_release(segment->map);
    skill__free(segment);
    return;
  }
  skill__free((void *)(uintptr_t)segment->blob);
  skill__free((void *)(uintptr_t)segment->at);
  skill__free((void *)(uintptr_t)segment->names);
  skill__free((void *)(uintptr_t)segment->rows);
  skill__free((void *)(uintptr_t)segment->vectors);
  skill__free((void *)(uintptr_t)segment->signs);
  skill__free((void *)(uintptr_t)segment->hidden);
  skill__postings_free(&segment->postings);
  skill__free(segment);
}

static int mark_hidden(struct skill__segment *segment) {
  uint64_t *bits = NULL;
  for (uint32_t doc = 0; doc < segment->count; doc++) {
    if (!(segment->blob[segment->at[doc]] & SKILL__DOC_UNLISTED)) continue;
    if (!bits) bits = skill__calloc(((size_t)segment->count + 63) / 64, sizeof *bits);
    if (!bits) return SKILL_ENOMEM;
    bits[doc / 64] |= (uint64_t)1 << (doc % 64);
    segment->hidden = bits;
  }
  return 0;
}

static void count_bytes(struct skill__segment *segment) {
  size_t rows = segment->row_count, starts = segment->rows ? segment->count + 1ul : 0;
  segment->bytes = segment->at[segment->count] + (segment->count + 1) * sizeof *segment->at +
                   ((size_t)segment->name_mask + 1) * sizeof(uint32_t) + starts * sizeof *segment->rows +
                   rows * skill__vector_size(segment) + (segment->signs ? skill__sketch_size(rows) : 0) +
                   skill__postings_bytes(&segment->postings);
}

int skill__segment_new(struct skill__builder *builder, struct skill__gather *gather, const struct skill__dict *dict,
                       const struct skill__terms *terms, struct skill__segment **out) {
  int status = skill__doc_slack(&builder->blob);
  if (status) return status;
  struct skill__segment *segment = skill__calloc(1, sizeof *segment);
  uint32_t *at = skill__realloc(builder->at, (builder->count + 1) * sizeof *at);
  if (at) {
    builder->at = at;
    builder->capacity = builder->count + 1;
    at[builder->count] = (uint32_t)builder->blob.length;
  }
  status = segment && at ? 0 : SKILL_ENOMEM;
  if (!status) {
    segment->count = (uint32_t)builder->count;
    segment->blob = (const uint8_t *)builder->blob.data;
    segment->at = at;
    status = mark_hidden(segment);
  }
  if (!status) status = skill__postings_build(segment, gather, &segment->postings);
  if (!status && terms) status = skill__vectors_make(segment, dict, terms);
  if (status) {
    if (segment) segment->blob = NULL, segment->at = NULL;
    if (segment) segment_free(segment);
    return status;
  }
  /* The growing buffer may be twice as large as what is in it; a failure to shrink is no failure. */
  char *blob = skill__realloc(builder->blob.data, builder->blob.length + SKILL__VARINT_SLACK);
  if (blob) segment->blob = (const uint8_t *)blob;
  segment->names = builder->names;
  segment->name_mask = builder->name_mask;
  skill__free(builder->hashes);
  count_bytes(segment);
  atomic_store(&segment->refs, 1);
  skill__builder_init(builder);
  *out = segment;
  return 0;
}

void skill__segment_retain(struct skill__segment *segment) {
  atomic_fetch_add_explicit(&segment->refs, 1, memory_order_relaxed);
}

void skill__segment_release(struct skill__segment *segment) {
  if (segment && atomic_fetch_sub_explicit(&segment->refs, 1, memory_order_acq_rel) == 1) segment_free(segment);
}

/* --- removals ----------------------------------------------------------------------------------------------------- */

/* Makes *dead a private bitmap of at least `count` skills. */
static int own_dead(struct skill__dead **dead, uint32_t count) {
  struct skill__dead *old = *dead;
  size_t words = ((size_t)count + 63) / 64, had = old ? ((size_t)old->count + 63) / 64 : 0;
  if (old && words <= had && atomic_load_explicit(&old->refs, memory_order_acquire) == 1) return 0;
  if (words < had) words = had;
  struct skill__dead *mine = skill__calloc(1, sizeof *mine + words * sizeof mine->bits[0]);
  if (!mine) return SKILL_ENOMEM;
  atomic_store(&mine->refs, 1);
  mine->count = old && old->count > count ? old->count : count;
  if (old) memcpy(mine->bits, old->bits, had * sizeof mine->bits[0]);
  skill__dead_release(old);
  *dead = mine;
  return 0;
}

int skill__dead_mark(struct skill__dead **dead, uint32_t count, uint32_t doc) {
  int status = own_dead(dead, count);
  if (status) return status;
  if ((*dead)->count < count) (*dead)->count = count;
  (*dead)->bits[doc / 64] |= (uint64_t)1 << (doc % 64);
  return 0;
}

int skill__dead_cover(struct skill__dead **dead, uint32_t count) {
  return *dead && (*dead)->count < count ? own_dead(dead, count) : 0;
}

void skill__dead_retain(struct skill__dead *dead) {
  if (dead) atomic_fetch_add_explicit(&dead->refs, 1, memory_order_relaxed);
}

void skill__dead_release(struct skill__dead *dead) {
  if (dead && atomic_fetch_sub_explicit(&dead->refs, 1, memory_order_acq_rel) == 1) skill__free(dead);
}
