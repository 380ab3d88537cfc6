/* SPDX-License-Identifier: MIT
 *
 * Completions from other threads: none is lost or reported twice, and there is no race. Also runs under the thread
 * sanitizer.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "skillet/skillet.h"

enum { THREADS = 4, SKILLS = 64, ROUNDS = 40 };

/* Inits and disposes that wait for a thread to finish them. */
struct pool {
  pthread_mutex_t lock;
  pthread_cond_t more;
  SkillCompletion *waiting[4 * SKILLS];
  size_t count;
  bool stop;
  pthread_t threads[THREADS];
  atomic_uint finished;
};

struct crowd {
  struct pool pool;
  SkillRegistry *registry;
  char names[SKILLS][16];
  unsigned started; /* inits and disposes that were started */
  unsigned reported;
  unsigned failed;
};

static void *work(void *user) {
  struct pool *pool = user;
  pthread_mutex_lock(&pool->lock);
  for (;;) {
    while (!pool->count && !pool->stop) pthread_cond_wait(&pool->more, &pool->lock);
    if (!pool->count) break;
    SkillCompletion *completion = pool->waiting[--pool->count];
    pthread_mutex_unlock(&pool->lock);
    unsigned n = atomic_fetch_add(&pool->finished, 1);
    skill_completion_finish(completion, n % 17 == 16 ? SKILL_EFAILED : 0, "from a thread");
    pthread_mutex_lock(&pool->lock);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

static void hand_over(Skill *skill, SkillCompletion *completion, void *user) {
  struct crowd *crowd = user;
  struct pool *pool = &crowd->pool;
  (void)skill;
  crowd->started++;
  pthread_mutex_lock(&pool->lock);
  assert_true(pool->count < sizeof pool->waiting / sizeof *pool->waiting);
  pool->waiting[pool->count++] = completion;
  pthread_cond_signal(&pool->more);
  pthread_mutex_unlock(&pool->lock);
}

static int set_up(void **state) {
  struct crowd *crowd = calloc(1, sizeof *crowd);
  SkillRegistryOptions options = SKILL_REGISTRY_OPTIONS_INIT;
  SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
  assert_non_null(crowd);
  ranker.table = "";
  options.ranker = &ranker;
  pthread_mutex_init(&crowd->pool.lock, NULL);
  pthread_cond_init(&crowd->pool.more, NULL);
  assert_int_equal(skill_registry_new(&options, &crowd->registry, NULL), 0);
  for (size_t i = 0; i < SKILLS; i++) {
    snprintf(crowd->names[i], sizeof crowd->names[i], "skill-%zu", i);
    SkillDef def = {.metadata = {.name = crowd->names[i]}, .init = hand_over, .dispose = hand_over, .user = crowd};
    assert_int_equal(skill_registry_add(crowd->registry, &def, NULL, NULL), 0);
  }
  for (size_t i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_create(&crowd->pool.threads[i], NULL, work, &crowd->pool), 0);
  }
  *state = crowd;
  return 0;
}

static void join(struct crowd *crowd) {
  pthread_mutex_lock(&crowd->pool.lock);
  crowd->pool.stop = true;
  pthread_cond_broadcast(&crowd->pool.more);
  pthread_mutex_unlock(&crowd->pool.lock);
  for (size_t i = 0; i < THREADS; i++) pthread_join(crowd->pool.threads[i], NULL);
}

static int tear_down(void **state) {
  struct crowd *crowd = *state;
  if (crowd->registry) assert_int_equal(skill_registry_free(crowd->registry), 0);
  pthread_cond_destroy(&crowd->pool.more);
  pthread_mutex_destroy(&crowd->pool.lock);
  free(crowd);
  return 0;
}

static void count(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  struct crowd *crowd = user;
  (void)loader;
  for (size_t i = 0; i < result->count; i++) {
    crowd->reported++;
    crowd->failed += result->items[i]->status != 0;
  }
}

static ProgressiveSkillLoader *new_loader(struct crowd *crowd, size_t max_active) {
  ProgressiveSkillLoader *loader = NULL;
  SkillLoaderOptions options = SKILL_LOADER_OPTIONS_INIT;
  options.max_active = max_active;
  assert_int_equal(skill_loader_new(crowd->registry, &options, &loader, NULL), 0);
  return loader;
}

static void end_loader(ProgressiveSkillLoader *loader) {
  assert_int_equal(skill_loader_close(loader, NULL, NULL), 0);
  assert_int_equal(skill_loader_wait(loader, 30000), 0);
  assert_int_equal(skill_loader_free(loader), 0);
}

static void completions_from_many_threads_all_arrive(void **state) {
  struct crowd *crowd = *state;
  const char *names[SKILLS];
  for (size_t i = 0; i < SKILLS; i++) names[i] = crowd->names[i];
  ProgressiveSkillLoader *loader = new_loader(crowd, SKILLS);
  for (unsigned round = 0; round < ROUNDS; round++) {
    assert_int_equal(skill_loader_activate_many(loader, names, SKILLS, count, crowd, NULL, NULL), 0);
    assert_int_equal(skill_loader_wait(loader, 30000), 0);
    assert_int_equal(crowd->reported, (round + 1) * SKILLS);
    if (round % 4 == 3) {
      end_loader(loader);
      loader = new_loader(crowd, SKILLS);
    }
  }
  end_loader(loader);
  join(crowd);
  assert_int_equal(atomic_load(&crowd->pool.finished), crowd->started);
  assert_true(crowd->failed > 0 && crowd->failed < crowd->reported);
}

static void two_loaders_share_skills_whose_inits_end_elsewhere(void **state) {
  struct crowd *crowd = *state;
  ProgressiveSkillLoader *a = new_loader(crowd, 3);
  ProgressiveSkillLoader *b = new_loader(crowd, 5);
  for (unsigned i = 0; i < 400; i++) {
    ProgressiveSkillLoader *loader = i % 2 ? a : b;
    const char *name = crowd->names[i * 7 % 11];
    assert_int_equal(skill_loader_activate(loader, name, count, crowd, NULL, NULL), 0);
    if (i % 5 == 0) assert_int_equal(skill_loader_step(a) >= 0 && skill_loader_step(b) >= 0, 1);
  }
  while (crowd->reported < 400) {
    assert_int_equal(skill_loader_wait(a, 30000), 0);
    assert_int_equal(skill_loader_wait(b, 30000), 0);
  }
  assert_int_equal(crowd->reported, 400);
  end_loader(a);
  end_loader(b);
  join(crowd);
  assert_int_equal(atomic_load(&crowd->pool.finished), crowd->started);
}

struct late {
  SkillCompletion *completion;
  pthread_barrier_t gate;
};

static void keep(Skill *skill, SkillCompletion *completion, void *user) {
  (void)skill;
  ((struct late *)user)->completion = completion;
}

static void *finish_late(void *user) {
  struct late *late = user;
  pthread_barrier_wait(&late->gate);
  skill_completion_finish(late->completion, 0, NULL);
  return NULL;
}

/* The thread finishes while the registry is freed, or later. */
static void an_init_may_be_finished_after_the_registry_was_freed(void **state) {
  struct crowd *crowd = *state;
  join(crowd);
  for (unsigned i = 0; i < 100; i++) {
    struct late late;
    pthread_t thread;
    SkillLoaderOptions options = SKILL_LOADER_OPTIONS_INIT;
    ProgressiveSkillLoader *loader = NULL;
    SkillRegistry *registry = NULL;
    SkillDef def = {.metadata = {.name = "late"}, .init = keep, .user = &late};
    SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
    SkillRegistryOptions registry_options = SKILL_REGISTRY_OPTIONS_INIT;
    ranker.table = "";
    registry_options.ranker = &ranker;
    options.init_timeout_ms = 1;
    assert_int_equal(skill_registry_new(&registry_options, &registry, NULL), 0);
    assert_int_equal(skill_registry_add(registry, &def, NULL, NULL), 0);
    assert_int_equal(skill_loader_new(registry, &options, &loader, NULL), 0);
    assert_int_equal(skill_loader_activate(loader, "late", NULL, NULL, NULL, NULL), 0);
    assert_int_equal(skill_loader_step(loader), 0);
    assert_int_equal(pthread_barrier_init(&late.gate, NULL, 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, finish_late, &late), 0);
    assert_int_equal(skill_loader_wait(loader, 30000), 0);
    if (i % 2) pthread_barrier_wait(&late.gate);
    end_loader(loader);
    assert_int_equal(skill_registry_free(registry), 0);
    if (i % 2 == 0) pthread_barrier_wait(&late.gate);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&late.gate);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(completions_from_many_threads_all_arrive),
      TEST(two_loaders_share_skills_whose_inits_end_elsewhere),
      TEST(an_init_may_be_finished_after_the_registry_was_freed),
  };
  return cmocka_run_group_tests_name("loader_thread", tests, NULL, NULL);
}
