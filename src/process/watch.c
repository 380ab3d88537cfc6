/* SPDX-License-Identifier: MIT
 *
 * SkillWatcher over libuv's file system events; see watch.h.
 *
 * Folders are watched, not files: one inotify watch each, all on the loop's one descriptor. After each synchronisation
 * the watched folders are made equal to those that the sources have read. A new one may have changed before it was
 * watched, so another, cheap, synchronisation follows.
 *
 * A folder that cannot be watched is not an error: a timer checks it.
 */
#include "skillet/watch.h"

#include <string.h>
#include <uv.h>

#include "process/timer.h"
#include "util/hash.h"
#include "util/options.h"

enum { DEBOUNCE_MS = 200, DEBOUNCE_MOST = 10, CHECK_MS = 2000, RESCAN_MS = 60000, FOLDERS_MAX = 8192 };

/* One folder; freed when libuv has closed its handle. */
struct folder {
  UT_hash_handle hh;
  uv_fs_event_t event;
  SkillWatcher *watcher; /* NULL: released by the watcher */
  char *path;
  bool open;    /* the handle is initialised */
  bool started; /* the kernel reports changes */
  bool refused; /* it exists but cannot be watched: the rescan finds its changes */
  bool root;
  bool wanted;        /* during an update */
  SkillFileInfo info; /* when the watch began */
};

struct SkillWatcher {
  SkillLoop *loop;
  SkillRegistry *registry;
  SkillSource **sources;
  size_t count;
  SkillWatcherOptions options;
  struct skill__timer *settle; /* runs when no change was seen for a while */
  struct skill__timer *check;
  struct folder *folders; /* by path */
  size_t watched;
  int64_t first_change; /* 0: none is pending */
  int64_t last_sync;
  bool partial; /* not all folders can be watched */
  bool syncing;
  bool freed; /* inside the callback */
};

static int64_t now_of(const SkillWatcher *watcher) {
  return (int64_t)uv_now(skill_loop_uv(watcher->loop));
}

/* --- when --------------------------------------------------------------------------------------------------------- */

/* Restarts the quiet period, but limits the total wait. */
static void change_seen(SkillWatcher *watcher) {
  int64_t now = now_of(watcher);
  int64_t wait = watcher->options.debounce_ms;
  if (!watcher->first_change) watcher->first_change = now;
  int64_t most = watcher->first_change + wait * DEBOUNCE_MOST - now;
  if (wait > most) wait = most > 0 ? most : 0;
  skill__timer_set(watcher->settle, wait);
}

void skill_watcher_touch(SkillWatcher *watcher) {
  change_seen(watcher);
}

static void on_event(uv_fs_event_t *event, const char *name, int events, int status) {
  struct folder *folder = event->data;
  (void)name;
  (void)events;
  (void)status;
  if (folder->watcher) change_seen(folder->watcher);
}

/* --- one folder --------------------------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle) {
  struct folder *folder = handle->data;
  skill__free(folder->path);
  skill__free(folder);
}

static void let_go(struct folder *folder) {
  folder->watcher = NULL;
  if (folder->open) {
    uv_close((uv_handle_t *)&folder->event, on_closed);
  } else {
    on_closed((uv_handle_t *)&folder->event);
  }
}

static bool look(const struct folder *folder, SkillFileInfo *info) {
  SkillIo *io = skill_io_posix();
  return io->stat(io, SKILL_IO_CWD, folder->path, SKILL_IO_FOLLOW, info) == 0;
}

static bool is_same(const struct folder *folder, const SkillFileInfo *now) {
  return now->dev == folder->info.dev && now->ino == folder->info.ino;
}

/* Watches a folder; one that does not exist or exceeds the maximum stays unwatched. */
static void start(SkillWatcher *watcher, struct folder *folder) {
  folder->refused = false;
  if (!look(folder, &folder->info)) return;
  folder->refused = true;
  if (watcher->watched >= watcher->options.max_folders) return;
  if (!folder->open && uv_fs_event_init(skill_loop_uv(watcher->loop), &folder->event)) return;
  folder->open = true;
  folder->started = uv_fs_event_start(&folder->event, on_event, folder->path, 0) == 0;
  folder->refused = !folder->started;
  watcher->watched += folder->started;
}

static void stop(SkillWatcher *watcher, struct folder *folder) {
  if (!folder->started) return;
  uv_fs_event_stop(&folder->event);
  folder->started = false;
  watcher->watched--;
}

static void drop(SkillWatcher *watcher, struct folder *folder) {
  HASH_DEL(watcher->folders, folder);
  stop(watcher, folder);
  let_go(folder);
}

static struct folder *folder_new(SkillWatcher *watcher, const char *path) {
  struct folder *folder = skill__calloc(1, sizeof *folder);
  if (!folder) return NULL;
  bool added = false;
  folder->path = skill__strdup(path);
  folder->event.data = folder;
  folder->watcher = watcher;
  if (folder->path) SKILL__HASH_ADD(watcher->folders, folder, folder->path, strlen(path), added);
  if (added) return folder;
  let_go(folder);
  return NULL;
}

/* --- the set of folders ------------------------------------------------------------------------------------------- */

struct update {
  SkillWatcher *watcher;
  bool first; /* the next folder is its source's root */
  size_t seen;
};

static int want_folder(const char *path, void *user) {
  struct update *update = user;
  SkillWatcher *watcher = update->watcher;
  struct folder *folder = NULL;
  bool root = update->first;
  update->first = false;
  if (++update->seen > watcher->options.max_folders) return 1;
  HASH_FIND_STR(watcher->folders, path, folder);
  if (!folder) folder = folder_new(watcher, path);
  if (!folder) return SKILL_ENOMEM;
  folder->wanted = true;
  folder->root = folder->root || root;
  return 0;
}

