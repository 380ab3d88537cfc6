/* SPDX-License-Identifier: MIT
 *
 * Rewrites the lines of front matter that YAML would reject. An entry is "key: value" or "- value" with the lines below
 * that are indented further; quote.c decides what is wrong with its value.
 */
#include "document/mend.h"

#include <string.h>

#include "document/frontmatter.h"
#include "util/utf8.h"

enum {
  LOOK_AHEAD = 400,            /* lines until a bracket or quote must be closed */
  LOOK_BYTES = 2 * 1024 * 1024 /* bytes that all looking ahead in one front matter may read */
};

struct mender {
  const char *head;
  size_t length;
  unsigned first_line;
  struct skill__findings *findings;
  struct skill__buf *out;
  struct skill__line line; /* number is relative to the head, from 1 */
  size_t tabs;             /* lines indented with tabs so far */
  size_t looked;           /* bytes read by looking ahead */
};

/* The parts of a line: indentation, markers "- ", key with colon, value. */
struct parts {
  size_t indent;
  size_t value;  /* offset of the value; equal to length where there is none */
  size_t length; /* without trailing blanks */
  size_t key;    /* offset of the key; key_length 0: none */
  size_t key_length;
  bool item; /* begins with "- " */
};

static unsigned place(const struct mender *m) {
  return m->first_line + m->line.number - 1;
}

static bool mender_next(struct mender *m) {
  return skill__line_next(m->head, m->length, &m->line);
}

static size_t indent_of(const struct skill__line *line) {
  size_t n = 0;
  while (n < line->length && (line->text[n] == ' ' || line->text[n] == '\t')) n++;
  return n;
}

static struct parts take_apart(const struct skill__line *line) {
  struct parts p = {.length = skill__line_trimmed(line)};
  p.indent = indent_of(line);
  if (p.indent > p.length) p.indent = p.length;
  size_t at = p.indent;
  while (at + 1 < p.length && line->text[at] == '-' && line->text[at + 1] == ' ') {
    p.item = true;
    at += 2;
    while (at < p.length && line->text[at] == ' ') at++;
  }
  struct skill__line rest = {.text = line->text + at, .length = p.length - at};
  p.key = at;
  p.key_length = skill__line_key(&rest);
  if (p.key_length) {
    at += p.key_length;
    while (line->text[at] != ':') at++;
    at++;
    while (at < p.length && (line->text[at] == ' ' || line->text[at] == '\t')) at++;
  }
  p.value = at;
  return p;
}

static void tell(struct mender *m, enum skill__code code, size_t column, const struct parts *p, const char *what) {
  if (!m->findings) return;
  const char *text = m->line.text + p->key;
  size_t at = skill__utf8_count(m->line.text, column < m->line.length ? column : m->line.length);
  skill__finding(m->findings, code, place(m), (unsigned)at + 1, "%s%.*s%s%s", p->key_length ? "'" : "",
                 (int)p->key_length, text, p->key_length ? "': " : "", what);
}

static void tell_fault(struct mender *m, enum skill__fault fault, size_t column, const struct parts *p) {
  switch (fault) {
    case SKILL__FAULT_COLON:
      tell(m, SKILL__YAML_COLON, column, p, "the value has a colon and no quotes: read as one text");
      break;
    case SKILL__FAULT_RESERVED:
      tell(m, SKILL__YAML_RESERVED, column, p, "the value begins with a reserved character: read as text");
      break;
    case SKILL__FAULT_QUOTE:
    case SKILL__FAULT_OPEN:
      tell(m, SKILL__YAML_QUOTE, column, p, "a stray quote: the outermost quotes are taken as the ends of the value");
      break;
    case SKILL__FAULT_ESCAPE:
      tell(m, SKILL__YAML_ESCAPE, column, p, "an invalid escape in double quotes: kept as it is");
      break;
    case SKILL__FAULT_BLOCK:
      tell(m, SKILL__YAML_BLOCK, column, p, "text follows the block indicator: read as the value");
      break;
    case SKILL__FAULT_FLOW:
      tell(m, SKILL__YAML_FLOW, column, p, "text follows the closing bracket: read as one text");
      break;
    case SKILL__FAULT_NONE:
      break;
  }
}

