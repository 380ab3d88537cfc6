/* SPDX-License-Identifier: MIT
 *
 * Reading the search grammar. A quote that is not closed, or a key without a value, is an error with its place;
 * everything else is words.
 */
#include <string.h>

#include "rank/query/filter.h"

struct reader {
  struct skill__filter *filter;
  const SkillRankSnapshot *snapshot;
  struct skill__analyzer *analyzer;
  struct skill__buf *words;
  const char *text;
  size_t length;
  SkillError *err;
  bool singles; /* single characters count: the value has nothing else */
  bool unknown;
};

static bool blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static int fail(const struct reader *reader, size_t at, const char *what) {
  return skill_error_set(reader->err, SKILL_EINVAL, "query, character %zu: %s", at + 1, what);
}

static int token(void *user, const char *text, size_t length, unsigned flags) {
  struct reader *reader = user;
  struct skill__filter *filter = reader->filter;
  if (flags & SKILL__TOKEN_JOINED) return 0; /* its parts are conditions */
  if ((flags & SKILL__TOKEN_SINGLE) && !reader->singles) return 0;
  uint32_t id = skill__dict_find(reader->snapshot->shared->dict, text, length);
  if (id == SKILL__DICT_NONE || id >= reader->snapshot->tokens) {
    reader->unknown = true;
    return 0;
  }
  if (filter->id_count < SKILL__FILTER_IDS) filter->ids[filter->id_count++] = id;
  return 0;
}

static struct skill__condition *add(struct reader *reader, enum skill__filter_kind kind, bool excluded,
                                    const char *text, size_t length) {
  struct skill__filter *filter = reader->filter;
  if (filter->count == SKILL__FILTER_MAX) return NULL;
  struct skill__condition *condition = &filter->conditions[filter->count++];
  *condition = (struct skill__condition){kind, excluded, (uint32_t)filter->id_count, 0, text, length};
  return condition;
}

static int add_words(struct reader *reader, enum skill__filter_kind kind, bool excluded, const char *text,
                     size_t length) {
  struct skill__filter *filter = reader->filter;
  struct skill__condition *condition = add(reader, kind, excluded, text, length);
  if (!condition)
    return skill_error_set(reader->err, SKILL_ELIMIT, "query: more than %d conditions", SKILL__FILTER_MAX);
  reader->unknown = reader->singles = false;
  int status = skill__analyze(reader->analyzer, text, length, token, reader);
  if (!status && filter->id_count == condition->start && !reader->unknown) {
    reader->singles = true;
    status = skill__analyze(reader->analyzer, text, length, token, reader);
  }
  condition->count = (uint32_t)(filter->id_count - condition->start);
  if (reader->unknown && !excluded) filter->impossible = true;
  /* A word that no skill has, excluded, and a stop word are no conditions. */
  if (reader->unknown || condition->count == 0) filter->count--;
  if (!excluded) {
    skill__buf_add(reader->words, text, length);
    skill__buf_char(reader->words, ' ');
  }
  return status ? status : reader->words->status;
}

static int select(struct reader *reader, size_t from, size_t to) {
  struct skill__filter *filter = reader->filter;
  while (from < to) {
    size_t end = from;
    while (end < to && reader->text[end] != ',') end++;
    if (end > from) {
      if (filter->selected_count == SKILL__FILTER_MAX)
        return skill_error_set(reader->err, SKILL_ELIMIT, "query: more than %d selected names", SKILL__FILTER_MAX);
      filter->selected[filter->selected_count] = reader->text + from;
      filter->selected_length[filter->selected_count++] = end - from;
    }
    from = end + 1;
  }
  return filter->selected_count ? 0 : fail(reader, to, "select: needs names, apart by commas");
}

static bool key(const struct reader *reader, size_t at, const char *name) {
  size_t n = strlen(name);
  return reader->length - at >= n && memcmp(reader->text + at, name, n) == 0;
}

/* A value, perhaps in quotes; *at is moved behind it. */
static int value(const struct reader *reader, size_t *at, size_t *from, size_t *to, bool *quoted) {
  size_t i = *at;
  *quoted = i < reader->length && reader->text[i] == '"';
  if (*quoted) {
    const char *end = memchr(reader->text + i + 1, '"', reader->length - i - 1);
    if (!end) return fail(reader, i, "this quote is not closed");
    *from = i + 1;
    *to = (size_t)(end - reader->text);
    *at = *to + 1;
    return 0;
  }
  *from = i;
  while (i < reader->length && !blank(reader->text[i])) i++;
  *to = *at = i;
  return 0;
}

static int add_key(struct reader *reader, size_t *at, enum skill__filter_kind kind, size_t skip, bool excluded) {
  size_t from = 0, to = 0, start = *at;
  bool quoted = false;
  *at += skip;
  int status = value(reader, at, &from, &to, &quoted);
  if (status) return status;
  if (from == to) return fail(reader, start, "tag: and source: need a value");
  return add(reader, kind, excluded, reader->text + from, to - from)
             ? 0
             : skill_error_set(reader->err, SKILL_ELIMIT, "query: more than %d conditions", SKILL__FILTER_MAX);
}

static int read_item(struct reader *reader, size_t *at) {
  const char *text = reader->text;
  size_t start = *at, from = 0, to = 0;
  bool sign = (text[start] == '+' || text[start] == '-') && start + 1 < reader->length && !blank(text[start + 1]);
  bool excluded = sign && text[start] == '-', quoted = false;
  *at += sign;
  if (key(reader, *at, "tag:")) return add_key(reader, at, SKILL__FILTER_TAG, 4, excluded);
  if (key(reader, *at, "source:")) return add_key(reader, at, SKILL__FILTER_SOURCE, 7, excluded);
  if (!sign && key(reader, *at, "select:")) {
    while (*at < reader->length && !blank(text[*at])) ++*at;
    return select(reader, start + 7, *at);
  }
  int status = value(reader, at, &from, &to, &quoted);
  if (status) return status;
  if (quoted) return add_words(reader, SKILL__FILTER_PHRASE, excluded, text + from, to - from);
  if (sign) return add_words(reader, SKILL__FILTER_ALL, excluded, text + from, to - from);
  skill__buf_add(reader->words, text + from, to - from);
  skill__buf_char(reader->words, ' ');
  return reader->words->status;
}

int skill__filter_read(struct skill__filter *filter, const SkillRankSnapshot *snapshot,
                       struct skill__analyzer *analyzer, const char *text, size_t length, struct skill__buf *words,
                       SkillError *err) {
  struct reader reader = {filter, snapshot, analyzer, words, text, length, err, false, false};
  memset(filter, 0, sizeof *filter);
  filter->dict = snapshot->shared->dict;
  for (size_t at = 0; at < length;) {
    if (blank(text[at])) {
      at++;
      continue;
    }
    int status = read_item(&reader, &at);
    if (status) return status;
  }
  return 0;
}
