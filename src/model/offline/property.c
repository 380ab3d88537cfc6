/* SPDX-License-Identifier: MIT
 *
 * Properties of a tool's schema, and what fits them. Never fails: what a schema leaves out counts as "anything".
 */
#include "model/offline/property.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/offline/scan.h"

static const cJSON *member(const cJSON *object, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* Whether one of the words, parted by '|', stands in the text (letters of any case). */
static bool mentions(const char *text, const char *words) {
  while (*words) {
    size_t n = strcspn(words, "|");
    for (const char *p = text; *p; p++) {
      if (strncasecmp(p, words, n) == 0) return true;
    }
    words += n + (words[n] == '|');
  }
  return false;
}

static bool named(const struct skill__property *property, const char *words) {
  while (*words) {
    size_t n = strcspn(words, "|");
    if (strlen(property->words) == n && strncasecmp(property->words, words, n) == 0) return true;
    words += n + (words[n] == '|');
  }
  return false;
}

/* "hoursPerDay" and "hours_per_day" -> "hours per day". */
static void name_words(const char *name, char *out, size_t size) {
  size_t used = 0;
  for (const char *p = name; *p && used + 2 < size; p++) {
    bool upper = *p >= 'A' && *p <= 'Z';
    bool hump = upper && p > name && p[-1] >= 'a' && p[-1] <= 'z';
    if (hump) out[used++] = ' ';
    out[used++] = *p == '_' || *p == '-' || *p == '.' ? ' ' : upper ? (char)(*p - 'A' + 'a') : *p;
  }
  out[used] = '\0';
}

static enum skill__property_type type_of(const cJSON *schema) {
  const cJSON *type = member(schema, "type");
  if (cJSON_IsArray(type)) type = type->child;
  const char *name = cJSON_IsString(type) ? type->valuestring : "";
  if (strcmp(name, "number") == 0) return SKILL__TYPE_NUMBER;
  if (strcmp(name, "integer") == 0) return SKILL__TYPE_INTEGER;
  if (strcmp(name, "boolean") == 0) return SKILL__TYPE_BOOLEAN;
  if (strcmp(name, "array") == 0) return SKILL__TYPE_ARRAY;
  if (strcmp(name, "object") == 0 || member(schema, "properties")) return SKILL__TYPE_OBJECT;
  return SKILL__TYPE_STRING;
}

static enum skill__property_role role_of(const char *words) {
  static const char *const from[] = {"from", "source", "origin", "src"};
  static const char *const to[] = {"to", "target", "destination", "dest", "into"};
  for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
    size_t n = strlen(from[i]);
    if (strncmp(words, from[i], n) == 0 && (!words[n] || words[n] == ' ')) return SKILL__ROLE_FROM;
  }
  for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
    size_t n = strlen(to[i]);
    if (strncmp(words, to[i], n) == 0 && (!words[n] || words[n] == ' ')) return SKILL__ROLE_TO;
  }
  return SKILL__ROLE_NONE;
}