/* Copies the current line; tabs at its head become two blanks each. */
static void copy_line(struct mender *m) {
  size_t indent = indent_of(&m->line);
  bool tabs = memchr(m->line.text, '\t', indent) != NULL && indent < m->line.length;
  if (tabs && !m->tabs++ && m->findings) {
    skill__finding(m->findings, SKILL__YAML_TAB, place(m), 1,
                   "the line is indented with tabs: each is read as two spaces");
  }
  for (size_t i = 0; i < indent; i++) skill__buf_text(m->out, m->line.text[i] == '\t' && tabs ? "  " : " ");
  skill__buf_add(m->out, m->line.text + indent, m->line.length - indent);
  skill__buf_char(m->out, '\n');
}

/* --- lines that belong to the entry above ------------------------------------------------------------------------ */

static bool known_key_line(const struct skill__line *line) {
  static const char *const keys[] = {"name",    "description", "version",       "license",  "metadata", "tags",
                                     "author",  "category",    "allowed-tools", "triggers", "tools",    "mode",
                                     "context", "agent",       "model",         "id",       NULL};
  size_t n = skill__line_key(line);
  for (const char *const *k = keys; n && *k; k++) {
    if (strlen(*k) == n && !memcmp(*k, line->text, n)) return true;
  }
  return false;
}

/* A line at column 1 below a text that is neither an entry nor a comment: it was meant to be indented. */
static bool outdented(const struct skill__line *line, bool block) {
  if (skill__line_blank(line) || line->text[0] == ' ' || line->text[0] == '\t') return false;
  if (block) return !known_key_line(line) && skill__line_key(line) == 0;
  return skill__line_key(line) == 0 && line->text[0] != '#' && strchr("]}%", line->text[0]) == NULL;
}

/* The other keys of an item "- key: value" are at the column of its key; the next items are at that of its hyphen. */
static bool continues(const struct skill__line *line, const struct parts *p, bool block) {
  size_t indent = p->item && p->key_length ? p->key : p->indent;
  if (skill__line_blank(line)) return true;
  if (p->item && indent_of(line) == p->indent && line->text[p->indent] == '-') return false;
  return indent_of(line) > indent || (indent == 0 && outdented(line, block));
}

/* Number of lines after the current one that belong to its entry; trailing blank ones do not. */
static size_t count_continued(const struct mender *m, const struct parts *p, bool block) {
  struct skill__line line = m->line;
  size_t count = 0;
  size_t seen = 0;
  while (skill__line_next(m->head, m->length, &line) && continues(&line, p, block)) {
    seen++;
    if (!skill__line_blank(&line)) count = seen;
  }
  return count;
}

static void tell_outdented(struct mender *m) {
  if (!m->findings) return;
  skill__finding(m->findings, SKILL__YAML_INDENT, place(m), 1,
                 "the line is not indented: read as part of the key above");
}

/* Copies the lines of a block scalar and indents those at column 1. */
static void copy_block(struct mender *m, size_t count) {
  bool reported = false;
  while (count-- && mender_next(m)) {
    bool out = !skill__line_blank(&m->line) && indent_of(&m->line) == 0;
    if (out && !reported) tell_outdented(m);
    reported |= out;
    if (out) skill__buf_text(m->out, "  ");
    copy_line(m);
  }
}

static bool line_hurts_plain(const struct skill__line *line) {
  for (size_t i = 0; i < line->length; i++) {
    bool ends = i + 1 >= line->length || line->text[i + 1] == ' ';
    if (line->text[i] == ':' && ends) return true;
    if (line->text[i] == '#' && i && line->text[i - 1] == ' ') return true;
  }
  return line->length && indent_of(line) == 0;
}

static bool any_hurts(const struct mender *m, size_t count) {
  struct skill__line line = m->line;
  while (count-- && skill__line_next(m->head, m->length, &line)) {
    if (line_hurts_plain(&line)) return true;
  }
  return false;
}

