/* SPDX-License-Identifier: MIT
 *
 * Phrases of a request; see the header. Never fails.
 */
#include "model/offline/phrase.h"

#include <string.h>
#include <strings.h>

#include "model/offline/scan.h"
#include "util/utf8.h"

static bool boundary(const char *text, size_t length, size_t at) {
  if (at == 0 || at >= length) return true;
  bool before = skill__is_alnum(text[at - 1]);
  bool after = skill__is_alnum(text[at]);
  return !(before && after);
}

bool skill__phrase_find(const char *text, size_t length, const char *word, struct skill__span *at) {
  size_t n = strlen(word);
  for (size_t i = 0; n && i + n <= length; i++) {
    if (strncasecmp(text + i, word, n) != 0 || !boundary(text, length, i) || !boundary(text, length, i + n)) continue;
    *at = (struct skill__span){i, i + n};
    return true;
  }
  return false;
}

bool skill__phrase_holds(const char *text, size_t length, const char *word) {
  struct skill__span at;
  return skill__phrase_find(text, length, word, &at);
}

static bool ends_with(const char *text, size_t at, const char *word) {
  size_t n = strlen(word);
  return at >= n && strncasecmp(text + at - n, word, n) == 0;
}

bool skill__phrase_negated(const char *text, size_t length, struct skill__span at) {
  static const char *const words[] = {"no",    "not",          "without",      "don't",
                                      "never", "\xE4\xB8\x8D", "\xE6\xB2\xA1", "\xE6\x97\xA0"};
  size_t end = at.from;
  (void)length;
  while (end && (text[end - 1] == ' ' || text[end - 1] == '-')) end--;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (ends_with(text, end, words[i])) return true;
  }
  return false;
}

static bool begins_with(const char *text, size_t length, size_t at, const char *word) {
  size_t n = strlen(word);
  return at + n <= length && strncasecmp(text + at, word, n) == 0;
}

static size_t skip_blanks(const char *text, size_t length, size_t at) {
  while (at < length && text[at] == ' ') at++;
  return at;
}

size_t skill__phrase_after_name(const char *text, size_t length, size_t at, bool *marked) {
  static const char *const marks[] = {":", "=", "\xEF\xBC\x9A", "is ", "of ", "\xE4\xB8\xBA", "\xE6\x98\xAF"};
  at = skip_blanks(text, length, at);
  *marked = false;
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    if (!begins_with(text, length, at, marks[i])) continue;
    *marked = i < 3;
    at += strlen(marks[i]);
    break;
  }
  return skip_blanks(text, length, at);
}

/* Length of a mark at `at` that ends a phrase; 0: none. */
static size_t stop_at(const char *text, size_t length, size_t at) {
  static const char *const stops[] = {",",
                                      ";",
                                      "?",
                                      "!",
                                      "\n",
                                      "\xEF\xBC\x8C",
                                      "\xE3\x80\x82",
                                      "\xEF\xBC\x9F",
                                      "\xEF\xBC\x9B",
                                      "\xEF\xBC\x81",
                                      " and ",
                                      " please",
                                      " for me",
                                      " with ",
                                      " using ",
                                      " if "};
  if (text[at] == '.' && (at + 1 == length || text[at + 1] == ' ')) return 1;
  for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
    if (begins_with(text, length, at, stops[i])) return strlen(stops[i]);
  }
  return 0;
}

static struct skill__span trim(const char *text, struct skill__span span) {
  static const char *const articles[] = {"the ", "a ", "an ", "degrees ", "degree "};
  while (span.from < span.to && text[span.from] == ' ') span.from++;
  for (size_t i = 0; i < sizeof articles / sizeof *articles; i++) {
    if (begins_with(text, span.to, span.from, articles[i])) span.from += strlen(articles[i]);
  }
  while (span.to > span.from && (text[span.to - 1] == ' ' || text[span.to - 1] == '?' || text[span.to - 1] == '.')) {
    span.to--;
  }
  return span;
}

struct skill__span skill__phrase_until_stop(const char *text, size_t length, size_t at) {
  size_t end = at;
  while (end < length && !stop_at(text, length, end)) end++;
  return trim(text, (struct skill__span){at, end});
}

