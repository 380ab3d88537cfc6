/* SPDX-License-Identifier: MIT
 *
 * Impacts. A skill without several tools is its own only tool, so that skills of both kinds compare. Fails only when
 * memory is out.
 */
#include "rank/index/impact.h"

#include <math.h>

#include "rank/index/postings.h"
#include "rank/weights.h"
#include "util/alloc.h"

/* Replaces an array, which is all zero, by a larger one. */
static int widen(float **array, size_t size) {
  float *larger = skill__calloc(size, sizeof *larger);
  if (!larger) return SKILL_ENOMEM;
  skill__free(*array);
  *array = larger;
  return 0;
}

static int room(struct skill__gather *gather, uint32_t tokens) {
  if (tokens <= gather->tokens) return 0;
  size_t size = tokens + tokens / 4 + 1024;
  uint32_t *index = skill__calloc(size, sizeof *index);
  if (!index || widen(&gather->skill, size)) {
    skill__free(index);
    return SKILL_ENOMEM;
  }
  skill__free(gather->index);
  gather->index = index;
  gather->tokens = (uint32_t)size;
  return 0;
}

/* Most catalogues have no skill of several tools, or no bodies, and save that memory. */
static int more_room(struct skill__gather *gather) {
  if (gather->several && gather->tool_tokens < gather->tokens) {
    if (widen(&gather->tool, gather->tokens) || widen(&gather->best, gather->tokens)) return SKILL_ENOMEM;
    gather->tool_tokens = gather->tokens;
  }
  if (gather->bodied && gather->body_tokens < gather->tokens) {
    if (widen(&gather->body, gather->tokens)) return SKILL_ENOMEM;
    gather->body_tokens = gather->tokens;
  }
  return 0;
}

double skill__impact_step(const struct skill__rank_shared *shared) {
  double body = shared->ignore_body ? 0 : SKILL__BODY_FIRST * (SKILL__BODY_K1 + 1);
  return ((shared->k1 + 1) * (1 + SKILL__TOOL_SHARE) + body) / SKILL__IMPACT_TOP;
}

int skill__gather_prepare(struct skill__gather *gather, const struct skill__rank_shared *shared,
                          const struct skill__stats *stats, uint32_t tokens) {
  gather->k1 = shared->k1;
  gather->body_slope = SKILL__BODY_B / skill__stats_mean(stats, SKILL_RANK_BODY, false);
  gather->step = skill__impact_step(shared);
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) {
    gather->weight[f] = shared->counted[f] ? shared->weight[f] : 0;
    gather->fixed[f] = 1 - shared->b[f];
    gather->slope[f] = shared->b[f] / skill__stats_mean(stats, f, false);
    gather->tool_slope[f] = shared->b[f] / skill__stats_mean(stats, f, true);
  }
  return room(gather, tokens);
}

void skill__gather_fini(struct skill__gather *gather) {
  skill__free(gather->skill);
  skill__free(gather->tool);
  skill__free(gather->best);
  skill__free(gather->body);
  skill__free(gather->index);
  skill__free(gather->touched);
  skill__free(gather->tool_touched);
  *gather = (struct skill__gather){.tokens = 0};
}

/* --- frequencies ------------------------------------------------------------------------------------------------ */

static int gather_span(struct skill__gather *gather, const struct skill__span *span, double weight) {
  if (!span->count || weight <= 0) return 0;
  if (SKILL__GROW(gather->touched, gather->capacity, gather->count + span->count + 1)) return SKILL_ENOMEM;
  float w = (float)weight;
  for (struct skill__run run = skill__run_of(span); skill__run_next(&run);) {
    for (uint32_t i = 0; i < run.count; i++) {
      float *sum = &gather->skill[run.ids[i]];
      gather->touched[gather->count] = run.ids[i]; /* overwritten unless it is new */
      gather->count += *sum <= 0;
      *sum += w;
    }
  }
  return 0;
}

/* The body, as one of the fields and alone. */
static int gather_body(struct skill__gather *gather, const struct skill__doc *doc, double weight) {
  if (!gather->bodied) return 0;
  if (SKILL__GROW(gather->touched, gather->capacity, gather->count + doc->body_distinct)) return SKILL_ENOMEM;
  const uint8_t *at = doc->field[SKILL_RANK_BODY].ids;
  float w = (float)weight;
  double slope = gather->body_slope * doc->length[SKILL_RANK_BODY];
  float alone = (float)(1 / (1 - SKILL__BODY_B + slope));
  uint32_t id = 0;
  for (uint32_t i = 0; i < doc->body_distinct; i++) {
    id += skill__varint_get(&at);
    float tf = (float)skill__varint_get(&at);
    if (gather->skill[id] <= 0) gather->touched[gather->count++] = id;
    gather->skill[id] += w * tf;
    gather->body[id] = alone * tf;
  }
  return 0;
}

