/* SPDX-License-Identifier: MIT
 *
 * Requests and their items. A request by name has all the memory that it needs before it is submitted, so that it fails
 * as a whole or calls back exactly once. Each item is settled separately.
 */
#include <stdio.h>
#include <string.h>

#include "loader/loader_internal.h"

struct skill__loader_request *skill__loader_request_new(enum skill__loader_request_kind kind) {
  struct skill__loader_request *request = skill__calloc(1, sizeof *request);
  if (request) request->kind = kind;
  return request;
}

int skill__loader_request_room(struct skill__loader_request *request, size_t count) {
  if (!count) return 0;
  request->items = skill__calloc(count, sizeof *request->items);
  request->results = skill__calloc(count, sizeof *request->results);
  return request->items && request->results ? 0 : SKILL_ENOMEM;
}

static void unlink_item(struct skill__loader_item *item) {
  if (!item->entry) return;
  struct skill__loader_item **link = &item->entry->items;
  while (*link && *link != item) link = &(*link)->next;
  if (*link) *link = item->next;
}

void skill__loader_request_free(struct skill__loader_request *request) {
  if (!request) return;
  for (size_t i = 0; i < request->count; i++) {
    struct skill__loader_item *item = &request->items[i];
    unlink_item(item);
    if (item->entry) skill__loader_entry_release(item->entry);
    skill__free(item->unknown);
  }
  for (size_t i = 0; i < request->evicted_count; i++) skill__loader_entry_release(request->evicted[i]);
  skill__free(request->evicted);
  skill__free(request->evicted_names);
  skill__free(request->items);
  skill__free(request->results);
  skill__free(request->query);
  skill__free(request);
}

void skill__loader_request_submit(ProgressiveSkillLoader *loader, struct skill__loader_request *request) {
  struct skill__loader_request **link = &loader->requests;
  while (*link) link = &(*link)->next;
  *link = request;
  request->id = ++loader->next_id;
  skill__loader_due(loader);
}

int skill__loader_request_add(ProgressiveSkillLoader *loader, struct skill__loader_request *request, const char *name,
                              double score, int status, const char *why) {
  struct skill__loader_item *item = &request->items[request->count];
  item->request = request;
  request->results[request->count] = &item->result;
  item->result.score = score;
  item->result.reason = item->reason;
  if (status) {
    item->unknown = skill__strdup(name);
    if (!item->unknown) return SKILL_ENOMEM;
    item->result.name = item->unknown;
    request->count++;
    skill__loader_item_settle(loader, item, status, why);
    return 0;
  }
  status = skill__loader_entry_get(loader, name, &item->entry);
  if (status) return status;
  item->entry->references++;
  item->result.name = item->entry->name;
  item->next = item->entry->items;
  item->entry->items = item;
  request->count++;
  return 0;
}

/* The reference keeps the entry, and so the name, until the callback has run. */
int skill__loader_request_evicted(struct skill__loader_request *request, struct skill__loader_entry *entry) {
  size_t need = request->evicted_count + 1;
  int status = SKILL__GROW(request->evicted, request->evicted_capacity, need);
  if (!status) status = SKILL__GROW(request->evicted_names, request->names_capacity, need);
  if (status) return status;
  entry->references++;
  request->evicted[request->evicted_count] = entry;
  request->evicted_names[request->evicted_count++] = entry->name;
  return 0;
}

void skill__loader_item_settle(ProgressiveSkillLoader *loader, struct skill__loader_item *item, int status,
                               const char *reason) {
  item->settled = true;
  item->request->settled++;
  item->result.status = status;
  snprintf(item->reason, sizeof item->reason, "%s", reason);
  if (!status) return;
  skill__loader_emit(loader,
                     (SkillEvent){.kind = status == SKILL_EDENIED ? SKILL_EVENT_DENIED : SKILL_EVENT_NOT_ACTIVATED,
                                  .skill = item->result.name,
                                  .status = status,
                                  .score = item->result.score,
                                  .reason = item->reason});
}

void skill__loader_item_reopen(struct skill__loader_item *item) {
  item->settled = false;
  item->waited = true;
  item->request->settled--;
}

/* Items that are active already keep their status 0. A running init cannot be stopped: if no other request wants it,
 * its skill is disposed after it. */
void skill__loader_request_cancel(ProgressiveSkillLoader *loader, struct skill__loader_request *request,
                                  const char *why) {
  if (request->complete || request->kind != SKILL__ACTIVATE) return;
  for (size_t i = 0; i < request->count; i++) {
    struct skill__loader_item *item = &request->items[i];
    if (item->settled) continue;
    skill__loader_item_settle(loader, item, SKILL_ECANCELED, why);
    struct skill__loader_entry *entry = item->entry;
    if (entry->state == SKILL_STATE_INITIALISING && !skill__loader_entry_wanted(entry)) entry->abandoned = true;
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

/* Fills in an item's final status just before the callback: the skill may have been deactivated after it settled. */
static void finalise(ProgressiveSkillLoader *loader, struct skill__loader_item *item, int64_t now_ms) {
  struct skill__loader_entry *entry = item->entry;
  SkillActivationItem *result = &item->result;
  if (result->status) return;
  if (entry->state != SKILL_STATE_ACTIVE) {
    result->status = SKILL_ECANCELED;
    snprintf(item->reason, sizeof item->reason, "it was deactivated before the callback");
    return;
  }
  skill__loader_entry_touch(entry, now_ms);
  if (result->score > 0) entry->last_score = result->score;
  result->tools = entry->tools;
  result->tool_count = entry->tool_count;
  if (!result->hit) return;
  skill__loader_emit(
      loader,
      (SkillEvent){.kind = SKILL_EVENT_HIT, .skill = entry->name, .score = result->score, .tokens = entry->l2_tokens});
}

/* The first failure, unless a skill is active. */
static int overall(const struct skill__loader_request *request) {
  int first = request->status;
  for (size_t i = 0; i < request->count; i++) {
    int status = request->items[i].result.status;
    if (!status) return 0;
    if (!first) first = status;
  }
  return first;
}

/* The items leave their entries before the callback runs, so that what the callback requests may evict them. */
static void deliver_activation(ProgressiveSkillLoader *loader, struct skill__loader_request *request) {
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

void skill__loader_request_deliver(ProgressiveSkillLoader *loader, struct skill__loader_request *request) {
  struct skill__loader_request **link = &loader->requests;
  while (*link != request) link = &(*link)->next;
  *link = request->next;
  if (request->kind == SKILL__ACTIVATE) {
    deliver_activation(loader, request);
  } else {
    if (request->kind == SKILL__CLOSE) loader->closed = true;
    const char *message = request->message[0] ? request->message : NULL;
    if (request->done_cb) request->done_cb(loader, request->status, message, request->user);
  }
  skill__loader_request_free(request);
}
