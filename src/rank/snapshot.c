/* SPDX-License-Identifier: MIT
 *
 * References to a snapshot. Any thread may take and drop them; the last one frees the snapshot.
 */
#include "rank/index/snapshot.h"

#include "rank/options.h"
#include "util/alloc.h"

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
