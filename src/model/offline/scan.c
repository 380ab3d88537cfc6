/* SPDX-License-Identifier: MIT
 *
 * Numbers ("1,250.5", "30-year", "$2.5k", "4.5 %", "twelve", "三十五万") with their units, and dates ("2026-03-01",
 * "1 March 2026", "2026年3月1日", "3/1/2026" read month first). Never fails.
 */
#include "model/offline/scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/utf8.h"

static bool starts(const char *at, const char *end, const char *what) {
  size_t length = strlen(what);
  return (size_t)(end - at) >= length && memcmp(at, what, length) == 0;
}

static const char *skip_blanks(const char *at, const char *end) {
  while (at < end && *at == ' ') at++;
  return at;
}

/* --- units and scales ------------------------------------------------------------------------------------------ */

static const struct {
  const char *word;
  double factor;
} scales[] = {{"\xE4\xBA\xBF", 1e8}, {"\xE4\xB8\x87", 1e4}, {"\xE5\x8D\x83", 1e3}, {"\xE7\x99\xBE", 1e2}};

static const char *const money_before[] = {"$", "\xE2\x82\xAC", "\xC2\xA3", "\xC2\xA5", "\xEF\xBF\xA5"};
static const char *const money_after[] = {
    "dollar", "usd", "eur", "pound", "yuan", "rmb", "\xE5\x85\x83", "\xE7\xBE\x8E\xE5\x85\x83", "euro", "cny"};

static bool one_of(const char *const *list, size_t count, const char *at, const char *end) {
  for (size_t i = 0; i < count; i++) {
    size_t length = strlen(list[i]);
    if ((size_t)(end - at) >= length && strncasecmp(at, list[i], length) == 0) return true;
  }
  return false;
}

/* "k", "m", "million" … directly after digits; not the beginning of a unit such as "km". */
static const char *take_scale(const char *at, const char *end, double *number) {
  static const struct {
    const char *word;
    double factor;
  } words[] = {{" million", 1e6}, {" billion", 1e9}, {" thousand", 1e3}, {"k", 1e3}};
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
    /* "3千米" and "5千克" are kilometres and kilograms. */
    if (!starts(at, end, scales[i].word)) continue;
    const char *next = at + strlen(scales[i].word);
    if (scales[i].factor == 1e3 && (starts(next, end, "\xE7\xB1\xB3") || starts(next, end, "\xE5\x85\x8B"))) continue;
    *number *= scales[i].factor;
    return next;
  }
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i].word);
    if ((size_t)(end - at) < length || strncasecmp(at, words[i].word, length) != 0) continue;
    if (at + length < end && skill__is_word_byte(at[length])) continue;
    *number *= words[i].factor;
    return at + length;
  }
  return at;
}

/* The word that says what was counted: letters with / ^ and °, or a run of Han of at most four characters. */
static void find_unit(const char *at, const char *end, struct skill__entity *entity) {
  const char *p = at;
  if (p < end && *p == '-' && p + 1 < end && skill__is_alpha(p[1])) p++;
  p = skip_blanks(p, end);
  const char *start = p;
  size_t runes = 0;
  while (p < end && runes < 24) {
    uint32_t rune = 0;
    size_t n = skill__utf8_decode(p, (size_t)(end - p), &rune);
    bool cjk = skill__rune_is_cjk(rune);
    if (cjk && runes >= 4) break;
    bool letter = skill__is_alpha(*p) || cjk || rune == 0xB0 || rune == 0x2103 || rune == 0x2109 || rune == 0xB2 ||
                  rune == 0xB3 || (p > start && (strchr("/^-_", *p) || skill__is_digit(*p)));
    if (!n || !letter || (cjk && p > start && skill__is_alpha(p[-1]))) break;
    p += n;
    runes++;
  }
  if (p == start) return;
  entity->unit = start;
  entity->unit_length = (size_t)(p - start);
  entity->money = entity->money || one_of(money_after, sizeof money_after / sizeof *money_after, start, p);
}

/* --- numbers --------------------------------------------------------------------------------------------------- */

