/* SPDX-License-Identifier: MIT
 *
 * What the sources of a synchronisation list, gathered in one place before anything is decided.
 */
#ifndef SKILL_SOURCE_CANDIDATE_H
#define SKILL_SOURCE_CANDIDATE_H

#include "skillet/source.h"
#include "source/notes.h"
#include "util/hash.h"

struct skill__candidate {
  const SkillMetadata *metadata; /* borrowed from the source's list, or `copy` */
  SkillMetadata *copy;           /* owned; NULL for directories, whose entries live on */
  char *body;                    /* owned; NULL: none, or to be asked for */
  size_t body_length;
  const char *name; /* what it will be registered as; in `texts`, or of the metadata */
  SkillSource *source;
  size_t root;    /* the source's place in the order of precedence */
  uint64_t stamp; /* changes when the definition does */
  uint64_t dev;   /* the file's identity; 0, 0: unknown */
  uint64_t ino;
  struct skill__candidate *next_same; /* of the same name, in order */
  bool lost;                          /* another of this name was chosen */
  UT_hash_handle hh;                  /* the first of each name */
};

struct skill__gathering {
  SkillRegistry *registry;
  SkillSource *const *sources;
  size_t source_count;
  bool bodies; /* of sources other than directories: hand them out with the list */
  struct skill__candidate **items;
  size_t count;
  size_t capacity;
  bool *failed; /* per source: its last skills stay */
  struct skill__notes notes;
  struct skill__arena texts;
};

/* Lists all sources. 0 or SKILL_ENOMEM; a source that fails is told in the notes and marked. */
int skill__gather(struct skill__gathering *gathering, SkillError *err);
void skill__gathering_fini(struct skill__gathering *gathering);

/* The name under which a candidate can be registered: its own, or a mended one, which is told. 0 or SKILL_ENOMEM. */
int skill__candidate_name(struct skill__gathering *gathering, struct skill__candidate *candidate);

#endif
