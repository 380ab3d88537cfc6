/* SPDX-License-Identifier: MIT
 *
 * Finds the fences. The rule: the first line is `---`, and the next such line closes. Also accepted are mistakes that
 * are common in real files: comments, a title or a code block before the fence, an upload envelope, a fence that is
 * missing at either end, `...` as the closing fence. Each of them counts only if key lines follow, so that a document
 * that merely begins with a rule has no front matter.
 */
#include "document/frontmatter.h"

#include <ctype.h>
#include <string.h>

#include "util/utf8.h"

/* --- lines ------------------------------------------------------------------------------------------------------- */

bool skill__line_next(const char *text, size_t length, struct skill__line *line) {
  if (line->next >= length) return false;
  const char *at = text + line->next;
  const char *end = memchr(at, '\n', length - line->next);
  line->start = line->next;
  line->text = at;
  line->length = end ? (size_t)(end - at) : length - line->next;
  line->next += line->length + (end != NULL);
  line->number++;
  return true;
}

bool skill__line_blank(const struct skill__line *line) {
  for (size_t i = 0; i < line->length; i++) {
    if (line->text[i] != ' ' && line->text[i] != '\t') return false;
  }
  return true;
}

bool skill__line_begins(const struct skill__line *line, const char *with) {
  size_t n = strlen(with);
  return line->length >= n && !memcmp(line->text, with, n);
}

void skill__line_place(const char *text, size_t at, unsigned *line, unsigned *column) {
  size_t start = 0;
  for (size_t i = 0; i < at; i++) {
    if (text[i] != '\n') continue;
    start = i + 1;
    ++*line;
  }
  *column = (unsigned)skill__utf8_count(text + start, at - start) + 1;
}

static bool key_char(unsigned char c) {
  return isalnum(c) || c == '_' || c == '-' || c == '.' || c >= 0x80;
}

size_t skill__line_key(const struct skill__line *line) {
  size_t i = 0;
  unsigned blanks = 0;
  if (!line->length || line->text[0] == '-' || line->text[0] == '.') return 0;
  while (i < line->length && i < 64) {
    unsigned char c = (unsigned char)line->text[i];
    if (c == ' ' && i) {
      blanks++;
    } else if (!key_char(c)) {
      break;
    }
    i++;
  }
  if (!i || i >= line->length || line->text[i] != ':' || blanks > 2) return 0;
  bool ends = i + 1 == line->length || line->text[i + 1] == ' ' || line->text[i + 1] == '\t';
  while (i && line->text[i - 1] == ' ') i--;
  return ends ? i : 0;
}

size_t skill__line_trimmed(const struct skill__line *line) {
  size_t n = line->length;
  while (n && (line->text[n - 1] == ' ' || line->text[n - 1] == '\t')) n--;
  return n;
}

static bool is_fence(const struct skill__line *line) {
  return skill__line_trimmed(line) == 3 && !memcmp(line->text, "---", 3);
}

/* YAML's own end of a document, which some writers use as the closing fence. */
static bool is_dots(const struct skill__line *line) {
  return skill__line_trimmed(line) == 3 && !memcmp(line->text, "...", 3);
}

/* --- before the fence ----------------------------------------------------------------------------- */

struct search {
  const char *text;
  size_t length;
  bool prefix;
  struct skill__line line;
  bool comment, heading, code, multipart, blank;
  struct skill__line boundary; /* of the upload envelope */
};

static bool next(struct search *s) {
  return skill__line_next(s->text, s->length, &s->line);
}

static bool next_content(const struct search *s, struct skill__line *line) {
  while (skill__line_next(s->text, s->length, line)) {
    if (!skill__line_blank(line)) return true;
  }
  return false;
}

static bool keys_follow(const struct search *s) {
  struct skill__line line = s->line;
  while (next_content(s, &line)) {
    if (line.text[0] != '#') return skill__line_key(&line) > 0 || skill__line_begins(&line, "<<<<<<<");
  }
  return false;
}

static bool skip_comment(struct search *s) {
  do {
    for (size_t i = 0; i + 3 <= s->line.length; i++) {
      if (!memcmp(s->line.text + i, "-->", 3)) return true;
    }
  } while (next(s));
  return false;
}

static bool opens_code(const struct search *s) {
  static const char *const words[] = {"", "yaml", "yml", "skill", "markdown", "md", "frontmatter", NULL};
  size_t n = skill__line_trimmed(&s->line);
  if (!skill__line_begins(&s->line, "```") || s->code) return false;
  for (const char *const *w = words; *w; w++) {
    if (strlen(*w) == n - 3 && !strncmp(s->line.text + 3, *w, n - 3)) return true;
  }
  return false;
}