static size_t take_digits(const char *at, const char *end, double *number) {
  char plain[64];
  size_t used = 0;
  const char *p = at;
  if (p < end && (*p == '-' || *p == '+')) plain[used++] = *p++;
  const char *first = p;
  while (p < end && used < sizeof plain - 1) {
    bool group = *p == ',' && p > first && end - p > 3 && skill__is_digit(p[1]) && skill__is_digit(p[2]) &&
                 skill__is_digit(p[3]) && (end - p == 4 || !skill__is_digit(p[4]));
    bool point = *p == '.' && end - p > 1 && skill__is_digit(p[1]) && !memchr(plain, '.', used);
    if (!skill__is_digit(*p) && !group && !point) break;
    if (!group) plain[used++] = *p;
    p++;
  }
  if (p == first || !skill__is_digit(*first)) return 0;
  plain[used] = '\0';
  *number = strtod(plain, NULL);
  return (size_t)(p - at);
}

static int han_digit(uint32_t rune) {
  static const uint32_t digits[] = {0x96F6, 0x4E00, 0x4E8C, 0x4E09, 0x56DB, 0x4E94, 0x516D, 0x4E03, 0x516B, 0x4E5D};
  for (int i = 0; i < 10; i++) {
    if (rune == digits[i]) return i;
  }
  return rune == 0x4E24 ? 2 : -1;
}

static double han_unit(uint32_t rune) {
  return rune == 0x5341 ? 10 : rune == 0x767E ? 100 : rune == 0x5343 ? 1000 : 0;
}

/* A number in Han characters; one alone counts only as ten or more, since most single ones are part of a word. */
static size_t take_han(const char *at, const char *end, double *number) {
  double total = 0;
  double section = 0;
  double digit = 0;
  size_t runes = 0;
  bool unit_seen = false;
  const char *p = at;
  while (p < end) {
    uint32_t rune = 0;
    size_t n = skill__utf8_decode(p, (size_t)(end - p), &rune);
    int value = n ? han_digit(rune) : -1;
    double unit = n ? han_unit(rune) : 0;
    double big = rune == 0x4E07 ? 1e4 : rune == 0x4EBF ? 1e8 : 0;
    bool small = unit > 0;
    bool large = big > 0;
    if (value < 0 && !small && !(large && runes)) break;
    if (value >= 0) digit = value;
    if (small) section += (digit > 0 ? digit : 1) * unit, digit = 0;
    if (large && value < 0 && !small) total = (total + section + digit) * big, section = digit = 0;
    unit_seen = unit_seen || small || large;
    runes++;
    p += n;
  }
  *number = total + section + digit;
  return runes > 1 && unit_seen ? (size_t)(p - at) : 0;
}

static size_t take_english(const char *at, const char *end, double *number) {
  static const char *const words[] = {"zero",  "one",   "two",  "three", "four",   "five",  "six",
                                      "seven", "eight", "nine", "ten",   "eleven", "twelve"};
  for (size_t i = 2; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i]);
    if ((size_t)(end - at) <= length || strncasecmp(at, words[i], length) != 0) continue;
    if (skill__is_word_byte(at[length])) continue;
    *number = (double)i;
    return length;
  }
  return 0;
}

size_t skill__scan_number(const char *start, const char *at, const char *end, struct skill__entity *entity) {
  const char *p = at;
  bool begins = at == start || !skill__is_word_byte(at[-1]) || (unsigned char)at[-1] >= 0x80;
  if (!begins || (at > start && at[-1] == '.' && at - 1 > start && skill__is_digit(at[-2]))) return 0;
  for (size_t i = 0; i < sizeof money_before / sizeof *money_before; i++) {
    if (!starts(p, end, money_before[i])) continue;
    entity->money = true;
    p = skip_blanks(p + strlen(money_before[i]), end);
    break;
  }
  if (p < end && *p == '-' && at > start && at[-1] != ' ') return 0; /* a hyphen, no sign */
  double number = 0;
  size_t n = take_digits(p, end, &number);
  if (!n && p == at) n = take_han(p, end, &number);
  if (!n && p == at) n = take_english(p, end, &number);
  if (!n) return 0;
  p = take_scale(p + n, end, &number);
  const char *after = skip_blanks(p, end);
  if (after < end && (*after == '%' || starts(after, end, "percent") || starts(after, end, "\xEF\xBC\x85"))) {
    entity->percent = true;
    p = *after == '%' ? after + 1 : p;
  }
  entity->kind = SKILL__ENTITY_NUMBER;
  entity->number = number;
  find_unit(p, end, entity);
  snprintf(entity->own, sizeof entity->own, "%.15g", number);
  entity->text = entity->own;
  entity->length = strlen(entity->own);
  return (size_t)(p - at);
}

/* --- dates ----------------------------------------------------------------------------------------------------- */

static size_t take_small(const char *at, const char *end, size_t most, int *value) {
  size_t n = 0;
  *value = 0;
  while (n < most && at + n < end && skill__is_digit(at[n])) *value = *value * 10 + (at[n++] - '0');
  return n;
}

