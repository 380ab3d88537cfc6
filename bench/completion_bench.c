/* SPDX-License-Identifier: MIT
 *
 * The cost of a completion from another thread.
 *
 * One at a time: a worker finishes an init, and the loader's thread, which sleeps in poll, wakes and calls the
 * callback. The comparison is two threads that only write and read an eventfd in turn. In batches: another thread
 * finishes a thousand completions, and one step handles all of them; the table shows the time of finishing and the
 * total time, per completion. Asserted: every completion arrives exactly once.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "bench/bench.h"
#include "skillet/loader.h"

enum { BATCH = 1000 };

/* A thread that waits for work on one eventfd. */
struct worker {
  pthread_t thread;
  int wake;
  int reply; /* answer of the raw round trip */
  bool raw;
  SkillCompletion *completions[BATCH];
  size_t count;
  atomic_bool finished;
  double finish_ns; /* of the last batch */
  bool stop;
};

static void signal_fd(int fd) {
  uint64_t one = 1;
  BENCH_CHECK(write(fd, &one, sizeof one) == sizeof one);
}

static void await_fd(int fd) {
  uint64_t value;
  struct pollfd poller = {fd, POLLIN, 0};
  while (poll(&poller, 1, -1) != 1) {
  }
  BENCH_CHECK(read(fd, &value, sizeof value) == sizeof value);
}

static void *work(void *user) {
  struct worker *worker = user;
  for (;;) {
    await_fd(worker->wake);
    if (worker->stop) return NULL;
    if (worker->raw) {
      signal_fd(worker->reply);
      continue;
    }
    uint64_t begin = bench_now_ns();
    for (size_t i = 0; i < worker->count; i++) skill_completion_finish(worker->completions[i], 0, NULL);
    worker->finish_ns = (double)(bench_now_ns() - begin);
    atomic_store(&worker->finished, true);
  }
}

struct world {
  struct worker worker;
  SkillRegistry *registry;
  ProgressiveSkillLoader *loader;
  const char *names[BATCH];
  size_t reported;
};

static void keep(Skill *skill, SkillCompletion *completion, void *user) {
  struct worker *worker = user;
  (void)skill;
  worker->completions[worker->count++] = completion;
}

static void count(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user) {
  size_t *reported = user;
  (void)loader;
  for (size_t i = 0; i < result->count; i++) *reported += result->items[i]->status == 0;
}

static void deactivate_all(struct world *world) {
  size_t expired;
  BENCH_CHECK(!skill_loader_cleanup_expired(world->loader, NULL, NULL, &expired));
  BENCH_CHECK(!skill_loader_wait(world->loader, -1));
}

/* From waking the worker to the callback. */
static void round_trip(void *state, size_t rounds) {
  struct world *world = state;
  world->worker.raw = false;
  for (size_t i = 0; i < rounds; i++) {
    size_t before = world->reported;
    world->worker.count = 0;
    BENCH_CHECK(!skill_loader_activate(world->loader, world->names[0], count, &world->reported, NULL, NULL));
    while (!world->worker.count) skill_loader_step(world->loader);
    signal_fd(world->worker.wake);
    BENCH_CHECK(!skill_loader_wait(world->loader, -1));
    BENCH_CHECK(world->reported == before + 1);
    BENCH_CHECK(!skill_loader_deactivate(world->loader, world->names[0], NULL, NULL, NULL));
    while (skill_loader_timeout_ms(world->loader) == 0) skill_loader_step(world->loader);
  }
}

static void raw_round_trip(void *state, size_t rounds) {
  struct world *world = state;
  world->worker.raw = true;
  for (size_t i = 0; i < rounds; i++) {
    signal_fd(world->worker.wake);
    await_fd(world->worker.reply);
  }
}

static void batches(struct world *world, size_t rounds) {
  double *finish = calloc(rounds, sizeof *finish);
  double *take = calloc(rounds, sizeof *take);
  BENCH_CHECK(finish && take);
  world->worker.raw = false;
  for (size_t i = 0; i < rounds; i++) {
    world->reported = 0;
    world->worker.count = 0;
    BENCH_CHECK(!skill_loader_activate_many(world->loader, world->names, BATCH, count, &world->reported, NULL, NULL));
    while (world->worker.count < BATCH) skill_loader_step(world->loader);
    atomic_store(&world->worker.finished, false);
    signal_fd(world->worker.wake);
    while (!atomic_load(&world->worker.finished)) poll(NULL, 0, 1);
    uint64_t begin = bench_now_ns();
    BENCH_CHECK(!skill_loader_wait(world->loader, -1));
    take[i] = (double)(bench_now_ns() - begin) / BATCH;
    finish[i] = world->worker.finish_ns / BATCH;
    BENCH_CHECK(world->reported == BATCH);
    deactivate_all(world);
  }
  printf("%-36s %9.1f ns finishing, %.1f ns taking in and telling (median; goal < 100 ns finishing)\n",
         "in batches of 1000, each", bench_quantile(finish, rounds, 0.5), bench_quantile(take, rounds, 0.5));
  free(finish);
  free(take);
}

static void begin(struct world *world) {
  static char names[BATCH][16];
  SkillRegistryOptions options = SKILL_REGISTRY_OPTIONS_INIT;
  SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
  SkillLoaderOptions loader = SKILL_LOADER_OPTIONS_INIT;
  ranker.table = "";
  options.ranker = &ranker;
  BENCH_CHECK(!skill_registry_new(&options, &world->registry, NULL));
  for (size_t i = 0; i < BATCH; i++) {
    snprintf(names[i], sizeof names[i], "skill-%zu", i);
    world->names[i] = names[i];
    SkillDef def = {.metadata = {.name = names[i]}, .init = keep, .user = &world->worker};
    BENCH_CHECK(!skill_registry_add(world->registry, &def, NULL, NULL));
  }
  loader.max_active = BATCH;
  loader.activation_timeout_ms = 0;
  BENCH_CHECK(!skill_loader_new(world->registry, &loader, &world->loader, NULL));
  world->worker.wake = eventfd(0, EFD_CLOEXEC);
  world->worker.reply = eventfd(0, EFD_CLOEXEC);
  BENCH_CHECK(world->worker.wake >= 0 && world->worker.reply >= 0);
  BENCH_CHECK(!pthread_create(&world->worker.thread, NULL, work, &world->worker));
}

static void end(struct world *world) {
  world->worker.stop = true;
  signal_fd(world->worker.wake);
  pthread_join(world->worker.thread, NULL);
  BENCH_CHECK(!skill_loader_close(world->loader, NULL, NULL));
  BENCH_CHECK(!skill_loader_wait(world->loader, -1));
  BENCH_CHECK(!skill_loader_free(world->loader));
  BENCH_CHECK(!skill_registry_free(world->registry));
  close(world->worker.wake);
  close(world->worker.reply);
}

int main(void) {
  static struct world world;
  begin(&world);
  bench_title("completion from another thread", "a raw eventfd round trip");
  bench_row("one at a time, init to callback",
            bench_compare(round_trip, &world, raw_round_trip, &world, 2000, bench_rounds(10)), 2.0);
  batches(&world, bench_rounds(20));
  end(&world);
  return 0;
}
