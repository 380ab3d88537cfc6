/* SPDX-License-Identifier: MIT
 *
 * A small catalogue with labelled requests and conversations, for tests of what skills cost.
 */
#ifndef TEST_LIB_MEASURE_STAGE_H
#define TEST_LIB_MEASURE_STAGE_H

#include "lib/check.h"
#include "measure/bench.h"

enum { MEASURE_SKILLS = 8 };

struct measure_stage {
  SkillRegistry *registry;
  struct skill__world world;
  struct skill__labels labels;
  struct skill__talks talks;
};

/* Creates MEASURE_SKILLS skills with one tool each, and a body of `body` bytes (0: none). Free with
 * skill_registry_free. */
SkillRegistry *measure_registry_of(size_t body_bytes);

void measure_stage_open(struct measure_stage *stage, size_t body_bytes);
void measure_stage_close(struct measure_stage *stage);

#endif
