/* SPDX-License-Identifier: MIT
 *
 * Operations on active skills: touch, pin, use, deactivate, expire, list.
 */
#include <stdlib.h>
#include <string.h>

#include "loader/loader_internal.h"

static struct skill__loader_entry *find(const ProgressiveSkillLoader *loader, const char *name) {
  return name ? skill__loader_entry_find(loader, name) : NULL;
}

static struct skill__loader_entry *find_active(const ProgressiveSkillLoader *loader, const char *name) {
  struct skill__loader_entry *entry = find(loader, name);
  return entry && entry->state == SKILL_STATE_ACTIVE ? entry : NULL;
}

/* The most frequent call: it allocates nothing, and reads the clock once. */
int skill_loader_touch(ProgressiveSkillLoader *loader, const char *name, SkillTool *tools, size_t room, size_t *count) {
  struct skill__loader_entry *entry = find_active(loader, name);
  if (!entry) return 0;
  size_t n = entry->tool_count < room ? entry->tool_count : room;
  for (size_t i = 0; i < n; i++) tools[i] = entry->tools[i];
  if (count) *count = entry->tool_count;
  skill__loader_entry_touch(entry, skill__loader_now(loader));
  if (loader->options.on_event) {
    skill__loader_emit(loader, (SkillEvent){.kind = SKILL_EVENT_HIT, .skill = entry->name, .tokens = entry->l2_tokens});
  }
  return 1;
}

int skill_loader_deactivate(ProgressiveSkillLoader *loader, const char *name, SkillDoneCb cb, void *user,
                            SkillError *err) {
  if (loader->closing) return skill_error_set(err, SKILL_ECLOSED, "the loader is closed");
  struct skill__loader_entry *entry = find_active(loader, name);
  if (!entry) return skill_error_set(err, SKILL_ENOENT, "the skill \"%s\" is not active", name ? name : "");
  if (entry->uses) {
    return skill_error_set(err, SKILL_EBUSY, "a tool call of \"%s\" is running; deactivate it afterwards", name);
  }
  struct skill__loader_request *request = skill__loader_request_new(SKILL__DEACTIVATE);
  if (!request) return skill_error_set(err, SKILL_ENOMEM, "no memory to deactivate \"%s\"", name);
  request->done_cb = cb;
  request->user = user;
  skill__loader_request_submit(loader, request);
  skill__loader_entry_leave(entry, SKILL_EVENT_DEACTIVATED, "requested", request);
  return 0;
}

int skill_loader_pin(ProgressiveSkillLoader *loader, const char *name, bool pinned) {
  struct skill__loader_entry *entry = find_active(loader, name);
  if (!entry) return SKILL_ENOENT;
  entry->pinned = pinned;
  return 0;
}

int skill_loader_use(ProgressiveSkillLoader *loader, const char *name) {
  struct skill__loader_entry *entry = find_active(loader, name);
  if (!entry) return SKILL_ENOENT;
  entry->uses++;
  skill__loader_entry_touch(entry, skill__loader_now(loader));
  return 0;
}

/* A close or a removal may have waited for the last tool call. */
int skill_loader_unuse(ProgressiveSkillLoader *loader, const char *name) {
  struct skill__loader_entry *entry = find_active(loader, name);
  if (!entry || !entry->uses) return SKILL_ENOENT;
  entry->uses--;
  skill__loader_entry_touch(entry, skill__loader_now(loader));
  if (entry->uses) return 0;
  if (loader->closing) {
    skill__loader_entry_leave(entry, SKILL_EVENT_DEACTIVATED, "the loader was closed", NULL);
  } else if (entry->forgotten) {
    skill__loader_entry_leave(entry, SKILL_EVENT_DEACTIVATED, "it was unregistered", NULL);
  } else if (loader->requests) {
    skill__loader_due(loader); /* a request may wait for this room */
  }
  return 0;
}

