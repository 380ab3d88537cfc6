/* SPDX-License-Identifier: MIT
 *
 * The data of rank_bench: generated skills, or the skill files of a folder with their bodies, and queries about them.
 * Both are the same in every run and for every engine.
 */
#ifndef BENCH_RANK_SET_H
#define BENCH_RANK_SET_H

#include "bench/rank_corpus.h"

enum { SET_TAGS = 8, SET_QUESTION = 1024, SET_BATCH = 64 };

/* One skill. It must not be moved, because it may point into itself. */
struct set_item {
  const char *name, *text;
  const char *joined; /* the tags, separated by spaces */
  const char *tags[SET_TAGS];
  size_t tag_count;
  const char *body; /* or NULL */
  struct corpus_skill generated;
  char split[CORPUS_TAGS];
};

struct set_file; /* a skill read from a file */

struct set {
  uint32_t count;
  double bytes;                /* of all text */
  const struct corpus *corpus; /* generated ones, or NULL */
  struct set_file *files;
};

struct question {
  char text[SET_QUESTION];
  uint32_t target; /* the skill that the query is about */
};

void set_generated(struct set *set, const struct corpus *corpus, uint32_t count);

/* Every SKILL.md below `folder` in the order of paths; the first one of each name. Ends the program if there is
 * none. */
void set_folder(struct set *set, const char *folder);
void set_free(struct set *set);

void set_item(const struct set *set, uint32_t number, struct set_item *item);

/* Creates up to SET_BATCH skills from `number` on and returns their number. They are created together, so that creating
 * one does not evict the caches of adding the next. */
uint32_t set_batch(const struct set *set, uint32_t number, struct set_item *items);

/* Created in advance, so that creating one does not evict the caches of answering it. Owned: free. */
struct question *set_questions(const struct set *set, size_t count);

#endif
