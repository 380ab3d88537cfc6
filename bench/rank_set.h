/* SPDX-License-Identifier: MIT
 *
 * What rank_bench ranks: generated skills, or the skill files of a folder with their bodies; and questions about them.
 * Both are the same in every run and for every engine.
 */
#ifndef BENCH_RANK_SET_H
#define BENCH_RANK_SET_H

#include "bench/rank_corpus.h"

enum { SET_TAGS = 8, SET_QUESTION = 1024 };

/* One skill; borrowed until the next one is read. */
struct set_item {
  const char *name, *text;
  const char *joined; /* the tags, apart by blanks */
  const char *tags[SET_TAGS];
  size_t tag_count;
  const char *body; /* or NULL */
};

struct set_file; /* a skill that was read from a file */

struct set {
  uint32_t count;
  double bytes;                /* of all text */
  const struct corpus *corpus; /* generated ones, or NULL */
  struct set_file *files;
  struct corpus_skill generated; /* the one at hand, */
  char split[CORPUS_TAGS];       /* and its tags */
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

void set_item(struct set *set, uint32_t number, struct set_item *item);

/* Made beforehand, so that making one does not empty the caches of answering it. Owned: free. */
struct question *set_questions(struct set *set, size_t count);

#endif
