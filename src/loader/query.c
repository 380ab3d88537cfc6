/* SPDX-License-Identifier: MIT
 *
 * A query becomes items: it is ranked, the policy selects from the candidates, and each selected name is added. Unlike
 * a request by name it allocates within the step, so running out of memory is reported to its callback.
 */
#include <stdio.h>
#include <string.h>

#include "loader/loader_internal.h"
#include "util/options.h"

enum {
  CANDIDATES = 64, /* shown to a policy; as many as the budget policy can search exactly */
  EVENTS = 10      /* results of a ranking that are reported as events */
};

struct both {
  const ProgressiveSkillLoader *loader;
  bool (*visible)(const char *name, void *user);
  void *user;
};

static bool visible_to_both(const char *name, void *user) {
  const struct both *both = user;
  return skill__loader_visible(both->loader, name) && (!both->visible || both->visible(name, both->user));
}

static void emit_ranking(ProgressiveSkillLoader *loader, const SkillRanking *ranking) {
  for (size_t i = 0; i < ranking->count && i < EVENTS; i++) {
    const SkillRankResult *result = ranking->results[i];
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

/* The ranker itself must leave hidden skills out: removing them from its results would return fewer than asked for. */
int skill_loader_rank(ProgressiveSkillLoader *loader, const SkillQuery *query, SkillRanking **out, SkillError *err) {
  if (loader->closing) return skill_error_set(err, SKILL_ECLOSED, "the loader is closed");
  SkillRanking *ranking = NULL;
  SkillQuery own = SKILL_QUERY_INIT;
  int status = SKILL__OPTIONS(SkillQuery, &own, query, err);
  if (status) return status;
  struct both both = {loader, own.visible, own.user};
  if (loader->options.visible) {
    own.visible = visible_to_both;
    own.user = &both;
  }
  status = skill_ranker_query(skill_registry_ranker(loader->registry), &own, &ranking, err);
  if (status) return status;
  emit_ranking(loader, ranking);
  *out = ranking;
  return 0;
}

/* Only the user may activate a skill with `disable_model_invocation`, by its name. The test is here and not in the
 * ranker, because a policy may be given skills that no ranking returned. */
static bool add_candidate(const ProgressiveSkillLoader *loader, SkillCandidate *candidate, const char *name,
                          double score, double fit) {
  Skill *skill = skill_registry_find(loader->registry, name);
  if (!skill || skill->metadata->disable_model_invocation || !skill__loader_visible(loader, name)) return false;
  const struct skill__loader_entry *entry = skill__loader_entry_find(loader, name);
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
    if (!strcmp(ranking->results[i]->name, name)) return true;
  }
  return false;
}

/* The results of the ranking and, for a policy with SKILL_POLICY_EVERY, all other listed skills in the order of their
 * registration. */
static int gather(ProgressiveSkillLoader *loader, const SkillRanking *ranking, bool every, SkillCandidate **out,
                  size_t *count) {
  size_t most = ranking->count + (every ? skill_registry_count(loader->registry) : 0);
  SkillCandidate *all = skill__calloc(most ? most : 1, sizeof *all);
  size_t n = 0;
  if (!all) return SKILL_ENOMEM;
  for (size_t i = 0; i < ranking->count; i++) {
    const SkillRankResult *result = ranking->results[i];
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

/* A host's policy is not trusted to stay within its candidates. */
static int run_policy(ProgressiveSkillLoader *loader, const SkillSelectInput *input, size_t *chosen, size_t *count) {
  const SkillPolicy *policy = loader->options.policy;
  int status = policy->select(policy, input, chosen, count);
  if (status) return status > 0 ? SKILL_EFAILED : status;
  if (*count > input->count) return SKILL_EINVAL;
  for (size_t i = 0; i < *count; i++) {
    if (chosen[i] >= input->count) return SKILL_EINVAL;
  }
  return 0;
}

static int select_and_add(ProgressiveSkillLoader *loader, struct skill__loader_request *request,
                          const SkillCandidate *candidates, size_t count) {
  const char *name = loader->options.policy->name;
  SkillSelectInput input = {.candidates = candidates,
                            .count = count,
                            .top = loader->options.top ? loader->options.top : loader->options.max_active,
                            .max_active = loader->options.max_active,
                            .token_budget = loader->options.token_budget,
                            .now_ms = skill__loader_now(loader)};
  size_t chosen_count = 0;
  size_t *chosen = skill__calloc(count ? count : 1, sizeof *chosen);
  if (!chosen) return SKILL_ENOMEM;
  int status = run_policy(loader, &input, chosen, &chosen_count);
  if (!status) status = skill__loader_request_room(request, chosen_count);
  for (size_t i = 0; !status && i < chosen_count; i++) {
    const SkillCandidate *candidate = &candidates[chosen[i]];
    status = skill__loader_request_add(loader, request, candidate->name, candidate->score, 0, NULL);
  }
  if (status) {
    snprintf(request->message, sizeof request->message, "the policy %s failed: %s", name, skill_strerror(status));
  } else if (!chosen_count && count) {
    snprintf(request->message, sizeof request->message, "the policy %s selected none of %zu candidates", name, count);
  }
  skill__free(chosen);
  return status;
}

int skill__loader_prepare_query(ProgressiveSkillLoader *loader, struct skill__loader_request *request) {
  bool every = loader->options.policy->flags & SKILL_POLICY_EVERY;
  SkillError err = SKILL_ERROR_INIT;
  SkillRanking *ranking = NULL;
  SkillCandidate *candidates = NULL;
  size_t count = 0;
  SkillQuery query = {
      .size = sizeof(SkillQuery), .text = request->query, .length = request->query_length, .limit = CANDIDATES};
  if (every || loader->options.top > CANDIDATES / 4) query.limit = skill_registry_count(loader->registry);
  int status = skill_loader_rank(loader, &query, &ranking, &err);
  if (status) {
    snprintf(request->message, sizeof request->message, "%.200s", err.message);
    goto out;
  }
  status = gather(loader, ranking, every, &candidates, &count);
  if (status) goto out;
  if (!count) snprintf(request->message, sizeof request->message, "%.200s", ranking->reason);
  status = select_and_add(loader, request, candidates, count);
out:
  skill__free(candidates);
  skill_ranking_free(ranking);
  skill__free(request->query);
  request->query = NULL;
  return status;
}
