/* SPDX-License-Identifier: MIT
 *
 * Reads front matter in steps, each for text that the step before could not read:
 *   1. strict YAML; libyaml decides what is valid, and valid text is never changed;
 *   2. the same without control characters and merge conflicts;
 *   3. the same with its lines corrected (mend.c);
 *   4. each entry separately, so that one broken value loses one value;
 *   5. the text of an entry as it is.
 */
#include "document/recover.h"

#include <string.h>

#include "document/frontmatter.h"
#include "document/mend.h"
#include "document/plain.h"
#include "document/yaml.h"
#include "util/alloc.h"
#include "util/utf8.h"

struct ladder {
  struct skill__arena *arena;
  struct skill__findings *findings;
  unsigned first_line;
  struct skill__yaml_error error; /* the strict reading's */
};

static int read_yaml(struct ladder *l, const char *text, size_t length, unsigned first_line,
                     struct skill__value **out) {
  struct skill__yaml_error ignored;
  int status = skill__yaml_read(l->arena, text, length, first_line, out, &ignored);
  if (!status && *out && (*out)->kind != SKILL__MAPPING) status = SKILL_EPARSE;
  return status;
}

/* --- characters and conflicts ------------------------------------------------------------------------------------ */

/* libyaml ends a line at these (YAML 1.1), editors do not: line numbers would differ from what people see. */
static bool separator(uint32_t rune) {
  return rune == 0x85 || rune == 0x2028 || rune == 0x2029;
}

/* What libyaml's reader rejects, the separators, and U+FEFF in the middle of a text. */
static bool refused(uint32_t rune) {
  if (rune < 0x20) return rune != '\t' && rune != '\n';
  return (rune >= 0x7f && rune < 0xa0) || separator(rune) || rune == 0xfeff || rune == 0xfffe || rune == 0xffff;
}

static bool has_separator(const char *head, size_t length) {
  for (size_t i = skill__utf8_ascii(head, length); i < length; i += skill__utf8_ascii(head + i, length - i)) {
    uint32_t rune = 0;
    size_t n = skill__utf8_decode(head + i, length - i, &rune);
    if (separator(rune)) return true;
    i += n ? n : 1;
  }
  return false;
}

/* Strict YAML with the line numbers that people see. */
static int read_strictly(struct ladder *l, const char *head, size_t length, struct skill__value **out) {
  if (has_separator(head, length)) return SKILL_EPARSE;
  return skill__yaml_read(l->arena, head, length, l->first_line, out, &l->error);
}

static size_t replace_refused(const char *head, size_t length, struct skill__buf *out, uint32_t *first,
                              size_t *first_at) {
  size_t count = 0;
  for (size_t i = 0; i < length;) {
    uint32_t rune = 0xfeff;
    size_t n = skill__utf8_decode(head + i, length - i, &rune);
    if (refused(rune)) {
      if (!count++) {
        *first = rune;
        *first_at = i;
      }
      if (rune != 0xfeff) skill__buf_char(out, ' ');
    } else {
      skill__buf_add(out, head + i, n);
    }
    i += n ? n : 1;
  }
  return count;
}

static int without_controls(struct ladder *l, const char *head, size_t length, struct skill__buf *out) {
  uint32_t first = 0;
  size_t at = 0;
  size_t count = replace_refused(head, length, out, &first, &at);
  if (count) {
    unsigned line = l->first_line;
    unsigned column;
    skill__line_place(head, at, &line, &column);
    skill__finding(l->findings, SKILL__CONTROL_CHARACTER, line, column,
                   "%zu control character%s (the first is U+%04X): each is read as a space", count,
                   count == 1 ? "" : "s", (unsigned)first);
  }
  return skill__buf_status(out);
}

static bool marker(const struct skill__line *line, char c) {
  if (line->length < 7) return false;
  for (size_t i = 0; i < 7; i++) {
    if (line->text[i] != c) return false;
  }
  return line->length == 7 || line->text[7] == ' ';
}

