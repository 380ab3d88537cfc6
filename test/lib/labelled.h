/* SPDX-License-Identifier: MIT
 *
 * A labelled set as `skillet eval` reads it: skills and queries, one JSON object a line.
 */
#ifndef TEST_LIB_LABELLED_H
#define TEST_LIB_LABELLED_H

#include "lib/reference.h"
#include "util/arena.h"

struct labelled {
  struct skill__arena arena;
  struct reference_skill *skills;
  size_t skill_count;
  const char **queries;
  size_t query_count;
};

/* Reads FOLDER/skills.jsonl and the queries beside it; false: the folder is not there. Release with labelled_free. */
bool labelled_read(struct labelled *set, const char *folder);
void labelled_free(struct labelled *set);

#endif
