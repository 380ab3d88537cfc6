/* SPDX-License-Identifier: MIT
 *
 * The catalogue source, internally: a list of skills in memory.
 */
#ifndef SKILL_SOURCE_CATALOG_H
#define SKILL_SOURCE_CATALOG_H

#include "skillet/source.h"
#include "source/notes.h"
#include "util/arena.h"

struct skill__catalog_item {
  SkillMetadata metadata;
  const char *body;
};

struct skill__catalog {
  SkillSource base;
  char *path;
  char *label;
  struct skill__arena arena; /* all texts of items */
  struct skill__catalog_item *items;
  size_t count;
  size_t capacity;
  struct skill__notes notes;
};

/* Fills in `base`. `release` frees the source. */
void skill__catalog_init(struct skill__catalog *catalog, const char *label, void (*release)(SkillSource *));
/* Adds a copy of the struct; its texts are borrowed. 0 or SKILL_ENOMEM. */
int skill__catalog_add(struct skill__catalog *catalog, const struct skill__catalog_item *item);

#endif