/* Writes value and continuation lines as one single-quoted scalar. */
static void quote_lines(struct mender *m, size_t from, size_t to, size_t count) {
  bool reported = false;
  skill__buf_char(m->out, '\'');
  skill__quote_single(m->out, m->line.text + from, to - from);
  while (count-- && mender_next(m)) {
    skill__buf_char(m->out, '\n');
    if (skill__line_blank(&m->line)) continue;
    if (indent_of(&m->line) == 0 && !reported) tell_outdented(m);
    reported |= indent_of(&m->line) == 0;
    size_t indent = indent_of(&m->line);
    skill__buf_text(m->out, "  ");
    for (size_t i = 0; i < indent; i++) skill__buf_char(m->out, ' ');
    struct parts p = take_apart(&m->line);
    skill__quote_single(m->out, m->line.text + indent, p.length - indent);
  }
  skill__buf_text(m->out, "'\n");
}

/* --- brackets and quotes over several lines ----------------------------------------------------------------------- */

/* Number of further lines until the bracket or quote is closed; 0: never. */
static size_t find_closing(struct mender *m, size_t from) {
  struct skill__line line = m->line;
  const char *start = m->line.text + from;
  for (size_t count = 1; count <= LOOK_AHEAD && m->looked < LOOK_BYTES; count++) {
    if (!skill__line_next(m->head, m->length, &line)) return 0;
    if (known_key_line(&line)) return 0;
    size_t length = (size_t)(line.text + line.length - start);
    while (length && (start[length - 1] == ' ' || start[length - 1] == '\t')) length--;
    m->looked += length;
    if (skill__quote_fault(start, length, NULL) == SKILL__FAULT_NONE) return count;
  }
  return 0;
}

