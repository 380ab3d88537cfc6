/* SPDX-License-Identifier: MIT
 *
 * Making room: who is evicted, what has to be waited for, and why there is none.
 */
#include <stdio.h>

#include "loader/loader_internal.h"

/* Needed by a batch that was made earlier, is the one that asks, or only waits to be told. */
static bool wanted(const struct skill__entry *entry, const struct skill__request *request) {
  for (const struct skill__item *item = entry->items; item; item = item->next) {
    if (item->settled && item->result->status) continue;
    if (item->request->complete || item->request->id <= request->id) return true;
  }
  return false;
}

static bool may_go(const struct skill__entry *entry, const struct skill__request *request) {
  return !entry->pinned && !entry->uses && !wanted(entry, request);
}

/* Kept only for requests that come to their end without this one's. */
static bool kept_for_others(const struct skill__entry *entry, const struct skill__request *request) {
  bool kept = false;
  for (const struct skill__item *item = entry->items; item; item = item->next) {
    if (item->settled && item->result->status) continue;
    if (item->request == request) return false;
    kept |= item->request->complete || item->request->id < request->id;
  }
  return kept;
}

/* Whether waiting can help: something starts or goes, or is kept for another request. */
static bool may_change(const ProgressiveSkillLoader *loader, const struct skill__request *request) {
  if (loader->starting.count || loader->disposing.count) return true;
  for (const struct skill__entry *entry = loader->active.first; entry; entry = entry->next) {
    if (!entry->pinned && !entry->uses && kept_for_others(entry, request)) return true;
  }
  return false;
}

static int ask_policy(ProgressiveSkillLoader *loader, const struct skill__item *item, struct skill__entry **victim) {
  const SkillPolicy *policy = loader->options.policy;
  size_t count = loader->active.count;
  size_t index = count;
  if (!count) return SKILL_EFULL;
  SkillResident *residents = skill__calloc(count, sizeof *residents);
  if (!residents) return SKILL_ENOMEM;
  size_t i = 0;
  for (const struct skill__entry *entry = loader->active.first; entry; entry = entry->next) {
    residents[i++] =
        (SkillResident){entry->name,       entry->activated_ms, entry->last_use_ms, entry->l2_tokens,
                        entry->last_score, entry->pinned,       entry->uses > 0,    wanted(entry, item->request)};
  }
  SkillVictimInput input = {residents, count, item->entry->name, skill__loader_now(loader)};
  int rc = policy->victim(policy, &input, &index);
  skill__free(residents);
  if (rc) return rc < 0 ? rc : SKILL_EFAILED;
  struct skill__entry *entry = loader->active.first;
  while (entry && index--) entry = entry->next;
  if (!entry || !may_go(entry, item->request)) return SKILL_EFULL;
  *victim = entry;
  return 0;
}

static int pick_victim(ProgressiveSkillLoader *loader, const struct skill__item *item, struct skill__entry **victim) {
  int (*choose)(const SkillPolicy *, const SkillVictimInput *, size_t *) = loader->options.policy->victim;
  if (choose && choose != skill__policy_lru) return ask_policy(loader, item, victim);
  struct skill__entry *entry = loader->active.first;
  while (entry && !may_go(entry, item->request)) entry = entry->next;
  if (!entry) return SKILL_EFULL;
  *victim = entry;
  return 0;
}

static int evict(struct skill__item *item, struct skill__entry *victim) {
  char why[SKILL__REASON_SIZE];
  int rc = skill__request_evicted(item->request, victim);
  if (rc) return rc;
  for (struct skill__item *other = victim->items; other; other = other->next) {
    if (other->settled && !other->result->status) skill__item_reopen(other);
  }
  snprintf(why, sizeof why, "to make room for %s", item->entry->name);
  skill__entry_leave(victim, SKILL_EVENT_EVICTED, why, NULL);
  return 0;
}

struct use {
  size_t slots;  /* taken for good */
  size_t tokens; /* of those */
  size_t pinned, used, wanted;
};

/* What would be left if everything went that may go. */
static struct use lasting(const ProgressiveSkillLoader *loader, const struct skill__request *request) {
  struct use use = {0};
  for (const struct skill__entry *entry = loader->active.first; entry; entry = entry->next) {
    if (may_go(entry, request)) continue;
    use.slots++;
    use.tokens += entry->l2_tokens;
    use.pinned += entry->pinned;
    use.used += !entry->pinned && entry->uses;
    use.wanted += !entry->pinned && !entry->uses;
  }
  return use;
}

static size_t tokens_of(const struct skill__entries *list) {
  size_t tokens = 0;
  for (const struct skill__entry *entry = list->first; entry; entry = entry->next) tokens += entry->l2_tokens;
  return tokens;
}

static int no_room(ProgressiveSkillLoader *loader, const struct skill__item *item, size_t tokens, char *reason,
                   size_t size) {
  struct use use = lasting(loader, item->request);
  size_t budget = loader->options.token_budget;
  if (budget && use.slots < loader->options.max_active) {
    snprintf(reason, size, "no room: needs %zu tokens, %zu of %zu are taken by skills that stay", tokens, use.tokens,
             budget);
  } else {
    snprintf(reason, size, "no room: at most %zu active (%zu pinned, %zu in use, %zu of this batch)",
             loader->options.max_active, use.pinned, use.used, use.wanted);
  }
  return SKILL_EFULL;
}

int skill__room_make(ProgressiveSkillLoader *loader, struct skill__item *item, size_t tokens, char *reason,
                     size_t size) {
  size_t max = loader->options.max_active;
  size_t budget = loader->options.token_budget ? loader->options.token_budget : SIZE_MAX;
  if (tokens > budget) {
    snprintf(reason, size, "no room: needs %zu tokens, more than the budget of %zu", tokens, budget);
    return SKILL_EFULL;
  }
  for (;;) {
    size_t staying = loader->starting.count + loader->active.count;
    size_t leaving_tokens = budget < SIZE_MAX ? tokens_of(&loader->disposing) : 0;
    bool fits = budget == SIZE_MAX || loader->tokens - leaving_tokens <= budget - tokens;
    if (staying < max && fits) {
      bool now = staying + loader->disposing.count < max && (budget == SIZE_MAX || loader->tokens <= budget - tokens);
      return now ? 0 : 1;
    }
    bool hopeless = budget < SIZE_MAX && staying < max && lasting(loader, item->request).tokens > budget - tokens;
    struct skill__entry *victim = NULL;
    int rc = hopeless ? SKILL_EFULL : pick_victim(loader, item, &victim);
    if (!rc) rc = evict(item, victim);
    if (!rc) continue;
    if (rc == SKILL_EFULL && may_change(loader, item->request)) return 1;
    if (rc == SKILL_EFULL) return no_room(loader, item, tokens, reason, size);
    snprintf(reason, size, "no victim could be chosen: %s", skill_strerror(rc));
    return rc;
  }
}
