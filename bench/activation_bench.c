/* SPDX-License-Identifier: MIT
 *
 * The cost of a hit. skill_loader_touch finds an active skill, moves it to the recent end and reads the clock. The
 * comparison is the minimum work of an LRU list with uthash: find, delete, add. Both process the same names in the same
 * order. The lower rows add the cost of the caller's copy of the skill's tool, which the comparison does not make.
 * Asserted: every touch is a hit, the final order is that of the touches, and there were no allocations.
 */
#include <string.h>

#include "bench/bench.h"
#include "skillet/loader.h"
#include "skillet/sys/alloc.h"
#include "util/hash.h"

enum { ORDER = 16384 };

static size_t allocations;

static void *counted_malloc(size_t size, void *user) {
  (void)user;
  allocations++;
  return malloc(size);
}

static void *counted_realloc(void *p, size_t size, void *user) {
  (void)user;
  allocations++;
  return realloc(p, size);
}

static void counted_free(void *p, void *user) {
  (void)user;
  free(p);
}

/* The data of a skill in the plain uthash version. */
struct peer {
  UT_hash_handle hh;
  char name[40];
};

struct world {
  size_t count;
  char (*names)[40];
  unsigned order[ORDER]; /* the order of the names */
  ProgressiveSkillLoader *loader;
  struct peer *peers;
  struct peer *table;
};

static void touch(void *state, size_t count) {
  struct world *world = state;
  size_t tools = 0;
  int hits = 0;
  for (size_t i = 0; i < count; i++) {
    hits += skill_loader_touch(world->loader, world->names[world->order[i % ORDER]], NULL, 0, &tools);
  }
  BENCH_CHECK((size_t)hits == count && tools == 1);
}

static void touch_and_copy(void *state, size_t count) {
  struct world *world = state;
  SkillTool tool;
  size_t tools = 0;
  int hits = 0;
  for (size_t i = 0; i < count; i++) {
    hits += skill_loader_touch(world->loader, world->names[world->order[i % ORDER]], &tool, 1, &tools);
    BENCH_KEEP(tool.name);
  }
  BENCH_CHECK((size_t)hits == count && tools == 1);
}

static void find_delete_add(void *state, size_t count) {
  struct world *world = state;
  for (size_t i = 0; i < count; i++) {
    const char *name = world->names[world->order[i % ORDER]];
    struct peer *peer = NULL;
    HASH_FIND_STR(world->table, name, peer);
    BENCH_CHECK(peer);
    HASH_DEL(world->table, peer);
    bool ok;
    SKILL__HASH_ADD(world->table, peer, peer->name, strlen(peer->name), ok);
    BENCH_CHECK(ok);
  }
}

static void fill(struct world *world, SkillRegistry *registry, size_t count) {
  SkillLoaderOptions options = SKILL_LOADER_OPTIONS_INIT;
  const char **names = calloc(count, sizeof *names);
  memset(world, 0, sizeof *world);
  world->count = count;
  world->names = calloc(count, sizeof *world->names);
  world->peers = calloc(count, sizeof *world->peers);
  BENCH_CHECK(names && world->names && world->peers);
  for (size_t i = 0; i < count; i++) {
    snprintf(world->names[i], sizeof world->names[i], "skill-number-%zu", i);
    names[i] = world->names[i];
    memcpy(world->peers[i].name, world->names[i], sizeof world->names[i]);
    struct peer *peer = &world->peers[i];
    bool ok;
    SKILL__HASH_ADD(world->table, peer, peer->name, strlen(peer->name), ok);
    BENCH_CHECK(ok);
  }
  unsigned seed = 1;
  for (size_t i = 0; i < ORDER; i++) {
    seed = seed * 1103515245u + 12345u;
    world->order[i] = (unsigned)((seed >> 8) % count);
  }
  options.max_active = count;
  BENCH_CHECK(!skill_loader_new(registry, &options, &world->loader, NULL));
  BENCH_CHECK(!skill_loader_activate_many(world->loader, names, count, NULL, NULL, NULL, NULL));
  BENCH_CHECK(!skill_loader_wait(world->loader, -1));
  BENCH_CHECK(skill_loader_active_count(world->loader) == count);
  free(names);
}

static void clear(struct world *world) {
  HASH_CLEAR(hh, world->table);
  BENCH_CHECK(!skill_loader_close(world->loader, NULL, NULL));
  BENCH_CHECK(!skill_loader_wait(world->loader, -1));
  BENCH_CHECK(!skill_loader_free(world->loader));
  free(world->names);
  free(world->peers);
}

/* Both end in the order of the last touches. */
static void check_order(struct world *world) {
  touch(world, ORDER);
  find_delete_add(world, ORDER);
  struct peer *last = world->table;
  while (last->hh.next) last = last->hh.next;
  for (size_t i = 0; i < world->count && i < 100; i++, last = last->hh.prev) {
    BENCH_CHECK(last && !strcmp(skill_loader_active_name(world->loader, i), last->name));
  }
}

int main(void) {
  static const SkillAllocator counting = {counted_malloc, counted_realloc, counted_free, NULL};
  static const size_t sizes[] = {3, 100, 10000};
  static struct world world;
  SkillRegistry *registry = NULL;
  SkillRegistryOptions options = SKILL_REGISTRY_OPTIONS_INIT;
  SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
  ranker.table = "";
  options.ranker = &ranker;
  BENCH_CHECK(!skill_set_allocator(&counting));
  BENCH_CHECK(!skill_registry_new(&options, &registry, NULL));
  SkillTool tool = {.name = "tool", .description = "does it"};
  for (size_t i = 0; i < 10000; i++) {
    char name[40];
    snprintf(name, sizeof name, "skill-number-%zu", i);
    SkillDef def = {.metadata = {.name = name, .tools = &tool, .tool_count = 1}};
    BENCH_CHECK(!skill_registry_add(registry, &def, NULL, NULL));
  }
  bench_title("activation hit", "uthash find + delete + add");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char label[40];
    fill(&world, registry, sizes[i]);
    check_order(&world);
    size_t before = allocations;
    touch(&world, ORDER);
    touch_and_copy(&world, ORDER);
    BENCH_CHECK(allocations == before);
    /* Among thousands the time is that of cache misses, and an entry is larger than the peer's. */
    double goal = sizes[i] > 100 ? 3 : 1.5;
    snprintf(label, sizeof label, "%zu active", sizes[i]);
    bench_row(label, bench_compare(touch, &world, find_delete_add, &world, 200000, bench_rounds(15)), goal);
    snprintf(label, sizeof label, "%zu active, tool copied", sizes[i]);
    bench_row(label, bench_compare(touch_and_copy, &world, find_delete_add, &world, 200000, bench_rounds(15)), 0);
    clear(&world);
  }
  BENCH_CHECK(!skill_registry_free(registry));
  return 0;
}
