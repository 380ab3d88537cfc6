/* SPDX-License-Identifier: MIT
 *
 * Entities of a request, English and Chinese, by hand-written rules: one pass, the first rule that fits wins.
 * Never fails; what no rule knows is left alone.
 */
#include "model/offline/entity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/offline/scan.h"
#include "util/json.h"
#include "util/utf8.h"

bool skill__rune_is_cjk(unsigned rune) {
  return (rune >= 0x3040 && rune <= 0x30FF) || (rune >= 0x3400 && rune <= 0x9FFF) ||
         (rune >= 0xAC00 && rune <= 0xD7AF) || (rune >= 0xF900 && rune <= 0xFAFF) ||
         (rune >= 0x20000 && rune <= 0x3FFFF);
}

/* --- quoted text ----------------------------------------------------------------------------------------------- */

static const struct {
  const char *open, *close;
} quotes[] = {{"\"", "\""},
              {"`", "`"},
              {"\xE2\x80\x9C", "\xE2\x80\x9D"},
              {"\xE2\x80\x98", "\xE2\x80\x99"},
              {"\xE3\x80\x8C", "\xE3\x80\x8D"},
              {"\xE3\x80\x8E", "\xE3\x80\x8F"},
              {"\xC2\xAB", "\xC2\xBB"},
              {"'", "'"}};

static const char *find_text(const char *at, const char *end, const char *what) {
  size_t length = strlen(what);
  for (; (size_t)(end - at) >= length; at++) {
    if (memcmp(at, what, length) == 0) return at;
  }
  return NULL;
}

/* An apostrophe opens a quotation only where no word goes on before it, and closes it only where none goes on after. */
static const char *closing(const char *start, const char *at, const char *end, size_t which) {
  const char *open = quotes[which].open;
  const char *stop = find_text(at + strlen(open), end, quotes[which].close);
  if (*open != '\'') return stop;
  if (at > start && skill__is_word_byte(at[-1])) return NULL;
  while (stop && stop + 1 < end && skill__is_word_byte(stop[1])) stop = find_text(stop + 1, end, "'");
  return stop;
}

static size_t take_quoted(const char *start, const char *at, const char *end, struct skill__entity *entity) {
  for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
    size_t open = strlen(quotes[i].open);
    if ((size_t)(end - at) <= open || memcmp(at, quotes[i].open, open) != 0) continue;
    const char *stop = closing(start, at, end, i);
    if (!stop || stop == at + open) return 0;
    entity->kind = SKILL__ENTITY_QUOTED;
    entity->text = at + open;
    entity->length = (size_t)(stop - entity->text);
    return (size_t)(stop - at) + strlen(quotes[i].close);
  }
  return 0;
}

/* --- JSON ------------------------------------------------------------------------------------------------------ */

static size_t take_json(const char *at, const char *end, struct skill__entity *entity) {
  size_t length = *at == '{' || *at == '[' ? skill__json_scan(at, (size_t)(end - at)) : 0;
  if (!length) return 0;
  entity->kind = SKILL__ENTITY_JSON;
  entity->text = at;
  entity->length = length;
  return length;
}

/* --- words that are files, addresses or formulas --------------------------------------------------------------- */

/* The run of bytes without blanks, quotes and wide punctuation; it ends where Latin text meets a script without
 * spaces, so that a file name in a Chinese sentence is found. */
static size_t run_length(const char *at, const char *end) {
  bool latin = false;
  bool after_cjk = false;
  const char *p = at;
  while (p < end) {
    uint32_t rune = 0;
    size_t n = skill__utf8_decode(p, (size_t)(end - p), &rune);
    if (!n || rune <= ' ' || rune == '"' || rune == '`' || rune == 0x3000 || (rune >= 0xFF00 && rune <= 0xFF0F) ||
        (rune >= 0x3001 && rune <= 0x3011) || (rune >= 0x2018 && rune <= 0x201F) || rune == 0xFF1A || rune == 0xFF1B ||
        rune == 0xFF1F) {
      break;
    }
    bool cjk = skill__rune_is_cjk(rune);
    if (cjk && latin && p > at) break;
    if (after_cjk && skill__is_alnum(*p)) break;
    latin = latin || !cjk;
    after_cjk = cjk;
    p += n;
  }
  while (p > at && strchr(".,;:!?)'", p[-1]) && !(p[-1] == ')' && memchr(at, '(', (size_t)(p - at)))) p--;
  return (size_t)(p - at);
}

