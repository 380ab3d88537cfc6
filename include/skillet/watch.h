/* SPDX-License-Identifier: MIT
 *
 * SkillWatcher: keeps a registry equal to its sources while they change.
 *
 * It watches the folders that directory sources search, waits until changes have ended, and calls
 * skill_registry_sync(), which reads only what changed and replaces the catalogue in one step. One synchronisation
 * runs at a time. A file that is incomplete keeps its last good version and a root that vanished keeps its last
 * skills; the report says so. Changes that the kernel does not report (network file systems, links to files elsewhere,
 * folders beyond the limit) are found by a slow rescan.
 *
 * Threads. A watcher belongs to the thread of its loop, which is the registry's. On Linux it needs one descriptor for
 * all folders. A watcher prevents uv_run() from returning until it is freed.
 */
#ifndef SKILLET_WATCH_H
#define SKILLET_WATCH_H

#include "skillet/loop.h"
#include "skillet/source.h"

SKILL_BEGIN

typedef struct SkillWatcher SkillWatcher;

/* Runs in the loop after each synchronisation. `status` is 0, or the error, in which case the catalogue is unchanged
 * and `report` is NULL. `report` is borrowed until the callback returns. May free the watcher. */
typedef void (*SkillWatcherCb)(SkillWatcher *watcher, int status, const SkillSyncReport *report, void *user);

typedef struct SkillWatcherOptions {
  size_t size; /* sizeof(SkillWatcherOptions) */
  SkillDuplicates duplicates;
  int64_t debounce_ms; /* [200] quiet time before a synchronisation; at most ten times that after the first change */
  int64_t check_ms;    /* [2,000] how often roots and folders that cannot be watched are checked */
  int64_t
      rescan_ms; /* [60,000] how often everything is rescanned; a tenth of that while some folders cannot be watched */
  size_t max_folders;     /* [8,192] limit of watched folders */
  SkillWatcherCb on_sync; /* NULL: none */
  void *user;
} SkillWatcherOptions;

#define SKILL_WATCHER_OPTIONS_INIT \
  { sizeof(SkillWatcherOptions), SKILL_DUPLICATES_FIRST, 0, 0, 0, 0, NULL, NULL }

/* Starts watching; the first synchronisation runs in one of the next steps of the loop. The array is copied; loop,
 * registry and sources are borrowed until the watcher is freed. `options` may be NULL. Owned: release with
 * skill_watcher_free. SKILL_EINVAL, SKILL_ENOMEM. */
SKILL_API int skill_watcher_new(SkillLoop *loop, SkillRegistry *registry, SkillSource *const *sources, size_t count,
                                const SkillWatcherOptions *options, SkillWatcher **out, SkillError *err);

/* Stops and frees. Its handles close in the next run of the loop. NULL is ignored. */
SKILL_API void skill_watcher_free(SkillWatcher *watcher);

/* Announces a change, for example after a tool has written a skill: synchronises after the usual quiet time. */
SKILL_API void skill_watcher_touch(SkillWatcher *watcher);

/* Returns how many folders are watched. `complete` (may be NULL) receives whether these are all of them. */
SKILL_API size_t skill_watcher_folders(const SkillWatcher *watcher, bool *complete);

SKILL_END

#endif
