/* SPDX-License-Identifier: MIT
 *
 * Names of an index that are near a mistyped one. Nothing here fails.
 */
#include "rank/index/snapshot.h"
#include "util/near.h"

size_t skill_rank_suggest(const SkillRankSnapshot *snapshot, const char *name, const char **names, size_t limit) {
  struct skill__near near;
  skill__near_begin(&near, name, limit);
  for (size_t p = 0; p < snapshot->part_count; p++) {
    const struct skill__rank_part *part = &snapshot->parts[p];
    for (uint32_t doc = 0; doc < part->segment->count; doc++) {
      if (skill__dead_has(part->dead, doc)) continue;
      size_t n = 0;
      skill__near_offer(&near, skill__doc_name(part->segment->blob + part->segment->at[doc], &n));
    }
  }
  for (size_t i = 0; i < near.count; i++) names[i] = near.names[i];
  return near.count;
}
