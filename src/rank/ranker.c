/* SPDX-License-Identifier: MIT
 *
 * SkillRanker: adding, removing, snapshots, queries. What fails leaves the ranker as it was.
 */
#include "rank/ranker.h"

#include <string.h>

#include "rank/index/impact.h"
#include "rank/options.h"
#include "rank/query/search.h"
#include "util/alloc.h"
#include "util/options.h"

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
  skill__gather_fini(&ranker->gather);
  skill__index_fields_fini(&ranker->fields);
  skill__analyzer_free(ranker->analyzer);
  skill__shared_release(ranker->shared);
  skill__free(ranker);
}

const char *skill_ranker_note(const SkillRanker *ranker) {
  return ranker->shared->note;
}

size_t skill_ranker_count(const SkillRanker *ranker) {
  return skill__ranker_is_lazy(ranker) ? ranker->lazy.count(ranker->lazy.user) : ranker->stats.skills;
}

void skill__ranker_fill_lazily(SkillRanker *ranker, struct skill__lazy_fill lazy) {
  ranker->lazy = lazy;
}

bool skill__ranker_is_lazy(const SkillRanker *ranker) {
  return ranker->lazy.fill != NULL;
}

int skill__ranker_ready(SkillRanker *ranker, SkillError *err) {
  struct skill__lazy_fill lazy = ranker->lazy;
  if (!lazy.fill) return 0;
  ranker->lazy.fill = NULL; /* fill itself calls the ranker */
  int status = lazy.fill(ranker, lazy.user, err);
  if (status) ranker->lazy = lazy;
  return status;
}

/* --- adding and removing ------------------------------------------------------------------------------------------ */

/* Which part has the name: its index, part_count for the builder, or SIZE_MAX. */
static size_t locate(const SkillRanker *ranker, const char *name, size_t length, uint32_t hash, uint32_t *doc) {
  *doc = skill__names_find(ranker->builder.names, ranker->builder.name_mask, (const uint8_t *)ranker->builder.blob.data,
                           ranker->builder.at, ranker->builder_dead, name, length, hash);
  if (*doc != UINT32_MAX) return ranker->part_count;
  for (size_t i = ranker->part_count; i-- > 0;) {
    const struct skill__segment *segment = ranker->parts[i].segment;
    *doc = skill__names_find(segment->names, segment->name_mask, segment->blob, segment->at, ranker->parts[i].dead,
                             name, length, hash);
    if (*doc != UINT32_MAX) return i;
  }
  return SIZE_MAX;
}

int skill_ranker_add(SkillRanker *ranker, const SkillMetadata *metadata, const char *body, size_t body_length,
                     SkillError *err) {
  uint32_t number = 0;
  if (!metadata || !metadata->name || !metadata->name[0])
    return skill_error_set(err, SKILL_EINVAL, "ranker: a skill needs a name");
  int status = skill__ranker_ready(ranker, err);
  if (status) return status;
  size_t name_length = strlen(metadata->name);
  uint32_t hash = skill__name_hash(metadata->name, name_length);
  if (locate(ranker, metadata->name, name_length, hash, &number) != SIZE_MAX)
    return skill_error_set(err, SKILL_EEXISTS, "ranker: %s is already there", metadata->name);
  struct skill__builder *builder = &ranker->builder;
  if (!ranker->updating && (builder->count == SKILL__SEGMENT_SKILLS || builder->blob.length > SKILL__SEGMENT_FULL)) {
    int full = skill__ranker_close(ranker);
    if (full) return skill_error_set(err, full, "ranker: %s: %s", metadata->name, skill_strerror(full));
  }
  size_t offset = builder->blob.length;
  if (ranker->shared->ignore_body) body = NULL;
  status = skill__doc_encode(&builder->blob, ranker->shared->dict, ranker->analyzer, &ranker->fields, metadata, body,
                             body ? body_length : 0);
  if (status) return skill_error_set(err, status, "ranker: %s: %s", metadata->name, skill_strerror(status));
  struct skill__doc doc;
  skill__doc_decode((const uint8_t *)builder->blob.data + offset, &doc);
  status = skill__stats_prepare(&ranker->stats, &ranker->seen, skill__dict_count(ranker->shared->dict), &doc);
  if (!status) status = skill__builder_add(builder, offset, hash);
  if (status) {
    builder->blob.length = offset;
    return skill_error_set(err, status, "ranker: %s: %s", metadata->name, skill_strerror(status));
  }
  skill__stats_change(&ranker->stats, &ranker->seen, &doc, ranker->shared->counted, true);
  ranker->builder_live++;
  skill__ranker_changed(ranker);
  return 0;
}