static double bound(const cJSON *schema, const char *key, double otherwise) {
  const cJSON *item = member(schema, key);
  return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

static bool is_required(const cJSON *root, const char *name) {
  const cJSON *item;
  cJSON_ArrayForEach(item, member(root, "required")) {
    if (cJSON_IsString(item) && strcmp(item->valuestring, name) == 0) return true;
  }
  return false;
}

static void read_one(const cJSON *root, const cJSON *schema, struct skill__property *property) {
  memset(property, 0, sizeof *property);
  property->name = schema->string;
  name_words(schema->string, property->words, sizeof property->words);
  property->description = skill__json_string(schema, "description");
  if (!property->description) property->description = "";
  property->format = skill__json_string(schema, "format");
  if (!property->format) property->format = "";
  property->type = type_of(schema);
  property->role = role_of(property->words);
  property->values = cJSON_IsArray(member(schema, "enum")) ? member(schema, "enum") : NULL;
  property->fallback = member(schema, "default");
  property->has_default = property->fallback != NULL;
  if (!property->fallback) property->fallback = member(schema, "const");
  property->required = is_required(root, schema->string);
  property->minimum = bound(schema, "minimum", -HUGE_VAL);
  property->maximum = bound(schema, "maximum", HUGE_VAL);
  double above = bound(schema, "exclusiveMinimum", -HUGE_VAL);
  if (above >= property->minimum && above > -HUGE_VAL) property->minimum = nextafter(above, HUGE_VAL);
  enum skill__property_type items = type_of(member(schema, "items"));
  property->items_number = items == SKILL__TYPE_NUMBER || items == SKILL__TYPE_INTEGER;
  property->whole = property->type == SKILL__TYPE_STRING && !property->values &&
                    named(property,
                          "text|content|input|query|question|prompt|message|body|document|data|tasks|"
                          "items|list|string|sentence|words|keywords|topic|source text|note|notes|code|sql|"
                          "diff|log|transcript|instructions|task|request|summary|description");
}

size_t skill__properties_read(const cJSON *schema, struct skill__property *properties, size_t room) {
  const cJSON *item;
  size_t count = 0;
  cJSON_ArrayForEach(item, member(schema, "properties")) {
    if (count == room) break;
    if (item->string) read_one(schema, item, &properties[count++]);
  }
  return count;
}

static bool number_fits(const struct skill__property *property, double number) {
  if (property->type == SKILL__TYPE_INTEGER && floor(number) != number) return false;
  return number >= property->minimum && number <= property->maximum;
}

static bool listed(const struct skill__property *property, const struct skill__entity *entity) {
  const cJSON *item;
  if (!property->values) return true;
  cJSON_ArrayForEach(item, property->values) {
    if (cJSON_IsString(item) && strlen(item->valuestring) == entity->length &&
        strncasecmp(item->valuestring, entity->text, entity->length) == 0) {
      return true;
    }
    if (cJSON_IsNumber(item) && entity->kind == SKILL__ENTITY_NUMBER && item->valuedouble == entity->number)
      return true;
  }
  return false;
}

bool skill__property_accepts(const struct skill__property *property, const struct skill__entity *entity) {
  if (!listed(property, entity)) return false;
  switch (property->type) {
    case SKILL__TYPE_NUMBER:
    case SKILL__TYPE_INTEGER:
      return entity->kind == SKILL__ENTITY_NUMBER && number_fits(property, entity->number);
    case SKILL__TYPE_STRING:
      if (strncmp(property->format, "date", 4) == 0) return entity->kind == SKILL__ENTITY_DATE;
      if (strcmp(property->format, "email") == 0) return entity->kind == SKILL__ENTITY_EMAIL;
      if (strncmp(property->format, "uri", 3) == 0) return entity->kind == SKILL__ENTITY_URL;
      return true;
    case SKILL__TYPE_OBJECT:
      return entity->kind == SKILL__ENTITY_JSON && *entity->text == '{';
    default:
      return false;
  }
}

bool skill__property_wants(const struct skill__property *property, enum skill__entity_kind kind) {
  if (property->type == SKILL__TYPE_OBJECT) return kind == SKILL__ENTITY_JSON;
  if (property->type != SKILL__TYPE_STRING) return false;
  const char *words = property->words;
  const char *text = property->description;
  switch (kind) {
    case SKILL__ENTITY_DATE:
      return strncmp(property->format, "date", 4) == 0 || mentions(words, "date|deadline|since|until") ||
             mentions(text, "YYYY-MM-DD|ISO 8601|\xE6\x97\xA5\xE6\x9C\x9F");
    case SKILL__ENTITY_URL:
      return strncmp(property->format, "uri", 3) == 0 || mentions(words, "url|link|uri|website|address");
    case SKILL__ENTITY_EMAIL:
      return strcmp(property->format, "email") == 0 || mentions(words, "email|mail|recipient");
    case SKILL__ENTITY_FILE:
      return mentions(words, "file|folder|directory|document|image|\xE6\x96\x87\xE4\xBB\xB6") ||
             ((mentions(words, "path|input|source") || named(property, "in|src|name")) &&
              mentions(text, "file|folder|directory|\xE6\x96\x87\xE4\xBB\xB6")) ||
             (named(property, "path|paths|input path|output path") && !mentions(text, "["));
    case SKILL__ENTITY_JSON:
      return mentions(words, "json|object|data|payload");
    case SKILL__ENTITY_CODE:
      return mentions(words, "expression|formula|equation|expr|path|selector|key|pattern");
    case SKILL__ENTITY_QUOTED:
      return !property->values && strncmp(property->format, "date", 4) != 0;
    default:
      return false;
  }
}

/* Whether two words begin alike enough to be one: year and years, rate and rates. */
static bool alike(const char *a, size_t a_length, const char *b, size_t b_length) {
  size_t shorter = a_length < b_length ? a_length : b_length;
  size_t longer = a_length < b_length ? b_length : a_length;
  if (!shorter || longer - shorter > 2) return false;
  if (shorter < 3 && longer != shorter) return false;
  return strncasecmp(a, b, shorter) == 0;
}

static bool has_word(const char *text, const char *word, size_t length) {
  for (const char *p = text; *p;) {
    size_t n = 0;
    while (p[n] && skill__is_word_byte(p[n])) n++;
    if (n && alike(p, n, word, length)) return true;
    p += n ? n : 1;
  }
  return false;
}

/* The word before the number, if only small marks part them. */
static size_t word_before(const char *text, size_t at, const char **word) {
  size_t end = at;
  while (end && (text[end - 1] == ' ' || text[end - 1] == ':' || text[end - 1] == '=')) end--;
  size_t from = end;
  while (from && skill__is_word_byte(text[from - 1])) from--;
  *word = text + from;
  return end - from;
}

double skill__property_number_score(const struct skill__property *property, const struct skill__entity *number,
                                    const char *text) {
  static const char percent[] = "percent|rate|%|share|ratio|\xE5\x88\xA9\xE7\x8E\x87|\xE7\x99\xBE\xE5\x88\x86";
  static const char money[] =
      "amount|price|cost|principal|salary|income|budget|loan|borrowed|balance|"
      "\xE9\x87\x91\xE9\xA2\x9D|\xE4\xBB\xB7\xE6\xA0\xBC|\xE6\x9C\xAC\xE9\x87\x91";
  static const char years[] = "year|years|term|\xE5\xB9\xB4";
  const char *before = NULL;
  double score = 0;
  size_t unit = number->unit_length;
  while (unit && strchr("/^-_", number->unit[unit - 1])) unit--;
  size_t length = word_before(text, number->from, &before);
  if (number->percent) score += mentions(property->words, percent) || mentions(property->description, percent) ? 4 : -4;
  if (number->money) score += mentions(property->words, money) || mentions(property->description, money) ? 3 : -1;
  if (unit && has_word(property->words, number->unit, unit)) score += 4;
  if (unit && has_word(property->description, number->unit, unit)) score += 1.5;
  if (unit >= 3 && memcmp(number->unit, "\xE5\xB9\xB4", 3) == 0 && mentions(property->words, years)) score += 4;
  if (length && has_word(property->words, before, length)) score += 3;
  if (length > 2 && has_word(property->description, before, length)) score += 0.5;
  if (named(property, "value|number|quantity|x|n|amount|count") && score >= 0 && property->required) score += 0.25;
  return score;
}
