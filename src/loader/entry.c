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
  struct skill__cold *cold = (struct skill__cold *)(void *)((char *)hold - offsetof(struct skill__cold, hold));
  struct skill__entry *entry = cold->entry;
  ProgressiveSkillLoader *loader = entry->cold->loader;
  if (!entry->cold->changed) {
    entry->cold->changed = true;
    entry->cold->changed_next = loader->changed;
    loader->changed = entry;
  }
  skill__loader_due(loader);
}

struct skill__chunk {
  struct skill__chunk *next;
};

/* Twice as many as there are, from 8 to 256. */
static int pool_grow(struct skill__pool *pool) {
  size_t count = pool->made < 8 ? 8 : pool->made < 256 ? pool->made : 256;
  size_t size = sizeof(struct skill__chunk) + SKILL__CACHE_LINE + count * sizeof(struct skill__entry);
  struct skill__chunk *chunk = skill__calloc(1, size);
  if (!chunk) return SKILL_ENOMEM;
  chunk->next = pool->chunks;
  pool->chunks = chunk;
  pool->made += count;
  uintptr_t past = (uintptr_t)(chunk + 1);
  size_t gap = (SKILL__CACHE_LINE - past % SKILL__CACHE_LINE) % SKILL__CACHE_LINE;
  struct skill__entry *entries = (struct skill__entry *)(void *)((char *)(chunk + 1) + gap);
  for (size_t i = count; i-- > 0;) {
    entries[i].next = pool->spare;
    pool->spare = &entries[i];
  }
  return 0;
}

static void entry_free(ProgressiveSkillLoader *loader, struct skill__entry *entry) {
  if (entry->cold->name != entry->label) skill__free(entry->cold->name);
  skill__free(entry->cold);
  memset(entry, 0, sizeof *entry);
  entry->next = loader->pool.spare;
  loader->pool.spare = entry;
}

void skill__entries_free(ProgressiveSkillLoader *loader) {
  struct skill__entry *entry;
  struct skill__entry *next;
  HASH_ITER(hh, loader->entries, entry, next) {
    HASH_DEL(loader->entries, entry);
    entry_free(loader, entry);
  }
  while (loader->pool.chunks) {
    struct skill__chunk *chunk = loader->pool.chunks;
    loader->pool.chunks = chunk->next;
    skill__free(chunk);
  }
}

static int entry_make(ProgressiveSkillLoader *loader, const char *name, size_t length, struct skill__entry **out) {
  struct skill__pool *pool = &loader->pool;
  if (!pool->spare && pool_grow(pool)) return SKILL_ENOMEM;
  struct skill__entry *entry = pool->spare;
  struct skill__cold *cold = skill__calloc(1, sizeof *cold);
  if (!cold) return SKILL_ENOMEM;
  cold->name = length < sizeof entry->label ? entry->label : skill__strndup(name, length);
  if (!cold->name) {
    skill__free(cold);
    return SKILL_ENOMEM;
  }
  memcpy(cold->name, name, length + 1);
  cold->entry = entry;
  cold->loader = loader;
  cold->hold.changed = hold_changed;
  cold->deadline_ms = INT64_MAX;
  pool->spare = entry->next;
  entry->next = NULL;
  entry->cold = cold;
  *out = entry;
  return 0;
}

int skill__entry_get(ProgressiveSkillLoader *loader, const char *name, struct skill__entry **out) {
  struct skill__entry *entry = skill__entry_find(loader, name);
  if (!entry) {
    size_t length = strlen(name);
    bool ok;
    if (entry_make(loader, name, length, &entry)) return SKILL_ENOMEM;
    SKILL__HASH_ADD(loader->entries, entry, entry->cold->name, length, ok);
    if (!ok) {
      entry_free(loader, entry);
      return SKILL_ENOMEM;
    }
  }
  *out = entry;
  return 0;
}

void skill__entry_tidy(struct skill__entry *entry) {
  if (entry->cold->references || entry->state != SKILL_STATE_LISTED || entry->cold->body != SKILL_BODY_ABSENT) return;
  if (entry->cold->failures || entry->cold->changed || entry->cold->hold.state != SKILL__HOLD_NONE) return;
  HASH_DEL(entry->cold->loader->entries, entry);
  entry_free(entry->cold->loader, entry);
}

void skill__entry_release(struct skill__entry *entry) {
  entry->cold->references--;
  skill__entry_tidy(entry);
}

void skill__entry_move(struct skill__entry *entry, SkillState state) {
  ProgressiveSkillLoader *loader = entry->cold->loader;
  struct skill__entries *from = list_of(loader, entry->state);
  struct skill__entries *to = list_of(loader, state);
  assert(skill__state_follows(entry->state, state));
  if (from) take_out(from, entry);
  if (to) append(to, entry);
  entry->state = state;
  if (state != SKILL_STATE_LISTED) return;
  loader->tokens -= entry->cold->l2_tokens;
  skill__skill_release(entry->cold->skill);
  entry->cold->skill = NULL;
  entry->tools = NULL;
  entry->tool_count = 0;
  entry->cold->l2_tokens = 0;
  entry->cold->last_score = 0;
  entry->cold->deadline_ms = INT64_MAX;
  entry->cold->pinned = entry->cold->abandoned = entry->cold->forgotten = false;
  entry->cold->hold.state = SKILL__HOLD_NONE;
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
  ProgressiveSkillLoader *loader = entry->cold->loader;
  entry->cold->leave_kind = kind;
  entry->cold->leaver = leaver;
  if (leaver) leaver->outstanding++;
  skill__entry_move(entry, SKILL_STATE_DISPOSING);
  skill__loader_emit(loader, (SkillEvent){.kind = kind,
                                          .skill = entry->cold->name,
                                          .source = entry->cold->skill->metadata->source,
                                          .score = entry->cold->last_score,
                                          .tokens = entry->cold->l2_tokens,
                                          .reason = why});
  skill__loader_due(loader);
}

bool skill__entry_open_items(const struct skill__entry *entry) {
  for (const struct skill__item *item = entry->cold->items; item; item = item->next) {
    if (!item->settled) return true;
  }
  return false;
}
