/* SPDX-License-Identifier: MIT
 *
 * The parts of skillet check: gathering findings from whole files, competing descriptions, fixes, and the forms of the
 * report.
 */
#ifndef SKILL_CLI_CHECK_H
#define SKILL_CLI_CHECK_H

#include "cli/base/catalog.h"
#include "util/arena.h"

/* One file of a skill. */
struct check_file {
  const char *path; /* borrowed from catalogue or arena */
  SkillDocumentOptions options;
  bool listed;  /* has a description */
  bool derived; /* its description is from the body */
};

/* Two skills whose descriptions compete. */
struct check_pair {
  const char *a;
  const char *b;
  double score; /* 0..1: each's score for the other's description, divided by its score for its own; the smaller */
};

struct check {
  struct cli *cli;
  struct cli_catalog catalog;
  bool strict, describe;
  struct skill__arena arena;
  struct check_file *files; /* by path */
  size_t file_count, file_room;
  SkillDiagnostic *findings; /* by path, then line; texts belong to the arena or the catalogue */
  size_t count, room;
  struct check_pair *pairs; /* best first */
  size_t pair_count, pair_room;
};

/* Fills files and findings from the catalogue. 0 or SKILL_ENOMEM. */
int check_gather(struct check *check);
void check_free(struct check *check);
size_t check_count(const struct check *check, SkillLevel level);

/* Fills pairs. 0 or SKILL_ENOMEM. */
int check_compare(struct check *check);

/* Prints the fixes as unified diffs; with `write` also writes the files. Returns an exit status. */
int check_fix(struct check *check, bool write);

void check_text(const struct check *check, SkillLevel least);
void check_summary(const struct check *check);
int check_json(const struct check *check);
int check_sarif(const struct check *check);

/* Prints a unified diff of two texts with three lines of context; nothing if they are equal. */
void check_diff(struct cli *cli, const char *path, const char *before, size_t before_length, const char *after,
                size_t after_length);

#endif
