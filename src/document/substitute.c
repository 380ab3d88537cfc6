/* SPDX-License-Identifier: MIT
 *
 * Argument substitution in bodies: one pass from left to right. Substituted text is not read again, nothing is run, and
 * unknown references stay as they are.
 */
#include "document/substitute.h"

#include <string.h>

#include "util/alloc.h"
#include "util/options.h"

#define MAX_OUTPUT (16u * SKILL_MAX_FILE)

/* The meaning of one "$…". */
struct reference {
  size_t length;     /* bytes of the body, with the '$' */
  const char *value; /* NULL: unknown; stays as it is */
  bool arguments;    /* its value is (a part of) the arguments */
};

struct substitution {
  const SkillSubstitution *with;
  struct skill__words words;
};

/* ---- words ---- */

static bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Appends one word; returns its end. A quote that is not closed reaches to the end. */
static const char *word(struct skill__buf *buf, const char *p) {
  char quote = 0;
  for (; *p && (quote || !blank(*p)); p++) {
    if (quote && *p == quote) {
      quote = 0;
    } else if (!quote && (*p == '"' || *p == '\'')) {
      quote = *p;
    } else {
      if (*p == '\\' && quote != '\'' && (p[1] == '"' || p[1] == '\\' || p[1] == '\'')) p++;
      skill__buf_char(buf, *p);
    }
  }
  return p;
}

int skill__words_split(struct skill__words *words, const char *text) {
  size_t starts[SKILL__MAX_WORDS] = {0};
  memset(words, 0, sizeof *words);
  if (!text) return 0;
  skill__buf_init(&words->buf, 2 * strlen(text) + 2);
  const char *p = text;
  for (;;) {
    while (blank(*p)) p++;
    if (!*p) break;
    if (words->count == SKILL__MAX_WORDS) {
      words->buf.length--; /* drop the terminator: the rest belongs to the last word */
      skill__buf_char(&words->buf, ' ');
    } else {
      starts[words->count++] = words->buf.length;
    }
    p = word(&words->buf, p);
    skill__buf_char(&words->buf, '\0');
  }
  for (size_t i = 0; i < words->count && !words->buf.status; i++) words->item[i] = words->buf.data + starts[i];
  return words->buf.status;
}

void skill__words_fini(struct skill__words *words) {
  skill__buf_fini(&words->buf);
}

/* ---- references ---- */

static bool name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool digit(char c) {
  return c >= '0' && c <= '9';
}

/* A number of at most three digits; how many bytes it takes. */
static size_t number(const char *text, size_t length, size_t *value) {
  size_t n = 0;
  *value = 0;
  while (n < length && n < 4 && digit(text[n])) *value = *value * 10 + (size_t)(text[n++] - '0');
  return n < 4 ? n : 0;
}

static const char *folder_of(const struct substitution *s, const char *name, size_t length) {
  static const char *const names[] = {"SKILL_DIR", "CLAUDE_SKILL_DIR", "SKILL_ROOT", "CLAUDE_SKILL_ROOT"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) return s->with->folder;
  }
  return NULL;
}

/* The value of a declared argument: `text` begins with its name and no name character follows; the longest wins. */
static size_t declared(const struct substitution *s, const char *text, size_t length, const char **value) {
  size_t best = 0;
  const SkillStrings *names = &s->with->names;
  for (size_t i = 0; i < names->count; i++) {
    size_t size = strlen(names->items[i]);
    bool ends = size < length ? !name_char(text[size]) : size == length;
    if (size <= best || size > length || !ends || memcmp(text, names->items[i], size) != 0) continue;
    if (i >= s->words.count) continue;
    best = size;
    *value = s->words.item[i];
  }
  return best;
}

/* ARGUMENTS, ARGUMENTS[N], N, a folder's name, a declared name: at `text`. Returns the bytes it takes, 0: none. */
static size_t plain(const struct substitution *s, const char *text, size_t length, struct reference *out) {
  size_t size = 0;
  while (size < length && name_char(text[size])) size++;
  if (size == 9 && memcmp(text, "ARGUMENTS", 9) == 0) {
    size_t index;
    size_t digits = length > 10 && text[9] == '[' ? number(text + 10, length - 10, &index) : 0;
    out->arguments = true;
    if (!digits || 10 + digits >= length || text[10 + digits] != ']') {
      out->value = s->with->arguments ? s->with->arguments : "";
      return 9;
    }
    out->value = index < s->words.count ? s->words.item[index] : NULL;
    return out->value ? 11 + digits : 0;
  }
  size_t place;
  size_t digits = number(text, length, &place);
  if (digits && digits == size) {
    out->arguments = true;
    out->value = place >= 1 && place <= s->words.count ? s->words.item[place - 1] : NULL;
    return out->value ? digits : 0;
  }
  out->value = folder_of(s, text, size);
  if (out->value) return size;
  out->arguments = true;
  return declared(s, text, length, &out->value);
}

/* The reference at `text`, which begins with '$'. */
static struct reference reference_at(const struct substitution *s, const char *text, size_t length) {
  struct reference out = {1, NULL, false};
  if (length < 2) return out;
  if (text[1] != '{') {
    size_t size = plain(s, text + 1, length - 1, &out);
    out.length = 1 + size;
    if (!size) out.value = NULL;
    return out;
  }
  const char *close = memchr(text + 2, '}', length - 2 < 256 ? length - 2 : 256);
  size_t inside = close ? (size_t)(close - text - 2) : 0;
  if (inside && plain(s, text + 2, inside, &out) == inside) {
    out.length = inside + 3;
  } else {
    out.value = NULL;
  }
  return out;
}

static bool substitute(const struct substitution *s, const char *body, size_t length, struct skill__buf *out) {
  bool used = false;
  size_t start = 0;
  size_t i = 0;
  while (i < length) {
    const char *dollar = memchr(body + i, '$', length - i);
    if (!dollar) break;
    size_t at = (size_t)(dollar - body);
    struct reference reference = reference_at(s, dollar, length - at);
    i = at + 1;
    if (!reference.value) continue;
    bool escaped = at > start && body[at - 1] == '\\';
    skill__buf_add(out, body + start, at - start - escaped);
    if (escaped) {
      skill__buf_add(out, dollar, reference.length);
    } else {
      skill__buf_text(out, reference.value);
      used = used || reference.arguments;
    }
    start = i = at + reference.length;
  }
  skill__buf_add(out, body + start, length - start);
  return used;
}

int skill_substitute(const char *body, size_t length, const SkillSubstitution *with, char **out, size_t *out_length,
                     bool *used) {
  SkillSubstitution given = SKILL_SUBSTITUTION_INIT;
  if (SKILL__OPTIONS(SkillSubstitution, &given, with, NULL) || (!body && length)) return SKILL_EINVAL;
  struct substitution s = {.with = &given};
  struct skill__buf buf;
  skill__buf_init(&buf, MAX_OUTPUT);
  bool shown = false;
  int status = skill__words_split(&s.words, given.arguments);
  if (!status) shown = substitute(&s, body, length, &buf);
  if (!status) status = skill__buf_status(&buf);
  size_t size = 0;
  char *text = status ? NULL : skill__buf_take(&buf, &size);
  if (!status && !text) status = SKILL_ENOMEM;
  if (!status) {
    *out = text;
    if (out_length) *out_length = size;
    if (used) *used = shown;
  }
  skill__words_fini(&s.words);
  skill__buf_fini(&buf);
  return status;
}
