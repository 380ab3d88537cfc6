/* SPDX-License-Identifier: MIT
 *
 * The subset. Keys are ASCII words. A value is empty, a plain scalar that begins with a letter, a digit or a character
 * that has no meaning in YAML, a quoted scalar without escapes, or a list of scalars in brackets, all on one line.
 * Below an empty value there may be a list of such scalars or a mapping, four levels deep at most. Blank lines and
 * whole-line comments may be anywhere. Everything else is left to libyaml: blocks, values that continue on the next
 * line, anchors, tags.
 *
 * Why a second reader: libyaml alone takes 25 % more processor time for `skillet list` on 21,570 real files and 40 %
 * more for the first listing in bench/scan_bench. This subset reads 71 % of those files. With blocks and continued
 * lines it was 86 %, which saved another 10 % and took 90 more lines.
 */
#include "document/plain.h"

#include <string.h>

#include "util/utf8.h"

enum { DEPTH_MAX = 4, NODES_MAX = 4000, KEY_MAX = 128 };
enum { NO = 0, YES = 1 }; /* what each step returns, or SKILL_ENOMEM */

struct scan {
  struct skill__arena *arena;
  const char *end;
  const char *next; /* the line after the current one */
  const char *line; /* first character of the current line that is not a blank; NULL: no line is left */
  const char *stop; /* end of the current line, without trailing blanks */
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
  return (unsigned)skill__utf8_count(from, (size_t)(to - from));
}

/* Moves to the next line that is neither blank nor a comment. */
static void advance(struct scan *s) {
  s->line = NULL;
  while (!s->line && s->next < s->end) {
    const char *start = s->next;
    const char *lf = memchr(start, '\n', (size_t)(s->end - start));
    const char *text = start;
    s->stop = lf ? lf : s->end;
    s->next = lf ? lf + 1 : s->end;
    s->number++;
    while (text < s->stop && *text == ' ') text++;
    while (s->stop > text && s->stop[-1] == ' ') s->stop--;
    s->indent = (size_t)(text - start);
    if (text < s->stop && *text != '#') s->line = text;
  }
}

/* --- nodes -------------------------------------------------------------------------------------------------------- */

static struct skill__value *make(struct scan *s, enum skill__value_kind kind, const char *at) {
  struct skill__value *value = skill__arena_alloc(s->arena, sizeof *value);
  if (!value) return NULL;
  s->nodes++;
  value->kind = kind;
  value->line = value->end_line = s->number;
  value->column = characters(s->line - s->indent, at) + 1;
  return value;
}

static struct skill__value *scalar(struct scan *s, const char *from, const char *to, bool plain) {
  struct skill__value *value = make(s, SKILL__SCALAR, plain ? from : from - 1);
  if (!value) return NULL;
  value->plain = plain;
  value->length = (size_t)(to - from);
  value->text = skill__arena_strndup(s->arena, from, value->length);
  return value->text ? value : NULL;
}

static int add(struct skill__value *parent, const struct skill__value *key, struct skill__value *child) {
  if (!child) return SKILL_ENOMEM;
  child->key = key;
  skill__value_append(parent, child);
  return YES;
}

/* --- scalars and lists in brackets -------------------------------------------------------------------------------- */

static const char *skip_blanks(const struct scan *s, const char *p) {
  while (p < s->stop && *p == ' ') p++;
  return p;
}

static bool is_quote(char c) {
  return c == '"' || c == '\'';
}

/* Adds the quoted scalar at *at and moves behind it. NO: an escape, or no end on this line. */
static int read_quoted(struct scan *s, const char **at, struct skill__value *parent, const struct skill__value *key) {
  const char *from = *at + 1;
  const char quote = **at;
  const char *end = from;
  while (end < s->stop && *end != quote && !(*end == '\\' && quote == '"')) end++;
  if (end == s->stop || *end != quote || (end + 1 < s->stop && end[1] == quote)) return NO;
  *at = end + 1;
  return add(parent, key, scalar(s, from, end, false));
}

static bool is_plain(const char *from, const char *stop) {
  for (const char *p = from; p < stop; p++) {
    if (*p == ':' && (p + 1 == stop || p[1] == ' ')) return false;
    if (*p == '#' && p > from && p[-1] == ' ') return false;
  }
  return true;
}

static int read_scalar(struct scan *s, const char *from, struct skill__value *parent, const struct skill__value *key) {
  if (is_quote(*from)) {
    int status = read_quoted(s, &from, parent, key);
    return status == YES && from != s->stop ? NO : status;
  }
  if (!may_start((unsigned char)*from) || !is_plain(from, s->stop)) return NO;
  return add(parent, key, scalar(s, from, s->stop, true));
}

/* Adds the item of a list in brackets at *at and moves behind it and the blanks after it. */
static int read_item(struct scan *s, const char **at, struct skill__value *list) {
  const char *p = *at;
  int status = NO;
  if (is_quote(*p)) {
    status = read_quoted(s, &p, list, NULL);
  } else if (alphanumeric((unsigned char)*p) || (unsigned char)*p >= 0x80) {
    while (p < s->stop && may_be_item((unsigned char)*p)) p++;
    const char *end = p;
    while (end[-1] == ' ') end--;
    status = add(list, NULL, scalar(s, *at, end, true));
  }
  *at = skip_blanks(s, p);
  return status;
}

static int read_brackets(struct scan *s, const char *from, struct skill__value *parent,
                         const struct skill__value *key) {
  struct skill__value *list = make(s, SKILL__SEQUENCE, from);
  int status = add(parent, key, list);
  if (status != YES) return status;
  list->flow = true;
  const char *p = skip_blanks(s, from + 1);
  bool more = p < s->stop && *p != ']';
  while (more) {
    status = read_item(s, &p, list);
    if (status != YES) return status;
    more = p < s->stop && *p == ',';
    if (more) p = skip_blanks(s, p + 1);
    if (more && p == s->stop) return NO;
  }
  return p + 1 == s->stop && *p == ']' ? YES : NO;
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

static int read_mapping(struct scan *s, size_t indent, size_t depth, struct skill__value *mapping);

static bool at_item(const struct scan *s) {
  return s->line[0] == '-' && s->line + 1 < s->stop && s->line[1] == ' ';
}

static int read_sequence(struct scan *s, size_t indent, struct skill__value *list) {
  while (s->line && s->indent == indent && at_item(s)) {
    int status = read_scalar(s, skip_blanks(s, s->line + 1), list, NULL);
    if (status != YES) return status;
    advance(s);
  }
  return s->line && s->indent > indent ? NO : YES;
}

/* Reads what is below "key:"; the current line is the one after it. */
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
  from = skip_blanks(s, from);
  int status = *from == '[' ? read_brackets(s, from, mapping, key) : read_scalar(s, from, mapping, key);
  advance(s);
  return status;
}

/* A line that is indented further than the entry above it continues a value: NO. */
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
  struct scan s = {.arena = arena, .end = text + length, .next = text, .number = first_line - 1};
  advance(&s);
  if (!s.line || s.indent) return NO;
  struct skill__value *root = make(&s, SKILL__MAPPING, s.line);
  if (!root) return SKILL_ENOMEM;
  int status = read_mapping(&s, 0, 1, root);
  if (status == YES) *out = root;
  return status;
}
