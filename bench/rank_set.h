/* SPDX-License-Identifier: MIT
 *
 * What rank_bench ranks: generated skills, or the skill files of a folder with their bodies; and questions about them.
 * Both are the same in every run and for every engine.
 */
#ifndef BENCH_RANK_SET_H
#define BENCH_RANK_SET_H

#include "bench/rank_corpus.h"

enum { SET_TAGS = 8, SET_QUESTION = 1024, SET_BATCH = 64 };

/* One skill; it may hold what it points to, so it stays where it was made. */
struct set_item {
  const char *name, *text;
  const char *joined; /* the tags, apart by blanks */
  const char *tags[SET_TAGS];
  size_t tag_count;
  const char *body; /* or NULL */
  struct corpus_skill generated;
  char split[CORPUS_TAGS];
};

struct set_file; /* a skill that was read from a file */

struct set {
  uint32_t count;
  double bytes;                /* of all text */
  const struct corpus *corpus; /* generated ones, or NULL */
  struct set_file *files;
};

struct question {
  char text[SET_QUESTION];
  uint32_t target; /* the skill it is about */
};

void set_generated(struct set *set, const struct corpus *corpus, uint32_t count);

/* Every SKILL.md below `folder`, in order of path; of several with one name the first. Ends the program where there is
 * none. */
void set_folder(struct set *set, const char *folder);
void set_free(struct set *set);

void set_item(const struct set *set, uint32_t number, struct set_item *item);

/* Up to SET_BATCH of them from `number` on; returns how many. They are made together, so that making one does not empty
 * the caches of adding the next. */
uint32_t set_batch(const struct set *set, uint32_t number, struct set_item *items);

/* Made beforehand, so that making one does not empty the caches of answering it. Owned: free. */
struct question *set_questions(const struct set *set, size_t count);

#endif
