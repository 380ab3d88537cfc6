/* SPDX-License-Identifier: MIT
 *
 * The loader's door: making, asking, closing, freeing. Each request allocates all that it needs before it changes
 * anything, so that it fails as a whole or not at all.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "loader/loader_internal.h"

static const int64_t half_an_hour_ms = 30 * 60 * 1000;
static const int64_t half_a_minute_ms = 30 * 1000;

void skill_loader_options_default(SkillLoaderOptions *options) {
  memset(options, 0, sizeof *options);
  options->size = sizeof *options;
  options->max_active = 3;
  options->top = 3;
  options->activation_timeout_ms = half_an_hour_ms;
  options->init_timeout_ms = half_a_minute_ms;
  options->close_timeout_ms = half_a_minute_ms;
  options->dispose_timeout_ms = half_a_minute_ms;
  options->policy = skill_policy_relevance();
}

static void forget(struct skill__watcher *watcher, const char *name) {
  ProgressiveSkillLoader *loader = (ProgressiveSkillLoader *)(void *)watcher;
  struct skill__entry *entry = skill__entry_find(loader, name);
  skill__loader_due(loader); /* whoever steps it also learns that the removal has ended */
  if (!entry) return;
  for (struct skill__item *item = entry->items; item; item = item->next) {
    if (!item->settled) skill__item_settle(loader, item, SKILL_ECANCELED, "it was unregistered");
  }
  entry->forgotten = entry->state != SKILL_STATE_LISTED;
  if (entry->state == SKILL_STATE_ACTIVE && !entry->uses) {
    skill__entry_leave(entry, SKILL_EVENT_DEACTIVATED, "it was unregistered", NULL);
  }
}

static bool holds(const struct skill__watcher *watcher, const char *name) {
  const struct skill__entry *entry = skill__entry_find((const ProgressiveSkillLoader *)(const void *)watcher, name);
  return entry && entry->state != SKILL_STATE_LISTED;
}

int skill_loader_new(SkillRegistry *registry, const SkillLoaderOptions *options, ProgressiveSkillLoader **out,
                     SkillError *err) {
  SkillLoaderOptions defaults;
  skill_loader_options_default(&defaults);
  if (!options) options = &defaults;
  const SkillPolicy *policy = options->policy;
  if (options->size != sizeof *options) {
    return skill_error_set(err, SKILL_EINVAL, "loader options: start from skill_loader_options_default()");
  }
  if (policy && (policy->version != SKILL_POLICY_VERSION || !policy->select)) {
    return skill_error_set(err, SKILL_EINVAL, "the policy needs version %d and a select function",
                           SKILL_POLICY_VERSION);
  }
  ProgressiveSkillLoader *loader = skill__calloc(1, sizeof *loader);
  int rc = loader ? 0 : SKILL_ENOMEM;
  if (rc) goto out;
  loader->fd = -1;
  loader->registry = registry;
  loader->options = *options;
  loader->io = options->io ? options->io : skill__registry_io(registry);
  if (!loader->options.max_active) loader->options.max_active = defaults.max_active;
  if (!policy) loader->options.policy = defaults.policy;
  loader->watcher.forget = forget;
  loader->watcher.holds = holds;
  loader->close_request = skill__request_new(SKILL__CLOSE);
  rc = loader->close_request ? skill__mailbox_dup(skill__registry_mailbox(registry), &loader->fd) : SKILL_ENOMEM;
  if (rc) goto out;
  skill__registry_watch(registry, &loader->watcher);
  *out = loader;
  return 0;
out:
  if (loader) skill__request_free(loader->close_request);
  skill__free(loader);
  return skill_error_set(err, rc, "no loader: %s", skill_strerror(rc));
}

void skill__loader_destroy(ProgressiveSkillLoader *loader) {
  skill__registry_unwatch(loader->registry, &loader->watcher);
  skill__entries_free(loader);
  close(loader->fd);
  skill__free(loader);
}

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
  for (struct skill__request *request = loader->requests; request; request = request->next) {
    skill__request_cancel(loader, request, "the loader was closed");
  }
  for (struct skill__entry *entry = loader->active.first, *next; entry; entry = next) {
    next = entry->next;
    if (!entry->uses) skill__entry_leave(entry, SKILL_EVENT_DEACTIVATED, "the loader was closed", NULL);
  }
  loader->close_request->done_cb = cb;
  loader->close_request->user = user;
  skill__request_submit(loader, loader->close_request);
  return 0;
}

