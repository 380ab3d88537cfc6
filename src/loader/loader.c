/* SPDX-License-Identifier: MIT
 *
 * Creating, submitting, cancelling, closing and freeing. Each public function allocates all that it needs before it
 * changes anything, so that it fails as a whole or not at all.
 */
#include <string.h>
#include <unistd.h>

#include "loader/loader_internal.h"
#include "util/near.h"
#include "util/options.h"

/* The registry calls it when a skill is removed. A running init cannot be stopped; its skill is disposed after it. */
static void forget(struct skill__watcher *watcher, const char *name) {
  ProgressiveSkillLoader *loader = (ProgressiveSkillLoader *)(void *)watcher;
  struct skill__loader_entry *entry = skill__loader_entry_find(loader, name);
  skill__loader_due(loader); /* the next step of this loader also delivers the removal's callback */
  if (!entry) return;
  for (struct skill__loader_item *item = entry->items; item; item = item->next) {
    if (!item->settled) skill__loader_item_settle(loader, item, SKILL_ECANCELED, "it was unregistered");
  }
  entry->forgotten = entry->state != SKILL_STATE_LISTED;
  if (entry->state == SKILL_STATE_ACTIVE && !entry->uses) {
    skill__loader_entry_leave(entry, SKILL_EVENT_DEACTIVATED, "it was unregistered", NULL);
  }
}

static bool holds(const struct skill__watcher *watcher, const char *name) {
  const struct skill__loader_entry *entry =
      skill__loader_entry_find((const ProgressiveSkillLoader *)(const void *)watcher, name);
  return entry && entry->state != SKILL_STATE_LISTED;
}

int skill_loader_new(SkillRegistry *registry, const SkillLoaderOptions *options, ProgressiveSkillLoader **out,
                     SkillError *err) {
  static const SkillLoaderOptions defaults = SKILL_LOADER_OPTIONS_INIT;
  SkillLoaderOptions given = defaults;
  int status = SKILL__OPTIONS(SkillLoaderOptions, &given, options, err);
  if (status) return status;
  const SkillPolicy *policy = given.policy ? given.policy : skill_policy_relevance();
  if (policy->version != SKILL_POLICY_VERSION || !policy->select) {
    return skill_error_set(err, SKILL_EINVAL, "the policy needs version %d and a select function",
                           SKILL_POLICY_VERSION);
  }
  ProgressiveSkillLoader *loader = skill__calloc(1, sizeof *loader);
  status = loader ? 0 : SKILL_ENOMEM;
  if (status) goto out;
  loader->registry = registry;
  loader->options = given;
  loader->options.policy = policy;
  loader->io = given.io ? given.io : skill__registry_io(registry);
  if (!given.max_active) loader->options.max_active = defaults.max_active;
  loader->watcher.forget = forget;
  loader->watcher.holds = holds;
  loader->close_request = skill__loader_request_new(SKILL__CLOSE);
  status = loader->close_request ? skill__mailbox_dup(skill__registry_mailbox(registry), &loader->fd) : SKILL_ENOMEM;
  if (status) goto out;
  skill__registry_watch(registry, &loader->watcher);
  *out = loader;
  return 0;
out:
  if (loader) skill__loader_request_free(loader->close_request);
  skill__free(loader);
  return skill_error_set(err, status, "no loader: %s", skill_strerror(status));
}

void skill__loader_destroy(ProgressiveSkillLoader *loader) {
  skill__registry_unwatch(loader->registry, &loader->watcher);
  skill__loader_entries_free(loader);
  close(loader->fd);
  skill__free(loader);
}

/* A callback may free its loader: the step that runs the callback still uses it, and destroys it at its end. */
int skill_loader_free(ProgressiveSkillLoader *loader) {
  if (!loader) return 0;
  if (!loader->closed) return SKILL_EBUSY;
  if (loader->stepping) {
    loader->free_after_step = true;
  } else {
    skill__loader_destroy(loader);
  }
  return 0;
}

int skill_loader_close(ProgressiveSkillLoader *loader, SkillDoneCb cb, void *user) {
  if (loader->closing) return SKILL_ECLOSED;
  loader->closing = true;
  loader->close_deadline_ms = skill__loader_after(loader, loader->options.close_timeout_ms);
  for (struct skill__loader_request *request = loader->requests; request; request = request->next) {
    skill__loader_request_cancel(loader, request, "the loader was closed");
  }
  for (struct skill__loader_entry *entry = loader->active.first, *next; entry; entry = next) {
    next = entry->next;
    if (!entry->uses) skill__loader_entry_leave(entry, SKILL_EVENT_DEACTIVATED, "the loader was closed", NULL);
  }
  loader->close_request->done_cb = cb;
  loader->close_request->user = user;
  skill__loader_request_submit(loader, loader->close_request);
  return 0;
}

