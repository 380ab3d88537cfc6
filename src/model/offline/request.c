/* SPDX-License-Identifier: MIT
 *
 * Reading a request; see request.h. Values are found in one pass over its words; the first rule that fits decides.
 */
#include "model/offline/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "util/utf8.h"

enum { MAX_WORD = 1024 }; /* bytes of a file name or an address */

/* --- words ----------------------------------------------------------------------------------------------------- */

bool skill__offline_digit(char c) {
  return c >= '0' && c <= '9';
}

bool skill__offline_alnum(char c) {
  return skill__offline_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

size_t skill__offline_match(const char *at, const char *words) {
  while (*words) {
    size_t length = strcspn(words, "|");
    if (length && strncasecmp(at, words, length) == 0) return length;
    words += length + (words[length] == '|');
  }
  return 0;
}

const char *skill__offline_find(const char *text, const char *words, const char **end) {
  for (; *text; text++) {
    size_t length = skill__offline_match(text, words);
    if (!length) continue;
    if (end) *end = text + length;
    return text;
  }
  return NULL;
}

static bool boundary(const char *start, const char *at) {
  return at == start || !skill__offline_alnum(at[-1]) || !skill__offline_alnum(*at);
}

const char *skill__offline_find_word(const char *text, const char *words, const char **end) {
  const char *stop = NULL;
  const char *at = skill__offline_find(text, words, &stop);
  while (at && !(boundary(text, at) && boundary(text, stop))) at = skill__offline_find(at + 1, words, &stop);
  if (at && end) *end = stop;
  return at;
}

bool skill__offline_alike(const char *text, const char *word, size_t length) {
  size_t stem = length > 3 ? length - 1 : length;
  for (const char *at = text; *at && length >= 3; at++) {
    if (boundary(text, at) && strncasecmp(at, word, stem) == 0) return true;
  }
  return false;
}

/* --- values ---------------------------------------------------------------------------------------------------- */

static size_t take_quoted(const char *at, struct skill__offline_value *value) {
  static const char *const quotes[][2] = {{"\"", "\""}, {"`", "`"},   {"“", "”"}, {"‘", "’"},
                                          {"「", "」"}, {"『", "』"}, {"«", "»"}, {"'", "'"}};
  for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
    size_t open = skill__offline_match(at, quotes[i][0]);
    if (!open) continue;
    const char *close = strstr(at + open, quotes[i][1]);
    while (close && *close == '\'' && skill__offline_alnum(close[1])) close = strchr(close + 1, '\''); /* "it's" */
    if (!close || close == at + open) return 0;
    value->kind = SKILL__OFFLINE_QUOTED;
    value->text = at + open;
    value->length = (size_t)(close - value->text);
    return open + value->length + strlen(quotes[i][1]);
  }
  return 0;
}

static void set_own(struct skill__offline_value *value, enum skill__offline_kind kind) {
  value->kind = kind;
  value->text = value->own;
  value->length = strlen(value->own);
}

/* strptime() accepts "2026-02-31" and the year 26: both are refused here. */
static size_t take_date(const char *at, struct skill__offline_value *value) {
  static const char *const formats[] = {"%Y-%m-%d", "%Y/%m/%d", "%Y年%m月%d日", "%m/%d/%Y", "%d/%m/%Y",
                                        "%d.%m.%Y", "%d %B %Y", "%B %d, %Y",    "%B %d %Y"};
  if (!skill__offline_alnum(*at)) return 0;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    struct tm date = {0};
    const char *end = strptime(at, formats[i], &date);
    if (!end || skill__offline_digit(*end) || date.tm_year < 1000 - 1900) continue;
    int day = date.tm_mday;
    timegm(&date);
    if (date.tm_mday != day) continue;
    strftime(value->own, sizeof value->own, "%Y-%m-%d", &date);
    set_own(value, SKILL__OFFLINE_DATE);
    return (size_t)(end - at);
  }
  return 0;
}

static bool is_cjk(uint32_t rune) {
  return (rune >= 0x3040 && rune <= 0x9FFF) || (rune >= 0xAC00 && rune <= 0xD7AF) || rune >= 0x20000;
}

/* Bytes of the word at `at`, which ends at blanks, quotes, wide punctuation, and where Chinese text meets Latin
 * letters: both "分析订单.csv的数据" and "请分析orders.csv" name a file. */
static size_t word_length(const char *at) {
  bool latin = false;
  bool after_cjk = false;
  size_t length = 0;
  while (length < MAX_WORD) {
    uint32_t rune = 0;
    size_t step = skill__utf8_decode(at + length, strnlen(at + length, 4), &rune);
    bool cjk = is_cjk(rune);
    bool mark = rune <= ' ' || rune == '"' || rune == '`' || (rune >= 0x2018 && rune <= 0x303F) || rune >= 0xFF00;
    if (!step || (mark && !cjk) || (cjk && latin) || (after_cjk && skill__offline_alnum(at[length]))) break;
    latin = latin || !cjk;
    after_cjk = cjk;
    length += step;
  }
  while (length && strchr(".,;:!?)'", at[length - 1])) length--;
  return length;
}

