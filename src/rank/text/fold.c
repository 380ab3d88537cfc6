/* SPDX-License-Identifier: MIT
 *
 * Folding with utf8proc. Text made only of characters that folding keeps (most text, Chinese included) is copied
 * without calling utf8proc. Fails only when memory is out; the buffer's status records it.
 */
#include "rank/text/fold.h"

#include <utf8proc.h>

#include "util/alloc.h"
#include "util/utf8.h"

static bool paired(uint32_t c) {
  return (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3041 && c <= 0x30ff && c != 0x30fb) ||
         (c >= 0xac00 && c <= 0xd7a3) || (c >= 0x0e01 && c <= 0x0e4e) || (c >= 0x20000 && c <= 0x3134f) ||
         (c >= 0xf900 && c <= 0xfaff) || c == 0x3005;
}

enum skill__char skill__char_kind(uint32_t rune) {
  if (rune < 0x80) {
    if ((rune >= 'a' && rune <= 'z') || (rune >= 'A' && rune <= 'Z') || (rune >= '0' && rune <= '9'))
      return SKILL__CHAR_WORD;
    return rune == '-' || rune == '_' || rune == '\'' ? SKILL__CHAR_JOINER : SKILL__CHAR_OTHER;
  }
  if (paired(rune)) return SKILL__CHAR_PAIR;
  if (rune == 0x2019 || rune == 0x2010 || rune == 0x2011) return SKILL__CHAR_JOINER;
  switch (utf8proc_category((utf8proc_int32_t)rune)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND:
      return SKILL__CHAR_WORD;
    default:
      return SKILL__CHAR_OTHER;
  }
}

/* Whether NFKC keeps the character in any context. */
static bool stable(uint32_t c) {
  if (c < 0x80) return true;
  if (c >= 0xc0 && c <= 0x17f) return c != 0x132 && c != 0x133 && c != 0x13f && c != 0x140 && c != 0x149 && c != 0x17f;
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x3041 && c <= 0x3096) ||
         (c >= 0x30a1 && c <= 0x30fe) || (c >= 0xac00 && c <= 0xd7a3) || (c >= 0x3001 && c <= 0x3003) ||
         (c >= 0x3008 && c <= 0x3011) || (c >= 0x2010 && c <= 0x2016 && c != 0x2011) || (c >= 0x2018 && c <= 0x2022) ||
         (c >= 0x2190 && c <= 0x21ff) || (c >= 0x2500 && c <= 0x27bf) || c == 0xfe0f || (c >= 0x1f300 && c <= 0x1f64f);
}

static void map(struct skill__buf *buf, const char *text, size_t length, utf8proc_option_t options) {
  if (length == 0) return;
  size_t room = length * 4 + 32; /* NFKC grows UTF-8 rarely; a second try has the exact size */
  for (int tries = 0; tries < 2; tries++) {
    utf8proc_int32_t *runes = skill__malloc((room + 1) * sizeof *runes);
    if (!runes) {
      buf->status = buf->status ? buf->status : SKILL_ENOMEM;
      return;
    }
    utf8proc_ssize_t n = utf8proc_decompose((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, runes,
                                            (utf8proc_ssize_t)room, options);
    if (n >= 0 && (size_t)n <= room) {
      n = utf8proc_reencode(runes, n, options);
      if (n > 0) skill__buf_add(buf, runes, (size_t)n);
      skill__free(runes);
      return;
    }
    skill__free(runes);
    if (n < 0) return; /* cannot happen: the caller made the text valid */
    room = (size_t)n;
  }
}

/* Copies what is stable, fullwidth ASCII as ASCII; stops at the first character that needs utf8proc. */
static size_t copy_stable(struct skill__buf *buf, const char *text, size_t length) {
  size_t at = 0, copied = 0, n = 0;
  for (; at < length; at += n) {
    uint32_t rune = 0;
    n = skill__utf8_decode(text + at, length - at, &rune);
    if (n && stable(rune)) continue;
    char plain = ' ';
    if (n && rune >= 0xff01 && rune <= 0xff5e)
      plain = (char)(rune - 0xff01 + '!');
    else if (n && rune != 0x3000 && rune != 0xa0)
      return at;
    skill__buf_add(buf, text + copied, at - copied);
    skill__buf_char(buf, plain);
    if (!n) n = 1;
    copied = at + n;
  }
  skill__buf_add(buf, text + copied, length - copied);
  return length;
}

static void map_valid(struct skill__buf *buf, const char *text, size_t length) {
  size_t at = 0;
  while (at < length) {
    size_t n = skill__utf8_valid(text + at, length - at);
    map(buf, text + at, n, UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_STABLE);
    at += n;
    if (at < length) {
      skill__buf_char(buf, ' ');
      at++;
    }
  }
}

/* A combining mark changes the character before it, so a stretch is copied or folded as a whole. */
void skill__fold_compat(struct skill__buf *buf, const char *text, size_t length) {
  size_t mark = buf->length;
  if (copy_stable(buf, text, length) == length) return;
  buf->length = mark;
  map_valid(buf, text, length);
}

void skill__fold_word(struct skill__buf *buf, const char *text, size_t length) {
  uint32_t first = 0;
  size_t n = skill__utf8_decode(text, length, &first);
  /* Marks are vowels in the scripts of India; in Latin, Greek and Cyrillic people leave them out when they search. */
  bool strip = n && first < 0x530;
  map(buf, text, length,
      UTF8PROC_CASEFOLD | UTF8PROC_COMPAT | UTF8PROC_STABLE |
          (strip ? UTF8PROC_DECOMPOSE | UTF8PROC_STRIPMARK : UTF8PROC_COMPOSE));
}
