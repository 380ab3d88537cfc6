/* SPDX-License-Identifier: MIT
 *
 * Options and their defaults, and the state that ranker and snapshots share.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rank/options.h"
#include "rank/query/context.h"
#include "rank/weights.h"
#include "util/alloc.h"
#include "util/options.h"

static double chosen(double wanted, double usual) {
  return wanted < 0 ? usual : wanted;
}

static int set_weights(struct skill__rank_shared *shared, const SkillRankerOptions *options, SkillError *err) {
  shared->scorer = options->scorer;
  bool additive = options->scorer == SKILL_SCORER_ADDITIVE;
  for (size_t f = 0; f < SKILL_RANK_FIELD_COUNT; f++) {
    if (!isfinite(options->weight[f]) || !isfinite(options->b[f]) || options->b[f] > 1)
      return skill_error_set(err, SKILL_EINVAL, "ranker: weights must be finite numbers and b at most 1");
    shared->weight[f] =
        chosen(options->weight[f], additive ? skill__field_weights[f].additive : skill__field_weights[f].bm25f);
    shared->b[f] = chosen(options->b[f], SKILL__B);
    shared->counted[f] = shared->weight[f] > 0 && f != SKILL_RANK_NOT_WHEN;
  }
  if (!isfinite(options->k1) || !isfinite(options->k3) || !isfinite(options->floor))
    return skill_error_set(err, SKILL_EINVAL, "ranker: k1, k3 and floor must be finite numbers");
  shared->k1 = chosen(options->k1, SKILL__K1);
  shared->k3 = chosen(options->k3, SKILL__K3);
  shared->floor = chosen(options->floor, SKILL__FLOOR);
  shared->ignore_body = options->ignore_body || shared->weight[SKILL_RANK_BODY] <= 0;
  return 0;
}

static int load_terms(struct skill__rank_shared *shared, const SkillRankerOptions *options) {
  struct skill__buf where;
  SkillError err = SKILL_ERROR_INIT;
  skill__buf_init(&where, SKILL_MAX_PATH);
  int status = SKILL_ENOENT;
  bool wanted = options->scorer != SKILL_SCORER_ADDITIVE && !(options->table && !options->table[0]);
  if (wanted)
    status =
        skill__terms_locate(skill_io_posix(), options->table, SKILL__ANALYZER_VERSION, &shared->terms, &where, &err);
  if (status == 0)
    snprintf(shared->note, sizeof shared->note, "learned table: %s, %zu tokens of %zu dimensions",
             where.data ? where.data : "", skill__terms_rows(shared->terms), skill__terms_dims(shared->terms));
  else if (!wanted)
    snprintf(shared->note, sizeof shared->note, "learned table: none wanted, ranking by words alone");
  else
    snprintf(shared->note, sizeof shared->note, "learned table: none, ranking by words alone (%s)",
             err.message[0] ? err.message : skill_strerror(status));
  skill__buf_fini(&where);
  return status == SKILL_ENOMEM ? SKILL_ENOMEM : 0;
}

int skill__shared_new(const SkillRankerOptions *options, struct skill__rank_shared **out, SkillError *err) {
  SkillRankerOptions given = SKILL_RANKER_OPTIONS_INIT;
  int status = SKILL__OPTIONS(SkillRankerOptions, &given, options, err);
  if (status) return status;
  struct skill__rank_shared *shared = skill__calloc(1, sizeof *shared);
  if (!shared) return SKILL_ENOMEM;
  atomic_store(&shared->refs, 1);
  status = set_weights(shared, &given, err);
  if (!status) status = load_terms(shared, &given);
  if (!status) status = skill__dict_new(shared->terms, &shared->dict);
  if (status) {
    skill__shared_release(shared);
    return status;
  }
  *out = shared;
  return 0;
}

void skill__shared_retain(struct skill__rank_shared *shared) {
  atomic_fetch_add_explicit(&shared->refs, 1, memory_order_relaxed);
}

void skill__shared_release(struct skill__rank_shared *shared) {
  if (!shared || atomic_fetch_sub_explicit(&shared->refs, 1, memory_order_acq_rel) != 1) return;
  skill__contexts_free(shared);
  skill__dict_free(shared->dict);
  skill__terms_free(shared->terms);
  skill__free(shared);
}