int skill_ranker_remove(SkillRanker *ranker, const char *name) {
  int status = skill__ranker_ready(ranker, NULL);
  if (status) return status;
  uint32_t number = 0;
  size_t length = strlen(name), where = locate(ranker, name, length, skill__name_hash(name, length), &number);
  if (where == SIZE_MAX) return SKILL_ENOENT;
  bool building = where == ranker->part_count;
  struct skill__rank_part *part = building ? NULL : &ranker->parts[where];
  const uint8_t *at = building ? (const uint8_t *)ranker->builder.blob.data + ranker->builder.at[number]
                               : part->segment->blob + part->segment->at[number];
  struct skill__doc doc;
  skill__doc_decode(at, &doc);
  status = skill__stats_prepare(&ranker->stats, &ranker->seen, skill__dict_count(ranker->shared->dict), &doc);
  if (!status)
    status = building ? skill__dead_mark(&ranker->builder_dead, (uint32_t)ranker->builder.count, number)
                      : skill__dead_mark(&part->dead, part->segment->count, number);
  if (status) return status;
  skill__stats_change(&ranker->stats, &ranker->seen, &doc, ranker->shared->counted, false);
  if (building)
    ranker->builder_live--;
  else
    part->live--;
  skill__ranker_changed(ranker);
  return 0;
}

/* --- snapshots ---------------------------------------------------------------------------------------------------- */

static int make_snapshot(SkillRanker *ranker) {
  if (ranker->current) return 0;
  int status = skill__ranker_ready(ranker, NULL);
  if (!status) status = skill__ranker_merge(ranker);
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

/* --- queries ------------------------------------------------------------------------------------------------------ */

static int run(struct skill__context *context, const SkillRankSnapshot *snapshot, const SkillQuery *query,
               SkillRanking **out, SkillError *err) {
  const char *text = query->text;
  size_t length = query->length ? query->length : strlen(text);
  struct skill__fusion fusion;
  int status = 0;
  if (length > SKILL_MAX_QUERY) length = SKILL_MAX_QUERY;
  context->filtered = query->grammar;
  if (query->grammar) {
    skill__buf_clear(&context->words);
    status = skill__filter_read(&context->filter, snapshot, context->analyzer, text, length, &context->words, err);
    text = context->words.data ? context->words.data : "";
    length = context->words.length;
    const struct skill__filter *filter = &context->filter;
    context->filtered = filter->count || filter->selected_count || filter->impossible;
  }
  if (!status) status = skill__query_read(context, snapshot, text, length);
  if (!status) status = skill__search(context, snapshot, query, text, length, &fusion);
  if (!status) status = skill__result_new(context, snapshot, query, &fusion, out);
  return status;
}

int skill_rank_query(const SkillRankSnapshot *snapshot, const SkillQuery *query, SkillRanking **out, SkillError *err) {
  SkillQuery given = SKILL_QUERY_INIT;
  int status = SKILL__OPTIONS(SkillQuery, &given, query, err);
  if (status) return status;
  if (!given.text) return skill_error_set(err, SKILL_EINVAL, "query: no text");
  struct skill__context *context = skill__context_acquire(snapshot->shared);
  if (!context) return skill_error_set(err, SKILL_ENOMEM, "query: out of memory");
  status = run(context, snapshot, &given, out, err);
  skill__context_release(snapshot->shared, context);
  return status ? skill_error_set(err, status, "query: %s", skill_strerror(status)) : 0;
}

int skill_ranker_query(SkillRanker *ranker, const SkillQuery *query, SkillRanking **out, SkillError *err) {
  int status = make_snapshot(ranker);
  if (status) return skill_error_set(err, status, "query: %s", skill_strerror(status));
  return skill_rank_query(ranker->current, query, out, err);
}
