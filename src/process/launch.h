/* SPDX-License-Identifier: MIT
 *
 * What a start needs only until the spawn: command line, environment, folder, descriptors.
 */
#ifndef SKILL_PROCESS_LAUNCH_H
#define SKILL_PROCESS_LAUNCH_H

#include "process/environ.h"
#include "process/spawn.h"
#include "skillet/process.h"

struct skill__launch {
  struct skill__argv argv;
  struct skill__argv env;
  char program[SKILL_MAX_PATH];
  char folder[SKILL_MAX_PATH];
  int cwd;
  int input;
  int writer[2];
  int reader[2]; /* the caller takes them and sets them to -1; otherwise fini closes them */
  bool sandboxed;
  const char *sandbox; /* static */
  struct skill__spawn spec;
};

/* Fills the members of `limits` that are 0. */
void skill__launch_defaults(SkillProcessLimits *limits);

/* Prepares launch->spec for skill__spawn(). Call fini in any case. */
int skill__launch_prepare(struct skill__launch *launch, const SkillProcessOptions *options,
                          const SkillProcessLimits *limits, SkillError *err);
void skill__launch_fini(struct skill__launch *launch);

#endif
