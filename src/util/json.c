/* SPDX-License-Identifier: MIT
 *
 * JSON helpers; see json.h.
 */
#include "util/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/alloc.h"

static void position(const char *text, const char *at, unsigned *line, unsigned *column) {
  *line = 1;
  *column = 1;
  for (const char *p = text; p < at; p++) {
    *column = *p == '\n' ? 1 : *column + 1;
    *line += *p == '\n';
  }
}

enum { HIGH = 0xd800, LOW = 0xdc00 };

/* HIGH or LOW if the text begins with the escape of such a surrogate, else 0. */
static unsigned surrogate(const char *text, size_t length) {
  unsigned unit = 0;
  if (length < 6 || text[0] != '\\' || text[1] != 'u' || sscanf(text + 2, "%4x", &unit) != 1) return 0;
  unit &= 0xfc00;
  return unit == HIGH || unit == LOW ? unit : 0;
}

/* Writes U+FFFD over each escaped surrogate that has no partner; returns how many. */
static size_t replace_lone_surrogates(char *text, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i + 1 < length; i++) {
    if (text[i] != '\\') continue;
    unsigned kind = surrogate(text + i, length - i);
    bool pair = kind == HIGH && surrogate(text + i + 6, length - i - 6) == LOW;
    count += kind && !pair;
    if (kind && !pair) memcpy(text + i, "\\ufffd", 6);
    if (pair) i += 6;
    i += kind ? 5 : 1; /* an escaped backslash begins no other escape */
  }
  return count;
}

/* cJSON refuses a lone surrogate, and with it the whole text, although the grammar of JSON has it. Such a text is read
 * from a copy with U+FFFD instead. NULL: there is none, or memory is out, and then errno says so. */
static cJSON *parse_repaired(const char *text, size_t length) {
  char *copy = memmem(text, length, "\\u", 2) ? skill__strndup(text, length) : NULL;
  cJSON *value = NULL;
  if (copy && skill__json_scan(text, length) && replace_lone_surrogates(copy, length))
    value = cJSON_ParseWithLength(copy, length);
  skill__free(copy);
  return value;
}

/* Why cJSON made nothing of it; see json.h. */
static bool out_of_memory(const char *text, size_t length) {
  if (errno == ENOMEM) return true;
  size_t good = skill__json_scan(text, length);
  return good && good + skill__json_blanks(text + good, length - good) == length;
}

int skill__json_parse(const char *text, size_t length, const char *file, cJSON **out, SkillError *err) {
  const char *end = NULL;
  errno = 0;
  cJSON *value = length ? cJSON_ParseWithLengthOpts(text, length, &end, false) : NULL;
  if (!value && length) {
    value = parse_repaired(text, length);
    if (value) end = text + skill__json_scan(text, length);
  }
  if (!value && length && out_of_memory(text, length)) return skill_error_set(err, SKILL_ENOMEM, "out of memory");
  size_t used = value ? (size_t)(end - text) : 0;
  if (value && used + skill__json_blanks(text + used, length - used) == length) {
    *out = value;
    return 0;
  }
  unsigned line;
  unsigned column;
  position(text, end ? end : text, &line, &column);
  const char *why = length ? "check quotes, commas and brackets" : "the text is empty";
  if (value) why = "more text follows the value";
  int status = skill_error_set_at(err, SKILL_EPARSE, file, line, column, "not valid JSON here: %s", why);
  cJSON_Delete(value);
  return status;
}

const char *skill__json_string(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsString(item) ? item->valuestring : NULL;
}

size_t skill__json_count(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNumber(item) && item->valuedouble > 0 && item->valuedouble < 1e15 ? (size_t)item->valuedouble : 0;
}

/* cJSON writes whole numbers above 2^31 with 15 digits, which changes identifiers; doubles hold them to 2^53. */
static void print_number(struct skill__buf *buf, const cJSON *value) {
  double number = value->valuedouble;
  if (number >= -9007199254740992.0 && number <= 9007199254740992.0 && number == (double)(int64_t)number) {
    skill__buf_printf(buf, "%lld", (long long)number);
    return;
  }
  char text[64];
  cJSON copy = {0};
  copy.type = cJSON_Number;
  copy.valuedouble = number;
  copy.valueint = value->valueint;
  if (cJSON_PrintPreallocated(&copy, text, sizeof text, false)) {
    skill__buf_text(buf, text);
  } else {
    skill__buf_text(buf, "null");
  }
}

static void print_children(struct skill__buf *buf, const cJSON *value, bool object) {
  skill__buf_char(buf, object ? '{' : '[');
  for (const cJSON *item = value->child; item; item = item->next) {
    if (item != value->child) skill__buf_char(buf, ',');
    if (object) {
      skill__buf_json_text(buf, item->string ? item->string : "");
      skill__buf_char(buf, ':');
    }
    skill__json_print(buf, item);
  }
  skill__buf_char(buf, object ? '}' : ']');
}

void skill__json_print(struct skill__buf *buf, const cJSON *value) {
  if (cJSON_IsObject(value) || cJSON_IsArray(value)) {
    print_children(buf, value, cJSON_IsObject(value));
  } else if (cJSON_IsString(value) || cJSON_IsRaw(value)) {
    skill__buf_json_text(buf, value->valuestring);
  } else if (cJSON_IsNumber(value)) {
    print_number(buf, value);
  } else {
    skill__buf_text(buf, cJSON_IsTrue(value) ? "true" : cJSON_IsFalse(value) ? "false" : "null");
  }
}
