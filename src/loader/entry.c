/* SPDX-License-Identifier: MIT
 *
 * Entries: the states of skills in one conversation, and the lists that keep them in order. Only creating one can fail,
 * so a request that has its entries can always be completed.
 */
#include <assert.h>
#include <string.h>

#include "loader/loader_internal.h"

/* Which states may follow which. Any other change is an error in the loader, not in a skill or a host. */
static const unsigned allowed[] = {
    [SKILL_STATE_LISTED] = 1u << SKILL_STATE_INITIALISING,
    [SKILL_STATE_INITIALISING] = 1u << SKILL_STATE_ACTIVE | 1u << SKILL_STATE_LISTED,
    [SKILL_STATE_ACTIVE] = 1u << SKILL_STATE_DISPOSING,
    [SKILL_STATE_DISPOSING] = 1u << SKILL_STATE_LISTED,
};

bool skill__loader_state_follows(SkillState from, SkillState to) {
  return allowed[from] & 1u << to;
}

static struct skill__loader_list *list_of(ProgressiveSkillLoader *loader, SkillState state) {
  if (state == SKILL_STATE_INITIALISING) return &loader->starting;
  if (state == SKILL_STATE_ACTIVE) return &loader->active;
  return state == SKILL_STATE_DISPOSING ? &loader->disposing : NULL;
}

static void append(struct skill__loader_list *list, struct skill__loader_entry *entry) {
  entry->previous = list->last;
  entry->next = NULL;
  *(list->last ? &list->last->next : &list->first) = entry;
  list->last = entry;
  list->count++;
}

static void take_out(struct skill__loader_list *list, struct skill__loader_entry *entry) {
  *(entry->previous ? &entry->previous->next : &list->first) = entry->next;
  *(entry->next ? &entry->next->previous : &list->last) = entry->previous;
  list->count--;
}

struct skill__loader_entry *skill__loader_entry_find(const ProgressiveSkillLoader *loader, const char *name) {
  struct skill__loader_entry *entry = NULL;
  HASH_FIND(hh, loader->entries, name, strlen(name), entry);
  return entry;
}

/* Only queues the entry. The change may come from within another loader's step or from within advance itself, and
 * there the lists must not change. */
static void hold_changed(struct skill__hold *hold) {
  struct skill__loader_entry *entry =
      (struct skill__loader_entry *)(void *)((char *)hold - offsetof(struct skill__loader_entry, hold));
  ProgressiveSkillLoader *loader = entry->loader;
  if (!entry->changed) {
    entry->changed = true;
    entry->changed_next = loader->changed;
    loader->changed = entry;
  }
  skill__loader_due(loader);
}

static void entry_free(struct skill__loader_entry *entry) {
  skill__free(entry->name);
  skill__free(entry);
}

void skill__loader_entries_free(ProgressiveSkillLoader *loader) {
  struct skill__loader_entry *entry;
  struct skill__loader_entry *next;
  HASH_ITER(hh, loader->entries, entry, next) {
    HASH_DEL(loader->entries, entry);
    entry_free(entry);
  }
}

int skill__loader_entry_get(ProgressiveSkillLoader *loader, const char *name, struct skill__loader_entry **out) {
  struct skill__loader_entry *entry = skill__loader_entry_find(loader, name);
  if (!entry) {
    entry = skill__calloc(1, sizeof *entry);
    if (!entry) return SKILL_ENOMEM;
    entry->loader = loader;
    entry->hold.changed = hold_changed;
    entry->deadline_ms = INT64_MAX;
    entry->name = skill__strdup(name);
    bool added = entry->name != NULL;
    if (added) SKILL__HASH_ADD(loader->entries, entry, entry->name, strlen(name), added);
    if (!added) {
      entry_free(entry);
      return SKILL_ENOMEM;
    }
  }
  *out = entry;
  return 0;
}

/* A back-off and the state of the body must be remembered although the skill is only listed. A listed entry is never in
 * the list of changed holds: it has left its skill's life. */
void skill__loader_entry_tidy(struct skill__loader_entry *entry) {
  if (entry->references || entry->state != SKILL_STATE_LISTED) return;
  if (entry->body != SKILL_BODY_ABSENT || entry->failures) return;
  HASH_DEL(entry->loader->entries, entry);
  entry_free(entry);
}

void skill__loader_entry_release(struct skill__loader_entry *entry) {
  entry->references--;
  skill__loader_entry_tidy(entry);
}

/* What belongs to one activation ends with it. */
static void reset(struct skill__loader_entry *entry) {
  entry->loader->tokens -= entry->l2_tokens;
  skill__skill_release(entry->skill);
  entry->skill = NULL;
  entry->tools = NULL;
  entry->tool_count = 0;
  entry->l2_tokens = 0;
  entry->last_score = 0;
  entry->deadline_ms = INT64_MAX;
  entry->pinned = entry->abandoned = entry->forgotten = false;
  entry->hold.state = SKILL__HOLD_NONE;
}

void skill__loader_entry_move(struct skill__loader_entry *entry, SkillState state) {
  struct skill__loader_list *from = list_of(entry->loader, entry->state);
  struct skill__loader_list *to = list_of(entry->loader, state);
  assert(skill__loader_state_follows(entry->state, state));
  if (from) take_out(from, entry);
  if (to) append(to, entry);
  entry->state = state;
  if (state == SKILL_STATE_LISTED) reset(entry);
}

void skill__loader_entry_touch(struct skill__loader_entry *entry, int64_t now_ms) {
  entry->last_use_ms = now_ms;
  take_out(&entry->loader->active, entry);
  append(&entry->loader->active, entry);
}

void skill__loader_entry_leave(struct skill__loader_entry *entry, SkillEventKind kind, const char *why,
                               struct skill__loader_request *leaver) {
  entry->leaver = leaver;
  if (leaver) leaver->outstanding++;
  skill__loader_entry_move(entry, SKILL_STATE_DISPOSING);
  skill__loader_emit(entry->loader, (SkillEvent){.kind = kind,
                                                 .skill = entry->name,
                                                 .source = entry->skill->metadata->source,
                                                 .score = entry->last_score,
                                                 .tokens = entry->l2_tokens,
                                                 .reason = why});
  skill__loader_due(entry->loader);
}

bool skill__loader_entry_wanted(const struct skill__loader_entry *entry) {
  for (const struct skill__loader_item *item = entry->items; item; item = item->next) {
    if (!item->settled) return true;
  }
  return false;
}
