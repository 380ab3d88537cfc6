/* SPDX-License-Identifier: MIT
 *
 * Encodings and line ends. UTF-8 is the rule; what is not valid UTF-8 is judged in this order: UTF-16 by its mark,
 * UTF-8 with a few damaged places (some multi-byte characters are intact), GB18030 where every byte decodes and the
 * result looks Chinese, else Windows-1252, which gives every byte a meaning. The process's locale plays no part.
 */
#include "document/text.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>

#include "util/alloc.h"
#include "util/buf.h"
#include "util/utf8.h"

static bool starts(const char *bytes, size_t length, const char *mark, size_t n) {
  return length >= n && !memcmp(bytes, mark, n);
}

static void place_of(const char *bytes, size_t at, unsigned *line, unsigned *column) {
  size_t start = 0;
  *line = 1;
  for (size_t i = 0; i < at; i++) {
    if (bytes[i] != '\n') continue;
    start = i + 1;
    ++*line;
  }
  *column = (unsigned)skill__utf8_count(bytes + start, at - start) + 1;
}

/* --- UTF-16 ----------------------------------------------------------------------------------------------------- */

static uint32_t unit(const char *p, bool big) {
  const unsigned char *u = (const unsigned char *)p;
  return big ? (uint32_t)u[0] << 8 | u[1] : (uint32_t)u[1] << 8 | u[0];
}

static int from_utf16(const char *bytes, size_t length, bool big, struct skill__buf *out) {
  for (size_t i = 2; i + 1 < length;) {
    uint32_t rune = unit(bytes + i, big);
    i += 2;
    if (rune >= 0xd800 && rune < 0xdc00 && i + 1 < length) {
      uint32_t low = unit(bytes + i, big);
      if (low >= 0xdc00 && low < 0xe000) {
        rune = 0x10000 + ((rune - 0xd800) << 10) + (low - 0xdc00);
        i += 2;
      }
    }
    char encoded[4];
    skill__buf_add(out, encoded, skill__utf8_encode(rune, encoded));
  }
  return skill__buf_status(out);
}

/* --- bytes that are not UTF-8 ------------------------------------------------------------------------------------ */

struct census {
  size_t good; /* intact multi-byte characters */
  size_t bad;  /* bytes that belong to none */
  size_t first_bad;
};

static struct census count(const char *bytes, size_t length) {
  struct census c = {0, 0, 0};
  for (size_t i = 0; i < length;) {
    size_t n = skill__utf8_length(bytes + i, length - i);
    c.good += n > 1;
    if (!n && !c.bad++) c.first_bad = i;
    i += n ? n : 1;
  }
  return c;
}

static int replace_bad(const char *bytes, size_t length, struct skill__buf *out) {
  for (size_t i = 0; i < length;) {
    size_t n = skill__utf8_length(bytes + i, length - i);
    if (n) {
      skill__buf_add(out, bytes + i, n);
    } else {
      skill__buf_text(out, "\xef\xbf\xbd");
    }
    i += n ? n : 1;
  }
  return skill__buf_status(out);
}

static int from_latin1(const char *bytes, size_t length, struct skill__buf *out) {
  static const uint16_t high[32] = {0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd,
                                    0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178};
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)bytes[i];
    char encoded[4];
    uint32_t rune = c >= 0x80 && c < 0xa0 ? high[c - 0x80] : c;
    skill__buf_add(out, encoded, skill__utf8_encode(rune, encoded));
  }
  return skill__buf_status(out);
}

/* Whether most characters above ASCII are Han or full-width punctuation. */
static bool looks_chinese(const char *text, size_t length) {
  size_t han = 0;
  size_t other = 0;
  for (size_t i = 0; i < length;) {
    uint32_t rune = 0;
    size_t n = skill__utf8_decode(text + i, length - i, &rune);
    if (!n) return false;
    bool wide = (rune >= 0x4e00 && rune < 0xa000) || (rune >= 0x3000 && rune < 0x3100) ||
                (rune >= 0xff00 && rune < 0xfff0) || (rune >= 0x2010 && rune < 0x2030);
    han += rune >= 0x80 && wide;
    other += rune >= 0x80 && !wide;
    i += n;
  }
  return han > 0 && han >= other * 4;
}