static bool is_extension(const char *dot, size_t length) {
  bool letter = false;
  if (length < 2 || length > 6) return false;
  for (size_t i = 1; i < length; i++) {
    if (!skill__is_alnum(dot[i])) return false;
    letter = letter || !skill__is_digit(dot[i]);
  }
  return letter;
}

static bool is_file(const char *word, size_t length) {
  const char *slash = memchr(word, '/', length);
  const char *dot = NULL;
  for (size_t i = 0; i < length; i++) dot = word[i] == '.' ? word + i : dot;
  if (memchr(word, '[', length) || memchr(word, '(', length) || memchr(word, '=', length)) return false;
  if (dot && dot > word && is_extension(dot, length - (size_t)(dot - word))) return true;
  if (!slash || length < 2) return false;
  return *word == '/' || *word == '~' || *word == '.' || memchr(slash + 1, '/', length - (size_t)(slash + 1 - word)) ||
         word[length - 1] == '/';
}

static bool is_email(const char *word, size_t length) {
  const char *at = memchr(word, '@', length);
  return at && at > word && memchr(at, '.', length - (size_t)(at - word)) && word[length - 1] != '.';
}

static bool is_formula(const char *word, size_t length) {
  bool digit = false;
  bool sign = false;
  for (size_t i = 0; i < length; i++) {
    digit = digit || skill__is_digit(word[i]);
    sign = sign || (i && strchr("+*^/%", word[i])) || (i && word[i] == '-' && skill__is_digit(word[i - 1]));
    if (!skill__is_digit(word[i]) && !strchr("+-*/^().%", word[i])) return false;
  }
  return digit && sign && length > 2 && word[length - 1] != '%';
}

static size_t take_word(const char *at, const char *end, struct skill__entity *entity) {
  size_t length = run_length(at, end);
  if (!length) return 0;
  if (length > 8 && (!strncasecmp(at, "http://", 7) || !strncasecmp(at, "https://", 8))) {
    entity->kind = SKILL__ENTITY_URL;
  } else if (is_email(at, length)) {
    entity->kind = SKILL__ENTITY_EMAIL;
  } else if (is_formula(at, length)) {
    entity->kind = SKILL__ENTITY_CODE;
  } else if (is_file(at, length)) {
    entity->kind = SKILL__ENTITY_FILE;
  } else if (!skill__is_digit(*at) && (memchr(at, '[', length) || (length > 2 && at[0] == '$' && at[1] == '.'))) {
    entity->kind = SKILL__ENTITY_CODE;
  } else {
    return 0;
  }
  entity->text = at;
  entity->length = length;
  return length;
}

/* --- all of it ------------------------------------------------------------------------------------------------- */

static bool word_begins(const char *start, const char *at) {
  if (at == start) return true;
  unsigned char before = (unsigned char)at[-1];
  if (before >= 0x80) return true; /* after wide punctuation or Han */
  return !skill__is_word_byte(at[-1]) && !(before == '.' && at - 1 > start && skill__is_digit(at[-2]));
}

size_t skill__entities_find(const char *text, size_t length, struct skill__entity *entities) {
  const char *end = text + length;
  size_t count = 0;
  for (const char *at = text; at < end && count < SKILL__MAX_ENTITIES;) {
    struct skill__entity *entity = &entities[count];
    memset(entity, 0, sizeof *entity);
    size_t n = take_quoted(text, at, end, entity);
    if (!n) n = take_json(at, end, entity);
    if (!n && word_begins(text, at)) n = skill__scan_date(at, end, entity);
    /* After a number a word with a slash is a unit: 5 km/h. */
    bool unit = count && entities[count - 1].kind == SKILL__ENTITY_NUMBER && entities[count - 1].unit &&
                at < entities[count - 1].unit + entities[count - 1].unit_length && at >= entities[count - 1].unit;
    if (!n && !unit && word_begins(text, at)) n = take_word(at, end, entity);
    if (!n && !unit) n = skill__scan_number(text, at, end, entity);
    if (n) {
      entity->from = (size_t)(at - text);
      entity->to = entity->from + n;
      at += n;
      count++;
      continue;
    }
    size_t step = skill__utf8_length(at, (size_t)(end - at));
    at += step ? step : 1;
  }
  return count;
}
