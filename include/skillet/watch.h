/* SPDX-License-Identifier: MIT
 *
 * SkillWatcher: keeps a registry equal to its sources while they change.
 *
 * It watches the folders that directory sources look into, waits until the changes have settled, and calls
 * skill_registry_sync(), which reads only what changed and replaces the catalogue in one step: a query sees the old
 * one or the new one. One synchronisation runs at a time. A file that is half written keeps its last good version, a
 * root that vanished keeps its last skills; the report says so. What the kernel does not tell of (network file
 * systems, links to files elsewhere, folders beyond the limit) is found by a slow rescan.
 *
 * Threads: a watcher belongs to the thread of its loop, which is the registry's. Linux needs one descriptor for all
 * folders. A watcher keeps uv_run() from returning until it is freed.
 */
#ifndef SKILLET_WATCH_H
#define SKILLET_WATCH_H

#include "skillet/loop.h"
#include "skillet/source.h"

SKILL_BEGIN

typedef struct SkillWatcher SkillWatcher;

/* Called inside the loop after each synchronisation. `status` is 0, or why it failed, and then the catalogue is as it
 * was; `report` is borrowed until the callback returns, NULL where it failed. May free the watcher. */
typedef void (*SkillWatcherCb)(SkillWatcher *watcher, int status, const SkillSyncReport *report, void *user);

typedef struct SkillWatcherOptions {
  size_t size; /* sizeof(SkillWatcherOptions) */
  SkillDuplicates duplicates;
  int64_t debounce_ms;    /* quiet time before a synchronisation [200]; at most ten times that after the first change */
  int64_t check_ms;       /* how often roots and folders that could not be watched are looked at [2,000] */
  int64_t rescan_ms;      /* how often everything is rescanned although nothing was told [60,000]; a tenth of it while
                             not all folders can be watched */
  size_t max_folders;     /* folders watched at most [8,192] */
  SkillWatcherCb on_sync; /* NULL: none */
  void *user;
} SkillWatcherOptions;

#define SKILL_WATCHER_OPTIONS_INIT \
  { sizeof(SkillWatcherOptions), SKILL_DUPLICATES_FIRST, 0, 0, 0, 0, NULL, NULL }

/* Starts watching; the first synchronisation comes in the loop's next steps. The array is copied; loop, registry and
 * sources are borrowed for the watcher's life. Owned: release with skill_watcher_free. SKILL_EINVAL, SKILL_ENOMEM. */
SKILL_API int skill_watcher_new(SkillLoop *loop, SkillRegistry *registry, SkillSource *const *sources, size_t count,
                                const SkillWatcherOptions *options, SkillWatcher **out, SkillError *err);

/* Stops. Its handles close in the loop's next run. NULL is ignored. */
SKILL_API void skill_watcher_free(SkillWatcher *watcher);

/* A change is known, for example because a tool has just written a skill: synchronises after the usual quiet time. */
SKILL_API void skill_watcher_touch(SkillWatcher *watcher);

/* How many folders are watched now; `complete` (may be NULL) tells whether that is all of them. */
SKILL_API size_t skill_watcher_folders(const SkillWatcher *watcher, bool *complete);

SKILL_END

#endif
