/* SPDX-License-Identifier: MIT
 *
 * The files whose passages are attached to requests: read, cut into sections, ranked.
 */
#ifndef SKILL_AGENT_PASSAGE_LIBRARY_H
#define SKILL_AGENT_PASSAGE_LIBRARY_H

#include "skillet/io.h"
#include "skillet/rank.h"
#include "skillet/tokens.h"

enum {
  SKILL__LIBRARY_FILES = 2000,     /* more are left out */
  SKILL__LIBRARY_SECTIONS = 20000, /* of all files; more are left out */
  SKILL__LIBRARY_DEPTH = 16        /* folders below a configured one */
};
#define SKILL__LIBRARY_FILE ((uint64_t)1024 * 1024) /* bytes of a file; larger ones are left out */
#define SKILL__LIBRARY_BYTES ((size_t)32 * 1024 * 1024)

struct skill__library_file {
  char *path; /* as configured, and below that */
  SkillFileInfo info;
  bool follow; /* a link that was configured itself */
  char *text;  /* NULL: not text, or too large */
  size_t length;
};

struct skill__library_section {
  size_t file;
  size_t from, to; /* bytes */
  unsigned first_line, last_line;
};

struct skill__passage_library {
  struct skill__library_file *files; /* by path */
  size_t file_count, file_capacity;
  struct skill__library_section *sections;
  size_t section_count, section_capacity;
  SkillRanker *ranker; /* a section's name is its number */
  size_t left_out;     /* files that are too large, or too many */
  size_t unread;       /* files that are too much together */
  const char *missing; /* the first configured path that cannot be read; NULL: none */
  bool made;
};

/* Reads the files below `paths` (NULL-terminated, borrowed for the library's life) if any of them changed; *changed
 * reports that. Files that cannot be read are left out. SKILL_ENOMEM: the library is empty. */
int skill__library_refresh(struct skill__passage_library *library, SkillIo *io, const char *const *paths,
                           bool *changed);
void skill__library_fini(struct skill__passage_library *library);

#endif