/* Whether a name may be asked for: registered, or still running on a definition that was replaced or went. */
static int known(ProgressiveSkillLoader *loader, const char *name) {
  const struct skill__entry *entry = skill__entry_find(loader, name);
  if (!skill__loader_visible(loader, name)) return SKILL_EDENIED;
  if (entry && entry->state != SKILL_STATE_LISTED && !entry->forgotten) return 0;
  return skill_registry_find(loader->registry, name) ? 0 : SKILL_ENOENT;
}

static int unknown_name(ProgressiveSkillLoader *loader, const char *name, SkillError *err) {
  const char *near[3];
  size_t found = skill_registry_suggest(loader->registry, name, near, 3);
  size_t count = 0;
  for (size_t i = 0; i < found; i++) {
    if (skill__loader_visible(loader, near[i])) near[count++] = near[i];
  }
  return skill_error_set(err, SKILL_ENOENT, "there is no skill \"%.256s\"%s%s%s%s%s%s", name,
                         count ? "; did you mean " : "", count ? near[0] : "", count > 1 ? ", " : "",
                         count > 1 ? near[1] : "", count > 2 ? " or " : "", count > 2 ? near[2] : "");
}

static int submit_names(ProgressiveSkillLoader *loader, struct skill__request *request, const char *const *names,
                        size_t count) {
  int rc = skill__request_room(request, count);
  for (size_t i = 0; !rc && i < count; i++) {
    int status = names[i] ? known(loader, names[i]) : SKILL_ENOENT;
    const char *why = status == SKILL_EDENIED ? "it is not allowed here" : "there is no such skill";
    rc = skill__request_add(loader, request, names[i] ? names[i] : "", 0, status, why);
  }
  return rc;
}

int skill_loader_activate_many(ProgressiveSkillLoader *loader, const char *const *names, size_t count,
                               SkillActivateCb cb, void *user, uint64_t *request, SkillError *err) {
  if (loader->closing) return skill_error_set(err, SKILL_ECLOSED, "the loader is closed");
  struct skill__request *made = skill__request_new(SKILL__ACTIVATE);
  int rc = made ? submit_names(loader, made, names, count) : SKILL_ENOMEM;
  if (rc) {
    skill__request_free(made);
    return skill_error_set(err, rc, "no memory to activate %zu skills", count);
  }
  made->activate_cb = cb;
  made->user = user;
  skill__request_submit(loader, made);
  if (request) *request = made->id;
  return 0;
}

int skill_loader_activate(ProgressiveSkillLoader *loader, const char *name, SkillActivateCb cb, void *user,
                          uint64_t *request, SkillError *err) {
  if (loader->closing) return skill_error_set(err, SKILL_ECLOSED, "the loader is closed");
  int rc = name ? known(loader, name) : SKILL_EINVAL;
  if (rc == SKILL_ENOENT) return unknown_name(loader, name, err);
  if (rc == SKILL_EDENIED) {
    skill__loader_emit(loader, (SkillEvent){.kind = SKILL_EVENT_DENIED, .skill = name, .status = rc});
    return skill_error_set(err, rc, "the skill \"%s\" is not allowed here", name);
  }
  if (rc) return skill_error_set(err, rc, "a skill to activate needs a name");
  return skill_loader_activate_many(loader, &name, 1, cb, user, request, err);
}

int skill_loader_activate_query(ProgressiveSkillLoader *loader, const char *text, SkillActivateCb cb, void *user,
                                uint64_t *request, SkillError *err) {
  if (loader->closing) return skill_error_set(err, SKILL_ECLOSED, "the loader is closed");
  if (!text) return skill_error_set(err, SKILL_EINVAL, "a query needs a text");
  struct skill__request *made = skill__request_new(SKILL__ACTIVATE);
  if (made) {
    made->query_length = strnlen(text, SKILL_MAX_QUERY);
    made->query = skill__strndup(text, made->query_length);
  }
  if (!made || !made->query) {
    skill__request_free(made);
    return skill_error_set(err, SKILL_ENOMEM, "no memory for a query");
  }
  made->activate_cb = cb;
  made->user = user;
  skill__request_submit(loader, made);
  if (request) *request = made->id;
  return 0;
}

int skill_loader_cancel(ProgressiveSkillLoader *loader, uint64_t id) {
  struct skill__request *request = loader->requests;
  while (request && (request->id != id || request->kind != SKILL__ACTIVATE)) request = request->next;
  if (!request) return SKILL_ENOENT;
  skill__request_cancel(loader, request, "canceled");
  return 0;
}
