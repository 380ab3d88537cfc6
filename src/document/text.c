/* SPDX-License-Identifier: MIT
 *
 * Encodings and line ends. Text that is not UTF-8 is tried in this order: UTF-16 if it has a byte-order mark; UTF-8
 * with damaged places if most multi-byte characters are intact; GB18030 if all of it decodes and looks Chinese; else
 * Windows-1252, in which nearly every byte is a character. The locale of the process has no influence.
 */
#include "document/text.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>

#include "document/frontmatter.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/utf8.h"

static bool starts(const char *bytes, size_t length, const char *mark, size_t n) {
  return length >= n && !memcmp(bytes, mark, n);
}

/* --- other encodings --------------------------------------------------------------------------------------------- */

/* Converts from `encoding`. What it does not define becomes U+FFFD for each `unit` bytes, and a character that is cut
 * off at the end is dropped; with `unit` 0 both stop the conversion, but for a character cut off by a prefix. 0; 1: it
 * was stopped, or this system does not know the encoding; SKILL_ENOMEM. */
static int convert(const char *encoding, const char *bytes, size_t length, size_t unit, bool prefix,
                   struct skill__buf *out) {
  iconv_t cd = iconv_open("UTF-8", encoding);
  if (cd == (iconv_t)-1) return errno == ENOMEM ? SKILL_ENOMEM : 1;
  char *in = (char *)(uintptr_t)bytes; /* iconv does not write there */
  size_t left = length;
  int status = 0;
  while (!status && left) {
    char chunk[4096];
    char *to = chunk;
    size_t room = sizeof chunk;
    size_t got = iconv(cd, &in, &left, &to, &room);
    int cause = got == (size_t)-1 ? errno : 0;
    skill__buf_add(out, chunk, sizeof chunk - room);
    if (cause == EINVAL && (unit || prefix)) break;
    if ((cause == EILSEQ || cause == EINVAL) && !unit) status = 1;
    if (cause == EILSEQ && unit) {
      skill__buf_text(out, "\xef\xbf\xbd");
      in += unit;
      left -= unit;
    }
    if (skill__buf_status(out)) status = SKILL_ENOMEM;
  }
  iconv_close(cd);
  return status;
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

/* Whether most characters above ASCII are Han or wide punctuation. */
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

/* Reads the bytes as UTF-8 with damaged places, as GBK or as Windows-1252. */
static int guess_encoding(const char *bytes, size_t length, bool prefix, struct skill__findings *findings,
                          struct skill__buf *out) {
  struct census c = count(bytes, length);
  unsigned line = 1;
  unsigned column;
  skill__line_place(bytes, c.first_bad, &line, &column);
  if (c.good > c.bad) {
    skill__finding(findings, SKILL__ENCODING_BROKEN, line, column,
                   "%zu bytes are not UTF-8 (the first at offset %zu): each is read as U+FFFD", c.bad, c.first_bad);
    return replace_bad(bytes, length, out);
  }
  int status = convert("GB18030", bytes, length, 0, prefix, out);
  if (!status && looks_chinese(out->data, out->length)) {
    skill__finding(findings, SKILL__ENCODING_GBK, line, column, "the file is not UTF-8 (from offset %zu): read as GBK",
                   c.first_bad);
    return 0;
  }
  if (status < 0) return status;
  skill__buf_clear(out);
  skill__finding(findings, SKILL__ENCODING_LATIN1, line, column,
                 "the file is not UTF-8 (from offset %zu): read as Latin-1 (Windows-1252)", c.first_bad);
  return convert("CP1252", bytes, length, 1, prefix, out);
}

/* --- line ends and NUL ------------------------------------------------------------------------------------------- */

/* Replaces CR LF and lone CR by LF and NUL by a space, in place. *lone and *nul receive the lines of the first ones. */
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
    return convert(big ? "UTF-16BE" : "UTF-16LE", bytes + 2, length - 2, 2, prefix, buf);
  }
  if (starts(bytes, length, "\xef\xbb\xbf", 3)) {
    bytes += 3;
    length -= 3;
  }
  size_t valid = skill__utf8_valid(bytes, length);
  if (valid == length || (prefix && length - valid < 4)) return take(bytes, valid, buf);
  return guess_encoding(bytes, length, prefix, findings, buf);
}

int skill__text_convert(const char *bytes, size_t length, bool prefix, struct skill__findings *findings, char **out,
                        size_t *out_length) {
  struct skill__buf buf;
  skill__buf_init(&buf, SIZE_MAX / 2);
  int status = to_utf8(bytes, length, prefix, findings, &buf);
  if (status == 1) { /* an encoding that this system cannot convert */
    skill__buf_clear(&buf);
    status = replace_bad(bytes, length, &buf);
  }
  char *text = status ? NULL : skill__buf_take(&buf, out_length);
  skill__buf_fini(&buf);
  if (!text) return SKILL_ENOMEM;
  unsigned lone = 0;
  unsigned nul = 0;
  if (memchr(text, '\r', *out_length) || memchr(text, '\0', *out_length)) {
    *out_length = line_ends(text, *out_length, &lone, &nul);
  }
  if (lone) skill__finding(findings, SKILL__LONE_CR, lone, 0, "a lone CR is read as a line end");
  if (nul)
    skill__finding(findings, SKILL__CONTROL_CHARACTER, nul, 0, "the file has NUL bytes: each is read as a space");
  *out = text;
  return 0;
}
