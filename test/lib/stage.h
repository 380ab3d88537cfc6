/* SPDX-License-Identifier: MIT
 *
 * A fixture for loader tests: a registry and loaders on the in-memory SkillIo with its virtual clock, and actors. An
 * actor is a skill whose init and dispose end at once, later, with an error or never, as the test requires.
 */
#ifndef TEST_LIB_STAGE_H
#define TEST_LIB_STAGE_H

#include "lib/check.h"
#include "skillet/loader.h"
#include "skillet/sys/fixture.h"

enum actor_way {
  ACTOR_AT_ONCE = 0, /* finishes inside the function */
  ACTOR_LATER        /* the test finishes it */
};

enum { STAGE_ACTORS = 24, STAGE_LOG = 8192, TOLD_ITEMS = 16 };

struct stage;

struct actor {
  struct stage *stage;
  char name[32];
  enum actor_way init;
  enum actor_way dispose;
  int init_status; /* the status with which it finishes at once */
  int dispose_status;
  const char *message;
  SkillCompletion *starting; /* pending, for the test to finish */
  SkillCompletion *stopping;
  unsigned inits;
  unsigned disposes;
};

struct stage {
  SkillFixture *fixture;
  SkillRegistry *registry;
  ProgressiveSkillLoader *loader;
  SkillLoaderOptions options; /* of stage_loader */
  struct actor actors[STAGE_ACTORS];
  size_t actor_count;
  char log[STAGE_LOG]; /* log of events, for example "+a -a !a" (init, dispose, event); see stage_log_events */
  bool log_events;
};

/* The result that an activation's callback received. */
struct outcome {
  unsigned calls;
  int status;
  size_t count;
  char names[TOLD_ITEMS][32];
  int statuses[TOLD_ITEMS];
  bool hits[TOLD_ITEMS];
  size_t tools[TOLD_ITEMS];
  char reasons[TOLD_ITEMS][160];
  char evicted[256]; /* "a b" */
  char reason[256];
};

/* The result that a SkillDoneCb or SkillRemoveCb received. */
struct done {
  unsigned calls;
  int status;
  char message[256];
};

/* Set-up and tear-down of a test: an empty registry and a loader with default options. `state` is the stage. The
 * tear-down closes and frees everything, and fails the test if that is not possible. */
int stage_set_up(void **state);
int stage_tear_down(void **state);

/* The same without cmocka, for sweeps. Returns 0 or an error. stage_end also frees what a failed stage_begin created.
 */
int stage_begin(struct stage *stage);
void stage_end(struct stage *stage);

/* Replaces the stage's loader with one that uses stage->options. */
void stage_reload(struct stage *stage);

/* Creates another loader with stage->options. */
ProgressiveSkillLoader *stage_loader(struct stage *stage);
void stage_close(ProgressiveSkillLoader *loader);

/* Registers an actor for each word of `names`, each with one tool named after it. */
void stage_cast(struct stage *stage, const char *names);
struct actor *stage_actor(struct stage *stage, const char *name);
int stage_register(struct stage *stage, const char *name, const char *description);

void stage_finish_init(struct actor *actor, int status, const char *message);
void stage_finish_dispose(struct actor *actor, int status, const char *message);

/* Steps until nothing is left to do without outside action. */
void stage_settle(ProgressiveSkillLoader *loader);

void outcome_cb(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user);
void done_cb(ProgressiveSkillLoader *loader, int status, const char *message, void *user);
void removed_cb(SkillRegistry *registry, const char *name, int status, const char *message, void *user);

/* Activates by name, steps until nothing is left to do, and returns the result. */
struct outcome stage_activate(struct stage *stage, const char *names);

/* The active skills, most recently used first, as "c b a". */
const char *stage_active(const ProgressiveSkillLoader *loader);

#endif
