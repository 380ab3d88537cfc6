/* SPDX-License-Identifier: MIT
 *
 * Collects what the sources of a synchronisation list, before any decision.
 */
#ifndef SKILL_SOURCE_CANDIDATE_H
#define SKILL_SOURCE_CANDIDATE_H

#include "skillet/source.h"
#include "source/notes.h"
#include "util/hash.h"

struct skill__sync_candidate {
  const SkillMetadata *metadata; /* borrowed from the source's list, or `copy` */
  SkillMetadata *copy;           /* owned; NULL for directories, whose entries stay valid */
  char *body;                    /* owned; NULL: none, or not read yet */
  size_t body_length;
  const char *name; /* what it will be registered as; in `texts`, or of the metadata */
  SkillSource *source;
  size_t root;    /* the source's place in the order of precedence */
  uint64_t stamp; /* changes when the definition does */
  uint64_t dev;   /* the file's identity; 0, 0: unknown */
  uint64_t ino;
  struct skill__sync_candidate *next_same; /* of the same name, in order */
  bool lost;                               /* not registered: another has the name */
  UT_hash_handle hh;                       /* the first of each name */
};

struct skill__gathering {
  SkillRegistry *registry;
  SkillSource *const *sources;
  size_t source_count;
  bool bodies; /* read bodies with the list, except those of directories */
  struct skill__sync_candidate **items;
  size_t count;
  size_t capacity;
  bool *failed; /* per source: its last skills are kept */
  struct skill__notes notes;
  struct skill__arena texts;
};

/* Lists all sources. 0 or SKILL_ENOMEM; a source that fails gets a note and is marked in `failed`. */
int skill__gather(struct skill__gathering *gathering, SkillError *err);
void skill__gathering_fini(struct skill__gathering *gathering);

/* Sets the name under which a candidate can be registered: its own, or a corrected one with a note. 0 or
 * SKILL_ENOMEM. */
int skill__candidate_name(struct skill__gathering *gathering, struct skill__sync_candidate *candidate);

#endif
