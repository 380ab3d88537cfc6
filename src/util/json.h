/* SPDX-License-Identifier: MIT
 *
 * Typed access to cJSON values. cJSON's allocator hooks are left alone, since they belong to the whole process.
 */
#ifndef SKILL_UTIL_JSON_H
#define SKILL_UTIL_JSON_H

#include <cjson/cJSON.h>

#include "skillet/error.h"
#include "util/buf.h"

#define SKILL__JSON_NESTING 500 /* levels that the scanner follows */

/* Parses exactly one value. An escaped surrogate without its partner is read as U+FFFD. SKILL_EPARSE with line and
 * column (of `file`, may be NULL), SKILL_ENOMEM. Owned: release with cJSON_Delete. cJSON does not say which of the two
 * it was: memory was short where errno says so (malloc does; hooks of a host's own may not), or where the text is good
 * JSON all the same. */
int skill__json_parse(const char *text, size_t length, const char *file, cJSON **out, SkillError *err);

/* Bytes up to the end of the value that `text` begins with, blanks before it included; 0: there is none. RFC 8259 to
 * the letter, other than cJSON, which forgives leading zeros and control characters. Needs no memory. */
size_t skill__json_scan(const char *text, size_t length);
size_t skill__json_blanks(const char *text, size_t length); /* how many it begins with */

/* The string member `key`, or NULL; borrowed from the object. */
const char *skill__json_string(const cJSON *object, const char *key);

/* The number member `key` as a count; 0 if it is absent, no positive number, or 1e15 and more. */
size_t skill__json_count(const cJSON *object, const char *key);

/* Appends the value as compact JSON. */
void skill__json_print(struct skill__buf *buf, const cJSON *value);

#endif
