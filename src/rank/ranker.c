/* SPDX-License-Identifier: MIT
 *
 * The writer's side: skills are gathered in a builder; a snapshot closes it into a segment, and small neighbours are
 * merged so that their sizes at least halve from one to the next. What fails leaves the ranker as it was.
 */
#include "rank/ranker.h"

#include <string.h>

#include "rank/query.h"
#include "rank/search.h"
#include "rank/shared.h"
#include "util/alloc.h"

struct SkillRanker {
  struct skill__rank_shared *shared;
  struct skill__analyzer *analyzer;
  struct skill__stats stats;
  struct skill__seen seen;
  struct skill__part parts[SKILL__SEGMENTS_MAX];
  size_t part_count;
  struct skill__builder builder;
  struct skill__dead *builder_dead;
  uint32_t builder_live;
  SkillRankSnapshot *current; /* or NULL: something changed since */
};

int skill_ranker_new(const SkillRankerOptions *options, SkillRanker **out, SkillError *err) {
  SkillRanker *ranker = skill__calloc(1, sizeof *ranker);
  if (!ranker) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  skill__builder_init(&ranker->builder);
  int status = skill__shared_new(options, &ranker->shared, err);
  if (!status) status = skill__analyzer_new(&ranker->analyzer);
  if (status) {
    skill_ranker_free(ranker);
    return skill_error_set(err, status, "%s", skill_strerror(status));
  }
  *out = ranker;
  return 0;
}

void skill_ranker_free(SkillRanker *ranker) {
  if (!ranker) return;
  skill_rank_snapshot_release(ranker->current);
  for (size_t i = 0; i < ranker->part_count; i++) {
    skill__segment_release(ranker->parts[i].segment);
    skill__dead_release(ranker->parts[i].dead);
  }
  skill__builder_fini(&ranker->builder);
  skill__dead_release(ranker->builder_dead);
  skill__stats_fini(&ranker->stats);
  skill__free(ranker->seen.stamp);
  skill__analyzer_free(ranker->analyzer);
  skill__shared_release(ranker->shared);
  skill__free(ranker);
}

const char *skill_ranker_note(const SkillRanker *ranker) {
  return ranker->shared->note;
}

size_t skill_ranker_count(const SkillRanker *ranker) {
  return ranker->stats.skills;
}

static void changed(SkillRanker *ranker) {
  skill_rank_snapshot_release(ranker->current);
  ranker->current = NULL;
}

/* --- adding and removing ------------------------------------------------------------------------------------------ */

/* Where a name is: the part's index, part_count for the builder, or SIZE_MAX. */
static size_t locate(const SkillRanker *ranker, const char *name, uint32_t *doc) {
  size_t length = strlen(name);
  *doc = skill__names_find(ranker->builder.names, ranker->builder.name_mask, (const uint8_t *)ranker->builder.blob.data,
                           ranker->builder.at, ranker->builder_dead, name, length);
  if (*doc != UINT32_MAX) return ranker->part_count;
  for (size_t i = ranker->part_count; i-- > 0;) {
    const struct skill__segment *segment = ranker->parts[i].segment;
    *doc = skill__names_find(segment->names, segment->name_mask, segment->blob, segment->at, ranker->parts[i].dead,
                             name, length);
    if (*doc != UINT32_MAX) return i;
  }
  return SIZE_MAX;
}

int skill_ranker_add(SkillRanker *ranker, const SkillMetadata *metadata, const char *body, size_t body_length,
                     SkillError *err) {
  uint32_t number = 0;
  if (!metadata || !metadata->name || !metadata->name[0])
    return skill_error_set(err, SKILL_EINVAL, "ranker: a skill needs a name");
  if (locate(ranker, metadata->name, &number) != SIZE_MAX)
    return skill_error_set(err, SKILL_EEXISTS, "ranker: %s is already there", metadata->name);
  struct skill__builder *builder = &ranker->builder;
  size_t offset = builder->blob.length;
  if (ranker->shared->ignore_body) body = NULL;
  int status =
      skill__doc_encode(&builder->blob, ranker->shared->dict, ranker->analyzer, metadata, body, body ? body_length : 0);
  if (status) return skill_error_set(err, status, "ranker: %s: %s", metadata->name, skill_strerror(status));
  struct skill__doc doc;
  skill__doc_decode((const uint8_t *)builder->blob.data + offset, &doc);
  status = skill__stats_prepare(&ranker->stats, &ranker->seen, skill__dict_count(ranker->shared->dict), &doc);
  if (!status) status = skill__builder_add(builder, offset);
  if (status) {
    builder->blob.length = offset;
    return skill_error_set(err, status, "ranker: %s: %s", metadata->name, skill_strerror(status));
  }
  skill__stats_change(&ranker->stats, &ranker->seen, &doc, ranker->shared->counted, true);
  ranker->builder_live++;
  changed(ranker);
  return 0;
}

