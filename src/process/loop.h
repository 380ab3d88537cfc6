/* SPDX-License-Identifier: MIT
 *
 * What the agent library's own modules ask of a SkillLoop: posts that cannot fail, and holds.
 */
#ifndef SKILL_PROCESS_LOOP_H
#define SKILL_PROCESS_LOOP_H

#include <uv.h>

#include "skillet/loop.h"

/* One thing to run on the loop's thread; embedded in whatever it is about, so that posting needs no memory. */
struct skill__post {
  struct skill__post *next;
  void (*fn)(struct skill__post *post);
};

/* Queues `post`, which must not be queued already. Any thread; never blocks for long, never fails. Once `fn` may run,
 * the poster must not touch it. */
void skill__loop_post(SkillLoop *loop, struct skill__post *post);

/* Takes a queued post back; true: it was queued and will not run. The loop's thread. */
bool skill__loop_unpost(SkillLoop *loop, struct skill__post *post);

/* While held, uv_run() does not return for want of work: something is expected from another thread. The loop's thread;
 * holds nest. */
void skill__loop_hold(SkillLoop *loop);
void skill__loop_release(SkillLoop *loop);

#endif
