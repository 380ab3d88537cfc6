/* SPDX-License-Identifier: MIT
 *
 * skillet list --watch: prints changes until a signal ends the program.
 */
#ifndef SKILL_CLI_LIST_WATCH_H
#define SKILL_CLI_LIST_WATCH_H

#include "cli/base/catalog.h"

struct cli_watch {
  struct cli *cli;
  bool json;
  bool armed; /* the catalogue was printed: from now on changes are printed */
  SkillRegistry *registry;
  uint64_t *notes; /* sorted hashes of the last synchronisation's notes, so that each is printed once */
  size_t note_count;
};

/* Event callback of the registry; `user` is a struct cli_watch. */
void cli_watch_event(const SkillEvent *event, void *user);

/* Returns only if watching or the output fails. */
int cli_watch_run(struct cli_watch *watch, struct cli_catalog *catalog, SkillDuplicates duplicates);

#endif
