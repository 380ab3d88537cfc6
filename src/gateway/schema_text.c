/* SPDX-License-Identifier: MIT
 *
 * Arguments as text: parsed, refused if JSON parsers would disagree about them, then checked; see schema.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/schema.h"
#include "util/alloc.h"
#include "util/json.h"

static int order_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int check_twice(const cJSON *object, SkillError *err) {
  size_t count = (size_t)cJSON_GetArraySize(object);
  if (count < 2) return 0;
  const char **names = skill__malloc(count * sizeof *names);
  if (!names) return SKILL_ENOMEM;
  size_t n = 0;
  for (const cJSON *item = object->child; item; item = item->next) names[n++] = item->string;
  qsort(names, n, sizeof *names, order_names);
  int status = 0;
  for (size_t i = 1; !status && i < n; i++) {
    if (strcmp(names[i - 1], names[i]) == 0) {
      status = skill_error_set(err, SKILL_EPARSE, "arguments: the key \"%.100s\" occurs twice", names[i]);
    }
  }
  skill__free(names);
  return status;
}

/* Of two equal keys one parser takes the first and another the last, so a check would not hold for the handler's own
 * parser. The same is true of a number that no double can hold. */
static int check_readable(const cJSON *value, SkillError *err) {
  if (cJSON_IsNumber(value) && !isfinite(value->valuedouble)) {
    return skill_error_set(err, SKILL_EPARSE, "arguments: a number is out of range");
  }
  int status = cJSON_IsObject(value) ? check_twice(value, err) : 0;
  bool nested = cJSON_IsObject(value) || cJSON_IsArray(value);
  for (const cJSON *item = nested ? value->child : NULL; !status && item; item = item->next)
    status = check_readable(item, err);
  return status;
}

int skill__schema_check_text(struct skill__schema *schema, const char *text, size_t length, cJSON **out,
                             SkillError *err) {
  cJSON *value = NULL;
  int status = skill__json_parse(text, length, "arguments", &value, err);
  if (!status) status = check_readable(value, err);
  if (!status) status = skill__schema_check(schema, value, err);
  if (!status && out) {
    *out = value;
    value = NULL;
  }
  cJSON_Delete(value);
  return status;
}
