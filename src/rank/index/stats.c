/* SPDX-License-Identifier: MIT
 *
 * Catalogue statistics. Preparing can fail when memory is out; changing cannot, so that adding a skill either happens
 * or does not.
 */
#include "rank/index/stats.h"

#include <string.h>

#include "rank/weights.h"
#include "util/alloc.h"

static void release(struct skill__df_block *block) {
  if (block && atomic_fetch_sub_explicit(&block->refs, 1, memory_order_acq_rel) == 1) skill__free(block);
}

void skill__stats_fini(struct skill__stats *stats) {
  for (size_t i = 0; i < stats->block_count; i++) release(stats->blocks[i]);
  skill__free(stats->blocks);
  memset(stats, 0, sizeof *stats);
}

int skill__stats_copy(struct skill__stats *stats, struct skill__stats *out) {
  struct skill__df_block **blocks = skill__malloc(stats->block_count * sizeof *blocks);
  if (!blocks) return SKILL_ENOMEM;
  stats->shared = true;
  *out = *stats;
  out->blocks = blocks;
  out->block_capacity = stats->block_count;
  for (size_t i = 0; i < stats->block_count; i++) {
    blocks[i] = stats->blocks[i];
    atomic_fetch_add_explicit(&blocks[i]->refs, 1, memory_order_relaxed);
  }
  return 0;
}

static struct skill__df_block *block_new(const struct skill__df_block *like) {
  struct skill__df_block *block = skill__calloc(1, sizeof *block);
  if (!block) return NULL;
  if (like) memcpy(block->df, like->df, sizeof block->df);
  atomic_store(&block->refs, 1);
  return block;
}

/* Makes a token's block private to the writer: snapshots may share it. */
static int own(struct skill__stats *stats, uint32_t id) {
  struct skill__df_block **slot = &stats->blocks[id / SKILL__DF_BLOCK];
  if (atomic_load_explicit(&(*slot)->refs, memory_order_acquire) == 1) return 0;
  struct skill__df_block *block = block_new(*slot);
  if (!block) return SKILL_ENOMEM;
  release(*slot);
  *slot = block;
  return 0;
}

/* --- each token of a skill ---------------------------------------------------------------------------------------- */

/* What happens to each token that was not yet seen under the current stamp: its counts change, or, with `own`, its
 * block is made the writer's own. */
struct change {
  uint32_t skills, tools; /* added; a count that goes down wraps around */
  bool own;
};

/* Counts a token once for each stamp. Branch-free: whether a token was seen is unpredictable. */
static void count_token(struct skill__stats *stats, struct skill__token_stamps *seen, uint32_t id,
                        struct change change) {
  uint32_t fresh = seen->stamp[id] != seen->now;
  seen->stamp[id] = seen->now;
  struct skill__df *df = &stats->blocks[id / SKILL__DF_BLOCK]->df[id % SKILL__DF_BLOCK];
  df->skills += change.skills * fresh;
  df->tools += change.tools * fresh;
}

/* By runs, so that memory has time to bring what belongs to each token. */
static int each(struct skill__stats *stats, struct skill__token_stamps *seen, const struct skill__span *span, bool bag,
                struct change change) {
  enum { RUN = 64 };
  uint32_t ids[RUN], id = 0, done = 0;
  const uint8_t *at = span->ids;
  while (done < span->count) {
    uint32_t count = span->count - done < RUN ? span->count - done : RUN;
    if (!bag) at = skill__varint_run(at, ids, count);
    for (uint32_t i = 0; i < count; i++) {
      if (bag) {
        ids[i] = id += skill__varint_get(&at);
        skill__varint_get(&at);
      }
      id = ids[i];
      __builtin_prefetch(&seen->stamp[id], 1);
      __builtin_prefetch(&stats->blocks[id / SKILL__DF_BLOCK]->df[id % SKILL__DF_BLOCK], 1);
    }
    for (uint32_t i = 0; i < count && change.own; i++)
      if (own(stats, ids[i])) return SKILL_ENOMEM;
    for (uint32_t i = 0; i < count && !change.own; i++) count_token(stats, seen, ids[i], change);
    done += count;
  }
  return 0;
}

static void next_stamp(struct skill__token_stamps *seen) {
  if (++seen->now) return;
  memset(seen->stamp, 0, seen->capacity * sizeof *seen->stamp);
  seen->now = 1;
}

static const bool all_fields[SKILL_RANK_FIELD_COUNT] = {true, true, true, true, true, true, true, true, true, true};

