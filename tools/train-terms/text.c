/* SPDX-License-Identifier: MIT
 *
 * Text functions of the trainer: removing Markdown, detecting Chinese, finding phrases.
 */
#include <string.h>

#include "train.h"
#include "util/utf8.h"

size_t text_rune(struct span text, size_t at, uint32_t *rune) {
  size_t length = skill__utf8_decode(text.text + at, text.length - at, rune);
  if (length) return length;
  *rune = 0xfffd;
  return 1;
}

bool rune_is_han(uint32_t rune) {
  return (rune >= 0x4e00 && rune <= 0x9fff) || (rune >= 0x3400 && rune <= 0x4dbf);
}

bool text_is_chinese(struct span text) {
  size_t han = 0, all = 0;
  uint32_t rune;
  for (size_t at = 0; at < text.length; all++) {
    at += text_rune(text, at, &rune);
    han += rune_is_han(rune);
  }
  return han >= 3 && han * 100 >= all * 15;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool begins(struct span text, size_t at, const char *word) {
  size_t length = strlen(word);
  return text.length - at >= length && memcmp(text.text + at, word, length) == 0;
}

/* Length of a URL or a link's target at `at`; 0: neither. */
static size_t skipped_at(struct span text, size_t at) {
  size_t end = at;
  if (begins(text, at, "http://") || begins(text, at, "https://")) {
    while (end < text.length && !is_blank(text.text[end]) && text.text[end] != ')' && text.text[end] != '"') end++;
    return end - at;
  }
  if (begins(text, at, "](")) {
    while (end < text.length && text.text[end] != ')' && text.text[end] != '\n') end++;
    return end < text.length ? end + 1 - at : end - at;
  }
  if (begins(text, at, "**") || begins(text, at, "__")) return 2;
  return 0;
}

void text_clean(struct skill__buf *out, struct span text, size_t most) {
  size_t begin = out->length;
  bool blank = true;
  for (size_t at = 0; at < text.length && out->length - begin < most;) {
    char c = text.text[at];
    size_t skip = skipped_at(text, at);
    if (skip || c == '`' || c == '[' || c == ']' || is_blank(c)) {
      if (!blank && c != '`' && c != '[' && c != '*') skill__buf_char(out, ' ');
      blank = blank || (c != '`' && c != '[' && c != '*');
      at += skip ? skip : 1;
      continue;
    }
    uint32_t rune;
    size_t length = text_rune(text, at, &rune);
    if (rune != 0xfffd) skill__buf_add(out, text.text + at, length);
    blank = false;
    at += length;
  }
  if (out->length > begin && out->data[out->length - 1] == ' ') out->data[--out->length] = '\0';
}

void text_name(struct skill__buf *out, struct span name) {
  for (size_t i = 0; i < name.length; i++) {
    skill__buf_char(out, name.text[i] && strchr("-_:/.", name.text[i]) ? ' ' : name.text[i]);
  }
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

size_t text_find_any(struct span text, const char *const *phrases, size_t count) {
  for (size_t at = 0; at < text.length; at++) {
    for (size_t i = 0; i < count; i++) {
      size_t n = 0;
      while (phrases[i][n] && at + n < text.length && lower(text.text[at + n]) == phrases[i][n]) n++;
      if (!phrases[i][n]) return at;
    }
  }
  return SIZE_MAX;
}

struct span text_trim(struct span text) {
  while (text.length && is_blank(*text.text)) {
    text.text++;
    text.length--;
  }
  while (text.length && is_blank(text.text[text.length - 1])) text.length--;
  return text;
}

bool text_line(struct span *rest, struct span *line) {
  if (!rest->length) return false;
  const char *end = memchr(rest->text, '\n', rest->length);
  size_t length = end ? (size_t)(end - rest->text) : rest->length;
  *line = (struct span){rest->text, length};
  size_t taken = end ? length + 1 : length;
  rest->text += taken;
  rest->length -= taken;
  return true;
}
