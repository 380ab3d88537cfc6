/* SPDX-License-Identifier: MIT
 *
 * SkillLoop: the event loop that agents, models over the network and child processes of one thread share.
 *
 * It is a thin layer over libuv. A host that has a libuv loop of its own passes it and runs it as ever; a host with
 * another loop (poll, epoll, glib …) watches skill_loop_fd() for reading, waits at most skill_loop_timeout_ms() and
 * then calls skill_loop_step(); a host with none calls skill_loop_run_once() or skill_agent_run().
 *
 * Threads. A loop belongs to the thread that makes it. Only skill_loop_post() may be called from elsewhere.
 */
#ifndef SKILLET_LOOP_H
#define SKILLET_LOOP_H

#include "skillet/error.h"

struct uv_loop_s;

SKILL_BEGIN

typedef struct SkillLoop SkillLoop;

/* Makes a loop on `uv` (borrowed, must outlive it; NULL: a libuv loop of its own). Owned: release with
 * skill_loop_free. An idle SkillLoop does not keep uv_run() from returning. SKILL_ENOMEM, SKILL_EIO. */
SKILL_API int skill_loop_new(struct uv_loop_s *uv, SkillLoop **out, SkillError *err);

/* Frees the loop. Everything made with it must have been freed before. On a host's libuv loop the last handle closes
 * in the host's next uv_run(). NULL is ignored. */
SKILL_API void skill_loop_free(SkillLoop *loop);

/* The libuv loop; borrowed until the SkillLoop is freed. */
SKILL_API struct uv_loop_s *skill_loop_uv(const SkillLoop *loop);

/* A descriptor that becomes readable when a step has something to do; for poll, never to be read by the host. */
SKILL_API int skill_loop_fd(const SkillLoop *loop);

/* Milliseconds until a step has something to do even without the descriptor: 0 now, -1 never. */
SKILL_API int skill_loop_timeout_ms(const SkillLoop *loop);

/* Does what is due and runs callbacks; never blocks. SKILL_EBUSY when called from one of them. */
SKILL_API int skill_loop_step(SkillLoop *loop);

/* Waits at most `timeout_ms` (-1: no bound) for something to do, and does it. Returns 0, SKILL_ETIMEDOUT, or
 * SKILL_EBUSY when called from a callback. */
SKILL_API int skill_loop_run_once(SkillLoop *loop, int timeout_ms);

/* Runs `fn(arg)` on the loop's thread in one of its next steps, in the order of the posts. Any thread; never blocks.
 * SKILL_ENOMEM: it will not run. */
SKILL_API int skill_loop_post(SkillLoop *loop, void (*fn)(void *arg), void *arg);

SKILL_END

#endif