/* "orders.csv", "/tmp", "~/notes", "./x", "build/", "https://x.org"; not "km/h", "3.5", "e.g". */
static bool is_file(const char *word, size_t length) {
  const char *dot = memrchr(word, '.', length);
  const char *end = word + length;
  if (length < 2 || memchr(word, '(', length) || memchr(word, '=', length)) return false;
  if (skill__offline_match(word, "/|~/|./|../|http://|https://") || end[-1] == '/') return true;
  if (!dot || length < 4 || end - dot < 2 || end - dot > 6 || skill__offline_digit(dot[1])) return false;
  while (++dot < end && skill__offline_alnum(*dot)) continue;
  return dot == end;
}

static size_t take_word(const char *at, struct skill__offline_value *value) {
  size_t length = word_length(at);
  bool path = skill__offline_alnum(*at) && memchr(at, '[', length);
  value->kind = path ? SKILL__OFFLINE_DATA_PATH : SKILL__OFFLINE_FILE;
  value->text = at;
  value->length = length;
  return path || is_file(at, length) ? length : 0;
}

/* "1,250.5" and "-40". */
static size_t take_digits(const char *at, double *number) {
  char plain[32];
  size_t used = 0;
  const char *p = at;
  if (*p == '-') plain[used++] = *p++;
  if (!skill__offline_digit(*p)) return 0;
  for (; used < sizeof plain - 1; p++) {
    bool group = *p == ',' && skill__offline_digit(p[1]) && skill__offline_digit(p[2]) && skill__offline_digit(p[3]) &&
                 !skill__offline_digit(p[4]);
    bool point = *p == '.' && skill__offline_digit(p[1]) && !memchr(plain, '.', used);
    if (group) continue;
    if (!skill__offline_digit(*p) && !point) break;
    plain[used++] = *p;
  }
  plain[used] = '\0';
  *number = strtod(plain, NULL);
  return (size_t)(p - at);
}

/* "300k", "2 million", "50万". */
static size_t take_scale(const char *at, double *number) {
  static const struct {
    const char *word;
    double factor;
  } scales[] = {{"k", 1e3}, {" thousand", 1e3}, {" million", 1e6}, {" billion", 1e9}, {"万", 1e4}, {"亿", 1e8}};
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
    size_t length = skill__offline_match(at, scales[i].word);
    if (!length || (i < 4 && skill__offline_alnum(at[length]))) continue; /* "3km" is no thousand */
    *number *= scales[i].factor;
    return length;
  }
  return 0;
}

static size_t take_number(const char *at, struct skill__offline_value *value) {
  size_t length = take_digits(at, &value->number);
  if (!length || (at[length] == '.' && skill__offline_digit(at[length + 1]))) return 0; /* 1.2.3 is a version */
  length += take_scale(at + length, &value->number);
  size_t blanks = strspn(at + length, " ");
  size_t percent = skill__offline_match(at + length + blanks, "%|percent|％");
  value->percent = percent > 0;
  if (percent) length += blanks + percent;
  value->unit = at + length + strspn(at + length, " -");
  snprintf(value->own, sizeof value->own, "%.15g", value->number);
  set_own(value, SKILL__OFFLINE_NUMBER);
  return length;
}

/* Bytes to skip where no value begins: a word as a whole, so that its middle is not taken for a value. */
static size_t skip(const char *at) {
  size_t length = 0;
  size_t word = (unsigned char)*at >= 0x80 ? word_length(at) : 0;
  while (length < word && (unsigned char)at[length] >= 0x80) length++;
  if (length) return length;
  while (skill__offline_alnum(at[length]) || (length && at[length] && strchr("_.'-", at[length]))) length++;
  if (!length) length = skill__utf8_length(at, strnlen(at, 4));
  return length ? length : 1;
}

size_t skill__offline_values(const char *request, struct skill__offline_value *values) {
  size_t count = 0;
  for (const char *at = request; *at && count < SKILL__OFFLINE_MAX_VALUES;) {
    struct skill__offline_value *value = &values[count];
    bool sign = *at == '-' && at > request && at[-1] != ' '; /* a hyphen */
    memset(value, 0, sizeof *value);
    size_t length = take_quoted(at, value);
    if (!length) length = take_date(at, value);
    if (!length) length = take_word(at, value);
    if (!length && !sign) length = take_number(at, value);
    value->at = (struct skill__offline_span){at, at + length};
    count += length > 0;
    at += length ? length : skip(at);
  }
  return count;
}
