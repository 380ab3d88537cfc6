/* SPDX-License-Identifier: MIT
 *
 * One value on one line: finds what is wrong with it, and writes it so that YAML reads what its author meant.
 */
#include <string.h>

#include "document/mend.h"

/* Offset of the quote that ends the scalar beginning at text[0], or `length`. */
static size_t single_end(const char *text, size_t length) {
  for (size_t i = 1; i < length; i++) {
    if (text[i] != '\'') continue;
    if (i + 1 < length && text[i + 1] == '\'') {
      i++;
    } else {
      return i;
    }
  }
  return length;
}

static bool hex(const char *text, size_t n) {
  while (n && ((*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'f') || (*text >= 'A' && *text <= 'F'))) {
    text++;
    n--;
  }
  return n == 0;
}

/* Bytes of a valid escape at the backslash, 0: not valid. */
static size_t escape(const char *text, size_t left) {
  if (left < 2) return 0;
  if (strchr("0abt\tnvfre \"/\\N_LP", text[1]) && text[1]) return 2;
  size_t digits = text[1] == 'x' ? 2 : text[1] == 'u' ? 4 : text[1] == 'U' ? 8 : 0;
  return digits && left >= 2 + digits && hex(text + 2, digits) ? 2 + digits : 0;
}

static size_t double_end(const char *text, size_t length, size_t *bad_escape) {
  *bad_escape = length;
  for (size_t i = 1; i < length; i++) {
    if (text[i] == '"') return i;
    if (text[i] != '\\') continue;
    size_t n = escape(text + i, length - i);
    if (!n && *bad_escape == length) *bad_escape = i;
    i += n ? n - 1 : i + 1 < length && text[i + 1] == '"' ? 1 : 0;
  }
  return length;
}

static bool comment_or_nothing(const char *text, size_t length) {
  size_t i = 0;
  while (i < length && (text[i] == ' ' || text[i] == '\t')) i++;
  return i == length || (i && text[i] == '#');
}

static enum skill__fault quoted_fault(const char *text, size_t length, size_t *at) {
  size_t bad = length;
  size_t end = text[0] == '"' ? double_end(text, length, &bad) : single_end(text, length);
  *at = end;
  if (end == length) return SKILL__FAULT_OPEN;
  if (!comment_or_nothing(text + end + 1, length - end - 1)) return SKILL__FAULT_QUOTE;
  *at = bad;
  return bad < end ? SKILL__FAULT_ESCAPE : SKILL__FAULT_NONE;
}

/* The offset after the bracket that closes the one at text[0]; 0: it is not closed. */
static size_t flow_end(const char *text, size_t length) {
  size_t depth = 0;
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    bool starts = i == 0 || strchr("[{,: ", text[i - 1]);
    if ((c == '"' || c == '\'') && starts) {
      size_t bad;
      size_t n = c == '"' ? double_end(text + i, length - i, &bad) : single_end(text + i, length - i);
      if (i + n >= length) continue;
      i += n;
    } else if (c == '[' || c == '{') {
      depth++;
    } else if ((c == ']' || c == '}') && --depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

bool skill__quote_balanced(const char *text, size_t length) {
  return !length || (text[0] != '[' && text[0] != '{') || flow_end(text, length) > 0;
}

static enum skill__fault block_fault(const char *text, size_t length) {
  size_t i = 1;
  while (i < length && strchr("+-0123456789", text[i])) i++;
  return comment_or_nothing(text + i, length - i) ? SKILL__FAULT_NONE : SKILL__FAULT_BLOCK;
}

static bool reserved(const char *text, size_t length) {
  if (strchr("@`%*&!,]}", text[0])) return true;
  return strchr("-?:", text[0]) && (length == 1 || text[1] == ' ');
}

static enum skill__fault plain_fault(const char *text, size_t length, size_t *at) {
  for (size_t i = 0; i < length; i++) {
    *at = i;
    if (text[i] == ':' && (i + 1 == length || text[i + 1] == ' ' || text[i + 1] == '\t')) return SKILL__FAULT_COLON;
  }
  *at = 0;
  return SKILL__FAULT_NONE;
}

enum skill__fault skill__quote_fault(const char *text, size_t length, size_t *at) {
  size_t ignored;
  if (!at) at = &ignored;
  *at = 0;
  if (!length || text[0] == '#') return SKILL__FAULT_NONE;
  if (text[0] == '"' || text[0] == '\'') return quoted_fault(text, length, at);
  if (text[0] == '|' || text[0] == '>') return block_fault(text, length);
  if (text[0] == '[' || text[0] == '{') {
    size_t end = flow_end(text, length);
    if (!end) return SKILL__FAULT_OPEN;
    *at = end;
    return comment_or_nothing(text + end, length - end) ? SKILL__FAULT_NONE : SKILL__FAULT_FLOW;
  }
  if (reserved(text, length)) return SKILL__FAULT_RESERVED;
  return plain_fault(text, length, at);
}

void skill__quote_single(struct skill__buf *out, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\'') skill__buf_char(out, '\'');
    skill__buf_char(out, text[i]);
  }
}