/* An entry with items is about to be reported as active. */
static bool expired(const struct skill__loader_entry *entry, int64_t now_ms) {
  return !entry->pinned && !entry->uses && !entry->items &&
         now_ms - entry->last_use_ms >= entry->loader->options.activation_timeout_ms;
}

int skill_loader_cleanup_expired(ProgressiveSkillLoader *loader, SkillDoneCb cb, void *user, size_t *expired_count) {
  if (loader->closing) return SKILL_ECLOSED;
  struct skill__loader_request *request = skill__loader_request_new(SKILL__CLEANUP);
  if (!request) return SKILL_ENOMEM;
  request->done_cb = cb;
  request->user = user;
  int64_t now_ms = skill__loader_now(loader);
  for (struct skill__loader_entry *entry = loader->active.first, *next; entry; entry = next) {
    next = entry->next;
    if (!expired(entry, now_ms)) continue;
    skill__loader_entry_leave(entry, SKILL_EVENT_EXPIRED, "not used for the activation time-out", request);
  }
  if (expired_count) *expired_count = request->outstanding;
  request->complete = !request->outstanding;
  skill__loader_request_submit(loader, request);
  return 0;
}

SkillState skill_loader_state(const ProgressiveSkillLoader *loader, const char *name) {
  const struct skill__loader_entry *entry = find(loader, name);
  return entry ? entry->state : SKILL_STATE_LISTED;
}

size_t skill_loader_active_count(const ProgressiveSkillLoader *loader) {
  return loader->active.count;
}

const char *skill_loader_active_name(const ProgressiveSkillLoader *loader, size_t index) {
  const struct skill__loader_entry *entry = loader->active.last;
  while (entry && index--) entry = entry->previous;
  return entry ? entry->name : NULL;
}

SkillBodyState skill_loader_body_state(const ProgressiveSkillLoader *loader, const char *name) {
  const struct skill__loader_entry *entry = find(loader, name);
  return entry ? entry->body : SKILL_BODY_ABSENT;
}

/* ABSENT is what no entry means, so setting it creates none. */
int skill_loader_set_body_state(ProgressiveSkillLoader *loader, const char *name, SkillBodyState state) {
  struct skill__loader_entry *entry = find(loader, name);
  if (!entry && !skill_registry_find(loader->registry, name)) return SKILL_ENOENT;
  if (!entry && state == SKILL_BODY_ABSENT) return 0;
  int status = skill__loader_entry_get(loader, name, &entry);
  if (status) return status;
  entry->body = state;
  skill__loader_entry_tidy(entry);
  return 0;
}

static int by_order(const void *a, const void *b) {
  uint64_t x = (*(const struct skill__loader_entry *const *)a)->order;
  uint64_t y = (*(const struct skill__loader_entry *const *)b)->order;
  return (x > y) - (x < y);
}

/* The list of active entries is in order of use, which changes with every call; the tools keep one order, so that the
 * prompt's cached prefix stays valid. */
int skill_loader_tools(ProgressiveSkillLoader *loader, SkillTool **tools, size_t *count) {
  size_t total = 0;
  size_t n = 0;
  for (const struct skill__loader_entry *entry = loader->active.first; entry; entry = entry->next) {
    total += entry->tool_count;
  }
  SkillTool *copy = skill__calloc(total ? total : 1, sizeof *copy);
  const struct skill__loader_entry **sorted = skill__calloc(loader->active.count + 1, sizeof sorted[0]);
  if (!copy || !sorted) {
    skill__free(copy);
    skill__free(sorted);
    return SKILL_ENOMEM;
  }
  for (const struct skill__loader_entry *entry = loader->active.first; entry; entry = entry->next) sorted[n++] = entry;
  qsort(sorted, n, sizeof sorted[0], by_order);
  total = 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < sorted[i]->tool_count; j++) copy[total++] = sorted[i]->tools[j];
  }
  skill__free(sorted);
  *tools = copy;
  *count = total;
  return 0;
}

SkillRegistry *skill_loader_registry(const ProgressiveSkillLoader *loader) {
  return loader->registry;
}
