/* SPDX-License-Identifier: MIT
 *
 * Reading for the offline model: skill_open's answer, words in common, the outline of a body. Never fails.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/offline/entity.h"
#include "model/offline/offline.h"
#include "model/offline/scan.h"
#include "util/json.h"
#include "util/utf8.h"

enum { MOST_LINES = 8, MOST_BYTES = 200 };

void skill__offline_read_opened(const char *text, size_t length, struct skill__opened *out) {
  static const char tools[] = "Tools: ";
  const char *end = text + length;
  memset(out, 0, sizeof *out);
  out->tools = text;
  for (const char *line = text; line < end;) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    const char *next = stop ? stop + 1 : end;
    size_t n = (size_t)((stop ? stop : end) - line);
    if (n >= sizeof tools - 1 && memcmp(line, tools, sizeof tools - 1) == 0) {
      out->tools = line + sizeof tools - 1;
      out->tools_length = n - (sizeof tools - 1);
    }
    line = next;
    if (n) continue;
    break;
  }
  const char *gap = NULL;
  for (const char *p = text; p + 1 < end && !gap; p++) gap = p[0] == '\n' && p[1] == '\n' ? p + 2 : NULL;
  out->body = gap ? gap : end;
  out->body_length = (size_t)(end - out->body);
}

int skill__offline_name(const char *arguments, char *out, size_t size) {
  cJSON *root = NULL;
  int status = skill__json_parse(arguments, strlen(arguments), NULL, &root, NULL);
  const char *name = skill__json_string(root, "name");
  snprintf(out, size, "%s", name ? name : "");
  cJSON_Delete(root);
  return status == SKILL_ENOMEM ? status : 0;
}

static size_t word_length(const char *at) {
  size_t n = 0;
  while (skill__is_alnum(at[n])) n++;
  return n;
}

static bool in_request(const char *request, size_t length, const char *word, size_t n) {
  size_t stem = n > 4 ? n - 1 : n; /* "converts" finds "convert" */
  for (size_t i = 0; i + stem <= length; i++) {
    bool begins = i == 0 || !skill__is_alnum(request[i - 1]);
    if (begins && strncasecmp(request + i, word, stem) == 0) return true;
  }
  return false;
}

double skill__offline_overlap(const char *request, size_t length, const char *words) {
  double found = 0;
  for (const char *at = words ? words : ""; *at;) {
    size_t n = word_length(at);
    uint32_t rune = 0;
    size_t step = n ? n : skill__utf8_decode(at, strlen(at), &rune);
    if (n > 3 && in_request(request, length, at, n)) found++;
    if (!n && step && skill__rune_is_cjk(rune) && in_request(request, length, at, step)) found += 0.25;
    at += step ? step : 1;
  }
  return found;
}

static bool is_item(const char *line, size_t n) {
  size_t digits = 0;
  while (digits < n && skill__is_digit(line[digits])) digits++;
  if (digits && digits + 1 < n && (line[digits] == '.' || line[digits] == ')') && line[digits + 1] == ' ') return true;
  return n > 2 && (line[0] == '-' || line[0] == '*') && line[1] == ' ';
}

static size_t put_lines(struct skill__buf *buf, const char *body, size_t length, bool items) {
  const char *end = body + length;
  size_t count = 0;
  bool fenced = false;
  for (const char *line = body; line < end && count < MOST_LINES;) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    size_t n = (size_t)((stop ? stop : end) - line);
    if (n >= 3 && memcmp(line, "```", 3) == 0) {
      fenced = !fenced;
    } else if (n && !fenced && (items ? is_item(line, n) : true)) {
      size_t cut = n > MOST_BYTES ? skill__utf8_floor(line, MOST_BYTES) : n;
      skill__buf_text(buf, "  ");
      skill__buf_add(buf, line, cut);
      skill__buf_text(buf, cut < n ? "\xE2\x80\xA6\n" : "\n");
      count++;
    }
    line = stop ? stop + 1 : end;
  }
  return count;
}

void skill__offline_outline(struct skill__buf *buf, const char *body, size_t length) {
  if (put_lines(buf, body, length, true) == 0) put_lines(buf, body, length, false);
}
