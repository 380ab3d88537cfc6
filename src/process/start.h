/* SPDX-License-Identifier: MIT
 *
 * skill_process_start for a program that was looked at beforehand; fails as that does.
 */
#ifndef SKILL_PROCESS_START_H
#define SKILL_PROCESS_START_H

#include "process/spawn.h"
#include "skillet/process.h"

/* `expect` (may be NULL): what must still lie at its path when everything else is ready; borrowed for the call.
 * SKILL_EDENIED where it does not. */
int skill__process_start(struct uv_loop_s *loop, const SkillProcessOptions *options, const struct skill__expect *expect,
                         SkillProcessCb cb, void *user, SkillProcess **out, SkillError *err);

#endif
