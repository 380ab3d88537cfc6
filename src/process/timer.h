/* SPDX-License-Identifier: MIT
 *
 * A timer and a watched descriptor on a SkillLoop. Each is on the heap, since libuv closes handles asynchronously.
 */
#ifndef SKILL_PROCESS_TIMER_H
#define SKILL_PROCESS_TIMER_H

#include "process/loop.h"

struct skill__timer;

/* NULL: out of memory. An armed timer keeps the loop alive. */
struct skill__timer *skill__timer_new(SkillLoop *loop, void (*fn)(void *arg), void *arg);
void skill__timer_set(struct skill__timer *timer, int64_t ms); /* fires once after `ms`; negative: disarms */
void skill__timer_free(struct skill__timer *timer);            /* NULL is ignored */

struct skill__watch;

/* Calls `fn` whenever the descriptor is readable. A watch does not keep the loop alive. NULL: out of memory, or the
 * descriptor cannot be watched. */
struct skill__watch *skill__watch_new(SkillLoop *loop, int fd, void (*fn)(void *arg), void *arg);
void skill__watch_free(struct skill__watch *watch); /* NULL is ignored; the descriptor may be closed afterwards */

#endif
