/* SPDX-License-Identifier: MIT
 *
 * Values: look-ups, types, JSON.
 */
#include "document/value.h"

#include <string.h>
#include <strings.h>

void skill__value_append(struct skill__value *parent, struct skill__value *child) {
  child->next = NULL;
  if (parent->last) {
    parent->last->next = child;
  } else {
    parent->first = child;
  }
  parent->last = child;
  parent->count++;
}

const struct skill__value *skill__value_get(const struct skill__value *mapping, const char *key) {
  const struct skill__value *found = NULL;
  if (!mapping || mapping->kind != SKILL__MAPPING) return NULL;
  for (const struct skill__value *child = mapping->first; child; child = child->next) {
    if (child->key->kind == SKILL__SCALAR && !strcmp(child->key->text, key)) found = child;
  }
  return found;
}

static bool word_in(const char *text, const char *const *words) {
  for (; *words; words++) {
    if (!strcmp(text, *words)) return true;
  }
  return false;
}

static const char *const null_words[] = {"", "~", "null", "Null", "NULL", NULL};
static const char *const true_words[] = {"true", "yes", "on", NULL};
static const char *const false_words[] = {"false", "no", "off", NULL};

bool skill__value_is_null(const struct skill__value *value) {
  return value->kind == SKILL__SCALAR && value->plain && word_in(value->text, null_words);
}

int skill__value_boolean(const struct skill__value *value) {
  if (value->kind != SKILL__SCALAR || value->length > 5) return -1;
  for (const char *const *w = true_words; *w; w++) {
    if (!strcasecmp(value->text, *w)) return 1;
  }
  for (const char *const *w = false_words; *w; w++) {
    if (!strcasecmp(value->text, *w)) return 0;
  }
  return -1;
}

static bool digits(const char **p) {
  const char *start = *p;
  while (**p >= '0' && **p <= '9') ++*p;
  return *p > start;
}

/* Numbers as any YAML version spells them: signs, underscores, other bases, base 60, infinities. */
static bool number_like(const char *s) {
  static const char *const words[] = {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN", NULL};
  if (*s == '+' || *s == '-') s++;
  if (word_in(s, words)) return true;
  if (*s == '0' && (s[1] == 'x' || s[1] == 'o' || s[1] == 'b') && s[2]) {
    return s[2 + strspn(s + 2, s[1] == 'x' ? "0123456789abcdefABCDEF_" : "01234567_")] == '\0';
  }
  if (!strpbrk(s, "0123456789")) return false;
  size_t whole = strspn(s, "0123456789_");
  if (!whole && *s != '.') return false;
  s += whole;
  if (*s == ':') return s[strspn(s, "0123456789:._")] == '\0' && s[1] >= '0' && s[1] <= '9';
  if (*s == '.') s += 1 + strspn(s + 1, "0123456789_");
  if (*s == 'e' || *s == 'E') {
    s++;
    if (*s == '+' || *s == '-') s++;
    if (!digits(&s)) return false;
  }
  return *s == '\0';
}

static bool date_like(const char *s) {
  const char *p = s;
  if (!digits(&p) || p - s != 4 || *p++ != '-') return false;
  s = p;
  if (!digits(&p) || p - s > 2 || *p++ != '-') return false;
  s = p;
  if (!digits(&p) || p - s > 2) return false;
  return !*p || *p == 'T' || *p == 't' || *p == ' ';
}

bool skill__value_is_typed(const struct skill__value *value) {
  if (value->kind != SKILL__SCALAR || !value->plain || value->length > 64) return false;
  return skill__value_is_null(value) || skill__value_boolean(value) >= 0 || number_like(value->text) ||
         date_like(value->text);
}

/* RFC 8259, section 6. */
static bool json_number(const char *s, bool exact) {
  const char *start = s;
  if (*s == '-') s++;
  const char *whole = s;
  if (!digits(&s) || (*whole == '0' && s - whole > 1)) return false;
  if (*s == '.') {
    s++;
    if (!digits(&s) || (exact && s[-1] == '0')) return false;
  }
  if (exact) return !*s && s - start <= 15 && strcmp(start, "-0") != 0;
  if (*s == 'e' || *s == 'E') {
    s++;
    if (*s == '+' || *s == '-') s++;
    if (!digits(&s)) return false;
  }
  return !*s && s - start <= 64;
}

static void scalar_json(struct skill__buf *buf, const struct skill__value *value, enum skill__json_types types) {
  const char *text = value->text;
  if (skill__value_is_null(value)) {
    skill__buf_text(buf, "null");
  } else if (value->plain && types != SKILL__JSON_TEXT && strlen(text) == value->length &&
             (!strcmp(text, "true") || !strcmp(text, "false") || json_number(text, types == SKILL__JSON_EXACT))) {
    skill__buf_text(buf, text);
  } else {
    skill__buf_json(buf, text, value->length);
  }
}

static void key_json(struct skill__buf *buf, const struct skill__value *key) {
  if (key->kind == SKILL__SCALAR) {
    skill__buf_json(buf, key->text, key->length);
    return;
  }
  struct skill__buf inner;
  skill__buf_init(&inner, SKILL__VALUE_JSON_BYTES);
  skill__value_json(&inner, key, SKILL__JSON_TEXT);
  if (!skill__buf_status(&inner)) skill__buf_json(buf, inner.data, inner.length);
  if (skill__buf_status(&inner)) buf->status = skill__buf_status(&inner);
  skill__buf_fini(&inner);
}

/* Depth is bounded by SKILL__YAML_DEPTH. */
void skill__value_json(struct skill__buf *buf, const struct skill__value *value, enum skill__json_types types) {
  if (value->kind == SKILL__SCALAR) {
    scalar_json(buf, value, types);
    return;
  }
  bool mapping = value->kind == SKILL__MAPPING;
  skill__buf_char(buf, mapping ? '{' : '[');
  for (const struct skill__value *child = value->first; child; child = child->next) {
    if (child != value->first) skill__buf_char(buf, ',');
    if (mapping) {
      key_json(buf, child->key);
      skill__buf_char(buf, ':');
    }
    skill__value_json(buf, child, types);
  }
  skill__buf_char(buf, mapping ? '}' : ']');
}