int skill_ranker_remove(SkillRanker *ranker, const char *name) {
  uint32_t number = 0;
  size_t where = locate(ranker, name, &number);
  if (where == SIZE_MAX) return SKILL_ENOENT;
  bool building = where == ranker->part_count;
  struct skill__part *part = building ? NULL : &ranker->parts[where];
  const uint8_t *at = building ? (const uint8_t *)ranker->builder.blob.data + ranker->builder.at[number]
                               : part->segment->blob + part->segment->at[number];
  struct skill__doc doc;
  skill__doc_decode(at, &doc);
  int status = skill__stats_prepare(&ranker->stats, &ranker->seen, skill__dict_count(ranker->shared->dict), &doc);
  if (!status)
    status = building ? skill__dead_mark(&ranker->builder_dead, (uint32_t)ranker->builder.count, number)
                      : skill__dead_mark(&part->dead, part->segment->count, number);
  if (status) return status;
  skill__stats_change(&ranker->stats, &ranker->seen, &doc, ranker->shared->counted, false);
  if (building)
    ranker->builder_live--;
  else
    part->live--;
  changed(ranker);
  return 0;
}

/* --- several changes at once -------------------------------------------------------------------------------------- */

/* What a failed update goes back to. All of it is shared until it is written, so keeping it costs no copies. */
struct checkpoint {
  struct skill__stats stats;
  struct skill__part parts[SKILL__SEGMENTS_MAX];
  struct skill__dead *builder_dead;
  uint32_t builder_live;
  size_t built;
};

static int checkpoint_take(const SkillRanker *ranker, struct checkpoint *point) {
  int status = skill__stats_copy(&ranker->stats, &point->stats);
  if (status) return status;
  for (size_t i = 0; i < ranker->part_count; i++) {
    point->parts[i] = ranker->parts[i];
    skill__dead_retain(point->parts[i].dead);
  }
  point->builder_dead = ranker->builder_dead;
  skill__dead_retain(point->builder_dead);
  point->builder_live = ranker->builder_live;
  point->built = ranker->builder.count;
  return 0;
}

static void checkpoint_drop(const SkillRanker *ranker, struct checkpoint *point) {
  for (size_t i = 0; i < ranker->part_count; i++) skill__dead_release(point->parts[i].dead);
  skill__dead_release(point->builder_dead);
  skill__stats_fini(&point->stats);
}

/* Puts the kept state in place; what there was is then in the checkpoint, to be dropped. */
static void checkpoint_return(SkillRanker *ranker, struct checkpoint *point) {
  while (ranker->builder.count > point->built) skill__builder_drop(&ranker->builder);
  for (size_t i = 0; i < ranker->part_count; i++) {
    struct skill__part part = ranker->parts[i];
    ranker->parts[i] = point->parts[i];
    point->parts[i] = part;
  }
  struct skill__dead *dead = ranker->builder_dead;
  ranker->builder_dead = point->builder_dead;
  point->builder_dead = dead;
  struct skill__stats stats = ranker->stats;
  ranker->stats = point->stats;
  point->stats = stats;
  ranker->builder_live = point->builder_live;
  changed(ranker);
}

static int apply(SkillRanker *ranker, const SkillRankChange *changes, size_t count, SkillError *err) {
  for (size_t i = 0; i < count; i++) {
    int status = changes[i].remove ? skill_ranker_remove(ranker, changes[i].remove) : 0;
    if (status) return skill_error_set(err, status, "ranker: %s: %s", changes[i].remove, skill_strerror(status));
  }
  for (size_t i = 0; i < count; i++) {
    const SkillRankChange *change = &changes[i];
    int status =
        change->metadata ? skill_ranker_add(ranker, change->metadata, change->body, change->body_length, err) : 0;
    if (status) return status;
  }
  return 0;
}

int skill_ranker_update(SkillRanker *ranker, const SkillRankChange *changes, size_t count, SkillError *err) {
  if (count == 1 && !(changes->remove && changes->metadata)) return apply(ranker, changes, 1, err);
  struct checkpoint *point = skill__calloc(1, sizeof *point);
  int status = point ? checkpoint_take(ranker, point) : SKILL_ENOMEM;
  if (!status) {
    status = apply(ranker, changes, count, err);
    if (status) checkpoint_return(ranker, point);
    checkpoint_drop(ranker, point);
  }
  skill__free(point);
  return status ? skill_error_set(err, status, "ranker: %s", skill_strerror(status)) : 0;
}

/* --- segments ----------------------------------------------------------------------------------------------------- */

static void drop_part(SkillRanker *ranker, size_t i) {
  skill__segment_release(ranker->parts[i].segment);
  skill__dead_release(ranker->parts[i].dead);
  ranker->part_count--;
  memmove(&ranker->parts[i], &ranker->parts[i + 1], (ranker->part_count - i) * sizeof ranker->parts[0]);
}

static int close_builder(SkillRanker *ranker) {
  if (ranker->builder.count == 0) return 0;
  struct skill__segment *segment = NULL;
  if (ranker->part_count == SKILL__SEGMENTS_MAX) return SKILL_ENOMEM;
  int status = skill__segment_new(&ranker->builder, ranker->shared->dict, ranker->shared->terms, &segment);
  if (status) return status;
  ranker->parts[ranker->part_count++] = (struct skill__part){segment, ranker->builder_dead, ranker->builder_live};
  ranker->builder_dead = NULL;
  ranker->builder_live = 0;
  return 0;
}

