/* SPDX-License-Identifier: MIT
 *
 * Several changes at once, all or none.
 */
#include "rank/ranker.h"
#include "util/alloc.h"

/* The state that a failed update restores. Everything in it is shared until it is written, so it costs no copies. */
struct checkpoint {
  struct skill__stats stats;
  struct skill__rank_part parts[SKILL__SEGMENTS_MAX];
  struct skill__dead *builder_dead;
  uint32_t builder_live;
  size_t built;
};

static int checkpoint_take(SkillRanker *ranker, struct checkpoint *point) {
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

/* Exchanges the ranker's state and the checkpoint's; dropping the checkpoint then frees the failed state. */
static void checkpoint_return(SkillRanker *ranker, struct checkpoint *point) {
  while (ranker->builder.count > point->built) skill__builder_drop(&ranker->builder);
  for (size_t i = 0; i < ranker->part_count; i++) {
    struct skill__rank_part part = ranker->parts[i];
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
  skill__ranker_changed(ranker);
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
  int status = skill__ranker_ready(ranker, err);
  if (status) return status;
  if (count == 1 && !(changes->remove && changes->metadata)) return apply(ranker, changes, 1, err);
  struct checkpoint *point = skill__calloc(1, sizeof *point);
  status = point ? checkpoint_take(ranker, point) : SKILL_ENOMEM;
  if (!status) {
    ranker->updating = true;
    status = apply(ranker, changes, count, err);
    ranker->updating = false;
    if (status) checkpoint_return(ranker, point);
    checkpoint_drop(ranker, point);
  }
  skill__free(point);
  return status ? skill_error_set(err, status, "ranker: %s", skill_strerror(status)) : 0;
}
