/* SPDX-License-Identifier: MIT
 *
 * Pieces of a long request, each of which may want a skill of its own. Nothing here fails.
 */
#include <string.h>

#include "rank/query/query.h"

static const char *const connectors[] = {"and then", "then",    "also",   "additionally", "furthermore",
                                         "moreover", "finally", "lastly", "after that",   "as well as",
                                         "and also", "next",    "plus"};

#define LETTER(c) (1u << ((c) - 'a'))
static const uint32_t first_letters =
    LETTER('a') | LETTER('f') | LETTER('l') | LETTER('m') | LETTER('n') | LETTER('p') | LETTER('t');

static bool blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool closes(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ')' || c == '"' || c == '\'';
}

/* Bytes of the word at `text` when it equals `word` and a blank follows. */
static size_t word_here(const char *text, size_t length, const char *word) {
  if ((text[0] | 0x20) != word[0]) return 0;
  size_t n = strlen(word);
  if (length <= n || !blank(text[n])) return 0;
  for (size_t i = 0; i < n; i++)
    if ((text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]) != word[i]) return 0;
  return n;
}

static bool stop(char c) {
  return c == '.' || c == '?' || c == '!' || c == ';' || c == ':';
}

/* Bytes of a cut that begins at `at`, or 0. */
static size_t sentence_end(const char *text, size_t length, size_t at) {
  static const char *const stops[] = {"\xe3\x80\x82", "\xef\xbc\x9f", "\xef\xbc\x81", "\xef\xbc\x9b"}; /* 。？！； */
  if (text[at] == '\n') return 1;
  if (stop(text[at])) {
    size_t n = 1;
    while (at + n < length && stop(text[at + n])) n++;
    bool ends = at + n == length || blank(text[at + n]);
    return ends && at > 0 && closes(text[at - 1]) ? n : 0;
  }
  if ((unsigned char)text[at] < 0xe0) return 0;
  for (size_t i = 0; i < 4; i++)
    if (length - at >= 3 && memcmp(text + at, stops[i], 3) == 0) return 3;
  return 0;
}

/* A connector or bullet between blanks, or ", and "; `at` is at a blank or a comma. */
static size_t connector(const char *text, size_t length, size_t at) {
  size_t word = at + (text[at] == ',');
  bool comma = word > at;
  if (word >= length || !blank(text[word])) return 0;
  while (word < length && blank(text[word])) word++;
  if (word + 1 < length && !comma && blank(text[word + 1]) && (text[word] == '-' || text[word] == '*'))
    return word + 1 - at;
  unsigned letter = word < length ? (unsigned)(text[word] | 0x20) - 'a' : 26;
  if (letter > 25 || !(first_letters >> letter & 1)) return 0;
  for (size_t i = 0; i < sizeof connectors / sizeof *connectors; i++) {
    size_t n = word_here(text + word, length - word, connectors[i]);
    if (n) return word + n - at;
  }
  size_t n = comma ? word_here(text + word, length - word, "and") : 0;
  return n ? word + n - at : 0;
}

size_t skill__pieces_cut(const char *text, size_t length, size_t max, size_t *starts, size_t *ends) {
  size_t count = 0, start = 0;
  for (size_t at = 0; at < length && count + 1 < max;) {
    if ((text[at] | 0x20) >= 'a' && (text[at] | 0x20) <= 'z') { /* most of a text */
      at++;
      continue;
    }
    size_t n = sentence_end(text, length, at);
    if (!n && (text[at] == ',' || blank(text[at]))) n = connector(text, length, at);
    if (!n) {
      at++;
      continue;
    }
    if (at > start) {
      starts[count] = start;
      ends[count++] = at;
    }
    at += n;
    start = at;
  }
  if (start < length || count == 0) {
    starts[count] = start;
    ends[count++] = length;
  }
  return count;
}
