/* SPDX-License-Identifier: MIT
 *
 * Properties of a tool's schema; see property.h. A keyword that is absent or malformed allows anything.
 */
#include "model/offline/property.h"

#include <math.h>
#include <string.h>

/* "hoursPerDay" and "hours_per_day" become "hours per day". */
static void split_name(const char *name, char *out, size_t size) {
  size_t used = 0;
  for (const char *p = name; *p && used + 2 < size; p++) {
    bool hump = *p >= 'A' && *p <= 'Z' && p > name && p[-1] >= 'a' && p[-1] <= 'z';
    if (hump) out[used++] = ' ';
    out[used++] = strchr("_-.", *p) ? ' ' : *p;
  }
  out[used] = '\0';
}

static const cJSON *member(const cJSON *object, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *text_member(const cJSON *object, const char *key) {
  const char *text = skill__json_string(object, key);
  return text ? text : "";
}

static enum skill__offline_type type_of(const cJSON *schema) {
  static const char *const names[] = {"string", "number", "integer"};
  const cJSON *type = member(schema, "type");
  if (cJSON_IsArray(type)) type = type->child;
  if (!cJSON_IsString(type)) return member(schema, "properties") ? SKILL__OFFLINE_OTHER : SKILL__OFFLINE_STRING;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(type->valuestring, names[i]) == 0) return (enum skill__offline_type)i;
  }
  return SKILL__OFFLINE_OTHER;
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

static void read_property(const cJSON *root, const cJSON *schema, struct skill__offline_property *property) {
  static const char prose[] =
      "text|content|input|query|question|prompt|message|body|document|data|tasks|items|sentence|words|keywords|topic|"
      "notes|code|task|request|summary";
  memset(property, 0, sizeof *property);
  property->name = schema->string;
  split_name(schema->string, property->words, sizeof property->words);
  property->description = text_member(schema, "description");
  property->format = text_member(schema, "format");
  property->type = type_of(schema);
  property->values = cJSON_IsArray(member(schema, "enum")) ? member(schema, "enum") : NULL;
  property->fallback = member(schema, "default");
  property->required = is_required(root, schema->string);
  property->minimum = bound(schema, "minimum", bound(schema, "exclusiveMinimum", -HUGE_VAL));
  property->maximum = bound(schema, "maximum", HUGE_VAL);
  property->prose = property->type == SKILL__OFFLINE_STRING && !property->values &&
                    skill__offline_match(property->words, prose) == strlen(property->words);
}

size_t skill__offline_properties(const cJSON *schema, struct skill__offline_property *properties, size_t room) {
  const cJSON *item;
  size_t count = 0;
  cJSON_ArrayForEach(item, member(schema, "properties")) {
    if (count == room) break;
    if (item->string) read_property(schema, item, &properties[count++]);
  }
  return count;
}

bool skill__offline_is_number(const struct skill__offline_property *property) {
  return property->type == SKILL__OFFLINE_NUMERIC || property->type == SKILL__OFFLINE_INTEGER;
}

bool skill__offline_named(const struct skill__offline_property *property, const char *names) {
  size_t length = skill__offline_match(property->words, names);
  return length && (!property->words[length] || property->words[length] == ' ');
}

bool skill__offline_accepts(const struct skill__offline_property *property, const struct skill__offline_value *value) {
  if (property->values) return false; /* only the words of the enum */
  if (skill__offline_is_number(property)) {
    return value->kind == SKILL__OFFLINE_NUMBER && value->number >= property->minimum &&
           value->number <= property->maximum &&
           (property->type == SKILL__OFFLINE_NUMERIC || floor(value->number) == value->number);
  }
  if (property->type != SKILL__OFFLINE_STRING) return false;
  if (skill__offline_match(property->format, "date")) return value->kind == SKILL__OFFLINE_DATE;
  return !skill__offline_match(property->format, "email|time|uuid|ip");
}

static bool has(const char *text, const char *words) {
  return skill__offline_find(text, words, NULL) != NULL;
}

bool skill__offline_wants(const struct skill__offline_property *property, enum skill__offline_kind kind) {
  const char *words = property->words;
  const char *description = property->description;
  if (property->type != SKILL__OFFLINE_STRING) return false;
  switch (kind) {
    case SKILL__OFFLINE_DATE:
      return skill__offline_match(property->format, "date") || has(words, "date|deadline|since|until") ||
             has(description, "YYYY-MM-DD|日期");
    case SKILL__OFFLINE_FILE:
      return has(words, "file|folder|directory|url|link|文件") || (has(words, "path") && !has(description, "[")) ||
             (skill__offline_named(property, "input|source|in|src") && has(description, "file|folder|directory|文件"));
    case SKILL__OFFLINE_DATA_PATH:
      return has(words, "path|selector|key|expression|pattern");
    case SKILL__OFFLINE_QUOTED:
      return true;
    default:
      return false;
  }
}

static const char *unit_word(const char *unit, size_t *length) {
  static const char *const chinese[][2] = {{"年", "year"},   {"个月|月", "month"}, {"周", "week"},
                                           {"天|日", "day"}, {"小时", "hour"},     {"分钟", "minute"}};
  for (size_t i = 0; i < sizeof chinese / sizeof *chinese; i++) {
    if (!skill__offline_match(unit, chinese[i][0])) continue;
    *length = strlen(chinese[i][1]);
    return chinese[i][1];
  }
  for (*length = 0; skill__offline_alnum(unit[*length]);) ++*length;
  return unit;
}

double skill__offline_evidence(const struct skill__offline_property *property,
                               const struct skill__offline_value *number) {
  static const char percent[] = "percent|rate|%|share|ratio|利率|百分";
  double score = 0;
  size_t length;
  const char *unit = unit_word(number->unit, &length);
  if (number->percent) score = has(property->words, percent) || has(property->description, percent) ? 4 : -4;
  if (skill__offline_alike(property->words, unit, length)) score += 4;
  if (skill__offline_alike(property->description, unit, length)) score += 1.5;
  return score;
}
