/* SPDX-License-Identifier: MIT
 *
 * Equality of JSON values as JSON Schema defines it: numbers by value, objects regardless of the order of their keys.
 */
#include <string.h>

#include "gateway/schema_internal.h"

bool skill__schema_spend(size_t *steps) {
  if (*steps == 0) return false;
  --*steps;
  return true;
}

static bool equal_objects(const cJSON *a, const cJSON *b, size_t *steps) {
  if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b)) return false;
  for (const cJSON *item = a->child; item; item = item->next) {
    const cJSON *other = cJSON_GetObjectItemCaseSensitive(b, item->string);
    if (!other || !skill__schema_equal(item, other, steps)) return false;
  }
  return true;
}

bool skill__schema_equal(const cJSON *a, const cJSON *b, size_t *steps) {
  if (!skill__schema_spend(steps)) return false;
  if (cJSON_IsNumber(a)) return cJSON_IsNumber(b) && a->valuedouble == b->valuedouble;
  if (cJSON_IsString(a)) return cJSON_IsString(b) && strcmp(a->valuestring, b->valuestring) == 0;
  if (cJSON_IsObject(a)) return cJSON_IsObject(b) && equal_objects(a, b, steps);
  if (!cJSON_IsArray(a)) return (a->type & 0xff) == (b->type & 0xff);
  if (!cJSON_IsArray(b)) return false;
  const cJSON *x = a->child;
  const cJSON *y = b->child;
  for (; x && y; x = x->next, y = y->next) {
    if (!skill__schema_equal(x, y, steps)) return false;
  }
  return !x && !y;
}