/* Keeps the first side of each conflict; the other lines become empty, so that line numbers stay valid. */
static int without_conflicts(struct ladder *l, const char *head, size_t length, struct skill__buf *out) {
  struct skill__line line = {0};
  enum { OUTSIDE, OURS, THEIRS } side = OUTSIDE;
  while (skill__line_next(head, length, &line)) {
    bool opens = marker(&line, '<');
    bool changes = side != OUTSIDE && (marker(&line, '=') || marker(&line, '|'));
    bool closes = side != OUTSIDE && marker(&line, '>');
    if (opens) {
      unsigned number = l->first_line + line.number - 1;
      skill__finding(l->findings, SKILL__MERGE_CONFLICT, number, 1,
                     "an unresolved merge conflict begins on line %u: its first side is used", number);
    }
    if (!opens && !changes && !closes && side != THEIRS) skill__buf_add(out, line.text, line.length);
    skill__buf_char(out, '\n');
    side = opens ? OURS : changes ? THEIRS : closes ? OUTSIDE : side;
  }
  return skill__buf_status(out);
}

/* --- entry by entry ---------------------------------------------------------------------------------------------- */

static bool starts_entry(const struct skill__line *line) {
  return skill__line_key(line) > 0;
}

static struct skill__value *scalar(struct ladder *l, const char *text, size_t length, unsigned line, unsigned column,
                                   bool plain) {
  struct skill__value *value = skill__arena_alloc(l->arena, sizeof *value);
  char *copy = skill__arena_strndup(l->arena, text, length);
  if (!value || !copy) return NULL;
  *value = (struct skill__value){.kind = SKILL__SCALAR,
                                 .plain = plain,
                                 .text = copy,
                                 .length = length,
                                 .line = line,
                                 .column = column,
                                 .end_line = line};
  return value;
}

/* The text after "key:" and on the lines below, as one line. */
static void entry_text(const char *text, size_t length, size_t from, struct skill__buf *out) {
  struct skill__line line = {0};
  while (skill__line_next(text, length, &line)) {
    const char *start = line.text + (line.number == 1 ? from : 0);
    const char *end = line.text + line.length;
    while (start < end && (*start == ' ' || *start == '\t')) start++;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t')) end--;
    if (out->length && end > start) skill__buf_char(out, ' ');
    skill__buf_add(out, start, (size_t)(end - start));
  }
}

/* The last step: the text as it is, without a pair of quotes around it. 1: it cannot be used. */
static int raw_entry(struct ladder *l, const char *text, size_t length, unsigned line, struct skill__value *root) {
  struct skill__line first = {0};
  skill__line_next(text, length, &first);
  size_t key = skill__line_key(&first);
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL__YAML_BYTES);
  entry_text(text, length, (size_t)((const char *)memchr(text, ':', length) - text) + 1, &buf);
  int status = skill__buf_status(&buf);
  size_t n = buf.length;
  char *data = buf.data;
  bool usable = !status && n && skill__quote_balanced(data, n);
  if (usable && n > 1 && strchr("\"'", data[0]) && data[n - 1] == data[0]) {
    data++;
    n -= 2;
  }
  if (usable) {
    struct skill__value *name = scalar(l, text, key, line, 1, true);
    struct skill__value *value = name ? scalar(l, data, n, line, (unsigned)key + 3, false) : NULL;
    if (value) {
      value->key = name;
      skill__value_append(root, value);
      skill__finding(l->findings, SKILL__YAML_LINE, line, 1, "'%.*s' is not valid YAML: its text is used as it is",
                     (int)key, text);
    } else {
      status = SKILL_ENOMEM;
    }
  }
  skill__buf_fini(&buf);
  return status ? SKILL_ENOMEM : usable ? 0 : 1;
}

static void adopt(struct skill__value *root, struct skill__value *from) {
  for (struct skill__value *child = from->first; child;) {
    struct skill__value *next = child->next;
    skill__value_append(root, child);
    child = next;
  }
}