/* Every distinct token of the skill as a whole. */
static int each_of_skill(struct skill__stats *stats, struct skill__token_stamps *seen, const struct skill__doc *doc,
                         const bool *counted, struct change change) {
  next_stamp(seen);
  int status = 0;
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT && !status; f++)
    if (counted[f]) status = each(stats, seen, &doc->field[f], f == SKILL_RANK_BODY, change);
  const uint8_t *at = doc->tools;
  for (uint32_t t = 0; t < doc->tool_count && !status; t++) {
    struct skill__doc_tool tool;
    skill__doc_next_tool(&at, &tool);
    for (size_t i = 0; i < SKILL__TOOL_FIELDS && !status; i++)
      if (counted[skill__tool_fields[i].skill])
        status = each(stats, seen, &tool.field[skill__tool_fields[i].tool], false, change);
  }
  return status;
}

/* Grows by a quarter: zeroed memory is memory in use. */
static int make_stamps(struct skill__token_stamps *seen, uint32_t count) {
  if (count <= seen->capacity) return 0;
  size_t capacity = count + count / 4 + SKILL__DF_BLOCK;
  uint8_t *stamp = skill__realloc(seen->stamp, capacity * sizeof *stamp);
  if (!stamp) return SKILL_ENOMEM;
  memset(stamp + seen->capacity, 0, (capacity - seen->capacity) * sizeof *stamp);
  seen->stamp = stamp;
  seen->capacity = capacity;
  return 0;
}

int skill__stats_prepare(struct skill__stats *stats, struct skill__token_stamps *seen, uint32_t count,
                         const struct skill__doc *doc) {
  if (make_stamps(seen, count)) return SKILL_ENOMEM;
  size_t blocks = ((size_t)count + SKILL__DF_BLOCK - 1) / SKILL__DF_BLOCK;
  if (SKILL__GROW(stats->blocks, stats->block_capacity, blocks)) return SKILL_ENOMEM;
  while (stats->block_count < blocks) {
    struct skill__df_block *block = block_new(NULL);
    if (!block) return SKILL_ENOMEM;
    stats->blocks[stats->block_count++] = block;
  }
  return stats->shared ? each_of_skill(stats, seen, doc, all_fields, (struct change){0, 0, true}) : 0;
}

/* --- counting ----------------------------------------------------------------------------------------------------- */

static void add(uint64_t *sum, uint32_t value, bool up) {
  *sum = up ? *sum + value : *sum - value;
}

static void change_tools(struct skill__stats *stats, struct skill__token_stamps *seen, const struct skill__doc *doc,
                         bool up) {
  struct change change = {0, up ? 1 : UINT32_MAX, false};
  uint32_t shared = doc->length[SKILL_RANK_NAME] + doc->length[SKILL_RANK_TAGS];
  const uint8_t *at = doc->tools;
  for (uint32_t t = 0; t < doc->tool_count; t++) {
    struct skill__doc_tool tool;
    skill__doc_next_tool(&at, &tool);
    next_stamp(seen);
    each(stats, seen, &doc->field[SKILL_RANK_NAME], false, change);
    each(stats, seen, &doc->field[SKILL_RANK_TAGS], false, change);
    for (size_t i = 0; i < SKILL__TOOL_FIELDS; i++) {
      SkillRankField f = skill__tool_fields[i].tool;
      each(stats, seen, &tool.field[f], false, change);
      add(&stats->tool_length[f], tool.field[f].count, up);
    }
    add(&stats->tool_length[SKILL_RANK_TAGS], shared, up);
  }
}

void skill__stats_change(struct skill__stats *stats, struct skill__token_stamps *seen, const struct skill__doc *doc,
                         const bool counted[SKILL_RANK_FIELD_COUNT], bool up) {
  uint32_t tools = doc->tool_count ? doc->tool_count : 1, one = up ? 1 : UINT32_MAX;
  stats->skills = up ? stats->skills + 1 : stats->skills - 1;
  stats->tools = up ? stats->tools + tools : stats->tools - tools;
  if (doc->tool_count) stats->groups = up ? stats->groups + 1 : stats->groups - 1;
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) add(&stats->length[f], doc->length[f], up);
  if (doc->tool_count) {
    each_of_skill(stats, seen, doc, counted, (struct change){one, 0, false});
    change_tools(stats, seen, doc, up);
    return;
  }
  each_of_skill(stats, seen, doc, counted, (struct change){one, one, false});
  for (size_t i = 0; i < SKILL__TOOL_FIELDS; i++) {
    SkillRankField f = skill__tool_fields[i].tool;
    add(&stats->tool_length[f], doc->length[f], up);
  }
  add(&stats->tool_length[SKILL_RANK_TAGS], doc->length[SKILL_RANK_NAME] + doc->length[SKILL_RANK_TAGS], up);
}

double skill__stats_mean(const struct skill__stats *stats, size_t field, bool tools) {
  double count = tools ? stats->tools : stats->skills;
  double sum = (double)(tools ? stats->tool_length[field] : stats->length[field]);
  return count > 0 && sum > 0 ? sum / count : 1;
}