static void copy_lines(struct mender *m, size_t count) {
  copy_line(m);
  while (count-- && mender_next(m)) copy_line(m);
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

static void write_until_value(struct mender *m, const struct parts *p) {
  for (size_t i = 0; i < p->value; i++) {
    char c = m->line.text[i];
    skill__buf_text(m->out, c == '\t' ? "  " : (char[2]){c, '\0'});
  }
}

static void mend_open(struct mender *m, const struct parts *p) {
  size_t count = find_closing(m, p->value);
  const char *value = m->line.text + p->value;
  if (count || strchr("[{", value[0])) {
    copy_lines(m, count);
    return;
  }
  tell_fault(m, SKILL__FAULT_OPEN, p->value, p);
  write_until_value(m, p);
  size_t lines = count_continued(m, p, false);
  if (lines) {
    quote_lines(m, p->value + 1, p->length, lines);
    return;
  }
  skill__quote_mended(m->out, value, p->length - p->value, SKILL__FAULT_OPEN);
  skill__buf_char(m->out, '\n');
}

static void mend_value(struct mender *m, const struct parts *p, enum skill__fault fault, size_t at) {
  const char *value = m->line.text + p->value;
  size_t lines = p->key_length || p->item ? count_continued(m, p, false) : 0;
  tell_fault(m, fault, p->value + at, p);
  write_until_value(m, p);
  if (lines && (fault == SKILL__FAULT_COLON || fault == SKILL__FAULT_RESERVED || fault == SKILL__FAULT_BLOCK)) {
    size_t from = p->value;
    if (fault == SKILL__FAULT_BLOCK) from++;
    while (fault == SKILL__FAULT_BLOCK && from < p->length && strchr("+-0123456789 ", m->line.text[from])) from++;
    quote_lines(m, from, p->length, lines);
    return;
  }
  skill__quote_mended(m->out, value, p->length - p->value, fault);
  skill__buf_char(m->out, '\n');
}

/* A value in brackets that is closed on its line. */
static void mend_flow(struct mender *m, const struct parts *p) {
  write_until_value(m, p);
  if (skill__quote_items(m->out, m->line.text + p->value, p->length - p->value)) {
    tell(m, SKILL__YAML_RESERVED, p->value, p, "an item begins with a reserved character: read as text");
  }
  skill__buf_char(m->out, '\n');
}

/* A plain value whose first line is right; the lines below may have a fault. */
static void mend_plain(struct mender *m, const struct parts *p) {
  size_t lines = count_continued(m, p, false);
  if (!lines || !any_hurts(m, lines)) {
    copy_lines(m, lines);
    return;
  }
  tell(m, SKILL__YAML_COLON, p->value, p, "a line of the value has a colon or # and no quotes: read as one text");
  write_until_value(m, p);
  quote_lines(m, p->value, p->length, lines);
}

static void mend_entry(struct mender *m, const struct parts *p) {
  const char *value = m->line.text + p->value;
  size_t length = p->length - p->value;
  size_t at = 0;
  enum skill__fault fault = skill__quote_fault(value, length, &at);
  if (fault == SKILL__FAULT_OPEN) {
    mend_open(m, p);
  } else if (fault != SKILL__FAULT_NONE) {
    mend_value(m, p, fault, at);
  } else if (length && (value[0] == '|' || value[0] == '>')) {
    size_t lines = count_continued(m, p, true);
    copy_line(m);
    copy_block(m, lines);
  } else if (length && (value[0] == '[' || value[0] == '{')) {
    mend_flow(m, p);
  } else if (length && strchr("\"'#", value[0]) == NULL) {
    mend_plain(m, p);
  } else {
    copy_line(m);
  }
}

/* "key:value" and "key：value" for keys that are known. Returns the key's length and the colon's, or 0. */
static size_t glued_key(const struct skill__line *line, size_t *colon) {
  static const char *const keys[] = {"name", "description", "version", "license", "category", "tags", NULL};
  for (const char *const *k = keys; *k; k++) {
    size_t n = strlen(*k);
    if (line->length <= n || memcmp(line->text, *k, n) != 0) continue;
    bool wide = line->length >= n + 3 && !memcmp(line->text + n, "\xef\xbc\x9a", 3);
    *colon = wide ? 3 : 1;
    if (wide || line->text[n] == ':') return n;
  }
  return 0;
}

static void mend_glued(struct mender *m, size_t key, size_t colon) {
  struct parts p = {.key_length = key};
  tell(m, SKILL__YAML_SPACE, key, &p,
       colon == 3 ? "a full-width colon follows the key: read as ': '" : "no space follows the colon: read as ': '");
  const char *value = m->line.text + key + colon;
  size_t length = m->line.length - key - colon;
  while (length && *value == ' ') {
    value++;
    length--;
  }
  skill__buf_add(m->out, m->line.text, key);
  skill__buf_text(m->out, ": ");
  enum skill__fault fault = skill__quote_fault(value, length, NULL);
  if (fault == SKILL__FAULT_NONE) {
    skill__buf_add(m->out, value, length);
  } else {
    skill__quote_mended(m->out, value, length, fault);
  }
  skill__buf_char(m->out, '\n');
}

static void drop_line(struct mender *m) {
  if (m->findings) {
    skill__finding(m->findings, SKILL__YAML_LINE, place(m), 1, "this line is not an entry: it is ignored");
  }
  skill__buf_char(m->out, '\n');
}

static void mend_line(struct mender *m) {
  struct parts p = take_apart(&m->line);
  size_t colon = 0;
  size_t glued = p.key_length ? 0 : glued_key(&m->line, &colon);
  if (p.length == p.indent || m->line.text[p.indent] == '#') {
    copy_line(m);
  } else if (glued) {
    mend_glued(m, glued, colon);
  } else if (p.key_length || p.item) {
    mend_entry(m, &p);
  } else if (p.indent == 0 && strchr("\"'[{]}-?", m->line.text[0]) == NULL) {
    drop_line(m);
  } else {
    copy_line(m);
  }
}

int skill__mend(const char *head, size_t length, unsigned first_line, struct skill__findings *findings,
                struct skill__buf *out) {
  struct mender m = {.head = head, .length = length, .first_line = first_line, .findings = findings, .out = out};
  while (mender_next(&m) && !skill__buf_status(out)) mend_line(&m);
  return skill__buf_status(out);
}
