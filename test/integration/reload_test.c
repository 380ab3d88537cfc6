/* SPDX-License-Identifier: MIT
 *
 * Threads send queries while the catalogue is reloaded. They see the old catalogue or the new one, never a mixture, and
 * a file that becomes invalid removes no skill. Also runs under the thread sanitizer (ctest -L threads).
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/check.h"
#include "lib/tmpdir.h"
#include "skillet/watch.h"

enum { SKILLS = 200, EDITIONS = 6, READERS = 4, PATIENCE_S = 60 };

/* What the registry's thread passes to the others: the snapshot of its last synchronisation. */
struct place {
  char *dir;
  SkillLoop *loop;
  SkillRegistry *registry;
  SkillSource *source;
  SkillWatcher *watcher;
  pthread_mutex_t lock; /* guards `current` */
  SkillRankSnapshot *current;
  int edition; /* all files are written; used by the registry's thread only */
  int seen;    /* the newest edition that was completely synchronised */
  size_t notes;
  atomic_bool done;
  atomic_size_t answers;
  atomic_int wrong; /* number of counts that were neither all nor none; asserted on the main thread */
};

static size_t count_edition(const SkillRankSnapshot *snapshot, int edition) {
  char text[32];
  SkillRanking *ranking = NULL;
  snprintf(text, sizeof text, "+edition%c", 'a' + edition);
  SkillQuery query = {.size = sizeof(SkillQuery), .text = text, .limit = SKILLS + 1, .floor = -1, .grammar = true};
  if (skill_rank_query(snapshot, &query, &ranking, NULL)) return (size_t)-1;
  size_t count = ranking->count;
  skill_ranking_free(ranking);
  return count;
}

static void *read_snapshots(void *user) {
  struct place *place = user;
  for (unsigned round = 0; !atomic_load(&place->done) || round == 0; round++) {
    pthread_mutex_lock(&place->lock);
    SkillRankSnapshot *snapshot = skill_rank_snapshot_retain(place->current);
    pthread_mutex_unlock(&place->lock);
    int whole = 0;
    for (int edition = 0; edition < EDITIONS; edition++) {
      size_t count = count_edition(snapshot, edition);
      whole += count == SKILLS;
      if (count != 0 && count != SKILLS) atomic_fetch_add(&place->wrong, 1);
    }
    if (whole != 1) atomic_fetch_add(&place->wrong, 1);
    const char *near = NULL;
    if (skill_rank_suggest(snapshot, "skil-007", &near, 1) != 1) atomic_fetch_add(&place->wrong, 1);
    skill_rank_snapshot_release(snapshot);
    atomic_fetch_add(&place->answers, 1);
  }
  return NULL;
}

static void on_sync(SkillWatcher *watcher, int status, const SkillSyncReport *report, void *user) {
  struct place *place = user;
  SkillRankSnapshot *fresh = NULL;
  (void)watcher;
  assert_int_equal(status, 0);
  assert_int_equal(skill_registry_count(place->registry), SKILLS);
  assert_int_equal(skill_ranker_snapshot(skill_registry_ranker(place->registry), &fresh), 0);
  place->notes = report->diagnostic_count;
  if (count_edition(fresh, place->edition) == SKILLS) place->seen = place->edition;
  pthread_mutex_lock(&place->lock);
  SkillRankSnapshot *old = place->current;
  place->current = fresh;
  pthread_mutex_unlock(&place->lock);
  skill_rank_snapshot_release(old);
}

static void write_edition(struct place *place, int edition) {
  char path[64];
  char text[256];
  for (int i = 0; i < SKILLS; i++) {
    snprintf(path, sizeof path, "skills/skill-%03d/SKILL.md", i);
    snprintf(text, sizeof text, "---\nname: skill-%03d\ndescription: Number %d of edition%c\n---\nBody.\n", i, i,
             'a' + edition);
    tmpdir_write(place->dir, path, text);
  }
  place->edition = edition;
}

static void run_until_seen(struct place *place, int edition) {
  time_t end = time(NULL) + PATIENCE_S;
  skill_watcher_touch(place->watcher);
  while (place->seen != edition) {
    assert_true(time(NULL) < end);
    skill_loop_run_once(place->loop, 100);
  }
}

static void open_place(struct place *place) {
  SkillDirectoryOptions directory = SKILL_DIRECTORY_OPTIONS_INIT;
  SkillRegistryOptions registry = SKILL_REGISTRY_OPTIONS_INIT;
  SkillWatcherOptions watcher = SKILL_WATCHER_OPTIONS_INIT;
  SkillRankerOptions ranker = SKILL_RANKER_OPTIONS_INIT;
  char root[600];
  memset(place, 0, sizeof *place);
  place->seen = -1;
  place->dir = tmpdir_make();
  pthread_mutex_init(&place->lock, NULL);
  snprintf(root, sizeof root, "%s/skills", place->dir);
  ranker.table = "";
  registry.ranker = &ranker;
  directory.path = root;
  watcher.debounce_ms = 1;
  watcher.on_sync = on_sync;
  watcher.user = place;
  write_edition(place, 0);
  assert_int_equal(skill_loop_new(NULL, &place->loop, NULL), 0);
  assert_int_equal(skill_registry_new(&registry, &place->registry, NULL), 0);
  assert_int_equal(skill_source_directory_new(&directory, &place->source, NULL), 0);
  assert_int_equal(skill_watcher_new(place->loop, place->registry, &place->source, 1, &watcher, &place->watcher, NULL),
                   0);
  run_until_seen(place, 0);
}

static void close_place(struct place *place) {
  skill_watcher_free(place->watcher);
  skill_loop_free(place->loop);
  skill_rank_snapshot_release(place->current);
  assert_int_equal(skill_registry_free(place->registry), 0);
  skill_source_free(place->source);
  pthread_mutex_destroy(&place->lock);
  tmpdir_remove(place->dir);
}

static void readers_see_the_old_catalogue_or_the_new_one(void **state) {
  struct place place;
  pthread_t readers[READERS];
  (void)state;
  open_place(&place);
  for (size_t i = 0; i < READERS; i++) {
    assert_int_equal(pthread_create(&readers[i], NULL, read_snapshots, &place), 0);
  }
  for (int edition = 1; edition < EDITIONS; edition++) {
    write_edition(&place, edition);
    run_until_seen(&place, edition);
  }
  atomic_store(&place.done, true);
  for (size_t i = 0; i < READERS; i++) pthread_join(readers[i], NULL);
  assert_int_equal(atomic_load(&place.wrong), 0);
  assert_true(atomic_load(&place.answers) >= READERS);
  close_place(&place);
}

static void a_file_that_went_bad_costs_nobody_a_skill(void **state) {
  struct place place;
  time_t end = time(NULL) + PATIENCE_S;
  (void)state;
  open_place(&place);
  assert_int_equal(place.notes, 0);
  tmpdir_write(place.dir, "skills/skill-007/SKILL.md", "");
  skill_watcher_touch(place.watcher);
  while (!place.notes) {
    assert_true(time(NULL) < end);
    skill_loop_run_once(place.loop, 100);
  }
  assert_int_equal(count_edition(place.current, 0), SKILLS);
  close_place(&place);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readers_see_the_old_catalogue_or_the_new_one),
      cmocka_unit_test(a_file_that_went_bad_costs_nobody_a_skill),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
