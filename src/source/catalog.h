/* SPDX-License-Identifier: MIT
 *
 * The catalogue source, inside: what reading its text gives.
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

/* catalog_read.c: fills items and notes from JSON lines or a tools/list. SKILL_EPARSE: neither; SKILL_ENOMEM. */
int skill__catalog_read(struct skill__catalog *catalog, const char *text, size_t length, SkillError *err);

#endif