static size_t date_made(int year, int month, int day, size_t length, struct skill__entity *entity) {
  static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (year < 1000 || year > 9999 || month < 1 || month > 12 || day < 1 || day > days[month - 1]) return 0;
  entity->kind = SKILL__ENTITY_DATE;
  snprintf(entity->own, sizeof entity->own, "%04d-%02d-%02d", year, month, day);
  entity->text = entity->own;
  entity->length = strlen(entity->own);
  return length;
}

/* YYYY-MM-DD with - / . or 年 月 日 between. */
static size_t year_first(const char *at, const char *end, struct skill__entity *entity) {
  static const char *const han[] = {"\xE5\xB9\xB4", "\xE6\x9C\x88", "\xE6\x97\xA5"};
  int year;
  int month;
  int day;
  const char *p = at;
  size_t n = take_small(p, end, 4, &year);
  if (n != 4 || p + n >= end) return 0;
  p += n;
  bool chinese = starts(p, end, han[0]);
  char mark = *p;
  if (!chinese && !strchr("-/.", mark)) return 0;
  p += chinese ? 3 : 1;
  n = take_small(p, end, 2, &month);
  p += n;
  if (!n || p >= end || !(chinese ? starts(p, end, han[1]) : *p == mark)) return 0;
  p += chinese ? 3 : 1;
  n = take_small(p, end, 2, &day);
  p += n;
  if (!n || (p < end && skill__is_digit(*p))) return 0;
  if (chinese && starts(p, end, han[2])) p += 3;
  return date_made(year, month, day, (size_t)(p - at), entity);
}

/* M/D/YYYY; where the first cannot be a month, D/M/YYYY. */
static size_t year_last(const char *at, const char *end, struct skill__entity *entity) {
  int first;
  int second;
  int year;
  const char *p = at;
  size_t n = take_small(p, end, 2, &first);
  if (!n || p + n >= end || !strchr("/.", p[n])) return 0;
  char mark = p[n];
  p += n + 1;
  n = take_small(p, end, 2, &second);
  if (!n || p + n >= end || p[n] != mark) return 0;
  p += n + 1;
  n = take_small(p, end, 4, &year);
  if (n != 4) return 0;
  bool day_first = first > 12 || mark == '.';
  return date_made(year, day_first ? second : first, day_first ? first : second, (size_t)(p + n - at), entity);
}

static size_t month_name(const char *at, const char *end, int *month) {
  static const char *const names[] = {"january", "february", "march",     "april",   "may",      "june",
                                      "july",    "august",   "september", "october", "november", "december"};
  size_t n = 0;
  while (at + n < end && skill__is_alpha(at[n])) n++;
  for (int i = 0; i < 12; i++) {
    bool whole = n == strlen(names[i]);
    if ((!whole && n != 3 && !(i == 8 && n == 4)) || strncasecmp(at, names[i], n) != 0) continue;
    *month = i + 1;
    return at + n < end && at[n] == '.' ? n + 1 : n;
  }
  return 0;
}

static const char *skip_ordinal(const char *p, const char *end) {
  static const char *const endings[] = {"st", "nd", "rd", "th"};
  return one_of(endings, 4, p, end) ? p + 2 : p;
}

/* "1 March 2026", "March 1st, 2026". */
static size_t month_in_words(const char *at, const char *end, struct skill__entity *entity) {
  int day = 0;
  int month = 0;
  int year = 0;
  const char *p = at;
  size_t n = month_name(p, end, &month);
  if (n) {
    p = skip_blanks(p + n, end);
    n = take_small(p, end, 2, &day);
    p = skip_ordinal(p + n, end);
  } else {
    n = take_small(p, end, 2, &day);
    if (!n) return 0;
    p = skip_blanks(skip_ordinal(p + n, end), end);
    if (starts(p, end, "of ")) p += 3;
    n = month_name(p, end, &month);
    p += n;
  }
  if (!n || !month) return 0;
  if (p < end && *p == ',') p++;
  p = skip_blanks(p, end);
  n = take_small(p, end, 4, &year);
  return n == 4 ? date_made(year, month, day, (size_t)(p + n - at), entity) : 0;
}

size_t skill__scan_date(const char *at, const char *end, struct skill__entity *entity) {
  size_t n = year_first(at, end, entity);
  if (!n) n = year_last(at, end, entity);
  return n ? n : month_in_words(at, end, entity);
}