/* 0 with text that looks Chinese; 1 where it is something else; SKILL_ENOMEM. */
static int from_gbk(const char *bytes, size_t length, bool prefix, struct skill__buf *out) {
  iconv_t cd = iconv_open("UTF-8", "GB18030");
  if (cd == (iconv_t)-1) return errno == ENOMEM ? SKILL_ENOMEM : 1;
  char *from = skill__strndup(bytes, length); /* iconv wants the input writable, though it does not write */
  int status = from ? 0 : SKILL_ENOMEM;
  char *in = from;
  size_t left = length;
  while (!status && left) {
    char chunk[4096];
    char *to = chunk;
    size_t room = sizeof chunk;
    size_t before = left;
    size_t got = iconv(cd, &in, &left, &to, &room);
    skill__buf_add(out, chunk, sizeof chunk - room);
    if (skill__buf_status(out)) status = SKILL_ENOMEM;
    if (!status && got == (size_t)-1 && left == before && room == sizeof chunk) {
      if (prefix && left < 4) break;
      status = 1;
    }
  }
  iconv_close(cd);
  skill__free(from);
  if (!status && !looks_chinese(out->data, out->length)) status = 1;
  return status;
}

static int mend_encoding(const char *bytes, size_t length, bool prefix, struct skill__findings *findings,
                         struct skill__buf *out) {
  struct census c = count(bytes, length);
  unsigned line;
  unsigned column;
  place_of(bytes, c.first_bad, &line, &column);
  if (c.good > c.bad) {
    skill__finding(findings, SKILL__ENCODING_BROKEN, line, column,
                   "%zu bytes are not UTF-8, the first at offset %zu: each is read as U+FFFD", c.bad, c.first_bad);
    return replace_bad(bytes, length, out);
  }
  int status = from_gbk(bytes, length, prefix, out);
  if (status == 0) {
    skill__finding(findings, SKILL__ENCODING_GBK, line, column,
                   "the file is not UTF-8 (first at offset %zu): read as GBK", c.first_bad);
  }
  if (status != 1) return status;
  skill__buf_clear(out);
  skill__finding(findings, SKILL__ENCODING_LATIN1, line, column,
                 "the file is not UTF-8 (first at offset %zu): read as Latin-1 (Windows-1252)", c.first_bad);
  return from_latin1(bytes, length, out);
}

/* --- line ends and NUL ------------------------------------------------------------------------------------------- */

/* CR LF and lone CR become LF, NUL a blank; in place. The lines of the first lone CR and NUL are handed out. */
static size_t line_ends(char *text, size_t length, unsigned *lone, unsigned *nul) {
  size_t to = 0;
  unsigned line = 1;
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    if (c == '\r') {
      bool pair = i + 1 < length && text[i + 1] == '\n';
      if (pair) continue;
      if (!*lone) *lone = line;
      c = '\n';
    }
    if (!c && !*nul) *nul = line;
    line += c == '\n';
    text[to++] = c ? c : ' ';
  }
  text[to] = '\0';
  return to;
}

static int take(const char *bytes, size_t length, struct skill__buf *buf) {
  skill__buf_add(buf, bytes, length);
  return skill__buf_status(buf);
}

static int to_utf8(const char *bytes, size_t length, bool prefix, struct skill__findings *findings,
                   struct skill__buf *buf) {
  bool big = starts(bytes, length, "\xfe\xff", 2);
  if (big || starts(bytes, length, "\xff\xfe", 2)) {
    skill__finding(findings, SKILL__ENCODING_UTF16, 1, 1, "the file is UTF-16 (%s-endian), not UTF-8",
                   big ? "big" : "little");
    return from_utf16(bytes, length, big, buf);
  }
  if (starts(bytes, length, "\xef\xbb\xbf", 3)) {
    bytes += 3;
    length -= 3;
  }
  size_t valid = skill__utf8_valid(bytes, length);
  if (valid == length || (prefix && length - valid < 4)) return take(bytes, valid, buf);
  return mend_encoding(bytes, length, prefix, findings, buf);
}

int skill__text_convert(const char *bytes, size_t length, bool prefix, struct skill__findings *findings, char **out,
                        size_t *out_length) {
  struct skill__buf buf;
  skill__buf_init(&buf, SIZE_MAX / 2);
  int status = to_utf8(bytes, length, prefix, findings, &buf);
  char *text = status ? NULL : skill__buf_take(&buf, out_length);
  skill__buf_fini(&buf);
  if (!text) return SKILL_ENOMEM;
  unsigned lone = 0;
  unsigned nul = 0;
  if (memchr(text, '\r', *out_length) || memchr(text, '\0', *out_length)) {
    *out_length = line_ends(text, *out_length, &lone, &nul);
  }
  if (lone) skill__finding(findings, SKILL__LONE_CR, lone, 0, "a line ends with CR alone: read as a line end");
  if (nul)
    skill__finding(findings, SKILL__CONTROL_CHARACTER, nul, 0, "the file holds NUL bytes: each is read as a blank");
  *out = text;
  return 0;
}