struct skill__span skill__phrase_after_colon(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    bool wide = begins_with(text, length, i, "\xEF\xBC\x9A");
    if (!wide && text[i] != ':') continue;
    size_t after = i + (wide ? 3 : 1);
    bool part = !wide && after < length && text[after] != ' ' && text[after] != '\n';
    if (part) continue;
    struct skill__span span = {after, length};
    while (span.from < span.to && (text[span.from] == ' ' || text[span.from] == '\n')) span.from++;
    while (span.to > span.from && (text[span.to - 1] == ' ' || text[span.to - 1] == '\n')) span.to--;
    return span;
  }
  return (struct skill__span){length, length};
}

/* The first of the words that part A from B, within the phrase that begins at `at`. */
static bool find_link(const char *text, size_t length, size_t at, size_t *from, size_t *to) {
  static const char *const links[] = {" to ",
                                      " into ",
                                      " in ",
                                      " as ",
                                      " = ",
                                      "\xE6\x8D\xA2\xE7\xAE\x97\xE6\x88\x90",             /* 换算成 */
                                      "\xE6\x8D\xA2\xE7\xAE\x97\xE4\xB8\xBA",             /* 换算为 */
                                      "\xE8\xBD\xAC\xE6\x8D\xA2\xE6\x88\x90",             /* 转换成 */
                                      "\xE8\xBD\xAC\xE6\x8D\xA2\xE4\xB8\xBA",             /* 转换为 */
                                      "\xE8\xBD\xAC\xE6\x88\x90",                         /* 转成 */
                                      "\xE6\x8D\xA2\xE6\x88\x90",                         /* 换成 */
                                      "\xE7\xAD\x89\xE4\xBA\x8E\xE5\xA4\x9A\xE5\xB0\x91", /* 等于多少 */
                                      "\xE6\x98\xAF\xE5\xA4\x9A\xE5\xB0\x91",             /* 是多少 */
                                      "\xE5\x90\x88\xE5\xA4\x9A\xE5\xB0\x91",             /* 合多少 */
                                      "\xE5\x88\xB0"};                                    /* 到 */
  for (size_t i = at; i < length; i++) {
    for (size_t k = 0; k < sizeof links / sizeof *links; k++) {
      if (!begins_with(text, length, i, links[k])) continue;
      *from = i;
      *to = i + strlen(links[k]);
      return true;
    }
    if (i > at && text[i] == '\n') return false;
  }
  return false;
}

/* "how many kilometres are in 26.2 miles", "26.2 miles 是多少": the number comes last. */
static bool many_in(const char *text, size_t length, const struct skill__entity *number, struct skill__span spans[2]) {
  struct skill__span many;
  if (!skill__phrase_find(text, length, "how many", &many) && !skill__phrase_find(text, length, "how much", &many)) {
    return false;
  }
  if (many.to > number->from) return false;
  static const char *const ends[] = {" is ", " are ", " in ", " do ", " does ", " equals ", " for "};
  size_t end = many.to;
  for (bool found = false; end < number->from && !found;) {
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) found = found || begins_with(text, length, end, ends[i]);
    end += !found;
  }
  spans[1] = trim(text, (struct skill__span){many.to, end});
  spans[0] = skill__phrase_until_stop(text, length, number->to);
  return spans[1].to > spans[1].from && spans[0].to > spans[0].from;
}

static const struct skill__entity *first_number(const struct skill__entity *entities, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (entities[i].kind == SKILL__ENTITY_NUMBER) return &entities[i];
  }
  return NULL;
}

bool skill__phrase_from_to(const char *text, size_t length, const struct skill__entity *entities, size_t count,
                           struct skill__span spans[2]) {
  const struct skill__entity *number = first_number(entities, count);
  struct skill__span word;
  size_t link = 0;
  size_t after = 0;
  if (number && many_in(text, length, number, spans)) return true;
  size_t start = number ? number->to : 0;
  if (skill__phrase_find(text, length, "from", &word) && word.to > start) start = word.to;
  if (!find_link(text, length, start, &link, &after)) return false;
  spans[0] = number || start ? trim(text, (struct skill__span){start, link}) : (struct skill__span){0, 0};
  spans[1] = skill__phrase_until_stop(text, length, after);
  return spans[1].to > spans[1].from;
}