/* The same lines twice: corrected, and as in the file. */
struct chunk {
  const char *corrected, *original;
  size_t mended_length, original_length;
  unsigned line;
};

static int read_chunk(struct ladder *l, const struct chunk *c, struct skill__value *root) {
  struct skill__value *value = NULL;
  int status = read_yaml(l, c->corrected, c->mended_length, c->line, &value);
  if (status == SKILL_ENOMEM) return status;
  if (!status && value) adopt(root, value);
  if (!status) return 0;
  struct skill__line first = {0};
  bool key = skill__line_next(c->original, c->original_length, &first) && skill__line_key(&first);
  const char *text = key ? c->original : c->corrected; /* a key that had to be corrected */
  size_t length = key ? c->original_length : c->mended_length;
  status = raw_entry(l, text, length, c->line, root);
  if (status < 0) return status;
  if (status) {
    skill__finding(l->findings, SKILL__YAML_BROKEN, c->line, 1, "'%.*s' is not valid YAML and is ignored: %s",
                   (int)skill__line_key(&first), text, l->error.message);
  }
  return 0;
}

/* Both texts have the same lines. */
static int read_entries(struct ladder *l, const struct chunk *all, struct skill__value **out) {
  struct skill__value *root = skill__arena_alloc(l->arena, sizeof *root);
  if (!root) return SKILL_ENOMEM;
  root->kind = SKILL__MAPPING;
  root->line = l->first_line;
  root->column = 1;
  struct skill__line corrected = {0};
  struct skill__line original = {0};
  struct chunk chunk = {0};
  int status = 0;
  while (!status && skill__line_next(all->corrected, all->mended_length, &corrected)) {
    skill__line_next(all->original, all->original_length, &original);
    if (starts_entry(&corrected)) {
      if (chunk.corrected) status = read_chunk(l, &chunk, root);
      chunk = (struct chunk){
          .corrected = corrected.text, .original = original.text, .line = all->line + corrected.number - 1};
    }
    if (!chunk.corrected) continue;
    chunk.mended_length = (size_t)(all->corrected + corrected.next - chunk.corrected);
    chunk.original_length = (size_t)(all->original + original.next - chunk.original);
  }
  if (!status && chunk.corrected) status = read_chunk(l, &chunk, root);
  *out = root->count ? root : NULL;
  return status;
}

/* --- the ladder -------------------------------------------------------------------------------------------------- */

static int corrected(struct ladder *l, const char *text, size_t length, struct skill__value **out) {
  struct skill__buf buf;
  skill__buf_init(&buf, 8 * SKILL_MAX_FRONTMATTER);
  size_t before = l->findings->count;
  int status = skill__mend(text, length, l->first_line, l->findings, &buf);
  if (!status) status = read_yaml(l, buf.data, buf.length, l->first_line, out);
  struct chunk all = {buf.data, text, buf.length, length, l->first_line};
  if (status == SKILL_EPARSE) status = read_entries(l, &all, out);
  if (status == SKILL_ELIMIT) status = 0;
  skill__buf_fini(&buf);
  bool reported = l->findings->count > before || l->findings->dropped;
  if (!status && (!reported || (!*out && !skill__findings_have(l->findings, SKILL__YAML_BROKEN)))) {
    skill__finding(l->findings, SKILL__YAML_BROKEN, l->error.line, l->error.column,
                   "the front matter is not valid YAML: %s", l->error.message);
  }
  return status;
}

static int climb(struct ladder *l, const char *head, size_t length, struct skill__value **out) {
  struct skill__buf clean;
  struct skill__buf ours;
  skill__buf_init(&clean, 2 * SKILL_MAX_FRONTMATTER);
  skill__buf_init(&ours, 2 * SKILL_MAX_FRONTMATTER);
  int status = without_controls(l, head, length, &clean);
  if (!status) status = without_conflicts(l, clean.data ? clean.data : "", clean.length, &ours);
  const char *text = ours.data ? ours.data : "";
  bool changed = !status && (ours.length != length || memcmp(text, head, length) != 0);
  if (changed) status = read_yaml(l, text, ours.length, l->first_line, out);
  if (!status && (!changed || !*out)) status = SKILL_EPARSE;
  if (status == SKILL_EPARSE) status = corrected(l, text, ours.length, out);
  skill__buf_fini(&clean);
  skill__buf_fini(&ours);
  return status == SKILL_ELIMIT ? 0 : status;
}

