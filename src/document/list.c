/* SPDX-License-Identifier: MIT
 *
 * Values as texts, and texts that represent lists: "a, b", "a b", "[a, b]", "Read Bash(git log *)".
 */
#include <string.h>

#include "document/fields.h"
#include "util/utf8.h"

/* --- values as texts ---------------------------------------------------------------------------------------------- */

static bool ends_sentence(const struct skill__buf *buf) {
  static const char *const marks[] = {".", "!", "?", ";", ":", "\xe3\x80\x82", "\xef\xbc\x81", "\xef\xbc\x9f"};
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    size_t n = strlen(marks[i]);
    if (buf->length >= n && !memcmp(buf->data + buf->length - n, marks[i], n)) return true;
  }
  return false;
}

void skill__fields_join(struct skill__buf *buf, const struct skill__value *value) {
  if (value->kind == SKILL__SCALAR) {
    skill__buf_add(buf, value->text, value->length);
    return;
  }
  for (const struct skill__value *child = value->first; child; child = child->next) {
    if (child != value->first) skill__buf_text(buf, ends_sentence(buf) ? " " : ", ");
    if (child->key) {
      skill__fields_join(buf, child->key);
      skill__buf_text(buf, ": ");
    }
    skill__fields_join(buf, child);
  }
}

static const char *store(struct skill__fields *f, const char *text, size_t length) {
  while (length && strchr(" \t\r\n", *text)) {
    text++;
    length--;
  }
  while (length && strchr(" \t\r\n", text[length - 1])) length--;
  if (length > SKILL_MAX_DESCRIPTION) length = skill__utf8_floor(text, SKILL_MAX_DESCRIPTION);
  const char *copy = skill__arena_strndup(f->arena, text, length);
  if (!copy) f->findings->status = SKILL_ENOMEM;
  return copy;
}

const char *skill__fields_text(struct skill__fields *f, const struct skill__value *value) {
  if (value->kind == SKILL__SCALAR) return store(f, value->text, value->length);
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL__VALUE_JSON_BYTES);
  skill__fields_join(&buf, value);
  const char *text = skill__buf_status(&buf) ? NULL : store(f, buf.data ? buf.data : "", buf.length);
  if (!text) f->findings->status = SKILL_ENOMEM;
  skill__buf_fini(&buf);
  return text;
}

/* --- texts that represent lists --------------------------------------------------------------------------------- */

static const char wide_comma[] = "\xef\xbc\x8c";  /* U+FF0C */
static const char ideographic[] = "\xe3\x80\x81"; /* U+3001 */

/* Bytes of the separator at `p`; 0: none. */
static size_t separator(const char *p, bool blanks) {
  if (*p == ',' || *p == ';' || *p == '\n') return 1;
  if (!strncmp(p, wide_comma, 3) || !strncmp(p, ideographic, 3)) return 3;
  return blanks && (*p == ' ' || *p == '\t') ? 1 : 0;
}

/* The next separator outside brackets and quotes, or the end. Brackets that never close protect nothing. */
static const char *item_end(const char *p, const char *end, bool blanks) {
  int depth = 0;
  char quote = 0;
  const char *start = p;
  for (; p < end; p++) {
    if (quote) {
      if (*p == quote) quote = 0;
    } else if ((*p == '"' || *p == '\'') && p == start) {
      if (memchr(p + 1, *p, (size_t)(end - p - 1))) quote = *p;
    } else if (*p == '(' || *p == '[' || *p == '{') {
      depth += memchr(p, *p == '(' ? ')' : *p == '[' ? ']' : '}', (size_t)(end - p)) != NULL;
    } else if (depth && (*p == ')' || *p == ']' || *p == '}')) {
      depth--;
    } else if (!depth && separator(p, blanks)) {
      return p;
    }
  }
  return end;
}

static bool any_phrase(const char *text, const char *end) {
  return item_end(text, end, false) < end;
}

static void trim(const char **start, const char **end) {
  while (*start < *end && strchr(" \t\r\n", **start)) ++*start;
  while (*end > *start && strchr(" \t\r\n", (*end)[-1])) --*end;
}

static void unquote(const char **start, const char **end) {
  if (*end - *start < 2) return;
  char c = **start;
  if ((c != '"' && c != '\'') || (*end)[-1] != c) return;
  ++*start;
  --*end;
}

int skill__fields_split(struct skill__arena *arena, const char *text, enum skill__split split, SkillStrings *out) {
  const char *p = text;
  const char *end = text + strlen(text);
  trim(&p, &end);
  if (end - p >= 2 && *p == '[' && end[-1] == ']') {
    p++;
    end--;
    split = SKILL__SPLIT_PHRASES;
  }
  bool blanks = split == SKILL__SPLIT_WORDS && !any_phrase(p, end);
  size_t room = 1;
  for (const char *q = p; q < end; q++) room += separator(q, blanks) > 0;
  if (room > SKILL__LIST_MAX) room = SKILL__LIST_MAX;
  const char **items = skill__arena_alloc(arena, room * sizeof *items);
  if (!items) return SKILL_ENOMEM;
  size_t count = 0;
  while (p < end && count < room) {
    const char *stop = item_end(p, end, blanks);
    const char *from = p;
    const char *to = stop;
    trim(&from, &to);
    unquote(&from, &to);
    if (to > from) {
      items[count] = skill__arena_strndup(arena, from, (size_t)(to - from));
      if (!items[count++]) return SKILL_ENOMEM;
    }
    p = stop < end ? stop + separator(stop, blanks) : end;
  }
  out->items = items;
  out->count = count;
  return 0;
}