/* A folder that was replaced by another one needs a new watch; the old watch ended with the old folder. */
static bool renew(SkillWatcher *watcher, struct folder *folder) {
  SkillFileInfo now;
  bool there = look(folder, &now);
  if (folder->started && there && is_same(folder, &now)) return false;
  stop(watcher, folder);
  if (there) start(watcher, folder);
  return folder->started;
}

/* Drops folders that are no longer wanted and watches new ones. Returns whether there are any new ones. */
static bool apply(SkillWatcher *watcher) {
  bool fresh = false;
  struct folder *folder, *next;
  HASH_ITER(hh, watcher->folders, folder, next) {
    if (!folder->wanted) drop(watcher, folder);
  }
  HASH_ITER(hh, watcher->folders, folder, next) {
    fresh = renew(watcher, folder) || fresh;
    watcher->partial = watcher->partial || !folder->started;
    folder->wanted = false;
  }
  return fresh;
}

static bool update_folders(SkillWatcher *watcher) {
  struct update update = {watcher, true, 0};
  watcher->partial = false;
  for (size_t i = 0; i < watcher->count; i++) {
    update.first = true;
    int status = skill_source_folders(watcher->sources[i], want_folder, &update);
    if (status == 1 || status == SKILL_ENOMEM) watcher->partial = true;
    if (status == SKILL_ENOMEM) { /* keep what is watched */
      for (struct folder *folder = watcher->folders; folder; folder = folder->hh.next) folder->wanted = true;
    }
  }
  return apply(watcher);
}

size_t skill_watcher_folders(const SkillWatcher *watcher, bool *complete) {
  if (complete) *complete = !watcher->partial;
  return watcher->watched;
}

/* --- synchronising ------------------------------------------------------------------------------------------------ */

static void destroy(SkillWatcher *watcher) {
  skill__timer_free(watcher->settle);
  skill__timer_free(watcher->check);
  struct folder *folder, *next;
  HASH_ITER(hh, watcher->folders, folder, next) drop(watcher, folder);
  skill__free(watcher->sources);
  skill__free(watcher);
}

static void synchronise(void *arg) {
  SkillWatcher *watcher = arg;
  SkillSyncReport *report = NULL;
  watcher->first_change = 0;
  watcher->last_sync = now_of(watcher);
  watcher->syncing = true;
  int status = skill_registry_sync(watcher->registry, watcher->sources, watcher->count, watcher->options.duplicates,
                                   &report, NULL);
  bool fresh = update_folders(watcher);
  if (watcher->options.on_sync) watcher->options.on_sync(watcher, status, report, watcher->options.user);
  skill_sync_report_free(report);
  watcher->syncing = false;
  if (watcher->freed) {
    destroy(watcher);
  } else if (fresh || status) {
    change_seen(watcher);
  }
}

/* Changes that the kernel does not report: a root that appears or is replaced, unwatched folders. */
static void check(void *arg) {
  SkillWatcher *watcher = arg;
  int64_t rescan = watcher->partial ? watcher->options.rescan_ms / 10 : watcher->options.rescan_ms;
  bool due = now_of(watcher) - watcher->last_sync >= rescan;
  for (const struct folder *folder = watcher->folders; !due && folder; folder = folder->hh.next) {
    SkillFileInfo now;
    if (folder->refused || (!folder->root && folder->started)) continue;
    bool there = look(folder, &now);
    due = there != folder->started || (there && !is_same(folder, &now));
  }
  if (due) change_seen(watcher);
  skill__timer_set(watcher->check, watcher->options.check_ms);
}

/* --- making and freeing ------------------------------------------------------------------------------------------- */

static void fill_defaults(SkillWatcherOptions *options) {
  if (options->debounce_ms <= 0) options->debounce_ms = DEBOUNCE_MS;
  if (options->check_ms <= 0) options->check_ms = CHECK_MS;
  if (options->rescan_ms <= 0) options->rescan_ms = RESCAN_MS;
  if (!options->max_folders) options->max_folders = FOLDERS_MAX;
}

int skill_watcher_new(SkillLoop *loop, SkillRegistry *registry, SkillSource *const *sources, size_t count,
                      const SkillWatcherOptions *options, SkillWatcher **out, SkillError *err) {
  SkillWatcherOptions given = SKILL_WATCHER_OPTIONS_INIT;
  int status = SKILL__OPTIONS(SkillWatcherOptions, &given, options, err);
  if (status) return status;
  if (!loop || !registry) return skill_error_set(err, SKILL_EINVAL, "a watcher needs a loop and a registry");
  fill_defaults(&given);
  SkillWatcher *watcher = skill__calloc(1, sizeof *watcher);
  if (!watcher) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  watcher->loop = loop;
  watcher->registry = registry;
  watcher->count = count;
  watcher->options = given;
  watcher->sources = skill__calloc(count + 1, sizeof(SkillSource *));
  watcher->settle = skill__timer_new(loop, synchronise, watcher);
  watcher->check = skill__timer_new(loop, check, watcher);
  if (!watcher->sources || !watcher->settle || !watcher->check) {
    destroy(watcher);
    return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  }
  if (count) memcpy(watcher->sources, sources, count * sizeof(SkillSource *));
  skill__timer_set(watcher->settle, 0);
  skill__timer_set(watcher->check, watcher->options.check_ms);
  *out = watcher;
  return 0;
}

void skill_watcher_free(SkillWatcher *watcher) {
  if (!watcher) return;
  if (watcher->syncing) {
    watcher->freed = true;
  } else {
    destroy(watcher);
  }
}