/* 0 if the name may be activated: it is registered, or still runs with a definition that was replaced or removed. */
static int check_name(ProgressiveSkillLoader *loader, const char *name) {
  const struct skill__loader_entry *entry = skill__loader_entry_find(loader, name);
  if (!skill__loader_visible(loader, name)) return SKILL_EDENIED;
  if (entry && entry->state != SKILL_STATE_LISTED && !entry->forgotten) return 0;
  return skill_registry_find(loader->registry, name) ? 0 : SKILL_ENOENT;
}

/* A name that is hidden from this conversation must not be suggested. */
static int unknown_name(ProgressiveSkillLoader *loader, const char *name, SkillError *err) {
  char meant[224];
  struct skill__near near;
  skill__near_begin(&near, name, 3);
  for (Skill *skill = NULL; (skill = skill_registry_next(loader->registry, skill));) {
    if (skill__loader_visible(loader, skill->metadata->name)) skill__near_offer(&near, skill->metadata->name);
  }
  skill__near_text(&near, "; did you mean ", "?", meant, sizeof meant);
  return skill_error_set(err, SKILL_ENOENT, "there is no skill \"%.256s\"%s", name, meant);
}

static int add_names(ProgressiveSkillLoader *loader, struct skill__loader_request *request, const char *const *names,
                     size_t count) {
  int status = skill__loader_request_room(request, count);
  for (size_t i = 0; !status && i < count; i++) {
    const char *name = names[i] ? names[i] : "";
    int found = check_name(loader, name);
    status = skill__loader_request_add(loader, request, name, 0, found,
                                       found == SKILL_EDENIED ? "it is not allowed here" : "there is no such skill");
  }
  return status;
}

static void submit(ProgressiveSkillLoader *loader, struct skill__loader_request *request, SkillActivateCb cb,
                   void *user, uint64_t *id) {
  request->activate_cb = cb;
  request->user = user;
  skill__loader_request_submit(loader, request);
  if (id) *id = request->id;
}

int skill_loader_activate_many(ProgressiveSkillLoader *loader, const char *const *names, size_t count,
                               SkillActivateCb cb, void *user, uint64_t *request, SkillError *err) {
  if (loader->closing) return skill_error_set(err, SKILL_ECLOSED, "the loader is closed");
  struct skill__loader_request *made = skill__loader_request_new(SKILL__ACTIVATE);
  if (!made || add_names(loader, made, names, count)) {
    skill__loader_request_free(made);
    return skill_error_set(err, SKILL_ENOMEM, "no memory to activate %zu skills", count);
  }
  submit(loader, made, cb, user, request);
  return 0;
}

/* One name is refused here, with a message, where a batch reports it in its callback. */
int skill_loader_activate(ProgressiveSkillLoader *loader, const char *name, SkillActivateCb cb, void *user,
                          uint64_t *request, SkillError *err) {
  if (loader->closing) return skill_error_set(err, SKILL_ECLOSED, "the loader is closed");
  if (!name) return skill_error_set(err, SKILL_EINVAL, "a skill to activate needs a name");
  int status = check_name(loader, name);
  if (status == SKILL_ENOENT) return unknown_name(loader, name, err);
  if (status) {
    skill__loader_emit(loader, (SkillEvent){.kind = SKILL_EVENT_DENIED, .skill = name, .status = status});
    return skill_error_set(err, status, "the skill \"%s\" is not allowed here", name);
  }
  return skill_loader_activate_many(loader, &name, 1, cb, user, request, err);
}

int skill_loader_activate_query(ProgressiveSkillLoader *loader, const char *text, SkillActivateCb cb, void *user,
                                uint64_t *request, SkillError *err) {
  if (loader->closing) return skill_error_set(err, SKILL_ECLOSED, "the loader is closed");
  if (!text) return skill_error_set(err, SKILL_EINVAL, "a query needs a text");
  struct skill__loader_request *made = skill__loader_request_new(SKILL__ACTIVATE);
  if (made) {
    made->query_length = strnlen(text, SKILL_MAX_QUERY);
    made->query = skill__strndup(text, made->query_length);
  }
  if (!made || !made->query) {
    skill__loader_request_free(made);
    return skill_error_set(err, SKILL_ENOMEM, "no memory for a query");
  }
  submit(loader, made, cb, user, request);
  return 0;
}

int skill_loader_cancel(ProgressiveSkillLoader *loader, uint64_t id) {
  struct skill__loader_request *request = loader->requests;
  while (request && (request->id != id || request->kind != SKILL__ACTIVATE)) request = request->next;
  if (!request) return SKILL_ENOENT;
  skill__loader_request_cancel(loader, request, "canceled");
  return 0;
}
