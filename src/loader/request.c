/* SPDX-License-Identifier: MIT
 *
 * Requests and their items: made with all the memory they will need, settled one by one, told once.
 */
#include <stdio.h>
#include <string.h>

#include "loader/loader_internal.h"

struct skill__request *skill__request_new(enum skill__request_kind kind) {
  struct skill__request *request = skill__calloc(1, sizeof *request);
  if (request) request->kind = kind;
  return request;
}

int skill__request_room(struct skill__request *request, size_t count) {
  if (!count) return 0;
  request->items = skill__calloc(count, sizeof *request->items);
  request->results = skill__calloc(count, sizeof *request->results);
  return request->items && request->results ? 0 : SKILL_ENOMEM;
}

static void unlink_item(struct skill__item *item) {
  if (!item->entry) return;
  struct skill__item **link = &item->entry->items;
  while (*link && *link != item) link = &(*link)->next;
  if (*link) *link = item->next;
}

void skill__request_free(struct skill__request *request) {
  if (!request) return;
  for (size_t i = 0; i < request->count; i++) {
    struct skill__item *item = &request->items[i];
    unlink_item(item);
    if (item->entry) skill__entry_release(item->entry);
    skill__free(item->unknown);
  }
  for (size_t i = 0; i < request->evicted_count; i++) skill__entry_release(request->evicted[i]);
  skill__free(request->evicted);
  skill__free(request->evicted_names);
  skill__free(request->items);
  skill__free(request->results);
  skill__free(request->query);
  skill__free(request);
}

void skill__request_submit(ProgressiveSkillLoader *loader, struct skill__request *request) {
  struct skill__request **link = &loader->requests;
  while (*link) link = &(*link)->next;
  *link = request;
  request->id = ++loader->next_id;
  skill__loader_due(loader);
}

int skill__request_add(ProgressiveSkillLoader *loader, struct skill__request *request, const char *name, double score,
                       int status, const char *why) {
  struct skill__item *item = &request->items[request->count];
  item->request = request;
  item->result = &request->results[request->count];
  item->result->score = score;
  item->result->reason = item->reason;
  if (status) {
    item->unknown = skill__strdup(name);
    if (!item->unknown) return SKILL_ENOMEM;
    item->result->name = item->unknown;
    request->count++;
    skill__item_settle(loader, item, status, why);
    return 0;
  }
  int rc = skill__entry_get(loader, name, &item->entry);
  if (rc) return rc;
  item->entry->references++;
  item->result->name = item->entry->name;
  item->next = item->entry->items;
  item->entry->items = item;
  request->count++;
  return 0;
}

int skill__request_evicted(struct skill__request *request, struct skill__entry *entry) {
  size_t need = request->evicted_count + 1;
  if (need > request->evicted_capacity) {
    size_t capacity = request->evicted_capacity ? 2 * request->evicted_capacity : 4;
    struct skill__entry **evicted = skill__realloc(request->evicted, capacity * sizeof evicted[0]);
    if (!evicted) return SKILL_ENOMEM;
    request->evicted = evicted;
    const char **names = skill__malloc(capacity * sizeof names[0]);
    if (!names) return SKILL_ENOMEM;
    for (size_t i = 0; i < request->evicted_count; i++) names[i] = request->evicted_names[i];
    skill__free(request->evicted_names);
    request->evicted_names = names;
    request->evicted_capacity = capacity;
  }
  entry->references++;
  request->evicted[request->evicted_count] = entry;
  request->evicted_names[request->evicted_count++] = entry->name;
  return 0;
}

void skill__item_settle(ProgressiveSkillLoader *loader, struct skill__item *item, int status, const char *reason) {
  item->settled = true;
  item->request->settled++;
  item->result->status = status;
  snprintf(item->reason, sizeof item->reason, "%s", reason);
  if (!status) return;
  skill__loader_emit(loader,
                     (SkillEvent){.kind = status == SKILL_EDENIED ? SKILL_EVENT_DENIED : SKILL_EVENT_NOT_ACTIVATED,
                                  .skill = item->result->name,
                                  .status = status,
                                  .score = item->result->score,
                                  .reason = item->reason});
}

void skill__item_reopen(struct skill__item *item) {
  item->settled = false;
  item->waited = true;
  item->request->settled--;
}

void skill__request_cancel(ProgressiveSkillLoader *loader, struct skill__request *request, const char *why) {
  if (request->complete || request->kind != SKILL__ACTIVATE) return;
  for (size_t i = 0; i < request->count; i++) {
    struct skill__item *item = &request->items[i];
    if (item->settled) continue;
    skill__item_settle(loader, item, SKILL_ECANCELED, why);
    struct skill__entry *entry = item->entry;
    if (entry->state == SKILL_STATE_INITIALISING && !skill__entry_open_items(entry)) entry->abandoned = true;
  }
  if (request->query) {
    skill__free(request->query);
    request->query = NULL;
    request->status = SKILL_ECANCELED;
    snprintf(request->message, sizeof request->message, "%s", why);
  }
  request->complete = true;
  skill__loader_due(loader);
}

/* What the callback is to say of an item, now that it is told. */
static void finalise(ProgressiveSkillLoader *loader, struct skill__item *item, int64_t now_ms) {
  struct skill__entry *entry = item->entry;
  if (item->result->status) return;
  if (entry->state != SKILL_STATE_ACTIVE) {
    item->result->status = SKILL_ECANCELED;
    snprintf(item->reason, sizeof item->reason, "it was deactivated before this could be told");
    return;
  }
  skill__entry_touch(loader, entry, now_ms);
  if (item->result->score > 0) entry->last_score = item->result->score;
  item->result->tools = entry->tools;
  item->result->tool_count = entry->tool_count;
  if (item->result->hit) {
    skill__loader_emit(
        loader,
        (SkillEvent){
            .kind = SKILL_EVENT_HIT, .skill = entry->name, .score = item->result->score, .tokens = entry->l2_tokens});
  }
}

static int overall(const struct skill__request *request) {
  int first = request->status;
  for (size_t i = 0; i < request->count; i++) {
    int status = request->items[i].result->status;
    if (!status) return 0;
    if (!first) first = status;
  }
  return first;
}

static void deliver_activation(ProgressiveSkillLoader *loader, struct skill__request *request) {
  int64_t now_ms = skill__loader_now(loader);
  for (size_t i = 0; i < request->count; i++) finalise(loader, &request->items[i], now_ms);
  for (size_t i = 0; i < request->count; i++) unlink_item(&request->items[i]);
  SkillActivation result = {
      .status = overall(request),
      .items = request->results,
      .count = request->count,
      .evicted = request->evicted_names,
      .evicted_count = request->evicted_count,
      .reason = request->message[0] ? request->message : NULL,
  };
  if (request->activate_cb) request->activate_cb(loader, &result, request->user);
}

void skill__request_deliver(ProgressiveSkillLoader *loader, struct skill__request *request) {
  struct skill__request **link = &loader->requests;
  while (*link != request) link = &(*link)->next;
  *link = request->next;
  if (request->kind == SKILL__ACTIVATE) {
    deliver_activation(loader, request);
  } else {
    if (request->kind == SKILL__CLOSE) loader->closed = true;
    const char *message = request->message[0] ? request->message : NULL;
    if (request->done_cb) request->done_cb(loader, request->status, message, request->user);
  }
  skill__request_free(request);
}