static int gather_tool_span(struct skill__gather *gather, const struct skill__span *span, double weight) {
  if (!span->count || weight <= 0) return 0;
  if (SKILL__GROW(gather->tool_touched, gather->tool_capacity, gather->tool_count + span->count)) return SKILL_ENOMEM;
  const uint8_t *at = span->ids;
  for (uint32_t i = 0; i < span->count; i++) {
    uint32_t id = skill__varint_get(&at);
    if (gather->tool[id] <= 0) gather->tool_touched[gather->tool_count++] = id;
    gather->tool[id] += (float)weight;
  }
  return 0;
}

/* Keeps each token's best tool; a token that only a tool's own description has belongs to the skill too. */
static int settle_tool(struct skill__gather *gather) {
  if (SKILL__GROW(gather->touched, gather->capacity, gather->count + gather->tool_count)) return SKILL_ENOMEM;
  for (size_t i = 0; i < gather->tool_count; i++) {
    uint32_t id = gather->tool_touched[i];
    if (gather->skill[id] <= 0 && gather->best[id] <= 0) gather->touched[gather->count++] = id;
    if (gather->tool[id] > gather->best[id]) gather->best[id] = gather->tool[id];
    gather->tool[id] = 0;
  }
  gather->tool_count = 0;
  return 0;
}

static double norm(const struct skill__gather *gather, size_t field, uint32_t length) {
  return gather->weight[field] / (gather->fixed[field] + gather->slope[field] * length);
}

static int gather_tool(struct skill__gather *gather, const struct skill__doc *doc, const struct skill__doc_tool *tool) {
  int status = 0;
  for (size_t i = 0; i < SKILL__TOOL_FIELDS && !status; i++) {
    SkillRankField f = skill__tool_fields[i].skill, own = skill__tool_fields[i].tool;
    status = gather_span(gather, &tool->field[own], norm(gather, f, doc->length[f]));
    double weight = gather->weight[own] / (gather->fixed[own] + gather->tool_slope[own] * tool->field[own].count);
    if (!status) status = gather_tool_span(gather, &tool->field[own], weight);
  }
  uint32_t shared = doc->length[SKILL_RANK_NAME] + doc->length[SKILL_RANK_TAGS];
  double weight = SKILL__TOOL_TAGS / (gather->fixed[SKILL_RANK_TAGS] + gather->tool_slope[SKILL_RANK_TAGS] * shared);
  if (!status) status = gather_tool_span(gather, &doc->field[SKILL_RANK_NAME], weight);
  if (!status) status = gather_tool_span(gather, &doc->field[SKILL_RANK_TAGS], weight);
  return status ? status : settle_tool(gather);
}

size_t skill__gather_doc(struct skill__gather *gather, const struct skill__doc *doc) {
  gather->count = 0;
  gather->several = doc->tool_count > 0;
  gather->bodied = doc->body_distinct > 0 && gather->weight[SKILL_RANK_BODY] > 0;
  int status = more_room(gather);
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT && !status; f++) {
    double weight = norm(gather, f, doc->length[f]);
    status = f == SKILL_RANK_BODY ? gather_body(gather, doc, weight) : gather_span(gather, &doc->field[f], weight);
  }
  const uint8_t *at = doc->tools;
  for (uint32_t t = 0; t < doc->tool_count && !status; t++) {
    struct skill__doc_tool tool;
    skill__doc_next_tool(&at, &tool);
    status = gather_tool(gather, doc, &tool);
  }
  if (!status) return gather->count;
  for (size_t i = 0; i < gather->count; i++) {
    uint32_t id = gather->touched[i];
    gather->skill[id] = 0;
    if (gather->several) gather->best[id] = 0;
    if (gather->bodied) gather->body[id] = 0;
  }
  for (size_t i = 0; i < gather->tool_count; i++) gather->tool[gather->tool_touched[i]] = 0;
  gather->tool_count = 0;
  return SIZE_MAX;
}

static uint8_t rounded(double sum, double step) {
  return (uint8_t)fmin(fmax(sum / step + 0.5, 1), SKILL__IMPACT_TOP);
}

uint8_t skill__gather_take(struct skill__gather *gather, uint32_t id, uint8_t *typical) {
  double x = (double)gather->skill[id], k1 = gather->k1, sum = x * (k1 + 1) / (x + k1);
  double y = gather->several ? (double)gather->best[id] : x, alone = gather->bodied ? (double)gather->body[id] : 0;
  sum += SKILL__TOOL_SHARE * (gather->several ? y * (k1 + 1) / (y + k1) : sum);
  gather->skill[id] = 0;
  if (gather->several) gather->best[id] = 0;
  uint8_t impact = *typical = rounded(sum, gather->step);
  if (alone <= 0) return impact;
  gather->body[id] = 0;
  sum += SKILL__BODY_FIRST * alone * (SKILL__BODY_K1 + 1) / (alone + SKILL__BODY_K1);
  return rounded(sum, gather->step);
}
