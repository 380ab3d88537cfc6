/* SPDX-License-Identifier: MIT
 *
 * The index that `skillet find` keeps in a file, and the descriptions of its skills in FILE.text, so that a later query
 * reads no skill file. Both hold a stamp of the folders that they were made from.
 */
#ifndef SKILL_CLI_SAVED_H
#define SKILL_CLI_SAVED_H

#include "cli/base/catalog.h"

enum { CLI_SAVED_TEXT_MAX = 1 << 30 }; /* bytes of FILE.text */

struct cli_saved {
  SkillRanker *ranker;
  char *text; /* FILE.text; NULL: missing, or of another index */
  size_t length;
};

/* A hash of the names, sizes and times of all files that a scan could read, and of the options that change what it
 * finds. Never 0. */
uint64_t cli_saved_stamp(const struct cli_list *dirs, const struct cli_catalog_words *words);

/* Opens FILE; with `stamp` 0, whatever it was made from. SKILL_ENOENT; SKILL_EPARSE: another stamp, or as
 * skill_ranker_open(). Release with cli_saved_close(). */
int cli_saved_open(const SkillRankerOptions *options, const char *path, uint64_t stamp, struct cli_saved *out,
                   SkillError *err);
void cli_saved_close(struct cli_saved *saved);

/* The description of a skill and its length, or NULL; borrowed until the index is closed. */
const char *cli_saved_description(const struct cli_saved *saved, const char *name, size_t *length);

/* Writes FILE and FILE.text. */
int cli_saved_write(SkillRegistry *registry, const char *path, uint64_t stamp, SkillError *err);

#endif