static void whole_single(struct skill__buf *out, const char *text, size_t length) {
  skill__buf_char(out, '\'');
  skill__quote_single(out, text, length);
  skill__buf_char(out, '\'');
}

/* Doubled quotes are one quote; single ones are kept. */
static void mend_single(struct skill__buf *out, const char *text, size_t length) {
  skill__buf_char(out, '\'');
  for (size_t i = 1; i + 1 < length; i++) {
    bool pair = text[i] == '\'' && i + 2 < length && text[i + 1] == '\'';
    i += pair;
    skill__quote_single(out, text + i, 1);
  }
  skill__buf_char(out, '\'');
}

/* Invalid escapes keep their backslash; quotes inside are escaped. */
static void mend_double(struct skill__buf *out, const char *text, size_t length) {
  skill__buf_char(out, '"');
  for (size_t i = 1; i + 1 < length;) {
    size_t n = text[i] == '\\' ? escape(text + i, length - 1 - i) : 0;
    if (n) {
      skill__buf_add(out, text + i, n);
      i += n;
      continue;
    }
    if (text[i] == '\\' || text[i] == '"') skill__buf_char(out, '\\');
    skill__buf_char(out, text[i++]);
  }
  skill__buf_char(out, '"');
}

/* The first and last quote are the delimiters; a quote without a second one is dropped. */
static void mend_quoted(struct skill__buf *out, const char *text, size_t length) {
  char quote = text[0];
  if (length > 1 && text[length - 1] == quote) {
    if (quote == '"') {
      mend_double(out, text, length);
    } else {
      mend_single(out, text, length);
    }
  } else if (length > 1 && memchr(text + 1, quote, length - 1)) {
    whole_single(out, text, length);
  } else {
    whole_single(out, text + 1, length - 1);
  }
}

void skill__quote_mended(struct skill__buf *out, const char *text, size_t length, enum skill__fault fault) {
  if (fault == SKILL__FAULT_QUOTE || (fault == SKILL__FAULT_OPEN && strchr("\"'", text[0]))) {
    mend_quoted(out, text, length);
  } else if (fault == SKILL__FAULT_ESCAPE) {
    size_t bad;
    size_t end = double_end(text, length, &bad) + 1;
    mend_double(out, text, end);
    skill__buf_add(out, text + end, length - end);
  } else if (fault == SKILL__FAULT_BLOCK) {
    size_t i = 1;
    while (i < length && strchr("+-0123456789", text[i])) i++;
    while (i < length && text[i] == ' ') i++;
    whole_single(out, text + i, length - i);
  } else {
    whole_single(out, text, length);
  }
}

/* The end of the item that begins at `i`: the next comma or bracket. */
static size_t flow_item_end(const char *text, size_t length, size_t i) {
  while (i < length && !strchr(",]}", text[i])) i++;
  return i;
}

bool skill__quote_items(struct skill__buf *out, const char *text, size_t length) {
  bool any = false;
  bool start = false;
  for (size_t i = 0; i < length;) {
    char c = text[i];
    size_t n = 1;
    if (start && (c == '"' || c == '\'')) {
      size_t bad;
      n = 1 + (c == '"' ? double_end(text + i, length - i, &bad) : single_end(text + i, length - i));
      if (i + n > length) n = length - i;
      skill__buf_add(out, text + i, n);
    } else if (start && strchr("@`%*&!", c)) {
      n = flow_item_end(text, length, i) - i;
      whole_single(out, text + i, n);
      any = true;
    } else {
      skill__buf_char(out, c);
    }
    start = c == '[' || c == '{' || c == ',' || (start && c == ' ');
    i += n;
  }
  return any;
}
