/* SPDX-License-Identifier: MIT
 *
 * SkillLoop: the event loop that agents, models over the network and child processes of one thread share.
 *
 * It is a thin layer over libuv. A host with its own libuv loop passes that loop and runs it as usual. A host with
 * another loop (poll, epoll, glib …) polls skill_loop_fd() for reading, for at most skill_loop_timeout_ms(), and then
 * calls skill_loop_step(). A host without a loop calls skill_loop_run_once() or skill_agent_run().
 *
 * Threads. A loop belongs to the thread that made it. Only skill_loop_post() may be called on other threads.
 */
#ifndef SKILLET_LOOP_H
#define SKILLET_LOOP_H

#include "skillet/error.h"

struct uv_loop_s;

SKILL_BEGIN

typedef struct SkillLoop SkillLoop;

/* Makes a loop on `uv` (borrowed, must outlive it; NULL: a libuv loop of its own). An idle SkillLoop does not prevent
 * uv_run() from returning. Owned: release with skill_loop_free. SKILL_ENOMEM, SKILL_EIO. */
SKILL_API int skill_loop_new(struct uv_loop_s *uv, SkillLoop **out, SkillError *err);

/* Frees the loop. Everything that was made with it must have been freed before. On a libuv loop of the host, the last
 * handle closes in the next uv_run(). NULL is ignored. */
SKILL_API void skill_loop_free(SkillLoop *loop);

/* Returns the libuv loop; borrowed until the SkillLoop is freed. */
SKILL_API struct uv_loop_s *skill_loop_uv(const SkillLoop *loop);

/* Returns a descriptor that becomes readable when a step has work to do. The host polls it and must not read it. */
SKILL_API int skill_loop_fd(const SkillLoop *loop);

/* Returns after how many milliseconds a step has work to do even if the descriptor is not readable: 0 now, -1 never. */
SKILL_API int skill_loop_timeout_ms(const SkillLoop *loop);

/* Performs all work that is due and runs callbacks; never blocks. SKILL_EBUSY: called from a callback. */
SKILL_API int skill_loop_step(SkillLoop *loop);

/* Waits at most `timeout_ms` (-1: without limit) for work, and does it. Returns 0, SKILL_ETIMEDOUT, or SKILL_EBUSY if
 * called from a callback. */
SKILL_API int skill_loop_run_once(SkillLoop *loop, int timeout_ms);

/* Runs `fn(arg)` on the loop's thread in one of its next steps, in the order of the calls. Any thread; never blocks.
 * SKILL_ENOMEM: `fn` will not run. */
SKILL_API int skill_loop_post(SkillLoop *loop, void (*fn)(void *arg), void *arg);

SKILL_END

#endif