/* --- comments that cut a text ----------------------------------------------------------------------------------- */

/* Character of " #" in the line `number` of the text, both counted from 0, or SIZE_MAX. A plain scalar cannot contain
 * it, so if its last line does, a comment follows the scalar. */
static size_t comment_at(const char *text, size_t length, unsigned number) {
  struct skill__line line = {0};
  while (skill__line_next(text, length, &line)) {
    if (line.number <= number) continue;
    for (size_t i = 0; i + 1 < line.length; i++) {
      if (line.text[i] == ' ' && line.text[i + 1] == '#') return skill__utf8_count(line.text, i + 1);
    }
    break;
  }
  return SIZE_MAX;
}

static void tell_comments(struct ladder *l, const char *text, size_t length, const struct skill__value *root) {
  static const char *const keys[] = {"description", "when_to_use", "when_not_to_use"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    const struct skill__value *value = skill__value_get(root, keys[i]);
    if (!value || value->kind != SKILL__SCALAR || !value->plain) continue;
    size_t at = comment_at(text, length, value->end_line - l->first_line);
    if (at == SIZE_MAX) continue;
    skill__finding(l->findings, SKILL__YAML_COMMENT, value->end_line, (unsigned)at + 1,
                   "a space and # begin a comment: '%s' ends before it", keys[i]);
  }
}

int skill__recover_read(struct skill__arena *arena, const char *head, size_t length, unsigned first_line,
                        struct skill__findings *findings, struct skill__value **out) {
  struct ladder l = {.arena = arena, .findings = findings, .first_line = first_line};
  struct skill__value *root = NULL;
  *out = NULL;
  int status = skill__plain_read(arena, head, length, first_line, &root);
  if (status == 0) status = read_strictly(&l, head, length, &root);
  if (status == SKILL_ENOMEM) return status;
  if (status == 1) status = 0;
  if (!status && (!root || root->kind == SKILL__MAPPING)) {
    *out = root;
    if (root && memchr(head, '#', length)) tell_comments(&l, head, length, root);
    return 0;
  }
  if (!status) {
    l.error = (struct skill__yaml_error){first_line, 1, false, "it has no 'key: value' lines"};
  }
  if (l.error.limit) {
    skill__finding(findings, SKILL__YAML_LIMIT, l.error.line, l.error.column,
                   "%s: simple entries are read line by line", l.error.message);
  }
  return climb(&l, head, length, out);
}

int skill__recover_mended(struct skill__arena *arena, const char *head, size_t length, struct skill__buf *out) {
  struct skill__findings quiet = {.arena = arena};
  struct ladder l = {.arena = arena, .findings = &quiet, .first_line = 1};
  struct skill__value *root = NULL;
  struct skill__buf clean;
  skill__buf_init(&clean, out->max);
  int status = has_separator(head, length) ? SKILL_EPARSE : read_yaml(&l, head, length, 1, &root);
  if (!status) {
    skill__buf_add(out, head, length);
  } else if (status == SKILL_EPARSE) {
    status = without_controls(&l, head, length, &clean);
    if (!status) status = skill__mend(clean.data ? clean.data : "", clean.length, 1, NULL, out);
    if (!status) status = read_yaml(&l, out->data ? out->data : "", out->length, 1, &root);
  }
  if (!status) status = skill__buf_status(out);
  skill__buf_fini(&clean);
  skill__free(quiet.items);
  return status == SKILL_ELIMIT ? SKILL_EPARSE : status;
}
