/* SPDX-License-Identifier: MIT
 *
 * Typed access to cJSON values. cJSON's allocator hooks are left alone, since they belong to the whole process.
 */
#ifndef SKILL_UTIL_JSON_H
#define SKILL_UTIL_JSON_H

#include <cjson/cJSON.h>

#include "skillet/error.h"
#include "util/buf.h"

/* Parses exactly one value. SKILL_EPARSE with line and column (of `file`, may be NULL), SKILL_ENOMEM.
 * Owned: release with cJSON_Delete. */
int skill__json_parse(const char *text, size_t length, const char *file, cJSON **out, SkillError *err);

/* The string member `key`, or NULL; borrowed from the object. */
const char *skill__json_string(const cJSON *object, const char *key);

/* Appends the value as compact JSON. */
void skill__json_print(struct skill__buf *buf, const cJSON *value);

#endif