/* A boundary line, then headers, then a blank line. */
static bool skip_envelope(struct search *s) {
  struct skill__line line = s->line;
  if (!skill__line_begins(&line, "--") || line.length < 10) return false;
  s->boundary = line;
  if (!skill__line_next(s->text, s->length, &line) || !skill__line_begins(&line, "Content-")) return false;
  while (!skill__line_blank(&line)) {
    if (!skill__line_next(s->text, s->length, &line)) return false;
  }
  s->line = line;
  s->multipart = true;
  return true;
}

static bool names_skill(const struct skill__line *line) {
  size_t n = skill__line_key(line);
  return (n == 4 && !memcmp(line->text, "name", 4)) || (n == 11 && !memcmp(line->text, "description", 11));
}

/* "name:x" and "name：x": keys without a blank after the colon, or with a wide one. */
static bool names_skill_loosely(const struct skill__line *line) {
  static const char *const heads[] = {"name:", "description:", "name\xef\xbc\x9a", "description\xef\xbc\x9a"};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    if (skill__line_begins(line, heads[i])) return true;
  }
  return false;
}

enum opening { OPENING_NONE, OPENING_FENCE, OPENING_KEY };

/* Moves to the opening fence, or to the first key if the fence is missing. */
static enum opening find_opening(struct search *s) {
  while (next(s)) {
    struct skill__line *line = &s->line;
    if (skill__line_blank(line)) {
      s->blank = true;
    } else if (is_fence(line)) {
      bool first = !s->comment && !s->heading && !s->code && !s->multipart;
      return first || keys_follow(s) ? OPENING_FENCE : OPENING_NONE;
    } else if (skill__line_begins(line, "<!--")) {
      s->comment = true;
      if (!skip_comment(s)) return OPENING_NONE;
    } else if (opens_code(s)) {
      s->code = true;
    } else if (names_skill(line)) {
      return OPENING_KEY;
    } else if (!s->multipart && skip_envelope(s)) {
      continue;
    } else if (skill__line_begins(line, "#") && !s->heading && !s->code) {
      s->heading = true;
    } else {
      return OPENING_NONE;
    }
  }
  return OPENING_NONE;
}

/* --- the end ----------------------------------------------------------------------------------------------------- */

static bool belongs(const struct skill__line *line) {
  char c = line->length ? line->text[0] : ' ';
  if (skill__line_key(line) || c == ' ' || c == '\t' || c == '}' || c == ']') return true;
  return c == '-' && line->length > 1 && line->text[1] == ' ';
}

/* The end of front matter that is never closed: the lines that look like it. Blank lines may be between them if there
 * was an opening fence. */
static size_t last_key_line(const struct search *s, struct skill__line line, bool fenced) {
  size_t end = fenced ? line.next : line.start;
  bool any = false;
  if (!fenced) line.next = line.start;
  while (skill__line_next(s->text, s->length, &line)) {
    if (skill__line_blank(&line)) {
      if (!fenced) break;
      continue;
    }
    if (!belongs(&line) && (any || !skill__line_begins(&line, "#"))) break;
    any = true;
    end = line.next;
  }
  return end;
}

static bool closes(const struct skill__line *line, enum opening opening, bool code) {
  if (is_fence(line) || is_dots(line)) return true;
  return code && opening == OPENING_KEY && skill__line_begins(line, "```");
}

/* Without an opening fence only lines that look like front matter may be above the closing one. */
static bool find_end(const struct search *s, enum opening opening, struct skill__line *end) {
  struct skill__line line = s->line;
  while (skill__line_next(s->text, s->length, &line)) {
    if (closes(&line, opening, s->code)) {
      *end = line;
      return true;
    }
    if (opening == OPENING_KEY && !skill__line_blank(&line) && !belongs(&line)) return false;
  }
  return false;
}

/* The offset of the envelope's last boundary, or the end. */
static size_t envelope_end(const struct search *s) {
  struct skill__line line = {0};
  size_t n = s->multipart ? skill__line_trimmed(&s->boundary) : 0;
  line.next = s->boundary.next;
  while (n && skill__line_next(s->text, s->length, &line)) {
    if (line.length >= n && !memcmp(line.text, s->boundary.text, n)) return line.start;
  }
  return s->length;
}

static void set_body(const struct search *s, struct skill__layout *layout, size_t from) {
  struct skill__line line = {0};
  line.next = from;
  layout->body_end = envelope_end(s);
  layout->body = layout->body_end;
  bool code = s->code;
  while (skill__line_next(s->text, layout->body_end, &line)) {
    if (skill__line_blank(&line)) continue;
    if (code && skill__line_trimmed(&line) == 3 && skill__line_begins(&line, "```")) {
      code = false;
      continue;
    }
    layout->body = line.start;
    return;
  }
}

