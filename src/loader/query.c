/* SPDX-License-Identifier: MIT
 *
 * A query on its way to items: ranked, shown to the policy, turned into names. Fails for want of memory or because the
 * policy does.
 */
#include <stdio.h>
#include <string.h>

#include "loader/loader_internal.h"

enum { CANDIDATES = 64, TOLD = 10 };

struct both {
  const ProgressiveSkillLoader *loader;
  bool (*visible)(const char *name, void *user);
  void *user;
};

static bool visible_to_both(const char *name, void *user) {
  const struct both *both = user;
  return skill__loader_visible(both->loader, name) && (!both->visible || both->visible(name, both->user));
}

static void tell_ranking(ProgressiveSkillLoader *loader, const SkillRanking *ranking) {
  for (size_t i = 0; i < ranking->count && i < TOLD; i++) {
    const SkillRankResult *result = &ranking->results[i];
    skill__loader_emit(loader, (SkillEvent){.kind = SKILL_EVENT_RANKED,
                                            .skill = result->name,
                                            .source = result->source,
                                            .score = result->score,
                                            .count = i + 1});
  }
  if (!ranking->count) {
    skill__loader_emit(loader, (SkillEvent){.kind = SKILL_EVENT_RANKED, .reason = ranking->reason});
  }
}

int skill_loader_rank(ProgressiveSkillLoader *loader, const SkillQuery *query, SkillRanking **out, SkillError *err) {
  if (loader->closing) return skill_error_set(err, SKILL_ECLOSED, "the loader is closed");
  SkillRanking *ranking = NULL;
  SkillQuery own = *query;
  struct both both = {loader, query->visible, query->user};
  if (loader->options.visible) {
    own.visible = visible_to_both;
    own.user = &both;
  }
  int rc = skill_ranker_query(skill_registry_ranker(loader->registry), &own, &ranking, err);
  if (rc) return rc;
  tell_ranking(loader, ranking);
  *out = ranking;
  return 0;
}

static bool add_candidate(const ProgressiveSkillLoader *loader, SkillCandidate *candidate, const char *name,
                          double score, double fit) {
  Skill *skill = skill_registry_find(loader->registry, name);
  if (!skill || skill->metadata->disable_model_invocation || !skill__loader_visible(loader, name)) return false;
  const struct skill__entry *entry = skill__entry_find(loader, name);
  bool active = entry && entry->state == SKILL_STATE_ACTIVE;
  *candidate = (SkillCandidate){.name = skill->metadata->name,
                                .score = score,
                                .fit = fit,
                                .l2_tokens = active ? entry->l2_tokens : skill__loader_l2_tokens(loader, skill),
                                .active = active,
                                .pinned = active && entry->pinned};
  return true;
}

static bool in_ranking(const SkillRanking *ranking, const char *name) {
  for (size_t i = 0; i < ranking->count; i++) {
    if (!strcmp(ranking->results[i].name, name)) return true;
  }
  return false;
}

static int gather(ProgressiveSkillLoader *loader, const SkillRanking *ranking, bool every, SkillCandidate **out,
                  size_t *count) {
  size_t most = every ? skill_registry_count(loader->registry) + ranking->count : ranking->count;
  SkillCandidate *all = skill__calloc(most ? most : 1, sizeof *all);
  size_t n = 0;
  if (!all) return SKILL_ENOMEM;
  for (size_t i = 0; i < ranking->count; i++) {
    const SkillRankResult *result = &ranking->results[i];
    n += add_candidate(loader, &all[n], result->name, result->score, result->fit);
  }
  for (Skill *skill = NULL; every && (skill = skill_registry_next(loader->registry, skill));) {
    const SkillMetadata *metadata = skill->metadata;
    if (metadata->unlisted || in_ranking(ranking, metadata->name)) continue;
    n += add_candidate(loader, &all[n], metadata->name, 0, 0);
  }
  *out = all;
  *count = n;
  return 0;
}

static int select_and_add(ProgressiveSkillLoader *loader, struct skill__request *request,
                          const SkillCandidate *candidates, size_t count) {
  const SkillPolicy *policy = loader->options.policy;
  size_t top = loader->options.top ? loader->options.top : loader->options.max_active;
  SkillSelectInput input = {
      candidates, count, top, loader->options.max_active, loader->options.token_budget, skill__loader_now(loader)};
  size_t chosen_count = 0;
  size_t *chosen = skill__calloc(count ? count : 1, sizeof *chosen);
  if (!chosen) return SKILL_ENOMEM;
  int rc = policy->select(policy, &input, chosen, &chosen_count);
  if (!rc && chosen_count > count) rc = SKILL_EINVAL;
  for (size_t i = 0; !rc && i < chosen_count; i++) rc = chosen[i] < count ? 0 : SKILL_EINVAL;
  if (!rc) rc = skill__request_room(request, chosen_count);
  for (size_t i = 0; !rc && i < chosen_count; i++) {
    const SkillCandidate *candidate = &candidates[chosen[i]];
    rc = skill__request_add(loader, request, candidate->name, candidate->score, 0, NULL);
  }
  if (rc) {
    snprintf(request->message, sizeof request->message, "the policy %s failed: %s", policy->name, skill_strerror(rc));
  } else if (!chosen_count && count) {
    snprintf(request->message, sizeof request->message, "the policy %s chose none of %zu candidates", policy->name,
             count);
  }
  skill__free(chosen);
  return rc > 0 ? SKILL_EFAILED : rc;
}

int skill__query_prepare(ProgressiveSkillLoader *loader, struct skill__request *request) {
  bool every = loader->options.policy->flags & SKILL_POLICY_EVERY;
  SkillError err = SKILL_ERROR_INIT;
  SkillRanking *ranking = NULL;
  SkillCandidate *candidates = NULL;
  size_t count = 0;
  SkillQuery query = {.text = request->query, .length = request->query_length, .limit = CANDIDATES};
  if (every || loader->options.top > CANDIDATES / 4) query.limit = skill_registry_count(loader->registry);
  int rc = skill_loader_rank(loader, &query, &ranking, &err);
  if (rc || !ranking) {
    snprintf(request->message, sizeof request->message, "%.200s", err.message);
    goto out;
  }
  rc = gather(loader, ranking, every, &candidates, &count);
  if (rc) goto out;
  if (!count) snprintf(request->message, sizeof request->message, "%.200s", ranking->reason);
  rc = select_and_add(loader, request, candidates, count);
out:
  skill__free(candidates);
  skill_ranking_free(ranking);
  skill__free(request->query);
  request->query = NULL;
  return rc;
}
