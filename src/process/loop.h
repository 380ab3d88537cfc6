/* SPDX-License-Identifier: MIT
 *
 * Internal functions of a SkillLoop: posts that cannot fail, and holds.
 */
#ifndef SKILL_PROCESS_LOOP_H
#define SKILL_PROCESS_LOOP_H

#include <uv.h>

#include "skillet/loop.h"

/* A function to run on the loop's thread; embedded in its object, so that posting needs no memory. */
struct skill__post {
  struct skill__post *next;
  void (*fn)(struct skill__post *post);
};

/* Queues `post`, which must not be queued already. Any thread; never fails. `fn` may run at once on the loop's thread,
 * so the caller must not use the post afterwards. */
void skill__loop_post(SkillLoop *loop, struct skill__post *post);

/* Removes a queued post; true: it was queued and will not run. The loop's thread. */
bool skill__loop_unpost(SkillLoop *loop, struct skill__post *post);

/* While held, uv_run() keeps running without active handles, because another thread will post. The loop's thread; holds
 * nest. */
void skill__loop_hold(SkillLoop *loop);
void skill__loop_release(SkillLoop *loop);

#endif
