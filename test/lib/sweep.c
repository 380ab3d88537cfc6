/* SPDX-License-Identifier: MIT
 *
 * See sweep.h.
 */
#include "lib/sweep.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "skillet/error.h"
#include "skillet/sys/alloc.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SWEEP_INTERPOSE 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SWEEP_INTERPOSE 0
#endif
#endif
#if !defined(SWEEP_INTERPOSE) && defined(__GLIBC__)
#define SWEEP_INTERPOSE 1
#elif !defined(SWEEP_INTERPOSE)
#define SWEEP_INTERPOSE 0
#endif

#if SWEEP_INTERPOSE
/* The functions of the C library, which the interposers below hide. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void __libc_free(void *p);
#define raw_malloc __libc_malloc
#define raw_free __libc_free
#else
#define raw_malloc malloc
#define raw_free free
#endif

enum { GUARD = 16, FILL = 0xa5 };

/* Header of every block of skillet. */
struct header {
  size_t size;
  size_t mark;
  unsigned char guard[GUARD];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t made;              /* allocations of this run */
static size_t fail_at;           /* number of the allocation that fails; 0: none */
static size_t failed;            /* number of failed allocations */
static size_t live;              /* live blocks of skillet and cJSON */
static bool forever;             /* later allocations fail as well */
static bool forgiving;           /* of leaks in libraries */
static bool broken;              /* a guard was overwritten */
static _Thread_local bool armed; /* malloc of this thread can fail too */

static bool refused(void) {
  made++;
  bool fail = fail_at && (made == fail_at || (forever && made > fail_at));
  failed += fail;
  if (fail) errno = ENOMEM; /* as malloc does */
  return fail;
}

static void check_guards(const struct header *header) {
  const unsigned char *end = (const unsigned char *)(header + 1) + header->size;
  for (size_t i = 0; i < GUARD; i++) broken |= header->guard[i] != FILL || end[i] != FILL;
  broken |= header->mark != ~header->size;
}

static void *sweep_malloc(size_t size, void *user) {
  (void)user;
  pthread_mutex_lock(&lock);
  bool no = refused();
  live += !no;
  pthread_mutex_unlock(&lock);
  if (no) return NULL;
  struct header *header = raw_malloc(sizeof *header + size + GUARD);
  if (!header) abort();
  header->size = size;
  header->mark = ~size;
  memset(header->guard, FILL, GUARD);
  memset(header + 1, 0xdd, size);
  memset((char *)(header + 1) + size, FILL, GUARD);
  return header + 1;
}

static void sweep_free(void *p, void *user) {
  (void)user;
  if (!p) return;
  struct header *header = (struct header *)p - 1;
  pthread_mutex_lock(&lock);
  check_guards(header);
  live--;
  pthread_mutex_unlock(&lock);
  memset(p, 0xee, header->size);
  header->mark = 0;
  raw_free(header);
}

/* Always moves the block, so that a use of the old address is detected. */
static void *sweep_realloc(void *p, size_t size, void *user) {
  void *bigger = sweep_malloc(size, user);
  if (!bigger || !p) return bigger;
  size_t had = ((struct header *)p - 1)->size;
  memcpy(bigger, p, had < size ? had : size);
  sweep_free(p, user);
  return bigger;
}

static void *json_malloc(size_t size) {
  return sweep_malloc(size ? size : 1, NULL);
}

static void json_free(void *p) {
  sweep_free(p, NULL);
}

#if SWEEP_INTERPOSE
/* Hidden symbols, the default of this build, would not replace those of the C library. */
#define EXPORTED __attribute__((visibility("default")))

/* malloc of the whole program, so that libraries without hooks are covered too; only for the scenario's thread. */
enum { TRACKED = 1 << 15 };
static void *tracked[TRACKED]; /* open addressing; blocks that libraries allocated while the sweep was active */
static size_t tracked_count;

static size_t slot_of(const void *p) {
  size_t i = (size_t)((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u >> 17 & (TRACKED - 1);
  while (tracked[i] && tracked[i] != p) i = (i + 1) & (TRACKED - 1);
  return i;
}

static void track(void *p) {
  if (!p || tracked_count > TRACKED / 2) return;
  tracked[slot_of(p)] = p;
  tracked_count++;
}

static void untrack(const void *p) {
  size_t hole = slot_of(p);
  if (!p || !tracked[hole]) return;
  tracked[hole] = NULL;
  tracked_count--;
  for (size_t i = (hole + 1) & (TRACKED - 1); tracked[i]; i = (i + 1) & (TRACKED - 1)) {
    void *again = tracked[i];
    tracked[i] = NULL;
    tracked[slot_of(again)] = again;
  }
}

static bool swept_refused(void) {
  pthread_mutex_lock(&lock);
  bool no = refused();
  pthread_mutex_unlock(&lock);
  return no;
}

EXPORTED void *malloc(size_t size) {
  if (!armed) return __libc_malloc(size);
  if (swept_refused()) return NULL;
  void *p = __libc_malloc(size);
  track(p);
  return p;
}

EXPORTED void *calloc(size_t count, size_t size) {
  if (!armed) return __libc_calloc(count, size);
  if (swept_refused()) return NULL;
  void *p = __libc_calloc(count, size);
  track(p);
  return p;
}

EXPORTED void *realloc(void *p, size_t size) {
  if (!armed) return __libc_realloc(p, size);
  if (swept_refused()) return NULL;
  untrack(p);
  void *bigger = __libc_realloc(p, size);
  track(bigger ? bigger : p);
  return bigger;
}

EXPORTED void free(void *p) {
  if (armed) untrack(p);
  __libc_free(p);
}

/* libuv aborts the process where it cannot allocate, so it gets memory always. Weak: the core's tests have no libuv. */
extern int uv_replace_allocator(void *(*)(size_t), void *(*)(void *, size_t), void *(*)(size_t, size_t),
                                void (*)(void *)) __attribute__((weak));

static void spare_libuv(void) {
  static bool done;
  if (!done && uv_replace_allocator) {
    (void)uv_replace_allocator(__libc_malloc, __libc_realloc, __libc_calloc, __libc_free);
  }
  done = true;
}

static size_t library_blocks(void) {
  return tracked_count;
}

static void forget_library_blocks(void) {
  memset(tracked, 0, sizeof tracked);
  tracked_count = 0;
}
#else
static void spare_libuv(void) {}

static size_t library_blocks(void) {
  return 0;
}

static void forget_library_blocks(void) {}
#endif

static void hook(bool on) {
  static const SkillAllocator allocator = {sweep_malloc, sweep_realloc, sweep_free, NULL};
  cJSON_Hooks hooks = {json_malloc, json_free};
  assert_int_equal(skill_set_allocator(on ? &allocator : NULL), 0);
  cJSON_InitHooks(on ? &hooks : NULL);
}

static void start(size_t at, bool all_later) {
  made = 0;
  failed = 0;
  live = 0;
  fail_at = at;
  forever = all_later;
  broken = false;
  forget_library_blocks();
}

static void judge(int rc, size_t at, size_t left_by_libraries) {
  const char *which = forever ? "and all later ones" : "alone";
  if (rc && rc != SKILL_ENOMEM) fail_msg("allocation %zu %s failing gives %s", at, which, skill_errname(rc));
  if (rc && !failed) fail_msg("the scenario fails with %s although no allocation did", skill_errname(rc));
  if (live) fail_msg("allocation %zu %s failing leaks %zu blocks", at, which, live);
  if (left_by_libraries) fail_msg("allocation %zu %s failing leaks %zu library blocks", at, which, left_by_libraries);
  if (broken) fail_msg("allocation %zu %s failing makes something write beyond its block", at, which);
}

/* Runs once. Returns whether the failure was reached. */
static bool run_once(sweep_body body, void *user, size_t at, bool all_later) {
  start(at, all_later);
  spare_libuv();
  hook(true);
  armed = true;
  int rc = body(user);
  armed = false;
  hook(false);
  judge(rc, at,
        at && !forgiving ? library_blocks()
                         : 0); /* the first run also makes the allocations that happen once per process */
  return failed > 0;
}

size_t sweep_run(sweep_body body, void *user) {
  run_once(body, user, 0, false);
  size_t count = 0;
  for (size_t at = 1; run_once(body, user, at, false); at++) count = at;
  for (size_t at = 1; run_once(body, user, at, true); at++) {
  }
  forgiving = false;
  return count;
}

void sweep_forgive_libraries(void) {
  forgiving = true;
}

size_t sweep_failed(void) {
  return failed;
}

void sweep_relent(void) {
  pthread_mutex_lock(&lock);
  fail_at = 0;
  pthread_mutex_unlock(&lock);
}

void sweep_abandon(void) {
  armed = false;
  hook(false);
}

void sweep_count_begin(void) {
  start(0, false);
  hook(true);
}

size_t sweep_count(void) {
  return made;
}

void sweep_count_end(void) {
  hook(false);
}
