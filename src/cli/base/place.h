/* SPDX-License-Identifier: MIT
 *
 * A word of the command line -> its sources.
 */
#ifndef SKILL_CLI_PLACE_H
#define SKILL_CLI_PLACE_H

#include "cli/base/catalog.h"

struct cli_places {
  SkillSource **items; /* owned; each released with skill_source_free */
  size_t count;
  size_t capacity;
};

/* Adds a source and takes it, also on failure. SKILL_ENOMEM. */
int cli_places_add(struct cli_places *places, SkillSource *source, SkillError *err);

/* Adds what the word names: a folder, a .md, a skills.jsonl or a recorded tools/list. Any other file becomes a source
 * that lists one diagnostic. 0 or SKILL_ENOMEM. */
int cli_places_word(struct cli_places *places, const char *word, const struct cli_catalog_options *options,
                    SkillError *err);

/* Adds the usual folders that exist. */
int cli_places_usual(struct cli_places *places, const struct cli_catalog_options *options, SkillError *err);
/* Their names, for messages. */
const char *cli_places_text(void);

#endif
