/* SPDX-License-Identifier: MIT
 *
 * skillet list --watch: what changes, as it changes.
 */
#ifndef SKILL_CLI_LIST_WATCH_H
#define SKILL_CLI_LIST_WATCH_H

#include "cli/base/catalog.h"

struct cli_watch {
  struct cli *cli;
  bool json;
  bool armed; /* the catalogue was shown: from now on changes are told */
  SkillRegistry *registry;
  uint64_t *notes; /* hashes of the last synchronisation's notes, ordered, so that each is told once */
  size_t told;
};

/* The registry's event callback; `user` is the struct. */
void cli_watch_event(const SkillEvent *event, void *user);

/* Watches until a signal ends the program or its output fails. Returns an exit status. */
int cli_watch_run(struct cli_watch *watch, struct cli_catalog *catalog, SkillDuplicates duplicates);

#endif
