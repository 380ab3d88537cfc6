/* SPDX-License-Identifier: MIT
 *
 * Title and first paragraph of a markdown body.
 */
#include "document/derive.h"

#include <string.h>

#include "document/frontmatter.h"
#include "util/buf.h"
#include "util/utf8.h"

static void strip(const char **text, size_t *length) {
  while (*length && strchr(" \t", **text)) {
    ++*text;
    --*length;
  }
  while (*length && strchr(" \t", (*text)[*length - 1])) --*length;
}

static bool heading(const struct skill__line *line, const char **text, size_t *length) {
  size_t marks = 0;
  while (marks < line->length && line->text[marks] == '#') marks++;
  if (!marks || marks > 6 || marks == line->length || line->text[marks] != ' ') return false;
  *text = line->text + marks;
  *length = line->length - marks;
  strip(text, length);
  while (*length && (*text)[*length - 1] == '#') --*length;
  strip(text, length);
  return *length > 0;
}

int skill__derive_title(struct skill__arena *arena, const char *body, size_t length, const char **out) {
  struct skill__line line = {0};
  const char *text = NULL;
  size_t n = 0;
  *out = NULL;
  bool code = false;
  while (skill__line_next(body, length, &line)) {
    if (skill__line_begins(&line, "```")) code = !code;
    if (code || !heading(&line, &text, &n)) continue;
    if (n > SKILL_MAX_NAME) n = skill__utf8_floor(text, SKILL_MAX_NAME);
    *out = skill__arena_strndup(arena, text, n);
    return *out ? 0 : SKILL_ENOMEM;
  }
  return 0;
}

/* Adds a line's words, without the marks of quotes and list items. */
static void add_words(struct skill__buf *buf, const struct skill__line *line) {
  const char *text = line->text;
  size_t length = line->length;
  strip(&text, &length);
  while (length && (*text == '>' || ((*text == '-' || *text == '*' || *text == '+') && length > 1 && text[1] == ' '))) {
    text++;
    length--;
    strip(&text, &length);
  }
  if (buf->length && length) skill__buf_char(buf, ' ');
  skill__buf_add(buf, text, length);
}

static bool prose(const struct skill__line *line) {
  if (skill__line_blank(line) || skill__line_begins(line, "|") || skill__line_begins(line, "<!--") ||
      skill__line_begins(line, "---"))
    return false;
  const char *text = NULL;
  size_t length = 0;
  return !heading(line, &text, &length) && !skill__line_begins(line, "#") && !skill__line_begins(line, "===") &&
         !skill__line_begins(line, "![");
}

static void first_paragraph(const char *body, size_t length, struct skill__buf *buf) {
  struct skill__line line = {0};
  bool code = false;
  while (buf->length < SKILL__DERIVED_MAX && skill__line_next(body, length, &line)) {
    bool fence = skill__line_begins(&line, "```") || skill__line_begins(&line, "~~~");
    if (fence) code = !code;
    if (!code && !fence && prose(&line)) {
      add_words(buf, &line);
    } else if (buf->length) {
      return;
    }
  }
}

static size_t cut(const char *text, size_t length) {
  if (length <= SKILL__DERIVED_MAX) return length;
  size_t at = skill__utf8_floor(text, SKILL__DERIVED_MAX);
  size_t word = at;
  while (word > SKILL__DERIVED_MAX / 2 && text[word] != ' ') word--;
  return text[word] == ' ' ? word : at;
}

int skill__derive_description(struct skill__arena *arena, const char *body, size_t length, const char **out) {
  struct skill__buf buf;
  skill__buf_init(&buf, length + 2);
  first_paragraph(body, length, &buf);
  int status = skill__buf_status(&buf);
  *out = NULL;
  if (!status && buf.length) {
    *out = skill__arena_strndup(arena, buf.data, cut(buf.data, buf.length));
    if (!*out) status = SKILL_ENOMEM;
  }
  skill__buf_fini(&buf);
  return status || *out ? status : skill__derive_title(arena, body, length, out);
}