static void tell(const struct search *s, enum opening opening, unsigned line, struct skill__findings *findings) {
  if (s->multipart) {
    skill__finding(findings, SKILL__MULTIPART, 1, 1,
                   "no front matter at the beginning: an upload envelope (multipart/form-data) is around the file");
  } else if (s->code) {
    skill__finding(findings, SKILL__FENCE_CODE, line, 1,
                   "the front matter's fence is in a code block: the block is ignored");
  } else if (s->heading || s->comment || s->blank) {
    const char *before = s->comment ? "the comment" : "blank lines";
    skill__finding(findings, SKILL__FENCE_POSITION, line, 1,
                   "the front matter's fence is not on the first line: %s before it ignored",
                   s->heading ? "the heading" : before);
  }
  if (opening == OPENING_KEY && !s->code) {
    skill__finding(findings, SKILL__FENCE_MISSING, line, 1, "the front matter's opening fence is missing");
  }
}

/* Prose between two rules is not front matter; nothing between them is empty front matter. */
static bool may_be_entries(const char *head, size_t length) {
  struct skill__line line = {0};
  bool blank = true;
  while (skill__line_next(head, length, &line)) {
    size_t indent = 0;
    while (indent < line.length && strchr(" \t-", line.text[indent])) indent++;
    struct skill__line rest = {.text = line.text + indent, .length = line.length - indent};
    if (skill__line_key(&rest) || skill__line_begins(&rest, "{") || skill__line_begins(&rest, "\"")) return true;
    if (names_skill_loosely(&rest)) return true;
    blank = blank && skill__line_blank(&line);
  }
  return blank;
}

/* Whether the closing fence that was found is a rule far down in the body: a blank line and a heading are above it, and
 * then prose. Comments in front matter look like headings, so a line that is neither entry nor comment is needed. */
static bool runs_into_body(const char *head, size_t length) {
  struct skill__line line = {0};
  bool blank = false;
  bool heading = false;
  while (skill__line_next(head, length, &line)) {
    heading |= blank && skill__line_begins(&line, "#");
    blank = skill__line_blank(&line);
    if (heading && !blank && !belongs(&line) && !skill__line_begins(&line, "#")) return true;
  }
  return false;
}

static void whole_is_body(const struct search *s, struct skill__layout *layout) {
  memset(layout, 0, sizeof *layout);
  struct search plain = {.text = s->text, .length = s->length};
  set_body(&plain, layout, 0);
}

static void found(const struct search *s, struct skill__layout *layout, size_t head_end, size_t body) {
  layout->found = true;
  layout->head_length = head_end - layout->head;
  set_body(s, layout, body);
}

static void without_end(const struct search *s, enum opening opening, bool rule_below, struct skill__layout *layout,
                        struct skill__findings *findings) {
  bool fenced = opening != OPENING_KEY;
  if (fenced && !keys_follow(s)) return;
  unsigned at = s->line.number;
  size_t stop = last_key_line(s, s->line, fenced);
  tell(s, opening, at, findings);
  if (!rule_below && (s->prefix || s->length - layout->head > SKILL_MAX_FRONTMATTER)) {
    skill__finding(findings, SKILL__FRONTMATTER_SIZE, at, 1,
                   "the front matter is not closed within its size limit of 64 KiB (%zu bytes were read)", s->length);
  } else if (fenced) {
    skill__finding(findings, SKILL__FENCE_OPEN, at, 1, "the front matter is not closed: it is read up to its last key");
  }
  found(s, layout, stop, stop);
}

void skill__layout_find(const char *text, size_t length, bool prefix, struct skill__layout *layout,
                        struct skill__findings *findings) {
  struct search s = {.text = text, .length = length, .prefix = prefix};
  whole_is_body(&s, layout);
  enum opening opening = find_opening(&s);
  if (opening == OPENING_NONE) return;
  bool fenced = opening != OPENING_KEY;
  layout->head = fenced ? s.line.next : s.line.start;
  layout->head_line = s.line.number + fenced;
  const char *head = text + layout->head;
  struct skill__line end = {0};
  bool rule = find_end(&s, opening, &end);
  if (rule && !runs_into_body(head, end.start - layout->head)) {
    if (!may_be_entries(head, end.start - layout->head)) return;
    tell(&s, opening, s.line.number, findings);
    if (is_dots(&end)) {
      skill__finding(findings, SKILL__FENCE_FORM, end.number, 1, "the front matter ends with ... instead of ---");
    }
    found(&s, layout, end.start, opening == OPENING_KEY && skill__line_begins(&end, "```") ? end.start : end.next);
  } else if (!rule && prefix && fenced && length < SKILL_MAX_FRONTMATTER) {
    layout->cut = true;
  } else {
    without_end(&s, opening, rule, layout, findings);
  }
}
