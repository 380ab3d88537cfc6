/* SPDX-License-Identifier: MIT
 *
 * Making room: which entry is evicted, when a request waits instead, and why there is no room.
 *
 * Requests must not take skills from each other in turns, so an entry is kept for a request that is as old as the one
 * that asks, or older. The oldest request can evict what only younger ones use, and so always ends.
 */
#include <stdio.h>

#include "loader/loader_internal.h"

/* A failed item needs its skill no longer. */
static bool failed(const struct skill__loader_item *item) {
  return item->settled && item->result.status;
}

/* True if the entry is needed by this request, by an earlier one, or by one whose callback has not run yet. */
static bool wanted(const struct skill__loader_entry *entry, const struct skill__loader_request *request) {
  for (const struct skill__loader_item *item = entry->items; item; item = item->next) {
    if (!failed(item) && (item->request->complete || item->request->id <= request->id)) return true;
  }
  return false;
}

static bool movable(const struct skill__loader_entry *entry) {
  return !entry->pinned && !entry->uses;
}

static bool may_go(const struct skill__loader_entry *entry, const struct skill__loader_request *request) {
  return movable(entry) && !wanted(entry, request);
}

/* True if only other requests keep it, so waiting for their callbacks will free it. */
static bool kept_for_others(const struct skill__loader_entry *entry, const struct skill__loader_request *request) {
  for (const struct skill__loader_item *item = entry->items; item; item = item->next) {
    if (!failed(item) && item->request == request) return false;
  }
  return wanted(entry, request);
}

/* Whether waiting can help: an init or dispose will end, or an entry is kept for another request. */
static bool may_change(const ProgressiveSkillLoader *loader, const struct skill__loader_request *request) {
  if (loader->starting.count || loader->disposing.count) return true;
  for (const struct skill__loader_entry *entry = loader->active.first; entry; entry = entry->next) {
    if (movable(entry) && kept_for_others(entry, request)) return true;
  }
  return false;
}

static int ask_policy(ProgressiveSkillLoader *loader, const struct skill__loader_item *item, size_t *victim) {
  const SkillPolicy *policy = loader->options.policy;
  size_t count = 0;
  SkillResident *residents = skill__calloc(loader->active.count, sizeof *residents);
  if (!residents) return SKILL_ENOMEM;
  for (const struct skill__loader_entry *entry = loader->active.first; entry; entry = entry->next) {
    residents[count++] = (SkillResident){.name = entry->name,
                                         .activated_ms = entry->activated_ms,
                                         .last_use_ms = entry->last_use_ms,
                                         .l2_tokens = entry->l2_tokens,
                                         .last_score = entry->last_score,
                                         .pinned = entry->pinned,
                                         .in_use = entry->uses > 0,
                                         .wanted = wanted(entry, item->request)};
  }
  SkillVictimInput input = {residents, count, item->entry->name, skill__loader_now(loader)};
  int status = policy->victim(policy, &input, victim);
  skill__free(residents);
  return status > 0 ? SKILL_EFAILED : status;
}

/* The policy's choice is checked: whatever it says, an entry that must stay is not evicted. */
static int pick_victim(ProgressiveSkillLoader *loader, const struct skill__loader_item *item,
                       struct skill__loader_entry **victim) {
  int (*choose)(const SkillPolicy *, const SkillVictimInput *, size_t *) = loader->options.policy->victim;
  struct skill__loader_entry *entry = loader->active.first;
  if (entry && choose && choose != skill__policy_lru) {
    size_t index = loader->active.count;
    int status = ask_policy(loader, item, &index);
    if (status) return status;
    while (entry && index--) entry = entry->next;
    if (entry && !may_go(entry, item->request)) return SKILL_EFULL;
  } else {
    while (entry && !may_go(entry, item->request)) entry = entry->next;
  }
  if (!entry) return SKILL_EFULL;
  *victim = entry;
  return 0;
}

/* Younger requests that had the victim active want it again, and wait. */
static int evict(struct skill__loader_item *item, struct skill__loader_entry *victim) {
  char why[SKILL__ITEM_REASON_SIZE];
  int status = skill__loader_request_evicted(item->request, victim);
  if (status) return status;
  for (struct skill__loader_item *other = victim->items; other; other = other->next) {
    if (other->settled && !failed(other)) skill__loader_item_reopen(other);
  }
  snprintf(why, sizeof why, "to make room for %s", item->entry->name);
  skill__loader_entry_leave(victim, SKILL_EVENT_EVICTED, why, NULL);
  return 0;
}

struct use {
  size_t slots;
  size_t tokens;
  size_t pinned, used, wanted; /* of the slots: why each stays, the first reason that applies */
};

/* What would be left if every entry went that may go. */
static struct use lasting(const ProgressiveSkillLoader *loader, const struct skill__loader_request *request) {
  struct use use = {0};
  for (const struct skill__loader_entry *entry = loader->active.first; entry; entry = entry->next) {
    if (may_go(entry, request)) continue;
    use.slots++;
    use.tokens += entry->l2_tokens;
    if (entry->pinned) {
      use.pinned++;
    } else if (entry->uses) {
      use.used++;
    } else {
      use.wanted++;
    }
  }
  return use;
}

static size_t tokens_of(const struct skill__loader_list *list) {
  size_t tokens = 0;
  for (const struct skill__loader_entry *entry = list->first; entry; entry = entry->next) tokens += entry->l2_tokens;
  return tokens;
}

static void say_full(const ProgressiveSkillLoader *loader, const struct skill__loader_item *item, size_t tokens,
                     char *reason, size_t size) {
  struct use use = lasting(loader, item->request);
  size_t max = loader->options.max_active;
  size_t budget = loader->options.token_budget;
  if (budget && use.slots < max) {
    snprintf(reason, size, "no room: it needs %zu tokens, and skills that stay use %zu of %zu", tokens, use.tokens,
             budget);
  } else {
    snprintf(reason, size, "no room: at most %zu active (%zu pinned, %zu in use, %zu of this batch)", max, use.pinned,
             use.used, use.wanted);
  }
}

/* Evicts one entry after the other until the skill fits. Entries that are being disposed still take room, but it is
 * certain to become free: then the answer is to wait. Nothing is evicted if all evictions together cannot make enough
 * room for the tokens. */
int skill__loader_make_room(ProgressiveSkillLoader *loader, struct skill__loader_item *item, size_t tokens,
                            char *reason, size_t size) {
  size_t max = loader->options.max_active;
  size_t budget = loader->options.token_budget ? loader->options.token_budget : SIZE_MAX;
  if (tokens > budget) {
    snprintf(reason, size, "no room: it needs %zu tokens, more than the budget of %zu", tokens, budget);
    return SKILL_EFULL;
  }
  size_t most = budget - tokens; /* of the others' tokens */
  for (;;) {
    struct skill__loader_entry *victim = NULL;
    size_t staying = loader->starting.count + loader->active.count;
    if (staying < max && loader->tokens - tokens_of(&loader->disposing) <= most) {
      return staying + loader->disposing.count < max && loader->tokens <= most ? 0 : 1;
    }
    bool hopeless = staying < max && lasting(loader, item->request).tokens > most;
    int status = hopeless ? SKILL_EFULL : pick_victim(loader, item, &victim);
    if (!status) status = evict(item, victim);
    if (!status) continue;
    if (status != SKILL_EFULL) {
      snprintf(reason, size, "no skill could be chosen for eviction: %s", skill_strerror(status));
      return status;
    }
    if (may_change(loader, item->request)) return 1;
    say_full(loader, item, tokens, reason, size);
    return status;
  }
}
