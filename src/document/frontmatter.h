/* SPDX-License-Identifier: MIT
 *
 * Finds where front matter begins and ends.
 */
#ifndef SKILL_DOCUMENT_FRONTMATTER_H
#define SKILL_DOCUMENT_FRONTMATTER_H

#include "document/diagnostic.h"

/* A line of text without its LF. */
struct skill__line {
  const char *text;
  size_t length;
  size_t start; /* offset in the whole text */
  size_t next;  /* offset of the line after it */
  unsigned number;
};

/* Moves to the line that begins at line->next; false at the end. Begin with a zeroed line. */
bool skill__line_next(const char *text, size_t length, struct skill__line *line);
bool skill__line_blank(const struct skill__line *line);
bool skill__line_begins(const struct skill__line *line, const char *with);
size_t skill__line_trimmed(const struct skill__line *line); /* its length without trailing blanks */
/* The place of the byte `at`: adds the lines before it to *line, and sets *column. */
void skill__line_place(const char *text, size_t at, unsigned *line, unsigned *column);
/* "key:" or "key: value" at column 1; the key's length, or 0. */
size_t skill__line_key(const struct skill__line *line);

struct skill__layout {
  bool found;
  bool cut;    /* the prefix ended before the front matter did */
  size_t head; /* offset and length of what is between the fences */
  size_t head_length;
  unsigned head_line; /* its first line */
  size_t body;        /* offset of what follows, leading blank lines left out */
  size_t body_end;
};

/* Finds the front matter and adds a finding for each assumption. If there is none, the whole text is the body. */
void skill__layout_find(const char *text, size_t length, bool prefix, struct skill__layout *layout,
                        struct skill__findings *findings);

#endif