/* Makes one part of the last two. */
static int merge_last(SkillRanker *ranker) {
  struct skill__part *a = &ranker->parts[ranker->part_count - 2], *b = a + 1;
  struct skill__builder builder;
  struct skill__segment *segment = NULL;
  skill__builder_init(&builder);
  int status = skill__builder_append(&builder, a->segment, a->dead);
  if (!status) status = skill__builder_append(&builder, b->segment, b->dead);
  if (!status) status = skill__segment_new(&builder, ranker->shared->dict, ranker->shared->terms, &segment);
  skill__builder_fini(&builder);
  if (status) return status;
  uint32_t live = a->live + b->live;
  drop_part(ranker, ranker->part_count - 1);
  drop_part(ranker, ranker->part_count - 1);
  ranker->parts[ranker->part_count++] = (struct skill__part){segment, NULL, live};
  return 0;
}

static int settle(SkillRanker *ranker) {
  int status = close_builder(ranker);
  for (size_t i = ranker->part_count; i-- > 0 && !status;)
    if (ranker->parts[i].live == 0) drop_part(ranker, i);
  while (!status && ranker->part_count >= 2) {
    const struct skill__part *a = &ranker->parts[ranker->part_count - 2], *b = a + 1;
    if (a->live > 2 * b->live) break;
    if ((size_t)a->segment->at[a->segment->count] + b->segment->at[b->segment->count] > SKILL__SEGMENT_MAX_BYTES) break;
    status = merge_last(ranker);
  }
  return status;
}

/* --- snapshots ---------------------------------------------------------------------------------------------------- */

static int make_snapshot(SkillRanker *ranker) {
  if (ranker->current) return 0;
  int status = settle(ranker);
  if (status) return status;
  SkillRankSnapshot *snapshot = skill__calloc(1, sizeof *snapshot + ranker->part_count * sizeof snapshot->parts[0]);
  if (!snapshot) return SKILL_ENOMEM;
  if (skill__stats_copy(&ranker->stats, &snapshot->stats)) {
    skill__free(snapshot);
    return SKILL_ENOMEM;
  }
  atomic_store(&snapshot->refs, 1);
  snapshot->shared = ranker->shared;
  skill__shared_retain(ranker->shared);
  snapshot->tokens = skill__dict_count(ranker->shared->dict);
  snapshot->part_count = ranker->part_count;
  for (size_t i = 0; i < ranker->part_count; i++) {
    snapshot->parts[i] = ranker->parts[i];
    skill__segment_retain(snapshot->parts[i].segment);
    skill__dead_retain(snapshot->parts[i].dead);
  }
  ranker->current = snapshot;
  return 0;
}

int skill_ranker_snapshot(SkillRanker *ranker, SkillRankSnapshot **out) {
  int status = make_snapshot(ranker);
  if (status) return status;
  *out = skill_rank_snapshot_retain(ranker->current);
  return 0;
}

SkillRankSnapshot *skill_rank_snapshot_retain(SkillRankSnapshot *snapshot) {
  if (snapshot) atomic_fetch_add_explicit(&snapshot->refs, 1, memory_order_relaxed);
  return snapshot;
}

void skill_rank_snapshot_release(SkillRankSnapshot *snapshot) {
  if (!snapshot || atomic_fetch_sub_explicit(&snapshot->refs, 1, memory_order_acq_rel) != 1) return;
  for (size_t i = 0; i < snapshot->part_count; i++) {
    skill__segment_release(snapshot->parts[i].segment);
    skill__dead_release(snapshot->parts[i].dead);
  }
  skill__stats_fini(&snapshot->stats);
  skill__shared_release(snapshot->shared);
  skill__free(snapshot);
}

/* --- queries ------------------------------------------------------------------------------------------------------ */

int skill_rank_query(const SkillRankSnapshot *snapshot, const SkillQuery *query, SkillRanking **out, SkillError *err) {
  if (!query || !query->text) return skill_error_set(err, SKILL_EINVAL, "query: no text");
  size_t length = query->length ? query->length : strlen(query->text);
  if (length > SKILL_MAX_QUERY) length = SKILL_MAX_QUERY;
  struct skill__context *context = skill__context_acquire(snapshot->shared);
  if (!context) return skill_error_set(err, SKILL_ENOMEM, "query: out of memory");
  struct skill__fusion fusion;
  int status = skill__query_read(context, snapshot, query->text, length);
  if (!status) status = skill__search(context, snapshot, query, query->text, length, &fusion);
  if (!status) status = skill__result_new(context, snapshot, query, &fusion, out);
  skill__context_release(snapshot->shared, context);
  return status ? skill_error_set(err, status, "query: %s", skill_strerror(status)) : 0;
}

int skill_ranker_query(SkillRanker *ranker, const SkillQuery *query, SkillRanking **out, SkillError *err) {
  int status = make_snapshot(ranker);
  if (status) return skill_error_set(err, status, "query: %s", skill_strerror(status));
  return skill_rank_query(ranker->current, query, out, err);
}
