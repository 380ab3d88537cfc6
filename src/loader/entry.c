/* SPDX-License-Identifier: MIT
 *
 * Entries: the states of skills in one conversation, and the lists that keep them in order. Only making one can fail.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "loader/loader_internal.h"

/* Which states may follow which; anything else is a fault of ours. */
static const unsigned allowed[] = {
    [SKILL_STATE_LISTED] = 1u << SKILL_STATE_INITIALISING,
    [SKILL_STATE_INITIALISING] = 1u << SKILL_STATE_ACTIVE | 1u << SKILL_STATE_LISTED,
    [SKILL_STATE_ACTIVE] = 1u << SKILL_STATE_DISPOSING,
    [SKILL_STATE_DISPOSING] = 1u << SKILL_STATE_LISTED,
};

bool skill__state_follows(SkillState from, SkillState to) {
  return allowed[from] & 1u << to;
}

static struct skill__entries *list_of(ProgressiveSkillLoader *loader, SkillState state) {
  switch (state) {
    case SKILL_STATE_INITIALISING:
      return &loader->starting;
    case SKILL_STATE_ACTIVE:
      return &loader->active;
    case SKILL_STATE_DISPOSING:
      return &loader->disposing;
    case SKILL_STATE_LISTED:
      break;
  }
  return NULL;
}

static void append(struct skill__entries *list, struct skill__entry *entry) {
  entry->previous = list->last;
  entry->next = NULL;
  *(list->last ? &list->last->next : &list->first) = entry;
  list->last = entry;
  list->count++;
}

static void take_out(struct skill__entries *list, struct skill__entry *entry) {
  *(entry->previous ? &entry->previous->next : &list->first) = entry->next;
  *(entry->next ? &entry->next->previous : &list->last) = entry->previous;
  list->count--;
}

struct skill__entry *skill__entry_find(const ProgressiveSkillLoader *loader, const char *name) {
  struct skill__entry *entry = NULL;
  HASH_FIND(hh, loader->entries, name, strlen(name), entry);
  return entry;
}

/* A hold belongs to an entry; what happened is taken in by the next advance. */
static void hold_changed(struct skill__hold *hold) {
  struct skill__entry *entry = (struct skill__entry *)(void *)((char *)hold - offsetof(struct skill__entry, hold));
  ProgressiveSkillLoader *loader = entry->loader;
  if (!entry->changed) {
    entry->changed = true;
    entry->changed_next = loader->changed;
    loader->changed = entry;
  }
  skill__loader_due(loader);
}

static void entry_free(struct skill__entry *entry) {
  skill__free(entry->name);
  skill__free(entry);
}

void skill__entries_free(ProgressiveSkillLoader *loader) {
  struct skill__entry *entry;
  struct skill__entry *next;
  HASH_ITER(hh, loader->entries, entry, next) {
    HASH_DEL(loader->entries, entry);
    entry_free(entry);
  }
}

int skill__entry_get(ProgressiveSkillLoader *loader, const char *name, struct skill__entry **out) {
  *out = skill__entry_find(loader, name);
  if (*out) return 0;
  struct skill__entry *entry = skill__calloc(1, sizeof *entry);
  if (!entry) return SKILL_ENOMEM;
  entry->loader = loader;
  entry->hold.changed = hold_changed;
  entry->deadline_ms = INT64_MAX;
  entry->name = skill__strdup(name);
  bool ok = entry->name != NULL;
  if (ok) SKILL__HASH_ADD(loader->entries, entry, entry->name, strlen(name), ok);
  if (!ok) {
    entry_free(entry);
    return SKILL_ENOMEM;
  }
  *out = entry;
  return 0;
}

void skill__entry_tidy(struct skill__entry *entry) {
  if (entry->references || entry->state != SKILL_STATE_LISTED || entry->body != SKILL_BODY_ABSENT) return;
  if (entry->failures || entry->changed || entry->hold.state != SKILL__HOLD_NONE) return;
  HASH_DEL(entry->loader->entries, entry);
  entry_free(entry);
}

void skill__entry_release(struct skill__entry *entry) {
  entry->references--;
  skill__entry_tidy(entry);
}

void skill__entry_move(struct skill__entry *entry, SkillState state) {
  ProgressiveSkillLoader *loader = entry->loader;
  struct skill__entries *from = list_of(loader, entry->state);
  struct skill__entries *to = list_of(loader, state);
  assert(skill__state_follows(entry->state, state));
  if (from) take_out(from, entry);
  if (to) append(to, entry);
  entry->state = state;
  if (state != SKILL_STATE_LISTED) return;
  loader->tokens -= entry->l2_tokens;
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

void skill__entry_touch(ProgressiveSkillLoader *loader, struct skill__entry *entry, int64_t now_ms) {
  struct skill__entries *list = &loader->active;
  entry->last_use_ms = now_ms;
  if (list->last == entry) return;
  take_out(list, entry);
  append(list, entry);
}

void skill__entry_leave(struct skill__entry *entry, SkillEventKind kind, const char *why,
                        struct skill__request *leaver) {
  ProgressiveSkillLoader *loader = entry->loader;
  entry->leaver = leaver;
  if (leaver) leaver->outstanding++;
  skill__entry_move(entry, SKILL_STATE_DISPOSING);
  skill__loader_emit(loader, (SkillEvent){.kind = kind,
                                          .skill = entry->name,
                                          .source = entry->skill->metadata->source,
                                          .score = entry->last_score,
                                          .tokens = entry->l2_tokens,
                                          .reason = why});
  skill__loader_due(loader);
}

bool skill__entry_open_items(const struct skill__entry *entry) {
  for (const struct skill__item *item = entry->items; item; item = item->next) {
    if (!item->settled) return true;
  }
  return false;
}
