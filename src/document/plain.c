/* SPDX-License-Identifier: MIT
 *
 * The subset. Keys are ASCII words. Values are empty, plain scalars on one line that begin with a letter, a digit or a
 * character that YAML gives no meaning to and may go on below, quoted scalars on one line without escapes, blocks (|
 * and
 * >), or lists in brackets of scalars on one line. Below an empty value may stand a list of scalars or a mapping, four
 * levels deep at most. Blank lines and whole-line comments may stand anywhere. Everything else is libyaml's.
 */
#include "document/plain.h"

#include <string.h>

enum { DEPTH_MAX = 4, NODES_MAX = 4000, KEY_MAX = 128 };
enum { NO = 0, YES = 1 }; /* or SKILL_ENOMEM: what every step returns */

struct scan {
  struct skill__arena *arena;
  const char *text;
  const char *end;
  const char *next; /* the line after the current one */
  const char *line; /* first character of the current line that is no blank; NULL: no line is left */
  const char *stop; /* end of the current line, trailing blanks left out */
  size_t indent;    /* blanks before `line` */
  unsigned number;  /* of the current line */
  size_t nodes;
};

static bool alphanumeric(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool may_start(unsigned char c) {
  return alphanumeric(c) || c >= 0x80 || (c && strchr("_/.+$^\\<=;()~", c));
}

static bool may_be_item(unsigned char c) {
  return alphanumeric(c) || c >= 0x80 || (c && strchr("_./+-()$;*|<>= ", c));
}

/* No control character, nothing that libyaml takes for a line end (U+0085, U+2028, U+2029) or refuses. */
static bool all_ordinary(const char *text, size_t length) {
  const unsigned char *s = (const unsigned char *)text;
  for (size_t i = 0; i < length; i++) {
    if (s[i] >= 0x20 && s[i] < 0x7f) continue;
    if (s[i] == '\n') continue;
    if (s[i] < 0x80) return false;
    unsigned char second = i + 1 < length ? s[i + 1] : 0;
    unsigned char third = i + 2 < length ? s[i + 2] : 0;
    if (s[i] == 0xc2 && second < 0xa0) return false;
    if (s[i] == 0xe2 && second == 0x80 && (third == 0xa8 || third == 0xa9)) return false;
    if (s[i] == 0xef && ((second == 0xbb && third == 0xbf) || (second == 0xbf && third >= 0xbe))) return false;
  }
  return true;
}

static unsigned characters(const char *from, const char *to) {
  unsigned n = 0;
  for (; from < to; from++) n += ((unsigned char)*from & 0xc0) != 0x80;
  return n;
}

/* A line as it stands. */
struct raw {
  const char *start;
  const char *text; /* behind its blanks */
  const char *stop; /* trailing blanks left out; equal to `text` in a blank line */
  const char *end;  /* its line end, or the end of everything */
  const char *next;
  size_t indent;
};

static bool raw_line(const struct scan *s, const char *at, struct raw *line) {
  if (at >= s->end) return false;
  const char *lf = memchr(at, '\n', (size_t)(s->end - at));
  line->start = line->text = at;
  line->end = line->stop = lf ? lf : s->end;
  line->next = lf ? lf + 1 : s->end;
  while (line->text < line->end && *line->text == ' ') line->text++;
  while (line->stop > line->text && line->stop[-1] == ' ') line->stop--;
  line->indent = (size_t)(line->text - at);
  return true;
}

/* Moves to the next line that is neither blank nor a comment. */
static void advance(struct scan *s) {
  struct raw line;
  s->line = NULL;
  while (!s->line && raw_line(s, s->next, &line)) {
    s->next = line.next;
    s->number++;
    if (line.text == line.stop || *line.text == '#') continue;
    s->line = line.text;
    s->stop = line.stop;
    s->indent = line.indent;
  }
}

/* --- nodes -------------------------------------------------------------------------------------------------------- */

static struct skill__value *make(struct scan *s, enum skill__value_kind kind, const char *at) {
  struct skill__value *value = skill__arena_alloc(s->arena, sizeof *value);
  if (!value) return NULL;
  s->nodes++;
  value->kind = kind;
  value->line = value->end_line = s->number;
  value->column = value->end_column = characters(s->line - s->indent, at) + 1;
  return value;
}

static struct skill__value *scalar(struct scan *s, const char *from, const char *to, bool plain) {
  struct skill__value *value = make(s, SKILL__SCALAR, plain ? from : from - 1);
  if (!value) return NULL;
  value->plain = plain;
  value->length = (size_t)(to - from);
  value->text = skill__arena_strndup(s->arena, from, value->length);
  value->end_column = value->column + characters(from, to) + (plain ? 0 : 2);
  return value->text ? value : NULL;
}

static int add(struct skill__value *parent, const struct skill__value *key, struct skill__value *child) {
  if (!child) return SKILL_ENOMEM;
  child->key = key;
  skill__value_append(parent, child);
  return YES;
}

/* --- scalars ------------------------------------------------------------------------------------------------------ */

/* The end of a quoted scalar's text, or NULL: an escape, or no end on this line. */
static const char *quoted_end(const char *from, const char *stop) {
  char quote = from[-1];
  for (const char *p = from; p < stop; p++) {
    if (*p == '\\' && quote == '"') return NULL;
    if (*p == quote) return p + 1 < stop && p[1] == quote ? NULL : p;
  }
  return NULL;
}

static bool is_plain(const char *from, const char *stop) {
  for (const char *p = from; p < stop; p++) {
    if (*p == ':' && (p + 1 == stop || p[1] == ' ')) return false;
    if (*p == '#' && p > from && p[-1] == ' ') return false;
  }
  return true;
}

/* A plain scalar's lines below its first: a line end becomes a blank, n blank lines n line ends. */
static int read_continued(struct scan *s, size_t indent, struct skill__value *value) {
  struct raw line;
  char *joined = NULL;
  size_t blank = 0;
  unsigned number = s->number;
  for (const char *at = s->next; raw_line(s, at, &line); at = line.next) {
    number++;
    blank++;
    if (line.text == line.stop) continue;
    if (line.indent <= indent || *line.text == '#') break;
    if (!is_plain(line.text, line.stop)) return NO;
    if (!joined) {
      joined = skill__arena_alloc(s->arena, value->length + (size_t)(s->end - s->next) + 2);
      if (!joined) return SKILL_ENOMEM;
      memcpy(joined, value->text, value->length);
    }
    memset(joined + value->length, blank > 1 ? '\n' : ' ', blank > 1 ? blank - 1 : 1);
    value->length += blank > 1 ? blank - 1 : 1;
    memcpy(joined + value->length, line.text, (size_t)(line.stop - line.text));
    value->length += (size_t)(line.stop - line.text);
    value->text = joined;
    value->end_line = s->number = number;
    value->end_column = (unsigned)line.indent + characters(line.text, line.stop) + 1;
    s->next = line.next;
    blank = 0;
  }
  if (joined) joined[value->length] = '\0';
  return YES;
}

/* --- blocks of text ----------------------------------------------------------------------------------------------- */

/* Adds the text of one line of a block behind `blank` blank ones. */
static size_t add_block_line(char *to, size_t length, const struct raw *line, size_t indent, size_t blank,
                             bool folded) {
  bool first = length == 0;
  size_t breaks = first ? 0 : folded && blank ? blank : folded ? 0 : blank + 1;
  memset(to + length, '\n', breaks);
  length += breaks;
  if (!first && !breaks) to[length++] = ' ';
  size_t n = (size_t)(line->end - line->start) - indent;
  memcpy(to + length, line->start + indent, n);
  return length + n;
}

/* "|", ">", "|-" or ">-", and below it lines that are indented alike; in folded ones none further than the first. */
static int read_block(struct scan *s, const char *from, size_t indent, struct skill__value *value) {
  bool folded = *from == '>';
  bool strip = from + 1 < s->stop && from[1] == '-';
  if (from + 1 + strip != s->stop) return NO;
  struct raw line;
  if (!raw_line(s, s->next, &line) || line.text == line.stop || line.indent <= indent) return NO;
  size_t inner = line.indent;
  char *to = skill__arena_alloc(s->arena, (size_t)(s->end - s->next) + 2);
  if (!to) return SKILL_ENOMEM;
  size_t blank = 0;
  for (const char *at = s->next; raw_line(s, at, &line); at = line.next) {
    if (line.end == s->end) return NO; /* no line end: rare enough to leave to libyaml */
    if (line.text == line.stop) {
      if (line.indent > inner) return NO;
      blank++;
    } else if (line.indent < inner) {
      if (line.indent > indent) return NO;
      break;
    } else {
      if (folded && line.indent > inner) return NO;
      value->length = add_block_line(to, value->length, &line, inner, blank, folded);
      s->number += 1 + (unsigned)blank;
      s->next = line.next;
      blank = 0;
    }
  }
  if (!strip) to[value->length++] = '\n';
  to[value->length] = '\0';
  value->text = to;
  return YES;
}

static int read_scalar(struct scan *s, const char *from, size_t indent, struct skill__value *parent,
                       const struct skill__value *key) {
  if (*from == '"' || *from == '\'') {
    const char *end = quoted_end(from + 1, s->stop);
    return end && end + 1 == s->stop ? add(parent, key, scalar(s, from + 1, end, false)) : NO;
  }
  bool block = *from == '|' || *from == '>';
  if (!block && (!may_start((unsigned char)*from) || !is_plain(from, s->stop))) return NO;
  struct skill__value *value = scalar(s, from, block ? from : s->stop, true);
  int status = add(parent, key, value);
  if (status != YES) return status;
  value->plain = !block;
  return block ? read_block(s, from, indent, value) : read_continued(s, indent, value);
}

/* One item of a list in brackets; *at moves behind it. */
static int read_item(struct scan *s, const char **at, struct skill__value *list) {
  const char *p = *at;
  if (*p == '"' || *p == '\'') {
    const char *end = quoted_end(p + 1, s->stop);
    if (!end) return NO;
    *at = end + 1;
    return add(list, NULL, scalar(s, p + 1, end, false));
  }
  if (!alphanumeric((unsigned char)*p) && (unsigned char)*p < 0x80) return NO;
  const char *end = p;
  while (end < s->stop && may_be_item((unsigned char)*end)) end++;
  *at = end;
  while (end[-1] == ' ') end--;
  return add(list, NULL, scalar(s, p, end, true));
}

static int read_brackets(struct scan *s, const char *from, struct skill__value *parent,
                         const struct skill__value *key) {
  struct skill__value *list = make(s, SKILL__SEQUENCE, from);
  int status = add(parent, key, list);
  if (status != YES) return status;
  list->flow = true;
  const char *p = from + 1;
  while (p < s->stop && *p == ' ') p++;
  while (p < s->stop && (*p != ']' || list->count)) {
    status = read_item(s, &p, list);
    if (status != YES) return status;
    while (p < s->stop && *p == ' ') p++;
    if (p == s->stop || *p == ']') break;
    if (*p++ != ',') return NO;
    while (p < s->stop && *p == ' ') p++;
  }
  return p < s->stop && *p == ']' && p + 1 == s->stop ? YES : NO;
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

static int read_mapping(struct scan *s, size_t indent, size_t depth, struct skill__value *mapping);

static bool at_item(const struct scan *s) {
  return s->line[0] == '-' && s->line + 1 < s->stop && s->line[1] == ' ';
}

static int read_sequence(struct scan *s, size_t indent, struct skill__value *list) {
  while (s->line && s->indent == indent && at_item(s)) {
    const char *from = s->line + 1;
    while (*from == ' ') from++;
    int status = read_scalar(s, from, indent, list, NULL);
    if (status != YES) return status;
    advance(s);
  }
  return s->line && s->indent > indent ? NO : YES;
}

/* Stands on the line after "key:". */
static int read_below(struct scan *s, size_t indent, size_t depth, struct skill__value *parent,
                      const struct skill__value *key, struct skill__value *empty) {
  bool item = s->line && s->indent >= indent && at_item(s);
  bool deeper = s->line && s->indent > indent;
  if (!item && !deeper) return add(parent, key, empty);
  if (depth == DEPTH_MAX) return NO;
  struct skill__value *block = make(s, item ? SKILL__SEQUENCE : SKILL__MAPPING, s->line);
  int status = add(parent, key, block);
  if (status != YES) return status;
  return item ? read_sequence(s, s->indent, block) : read_mapping(s, s->indent, depth + 1, block);
}

static int read_entry(struct scan *s, size_t indent, size_t depth, struct skill__value *mapping) {
  const char *colon = s->line;
  if (!alphanumeric((unsigned char)*colon) && *colon != '_') return NO;
  while (colon < s->stop && (alphanumeric((unsigned char)*colon) || *colon == '_' || *colon == '-')) colon++;
  if (colon == s->stop || *colon != ':' || colon - s->line > KEY_MAX || ++s->nodes > NODES_MAX) return NO;
  struct skill__value *key = scalar(s, s->line, colon, true);
  if (!key) return SKILL_ENOMEM;
  const char *from = colon + 1;
  if (from == s->stop) {
    struct skill__value *empty = scalar(s, from, from, true);
    if (!empty) return SKILL_ENOMEM;
    advance(s);
    return read_below(s, indent, depth, mapping, key, empty);
  }
  if (*from != ' ') return NO;
  while (*from == ' ') from++;
  int status = *from == '[' ? read_brackets(s, from, mapping, key) : read_scalar(s, from, indent, mapping, key);
  advance(s);
  return status;
}

static int read_mapping(struct scan *s, size_t indent, size_t depth, struct skill__value *mapping) {
  while (s->line && s->indent == indent) {
    int status = read_entry(s, indent, depth, mapping);
    if (status != YES) return status;
  }
  return s->line && s->indent > indent ? NO : YES;
}

int skill__plain_read(struct skill__arena *arena, const char *text, size_t length, unsigned first_line,
                      struct skill__value **out) {
  if (!all_ordinary(text, length)) return NO;
  struct scan s = {.arena = arena, .text = text, .end = text + length, .next = text, .number = first_line - 1};
  advance(&s);
  if (!s.line || s.indent) return NO;
  struct skill__value *root = make(&s, SKILL__MAPPING, s.line);
  if (!root) return SKILL_ENOMEM;
  int status = read_mapping(&s, 0, 1, root);
  if (status == YES && s.line) status = NO;
  if (status == YES) *out = root;
  return status;
}
