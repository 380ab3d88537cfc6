/* SPDX-License-Identifier: MIT
 *
 * The formats that are checked (docs/schema.md lists them). In doubt each accepts: a format is a hint to a model, and a
 * tool must still examine its input.
 */
#include <arpa/inet.h>
#include <string.h>

#include "gateway/schema_internal.h"

/* Reads exactly `digits` digits; -1: there are fewer. */
static int number(const char **at, const char *end, int digits) {
  int value = 0;
  for (int i = 0; i < digits; i++, ++*at) {
    if (*at >= end || **at < '0' || **at > '9') return -1;
    value = value * 10 + (**at - '0');
  }
  return value;
}

static bool skip(const char **at, const char *end, char c) {
  if (*at >= end || **at != c) return false;
  ++*at;
  return true;
}

static bool read_date(const char **at, const char *end) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int year = number(at, end, 4);
  if (year < 0 || !skip(at, end, '-')) return false;
  int month = number(at, end, 2);
  if (month < 1 || month > 12 || !skip(at, end, '-')) return false;
  int day = number(at, end, 2);
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day >= 1 && day <= days[month - 1] + (month == 2 && leap);
}

static bool read_offset(const char **at, const char *end) {
  if (skip(at, end, 'Z') || skip(at, end, 'z')) return true;
  if (!skip(at, end, '+') && !skip(at, end, '-')) return false;
  int hour = number(at, end, 2);
  if (hour < 0 || hour > 23 || !skip(at, end, ':')) return false;
  int minute = number(at, end, 2);
  return minute >= 0 && minute <= 59;
}

static bool read_time(const char **at, const char *end) {
  int hour = number(at, end, 2);
  if (hour < 0 || hour > 23 || !skip(at, end, ':')) return false;
  int minute = number(at, end, 2);
  if (minute < 0 || minute > 59 || !skip(at, end, ':')) return false;
  int second = number(at, end, 2);
  if (second < 0 || second > 60) return false;
  if (skip(at, end, '.')) {
    const char *from = *at;
    while (*at < end && **at >= '0' && **at <= '9') ++*at;
    if (*at == from) return false;
  }
  return read_offset(at, end);
}

static bool is_date(const char *text, size_t length) {
  const char *at = text;
  return read_date(&at, text + length) && at == text + length;
}

static bool is_time(const char *text, size_t length) {
  const char *at = text;
  return read_time(&at, text + length) && at == text + length;
}

static bool is_date_time(const char *text, size_t length) {
  const char *at = text;
  const char *end = text + length;
  if (!read_date(&at, end) || !(skip(&at, end, 'T') || skip(&at, end, 't'))) return false;
  return read_time(&at, end) && at == end;
}

static bool is_ipv4(const char *text, size_t length) {
  struct in_addr address;
  return strlen(text) == length && inet_pton(AF_INET, text, &address) == 1;
}

static bool is_ipv6(const char *text, size_t length) {
  struct in6_addr address;
  return strlen(text) == length && inet_pton(AF_INET6, text, &address) == 1;
}

static bool letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_hostname(const char *text, size_t length) {
  if (length == 0 || length > 253) return false;
  size_t label = 0;
  for (size_t i = 0; i <= length; i++) {
    char c = i < length ? text[i] : '.';
    if (c == '.') {
      if (label == 0 || label > 63 || text[i - 1] == '-') return false;
      label = 0;
    } else if (letter_or_digit(c) || (c == '-' && label > 0)) {
      label++;
    } else {
      return false;
    }
  }
  return true;
}

static bool is_email(const char *text, size_t length) {
  const char *at = memchr(text, '@', length);
  size_t local = at ? (size_t)(at - text) : 0;
  if (local == 0 || local > 64 || text[0] == '.' || at[-1] == '.' || strstr(text, "..")) return false;
  for (size_t i = 0; i < local; i++) {
    if ((unsigned char)text[i] <= ' ' || strchr("()<>[],;:\\\"", text[i])) return false;
  }
  return is_hostname(at + 1, length - local - 1);
}

static bool is_uuid(const char *text, size_t length) {
  if (length != 36) return false;
  for (size_t i = 0; i < length; i++) {
    bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !strchr("0123456789abcdefABCDEF", text[i])) return false;
  }
  return true;
}

/* A scheme, ":" and characters that are allowed in a URI; bytes above ASCII pass, as in an IRI. */
static bool is_uri(const char *text, size_t length) {
  size_t scheme = 0;
  while (scheme < length && (letter_or_digit(text[scheme]) || strchr("+-.", text[scheme]))) scheme++;
  bool begins = length && ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
  if (!begins || scheme == length || text[scheme] != ':' || scheme + 1 == length) return false;
  for (size_t i = scheme; i < length; i++) {
    if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f || strchr("<>\"{}|\\^`", text[i])) return false;
  }
  return true;
}

struct format {
  const char *name;
  skill__schema_format_fn check; /* NULL: an annotation */
};

static const struct format formats[] = {
    {"date-time", is_date_time},
    {"date", is_date},
    {"time", is_time},
    {"email", is_email},
    {"hostname", is_hostname},
    {"ipv4", is_ipv4},
    {"ipv6", is_ipv6},
    {"uuid", is_uuid},
    {"uri", is_uri},
    {"url", is_uri},
    {"iri", is_uri},
    {"int32", NULL},
    {"int64", NULL},
    {"uint", NULL},
    {"uint32", NULL},
    {"uint64", NULL},
    {"float", NULL},
    {"double", NULL},
    {"byte", NULL},
    {"binary", NULL},
    {"password", NULL},
    {"path", NULL},
    {"enum", NULL},
};

skill__schema_format_fn skill__schema_format(const char *name, bool *annotation) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    if (strcmp(name, formats[i].name) != 0) continue;
    *annotation = formats[i].check == NULL;
    return formats[i].check;
  }
  *annotation = false;
  return NULL;
}
