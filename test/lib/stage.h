/* SPDX-License-Identifier: MIT
 *
 * A stage for loader tests: registry and loaders on the in-memory SkillIo with its virtual clock, and actors: skills
 * whose init and dispose end at once, later, badly or never, as the test wants.
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
  int init_status; /* what it finishes with at once */
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
  char log[STAGE_LOG]; /* what happened, e.g. "+a -a !a" (init, dispose, events); see stage_log_events */
  bool log_events;
};

/* What an activation's callback said. */
struct told {
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

/* What a SkillDoneCb or SkillRemoveCb said. */
struct done {
  unsigned calls;
  int status;
  char message[256];
};

/* Group set-up and tear-down: an empty registry and a loader with default options. `state` is the stage. The tear-down
 * closes and frees and fails the test where that does not work. */
int stage_set_up(void **state);
int stage_tear_down(void **state);

/* The same without cmocka, for sweeps; 0 or a code. stage_end works on what stage_begin left half done. */
int stage_begin(struct stage *stage);
void stage_end(struct stage *stage);

/* Replaces the stage's loader by one with stage->options. */
void stage_reload(struct stage *stage);

/* Another loader with stage->options. */
ProgressiveSkillLoader *stage_loader(struct stage *stage);
void stage_close(ProgressiveSkillLoader *loader);

/* Registers actors called by the words of `names`, each with one tool called after it. */
void stage_cast(struct stage *stage, const char *names);
struct actor *stage_actor(struct stage *stage, const char *name);
int stage_register(struct stage *stage, const char *name, const char *description);

void stage_finish_init(struct actor *actor, int status, const char *message);
void stage_finish_dispose(struct actor *actor, int status, const char *message);

/* Steps until nothing more happens by itself. */
void stage_settle(ProgressiveSkillLoader *loader);

void told_cb(ProgressiveSkillLoader *loader, const SkillActivation *result, void *user);
void done_cb(ProgressiveSkillLoader *loader, int status, const char *message, void *user);
void removed_cb(SkillRegistry *registry, const char *name, int status, const char *message, void *user);

/* Activates by name and settles: what was told. */
struct told stage_activate(struct stage *stage, const char *names);

/* The active skills, most recently used first, as "c b a". */
const char *stage_active(const ProgressiveSkillLoader *loader);

#endif
