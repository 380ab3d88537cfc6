/* SPDX-License-Identifier: MIT
 *
 * Puts untrusted text on one line of a prompt: characters that do not show are dropped, those that would close a block
 * are escaped, and long text is cut at a word or grapheme. A model must not read what a person cannot see.
 */
#include <string.h>
#include <utf8proc.h>

#include "context/listing.h"
#include "util/utf8.h"

/* How many characters a cut may move back to end at a word. */
#define WORD_REACH 16

/* Characters that show nothing in spite of their category: joiners, fillers, variation selectors. */
static bool blank_letter(uint32_t rune) {
  return rune == 0x034f || rune == 0x115f || rune == 0x1160 || rune == 0x17b4 || rune == 0x17b5 ||
         (rune >= 0x180b && rune <= 0x180f) || rune == 0x2800 || rune == 0x3164 || (rune >= 0xfe00 && rune <= 0xfe0f) ||
         rune == 0xffa0 || (rune >= 0xe0000 && rune <= 0xe0fff);
}

bool skill__shows(uint32_t rune) {
  if (rune < 0x7f) return rune >= 0x20;
  if (blank_letter(rune)) return false;
  switch (utf8proc_category((utf8proc_int32_t)rune)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
      return false;
    default:
      return true;
  }
}

static bool blank(uint32_t rune) {
  if (rune < 0x80) return rune == ' ' || (rune >= '\t' && rune <= '\r');
  if (rune == 0x85) return true;
  utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)rune);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

void skill__listing_clean(struct skill__buf *buf, const char *text, size_t length) {
  bool pending = false;
  bool any = false;
  size_t step = 0;
  for (size_t i = 0; i < length; i += step) {
    uint32_t rune = 0xfffd;
    step = skill__utf8_decode(text + i, length - i, &rune);
    bool valid = step > 0;
    if (!valid) step = 1;
    if (blank(rune)) {
      pending = any;
      continue;
    }
    if (!skill__shows(rune)) continue;
    if (pending) skill__buf_char(buf, ' ');
    skill__buf_add(buf, valid ? text + i : "\xef\xbf\xbd", valid ? step : 3);
    pending = false;
    any = true;
  }
}

/* The byte at which to cut so that at most `chars` characters remain; `length` if all fit. */
static size_t cut_at(const char *text, size_t length, size_t chars) {
  size_t at = 0;
  size_t count = 0;
  size_t boundary = 0; /* the last place between two graphemes */
  size_t space = 0;
  size_t space_count = 0;
  uint32_t last = 0;
  utf8proc_int32_t state = 0;
  while (at < length) {
    uint32_t rune = 0xfffd;
    size_t step = skill__utf8_decode(text + at, length - at, &rune);
    if (count == 0 || utf8proc_grapheme_break_stateful((utf8proc_int32_t)last, (utf8proc_int32_t)rune, &state)) {
      boundary = at;
    }
    if (count >= chars) break;
    if (rune == ' ') {
      space = at;
      space_count = count;
    }
    last = rune;
    count++;
    at += step ? step : 1;
  }
  if (at >= length) return length;
  bool at_word = text[boundary] == ' ';
  return !at_word && space && count - space_count <= WORD_REACH ? space : boundary;
}

static void put_escaped(struct skill__buf *buf, const char *text, size_t length) {
  static const char marks[] = "<>&";
  static const char *const entities[] = {"&lt;", "&gt;", "&amp;"};
  size_t start = 0;
  for (size_t i = 0; i < length; i++) {
    const char *found = text[i] ? strchr(marks, text[i]) : NULL;
    if (!found) continue;
    skill__buf_add(buf, text + start, i - start);
    skill__buf_text(buf, entities[found - marks]);
    start = i + 1;
  }
  skill__buf_add(buf, text + start, length - start);
}

bool skill__listing_put(struct skill__buf *buf, const char *text, size_t length, size_t chars) {
  size_t end = length <= chars ? length : cut_at(text, length, chars);
  bool cut = end < length;
  while (cut && end > 0 && strchr(" ,;:-", text[end - 1])) end--;
  put_escaped(buf, text, end);
  if (cut) skill__buf_text(buf, "…");
  return cut;
}
