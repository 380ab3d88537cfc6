/* SPDX-License-Identifier: MIT
 *
 * skill_process_start for a program that was checked before.
 */
#ifndef SKILL_PROCESS_PROCESS_H
#define SKILL_PROCESS_PROCESS_H

#include "process/spawn.h"
#include "skillet/process.h"

/* `expect` (may be NULL, borrowed for the call): the file that must still be at its path just before exec.
 * SKILL_EDENIED: it is not. Other errors as skill_process_start. */
int skill__process_start(struct uv_loop_s *loop, const SkillProcessOptions *options, const struct skill__expect *expect,
                         SkillProcessCb cb, void *user, SkillProcess **out, SkillError *err);

#endif
