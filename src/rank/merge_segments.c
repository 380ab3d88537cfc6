/* SPDX-License-Identifier: MIT
 *
 * Closing the builder and merging segments. Fails when memory is out or, beyond some sixteen million skills, when the
 * array of segments is full; the ranker then has the same skills as before.
 */
#include <string.h>

#include "rank/options.h"
#include "rank/ranker.h"

enum { TRIM_FROM = 1024 }; /* skills of a segment from which scratch is freed: allocating it again costs little then */

void skill__ranker_changed(SkillRanker *ranker) {
  skill_rank_snapshot_release(ranker->current);
  ranker->current = NULL;
}

static void drop_part(SkillRanker *ranker, size_t i) {
  skill__segment_release(ranker->parts[i].segment);
  skill__dead_release(ranker->parts[i].dead);
  ranker->part_count--;
  memmove(&ranker->parts[i], &ranker->parts[i + 1], (ranker->part_count - i) * sizeof ranker->parts[0]);
}

/* Turns a builder into a segment. Its impacts use the current weights and mean lengths; later changes of the means are
 * ignored until the segment is merged, which moves rounded scores a little and exact scores not at all. */
static int make_segment(SkillRanker *ranker, struct skill__builder *builder, struct skill__segment **out) {
  const struct skill__rank_shared *shared = ranker->shared;
  skill__dict_learn(shared->dict);
  int status = skill__gather_prepare(&ranker->gather, shared, &ranker->stats, skill__dict_count(shared->dict));
  bool many = builder->count >= TRIM_FROM;
  if (!status) status = skill__segment_new(builder, &ranker->gather, shared->dict, shared->terms, out);
  if (many) skill__gather_fini(&ranker->gather);
  return status;
}

/* A builder with more skills than a segment holds, as after one large update, becomes several. */
static int close_slice(SkillRanker *ranker, size_t from, size_t to) {
  const struct skill__builder *whole = &ranker->builder;
  struct skill__builder builder;
  struct skill__segment *segment = NULL;
  struct skill__dead *dead = NULL;
  uint32_t live = 0;
  skill__builder_init(&builder);
  int status = 0;
  for (size_t i = from; i < to && !status; i++) {
    size_t end = i + 1 < whole->count ? whole->at[i + 1] : whole->blob.length, offset = builder.blob.length;
    skill__buf_add(&builder.blob, whole->blob.data + whole->at[i], end - whole->at[i]);
    status = builder.blob.status ? builder.blob.status : skill__builder_add(&builder, offset, whole->hashes[i]);
    if (skill__dead_has(ranker->builder_dead, (uint32_t)i) && !status)
      status = skill__dead_mark(&dead, (uint32_t)(to - from), (uint32_t)(i - from));
    else
      live++;
  }
  if (!status) status = make_segment(ranker, &builder, &segment);
  skill__builder_fini(&builder);
  if (status) {
    skill__dead_release(dead);
    return status;
  }
  ranker->parts[ranker->part_count++] = (struct skill__rank_part){segment, dead, live};
  return 0;
}

static int close_large(SkillRanker *ranker) {
  size_t parts = ranker->part_count;
  for (size_t from = 0; from < ranker->builder.count; from += SKILL__SEGMENT_SKILLS) {
    size_t to = from + SKILL__SEGMENT_SKILLS;
    int status = close_slice(ranker, from, to < ranker->builder.count ? to : ranker->builder.count);
    if (!status) continue;
    while (ranker->part_count > parts) drop_part(ranker, ranker->part_count - 1);
    return status;
  }
  skill__builder_fini(&ranker->builder);
  skill__dead_release(ranker->builder_dead);
  ranker->builder_dead = NULL;
  ranker->builder_live = 0;
  return 0;
}

int skill__ranker_close(SkillRanker *ranker) {
  if (ranker->builder.count == 0) return 0;
  if (ranker->part_count + ranker->builder.count / SKILL__SEGMENT_SKILLS >= SKILL__SEGMENTS_MAX) return SKILL_ELIMIT;
  if (ranker->builder.count > SKILL__SEGMENT_SKILLS) return close_large(ranker);
  struct skill__segment *segment = NULL;
  int status = skill__dead_cover(&ranker->builder_dead, (uint32_t)ranker->builder.count);
  if (!status) status = make_segment(ranker, &ranker->builder, &segment);
  if (status) return status;
  ranker->parts[ranker->part_count++] = (struct skill__rank_part){segment, ranker->builder_dead, ranker->builder_live};
  ranker->builder_dead = NULL;
  ranker->builder_live = 0;
  return 0;
}

/* Replaces the last two parts by one. */
static int merge_last(SkillRanker *ranker) {
  struct skill__rank_part *a = &ranker->parts[ranker->part_count - 2], *b = a + 1;
  struct skill__builder builder;
  struct skill__segment *segment = NULL;
  skill__builder_init(&builder);
  int status = skill__builder_append(&builder, a->segment, a->dead);
  if (!status) status = skill__builder_append(&builder, b->segment, b->dead);
  if (!status) status = make_segment(ranker, &builder, &segment);
  skill__builder_fini(&builder);
  if (status) return status;
  uint32_t live = a->live + b->live;
  drop_part(ranker, ranker->part_count - 1);
  drop_part(ranker, ranker->part_count - 1);
  ranker->parts[ranker->part_count++] = (struct skill__rank_part){segment, NULL, live};
  return 0;
}

int skill__ranker_merge(SkillRanker *ranker) {
  skill__dict_learn(ranker->shared->dict);
  int status = skill__ranker_close(ranker);
  skill__analyzer_trim(ranker->analyzer);
  skill__index_fields_trim(&ranker->fields);
  bool alone = atomic_load_explicit(&ranker->shared->refs, memory_order_acquire) == 1; /* there is no snapshot */
  if (alone) skill__dict_trim(ranker->shared->dict);
  for (size_t i = ranker->part_count; i-- > 0 && !status;)
    if (ranker->parts[i].live == 0) drop_part(ranker, i);
  while (!status && ranker->part_count >= 2) {
    const struct skill__rank_part *a = &ranker->parts[ranker->part_count - 2], *b = a + 1;
    if (a->live > 2 * b->live) break;
    if (a->live + b->live > SKILL__SEGMENT_SKILLS) break;
    if ((size_t)a->segment->at[a->segment->count] + b->segment->at[b->segment->count] > SKILL__SEGMENT_MAX_BYTES) break;
    status = merge_last(ranker);
  }
  return status;
}
